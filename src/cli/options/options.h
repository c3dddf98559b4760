/* options.h -- the one table of options, and the commands that take them.
 *
 * A row of the table in options.c makes an option's field, default, range
 * check, help text, completion and entry in the man page.  An option given to
 * a command that does not take it is a usage error.
 *
 * SPDX-License-Identifier: MIT */
#ifndef CLI_OPTIONS_OPTIONS_H
#define CLI_OPTIONS_OPTIONS_H

#include "base/container/vec.h"
#include "base/err.h"
#include "base/memory/arena.h"
#include "cli/options/choices.h"

#include <stdint.h>

// Commands, as bits, so that an option can list those that take it.
enum {
    CMD_CHECK = 1 << 0,
    CMD_CERTIFY = 1 << 1,
    CMD_STATS = 1 << 2,
    CMD_SHOW = 1 << 3,
    CMD_CONVERT = 1 << 4,
    CMD_GEN = 1 << 5,
    CMD_LEVELS = 1 << 6,
    CMD_FORMATS = 1 << 7,
    CMD_HELP = 1 << 8,
    CMD_COMPLETIONS = 1 << 9,
    CMD_MANPAGE = 1 << 10,
    CMD_TEST = 1 << 11,
    CMD_COLLECT = 1 << 12,
    CMD_REPORT = 1 << 13,
    CMD_PREDICT = 1 << 14,
    CMD_PROVE = 1 << 15,
    CMD_LINT = 1 << 16,
    CMD_DISTINGUISH = 1 << 17,
    CMD_RECORD = 1 << 18,
    CMD_FOLLOW = 1 << 19,
    CMD_CAMPAIGN = 1 << 20,
    CMD_AUDIT = 1 << 21,
    CMD_ALL = (1 << 22) - 1,
    // Commands whose limits apply to the whole command.
    CMD_LIMITED =
        CMD_CERTIFY | CMD_STATS | CMD_LINT | CMD_SHOW | CMD_CONVERT | CMD_GEN,
    // Commands with any number of histories, directories of them included.
    CMD_MANY = CMD_CHECK | CMD_REPORT | CMD_STATS | CMD_LINT | CMD_PREDICT,
};

// In an option's commands: only --help-solver shows it.
#define FOR_MEASURING (1u << 31)

enum option_kind {
    OPTION_FLAG,    // bool; --no-NAME turns it off
    OPTION_NUMBER,  // uint64_t, within low..high; units are in base/quantity.h
    OPTION_BYTES,   // uint64_t, within low..high
    OPTION_REAL,    // double, within low..high
    OPTION_SECONDS, // double, within low..high
    OPTION_SHARE,   // double, within low..high
    OPTION_TEXT,    // const char *
    OPTION_COMMAS,  // const char *: occurrences are joined by commas
    OPTION_OUTPUT,  // const char *; "-" where --NAME has no =VALUE
    OPTION_LIST,    // option_texts: each occurrence adds one
};

typedef VEC(const char *) option_texts;

struct options {
    const char *command; // the whole command line
    bool help, json, quiet, verify, explain, stats, renumber, redact,
        help_solver;
    bool log;
    bool session_order, power, require_power, complete, rows, stream;
    const char *level, *format, *to, *output, *report_format, *report;
    const char *json_file, *junit_file, *sarif_file, *markdown_file, *store;
    const char *solver, *certificate, *reduced, *part;
    const char *checkpoint, *metrics; // follow
    const char *shards;               // test
    uint64_t threads, memory, max_anomalies, window;
    double timeout, settle, status;

    // The engines, for measuring: --help-solver.
    option_texts without, tune;

    // gen
    uint64_t sessions, transactions, operations, keys, values, seed, lag;
    uint64_t conditions;
    double reads, duplicates, theta, value_theta, at;
    const char *distribution, *inject, *order;

    // test, collect
    const char *workload, *isolation, *schema, *recorder;
    const char *start, *fault, *keep, *spec;
    const char *lists, *index, *access;
    const char *sweep, *results;
    uint64_t seeds;
    bool shrink, follow;
    bool sorted, in_pairs;
    const char *use;
    double time, aborts, pause;
    bool move, record;
    option_texts nemesis, setups;

    // record
    const char *listen, *tables, *assemble;
    bool clean;

    // predict
    const char *boundary, *predicted, *client, *on;
    const char *reset;         // audit
    const char *predict_level; // test --predict
    uint64_t max_ops;
    uint64_t most;
    bool approx, all, validate;

    // campaign
    const char *executor;
    option_texts known;
    uint64_t draws, workers;
    double budget, each;
    bool is_worker;

    // prove
    option_texts prove_levels, pairs;
    const char *schedule, *sequence, *level_file, *smt;
    uint64_t members;
    bool weakest, repair, graph;

    option_texts paths; // arguments that are not options, in order
    struct arena texts; // of paths that are no arguments
};

struct option {
    const char *name;
    char letter; // 0 if there is none
    enum option_kind kind;
    const char *argument; // the name of its value, a plural for several words
                          // with commas between them; NULL for a flag
    size_t offset;        // the offset of its field
    uint32_t commands;    // bits, and FOR_MEASURING
    double low, high;
    const char *initial; // as text, or NULL
    choices *choices;    // the words that it takes; NULL: any
    const char *help;
};

extern const struct option option_table[]; // ends with a row without a name

struct command {
    const char *name;
    uint32_t bit;
    int (*run)(const struct options *options);
    const char *arguments; // "[-l LEVELS] HISTORY...", or ""
    const char *help;      // one line
    const char *details;   // more, for its own help and man page, or NULL
    const char *examples;  // lines in pairs: a command, what it does; or NULL
    const char *see_also;  // other commands, or NULL
    choices *words;        // that it takes as arguments; NULL: files, or none
};

extern const struct command command_table[]; // ends with a row without a name

const struct command *command_find(const char *name);

/* Whether some option of the command is a number, which may have a unit. */
bool command_takes_numbers(const struct command *c);

#define COMMAND_UNITS                                                          \
    "Numbers may have units: 20k, 1.5M; 10ms, 2min; 512M or 1G of memory; "    \
    "25%."

/* Parse the arguments after the command's name. */
bool options_parse(int n, char *const words[], const struct command *command,
                   struct options *out, struct err *err);

void options_free(struct options *o);

#endif

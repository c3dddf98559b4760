/* options.c -- the table of options; see options.h.
 *
 * SPDX-License-Identifier: MIT */
#include "cli/options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define AT(field) offsetof(struct options, field)
#define ENGINE (CMD_CHECK | FOR_MEASURING)
#define RUNNING (CMD_TEST | CMD_COLLECT)
#define JUDGING (CMD_CHECK | CMD_REPORT | CMD_TEST)
#define READING                                                                \
    (CMD_CHECK | CMD_REPORT | CMD_CERTIFY | CMD_STATS | CMD_SHOW |             \
     CMD_CONVERT | CMD_PREDICT)

// clang-format off
const struct option option_table[] = {
    {"level", 'l', OPTION_TEXT, "LEVELS", AT(level), CMD_CHECK | CMD_REPORT | RUNNING, 0, 0, NULL,
     choices_levels,
     "isolation levels, separated by commas (default: ser)"},
    {"session-order", 0, OPTION_FLAG, NULL, AT(session_order), CMD_CHECK | CMD_REPORT | CMD_TEST | CMD_CERTIFY, 0, 0, "1", NULL,
     "order the transactions of a session, as for Adya's PL-3 or Elle's plain levels"},
    {"level", 'l', OPTION_TEXT, "LEVEL", AT(level), CMD_GEN, 0, 0, NULL, choices_gen_levels,
     "the level that the history satisfies (default: ser)"},
    {"level", 'l', OPTION_TEXT, "LEVELS", AT(level), CMD_PREDICT, 0, 0, NULL, choices_predict_levels,
     "isolation levels, separated by commas (default: si)"},
    {"boundary", 0, OPTION_TEXT, "WAY", AT(boundary), CMD_PREDICT | CMD_TEST, 0, 0, "relaxed", choices_boundaries,
     "whether a transaction with a changed read ends there, or continues as observed"},
    {"approx", 0, OPTION_FLAG, NULL, AT(approx), CMD_PREDICT, 0, 0, NULL, NULL,
     "leave out executions whose violation only a case distinction shows"},
    {"all", 0, OPTION_FLAG, NULL, AT(all), CMD_PREDICT, 0, 0, NULL, NULL,
     "show every distinct anomaly, the simplest first"},
    {"max", 0, OPTION_NUMBER, "N", AT(most), CMD_PREDICT, 1, 1e9, "1", NULL,
     "show at most N distinct anomalies"},
    {"predict", 0, OPTION_TEXT, "LEVELS", AT(predict_level), CMD_TEST, 0, 0, NULL, choices_predict_levels,
     "then predict, from what was recorded, anomalies at these levels"},
    {"validate", 0, OPTION_FLAG, NULL, AT(validate), CMD_PREDICT | CMD_TEST, 0, 0, NULL, NULL,
     "run the application again with the predicted reads: on the built-in store, and by a schedule on the server"},
    {"workload", 'w', OPTION_TEXT, "NAME", AT(workload), CMD_PREDICT, 0, 0, NULL,
     choices_apps,
     "with --validate: the application that was observed, or the path of a library with your own"},
    {"sessions", 0, OPTION_NUMBER, "N", AT(sessions), CMD_PREDICT, 1, 1e6, "10", NULL,
     "with --validate: how many sessions it had"},
    {"keys", 0, OPTION_NUMBER, "N", AT(keys), CMD_PREDICT, 1, 5e8, NULL, NULL,
     "with --validate: its --keys, if they were given"},
    {"aborts", 0, OPTION_REAL, "SHARE", AT(aborts), CMD_PREDICT, 0, 1, "0", NULL,
     "with --validate: its --aborts"},
    {"seed", 0, OPTION_NUMBER, "N", AT(seed), CMD_PREDICT, 0, 1e18, "1", NULL,
     "with --validate: its --seed"},
    {"predicted", 0, OPTION_TEXT, "DIR", AT(predicted), CMD_PREDICT, 0, 0, NULL, NULL,
     "write each predicted execution as a history of its own into DIR"},
    {"level", 'l', OPTION_LIST, "LEVELS", AT(prove_levels), CMD_PROVE, 0, 0, NULL, choices_prove_levels,
     "isolation levels, separated by commas; rc is PostgreSQL's READ COMMITTED, si its REPEATABLE READ, my-rr InnoDB's; FUNCTION=LEVEL is for one function"},
    {"level-file", 0, OPTION_TEXT, "FILE", AT(level_file), CMD_PROVE, 0, 0, NULL, NULL,
     "a level of your own, as formulas over vis, ar, so and conflict, one per line"},
    {"serializable", 0, OPTION_LIST, "F,G", AT(pairs), CMD_PROVE, 0, 0, NULL, NULL,
     "functions F and G never run concurrently; may be given several times"},
    {"all", 0, OPTION_FLAG, NULL, AT(all), CMD_PROVE, 0, 0, NULL, NULL,
     "show every distinct anomaly, not only the first"},
    {"weakest", 0, OPTION_FLAG, NULL, AT(weakest), CMD_PROVE, 0, 0, NULL, NULL,
     "say which level is enough: for all functions together, and for each on PostgreSQL"},
    {"graph", 0, OPTION_FLAG, NULL, AT(graph), CMD_PROVE, 0, 0, NULL, NULL,
     "a cycle of dependencies is an anomaly, also where nobody can observe it"},
    {"smt", 0, OPTION_TEXT, "DIR", AT(smt), CMD_PROVE, 0, 0, NULL, NULL,
     "write the queries of a proof into DIR as SMT-LIB, for another solver: each is unsat"},
    {"repair", 0, OPTION_FLAG, NULL, AT(repair), CMD_PROVE, 0, 0, NULL, NULL,
     "find the smallest change that makes the functions serializable at rc or si, and prove it"},
    {"members", 'k', OPTION_NUMBER, "N", AT(members), CMD_PROVE, 2, 6, "3", NULL,
     "look for an anomaly among at most N transactions, and one more where each can depend on the one before"},
    {"sequence", 0, OPTION_TEXT, "FUNCTIONS", AT(sequence), CMD_PROVE, 0, 0, NULL, NULL,
     "look for an anomaly of these functions only, separated by commas: the last is delayed (rc: the first is interrupted)"},
    {"schedule", 0, OPTION_TEXT, "FILE", AT(schedule), CMD_PROVE, 0, 0, NULL, NULL,
     "write the anomaly as a script of PostgreSQL's isolation tester (rc, si and my-rr)"},
    {"format", 'f', OPTION_TEXT, "FORMAT", AT(format), READING, 0, 0, "auto",
     choices_formats,
     "input format; 'auto' recognises it by content"},
    {"to", 't', OPTION_TEXT, "FORMAT", AT(to), CMD_CONVERT | CMD_GEN | CMD_CHECK | CMD_PREDICT, 0, 0, NULL,
     choices_written_formats,
     "output format (default: by the suffix of the output, else jsonl)"},
    {"output", 'o', OPTION_TEXT, "FILE", AT(output), CMD_COLLECT | CMD_CONVERT | CMD_GEN, 0, 0, "-", NULL,
     "where to write; '-' is stdout"},
    {"output", 'o', OPTION_TEXT, "DIR", AT(output), CMD_REPORT, 0, 0, "-", NULL,
     "directory for the page, index.html"},
    {"report", 0, OPTION_TEXT, "DIR", AT(report), CMD_CHECK | CMD_TEST, 0, 0, NULL, NULL,
     "also write the HTML report, DIR/index.html"},
    {"output", 0, OPTION_TEXT, "FORMAT", AT(report_format), CMD_CHECK | CMD_TEST, 0, 0, "text",
     choices_reports,
     "how to show the result"},
    {"output", 0, OPTION_TEXT, "FORMAT", AT(report_format), CMD_PREDICT, 0, 0, "text",
     choices_predict_reports,
     "how to show the result; dot, svg and html show the predicted executions"},
    {"output", 0, OPTION_TEXT, "FORMAT", AT(report_format), CMD_PROVE, 0, 0, "text",
     choices_prove_reports,
     "how to show the result; sarif has the lines of the SQL files, html the source beside the anomaly"},
    {"json", 0, OPTION_FLAG, NULL, AT(json), CMD_PROVE | CMD_PREDICT | CMD_STATS | CMD_CERTIFY | CMD_LEVELS | CMD_FORMATS, 0, 0, NULL, NULL,
     "write results as JSON Lines, one object per input (--output json)"},
    {"json", 0, OPTION_OUTPUT, "FILE", AT(json_file), CMD_CHECK | CMD_TEST, 0, 0, NULL, NULL,
     "write results as JSON Lines, one object per input: to stdout, or with =FILE to that file, beside what is shown"},
    {"junit", 0, OPTION_TEXT, "FILE", AT(junit_file), CMD_CHECK | CMD_TEST, 0, 0, NULL, NULL,
     "also write the results as JUnit XML"},
    {"sarif", 0, OPTION_TEXT, "FILE", AT(sarif_file), CMD_CHECK | CMD_TEST, 0, 0, NULL, NULL,
     "also write the results as SARIF"},
    {"markdown", 0, OPTION_TEXT, "FILE", AT(markdown_file), CMD_CHECK | CMD_TEST, 0, 0, NULL, NULL,
     "also write the results as Markdown"},
    {"quiet", 'q', OPTION_FLAG, NULL, AT(quiet), CMD_PROVE | CMD_CHECK | CMD_PREDICT | RUNNING | CMD_CERTIFY, 0, 0, NULL, NULL,
     "print the verdict lines only"},
    {"quiet", 'q', OPTION_FLAG, NULL, AT(quiet), CMD_CONVERT | CMD_GEN, 0, 0, NULL, NULL,
     "print no notes"},
    {"verify", 0, OPTION_FLAG, NULL, AT(verify), CMD_CHECK | CMD_REPORT | CMD_TEST, 0, 0, "1", NULL,
     "check each verdict's certificate with independent code"},
    {"verify", 0, OPTION_FLAG, NULL, AT(verify), CMD_PREDICT, 0, 0, "1", NULL,
     "prove that there is no prediction, and check the proof with independent code"},
    {"certificate", 0, OPTION_TEXT, "FILE", AT(certificate), CMD_CHECK, 0, 0, NULL, NULL,
     "write the certificate of the verdict (one history and one level)"},
    {"certificate", 0, OPTION_TEXT, "FILE", AT(certificate), CMD_PREDICT, 0, 0, NULL, NULL,
     "if there is no prediction, write the proof (one history and one level)"},
    {"explain", 0, OPTION_FLAG, NULL, AT(explain), CMD_CHECK | CMD_TEST, 0, 0, "1", NULL,
     "reduce each violation and explain it"},
    {"reduced", 0, OPTION_TEXT, "FILE", AT(reduced), CMD_CHECK, 0, 0, NULL, NULL,
     "write the smallest part that still violates the level, as a history"},
    {"max-anomalies", 0, OPTION_NUMBER, "N", AT(max_anomalies), CMD_CHECK | CMD_REPORT | CMD_TEST, 1, 1e9, "5", NULL,
     "show at most N anomalies per level"},
    {"stats", 0, OPTION_FLAG, NULL, AT(stats), CMD_CHECK | CMD_PREDICT, 0, 0, NULL, NULL,
     "print counters, times and memory on stderr at the end"},
    {"power", 0, OPTION_FLAG, NULL, AT(power), CMD_STATS, 0, 0, NULL, NULL,
     "also count overlapping transactions, and how often each anomaly could have shown"},
    {"threads", 'j', OPTION_NUMBER, "N", AT(threads), READING | CMD_TEST, 0, 64, "0", NULL,
     "threads to use; 0 is one per processor"},
    {"timeout", 0, OPTION_REAL, "SECONDS", AT(timeout), JUDGING, 0, 1e9, "0", NULL,
     "give up on a level after this time, with 'unknown'; reading counts towards the first level, verifying and explaining towards their own (0: never)"},
    {"timeout", 0, OPTION_REAL, "SECONDS", AT(timeout), CMD_PROVE, 0, 1e9, "0", NULL,
     "give up on a level after this time, with 'unknown' (0: never)"},
    {"timeout", 0, OPTION_REAL, "SECONDS", AT(timeout), CMD_LIMITED, 0, 1e9, "0", NULL,
     "give up after this time, with exit status 3 (0: never)"},
    {"memory", 0, OPTION_BYTES, "BYTES", AT(memory), JUDGING, 0, 1e18, "0", NULL,
     "give up before more memory than this is in use, with 'unknown'; k, M, G and T are understood (0: never)"},
    {"memory", 0, OPTION_BYTES, "BYTES", AT(memory), CMD_LIMITED, 0, 1e18, "0", NULL,
     "give up before more memory than this is in use, with exit status 3; k, M, G and T are understood (0: never)"},
    {"renumber", 0, OPTION_FLAG, NULL, AT(renumber), CMD_CONVERT, 0, 0, NULL, NULL,
     "replace keys and values by numbers, for formats that hold nothing else"},

    {"sessions", 0, OPTION_NUMBER, "N", AT(sessions), CMD_GEN | RUNNING, 1, 1e6, "10", NULL,
     "how many sessions run"},
    {"txns", 0, OPTION_NUMBER, "N", AT(transactions), CMD_GEN | RUNNING, 1, 1e9, "1000", NULL,
     "how many transactions there are in all"},
    {"ops", 0, OPTION_NUMBER, "N", AT(operations), CMD_GEN | RUNNING, 1, 1e6, "8", NULL,
     "operations of a transaction"},
    {"keys", 0, OPTION_NUMBER, "N", AT(keys), CMD_GEN | RUNNING, 1, 5e8, NULL, NULL,
     "how many keys there are (default: 1000; test and collect: 100, or what suits the application)"},
    {"distribution", 0, OPTION_TEXT, "NAME", AT(distribution), CMD_GEN | RUNNING, 0, 0, "uniform",
     choices_distributions,
     "how keys are chosen: uniform, zipf, or hotspot (4 of 5 in a fifth of the keys)"},
    {"theta", 0, OPTION_REAL, "X", AT(theta), CMD_GEN | RUNNING, 0, 10, "0.99", NULL,
     "skew of the zipf distribution of keys"},
    {"reads", 0, OPTION_REAL, "SHARE", AT(reads), CMD_GEN | RUNNING, 0, 1, "0.5", NULL,
     "share of operations that read"},
    {"duplicates", 0, OPTION_REAL, "SHARE", AT(duplicates), CMD_GEN | RUNNING, 0, 1, "0", NULL,
     "share of writes whose value is drawn from a small space and may repeat"},
    {"values", 0, OPTION_NUMBER, "N", AT(values), CMD_GEN | RUNNING, 1, 1e9, "100", NULL,
     "size of the space of values that repeat"},
    {"value-theta", 0, OPTION_REAL, "X", AT(value_theta), CMD_GEN | RUNNING, 0, 10, "0.5", NULL,
     "skew of the zipf distribution of values that repeat"},
    {"lag", 0, OPTION_NUMBER, "N", AT(lag), CMD_GEN, 0, 1e6, "20", NULL,
     "at si and pc, the maximal age of a snapshot in commits"},
    {"seed", 0, OPTION_NUMBER, "N", AT(seed), CMD_GEN | RUNNING, 0, 1e18, "1", NULL,
     "seed of all random choices"},
    {"inject", 0, OPTION_TEXT, "ANOMALY", AT(inject), CMD_GEN, 0, 0, NULL,
     choices_anomalies,
     "put this anomaly into the history"},
    {"at", 0, OPTION_REAL, "SHARE", AT(at), CMD_GEN, 0, 1, "0.9", NULL,
     "where to inject it: 0 is the beginning of the history, 1 its end"},
    {"workload", 'w', OPTION_TEXT, "NAME", AT(workload), RUNNING, 0, 0, "mixed",
     choices_workloads,
     "what sessions do; 'mixed' reads and writes random keys; the path of a library is an application of your own"},
    {"lists", 0, OPTION_TEXT, "FORM", AT(lists), RUNNING, 0, 0, "text", choices_lists,
     "how 'append' keeps its lists; only PostgreSQL has arrays"},
    {"pause", 0, OPTION_REAL, "SECONDS", AT(pause), RUNNING, 0, 3600, "0", NULL,
     "wait this long before every operation and commit, so that transactions overlap"},
    {"time", 0, OPTION_REAL, "SECONDS", AT(time), RUNNING, 0, 1e9, "0", NULL,
     "run for this time, instead of a number of transactions"},
    {"isolation", 'i', OPTION_TEXT, "NAME", AT(isolation), RUNNING, 0, 0, NULL,
     choices_isolations,
     "isolation level to request from the database (default: one that should satisfy the levels)"},
    {"setup", 0, OPTION_TEXT, "SQL", AT(setup), RUNNING, 0, 0, NULL, NULL,
     "statements for each connection, separated by semicolons"},
    {"aborts", 0, OPTION_REAL, "SHARE", AT(aborts), RUNNING, 0, 1, "0", NULL,
     "share of transactions that are rolled back at their end"},
    {"move", 0, OPTION_FLAG, NULL, AT(move), RUNNING, 0, 0, NULL, NULL,
     "sessions go to another node for each transaction"},
    {"record", 0, OPTION_FLAG, NULL, AT(record), CMD_COLLECT, 0, 0, "1", NULL,
     "record the history; --no-record measures what recording costs"},
    {"start", 0, OPTION_TEXT, "SERVER", AT(start), RUNNING, 0, 0, NULL,
     choices_servers,
     "start a server for this run, in a temporary directory and on loopback"},
    {"fault", 0, OPTION_TEXT, "FAULTS", AT(fault), RUNNING, 0, 0, NULL, NULL,
     "kill@T, stop@T, disconnect@T or restart@T seconds, for servers of --start"},
    {"spec", 0, OPTION_TEXT, "FILE", AT(spec), CMD_TEST, 0, 0, NULL, NULL,
     "run the interleavings of an isolation specification instead of a workload"},
    {"keep", 0, OPTION_TEXT, "FILE", AT(keep), CMD_TEST, 0, 0, NULL, NULL,
     "keep the recorded history in this file; with --spec, those of several interleavings in numbered ones"},
    {"store", 0, OPTION_TEXT, "DIR", AT(store), CMD_TEST, 0, 0, "assay-runs", NULL,
     "keep each run in which a level is violated in a directory of its own under DIR: history, reduced history, report; '' keeps nothing"},
    {"help-solver", 0, OPTION_FLAG, NULL, AT(help_solver), CMD_CHECK, 0, 0, NULL, NULL,
     "list the options of the engine for pc, psi, si and ser"},
    {"solver", 0, OPTION_TEXT, "NAME", AT(solver), ENGINE, 0, 0, "own", choices_solvers,
     "z3: also ask Z3, at pc, si, ser and the strict levels, and fail if it disagrees"},
    {"recorded-order", 0, OPTION_FLAG, NULL, AT(strong.recorded_order), ENGINE, 0, 0, "1", NULL,
     "try the order of the input first"},
    {"saturate", 0, OPTION_FLAG, NULL, AT(strong.saturate), ENGINE, 0, 0, "1", NULL,
     "infer certain edges before the search"},
    {"prune", 0, OPTION_FLAG, NULL, AT(strong.prune), ENGINE, 0, 0, "1", NULL,
     "remove candidate writers that an ambiguous read cannot have"},
    {"schedule", 0, OPTION_FLAG, NULL, AT(strong.schedule), ENGINE, 0, 0, "1", NULL,
     "find the first order by replaying"},
    {"backtracking", 0, OPTION_FLAG, NULL, AT(strong.backtracking), ENGINE, 0, 0, "1", NULL,
     "search small ambiguous histories by backtracking"},
    {"bidirectional", 0, OPTION_FLAG, NULL, AT(strong.bidirectional), ENGINE, 0, 0, "1", NULL,
     "search them from both ends"},
    {"psi-by-si", 0, OPTION_FLAG, NULL, AT(strong.psi_by_si), ENGINE, 0, 0, "1", NULL,
     "try si before psi"},
    {"record-struck", 0, OPTION_FLAG, NULL, AT(strong.record_struck), ENGINE, 0, 0, "1", NULL,
     "record at once why candidate writers are removed, where they are few"},
    {"leave-open", 0, OPTION_FLAG, NULL, AT(strong.leave_open), ENGINE, 0, 0, "1", NULL,
     "decide only edges that the current order violates"},
    {"phases", 0, OPTION_FLAG, NULL, AT(strong.phases), ENGINE, 0, 0, "1", NULL,
     "save the phases of variables"},
    {"restarts", 0, OPTION_FLAG, NULL, AT(strong.restarts), ENGINE, 0, 0, "1", NULL,
     "restart the search"},
    {"step-back", 0, OPTION_FLAG, NULL, AT(strong.step_back), ENGINE, 0, 0, "1", NULL,
     "backtrack one level if a conflict would allow more"},
    {"window", 0, OPTION_NUMBER, "N", AT(window), ENGINE, 1, 1000, "2", NULL,
     "how many versions on each side saturation considers"},
    {"rounds", 0, OPTION_NUMBER, "N", AT(rounds), ENGINE, 0, 1000, "0", NULL,
     "rounds of saturation; 0: until they find nothing new"},
    {"many-candidates", 0, OPTION_NUMBER, "N", AT(many_candidates), ENGINE, 0, 1000000000, "64", NULL,
     "candidate writers of a read from which they are removed by bounds"},
    {"cover", 0, OPTION_NUMBER, "N", AT(cover), ENGINE, 0, 1000000000, "64", NULL,
     "with more sessions than this, clocks are kept on chains of their own"},
    {"help", 'h', OPTION_FLAG, NULL, AT(help), CMD_ALL, 0, 0, NULL, NULL,
     "explain the command"},
    {0},
};
// clang-format on

/* --- values --------------------------------------------------------------- */

static bool
in_range(const struct option *o, double x)
{
    return x >= o->low && x <= o->high;
}

static bool
set_number(const struct option *o, char *field, const char *text,
           struct err *err)
{
    char *end;
    errno = 0;
    unsigned long long x = strtoull(text, &end, 10);
    if (o->kind == OPTION_BYTES && *end && end != text) {
        const char *const suffixes = "kMGT";
        const char *found = strchr(suffixes, *end);
        if (found) {
            const unsigned shift = 10 * (unsigned)(found - suffixes + 1);
            errno = x > UINT64_MAX >> shift ? ERANGE : errno;
            x <<= shift;
            end++;
        }
    }
    if (end == text || *end || *text == '-' || errno || !in_range(o, (double)x))
        return err_set(err, ERR_USAGE,
                       "--%s takes a whole number from %.0f to %.0f, not '%s'",
                       o->name, o->low, o->high, text);
    memcpy(field, &(uint64_t){x}, sizeof(uint64_t));
    return true;
}

static bool
set_real(const struct option *o, char *field, const char *text, struct err *err)
{
    char *end;
    const double x = strtod(text, &end);
    if (end == text || *end || !in_range(o, x))
        return err_set(err, ERR_USAGE,
                       "--%s takes a number from %g to %g, not '%s'", o->name,
                       o->low, o->high, text);
    memcpy(field, &x, sizeof x);
    return true;
}

static bool
set_value(const struct option *o, struct options *out, const char *text,
          struct err *err)
{
    char *field = (char *)out + o->offset;
    switch (o->kind) {
    case OPTION_FLAG:
        *(bool *)(void *)field = text[0] == '1';
        return true;
    case OPTION_NUMBER:
    case OPTION_BYTES:
        return set_number(o, field, text, err);
    case OPTION_REAL:
        return set_real(o, field, text, err);
    case OPTION_TEXT:
    case OPTION_OUTPUT:
        memcpy(field, &text, sizeof text);
        return true;
    case OPTION_LIST:
        vec_push((option_texts *)(void *)field, text);
        return true;
    }
    return false;
}

/* --- words ---------------------------------------------------------------- */

/* The row with that letter or name.  Options of different commands may have the
 * same name; the row of this command is preferred. */
static const struct option *
find_letter(char letter, const struct command *command)
{
    const struct option *found = NULL;
    for (const struct option *o = option_table; o->name; o++)
        if (o->letter == letter && (!found || (o->commands & command->bit)))
            found = o;
    return found;
}

static const struct option *
find_name(const char *name, size_t len, const struct command *command)
{
    const struct option *found = NULL;
    for (const struct option *o = option_table; o->name; o++)
        if (strlen(o->name) == len && memcmp(o->name, name, len) == 0 &&
            (!found || (o->commands & command->bit)))
            found = o;
    return found;
}

struct words {
    int n, i;
    char *const *at;
    const struct command *command;
};

static bool
take(struct words *w, const struct option *o, const char *shown,
     const char *value, struct options *out, struct err *err)
{
    if (!o)
        return err_set(err, ERR_USAGE,
                       "unknown option '%s'; see 'assay %s --help'", shown,
                       w->command->name);
    if (!(o->commands & w->command->bit))
        return err_set(err, ERR_USAGE,
                       "'assay %s' takes no option '%s'; see 'assay %s --help'",
                       w->command->name, shown, w->command->name);
    if (o->kind == OPTION_FLAG) {
        if (value)
            return err_set(err, ERR_USAGE, "--%s takes no value", o->name);
        return set_value(o, out, "1", err);
    }
    if (!value && o->kind == OPTION_OUTPUT)
        value = "-";
    if (!value) {
        if (w->i + 1 >= w->n)
            return err_set(err, ERR_USAGE, "'%s' needs a value: %s", shown,
                           o->argument);
        value = w->at[++w->i];
    }
    return set_value(o, out, value, err);
}

static bool
take_long(struct words *w, struct options *out, struct err *err)
{
    const char *word = w->at[w->i], *name = word + 2;
    const char *equals = strchr(name, '=');
    const size_t len = equals ? (size_t)(equals - name) : strlen(name);
    if (strncmp(name, "no-", 3) == 0) {
        const struct option *o = find_name(name + 3, len - 3, w->command);
        if (o && o->kind == OPTION_FLAG && !equals &&
            (o->commands & w->command->bit))
            return set_value(o, out, "0", err);
    }
    return take(w, find_name(name, len, w->command), word,
                equals ? equals + 1 : NULL, out, err);
}

/* -q, -l ser, -lser */
static bool
take_letters(struct words *w, struct options *out, struct err *err)
{
    const char *word = w->at[w->i];
    for (const char *p = word + 1; *p; p++) {
        const struct option *o = find_letter(*p, w->command);
        const bool flag = !o || o->kind == OPTION_FLAG;
        if (!take(w, o, word, !flag && p[1] ? p + 1 : NULL, out, err))
            return false;
        if (!flag)
            break;
    }
    return true;
}

bool
options_parse(int n, char *const words[], const struct command *command,
              struct options *out, struct err *err)
{
    *out = (struct options){.strong = strong_defaults};
    for (const struct option *o = option_table; o->name; o++)
        if (o->initial)
            set_value(o, out, o->initial, err);
    struct words w = {n, 0, words, command};
    bool only_paths = false;
    for (; w.i < n; w.i++) {
        const char *word = words[w.i];
        bool ok = true;
        if (only_paths || word[0] != '-' || !word[1])
            vec_push(&out->paths, word);
        else if (strcmp(word, "--") == 0)
            only_paths = true;
        else if (word[1] == '-')
            ok = take_long(&w, out, err);
        else
            ok = take_letters(&w, out, err);
        if (!ok)
            return false;
    }
    out->json |= out->json_file && strcmp(out->json_file, "-") == 0;
    return true;
}

void
options_free(struct options *o)
{
    vec_free(&o->paths);
    vec_free(&o->prove_levels);
    vec_free(&o->pairs);
}

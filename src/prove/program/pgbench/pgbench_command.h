/* pgbench_command.h -- the commands of a script, and how it is read.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PROVE_PROGRAM_PGBENCH_PGBENCH_COMMAND_H
#define PROVE_PROGRAM_PGBENCH_PGBENCH_COMMAND_H

#include "base/buf.h"
#include "base/container/vec.h"
#include "base/err.h"
#include "base/memory/arena.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PGBENCH_NAME_ROOM = 64 };

enum pgbench_command_kind {
    COMMAND_SQL,
    COMMAND_BEGIN,
    COMMAND_COMMIT,
    COMMAND_ROLLBACK,
    COMMAND_SET,
    COMMAND_IF,
    COMMAND_ELIF,
    COMMAND_ELSE,
    COMMAND_ENDIF,
    COMMAND_SLEEP,
    COMMAND_NOTHING, // pipelines
};

struct pgbench_command {
    enum pgbench_command_kind kind;
    uint32_t line;
    const char *text; // SQL without its end, or what stands behind the word
    size_t len;
    char name[PGBENCH_NAME_ROOM]; // SET: the variable
    bool gset;                    // SQL: the row goes into variables
    char prefix[PGBENCH_NAME_ROOM];
    bool random; // SET: drawn from a range
};

struct pgbench {
    struct arena *arena;
    const char *path, *text, *at;
    uint32_t line; // of 'at'
    VEC(struct pgbench_command) commands;
    struct buf out;
    uint32_t out_line;
    uint32_t branches;    // \if around the command that is put
    size_t first, number; // of the transaction, and of the command, that is put
    struct err *err;
};

/* Note an error on a line of the script; return false. */
__attribute__((format(printf, 3, 4))) bool
pgbench_fail(struct pgbench *s, uint32_t line, const char *format, ...);

/* Words: letters, digits and underscores. */
bool pgbench_is_word(char c);
bool pgbench_begins_with(const char *text, const char *word);
size_t pgbench_word_length(const char *at);

/* Behind white space and comments, counting lines; behind a quoted text, a
 * comment or one character. */
const char *pgbench_skip_blank(const char *at, uint32_t *line);
const char *pgbench_skip_token(const char *at);

/* Fill s->commands from s->text. */
bool pgbench_read_commands(struct pgbench *s);

#endif

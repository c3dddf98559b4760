/* pgbench_command.c -- a script as a list of commands: statements of SQL and
 * lines that begin with a backslash.
 *
 * A semicolon inside of quotes or of a comment ends no statement.
 *
 * SPDX-License-Identifier: MIT */
#include "prove/program/pgbench/pgbench_command.h"

#include "base/ascii.h"
#include "base/print.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool
pgbench_fail(struct pgbench *s, uint32_t line, const char *format, ...)
{
    va_list args;
    char text[200];
    va_start(args, format);
    print_args(text, sizeof text, format, args);
    va_end(args);
    err_set(s->err, ERR_SYNTAX, "%s", text);
    err_at_line(s->err, line, 0);
    return err_in_file(s->err, s->path);
}

bool
pgbench_is_word(char c)
{
    return ascii_is_alnum(c) || c == '_';
}

bool
pgbench_begins_with(const char *text, const char *word)
{
    const size_t n = strlen(word);
    return ascii_compare_n(text, word, n) == 0 && !pgbench_is_word(text[n]);
}

/* Behind a comment that begins here, or 'at' itself. */
static const char *
skip_comment(const char *at)
{
    uint32_t depth = 0;
    if (at[0] == '-' && at[1] == '-')
        return at + strcspn(at, "\n");
    if (at[0] != '/' || at[1] != '*')
        return at;
    do { // they may be nested
        const bool opens = at[0] == '/' && at[1] == '*';
        const bool closes = at[0] == '*' && at[1] == '/';
        depth += opens;
        depth -= closes;
        at += opens || closes ? 2 : 1;
    } while (depth && *at);
    return at;
}

const char *
pgbench_skip_blank(const char *at, uint32_t *line)
{
    for (;;) {
        const char *end = skip_comment(at);
        if (end == at && *at && ascii_is_space(*at))
            end++;
        if (end == at)
            return at;
        for (; at < end; at++)
            *line += *at == '\n';
    }
}

/* Behind a quoted text, a comment or one character. */
const char *
pgbench_skip_token(const char *at)
{
    if (at[0] == '\'' || at[0] == '"') {
        const char *end = strchr(at + 1, *at);
        return end ? end + 1 : at + strlen(at);
    }
    const char *end = skip_comment(at);
    return end == at ? at + 1 : end;
}

size_t
pgbench_word_length(const char *at)
{
    size_t n = 0;
    while (pgbench_is_word(at[n]))
        n++;
    return n;
}

static bool
take_name(struct pgbench *s, const char **at, char out[PGBENCH_NAME_ROOM])
{
    const size_t n = pgbench_word_length(*at);
    if (!n || n >= PGBENCH_NAME_ROOM)
        return pgbench_fail(s, s->line,
                            "a name of %zu letters, expected 1 to %d", n,
                            PGBENCH_NAME_ROOM - 1);
    memcpy(out, *at, n);
    out[n] = '\0';
    *at += n;
    return true;
}

static const struct {
    const char *word;
    enum pgbench_command_kind kind;
} words[] = {
    {"set", COMMAND_SET},
    {"if", COMMAND_IF},
    {"elif", COMMAND_ELIF},
    {"else", COMMAND_ELSE},
    {"endif", COMMAND_ENDIF},
    {"sleep", COMMAND_SLEEP},
    {"startpipeline", COMMAND_NOTHING},
    {"syncpipeline", COMMAND_NOTHING},
    {"endpipeline", COMMAND_NOTHING},
};

/* A line that begins with a backslash. */
static bool
read_meta(struct pgbench *s)
{
    const char *at = s->at + 1;
    struct pgbench_command c = {.kind = COMMAND_SQL, .line = s->line};
    const size_t n = pgbench_word_length(at);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i].word) == n && memcmp(at, words[i].word, n) == 0)
            c.kind = words[i].kind;
    if (c.kind == COMMAND_SQL)
        return pgbench_fail(s, s->line, "\\%.*s is not supported", (int)n, at);
    at += n;
    while (*at == ' ' || *at == '\t')
        at++;
    if (c.kind == COMMAND_SET) {
        if (!take_name(s, &at, c.name))
            return false;
        while (*at == ' ' || *at == '\t')
            at++;
        c.random = strncmp(at, "random", 6) == 0;
    }
    c.text = at;
    while (*at && *at != '\n')
        at += at[0] == '\\' && at[1] == '\n' ? (s->line++, 2) : 1;
    c.len = (size_t)(at - c.text);
    s->at = at;
    vec_push(&s->commands, c);
    return true;
}

static enum pgbench_command_kind
kind_of_sql(const char *text)
{
    if (pgbench_begins_with(text, "begin") ||
        pgbench_begins_with(text, "start"))
        return COMMAND_BEGIN;
    if (pgbench_begins_with(text, "commit") || pgbench_begins_with(text, "end"))
        return COMMAND_COMMIT;
    return pgbench_begins_with(text, "rollback") ||
                   pgbench_begins_with(text, "abort")
               ? COMMAND_ROLLBACK
               : COMMAND_SQL;
}

/* A statement up to its semicolon, or to \gset. */
static bool
read_sql(struct pgbench *s)
{
    struct pgbench_command c = {
        .kind = kind_of_sql(s->at), .line = s->line, .text = s->at};
    const char *at = s->at;
    while (*at && *at != ';' && *at != '\\') {
        const char *next = pgbench_skip_token(at);
        for (; at < next; at++)
            s->line += *at == '\n';
    }
    c.len = (size_t)(at - c.text);
    if (*at == ';') {
        at++;
    } else if (strncmp(at, "\\gset", 5) == 0 && !pgbench_is_word(at[5])) {
        c.gset = true;
        at += 5;
        while (*at == ' ' || *at == '\t')
            at++;
        if (pgbench_is_word(*at) && !take_name(s, &at, c.prefix))
            return false;
    } else if (*at) {
        return pgbench_fail(s, s->line,
                            "a backslash in a statement, expected ';' or "
                            "\\gset");
    } else {
        return pgbench_fail(s, c.line, "a statement without ';'");
    }
    s->at = at;
    vec_push(&s->commands, c);
    return true;
}

bool
pgbench_read_commands(struct pgbench *s)
{
    for (;;) {
        s->at = pgbench_skip_blank(s->at, &s->line);
        if (!*s->at)
            return true;
        if (*s->at == ';')
            s->at++;
        else if (!(*s->at == '\\' ? read_meta(s) : read_sql(s)))
            return false;
    }
}

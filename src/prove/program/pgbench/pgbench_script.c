/* pgbench_script.c -- see pgbench_script.h.
 *
 * SPDX-License-Identifier: MIT */
#include "prove/program/pgbench/pgbench_script.h"

#include "base/ascii.h"
#include "base/limits/limit.h"
#include "prove/program/pgbench/pgbench_compute.h"
#include "prove/program/pgbench/pgbench_variable.h"

#include <inttypes.h>
#include <stdio.h>

/* --- reading ---------------------------------------------------------------*/

static bool
fail_at(const struct pgbench_script *s, size_t command, struct err *err)
{
    err_at_line(err, s->read.commands.at[command].line, 0);
    return err_in_file(err, s->read.path);
}

/* The next \elif, \else or \endif of the \if that the command is inside of. */
static size_t
find_branch(const struct pgbench_script *s, size_t command)
{
    size_t depth = 0, i = command + 1;
    for (; i < s->read.commands.n; i++) {
        const enum pgbench_command_kind kind = s->read.commands.at[i].kind;
        if (!depth && (kind == COMMAND_ELIF || kind == COMMAND_ELSE ||
                       kind == COMMAND_ENDIF))
            break;
        depth += kind == COMMAND_IF;
        depth -= kind == COMMAND_ENDIF;
    }
    return i;
}

static bool
check_branches(const struct pgbench_script *s, struct err *err)
{
    size_t depth = 0, last = 0;
    for (size_t i = 0; i < s->read.commands.n; i++) {
        const enum pgbench_command_kind kind = s->read.commands.at[i].kind;
        const bool inside = kind == COMMAND_ELIF || kind == COMMAND_ELSE ||
                            kind == COMMAND_ENDIF;
        if (inside && !depth) {
            err_set(err, ERR_SYNTAX,
                    "found \\elif, \\else or \\endif, "
                    "expected \\if before it");
            return fail_at(s, i, err);
        }
        if (kind == COMMAND_IF)
            last = i;
        depth += kind == COMMAND_IF;
        depth -= kind == COMMAND_ENDIF;
    }
    if (!depth)
        return true;
    err_set(err, ERR_SYNTAX, "found \\if, expected \\endif after it");
    return fail_at(s, last, err);
}

/* Whether some command may set the variable. */
static bool
may_be_set(const struct pgbench_script *s, const char *name, size_t n)
{
    for (size_t i = 0; i < s->read.commands.n; i++) {
        const struct pgbench_command *c = &s->read.commands.at[i];
        const size_t prefix = strlen(c->prefix);
        if ((c->kind == COMMAND_SET && strlen(c->name) == n &&
             memcmp(c->name, name, n) == 0) ||
            (c->gset && n > prefix && memcmp(c->prefix, name, prefix) == 0))
            return true;
    }
    return false;
}

static bool
check_variables(const struct pgbench_script *s, const char *const *given,
                struct err *err)
{
    for (size_t i = 0; i < s->read.commands.n; i++) {
        const struct pgbench_command *c = &s->read.commands.at[i];
        const char *end = c->text + c->len;
        for (const char *at = c->text;
             (at = pgbench_next_variable(at, end)) != NULL; at++) {
            const size_t n = pgbench_word_length(at + 1);
            bool is_given = false;
            for (size_t k = 0; given[k]; k++)
                is_given |=
                    strlen(given[k]) == n && memcmp(given[k], at + 1, n) == 0;
            if (is_given || may_be_set(s, at + 1, n))
                continue;
            err_set(err, ERR_SYNTAX,
                    "variable ':%.*s' is never set, expected \\set or \\gset",
                    (int)n, at + 1);
            return fail_at(s, i, err);
        }
    }
    return true;
}

bool
pgbench_script_read(struct pgbench_script *s, const char *path,
                    const char *text, const char *const *given, struct err *err)
{
    *s = (struct pgbench_script){.read = {.path = path, .line = 1, .err = err}};
    s->read.text = s->read.at = arena_copy(&s->arena, text, strlen(text));
    const bool ok = pgbench_read_commands(&s->read) &&
                    pgbench_check_quotes(&s->read) && check_branches(s, err) &&
                    check_variables(s, given, err);
    s->read.err = NULL;
    if (!ok)
        pgbench_script_free(s);
    return ok;
}

void
pgbench_script_free(struct pgbench_script *s)
{
    vec_free(&s->read.commands);
    arena_free(&s->arena);
}

/* --- running ---------------------------------------------------------------*/

bool
pgbench_script_fill(const struct pgbench_script *s, size_t command,
                    const struct pgbench_bindings *b, const char *missing,
                    struct buf *sql, struct err *err)
{
    const struct pgbench_command *c = &s->read.commands.at[command];
    const char *end = c->text + c->len, *at = c->text;
    while (at < end) {
        const char *variable = pgbench_next_variable(at, end);
        buf_add(sql, at, (size_t)((variable ? variable : end) - at));
        if (!variable)
            break;
        const size_t n = pgbench_word_length(variable + 1);
        const char *value = pgbench_bound(b, variable + 1, n);
        if (!value)
            value = missing;
        if (!value) {
            err_set(err, ERR_SYNTAX, "variable ':%.*s' has no value", (int)n,
                    variable + 1);
            return fail_at(s, command, err);
        }
        // A second minus sign would begin a comment.
        buf_printf(sql, *value == '-' ? "(%s)" : "%s", value);
        at = variable + 1 + n;
    }
    return true;
}

/* "\sleep 10 ms"; without a unit they are seconds. */
static bool
sleep_for(const struct pgbench_script *s, const struct pgbench_command *c,
          const struct pgbench_bindings *b, struct err *err)
{
    static const struct {
        const char *name;
        double seconds;
    } units[] = {{"us", 1e-6}, {"ms", 1e-3}, {"s", 1}};
    size_t n = 0;
    while (n < c->len && !ascii_is_space(c->text[n]))
        n++;
    const char *unit = c->text + n;
    while (unit < c->text + c->len && ascii_is_space(*unit))
        unit++;
    double seconds = unit == c->text + c->len ? 1 : 0;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (unit < c->text + c->len && pgbench_begins_with(unit, units[i].name))
            seconds = units[i].seconds;
    struct pgbench_number x;
    struct random none = {0};
    if (seconds == 0)
        return err_set(err, ERR_SYNTAX,
                       "found another unit after \\sleep, expected us, ms or "
                       "s");
    if (!pgbench_evaluate(c->text, n, b, &none, &x, err))
        return false;
    (void)s;
    time_pause((x.is_real ? x.real : (double)x.integer) * seconds);
    return true;
}

/* After a branch that was run, or one that is not to be: where to continue. */
static bool
choose_branch(const struct pgbench_script *s, size_t command,
              const struct pgbench_bindings *b, struct random *random,
              size_t *next, struct err *err)
{
    size_t i = command;
    bool is_taken = false;
    do {
        const struct pgbench_command *c = &s->read.commands.at[i];
        struct pgbench_number x = {.integer = 1}; // \else
        if (c->kind == COMMAND_ENDIF)
            break;
        if (c->kind != COMMAND_ELSE &&
            !pgbench_evaluate(c->text, c->len, b, random, &x, err))
            return fail_at(s, i, err);
        is_taken = pgbench_is_true(x);
        if (!is_taken)
            i = find_branch(s, i);
    } while (!is_taken);
    *next = i + 1;
    return true;
}

bool
pgbench_script_step(const struct pgbench_script *s, size_t command,
                    struct pgbench_bindings *b, struct random *random,
                    size_t *next, struct err *err)
{
    const struct pgbench_command *c = &s->read.commands.at[command];
    struct pgbench_number x;
    *next = command + 1;
    switch (c->kind) {
    case COMMAND_SET:
        if (!pgbench_evaluate(c->text, c->len, b, random, &x, err))
            return fail_at(s, command, err);
        pgbench_bind_number(b, c->name, strlen(c->name), x);
        return true;
    case COMMAND_IF:
        return choose_branch(s, command, b, random, next, err);
    case COMMAND_ELIF:
    case COMMAND_ELSE: // the branch before it was run
        while (s->read.commands.at[*next - 1].kind != COMMAND_ENDIF)
            *next = find_branch(s, *next - 1) + 1;
        return true;
    case COMMAND_SLEEP:
        return sleep_for(s, c, b, err) || fail_at(s, command, err);
    default:
        assert(c->kind == COMMAND_ENDIF || c->kind == COMMAND_NOTHING);
        return true;
    }
}

/* pgbench_variable.c -- see pgbench_variable.h.
 *
 * SPDX-License-Identifier: MIT */
#include "prove/program/pgbench/pgbench_variable.h"

#include <string.h>

const char *
pgbench_next_variable(const char *at, const char *end)
{
    while (at < end) {
        if (at[0] == ':' && at[1] == ':')
            at += 2;
        else if (at[0] == ':' && pgbench_is_word(at[1]))
            return at;
        else
            at = pgbench_skip_token(at);
    }
    return NULL;
}

/* Whether \gset of the command may set the variable: its targets have the word.
 * Where that is not a column of its result, lowering says so. */
static bool
provides(const struct pgbench_command *c, const char *name, size_t n)
{
    const size_t prefix = strlen(c->prefix);
    if (!c->gset || n <= prefix || memcmp(name, c->prefix, prefix) != 0)
        return false;
    const char *end = c->text + c->len;
    for (const char *at = c->text; at < end; at++)
        if (pgbench_is_word(*at)) {
            const size_t len = pgbench_word_length(at);
            if (pgbench_begins_with(at, "from"))
                return false;
            if (len == n - prefix && memcmp(at, name + prefix, len) == 0)
                return true;
            at += len - 1;
        }
    return false;
}

size_t
pgbench_provider(const struct pgbench *s, size_t first, size_t number,
                 const char *name, size_t n)
{
    for (size_t i = number; i-- > first;)
        if (provides(&s->commands.at[i], name, n))
            return i;
    return SIZE_MAX;
}

static bool
has(const char *const *names, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

/* Whether the command sets the variable. */
static bool
sets(const struct pgbench_command *c, const char *name)
{
    return c->kind == COMMAND_SET && strcmp(c->name, name) == 0;
}

/* Whether some command sets the variable. */
static bool
is_set(const struct pgbench *s, const char *name, size_t n)
{
    for (size_t i = 0; i < s->commands.n; i++) {
        const struct pgbench_command *c = &s->commands.at[i];
        if (provides(c, name, n) ||
            (c->kind == COMMAND_SET && strlen(c->name) == n &&
             memcmp(c->name, name, n) == 0))
            return true;
    }
    return false;
}

bool
pgbench_check_quotes(struct pgbench *s)
{
    for (size_t i = 0; i < s->commands.n; i++) {
        const struct pgbench_command *c = &s->commands.at[i];
        const char *end = c->text + c->len;
        for (const char *at = c->text; at < end;) {
            const char *next = pgbench_skip_token(at);
            for (const char *p = at; *at == '\'' && p < next; p++) {
                const size_t n = *p == ':' ? pgbench_word_length(p + 1) : 0;
                if (n && is_set(s, p + 1, n))
                    return pgbench_fail(s, c->line,
                                        "variable ':%.*s' inside of quotes is "
                                        "not supported",
                                        (int)n, p + 1);
            }
            at = next;
        }
    }
    return true;
}

static void
add_variable(struct pgbench *s, struct pgbench_transaction *t, const char *name)
{
    bool random = false, assigned = false;
    for (size_t i = 0; i <= t->last; i++) {
        random = random ||
                 (sets(&s->commands.at[i], name) && s->commands.at[i].random);
        assigned = assigned || (sets(&s->commands.at[i], name) &&
                                !s->commands.at[i].random);
    }
    if (assigned && !random) {
        if (!has(t->assigned.at, t->assigned.n, name))
            vec_push(&t->assigned, name);
    } else if (!has(t->parameters.at, t->parameters.n, name)) {
        vec_push(&t->parameters, name);
    }
}

/* Note the variables that a command uses. */
static void
add_variables(struct pgbench *s, struct pgbench_transaction *t, size_t number)
{
    const struct pgbench_command *c = &s->commands.at[number];
    const char *end = c->text + c->len;
    for (const char *at = c->text;
         (at = pgbench_next_variable(at, end)) != NULL; at++) {
        const size_t n = pgbench_word_length(at + 1);
        if (pgbench_provider(s, t->first, number, at + 1, n) == SIZE_MAX)
            add_variable(s, t, arena_copy(s->arena, at + 1, n));
    }
    if (c->kind == COMMAND_SET)
        add_variable(s, t, c->name);
}

bool
pgbench_check_variable(struct pgbench *s, const struct pgbench_transaction *t,
                       const char *name)
{
    uint32_t times = 0;
    bool random = false;
    for (size_t i = 0; i < s->commands.n; i++) {
        const struct pgbench_command *c = &s->commands.at[i];
        times += sets(c, name);
        random = random || (sets(c, name) && c->random);
        if ((i < t->first || i > t->last) && !times &&
            provides(c, name, strlen(name)))
            return pgbench_fail(s, c->line,
                                "\\gset for another transaction ('%s') is not "
                                "supported",
                                name);
    }
    if (random && times > 1)
        return pgbench_fail(
            s, s->commands.at[t->first].line,
            "variable '%s' is set more than once, also at random, "
            "which is not supported",
            name);
    return true;
}

void
pgbench_find_needs(struct pgbench *s, struct pgbench_transaction *t)
{
    t->needed = arena_alloc(s->arena, (s->commands.n + 1) * sizeof *t->needed);
    memset(t->needed, 0, (s->commands.n + 1) * sizeof *t->needed);
    for (size_t i = t->first; i <= t->last; i++)
        add_variables(s, t, i);
    for (size_t i = t->first; i-- > 0;) {
        const struct pgbench_command *c = &s->commands.at[i];
        if (c->kind != COMMAND_SET ||
            !(has(t->parameters.at, t->parameters.n, c->name) ||
              has(t->assigned.at, t->assigned.n, c->name)))
            continue;
        t->needed[i] = true;
        add_variables(s, t, i);
    }
}

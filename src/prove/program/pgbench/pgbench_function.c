/* pgbench_function.c -- see pgbench_function.h.
 *
 * Statements stay on their lines: lines are added in front of a command until
 * it stands where it stood in the script.
 *
 * SPDX-License-Identifier: MIT */
#include "prove/program/pgbench/pgbench_function.h"

#include "base/ascii.h"

#include <string.h>

static void
put_variable(struct pgbench *s, const char *name, size_t n)
{
    const size_t from = pgbench_provider(s, s->first, s->number, name, n);
    if (from == SIZE_MAX) {
        buf_printf(&s->out, "\":%.*s\"", (int)n, name);
        return;
    }
    const size_t prefix = strlen(s->commands.at[from].prefix);
    buf_printf(&s->out, "gset%zu.%.*s", from, (int)(n - prefix), name + prefix);
}

/* Copy a text, with variables as quoted names. */
static void
put(struct pgbench *s, const char *text, size_t len)
{
    const char *end = text + len, *at = text;
    while (at < end) {
        const char *variable = pgbench_next_variable(at, end);
        const char *stop = variable ? variable : end;
        for (; at < stop; at++) {
            buf_char(&s->out, at[0] == '\\' && at[1] == '\n' ? ' ' : *at);
            s->out_line += *at == '\n';
        }
        if (!variable)
            return;
        const size_t n = pgbench_word_length(at + 1);
        put_variable(s, at + 1, n);
        at += 1 + n;
    }
}

static void
go_to_line(struct pgbench *s, uint32_t line)
{
    for (; s->out_line < line; s->out_line++)
        buf_char(&s->out, '\n');
}

/* "IF x < low OR x > high THEN RAISE": a range as it is drawn from. */
static bool
put_range(struct pgbench *s, const struct pgbench_command *c)
{
    const char *open = memchr(c->text, '(', c->len);
    const char *end = c->text + c->len, *at = open ? open + 1 : end;
    const char *comma[2] = {NULL, NULL};
    uint32_t depth = 0, n = 0;
    for (; at < end && !(*at == ')' && !depth); at++) {
        depth += *at == '(';
        depth -= *at == ')';
        if (*at == ',' && !depth && n < 2)
            comma[n++] = at;
    }
    const char *rest = at < end ? at + 1 : end;
    while (rest < end && ascii_is_space(*rest))
        rest++;
    if (!open || at == end || !n || rest < end)
        return pgbench_fail(
            s, c->line,
            "\\set %s, expected random(LOW, HIGH) and nothing else, or "
            "no random value",
            c->name);
    buf_printf(&s->out, " IF \":%s\" < ", c->name);
    put(s, open + 1, (size_t)(comma[0] - open) - 1);
    buf_printf(&s->out, " OR \":%s\" > ", c->name);
    put(s, comma[0] + 1, (size_t)((n > 1 ? comma[1] : at) - comma[0]) - 1);
    buf_text(&s->out, " THEN RAISE EXCEPTION 'range'; END IF;");
    return true;
}

static bool
put_set(struct pgbench *s, const struct pgbench_command *c)
{
    if (c->random)
        return put_range(s, c);
    buf_printf(&s->out, " \":%s\" := ", c->name);
    put(s, c->text, c->len);
    buf_char(&s->out, ';');
    return true;
}

static bool
put_sql(struct pgbench *s, const struct pgbench_command *c)
{
    const bool reads = pgbench_begins_with(c->text, "select") ||
                       pgbench_begins_with(c->text, "with");
    if (reads && !c->gset)
        buf_text(&s->out, "RETURN QUERY ");
    put(s, c->text, c->len);
    if (c->gset)
        buf_printf(&s->out, " INTO STRICT gset%zu", s->number);
    buf_char(&s->out, ';');
    if (c->gset && (!reads || memchr(c->text, '*', c->len)))
        return pgbench_fail(
            s, c->line, "\\gset behind something else than a query of columns");
    return !c->gset || !s->branches ||
           pgbench_fail(s, c->line, "\\gset inside of \\if is not supported");
}

static bool
put_command(struct pgbench *s, size_t number)
{
    const struct pgbench_command *c = &s->commands.at[number];
    s->number = number;
    go_to_line(s, c->line);
    switch (c->kind) {
    case COMMAND_SQL:
        return put_sql(s, c);
    case COMMAND_SET:
        return put_set(s, c);
    case COMMAND_ROLLBACK:
        buf_text(&s->out, "RAISE EXCEPTION 'rollback';");
        return true;
    case COMMAND_IF:
    case COMMAND_ELIF:
        s->branches += c->kind == COMMAND_IF;
        buf_text(&s->out, c->kind == COMMAND_IF ? "IF " : "ELSIF ");
        put(s, c->text, c->len);
        buf_text(&s->out, " THEN ");
        return true;
    case COMMAND_ELSE:
        buf_text(&s->out, "ELSE ");
        return true;
    case COMMAND_ENDIF:
        s->branches -= s->branches > 0;
        buf_text(&s->out, "END IF;");
        return true;
    case COMMAND_BEGIN:
    case COMMAND_COMMIT:
    case COMMAND_SLEEP:
    case COMMAND_NOTHING:
        break;
    }
    return true;
}

/* The name of the script without folders and suffix, and the number of the
 * transaction where there are several. */
static void
put_name(struct pgbench *s, size_t number, size_t all)
{
    const char *slash = strrchr(s->path, '/');
    const char *name = slash ? slash + 1 : s->path;
    buf_char(&s->out, '"');
    for (size_t i = 0; name[i] && name[i] != '.'; i++)
        buf_char(&s->out, name[i] == '"' ? '_' : name[i]);
    if (all > 1)
        buf_printf(&s->out, "_%zu", number + 1);
    buf_char(&s->out, '"');
}

bool
pgbench_put_function(struct pgbench *s, struct pgbench_transaction *t,
                     size_t number, size_t all)
{
    pgbench_find_needs(s, t);
    s->first = s->number = t->first;
    go_to_line(s, s->commands.at[t->first].line);
    buf_text(&s->out, "CREATE FUNCTION ");
    put_name(s, number, all);
    buf_char(&s->out, '(');
    for (size_t i = 0; i < t->parameters.n; i++) {
        if (!pgbench_check_variable(s, t, t->parameters.at[i]))
            return false;
        buf_printf(&s->out, "%s\":%s\" bigint", i ? ", " : "",
                   t->parameters.at[i]);
    }
    buf_text(&s->out, ") RETURNS SETOF record LANGUAGE plpgsql STRICT AS "
                      "$script$ DECLARE");
    for (size_t i = 0; i < t->assigned.n; i++)
        buf_printf(&s->out, " \":%s\" bigint;", t->assigned.at[i]);
    for (size_t i = t->first; i <= t->last; i++)
        if (s->commands.at[i].gset)
            buf_printf(&s->out, " gset%zu record;", i);
    buf_text(&s->out, " BEGIN ");
    bool ok = true;
    for (size_t i = 0; ok && i < t->first; i++)
        ok = !t->needed[i] || put_set(s, &s->commands.at[i]);
    for (size_t i = t->first; ok && i <= t->last; i++)
        ok = put_command(s, i);
    buf_text(&s->out, " END $script$;");
    return ok;
}

/* body_loop.c -- loops of PL/pgSQL, and what leaves them.
 *
 * SPDX-License-Identifier: MIT */
#include "prove/program/body/body.h"

#include "prove/program/access.h"

static bool
read_body(struct body *b, uint32_t node, struct statement *s)
{
    b->loops++;
    const bool ok = body_block(b, body_find(b, node, "body"), &s->body);
    b->loops--;
    return ok;
}

/* FOR over any number of rows of anything. */
static struct statement *
for_any(struct body *b, uint32_t node, const struct query *q)
{
    struct lower *l = b->l;
    struct query *row = program_alloc(l->program, 1, sizeof *row);
    *row = *q;
    row->where = NULL;
    struct statement *take = statement_new(l, STATEMENT_SELECT);
    struct statement *once = statement_new(l, STATEMENT_IF);
    struct block rest = {0};
    take->query = row;
    once->value = expr_boolean(l, true);
    b->loops++;
    const bool ok = body_into(b, take, body_find(b, node, "var")) &&
                    body_block(b, body_find(b, node, "body"), &rest);
    b->loops--;
    if (!ok)
        return NULL;
    once->body.at = program_alloc(l->program, rest.n + 1, sizeof *rest.at);
    once->body.at[once->body.n++] = take;
    for (uint32_t i = 0; i < rest.n; i++)
        once->body.at[once->body.n++] = rest.at[i];
    return lower_any_rows(l, q, once);
}

struct statement *
body_for_query(struct body *b, uint32_t node)
{
    const char *text = body_query(b, body_find(b, node, "query"));
    struct statement *s = text ? body_sql(b, text) : NULL;
    if (!s)
        return NULL;
    if (s->kind != STATEMENT_SELECT) {
        lower_fail(b->l, -1, "FOR over something else than a SELECT");
        return NULL;
    }
    if (s->query->any)
        return for_any(b, node, s->query);
    s->kind = STATEMENT_FOR;
    if (!body_into(b, s, body_find(b, node, "var")) || !read_body(b, node, s))
        return NULL;
    return s;
}

/* The variable of an integer loop, which is a new one. */
static bool
loop_variable(struct body *b, uint32_t node, uint32_t *out)
{
    struct lower *l = b->l;
    const char *name = body_text(
        b, body_find(b, body_find(b, body_find(b, node, "var"), "PLpgSQL_var"),
                     "refname"));
    if (!name)
        return lower_fail(l, -1, "a loop without a variable");
    *out = lower_add_variable(l, name, TYPE_INTEGER);
    return true;
}

/* A bound or the step of a loop over integers, to which it is rounded. */
static const struct expr *
loop_number(struct body *b, const char *text)
{
    return lower_store(b->l, body_typed(b, text, TYPE_INTEGER), NUMBER_INTEGER,
                       false);
}

/* What a bound reads before the loop has to be all that the bounds read. */
static bool
check_bounds(struct body *b, const struct statement *s, size_t before)
{
    return b->l->before.n == before ||
           !(expr_has_query(s->low) || expr_has_query(s->high) ||
             (s->step && expr_has_query(s->step))) ||
           lower_fail(b->l, -1,
                      "a call of a VOLATILE function that reads tables, beside "
                      "other reads, is not supported");
}

struct statement *
body_range(struct body *b, uint32_t node)
{
    struct statement *s = statement_new(b->l, STATEMENT_RANGE);
    const char *low = body_query(b, body_find(b, node, "lower"));
    const char *high = body_query(b, body_find(b, node, "upper"));
    const char *step = body_query(b, body_find(b, node, "step"));
    const size_t before = b->l->before.n;
    s->reverse = body_find(b, node, "reverse") != 0;
    if (!low || !high || !(s->low = loop_number(b, low)) ||
        !(s->high = loop_number(b, high)) ||
        (step && !(s->step = loop_number(b, step))) ||
        !check_bounds(b, s, before) || !loop_variable(b, node, &s->variable) ||
        !read_body(b, node, s))
        return NULL;
    b->l->variables.at[s->variable].name = ""; // nothing behind the loop has it
    return s;
}

struct statement *
body_while(struct body *b, uint32_t node)
{
    struct statement *s = statement_new(b->l, STATEMENT_WHILE);
    const uint32_t condition = body_find(b, node, "cond");
    const char *text = body_query(b, condition);
    const size_t before = b->l->before.n;
    if (condition &&
        !(s->value = text ? body_typed(b, text, TYPE_BOOLEAN) : NULL))
        return NULL;
    if (b->l->before.n > before) {
        lower_fail(b->l, -1,
                   "WHILE with a call of a VOLATILE function that reads "
                   "tables is not supported");
        return NULL;
    }
    return read_body(b, node, s) ? s : NULL;
}

struct statement *
body_exit(struct body *b, uint32_t node)
{
    struct lower *l = b->l;
    if (body_find(b, node, "label") || !b->loops) {
        lower_fail(l, -1, "EXIT or CONTINUE with a label is not supported");
        return NULL;
    }
    const char *text = body_query(b, body_find(b, node, "cond"));
    struct statement *outer = text ? statement_new(l, STATEMENT_IF) : NULL;
    struct statement *s = statement_new(
        l, body_find(b, node, "is_exit") ? STATEMENT_EXIT : STATEMENT_CONTINUE);
    if (!outer)
        return s;
    outer->value = body_typed(b, text, TYPE_BOOLEAN);
    outer->body.at = program_alloc(l->program, 1, sizeof *outer->body.at);
    outer->body.at[outer->body.n++] = s;
    return outer->value ? outer : NULL;
}

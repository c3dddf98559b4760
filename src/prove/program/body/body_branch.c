/* body_branch.c -- IF and CASE of PL/pgSQL, as nested IFs of two branches.
 *
 * SPDX-License-Identifier: MIT */
#include "prove/program/body/body.h"

#include <stdio.h>

/* The rest of IF behind the list of ELSIFs that begins at 'elsif'. */
/* The arms of an IF or a CASE, as the parser has them. */
struct arms {
    uint32_t node, list;
    const char *arm, *condition; // the names of an arm and of its condition
    // What is done where no arm's condition holds.
    bool (*otherwise)(struct body *b, uint32_t node, struct block *out);
};

/* The arm and those after it, as an IF whose ELSE has the next one. */
static bool
read_arms(struct body *b, const struct arms *arms, uint32_t arm,
          struct block *out)
{
    struct lower *l = b->l;
    if (!arms->list || arm >= form_end(&b->forms, arms->list))
        return arms->otherwise(b, arms->node, out);
    if (b->blocks >= PROGRAM_DEPTH)
        return lower_fail(l, -1, "more than %d blocks deep", PROGRAM_DEPTH);
    b->blocks++;
    const uint32_t inner = body_find(b, arm, arms->arm);
    const char *text = body_query(b, body_find(b, inner, arms->condition));
    const uint32_t line = body_find(b, inner, "lineno");
    if (line)
        l->line = b->first_line + body_number(b, line) - 1;
    struct statement *s = statement_new(l, STATEMENT_IF);
    // What the condition reads before is read when it is this arm's turn.
    const size_t before = l->before.n, after = l->after.n;
    s->value = text ? body_typed(b, text, TYPE_BOOLEAN) : NULL;
    if (s->value)
        lower_collect(l, out, 0, s, before, after);
    const bool ok = s->value &&
                    body_block(b, body_find(b, inner, "stmts"), &s->body) &&
                    read_arms(b, arms, form_next(&b->forms, arm), &s->other);
    b->blocks--;
    return ok;
}

static bool
read_else(struct body *b, uint32_t node, struct block *out)
{
    return body_block(b, body_find(b, node, "else_body"), out);
}

struct statement *
body_if(struct body *b, uint32_t node)
{
    struct statement *s = statement_new(b->l, STATEMENT_IF);
    const char *text = body_query(b, body_find(b, node, "cond"));
    s->value = text ? body_typed(b, text, TYPE_BOOLEAN) : NULL;
    const uint32_t list = body_find(b, node, "elsif_list");
    const struct arms arms = {node, list, "PLpgSQL_if_elsif", "cond",
                              read_else};
    if (!s->value ||
        !body_block(b, body_find(b, node, "then_body"), &s->body) ||
        !read_arms(b, &arms, list ? form_first(list) : 0, &s->other))
        return NULL;
    return s;
}

/* A CASE without ELSE raises an error where nothing fits. */
static bool
read_case_else(struct body *b, uint32_t node, struct block *out)
{
    if (body_find(b, node, "have_else"))
        return body_block(b, body_find(b, node, "else_stmts"), out);
    out->at = program_alloc(b->l->program, 1, sizeof *out->at);
    out->at[out->n++] = statement_new(b->l, STATEMENT_RAISE);
    return true;
}

/* CASE, as an IF that is always true around what it becomes. */
struct statement *
body_case(struct body *b, uint32_t node)
{
    struct lower *l = b->l;
    struct statement *outer = statement_new(l, STATEMENT_IF);
    outer->value = expr_boolean(l, true);
    struct block chosen = {0};
    const char *text = body_query(b, body_find(b, node, "t_expr"));
    struct statement *assign = NULL;
    if (text) {
        char name[40];
        snprintf(name, sizeof name, "__Case__Variable_%u__",
                 body_number(b, body_find(b, node, "t_varno")));
        assign = statement_new(l, STATEMENT_ASSIGN);
        struct expr *e = body_expr(b, text);
        if (!e)
            return NULL;
        assign->value = e;
        assign->variable = lower_add_variable(l, name, e->type);
    }
    const uint32_t list = body_find(b, node, "case_when_list");
    const struct arms arms = {node, list, "PLpgSQL_case_when", "expr",
                              read_case_else};
    if (!list || !read_arms(b, &arms, form_first(list), &chosen))
        return NULL;
    outer->body.at = program_alloc(l->program, chosen.n + 1, sizeof *chosen.at);
    if (assign)
        outer->body.at[outer->body.n++] = assign;
    for (uint32_t i = 0; i < chosen.n; i++)
        outer->body.at[outer->body.n++] = chosen.at[i];
    return outer;
}

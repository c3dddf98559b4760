/* body_branch.c -- IF and CASE of PL/pgSQL, as nested IFs of two branches.
 *
 * SPDX-License-Identifier: MIT */
#include "program/body/body.h"

#include <stdio.h>

/* The rest of IF behind the list of ELSIFs that begins at 'elsif'. */
static bool
read_else(struct body *b, uint32_t node, uint32_t list, uint32_t elsif,
          struct block *out)
{
    struct lower *l = b->l;
    if (!list || elsif >= form_end(&b->forms, list))
        return body_block(b, body_find(b, node, "else_body"), out);
    if (b->blocks >= PROGRAM_DEPTH)
        return lower_fail(l, -1, "more than %d blocks deep", PROGRAM_DEPTH);
    b->blocks++;
    const uint32_t inner = body_find(b, elsif, "PLpgSQL_if_elsif");
    const char *text = body_query(b, body_find(b, inner, "cond"));
    l->line = b->first_line + body_number(b, body_find(b, inner, "lineno")) - 1;
    struct statement *s = statement_new(l, STATEMENT_IF);
    out->at = program_alloc(l->program, 1, sizeof *out->at);
    out->at[out->n++] = s;
    s->value = text ? body_typed(b, text, TYPE_BOOLEAN) : NULL;
    const bool ok =
        s->value && body_block(b, body_find(b, inner, "stmts"), &s->body) &&
        read_else(b, node, list, form_next(&b->forms, elsif), &s->other);
    b->blocks--;
    return ok;
}

struct statement *
body_if(struct body *b, uint32_t node)
{
    struct statement *s = statement_new(b->l, STATEMENT_IF);
    const char *text = body_query(b, body_find(b, node, "cond"));
    s->value = text ? body_typed(b, text, TYPE_BOOLEAN) : NULL;
    const uint32_t list = body_find(b, node, "elsif_list");
    if (!s->value ||
        !body_block(b, body_find(b, node, "then_body"), &s->body) ||
        !read_else(b, node, list, list ? form_first(list) : 0, &s->other))
        return NULL;
    return s;
}

static bool
read_choice(struct body *b, uint32_t node, uint32_t list, uint32_t when,
            struct block *out)
{
    struct lower *l = b->l;
    if (when >= form_end(&b->forms, list)) {
        if (body_find(b, node, "have_else"))
            return body_block(b, body_find(b, node, "else_stmts"), out);
        out->at = program_alloc(l->program, 1, sizeof *out->at);
        out->at[out->n++] = statement_new(l, STATEMENT_RAISE);
        return true;
    }
    if (b->blocks >= PROGRAM_DEPTH)
        return lower_fail(l, -1, "more than %d blocks deep", PROGRAM_DEPTH);
    b->blocks++;
    const uint32_t inner = body_find(b, when, "PLpgSQL_case_when");
    const char *text = body_query(b, body_find(b, inner, "expr"));
    struct statement *s = statement_new(l, STATEMENT_IF);
    out->at = program_alloc(l->program, 1, sizeof *out->at);
    out->at[out->n++] = s;
    s->value = text ? body_typed(b, text, TYPE_BOOLEAN) : NULL;
    const bool ok =
        s->value && body_block(b, body_find(b, inner, "stmts"), &s->body) &&
        read_choice(b, node, list, form_next(&b->forms, when), &s->other);
    b->blocks--;
    return ok;
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
    if (!list || !read_choice(b, node, list, form_first(list), &chosen))
        return NULL;
    outer->body.at = program_alloc(l->program, chosen.n + 1, sizeof *chosen.at);
    if (assign)
        outer->body.at[outer->body.n++] = assign;
    for (uint32_t i = 0; i < chosen.n; i++)
        outer->body.at[outer->body.n++] = chosen.at[i];
    return outer;
}

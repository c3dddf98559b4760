/* body.c -- see body.h.
 *
 * SPDX-License-Identifier: MIT */
#include "prove/program/body/body.h"

#include "prove/program/access.h"

#include <string.h>

uint32_t
body_find(const struct body *b, uint32_t map, const char *key)
{
    const struct forms *f = &b->forms;
    if (!map || f->at[map].kind != FORM_MAP)
        return 0;
    for (uint32_t i = form_first(map); i < form_end(f, map);
         i = form_next(f, i + 1))
        if (span_is(f->at[i].text, key))
            return i + 1;
    return 0;
}

const char *
body_text(const struct body *b, uint32_t form)
{
    if (!form || b->forms.at[form].kind != FORM_STRING)
        return NULL;
    const struct span text = b->forms.at[form].text;
    return arena_copy(&b->l->program->arena, text.at, text.n);
}

uint32_t
body_number(const struct body *b, uint32_t form)
{
    return form && b->forms.at[form].kind == FORM_INTEGER
               ? (uint32_t)b->forms.at[form].atom.bits
               : 0;
}

const char *
body_query(const struct body *b, uint32_t form)
{
    return body_text(b,
                     body_find(b, body_find(b, form, "PLpgSQL_expr"), "query"));
}

static bool
parse(struct body *b, const char *text, PgQuery__ParseResult **tree)
{
    struct lower *l = b->l;
    int at;
    l->text = text;
    if (parser_parse(text, tree, &at, l->err))
        return true;
    err_at_line(l->err, lower_line(l, at), 0);
    return err_in_file(l->err, l->file);
}

static struct expr *
read_expr(struct body *b, const char *text)
{
    struct lower *l = b->l;
    PgQuery__ParseResult *tree;
    struct buf all = {0};
    buf_printf(&all, "SELECT %s", text);
    char *const copy = program_copy(l->program, all.at);
    buf_free(&all);
    if (!parse(b, copy, &tree))
        return NULL;
    struct expr *e = NULL;
    const size_t sources = l->sources.n;
    const PgQuery__SelectStmt *select = tree->stmts[0]->stmt->select_stmt;
    if (tree->n_stmts != 1 || select->n_target_list != 1) {
        lower_fail(l, -1, "something else than one expression");
    } else if (select->n_from_clause || select->where_clause ||
               select->limit_count || select->limit_offset ||
               select->n_distinct_clause || select->n_group_clause ||
               select->having_clause || select->n_sort_clause ||
               select->op > PG_QUERY__SET_OPERATION__SETOP_NONE) {
        struct query *q = lower_query(l, select);
        if (q) {
            e = expr_new(l, EXPR_SCALAR, q->targets[0].value->type);
            e->query = q;
            e->number = q->targets[0].value->number;
        }
        if (q && q->lock) {
            lower_fail(l, -1, "a lock in an expression is not supported");
            e = NULL;
        }
    } else {
        struct lower_mark mark;
        lower_mark(l, &mark);
        l->reads_before = false;
        e = lower_argument(l, select->target_list[0]->res_target->val);
        // What is read before has to be all that is read.
        if (e && l->reads_before && expr_has_query(e)) {
            lower_return(l, &mark);
            e = lower_any_expr(l, select->target_list[0]->res_target->val);
        }
    }
    if (e && !lower_audit(l, tree->stmts[0]->stmt, sources, NULL))
        e = NULL;
    parser_free(tree);
    return e;
}

struct expr *
body_expr(struct body *b, const char *text)
{
    b->l->in_expression = true;
    struct expr *e = read_expr(b, text);
    b->l->in_expression = false;
    return e;
}

struct expr *
body_typed(struct body *b, const char *text, enum value_type type)
{
    struct expr *e = body_expr(b, text);
    if (!e)
        return NULL;
    return lower_cast(b->l, e, type, -1);
}

struct statement *
body_sql(struct body *b, const char *text)
{
    PgQuery__ParseResult *tree;
    if (!parse(b, text, &tree))
        return NULL;
    struct statement *s = NULL;
    if (tree->n_stmts == 1)
        s = lower_sql(b->l, tree->stmts[0]->stmt);
    else
        lower_fail(b->l, -1, "%zu statements, expected one", tree->n_stmts);
    parser_free(tree);
    return s;
}

/* row_equality.c -- conditions that are "column = literal and ...".
 *
 * Only what every database reads in the same way counts: an integer column, and
 * a literal that all of them keep exactly; or a column of texts that are equal
 * if their bytes are, and a string.  MariaDB takes "x" for a string and || for
 * OR, so there no such condition is looked at.
 *
 * SPDX-License-Identifier: MIT */
#include "base/ascii.h"
#include "spec/row/row_dialect.h"
#include "spec/row/row_reading.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_DIGITS = 15 };

typedef VEC(const PgQuery__Node *) node_vec;

static bool
read_integer(const PgQuery__Node *n, int64_t *out)
{
    if (!n || n->node_case != PG_QUERY__NODE__NODE_A_CONST)
        return false;
    const PgQuery__AConst *c = n->a_const;
    if (c->val_case == PG_QUERY__A__CONST__VAL_IVAL) {
        *out = c->ival->ival;
        return true;
    }
    if (c->val_case != PG_QUERY__A__CONST__VAL_FVAL)
        return false;
    const char *text = c->fval->fval, *digits = text + (*text == '-');
    const size_t length = strlen(digits);
    *out = strtoll(text, NULL, 10);
    return length && length <= MOST_DIGITS &&
           strspn(digits, "0123456789") == length;
}

static bool
read_text(struct row_reading *r, const PgQuery__Node *n, const char **out)
{
    if (!n || n->node_case != PG_QUERY__NODE__NODE_A_CONST ||
        n->a_const->val_case != PG_QUERY__A__CONST__VAL_SVAL)
        return false;
    const char *text = n->a_const->sval->sval;
    *out = arena_copy(r->arena, text, strlen(text));
    return true;
}

/* The place of a column in a list; false if it is not there. */
static bool
read_column(const struct row_reading *r, const PgQuery__Node *n,
            const text_vec *columns, uint32_t *out)
{
    if (!n || n->node_case != PG_QUERY__NODE__NODE_COLUMN_REF)
        return false;
    const char *name = sql_tree_column(n->column_ref);
    int (*compare)(const char *, const char *) =
        r->watched->dialect->folds ? ascii_compare : strcmp;
    for (uint32_t i = 0; i < columns->n; i++)
        if (compare(columns->at[i], name) == 0) {
            *out = i;
            return true;
        }
    return false;
}

/* "column = literal", in this order. */
static bool
read_sides(struct row_reading *r, const PgQuery__Node *column,
           const PgQuery__Node *literal, struct row_equality *out)
{
    const struct watched_table *t = &r->watched->tables.at[r->out->table];
    *out = (struct row_equality){0};
    if (read_column(r, column, &t->integers, &out->column))
        return read_integer(literal, &out->value);
    if (!read_column(r, column, &t->texts, &out->column))
        return false;
    out->column += (uint32_t)t->integers.n;
    return read_text(r, literal, &out->text);
}

static bool
read_equality(struct row_reading *r, const PgQuery__Node *n,
              struct row_equality *out)
{
    if (n->node_case != PG_QUERY__NODE__NODE_A_EXPR)
        return false;
    const PgQuery__AExpr *e = n->a_expr;
    if (e->kind != PG_QUERY__A__EXPR__KIND__AEXPR_OP || e->n_name != 1 ||
        e->name[0]->node_case != PG_QUERY__NODE__NODE_STRING ||
        strcmp(e->name[0]->string->sval, "=") != 0)
        return false;
    return read_sides(r, e->lexpr, e->rexpr, out) ||
           read_sides(r, e->rexpr, e->lexpr, out);
}

void
row_reading_equalities(struct row_reading *r, const PgQuery__Node *where)
{
    struct row_statement *s = r->out;
    VEC(struct row_equality) found = {0};
    node_vec left = {0};
    if (r->watched->dialect->folds && strpbrk(s->condition, "\"|&"))
        return;
    s->is_equality = true;
    vec_push(&left, where);
    while (left.n) {
        const PgQuery__Node *n = vec_pop(&left);
        struct row_equality e;
        if (n->node_case == PG_QUERY__NODE__NODE_BOOL_EXPR &&
            n->bool_expr->boolop == PG_QUERY__BOOL_EXPR_TYPE__AND_EXPR)
            for (size_t i = 0; i < n->bool_expr->n_args; i++)
                vec_push(&left, n->bool_expr->args[i]);
        else if (read_equality(r, n, &e))
            vec_push(&found, e);
        else
            s->is_equality = false;
    }
    s->n_equalities = found.n;
    s->is_equality = s->is_equality && found.n;
    if (found.n) {
        struct row_equality *copy =
            arena_alloc(r->arena, found.n * sizeof *copy);
        memcpy(copy, found.at, found.n * sizeof *copy);
        s->equalities = copy;
    }
    vec_free(&left);
    vec_free(&found);
}

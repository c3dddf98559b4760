/* sql_tree.c -- see sql_tree.h.
 *
 * The descriptors of the messages say where their parts are, so new kinds of
 * nodes are walked through as well.
 *
 * SPDX-License-Identifier: MIT */
#include "spec/row/sql_tree.h"

#include "base/ascii.h"

#include <string.h>

/* Whether the message is of that kind. */
static bool
is(const ProtobufCMessage *m, const char *kind)
{
    return strcmp(m->descriptor->short_name, kind) == 0;
}

/* Whether a literal has one of the words that mean a time in PostgreSQL, as in
 * 'today 12:00'. */
static bool
has_time(const PgQuery__AConst *c)
{
    static const char *const words[] = {"now", "today", "tomorrow",
                                        "yesterday"};
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    if (c->val_case != PG_QUERY__A__CONST__VAL_SVAL)
        return false;
    for (const char *at = c->sval->sval; *at;) {
        const size_t n = strspn(at, letters);
        for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
            if (n == strlen(words[i]) && ascii_compare_n(at, words[i], n) == 0)
                return true;
        at += n;
        at += strcspn(at, letters);
    }
    return false;
}

static const char *
last_part(PgQuery__Node *const *parts, size_t n)
{
    const PgQuery__Node *last = n ? parts[n - 1] : NULL;
    return last && last->node_case == PG_QUERY__NODE__NODE_STRING
               ? last->string->sval
               : "";
}

/* Add the operators and types that a message names. */
static void
visit_names(struct sql_tree *t, const ProtobufCMessage *m)
{
    const PgQuery__AExpr *e = (const void *)m;
    const PgQuery__SubLink *l = (const void *)m;
    const PgQuery__SortBy *s = (const void *)m;
    const PgQuery__TypeName *n = (const void *)m;
    if (is(m, "AExpr"))
        vec_push(&t->operators, last_part(e->name, e->n_name));
    else if (is(m, "SubLink"))
        vec_push(&t->operators, last_part(l->oper_name, l->n_oper_name));
    else if (is(m, "SortBy"))
        vec_push(&t->operators, last_part(s->use_op, s->n_use_op));
    else if (is(m, "TypeName"))
        vec_push(&t->types, last_part(n->names, n->n_names));
}

static void
visit(struct sql_tree *t, const ProtobufCMessage *m)
{
    if (is(m, "RangeVar"))
        vec_push(&t->tables, (const PgQuery__RangeVar *)m);
    else if (is(m, "FuncCall"))
        vec_push(&t->calls, (const PgQuery__FuncCall *)m);
    else if (is(m, "ColumnRef"))
        vec_push(&t->columns, (const PgQuery__ColumnRef *)m);
    else if (is(m, "CommonTableExpr"))
        vec_push(&t->names, ((const PgQuery__CommonTableExpr *)m)->ctename);
    else if (is(m, "SubLink") || is(m, "RangeSubselect"))
        t->subselects++;
    else if (is(m, "InsertStmt") || is(m, "UpdateStmt") ||
             is(m, "DeleteStmt") || is(m, "MergeStmt"))
        t->writes++;
    else if (is(m, "SQLValueFunction"))
        t->is_unstable = true;
    else if (is(m, "AConst"))
        t->names_time |= has_time((const PgQuery__AConst *)m);
    else if (is(m, "CurrentOfExpr"))
        t->has_cursor = true;
    else if (is(m, "ParamRef"))
        t->has_parameter = true;
}

static void
walk(struct sql_tree *t, const ProtobufCMessage *m)
{
    if (is(m, "LockingClause"))
        return; // it names tables of FROM again
    visit(t, m);
    visit_names(t, m);
    if (is(m, "SubLink"))
        vec_push(&t->sublinks, (const PgQuery__SubLink *)m);
    const char *base = (const char *)m;
    for (unsigned i = 0; i < m->descriptor->n_fields; i++) {
        const ProtobufCFieldDescriptor *f = &m->descriptor->fields[i];
        if (f->type != PROTOBUF_C_TYPE_MESSAGE)
            continue;
        const void *at = base + f->offset, *many = base + f->quantifier_offset;
        if (f->label == PROTOBUF_C_LABEL_REPEATED) {
            ProtobufCMessage *const *parts = *(ProtobufCMessage * *const *)at;
            for (size_t k = 0; k < *(const size_t *)many; k++)
                walk(t, parts[k]);
            continue;
        }
        // Of a choice only the chosen part is there.
        const bool chosen = !(f->flags & PROTOBUF_C_FIELD_FLAG_ONEOF) ||
                            *(const uint32_t *)many == f->id;
        const ProtobufCMessage *part =
            chosen ? *(ProtobufCMessage *const *)at : NULL;
        if (part)
            walk(t, part);
    }
}

void
sql_tree_add(struct sql_tree *t, const ProtobufCMessage *m)
{
    if (!m)
        return;
    walk(t, m);
    size_t n = 0;
    for (size_t i = 0; i < t->tables.n; i++) {
        const PgQuery__RangeVar *v = t->tables.at[i];
        bool is_name = false;
        for (size_t k = 0; !*v->schemaname && k < t->names.n; k++)
            is_name = is_name || strcmp(v->relname, t->names.at[k]) == 0;
        if (!is_name)
            t->tables.at[n++] = v;
    }
    t->tables.n = n;
}

void
sql_tree_free(struct sql_tree *t)
{
    vec_free(&t->tables);
    vec_free(&t->calls);
    vec_free(&t->columns);
    vec_free(&t->names);
    vec_free(&t->sublinks);
    vec_free(&t->operators);
    vec_free(&t->types);
}

const char *
sql_tree_function(const PgQuery__FuncCall *call)
{
    return last_part(call->funcname, call->n_funcname);
}

const char *
sql_tree_column(const PgQuery__ColumnRef *column)
{
    return last_part(column->fields, column->n_fields);
}

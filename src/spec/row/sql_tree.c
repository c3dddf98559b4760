/* sql_tree.c -- see sql_tree.h.
 *
 * The descriptors of the messages say where their parts are, so new kinds of
 * nodes are walked through as well.
 *
 * SPDX-License-Identifier: MIT */
#include "spec/row/sql_tree.h"

#include <string.h>

/* Whether the message is of that kind. */
static bool
is(const ProtobufCMessage *m, const char *kind)
{
    return strcmp(m->descriptor->short_name, kind) == 0;
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
}

static const char *
last_part(PgQuery__Node *const *parts, size_t n)
{
    const PgQuery__Node *last = n ? parts[n - 1] : NULL;
    return last && last->node_case == PG_QUERY__NODE__NODE_STRING
               ? last->string->sval
               : "";
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

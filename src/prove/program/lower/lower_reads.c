/* lower_reads.c -- an upper bound of what a piece of SQL reads, without
 * understanding it: the tables that it names, those of the views that it names,
 * and those of the functions that it calls.
 *
 * The walk goes over the parse tree by its descriptors, so that no kind of node
 * can be forgotten.  What could write, lock or run other text is refused by its
 * name.  Invariants:
 *   (1) every RangeVar of the tree, of the views and of the bodies of called
 *       functions is a table in the list, or a name of WITH, or an error;
 *   (2) every FuncCall is one of PostgreSQL's that reads no tables, or one
 * whose body was walked, or an error.
 *
 * SPDX-License-Identifier: MIT */
#include "prove/program/lower/lower.h"

#include "base/ascii.h"
#include "format/form/form.h"

#include <string.h>

struct piece {
    const ProtobufCMessage *message;
    const struct made *callee; // the function whose body it is of; NULL: none
    bool inner;                // inside of a query of the piece
    bool view;                 // inside of a view
};

struct walk {
    struct lower *l;
    struct reads *out;
    VEC(struct piece) todo;
    VEC(const struct made *) called;
    VEC(const struct made_view *) viewed;
    VEC(const char *) with, unknown; // names of WITH; no tables
    bool own_only;                   // functions that the files do not make
                                     // read nothing
    bool audit;                      // what is modelled may write and lock
    VEC(PgQuery__ParseResult *) trees;
};

static bool
is_kind(const ProtobufCMessage *m, const char *name)
{
    return strcmp(m->descriptor->short_name, name) == 0;
}

static void
add_piece(struct walk *w, const void *message, const struct piece *of,
          bool inner)
{
    const struct piece piece = {message, of ? of->callee : NULL, inner,
                                of && of->view};
    if (message)
        vec_push(&w->todo, piece);
}

/* Add the messages inside of one. */
static void
add_fields(struct walk *w, const struct piece *piece, bool inner)
{
    const ProtobufCMessageDescriptor *d = piece->message->descriptor;
    const char *base = (const char *)piece->message;
    for (unsigned i = 0; i < d->n_fields; i++) {
        const ProtobufCFieldDescriptor *f = &d->fields[i];
        if (f->type != PROTOBUF_C_TYPE_MESSAGE)
            continue;
        const void *member = base + f->offset;
        const void *count = base + f->quantifier_offset;
        if (f->label == PROTOBUF_C_LABEL_REPEATED) {
            size_t n;
            ProtobufCMessage *const *all;
            memcpy(&n, count, sizeof n);
            memcpy(&all, member, sizeof all);
            for (size_t j = 0; j < n; j++)
                add_piece(w, all[j], piece, inner);
            continue;
        }
        uint32_t which = 0;
        if (f->flags & PROTOBUF_C_FIELD_FLAG_ONEOF)
            memcpy(&which, count, sizeof which);
        if ((f->flags & PROTOBUF_C_FIELD_FLAG_ONEOF) && which != f->id)
            continue;
        const ProtobufCMessage *one;
        memcpy(&one, member, sizeof one);
        add_piece(w, one, piece, inner);
    }
}

/* --- tables and views -----------------------------------------------------*/

void
reads_add(struct reads *r, uint32_t table)
{
    for (size_t i = 0; i < r->tables.n; i++)
        if (r->tables.at[i] == table)
            return;
    vec_push(&r->tables, table);
}

static void
add_view(struct walk *w, const struct made_view *view, const struct piece *of)
{
    for (size_t i = 0; i < w->viewed.n; i++)
        if (w->viewed.at[i] == view)
            return;
    struct piece inside = *of;
    vec_push(&w->viewed, view);
    inside.view = true;
    add_piece(w, view->query, &inside, true);
}

/* PostgreSQL's own tables, which no function that is understood changes. */
static bool
is_catalog(const PgQuery__RangeVar *range)
{
    return strcmp(range->schemaname, "pg_catalog") == 0 ||
           strcmp(range->schemaname, "information_schema") == 0 ||
           (!*range->schemaname && strncmp(range->relname, "pg_", 3) == 0);
}

/* The name in a view means what it meant when the view was made. */
static bool
check_view(struct walk *w, const struct piece *piece, const char *table)
{
    return !piece->view || !lower_was_renamed(w->l, table) ||
           lower_fail(w->l, -1,
                      "a view of table %s, which is renamed, is not supported",
                      table);
}

/* Add all tables and views that the name can mean: which one it does depends
 * on the schemas that are searched. */
static bool
add_table(struct walk *w, const struct piece *piece)
{
    const PgQuery__RangeVar *range =
        (const PgQuery__RangeVar *)(const void *)piece->message;
    struct lower *l = w->l;
    bool found = false;
    if (!check_view(w, piece, range->relname))
        return false;
    const uint32_t exact =
        *range->schemaname ? lower_table_of(l, range) : UINT32_MAX;
    for (uint32_t i = 0; i < l->program->tables.n; i++) {
        const struct table *t = &l->program->tables.at[i];
        if (exact == UINT32_MAX ? !lower_is_named(t, range) : i != exact)
            continue;
        if (t->unknown)
            return lower_fail(l, -1, "table %s is not modelled (%s)", t->name,
                              t->unknown);
        reads_add(w->out, i);
        if (piece->callee && !piece->callee->stable)
            w->out->later = true;
        found = true;
    }
    for (size_t i = 0; i < l->views.n; i++) {
        if (strcmp(l->views.at[i].name, range->relname) != 0)
            continue;
        if (l->views.at[i].renamed)
            return lower_fail(l, -1,
                              "view %s, which is renamed, is not supported",
                              range->relname);
        add_view(w, &l->views.at[i], piece);
        found = true;
    }
    if (!found && !is_catalog(range))
        vec_push(&w->unknown, range->relname);
    return true;
}

/* --- functions ------------------------------------------------------------*/

/* Add the statements of a text, of which n bytes count; false: it is none. */
static bool
add_parsed(struct walk *w, const char *before, const char *text, size_t n,
           const struct piece *of)
{
    struct err none = {0};
    struct buf all = {0};
    PgQuery__ParseResult *tree;
    int at;
    buf_printf(&all, "%s%.*s", before, (int)n, text);
    const bool ok = parser_parse(all.at, &tree, &at, &none);
    buf_free(&all);
    if (!ok)
        return false;
    vec_push(&w->trees, tree);
    for (size_t j = 0; j < tree->n_stmts; j++)
        add_piece(w, tree->stmts[j]->stmt, of, true);
    return true;
}

/* The statement or expression of PL/pgSQL in a text.  The target of an
 * assignment can call functions, too: a[f(1)] := 2. */
static bool
add_text(struct walk *w, const char *text, const struct piece *of)
{
    const size_t n = strlen(text);
    if (add_parsed(w, "", text, n, of) || add_parsed(w, "SELECT ", text, n, of))
        return true;
    const char *equals = strchr(text, '=');
    size_t target = equals ? (size_t)(equals - text) : 0;
    if (target && text[target - 1] == ':')
        target--;
    if (equals && add_parsed(w, "SELECT ", text, target, of) &&
        add_parsed(w, "SELECT ", equals + 1, strlen(equals + 1), of))
        return true;
    return lower_fail(w->l, -1, "a part of function %s that is not understood",
                      of->callee->name);
}

/* All texts of SQL in a function's JSON. */
static bool
add_forms(struct walk *w, const struct forms *f, const struct piece *of)
{
    for (size_t i = 0; i + 1 < f->n; i++) {
        const enum form_kind kind = f->at[i].kind;
        const struct span key = f->at[i].text;
        if (kind <= FORM_FALSE || kind >= FORM_VECTOR || !key.n)
            continue;
        // RETURN QUERY EXECUTE and OPEN .. FOR EXECUTE have a 'dynquery'.
        if (span_is(key, "PLpgSQL_stmt_dynexecute") ||
            span_is(key, "PLpgSQL_stmt_dynfors") || span_is(key, "dynquery"))
            return lower_fail(w->l, -1,
                              "a call of function %s, which has dynamic SQL, "
                              "is not supported",
                              of->callee->name);
        if (!span_is(key, "query") || f->at[i + 1].kind != FORM_STRING)
            continue;
        const struct span text = f->at[i + 1].text;
        if (!add_text(w, arena_copy(&w->l->program->arena, text.at, text.n),
                      of))
            return false;
    }
    return true;
}

static bool
add_plpgsql(struct walk *w, const struct piece *of)
{
    struct lower *l = w->l;
    PgQueryPlpgsqlParseResult result;
    int line;
    struct err none = {0};
    struct forms forms = {0};
    if (!parser_parse_plpgsql(of->callee->text, &result, &line, &none))
        return lower_fail(l, -1, "function %s is not understood: %s",
                          of->callee->name, none.text);
    const struct input json = {.name = of->callee->name,
                               .data = result.plpgsql_funcs,
                               .size = strlen(result.plpgsql_funcs)};
    struct scan scan;
    scan_init(&scan, &json, &none);
    const bool ok = form_read_json(&scan, &forms) && add_forms(w, &forms, of);
    scan_free(&scan);
    forms_free(&forms);
    parser_free_plpgsql(result);
    return ok;
}

static bool
add_callee(struct walk *w, const struct made *made)
{
    const struct piece of = {.callee = made, .inner = true};
    for (size_t i = 0; i < w->called.n; i++)
        if (w->called.at[i] == made)
            return true;
    vec_push(&w->called, made);
    if (made->altered)
        return lower_fail(w->l, -1,
                          "a call of function %s, which ALTER FUNCTION "
                          "changes, is not supported",
                          made->name);
    // PostgreSQL calls it when it makes a plan, which it may keep.
    if (made->immutable && (!w->own_only || w->audit) &&
        lower_may_read(w->l, NULL, made->name))
        return lower_fail(w->l, -1,
                          "a call of function %s, which is IMMUTABLE and reads "
                          "tables, is not supported",
                          made->name);
    for (size_t i = 0; i < made->create->n_parameters; i++)
        add_piece(w, made->create->parameters[i]->function_parameter->defexpr,
                  &of, true);
    if (made->body && strcmp(made->language, "sql") == 0)
        return add_text(w, made->body, &of);
    if (made->body && strcmp(made->language, "plpgsql") == 0)
        return add_plpgsql(w, &of);
    return lower_fail(w->l, -1,
                      "a call of function %s in language %s is not supported",
                      made->name, made->language);
}

/* All functions of that name; *found: there is one. */
static bool
add_callees(struct walk *w, const char *name, bool inner, bool *found)
{
    *found = false;
    for (size_t i = 0; i < w->l->made.n; i++) {
        const struct made *made = &w->l->made.at[i];
        if (strcmp(made->name, name) != 0)
            continue;
        *found = true;
        w->out->sets = w->out->sets || (made->sets && !inner);
        if (!add_callee(w, made))
            return false;
    }
    return true;
}

static bool
add_call(struct walk *w, const struct piece *piece)
{
    const PgQuery__FuncCall *call =
        (const PgQuery__FuncCall *)(const void *)piece->message;
    const char *name = lower_last_name(call->funcname, call->n_funcname);
    bool found, sets = call->over || call->agg_filter || call->agg_star ||
                       call->agg_distinct || call->n_agg_order;
    if (!add_callees(w, name, piece->inner, &found))
        return false;
    if (!found && !lower_reads_nothing(call, &sets) && !w->own_only)
        return lower_fail(w->l, call->location,
                          "function %s is not supported here", name);
    w->out->sets = w->out->sets || (sets && !piece->inner);
    return true;
}

/* (r).f can be a call of f. */
static bool
add_indirection(struct walk *w, const struct piece *piece)
{
    const PgQuery__AIndirection *node =
        (const PgQuery__AIndirection *)(const void *)piece->message;
    bool found, ok = true;
    for (size_t i = 0; ok && i < node->n_indirection; i++)
        if (NODE_IS(node->indirection[i], STRING))
            ok = add_callees(w, node->indirection[i]->string->sval,
                             piece->inner, &found);
    return ok;
}

/* r.f can be a call of f. */
static bool
add_column(struct walk *w, const struct piece *piece)
{
    const PgQuery__ColumnRef *ref =
        (const PgQuery__ColumnRef *)(const void *)piece->message;
    const PgQuery__Node *last = ref->fields[ref->n_fields - 1];
    bool found;
    return ref->n_fields < 2 || !NODE_IS(last, STRING) ||
           add_callees(w, last->string->sval, piece->inner, &found);
}

/* --- the walk -------------------------------------------------------------*/

static const char *
where_of(const struct piece *piece)
{
    return piece->callee ? piece->callee->name : "a query";
}

static bool
take(struct walk *w, const struct piece *piece)
{
    static const char *const writes[] = {
        "InsertStmt", "UpdateStmt",   "DeleteStmt", "MergeStmt",
        "CreateStmt", "TruncateStmt", "CopyStmt",   "CallStmt",
        "DoStmt",     "IntoClause",   "LockStmt",   "CreateTableAsStmt"};
    const ProtobufCMessage *m = piece->message;
    struct lower *l = w->l;
    bool inner = piece->inner;
    for (size_t i = 0; i < sizeof writes / sizeof *writes; i++)
        if (is_kind(m, writes[i]) && (!w->audit || piece->callee))
            return lower_fail(l, -1, "%s inside of %s is not supported",
                              writes[i], where_of(piece));
    if (is_kind(m, "LockingClause") && (!w->audit || piece->callee))
        return lower_fail(l, -1, "a lock inside of %s is not supported",
                          where_of(piece));
    if (is_kind(m, "RangeVar") && !add_table(w, piece))
        return false;
    if (is_kind(m, "FuncCall") && !add_call(w, piece))
        return false;
    if (is_kind(m, "ColumnRef") && !add_column(w, piece))
        return false;
    if (is_kind(m, "AIndirection") && !add_indirection(w, piece))
        return false;
    if (is_kind(m, "CommonTableExpr"))
        vec_push(&w->with,
                 ((const PgQuery__CommonTableExpr *)(const void *)m)->ctename);
    if (is_kind(m, "SelectStmt"))
        inner = true;
    add_fields(w, piece, inner);
    return true;
}

/* (1) */
static bool
check_unknown(struct walk *w)
{
    for (size_t i = 0; i < w->unknown.n; i++) {
        bool with = false;
        for (size_t j = 0; j < w->with.n; j++)
            with = with || strcmp(w->with.at[j], w->unknown.at[i]) == 0;
        if (!with)
            return lower_fail(w->l, -1, "there is no table '%s'",
                              w->unknown.at[i]);
    }
    return true;
}

/* Walk all that was added, and free the walk. */
static bool
walk_all(struct walk *w)
{
    bool ok = true;
    while (ok && w->todo.n) {
        const struct piece piece = vec_top(&w->todo);
        w->todo.n--;
        ok = take(w, &piece);
    }
    ok = ok && check_unknown(w);
    for (size_t i = 0; i < w->trees.n; i++)
        parser_free(w->trees.at[i]);
    vec_free(&w->todo);
    vec_free(&w->called);
    vec_free(&w->viewed);
    vec_free(&w->with);
    vec_free(&w->unknown);
    vec_free(&w->trees);
    return ok;
}

bool
lower_reads(struct lower *l, const void *const *messages, size_t n,
            struct reads *out)
{
    struct walk w = {.l = l, .out = out};
    for (size_t i = 0; i < n; i++)
        add_piece(&w, messages[i], NULL, false);
    if (!walk_all(&w))
        return false;
    // A STABLE function has one snapshot, but not for what it calls.
    return !out->later || !l->function || !l->function->snapshot ||
           lower_fail(l, -1,
                      "a call of a VOLATILE function that reads tables, inside "
                      "of a STABLE function, is not supported");
}

bool
lower_may_read(struct lower *l, const PgQuery__Node *expression,
               const char *function)
{
    struct err why = {0}, *err = l->err;
    struct reads reads = {0};
    struct walk w = {.l = l, .out = &reads, .own_only = true};
    bool found, ok = true;
    l->err = &why;
    // A node is a message of its own around the message that it names.
    add_piece(&w, expression, NULL, true);
    if (function)
        ok = add_callees(&w, function, true, &found);
    ok = walk_all(&w) && ok;
    l->err = err;
    const bool reads_any = !ok || reads.tables.n;
    vec_free(&reads.tables);
    return reads_any;
}

bool
lower_reads_none(struct lower *l, const char *function)
{
    struct err none = {0}, *err = l->err;
    struct reads reads = {0};
    struct walk w = {.l = l, .out = &reads};
    bool found;
    l->err = &none;
    bool ok = add_callees(&w, function, true, &found);
    ok = walk_all(&w) && ok && found && !reads.tables.n;
    l->err = err;
    vec_free(&reads.tables);
    return ok;
}

bool
lower_audit(struct lower *l, const void *tree, size_t first,
            const struct statement *s)
{
    struct reads reads = {0};
    struct walk w = {.l = l, .out = &reads, .own_only = true, .audit = true};
    add_piece(&w, tree, NULL, false);
    bool ok = walk_all(&w);
    for (size_t i = 0; ok && i < reads.tables.n; i++) {
        bool modelled =
            s && s->table == reads.tables.at[i] &&
            (s->kind == STATEMENT_INSERT || s->kind == STATEMENT_UPDATE ||
             s->kind == STATEMENT_DELETE);
        for (size_t j = first; j < l->sources.n; j++)
            modelled = modelled || l->sources.at[j] == reads.tables.at[i];
        if (!modelled)
            ok = lower_fail(l, -1, "a read of table %s that is not modelled",
                            l->program->tables.at[reads.tables.at[i]].name);
    }
    vec_free(&reads.tables);
    return ok;
}

/* --- what the files make --------------------------------------------------*/

void
lower_note_view(struct lower *l, const PgQuery__ViewStmt *view)
{
    const struct made_view made = {view->view->relname, view->query, false};
    vec_push(&l->views, made);
}

void
lower_note_function(struct lower *l, const PgQuery__CreateFunctionStmt *create,
                    const char *text)
{
    struct made made = {
        .name = program_copy(
            l->program, lower_last_name(create->funcname, create->n_funcname)),
        .language = "sql",
        .text = text,
        .create = create};
    for (size_t i = 0; i < create->n_options; i++) {
        const PgQuery__DefElem *def = create->options[i]->def_elem;
        if (strcmp(def->defname, "language") == 0)
            made.language = def->arg->string->sval;
        if (strcmp(def->defname, "volatility") == 0) {
            made.stable = strcmp(def->arg->string->sval, "volatile") != 0;
            made.immutable = strcmp(def->arg->string->sval, "immutable") == 0;
        }
        if (strcmp(def->defname, "as") == 0)
            made.body = def->arg->list->items[0]->string->sval;
    }
    made.sets = create->return_type && create->return_type->setof;
    for (size_t i = 0; i < create->n_parameters; i++)
        made.sets = made.sets ||
                    create->parameters[i]->function_parameter->mode ==
                        PG_QUERY__FUNCTION_PARAMETER_MODE__FUNC_PARAM_TABLE;
    vec_push(&l->made, made);
}

/* Options that change neither what a function reads nor when. */
static bool
is_harmless(const PgQuery__DefElem *option)
{
    static const char *const names[] = {"cost",     "rows",     "leakproof",
                                        "security", "parallel", "support"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(option->defname, names[i]) == 0)
            return true;
    return strcmp(option->defname, "set") == 0 &&
           NODE_IS(option->arg, VARIABLE_SET_STMT) &&
           strcmp(option->arg->variable_set_stmt->name, "search_path") == 0;
}

void
lower_note_alter_function(struct lower *l,
                          const PgQuery__AlterFunctionStmt *alter)
{
    const char *name =
        lower_last_name(alter->func->objname, alter->func->n_objname);
    bool harmless = true;
    for (size_t i = 0; i < alter->n_actions; i++)
        harmless = harmless && is_harmless(alter->actions[i]->def_elem);
    for (size_t i = 0; !harmless && i < l->made.n; i++)
        if (strcmp(l->made.at[i].name, name) == 0)
            l->made.at[i].altered = true;
}

void
lower_note_rename(struct lower *l, const PgQuery__RenameStmt *rename)
{
    const char *to = program_copy(l->program, rename->newname);
    if (rename->rename_type == PG_QUERY__OBJECT_TYPE__OBJECT_VIEW)
        for (size_t i = 0, n = l->views.n; i < n; i++) {
            struct made_view view = l->views.at[i];
            if (strcmp(view.name, rename->relation->relname) != 0)
                continue;
            l->views.at[i].renamed = view.renamed = true;
            view.name = to;
            vec_push(&l->views, view);
        }
    if (!NODE_IS(rename->object, OBJECT_WITH_ARGS))
        return;
    const PgQuery__ObjectWithArgs *object = rename->object->object_with_args;
    const char *name = lower_last_name(object->objname, object->n_objname);
    for (size_t i = 0, n = l->made.n; i < n; i++) {
        struct made made = l->made.at[i];
        if (strcmp(made.name, name) != 0)
            continue;
        made.name = to;
        vec_push(&l->made, made);
        vec_push(&l->functions, to);
    }
}

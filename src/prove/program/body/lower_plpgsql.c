/* lower_plpgsql.c -- the statements of PL/pgSQL.
 *
 * SPDX-License-Identifier: MIT */
#include "prove/program/body/body.h"

#include "prove/program/access.h"

#include <string.h>

/* The names in a target {"PLpgSQL_row": {"fields": [{"name": ..}]}}. */
bool
body_into(struct body *b, struct statement *s, uint32_t target)
{
    uint32_t fields =
        body_find(b, body_find(b, target, "PLpgSQL_row"), "fields");
    const char *names[64];
    size_t n = 0;
    for (uint32_t i = fields ? form_first(fields) : 0;
         fields && i < form_end(&b->forms, fields);
         i = form_next(&b->forms, i)) {
        if (b->forms.at[i].kind != FORM_MAP)
            continue;
        if (n == sizeof names / sizeof *names)
            return lower_fail(b->l, -1, "INTO more than %zu variables", n);
        names[n++] = body_text(b, body_find(b, i, "name"));
    }
    const char *record = body_text(
        b, body_find(b, body_find(b, target, "PLpgSQL_rec"), "refname"));
    if (!n && record)
        names[n++] = record;
    if (!n)
        return lower_fail(b->l, -1, "INTO without a variable");
    return lower_into(b->l, s, names, n);
}

static struct statement *
read_execsql(struct body *b, uint32_t node)
{
    const char *text = body_query(b, body_find(b, node, "sqlstmt"));
    struct statement *s = text ? body_sql(b, text) : NULL;
    if (!s)
        return NULL;
    const bool into = body_find(b, node, "into") != 0;
    s->strict = body_find(b, node, "strict") != 0;
    if (into && !body_into(b, s, body_find(b, node, "target")))
        return NULL;
    if (!into && s->kind == STATEMENT_SELECT) {
        lower_fail(b->l, -1, "SELECT without INTO; PERFORM discards a result");
        return NULL;
    }
    if (!into && s->n_returning) {
        lower_fail(b->l, -1, "RETURNING without INTO");
        return NULL;
    }
    return s;
}

static struct statement *
read_perform(struct body *b, uint32_t node)
{
    const char *text = body_query(b, body_find(b, node, "expr"));
    struct statement *s = text ? body_sql(b, text) : NULL;
    if (s)
        s->hidden = true;
    return s;
}

/* v.f := e or v[i] := e, where v is no variable with such a field here: v is
 * read as anything wherever it is named, so only e is evaluated. */
static struct statement *
assign_part(struct body *b, const char *name, const char *value)
{
    struct lower *l = b->l;
    struct statement *s = statement_new(l, STATEMENT_IF);
    struct expr *e = body_expr(b, value);
    if (!e)
        return NULL;
    if (e->type == TYPE_UNKNOWN)
        e->type = TYPE_TEXT;
    s->value = expr_unary(l, EXPR_IS_NULL, e);
    const size_t n = strcspn(name, "[.");
    const uint32_t v =
        lower_find_variable(l, arena_copy(&l->program->arena, name, n));
    if (v == UINT32_MAX)
        return s;
    struct statement *set = statement_new(l, STATEMENT_ASSIGN);
    const struct variable *of = &l->variables.at[v];
    set->variable = v;
    set->value = lower_any_value(
        l, (struct scalar_type){.type = of->type, .number = of->number}, NULL);
    return lower_sequence(l, (struct statement *const[]){s, set}, 2);
}

/* The = of an assignment: the first one outside of brackets and quotes. */
static const char *
find_equals(const char *text)
{
    int depth = 0;
    char quote = '\0';
    for (; *text; text++) {
        if (quote) {
            quote = *text == quote ? '\0' : quote;
            continue;
        }
        if (*text == '=' && !depth)
            return text;
        if (*text == '\'' || *text == '"')
            quote = *text;
        depth +=
            (*text == '[' || *text == '(') - (*text == ']' || *text == ')');
    }
    return NULL;
}

/* v := e, where e is everything behind := or =. */
static struct statement *
read_assign(struct body *b, uint32_t node)
{
    struct lower *l = b->l;
    const char *text = body_query(b, body_find(b, node, "expr"));
    const char *equals = text ? find_equals(text) : NULL;
    if (!equals) {
        lower_fail(l, -1, "an assignment that is not supported");
        return NULL;
    }
    size_t n = (size_t)(equals - text);
    while (n && strchr(" \t\r\n:", text[n - 1]))
        n--;
    const bool quoted = n > 1 && text[0] == '"' && text[n - 1] == '"';
    const char *name =
        arena_copy(&l->program->arena, text + quoted, n - 2 * quoted);
    struct statement *s = statement_new(l, STATEMENT_ASSIGN);
    char lower_case[200];
    size_t i = 0;
    for (; name[i] && i + 1 < sizeof lower_case; i++)
        lower_case[i] =
            (char)(!quoted && name[i] >= 'A' && name[i] <= 'Z' ? name[i] + 32
                                                               : name[i]);
    lower_case[i] = '\0';
    s->variable = lower_find_variable(l, lower_case);
    if (s->variable == UINT32_MAX && strchr(name, '(')) {
        lower_fail(l, -1,
                   "a call or a query in the target of an assignment is not "
                   "supported");
        return NULL;
    }
    if (s->variable == UINT32_MAX)
        return assign_part(b, lower_case, equals + 1);
    const struct variable v = l->variables.at[s->variable];
    s->value =
        lower_store(l, body_typed(b, equals + 1, v.type), v.number, v.rounds);
    return s->value ? s : NULL;
}

/* The OUT parameters together. */
static const struct expr *
body_outs(struct body *b)
{
    enum { MOST = 64 };
    struct lower *l = b->l;
    struct expr *args[MOST];
    size_t n = 0;
    for (size_t i = 0; i < l->outs.n && n < MOST; i++) {
        const uint32_t v = l->outs.at[i];
        args[n] = expr_new(l, EXPR_VARIABLE, l->variables.at[v].type);
        args[n]->index = v;
        args[n++]->number = l->variables.at[v].number;
    }
    if (n == 1)
        return args[0];
    struct expr *e = lower_opaque(
        l, "row", (struct scalar_type){.type = TYPE_OPAQUE}, args, n);
    e->whole = true;
    return e;
}

static struct statement *
read_return(struct body *b, uint32_t node)
{
    struct statement *s = statement_new(b->l, STATEMENT_RETURN);
    const char *text = body_query(b, body_find(b, node, "expr"));
    if (!text && b->l->has_result)
        s->kind = STATEMENT_RAISE; // the parser's, at the end of the function
    if (!text && b->l->outs.n)
        s->value = body_outs(b);
    if (!text)
        return s;
    const struct scalar_type *returns = &b->l->returns;
    struct expr *e = body_expr(b, text);
    if (e && returns->type != TYPE_UNKNOWN)
        e = lower_cast(b->l, e, returns->type, -1);
    if (e && e->type == TYPE_UNKNOWN)
        e->type = TYPE_INTEGER;
    // What fits is the same value: only a number that may not is cast.
    if (e && returns->type == TYPE_INTEGER && e->number > returns->number)
        e = lower_cast_number(b->l, e, returns->number);
    s->value = e;
    return e ? s : NULL;
}

static struct statement *
read_return_query(struct body *b, uint32_t node)
{
    const char *text = body_query(b, body_find(b, node, "query"));
    if (!text) {
        lower_fail(b->l, -1,
                   "dynamic SQL (RETURN QUERY EXECUTE) is not "
                   "supported");
        return NULL;
    }
    struct statement *s = body_sql(b, text);
    if (s && s->kind != STATEMENT_SELECT && s->n_returning)
        return s; // what it returns is seen
    if (!s)
        return NULL;
    if (s->kind != STATEMENT_SELECT) {
        lower_fail(b->l, -1, "RETURN QUERY of something else than a SELECT");
        return NULL;
    }
    s->kind = STATEMENT_ROWS;
    return s;
}

/* Whether every handler (exceptions 0: there is none) ends in an error of its
 * own.  Then an error of the block aborts the transaction as without them. */
bool
body_raises_again(const struct body *b, uint32_t exceptions)
{
    enum { ERROR_LEVEL = 21 };
    if (!exceptions)
        return true;
    const uint32_t list = body_find(
        b, body_find(b, exceptions, "PLpgSQL_exception_block"), "exc_list");
    if (!list)
        return false;
    for (uint32_t i = form_first(list); i < form_end(&b->forms, list);
         i = form_next(&b->forms, i)) {
        const uint32_t action =
            body_find(b, body_find(b, i, "PLpgSQL_exception"), "action");
        bool raises = false;
        for (uint32_t j = action ? form_first(action) : 0;
             action && j < form_end(&b->forms, action);
             j = form_next(&b->forms, j)) {
            const uint32_t raise = body_find(b, j, "PLpgSQL_stmt_raise");
            raises =
                raise && body_number(b, body_find(b, raise, "elog_level")) >=
                             ERROR_LEVEL;
            if (!raise || raises)
                break; // only notices stand in front of it
        }
        if (!raises)
            return false;
    }
    return true;
}

/* A block inside the body; one with variables or handlers of its own is not
 * understood. */
static struct statement *
read_inner_block(struct body *b, uint32_t node)
{
    struct lower *l = b->l;
    if (!body_raises_again(b, body_find(b, node, "exceptions")))
        lower_partial(l, "an EXCEPTION block");
    if (b->declared_at >= b->top_line) {
        lower_fail(l, -1, "variables of an inner block are not supported");
        return NULL;
    }
    struct statement *s = statement_new(l, STATEMENT_IF);
    s->value = expr_boolean(l, true);
    return body_block(b, body_find(b, node, "body"), &s->body) ? s : NULL;
}

/* The values of a notice: nobody sees them, but they can fail.  Each is the
 * condition of an IF that does nothing. */
static bool
add_noticed(struct body *b, uint32_t list, struct block *out)
{
    struct lower *l = b->l;
    for (uint32_t i = list ? form_first(list) : 0;
         list && i < form_end(&b->forms, list); i = form_next(&b->forms, i)) {
        const uint32_t option = body_find(b, i, "PLpgSQL_raise_option");
        const char *text =
            body_query(b, option ? body_find(b, option, "expr") : i);
        struct expr *e = text ? body_expr(b, text) : NULL;
        if (!text)
            return lower_fail(l, -1, "RAISE without a value");
        if (!e)
            return false;
        if (expr_has_query(e))
            return lower_fail(l, -1, "a query in RAISE is not supported");
        if (e->type == TYPE_UNKNOWN)
            e->type = TYPE_TEXT;
        struct statement **all =
            program_alloc(l->program, out->n + 1, sizeof(struct statement *));
        if (out->n)
            memcpy(all, out->at, out->n * sizeof(struct statement *));
        struct statement *s = statement_new(l, STATEMENT_IF);
        s->value = expr_unary(l, EXPR_IS_NULL, e);
        all[out->n++] = s;
        out->at = all;
    }
    return true;
}

static struct statement *
read_raise(struct body *b, uint32_t node)
{
    enum { ERROR_LEVEL = 21 }; // PostgreSQL's ERROR
    struct statement *s = statement_new(b->l, STATEMENT_RAISE);
    if (body_number(b, body_find(b, node, "elog_level")) >= ERROR_LEVEL)
        return s;
    s->kind = STATEMENT_IF;
    s->value = expr_boolean(b->l, true);
    const bool ok = add_noticed(b, body_find(b, node, "params"), &s->body) &&
                    add_noticed(b, body_find(b, node, "options"), &s->body);
    return ok ? s : NULL;
}

/* The variable of a number in the JSON; UINT32_MAX where it is none here. */
static uint32_t
numbered_variable(const struct body *b, uint32_t number)
{
    uint32_t n = 0;
    for (uint32_t i = b->datums ? form_first(b->datums) : 0;
         b->datums && i < form_end(&b->forms, b->datums);
         i = form_next(&b->forms, i), n++) {
        const char *name = body_text(
            b, body_find(b, body_find(b, i, "PLpgSQL_var"), "refname"));
        if (n == number)
            return name ? lower_find_variable(b->l, name) : UINT32_MAX;
    }
    return UINT32_MAX;
}

/* v := anything. */
static struct statement *
assign_any(struct body *b, uint32_t v, bool whole)
{
    struct lower *l = b->l;
    struct statement *s = statement_new(l, STATEMENT_ASSIGN);
    const struct variable *of = &l->variables.at[v];
    s->variable = v;
    struct expr *e = lower_any_value(
        l, (struct scalar_type){.type = of->type, .number = of->number}, NULL);
    e->whole = whole;
    s->value = e;
    return s;
}

/* How many rows the last statement was about depends on what it read. */
static struct statement *
read_diagnostics(struct body *b, uint32_t node)
{
    struct statement *all[8];
    size_t n = 0;
    const uint32_t list = body_find(b, node, "diag_items");
    for (uint32_t i = list ? form_first(list) : 0;
         list && i < form_end(&b->forms, list); i = form_next(&b->forms, i)) {
        const uint32_t item = body_find(b, i, "PLpgSQL_diag_item");
        const char *kind = body_text(b, body_find(b, item, "kind"));
        const uint32_t v =
            numbered_variable(b, body_number(b, body_find(b, item, "target")));
        if (!kind || strcmp(kind, "ROW_COUNT") != 0 || v == UINT32_MAX ||
            n == 8) {
            lower_fail(b->l, -1, "GET DIAGNOSTICS of %s is not supported",
                       kind ? kind : "this");
            return NULL;
        }
        all[n++] = assign_any(b, v, true);
    }
    return lower_sequence(b->l, all, n);
}

/* FOREACH over an array of any length. */
static struct statement *
read_foreach(struct body *b, uint32_t node)
{
    struct lower *l = b->l;
    const char *text = body_query(b, body_find(b, node, "expr"));
    const uint32_t v =
        numbered_variable(b, body_number(b, body_find(b, node, "varno")));
    struct block rest = {0};
    struct expr *e = text ? body_expr(b, text) : NULL;
    if (!e)
        return NULL;
    if (v == UINT32_MAX) {
        lower_fail(l, -1, "FOREACH with a record is not supported");
        return NULL;
    }
    if (e->type == TYPE_UNKNOWN)
        e->type = TYPE_OPAQUE;
    struct statement *all[3];
    all[0] = statement_new(l, STATEMENT_IF);
    all[0]->value = expr_unary(l, EXPR_IS_NULL, e);
    all[1] = statement_new(l, STATEMENT_WHILE);
    all[1]->value =
        lower_any_value(l, (struct scalar_type){.type = TYPE_BOOLEAN}, NULL);
    struct statement *set = assign_any(b, v, false);
    b->loops++;
    const bool ok = body_block(b, body_find(b, node, "body"), &rest);
    b->loops--;
    if (!ok)
        return NULL;
    lower_collect(l, &all[1]->body, rest.n, set, l->before.n, l->after.n);
    for (uint32_t i = 0; i < rest.n; i++)
        all[1]->body.at[all[1]->body.n++] = rest.at[i];
    all[2] = lower_any_found(l);
    return lower_sequence(l, all, 3);
}

/* A row of the result, which is seen. */
static struct statement *
read_return_next(struct body *b, uint32_t node)
{
    struct lower *l = b->l;
    const char *text = body_query(b, body_find(b, node, "expr"));
    struct statement *s = statement_new(l, STATEMENT_IF);
    struct expr *e = text ? body_expr(b, text) : expr_boolean(l, true);
    if (!e)
        return NULL;
    if (e->type == TYPE_UNKNOWN)
        e->type = TYPE_TEXT;
    s->value = expr_unary(l, EXPR_IS_NULL, e);
    return s;
}

/* An error for a statement of a kind that is not understood. */
static void
refuse(struct lower *l, struct span name)
{
    static const struct {
        const char *name, *words;
    } kinds[] = {
        {"PLpgSQL_stmt_assert", "ASSERT"},
        {"PLpgSQL_stmt_call", "CALL or DO"},
        {"PLpgSQL_stmt_close", "CLOSE"},
        {"PLpgSQL_stmt_commit", "COMMIT inside of a function"},
        {"PLpgSQL_stmt_dynexecute", "dynamic SQL (EXECUTE)"},
        {"PLpgSQL_stmt_dynfors", "dynamic SQL (FOR .. IN EXECUTE)"},
        {"PLpgSQL_stmt_fetch", "FETCH or MOVE"},
        {"PLpgSQL_stmt_forc", "FOR over a cursor"},
        {"PLpgSQL_stmt_open", "OPEN"},
        {"PLpgSQL_stmt_rollback", "ROLLBACK inside of a function"},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (span_is(name, kinds[i].name)) {
            lower_fail(l, -1, "%s is not supported", kinds[i].words);
            return;
        }
    lower_fail(l, -1, "%.*s is not supported", (int)name.n, name.at);
}

static struct statement *
read_statement(struct body *b, uint32_t wrapper)
{
    static const struct {
        const char *name;
        struct statement *(*read)(struct body *b, uint32_t node);
    } kinds[] = {
        {"PLpgSQL_stmt_execsql", read_execsql},
        {"PLpgSQL_stmt_perform", read_perform},
        {"PLpgSQL_stmt_assign", read_assign},
        {"PLpgSQL_stmt_if", body_if},
        {"PLpgSQL_stmt_case", body_case},
        {"PLpgSQL_stmt_fors", body_for_query},
        {"PLpgSQL_stmt_fori", body_range},
        {"PLpgSQL_stmt_while", body_while},
        {"PLpgSQL_stmt_loop", body_while},
        {"PLpgSQL_stmt_exit", body_exit},
        {"PLpgSQL_stmt_return", read_return},
        {"PLpgSQL_stmt_return_query", read_return_query},
        {"PLpgSQL_stmt_raise", read_raise},
        {"PLpgSQL_stmt_block", read_inner_block},
        {"PLpgSQL_stmt_foreach_a", read_foreach},
        {"PLpgSQL_stmt_getdiag", read_diagnostics},
        {"PLpgSQL_stmt_return_next", read_return_next},
    };
    const struct span name = b->forms.at[form_first(wrapper)].text;
    const uint32_t node = form_first(wrapper) + 1;
    struct lower *l = b->l;
    l->text = "";
    l->line = b->first_line + body_number(b, body_find(b, node, "lineno")) - 1;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (span_is(name, kinds[i].name))
            return kinds[i].read(b, node);
    refuse(l, name);
    return NULL;
}

bool
body_block(struct body *b, uint32_t list, struct block *out)
{
    if (!list)
        return true;
    if (b->blocks >= PROGRAM_DEPTH)
        return lower_fail(b->l, -1, "more than %d blocks deep", PROGRAM_DEPTH);
    b->blocks++;
    size_t n = 0;
    for (uint32_t i = form_first(list); i < form_end(&b->forms, list);
         i = form_next(&b->forms, i))
        n++;
    out->at = program_alloc(b->l->program, n, sizeof *out->at);
    out->n = 0;
    bool ok = true;
    for (uint32_t i = form_first(list); ok && i < form_end(&b->forms, list);
         i = form_next(&b->forms, i)) {
        if (form_first(i) >= form_end(&b->forms, i))
            continue; // {}: an empty statement
        const size_t before = b->l->before.n, after = b->l->after.n;
        struct statement *s = read_statement(b, i);
        ok = s != NULL;
        lower_collect(b->l, out, n, s, before, after);
    }
    b->blocks--;
    return ok;
}

/* lower_declare.c -- the variables of a PL/pgSQL function, and its body.
 *
 * SPDX-License-Identifier: MIT */
#include "prove/program/body/body.h"

#include "base/ascii.h"
#include "prove/program/access.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The numbers in the parentheses of a type, and how many there are. */
static size_t
read_precision(const char *type, int64_t numbers[2])
{
    const char *at = strchr(type, '(');
    size_t n = 0;
    while (at && *at && *at != ')' && n < 2) {
        char *end;
        numbers[n] = strtoll(at + 1, &end, 10);
        n += end > at + 1;
        at = strpbrk(end, ",)");
    }
    return n;
}

/* The type of a column, as in 'account.balance%TYPE', of which the first two
 * words are cut apart. */
static bool
copied_type(const struct lower *l, const char *table, const char *column,
            struct scalar_type *out)
{
    const uint32_t t = program_find_table(l->program, table);
    const uint32_t c =
        t == UINT32_MAX ? UINT32_MAX
                        : table_find_column(&l->program->tables.at[t], column);
    if (c == UINT32_MAX)
        return false;
    const struct table_column *from = &l->program->tables.at[t].columns[c];
    *out = (struct scalar_type){.type = from->type,
                                .number = from->number,
                                .rounds = from->rounds,
                                .limit = from->limit};
    return true;
}

/* The fields of a variable whose type is the row of a table: one variable for
 * each.  false where there is no such table. */
static bool
add_fields(struct lower *l, const char *name, const char *table)
{
    const uint32_t at = program_find_table(l->program, table);
    if (at == UINT32_MAX)
        return false;
    const struct table *t = &l->program->tables.at[at];
    for (uint32_t c = 0; c < t->n_columns - t->hidden_key; c++) {
        char full[200];
        snprintf(full, sizeof full, "%s.%s", name, t->columns[c].name);
        const uint32_t v = lower_add_variable(l, full, t->columns[c].type);
        l->variables.at[v].number = t->columns[c].number;
    }
    return true;
}

/* The type of a declared variable; a record has none, its fields do. */
static bool
declared_type(struct body *b, const char *name, const char *type,
              struct scalar_type *out, bool *record)
{
    struct lower *l = b->l;
    char word[100];
    int64_t numbers[2] = {0};
    size_t n = 0;
    for (; type[n] && type[n] != '(' && n + 1 < sizeof word; n++)
        word[n] =
            (char)(type[n] >= 'A' && type[n] <= 'Z' ? type[n] + 32 : type[n]);
    while (n && strchr(" \t\r\n", word[n - 1]))
        n--;
    word[n] = '\0';
    char *const percent = strchr(word, '%');
    *record = strcmp(word, "record") == 0 ||
              (percent && strcmp(percent, "%rowtype") == 0);
    if (percent && *record)
        *percent = '\0';
    char *const dot = strchr(word, '.');
    if (!strchr(type, '['))
        *record = add_fields(l, name, dot ? dot + 1 : word) || *record;
    if (*record)
        return true;
    if (percent && dot && strcmp(percent, "%type") == 0) {
        *percent = *dot = '\0';
        if (copied_type(l, word, dot + 1, out))
            return true;
    }
    const char *known = strcmp(word, "character varying") == 0 ? "varchar"
                        : strcmp(word, "character") == 0       ? "char"
                        : strncmp(word, "timestamp ", 10) == 0 ? "timestamp"
                                                               : word;
    l->padded = l->padded || !strcmp(known, "bpchar") || !strcmp(known, "char");
    l->uuids = l->uuids || !strcmp(known, "uuid");
    if (strchr(type, '[') || !lower_type_of_name(known, out)) {
        const char *last = dot ? dot + 1 : known;
        const struct user_type *own = lower_find_type(l, last);
        *out = (struct scalar_type){.type = TYPE_OPAQUE};
        if (own && !strchr(type, '['))
            *out = own->type;
        return true;
    }
    return lower_type_limits(l, out, numbers, read_precision(type, numbers),
                             -1);
}

static bool
read_variable(struct body *b, uint32_t datum)
{
    struct lower *l = b->l;
    const char *name = body_text(b, body_find(b, datum, "refname"));
    const char *type = body_text(
        b, body_find(
               b, body_find(b, body_find(b, datum, "datatype"), "PLpgSQL_type"),
               "typname"));
    const uint32_t lineno = body_number(b, body_find(b, datum, "lineno"));
    if (!name || !type || strcmp(type, "UNKNOWN") == 0)
        return true; // a loop's or a CASE's, which come where they are used
    l->text = "";
    l->line = b->first_line + lineno - 1;
    if (l->line > b->declared_at)
        b->declared_at = l->line;
    if (lower_find_variable(l, name) != UINT32_MAX)
        return lower_fail(l, -1, "a second variable '%s'", name);
    if (body_find(b, datum, "notnull"))
        return lower_fail(l, -1,
                          "variable '%s' is NOT NULL, which is not "
                          "supported",
                          name);
    struct scalar_type scalar = {0};
    bool record;
    if (!declared_type(b, name, type, &scalar, &record))
        return false;
    if (record) {
        vec_push(&l->records, name);
        return true;
    }
    const size_t before = l->before.n;
    const char *initial = body_query(b, body_find(b, datum, "default_val"));
    const struct expr *e =
        initial ? lower_store(l, body_typed(b, initial, scalar.type),
                              scalar.number, scalar.rounds)
                : NULL;
    if (initial && !e)
        return false;
    const uint32_t v = lower_add_variable(l, name, scalar.type);
    // What reads tables is a statement; so are the declarations behind it.
    b->late = b->late || expr_has_query(e) || l->before.n > before;
    if (e && b->late) {
        struct statement *s = statement_new(l, STATEMENT_ASSIGN);
        s->variable = v;
        s->value = e;
        vec_push(&l->before, s);
    }
    l->variables.at[v].initial = b->late ? NULL : e;
    l->variables.at[v].number = scalar.number;
    l->variables.at[v].rounds = scalar.rounds;
    l->variables.at[v].limit = scalar.limit;
    return true;
}

static bool
read_variables(struct body *b, uint32_t function)
{
    const uint32_t list = b->datums = body_find(b, function, "datums");
    uint32_t number = 0;
    for (uint32_t i = list ? form_first(list) : 0;
         list && i < form_end(&b->forms, list);
         i = form_next(&b->forms, i), number++) {
        const uint32_t datum = body_find(b, i, "PLpgSQL_var");
        if (datum && number > b->l->function->n_parameters &&
            !read_variable(b, datum))
            return false;
    }
    return true;
}

static bool
read_function(struct body *b)
{
    const struct forms *f = &b->forms;
    struct lower *l = b->l;
    if (f->n < 2 || f->at[0].kind != FORM_VECTOR)
        return lower_fail(l, -1, "no PL/pgSQL function");
    const uint32_t function = body_find(b, form_first(0), "PLpgSQL_function");
    const uint32_t block =
        body_find(b, body_find(b, function, "action"), "PLpgSQL_stmt_block");
    // The compiler puts a block with handlers into one of its own.
    const uint32_t inner =
        body_find(b, block, "lineno") ? 0 : body_find(b, block, "body");
    const uint32_t named =
        inner && form_first(inner) < form_end(f, inner)
            ? body_find(b, form_first(inner), "PLpgSQL_stmt_block")
            : 0;
    b->top_line =
        b->first_line +
        body_number(b, body_find(b, named ? named : block, "lineno")) - 1;
    if (!read_variables(b, function))
        return false;
    l->line = b->top_line;
    if (!body_raises_again(b, body_find(b, block, "exceptions")))
        lower_partial(l, "an EXCEPTION block");
    // The declarations that are statements come first.
    struct block first = {0};
    first.n = (uint32_t)l->before.n;
    first.at = program_alloc(l->program, first.n, sizeof *first.at);
    if (first.n)
        memcpy(first.at, l->before.at, first.n * sizeof *first.at);
    vec_clear(&l->before);
    struct block rest = {0};
    if (!body_block(b, body_find(b, block, "body"), &rest))
        return false;
    struct block *all = &l->function->body;
    all->n = first.n + rest.n;
    all->at = program_alloc(l->program, all->n, sizeof *all->at);
    if (first.n)
        memcpy(all->at, first.at, first.n * sizeof *first.at);
    if (rest.n)
        memcpy(all->at + first.n, rest.at, rest.n * sizeof *rest.at);
    return true;
}

/* The compiler of PL/pgSQL knows the line of the statement before the one that
 * it refuses.  Where its message quotes a word, that is on the line where the
 * word is first found from there on.  'text' makes the function. */
static uint32_t
line_of_error(const struct lower *l, const char *text, uint32_t near)
{
    const char *open = strchr(l->err->text, '"');
    const char *close = open ? strchr(open + 1, '"') : NULL;
    const size_t n = close ? (size_t)(close - open) - 1 : 0;
    uint32_t line = l->function->line;
    for (; *text && line < near; text++)
        line += *text == '\n';
    for (; n && *text; text++) {
        if (ascii_compare_n(text, open + 1, n) == 0)
            return line;
        line += *text == '\n';
    }
    return near;
}

bool
lower_plpgsql(struct lower *l, const char *text, uint32_t first_line)
{
    struct body b = {.l = l, .first_line = first_line};
    PgQueryPlpgsqlParseResult result;
    int line;
    l->line = first_line;
    l->columns_first = strstr(text, "#variable_conflict use_column") != NULL;
    l->text = "";
    l->exact = false;
    if (!parser_parse_plpgsql(text, &result, &line, l->err)) {
        const uint32_t near = first_line + (uint32_t)(line ? line - 1 : 0);
        err_at_line(l->err, line_of_error(l, text, near), 0);
        return err_in_file(l->err, l->file);
    }
    const struct input json = {.name = l->file,
                               .data = result.plpgsql_funcs,
                               .size = strlen(result.plpgsql_funcs)};
    struct scan scan;
    scan_init(&scan, &json, l->err);
    const bool ok = form_read_json(&scan, &b.forms) && read_function(&b);
    scan_free(&scan);
    forms_free(&b.forms);
    parser_free_plpgsql(result);
    return ok;
}

/* table_setup.c -- see table_setup.h.
 *
 * SPDX-License-Identifier: MIT */
#include "spec/sql/table_setup.h"

#include "base/ascii.h"
#include "base/err.h"

#include <stdio.h>
#include <string.h>

enum { REASON = 160 };

static bool
is_one_of(const char *word, const char *const *list)
{
    while (*list && strcmp(*list, word) != 0)
        list++;
    return *list != NULL;
}

/* Skip the next token if it is a word of a list. */
static bool
take_one_of(struct parser *p, const char *const *list)
{
    const struct token t = parser_next(p);
    const bool ok = t.kind == TOKEN_WORD && is_one_of(parser_lower(p, t), list);
    if (ok)
        parser_skip(p);
    return ok;
}

static struct spec_table *
find(table_vec *tables, const char *name)
{
    for (size_t i = 0; i < tables->n; i++)
        if (strcmp(tables->at[i].name, name) == 0)
            return &tables->at[i];
    return NULL;
}

/* Give a table a flaw; the first one is kept. */
static void
set_flaw(struct parser *p, struct spec_table *t, const char *what)
{
    if (t && !t->flaw)
        t->flaw = arena_copy(p->arena, what, strlen(what));
}

/* The flaw that the definition has the current token. */
static void
find_flaw(struct parser *p, struct spec_table *t)
{
    char text[REASON], quoted[ERR_QUOTE_ROOM];
    const struct token at = parser_next(p);
    snprintf(text, sizeof text, "its definition has '%s'",
             err_quote(quoted, sizeof quoted, at.at, at.n));
    set_flaw(p, t, text);
}

/* --- columns ---------------------------------------------------------------*/

static enum key_type
type_of(const char *type, const struct flavour *flavour)
{
    static const char *const integers[] = {
        "int",    "integer",   "smallint",    "bigint", "tinyint",
        "serial", "bigserial", "smallserial", "int2",   "int4",
        "int8",   "mediumint", NULL};
    static const char *const texts[] = {"text", "varchar", "character", NULL};
    return is_one_of(type, integers)                           ? KEY_INTEGER
           : flavour->compares_bytes && is_one_of(type, texts) ? KEY_TEXT
                                                               : KEY_NONE;
}

/* Skip a type and give its first word. */
static const char *
take_type(struct parser *p)
{
    static const char *const more[] = {"precision", "varying", "with",
                                       "without",   "time",    "zone",
                                       "unsigned",  NULL};
    const struct token t = parser_next(p);
    if (t.kind != TOKEN_WORD)
        return "";
    const char *word = parser_lower(p, t);
    parser_skip(p);
    // "character(3)" is padded; "character varying(3)" is a varchar.
    if (strcmp(word, "character") == 0 && !parser_sees(p, "varying"))
        word = "char";
    for (;;)
        if (parser_take(p, "("))
            parser_skip_parentheses(p);
        else if (parser_take(p, "[") || parser_take(p, "]"))
            word = "array";
        else if (!take_one_of(p, more))
            return word;
}

/* Skip the constant of a default. */
static bool
take_constant(struct parser *p)
{
    static const char *const words[] = {"null", "true", "false", NULL};
    if (!parser_take(p, "-"))
        parser_take(p, "+");
    const enum token_kind kind = parser_next(p).kind;
    if (kind == TOKEN_NUMBER || kind == TOKEN_STRING) {
        parser_skip(p);
        return true;
    }
    return take_one_of(p, words);
}

/* Skip one constraint of a column; false at the end of them. */
static bool
take_constraint(struct parser *p, bool *is_key)
{
    if (parser_take(p, "not"))
        return parser_take(p, "null");
    if (parser_take(p, "primary"))
        return *is_key = parser_take(p, "key");
    if (parser_take(p, "default"))
        return take_constant(p);
    if (parser_take(p, "generated")) {
        if (parser_take(p, "by"))
            parser_take(p, "default");
        else
            parser_take(p, "always");
        return parser_take(p, "as") && parser_take(p, "identity");
    }
    return parser_take(p, "null") || parser_take(p, "auto_increment") ||
           parser_take(p, "autoincrement");
}

static void
learn_column(struct parser *p, struct spec_table *t)
{
    const struct token name = parser_next(p);
    if (name.kind != TOKEN_WORD) {
        find_flaw(p, t);
        return;
    }
    vec_push(&t->columns, parser_lower(p, name));
    parser_skip(p);
    const enum key_type type = type_of(take_type(p), p->flavour);
    bool is_key = false;
    while (take_constraint(p, &is_key))
        continue;
    if (is_key) {
        t->key = t->columns.n - 1;
        t->key_type = type;
        if (type == KEY_NONE)
            set_flaw(p, t,
                     "equality of its primary key is not known: the key "
                     "must be of an integer or text type");
    }
    if (!parser_sees(p, ",") && !parser_sees(p, ")"))
        find_flaw(p, t);
}

/* A part of the definition that is not a column: "primary key (c)". */
static void
learn_key(struct parser *p, struct spec_table *t, const char **name)
{
    if (parser_take(p, "constraint"))
        parser_skip(p);
    if (!parser_take(p, "primary") || !parser_take(p, "key") ||
        !parser_take(p, "(")) {
        find_flaw(p, t);
        return;
    }
    *name = parser_lower(p, parser_next(p));
    parser_skip(p);
    if (parser_sees(p, ","))
        set_flaw(p, t, "it has a primary key of several columns");
    else if (!parser_take(p, ")"))
        find_flaw(p, t);
}

/* --- tables ----------------------------------------------------------------*/

/* Skip to the end of the current part of a definition. */
static void
skip_part(struct parser *p)
{
    while (p->at < p->end && !parser_sees(p, ",") && !parser_sees(p, ")"))
        if (parser_take(p, "("))
            parser_skip_parentheses(p);
        else
            parser_skip(p);
}

/* The key may be named after its column, so the columns come first. */
static void
learn_columns(struct parser *p, struct spec_table *t)
{
    static const char *const others[] = {"primary", "constraint", "unique",
                                         "foreign", "check",      "exclude",
                                         "like",    NULL};
    const char *key = NULL;
    VEC(const struct token *) starts = {0};
    while (p->at < p->end && !parser_sees(p, ")")) {
        const struct token first = parser_next(p);
        if (first.kind == TOKEN_WORD &&
            is_one_of(parser_lower(p, first), others)) {
            learn_key(p, t, &key);
        } else if (!p->flavour->has_inner_indexes ||
                   (!parser_sees(p, "key") && !parser_sees(p, "index"))) {
            vec_push(&starts, p->at);
            learn_column(p, t);
        }
        skip_part(p);
        parser_take(p, ",");
    }
    parser_take(p, ")");
    if (key && !t->flaw) {
        t->key = table_column(t, key);
        if (t->key < t->columns.n) {
            struct parser again = *p;
            again.at = starts.at[t->key] + 1;
            t->key_type = type_of(take_type(&again), p->flavour);
        }
        if (t->key_type == KEY_NONE)
            set_flaw(p, t,
                     "equality of its primary key is not known: the key "
                     "must be of an integer or text type");
    }
    vec_free(&starts);
    if (t->key_type == KEY_NONE)
        set_flaw(p, t, "it has no primary key");
}

/* The options after the columns. */
static void
learn_options(struct parser *p, struct spec_table *t)
{
    for (;;)
        if (parser_take(p, "with") && parser_take(p, "("))
            parser_skip_parentheses(p);
        else if (parser_take(p, "engine")) {
            parser_take(p, "=");
            if (!parser_take(p, "innodb"))
                find_flaw(p, t);
        } else if (!(parser_take(p, "without") && parser_take(p, "rowid")) &&
                   !parser_take(p, "strict"))
            break;
    if (parser_next(p).kind != TOKEN_END)
        find_flaw(p, t);
}

/* Give a flaw to every table that the rest of a statement seems to name, with
 * or without quotes or schema. */
static void
spoil(struct parser *p, table_vec *tables, const char *flaw)
{
    for (; p->at < p->end; parser_skip(p)) {
        struct token t = parser_next(p);
        if (t.kind != TOKEN_WORD && t.kind != TOKEN_QUOTED)
            continue;
        if (t.kind == TOKEN_QUOTED) {
            t.at++;
            t.n -= 2;
        }
        const char *word = arena_copy(p->arena, t.at, t.n);
        for (size_t i = 0; i < tables->n; i++) {
            const char *dot = strrchr(tables->at[i].name, '.');
            if (ascii_compare(dot ? dot + 1 : tables->at[i].name, word) == 0)
                set_flaw(p, &tables->at[i], flaw);
        }
    }
}

/* Give a flaw to the tables that a definition refers to. */
static void
learn_relatives(struct parser *p, table_vec *tables)
{
    static const char *const words[] = {"references", "inherits", "of", "like",
                                        NULL};
    while (p->at < p->end && !take_one_of(p, words))
        parser_skip(p);
    spoil(p, tables, "another table refers to it");
}

static void
learn_table(struct parser *p, table_vec *tables, const char *flaw)
{
    struct parser whole = *p;
    struct spec_table t = {.flaw = flaw};
    if (parser_take(p, "if") && parser_take(p, "not"))
        parser_take(p, "exists");
    if (!parser_take_name(p, &t.name)) {
        // The name is quoted.  No statement that is understood can use it.
        p->refusal = (struct refusal){0};
        return;
    }
    if (parser_take(p, "(")) {
        learn_columns(p, &t);
        learn_options(p, &t);
    } else {
        find_flaw(p, &t);
    }
    learn_relatives(&whole, tables);
    struct spec_table *before = find(tables, t.name);
    set_flaw(p, before, "it is created twice");
    if (before)
        vec_free(&t.columns);
    else
        vec_push(tables, t);
}

/* A statement that does more than create a table gives a flaw to the tables
 * that it names: their behaviour is not known. */
static bool
learn_other(struct parser *p, const char *verb, table_vec *tables)
{
    char flaw[REASON], quoted[ERR_QUOTE_ROOM];
    const struct token what = parser_next(p);
    snprintf(flaw, sizeof flaw, "the setup has '%s %s' about it", verb,
             err_quote(quoted, sizeof quoted, what.at, what.n));
    spoil(p, tables, flaw);
    return true;
}

static bool
learn_created(struct parser *p, table_vec *tables)
{
    // Has no effect until a statement names it, and that is refused.
    static const char *const still[] = {
        "index",  "view", "materialized", "sequence", "function",
        "schema", "type", "domain",       "role",     NULL};
    static const char *const spoiling[] = {"unique",     "trigger", "rule",
                                           "constraint", "policy",  NULL};
    if (parser_take(p, "or"))
        parser_take(p, "replace");
    struct parser at = *p;
    if (take_one_of(&at, spoiling))
        return learn_other(p, "create", tables);
    const bool temporary =
        parser_take(p, "temp") || parser_take(p, "temporary");
    parser_take(p, "unlogged");
    if (!parser_take(p, "table"))
        return take_one_of(p, still) ||
               parser_expected(p, "'table', 'index', 'view', 'sequence', "
                                  "'function', 'schema' or 'type'");
    learn_table(p, tables, temporary ? "it is temporary" : NULL);
    return true;
}

bool
table_learn_setup(struct parser *p, table_vec *tables)
{
    // Changes only rows, which are read back afterwards, or nothing.
    static const char *const rows[] = {
        "insert",     "update", "delete", "select", "with",     "merge",
        "replace",    "values", "copy",   "vacuum", "truncate", "analyze",
        "begin",      "start",  "commit", "end",    "set",      "comment",
        "checkpoint", "grant",  "revoke", NULL};
    if (parser_take(p, "create"))
        return learn_created(p, tables);
    if (parser_take(p, "drop"))
        return learn_other(p, "drop", tables);
    if (parser_take(p, "alter"))
        return parser_sees(p, "table") ? learn_other(p, "alter", tables)
                                       : parser_expected(p, "'table'");
    return take_one_of(p, rows) ||
           parser_expected(p, "'create' or a statement that changes rows");
}

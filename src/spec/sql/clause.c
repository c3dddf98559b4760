/* clause.c -- see clause.h.
 *
 * SPDX-License-Identifier: MIT */
#include "spec/sql/clause.h"

#include "base/buf.h"

#include <string.h>

bool
clause_has_column(const u32_vec *columns, uint32_t column)
{
    for (size_t i = 0; i < columns->n; i++)
        if (columns->at[i] == column)
            return true;
    return false;
}

void
clause_add_column(u32_vec *columns, uint32_t column)
{
    if (!clause_has_column(columns, column))
        vec_push(columns, column);
}

/* Skip a word of a list; the list ends with NULL. */
static bool
take_any(struct parser *p, const char *const *words)
{
    for (; *words; words++)
        if (parser_take(p, *words))
            return true;
    return false;
}

bool
clause_table(struct parser *p, const table_vec *tables,
             const struct spec_table **out)
{
    const struct parser before = *p;
    const char *name;
    if (!parser_take_name(p, &name))
        return false;
    struct parser looking = before;
    *out = table_find(&looking, tables, name);
    if (!*out)
        p->refusal = looking.refusal;
    return *out != NULL;
}

bool
clause_column(struct parser *p, const struct spec_table *t, uint32_t *out)
{
    struct parser qualified = *p;
    const char *name;
    // "t.c" is a column; "t.c.d" is a field of a column.
    if (p->at + 1 < p->end && p->at[1].kind == TOKEN_SYMBOL &&
        *p->at[1].at == '.') {
        qualified.end = p->at + 1;
        if (!parser_take_name(&qualified, &name) || strcmp(name, t->name) != 0)
            return parser_expected(p, "a column of the table alone");
        p->at += 2;
    }
    const struct token word = parser_next(p);
    if (word.kind != TOKEN_WORD)
        return parser_expected(p, "a column");
    const size_t column = table_column(t, parser_lower(p, word));
    if (column == t->columns.n)
        return parser_expected(p, "a column of the table");
    parser_skip(p);
    *out = (uint32_t)column;
    return !parser_sees(p, ".") || parser_expected(p, "a column alone");
}

/* --- conditions ------------------------------------------------------------*/

static bool
take_key_column(struct parser *p, const struct spec_table *t)
{
    struct parser before = *p;
    uint32_t column;
    if (!clause_column(p, t, &column))
        return false;
    if (column == t->key)
        return true;
    p->at = before.at;
    return parser_expected(p, "the primary key alone in the condition");
}

static bool
take_key(struct parser *p, struct spec_statement *s)
{
    const char *key;
    if (!table_take_key(p, s->table, &key))
        return false;
    for (size_t i = 0; i < s->keys.n; i++)
        if (strcmp(s->keys.at[i], key) == 0)
            return true;
    vec_push(&s->keys, key);
    return true;
}

/* "k = 1" or "k in (1, 2)". */
static bool
take_comparison(struct parser *p, struct spec_statement *s)
{
    if (!take_key_column(p, s->table))
        return false;
    if (parser_take(p, "="))
        return take_key(p, s);
    if (!parser_take(p, "in") || !parser_take(p, "("))
        return parser_expected(p, "'=' or 'in (' after the primary key");
    do
        if (!take_key(p, s))
            return false;
    while (parser_take(p, ","));
    return parser_take(p, ")") || parser_expected(p, "',' or ')'");
}

bool
clause_keys(struct parser *p, struct spec_statement *s)
{
    const struct token *begin = p->at;
    s->condition = "";
    s->is_whole = !parser_take(p, "where");
    if (s->is_whole)
        return true;
    do
        if (!take_comparison(p, s))
            return false;
    while (parser_take(p, "or"));
    s->condition = parser_text(p, begin, p->at);
    return true;
}

/* --- expressions -----------------------------------------------------------*/

/* Functions whose value depends on their arguments only. */
static bool
take_function(struct parser *p)
{
    static const char *const names[] = {"greatest", "least",  "abs",
                                        "length",   "lower",  "upper",
                                        "repeat",   "concat", NULL};
    const struct parser before = *p;
    if (take_any(p, names) && parser_sees(p, "("))
        return true;
    p->at = before.at;
    return false;
}

/* Skip one token of an expression, or a column. */
static bool
take_operand(struct parser *p, const struct spec_table *t, u32_vec *columns)
{
    static const char *const words[] = {"null", "true", "false",     "default",
                                        "date", "time", "timestamp", "interval",
                                        "not",  NULL};
    const struct token next = parser_next(p);
    uint32_t column;
    if (next.kind == TOKEN_NUMBER || next.kind == TOKEN_STRING ||
        (next.kind == TOKEN_SYMBOL && strchr("+-*/%|<>=", *next.at))) {
        parser_skip(p);
        return true;
    }
    if (next.kind == TOKEN_WORD && (take_any(p, words) || take_function(p)))
        return true;
    if (!columns)
        return parser_expected(p, "a constant");
    if (!clause_column(p, t, &column))
        return false;
    if (column != t->key)
        clause_add_column(columns, column);
    return true;
}

bool
clause_expression(struct parser *p, const struct spec_table *t,
                  u32_vec *columns)
{
    const struct token *begin = p->at;
    for (int depth = 0;;) {
        if (depth == 0 && (parser_sees(p, ",") || parser_sees(p, ")") ||
                           parser_sees(p, "where") || p->at == p->end))
            return p->at > begin || parser_expected(p, "an expression");
        if (parser_take(p, "("))
            depth++;
        else if (depth && parser_take(p, ")"))
            depth--;
        else if (!(depth && parser_take(p, ",")) &&
                 !take_operand(p, t, columns))
            return false;
    }
}

/* --- lists -----------------------------------------------------------------*/

static bool
take_aggregate(struct parser *p, const struct spec_table *t, u32_vec *columns)
{
    static const char *const names[] = {"count", "sum", "min",
                                        "max",   "avg", NULL};
    const bool counts = parser_sees(p, "count");
    uint32_t column;
    if (!take_any(p, names) || !parser_take(p, "("))
        return parser_expected(p, "an aggregate");
    if (!counts || !parser_take(p, "*")) {
        if (!clause_column(p, t, &column))
            return false;
        if (column != t->key)
            clause_add_column(columns, column);
    }
    return parser_take(p, ")") || parser_expected(p, "')'");
}

/* One item; 'kinds' gets 1 for a plain one, 2 for an aggregate. */
static bool
take_item(struct parser *p, const struct spec_table *t, u32_vec *columns,
          unsigned *kinds)
{
    const struct token next = parser_next(p);
    const bool calls =
        p->at + 1 < p->end && p->at[1].n == 1 && *p->at[1].at == '(';
    uint32_t column;
    if (calls) {
        *kinds |= 2;
        if (!take_aggregate(p, t, columns))
            return false;
    } else if (parser_take(p, "*")) {
        *kinds |= 1;
        for (uint32_t i = 0; i < t->columns.n; i++)
            if (i != t->key)
                clause_add_column(columns, i);
    } else if (next.kind == TOKEN_NUMBER || next.kind == TOKEN_STRING) {
        parser_skip(p);
    } else {
        *kinds |= 1;
        if (!clause_column(p, t, &column))
            return false;
        if (column != t->key)
            clause_add_column(columns, column);
    }
    if (parser_take(p, "as"))
        parser_skip(p);
    return true;
}

bool
clause_items(struct parser *p, const struct spec_table *t, u32_vec *columns,
             bool *aggregates)
{
    unsigned kinds = 0;
    do
        if (!take_item(p, t, columns, &kinds))
            return false;
    while (parser_take(p, ","));
    *aggregates = kinds & 2;
    return kinds < 3 || parser_expected(p, "columns or aggregates, not both");
}

bool
clause_order(struct parser *p, const struct spec_table *t, u32_vec *columns,
             bool *orders)
{
    *orders = parser_take(p, "order");
    if (!*orders)
        return true;
    if (!parser_take(p, "by"))
        return parser_expected(p, "'by'");
    do {
        uint32_t column;
        if (!clause_column(p, t, &column))
            return false;
        if (column != t->key)
            clause_add_column(columns, column);
        if (!parser_take(p, "desc"))
            parser_take(p, "asc");
    } while (parser_take(p, ","));
    return true;
}

bool
clause_lock(struct parser *p, bool *locks)
{
    *locks = parser_sees(p, "for") || parser_sees(p, "lock");
    if (parser_take(p, "lock"))
        return (parser_take(p, "in") && parser_take(p, "share") &&
                parser_take(p, "mode")) ||
               parser_expected(p, "'in share mode'");
    if (!parser_take(p, "for"))
        return true;
    bool ok;
    if (parser_take(p, "no"))
        ok = parser_take(p, "key") && parser_take(p, "update");
    else if (parser_take(p, "key"))
        ok = parser_take(p, "share");
    else
        ok = parser_take(p, "update") || parser_take(p, "share");
    if (!ok)
        return parser_expected(p, "a lock on rows");
    parser_take(p, "nowait");
    return true;
}

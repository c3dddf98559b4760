/* statement.c -- see statement.h.
 *
 * Statements are looked at word by word; parentheses and quotes are respected,
 * and what stands between the words of interest is kept as it is.
 *
 * SPDX-License-Identifier: MIT */
#include "spec/statement.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

/* --- words -----------------------------------------------------------------*/

struct words {
    const char *at, *word; // behind the word at hand, and where it begins
};

/* The end of the token at 'at': a word, a quoted text, or one character. */
static const char *
token_end(const char *at)
{
    if (*at == '\'' || *at == '"') {
        const char *close = strchr(at + 1, *at);
        return close ? close + 1 : at + strlen(at);
    }
    if (!isalnum((unsigned char)*at) && *at != '_')
        return *at ? at + 1 : at;
    while (isalnum((unsigned char)*at) || *at == '_' || *at == '.')
        at++;
    return at;
}

/* Step to the next token; false at the end. */
static bool
next(struct words *w)
{
    w->word = w->at + strspn(w->at, " \t\r\n");
    w->at = token_end(w->word);
    return w->at > w->word;
}

static bool
word_is(const struct words *w, const char *text)
{
    const size_t n = (size_t)(w->at - w->word);
    return strlen(text) == n && strncasecmp(w->word, text, n) == 0;
}

/* Step forward if that word is next. */
static bool
take(struct words *w, const char *text)
{
    const struct words before = *w;
    if (next(w) && word_is(w, text))
        return true;
    *w = before;
    return false;
}

static const char *
copy_range(struct arena *arena, const char *begin, const char *end)
{
    while (begin < end && isspace((unsigned char)*begin))
        begin++;
    while (end > begin && isspace((unsigned char)end[-1]))
        end--;
    return arena_copy(arena, begin, (size_t)(end - begin));
}

static const char *
copy_word(struct arena *arena, const struct words *w)
{
    const bool quoted = *w->word == '"' && w->at - w->word >= 2;
    return copy_range(arena, w->word + quoted, w->at - quoted);
}

void
statements_split(const char *text, struct arena *arena, text_vec *out)
{
    const char *begin = text;
    struct words w = {text, text};
    while (next(&w))
        if (*w.word == ';') {
            const char *one = copy_range(arena, begin, w.word);
            if (*one)
                vec_push(out, one);
            begin = w.at;
        }
    const char *last = copy_range(arena, begin, begin + strlen(begin));
    if (*last)
        vec_push(out, last);
}

/* The parts between commas up to the parenthesis that closes, or, outside of
 * one, up to the word 'stop' or the end. */
static void
split_list(struct words *w, const char *stop, struct arena *arena,
           text_vec *out)
{
    const char *begin = w->at;
    int depth = 0;
    for (;;) {
        const bool more = next(w);
        const bool ends =
            !more || (depth == 0 && (*w->word == ')' || word_is(w, stop)));
        if (ends || (depth == 0 && *w->word == ',')) {
            const char *part = copy_range(arena, begin, w->word);
            if (*part)
                vec_push(out, part);
            begin = w->at;
        }
        if (ends)
            return;
        depth += (*w->word == '(') - (*w->word == ')');
    }
}

/* --- tables ----------------------------------------------------------------*/

static bool
is_constraint(const char *item)
{
    static const char *const words[] = {"primary", "constraint", "unique",
                                        "foreign", "check"};
    struct words w = {item, item};
    next(&w);
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (word_is(&w, words[i]))
            return true;
    return false;
}

static bool
has_words(const char *text, const char *first, const char *second)
{
    struct words w = {text, text};
    while (next(&w))
        if (word_is(&w, first) && take(&w, second))
            return true;
    return false;
}

void
table_learn(const char *sql, struct arena *arena, table_vec *tables)
{
    struct words w = {sql, sql};
    if (!take(&w, "create") || !take(&w, "table"))
        return;
    if (take(&w, "if") && take(&w, "not"))
        take(&w, "exists");
    struct table table = {0};
    next(&w);
    table.name = copy_word(arena, &w);
    if (!take(&w, "("))
        return;
    text_vec items = {0};
    split_list(&w, ")", arena, &items);
    for (size_t i = 0; i < items.n; i++) {
        struct words item = {items.at[i], items.at[i]};
        if (is_constraint(items.at[i]))
            continue;
        next(&item);
        if (has_words(items.at[i], "primary", "key"))
            table.key = table.columns.n;
        vec_push(&table.columns, copy_word(arena, &item));
    }
    vec_free(&items);
    vec_push(tables, table);
}

void
tables_free(table_vec *tables)
{
    for (size_t i = 0; i < tables->n; i++)
        vec_free(&tables->at[i].columns);
    vec_free(tables);
}

/* --- statements ------------------------------------------------------------*/

static const struct table *
take_table(struct words *w, const table_vec *tables)
{
    if (!next(w))
        return NULL;
    for (size_t i = 0; i < tables->n; i++)
        if (word_is(w, tables->at[i].name))
            return &tables->at[i];
    return NULL;
}

static void
parse_select(struct words *w, const table_vec *tables, struct arena *arena,
             struct statement *out)
{
    int depth = 0;
    while (next(w) && !(depth == 0 && word_is(w, "from")))
        depth += (*w->word == '(') - (*w->word == ')');
    out->table = take_table(w, tables);
    out->rest = copy_range(arena, w->at, w->at + strlen(w->at));
    // Of what comes from several tables it is not known which row is whose.
    struct words rest = {out->rest, out->rest};
    if (*out->rest == ',')
        out->table = NULL;
    while (next(&rest) && !word_is(&rest, "where"))
        if (word_is(&rest, "join"))
            out->table = NULL;
}

static void
parse_condition(struct words *w, struct arena *arena, struct statement *out)
{
    out->condition = copy_range(arena, w->at, w->at + strlen(w->at));
}

static void
parse_update(struct words *w, const table_vec *tables, struct arena *arena,
             struct statement *out)
{
    out->table = take_table(w, tables);
    if (!take(w, "set")) {
        out->table = NULL;
        return;
    }
    text_vec assignments = {0};
    split_list(w, "where", arena, &assignments);
    for (size_t i = 0; i < assignments.n; i++) {
        const char *equals = strchr(assignments.at[i], '=');
        if (!equals)
            continue;
        vec_push(&out->columns, copy_range(arena, assignments.at[i], equals));
        vec_push(&out->values,
                 copy_range(arena, equals + 1, equals + strlen(equals)));
    }
    vec_free(&assignments);
    parse_condition(w, arena, out);
}

static void
parse_insert(struct words *w, const table_vec *tables, struct arena *arena,
             struct statement *out)
{
    out->table = take(w, "into") ? take_table(w, tables) : NULL;
    if (!out->table)
        return;
    if (take(w, "("))
        split_list(w, ")", arena, &out->columns);
    else
        for (size_t i = 0; i < out->table->columns.n; i++)
            vec_push(&out->columns, out->table->columns.at[i]);
    if (!take(w, "values"))
        out->table = NULL;
    while (out->table && take(w, "(")) {
        split_list(w, ")", arena, &out->values);
        take(w, ",");
    }
}

/* The level is one word, "serializable", or two. */
static void
parse_begin(struct words *w, struct arena *arena, struct statement *out)
{
    while (next(w))
        if (word_is(w, "level") && next(w)) {
            const char *begin = w->word;
            if (!word_is(w, "serializable"))
                next(w);
            out->isolation = copy_range(arena, begin, w->at);
            return;
        }
}

void
statement_parse(const char *sql, const table_vec *tables, struct arena *arena,
                struct statement *out)
{
    *out = (struct statement){
        .text = sql, .isolation = "", .rest = "", .condition = ""};
    struct words w = {sql, sql};
    next(&w);
    if (word_is(&w, "begin") ||
        (word_is(&w, "start") && take(&w, "transaction"))) {
        out->kind = STATEMENT_BEGIN;
        parse_begin(&w, arena, out);
    } else if (word_is(&w, "commit") || word_is(&w, "end")) {
        out->kind = STATEMENT_COMMIT;
    } else if (word_is(&w, "rollback") || word_is(&w, "abort")) {
        out->kind = STATEMENT_ROLLBACK;
    } else if (word_is(&w, "select")) {
        out->kind = STATEMENT_SELECT;
        parse_select(&w, tables, arena, out);
    } else if (word_is(&w, "insert")) {
        out->kind = STATEMENT_INSERT;
        parse_insert(&w, tables, arena, out);
    } else if (word_is(&w, "update")) {
        out->kind = STATEMENT_UPDATE;
        parse_update(&w, tables, arena, out);
    } else if (word_is(&w, "delete")) {
        out->kind = STATEMENT_DELETE;
        out->table = take(&w, "from") ? take_table(&w, tables) : NULL;
        take(&w, "where");
        parse_condition(&w, arena, out);
    }
    if (out->kind >= STATEMENT_SELECT && !out->table)
        out->kind = STATEMENT_OTHER;
}

void
statement_free(struct statement *s)
{
    vec_free(&s->columns);
    vec_free(&s->values);
}

/* --- values ----------------------------------------------------------------*/

bool
is_literal(const char *sql, struct arena *arena, const char **value)
{
    const char *digits = *sql == '-' ? sql + 1 : sql;
    if (*digits && strspn(digits, "0123456789") == strlen(digits)) {
        *value = sql;
        return true;
    }
    const size_t n = strlen(sql);
    if (n < 2 || *sql != '\'' || strchr(sql + 1, '\'') != sql + n - 1)
        return false;
    *value = arena_copy(arena, sql + 1, n - 2);
    return true;
}

bool
condition_keys(const char *condition, const char *column, struct arena *arena,
               text_vec *out)
{
    struct words w = {condition, condition};
    const char *value;
    vec_clear(out);
    if (!take(&w, column))
        return false;
    text_vec parts = {0};
    bool ok = false;
    if (take(&w, "=")) {
        vec_push(&parts, copy_range(arena, w.at, w.at + strlen(w.at)));
        ok = true;
    } else if (take(&w, "in") && take(&w, "(")) {
        split_list(&w, ")", arena, &parts);
        ok = !next(&w);
    }
    for (size_t i = 0; ok && i < parts.n; i++) {
        ok = is_literal(parts.at[i], arena, &value);
        if (ok)
            vec_push(out, value);
    }
    vec_free(&parts);
    return ok && out->n;
}

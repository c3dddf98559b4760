/* row_setup.c -- see row_setup.h.
 *
 * SPDX-License-Identifier: MIT */
#include "spec/row/row_setup.h"

#include "base/ascii.h"
#include "driver/sql/sql.h"
#include "spec/row/row_dialect.h"
#include "spec/row/row_settings.h"
#include "spec/script.h"

#include <string.h>

bool
row_setup_records(struct database *db)
{
    const struct row_dialect *dialect = row_dialect_of(sql_product(db->driver));
    if (!dialect || db->driver->sql->cannot_record || db->nodes > 1 ||
        !row_statement_load())
        return false;
    struct connection *c;
    struct err err = {0};
    struct result_rows rows = {0};
    if (!db->driver->connect(db, 0, 0, &c, &err))
        return false;
    const bool is_able =
        c->driver->query(c, dialect->able, &rows) == OUTCOME_OK && rows.n;
    result_rows_free(&rows);
    c->driver->disconnect(c);
    return is_able;
}

/* The tables that a text names after the word 'table'.  None of them may be
 * there: tables of users are never touched. */
static bool
expect_unknown(const struct watched *before, const char *setup, struct err *err)
{
    struct arena arena = {0};
    token_vec tokens = {0};
    bool ok = true;
    tokens_read(setup, flavour_of(before->dialect->scheme), &tokens);
    const struct token *end = &vec_top(&tokens);
    struct parser p = {.at = tokens.at, .end = end, .arena = &arena};
    p.flavour = flavour_of(before->dialect->scheme);
    for (; ok && p.at < end; parser_skip(&p)) {
        if (!parser_sees(&p, "table"))
            continue;
        parser_skip(&p);
        parser_take(&p, "if");
        parser_take(&p, "not");
        parser_take(&p, "exists");
        while (p.at + 2 < end && *p.at[1].at == '.')
            p.at += 2;
        const struct token name = parser_next(&p);
        const size_t quotes = name.kind == TOKEN_QUOTED;
        const char *text =
            arena_copy(&arena, name.at + quotes, name.n - 2 * quotes);
        if (watched_find(before, "", text) != WATCHED_NONE)
            ok = err_set(err, ERR_USAGE,
                         "the database already has a table '%s', expected none",
                         text);
    }
    vec_free(&tokens);
    arena_free(&arena);
    return ok;
}

/* The same for PostgreSQL, which finds a table by its search path. */
static bool
expect_unregistered(struct connection *c, const char *sql, struct err *err)
{
    struct arena arena = {0};
    text_vec names = {0};
    bool ok = true;
    if (row_statement_created(sql, &arena, &names))
        for (size_t i = 0; ok && i < names.n; i++) {
            struct buf query = {0};
            struct result_rows rows = {0};
            buf_text(&query, "select to_regclass(");
            watched_put_literal(&query, names.at[i]);
            buf_text(&query, ")");
            if (c->driver->query(c, query.at, &rows) == OUTCOME_OK && rows.n &&
                !result_rows_is_null(&rows, 0, 0))
                ok = err_set(err, ERR_USAGE,
                             "the database already has a table '%s', "
                             "expected none",
                             result_rows_get(&rows, 0, 0));
            result_rows_free(&rows);
            buf_free(&query);
        }
    vec_free(&names);
    arena_free(&arena);
    return ok;
}

bool
row_setup_expect_none(struct connection *c, const struct watched *before,
                      const char *sql, struct err *err)
{
    return before->dialect->folds || !row_statement_load()
               ? expect_unknown(before, sql, err)
               : expect_unregistered(c, sql, err);
}

/* Run SQL; 'done' gets the statements that did not fail.  Where they are sent
 * as one, none of them has an effect if one fails. */
static bool
run(struct connection *c, const char *sql, struct buf *done, struct err *err)
{
    const struct flavour *flavour = flavour_of(sql_product(c->driver));
    struct arena arena = {0};
    text_vec parts = {0};
    bool ok = true;
    if (flavour->runs_many)
        vec_push(&parts, sql + strspn(sql, " \t\r\n"));
    else
        script_split(sql, flavour, &arena, &parts);
    for (size_t i = 0; ok && i < parts.n; i++) {
        char quoted[ERR_QUOTE_ROOM], said[200];
        const char *part = parts.at[i];
        ok = c->driver->query(c, part, NULL) == OUTCOME_OK ||
             err_set(
                 err, ERR_IO, "the setup failed at '%s': %s",
                 err_quote(quoted, sizeof quoted, part, strlen(part)),
                 err_quote(said, sizeof said, c->message, strlen(c->message)));
        if (ok)
            buf_printf(done, "%s;", part);
    }
    vec_free(&parts);
    arena_free(&arena);
    return ok;
}

void
row_setup_remove(struct connection *c, const struct watched *made)
{
    const struct row_dialect *d = made->dialect;
    for (size_t i = made->tables.n; i--;) {
        void (*put_name)(struct buf *, const char *) =
            d->put_name ? d->put_name : watched_put_name;
        struct buf sql = {0};
        buf_text(&sql, "drop table if exists ");
        put_name(&sql, made->tables.at[i].schema);
        buf_char(&sql, '.');
        put_name(&sql, made->tables.at[i].relation);
        buf_text(&sql, d->drop);
        c->driver->query(c, sql.at, NULL);
        buf_free(&sql);
    }
    setup_objects_drop(c, &made->objects);
}

static bool
is_of_name(char c)
{
    return ascii_is_alnum(c) || c == '_' || c == '$' || (c & 0x80);
}

/* Whether SQL has a name as a word, in any case. */
static bool
has_name(const char *sql, const char *name)
{
    const size_t n = strlen(name);
    for (const char *at = sql; *at; at++)
        if (ascii_compare_n(at, name, n) == 0 && !is_of_name(at[n]) &&
            (at == sql || !is_of_name(at[-1])))
            return true;
    return strpbrk(name, "\"`]") != NULL; // which is written twice there
}

/* Leave out objects that are neither named by the SQL nor among others that are
 * known: another user made them meanwhile. */
static void
keep_own_objects(struct watched *w, const char *sql,
                 const struct watched *known)
{
    size_t n = 0;
    for (size_t i = 0; i < w->objects.n; i++) {
        const struct setup_object o = w->objects.at[i];
        if (has_name(sql, o.name) || setup_objects_has(&known->objects, o.what))
            w->objects.at[n++] = o;
    }
    w->objects.n = n;
}

/* The tables that were not there before, and are either named by the SQL or
 * among others that are known. */
static bool
read_own(struct connection *c, struct watched *before, const char *sql,
         const struct watched *known, struct watched *out, struct err *err)
{
    for (;;) {
        size_t strange = 0;
        if (!watched_read(c, before, out, err))
            return false;
        for (size_t i = 0; i < out->tables.n; i++) {
            const struct watched_table *t = &out->tables.at[i];
            if (has_name(sql, t->relation) ||
                watched_has(known, t->schema, t->relation))
                continue;
            const struct watched_table other = {
                .name = watched_copy(before, t->name),
                .schema = watched_copy(before, t->schema),
                .relation = watched_copy(before, t->relation),
                .is_visible = t->is_visible};
            vec_push(&before->tables, other);
            strange++;
        }
        if (!strange) {
            keep_own_objects(out, sql, known);
            return true;
        }
        watched_free(out);
    }
}

bool
row_setup_make(struct connection *c, struct watched *before, const char *sql,
               struct watched *made, struct err *err)
{
    struct err ignored = {0};
    struct buf done = {0};
    struct watched earlier = *made;
    buf_text(&done, "");
    const bool ok = run(c, sql, &done, err);
    const bool is_read =
        read_own(c, before, done.at, &earlier, made, ok ? err : &ignored);
    watched_free(&earlier);
    buf_free(&done);
    return is_read && ok;
}

bool
row_setup_watch(struct database *db, struct watched *before,
                const struct watched *made, struct watched *out,
                struct err *err)
{
    struct connection *c;
    if (!row_settings_expect(db, err) ||
        !db->driver->connect(db, 0, 0, &c, err))
        return false;
    const bool ok = read_own(c, before, "", made, out, err);
    c->driver->disconnect(c);
    return ok;
}

/* Run the setups, and ask for what they made as a session would. */
static bool
make_tables(const struct spec *s, struct database *db, struct connection *c,
            struct watched *before, struct watched *made, struct watched *out,
            struct err *err)
{
    bool ok = true;
    for (size_t i = 0; ok && i < s->setups.n; i++)
        ok = row_setup_make(c, before, s->setups.at[i].sql, made, err);
    return ok && row_setup_watch(db, before, made, out, err);
}

bool
row_setup_read(const struct spec *s, struct database *db, struct watched *out,
               struct err *err)
{
    struct connection *c;
    struct watched before, made = {0};
    if (!db->driver->connect(db, 0, 0, &c, err))
        return false;
    bool ok = watched_read(c, NULL, &before, err);
    if (ok) {
        for (size_t i = 0; ok && i < s->setups.n; i++)
            ok = row_setup_expect_none(c, &before, s->setups.at[i].sql, err);
        if (ok) {
            ok = make_tables(s, db, c, &before, &made, out, err);
            struct err ignored = {0};
            struct buf done = {0};
            if (ok || made.tables.n) // otherwise there is nothing of ours
                run(c, s->teardown.sql, &done, &ignored);
            buf_free(&done);
            row_setup_remove(c, &made);
        }
        watched_free(&made);
        watched_free(&before);
    }
    c->driver->disconnect(c);
    return ok;
}

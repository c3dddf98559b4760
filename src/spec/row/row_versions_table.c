/* row_versions_table.c -- questions about versions, by a temporary table of
 * them.
 *
 * The table has the types and collations of the real one and none of its
 * constraints, so all versions of a row fit in, and conditions mean the same.
 *
 * A condition that is a list of equalities of integers and texts is decided
 * here.  Of
 * others that imply some, the database is asked about the versions that have
 * these values only, and about many conditions at once.  The rest is evaluated
 * on all versions.
 *
 * SPDX-License-Identifier: MIT */
#include "base/container/sorted.h"
#include "spec/row/row_dialect.h"
#include "spec/row/row_index.h"
#include "spec/row/row_versions.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    AT_ONCE = 400,            // versions in one insert
    CONDITIONS_AT_ONCE = 100, // in one query
    CANDIDATES_AT_ONCE = 5000
};

/* A table while it is asked about. */
struct questions {
    struct row_versions *versions;
    const struct row_versions_sql *sql;
    const struct watched_table *table;
    uint32_t number;
    bool *is_wanted; // by integer column and text: a condition has an equality
                     // of it
    struct row_index index;
    struct strings texts; // a text is in the index by its number here
};

static bool
run(struct row_versions *v, const struct buf *sql)
{
    struct connection *c = v->connection;
    return c->driver->query(c, sql->at, NULL) == OUTCOME_OK ||
           row_versions_refuse(v, "versions of rows could not be kept");
}

/* The version that a row of an answer is about; v->all.n if there is none. */
static size_t
version_of(const struct row_versions *v, const struct result_rows *rows,
           size_t i)
{
    const size_t n = strtoul(result_rows_get(rows, i, 0), NULL, 10);
    return n < v->all.n ? n : v->all.n;
}

/* --- versions --------------------------------------------------------------*/

static bool
make_table(const struct questions *q)
{
    struct buf sql = {0};
    q->sql->put_create(&sql, q->table);
    const bool ok = run(q->versions, &sql);
    buf_free(&sql);
    return ok;
}

static bool
fill_table(const struct questions *q)
{
    const struct row_versions *v = q->versions;
    struct buf sql = {0};
    bool ok = true;
    for (size_t at = 0; ok && at < v->all.n;) {
        size_t n = 0;
        buf_clear(&sql);
        buf_printf(&sql, "insert into %s values ", q->sql->name);
        for (; at < v->all.n && n < AT_ONCE; at++) {
            if (v->all.at[at].table != q->number)
                continue;
            buf_text(&sql, n++ ? ", " : "");
            q->sql->put_version(&sql, q->table, at, v->all.at[at].values);
        }
        ok = !n || run(q->versions, &sql);
    }
    buf_free(&sql);
    return ok;
}

/* Add a value to the index that is in a cell of an answer and is not NULL. */
static void
index_value(struct questions *q, uint32_t column, const char *value, size_t n)
{
    const bool is_text = column >= q->table->integers.n;
    row_index_add(&q->index, column,
                  is_text ? strings_add(&q->texts, value, strlen(value))
                          : strtoll(value, NULL, 10),
                  (uint32_t)n);
}

/* Take keys and values from an answer, and what is wanted for the index. */
static void
take_values(struct questions *q, const struct result_rows *rows, size_t i)
{
    struct row_versions *v = q->versions;
    const size_t n = version_of(v, rows, i);
    size_t column = 3;
    if (n == v->all.n)
        return;
    const char *key = result_rows_get(rows, i, 1);
    const char *shown = result_rows_get(rows, i, 2);
    v->all.at[n].key = arena_copy(&v->arena, key, strlen(key));
    v->all.at[n].shown = arena_copy(&v->arena, shown, strlen(shown));
    for (uint32_t k = 0; k < q->table->integers.n + q->table->texts.n; k++) {
        if (!q->is_wanted[k])
            continue;
        if (!result_rows_is_null(rows, i, column))
            index_value(q, k, result_rows_get(rows, i, column), n);
        column++;
    }
}

static bool
ask_values(struct questions *q)
{
    struct row_versions *v = q->versions;
    struct result_rows rows = {0};
    struct buf sql = {0};
    buf_text(&sql, "select assay_n, ");
    q->sql->put_key(&sql, q->table);
    buf_text(&sql, ", ");
    q->sql->put_shown(&sql, q->table);
    for (size_t i = 0; i < q->table->integers.n; i++)
        if (q->is_wanted[i]) {
            buf_text(&sql, ", ");
            q->sql->put_integer(&sql, q->table->integers.at[i]);
        }
    for (size_t i = 0; i < q->table->texts.n; i++)
        if (q->is_wanted[q->table->integers.n + i]) {
            buf_text(&sql, ", ");
            q->sql->put_text(&sql, q->table->texts.at[i]);
        }
    buf_text(&sql, " from ");
    q->sql->put_from(&sql, NULL);
    const bool ok = v->connection->driver->query(v->connection, sql.at,
                                                 &rows) == OUTCOME_OK;
    for (size_t i = 0; ok && i < rows.n; i++)
        take_values(q, &rows, i);
    row_index_sort(&q->index);
    result_rows_free(&rows);
    buf_free(&sql);
    return ok || row_versions_refuse(v, "rows could not be read back");
}

/* --- conditions ------------------------------------------------------------*/

/* Append "select version, condition from ... where ..." */
static void
put_condition(const struct questions *q, struct buf *sql, size_t condition,
              const u32_vec *candidates)
{
    const struct row_condition_text *c = &q->versions->conditions.at[condition];
    buf_printf(sql, "select assay_n, %zu from ", condition);
    q->sql->put_from(sql, c->alias);
    buf_text(sql, " where ");
    for (size_t i = 0; candidates && i < candidates->n; i++)
        buf_printf(sql, "%s%u", i ? ", " : "assay_n in (", candidates->at[i]);
    buf_printf(sql, "%s(%s)", candidates ? ") and " : "",
               c->sql ? c->sql : c->text);
}

/* Run a query for versions and the conditions that they satisfy. */
static bool
take_truth(const struct questions *q, struct buf *sql)
{
    struct row_versions *v = q->versions;
    struct result_rows rows = {0};
    const bool ok = v->connection->driver->query(v->connection, sql->at,
                                                 &rows) == OUTCOME_OK;
    for (size_t i = 0; ok && i < rows.n; i++) {
        const size_t n = version_of(v, &rows, i);
        const size_t condition =
            strtoul(result_rows_get(&rows, i, 1), NULL, 10);
        if (n < v->all.n && condition < v->conditions.n)
            vec_push(&v->conditions.at[condition].holds, (uint32_t)n);
    }
    result_rows_free(&rows);
    buf_clear(sql);
    return ok ||
           row_versions_refuse(v, "a condition could not be evaluated again");
}

/* The versions that have all values which a condition asks for. */
static void
find_candidates(struct questions *q, const struct row_condition_text *c,
                u32_vec *out)
{
    VEC(struct row_equality) wanted = {0};
    for (size_t i = 0; i < c->n_equalities; i++) {
        struct row_equality e = c->equalities[i];
        if (e.text)
            e.value = strings_add(&q->texts, e.text, strlen(e.text));
        vec_push(&wanted, e);
    }
    row_index_find(&q->index, wanted.at, wanted.n, out);
    vec_free(&wanted);
}

/* Decide the conditions of the table, or ask for them. */
static bool
ask_conditions(struct questions *q)
{
    struct row_versions *v = q->versions;
    struct buf sql = {0};
    u32_vec candidates = {0};
    size_t asked = 0, about = 0;
    bool ok = true;
    for (size_t i = 0; ok && i < v->conditions.n; i++) {
        struct row_condition_text *c = &v->conditions.at[i];
        if (c->table != q->number)
            continue;
        const bool is_narrow = c->n_equalities > 0;
        if (is_narrow)
            find_candidates(q, c, &candidates);
        if (c->is_equality)
            for (size_t k = 0; k < candidates.n; k++)
                vec_push(&c->holds, candidates.at[k]);
        if (c->is_equality || (is_narrow && !candidates.n))
            continue;
        buf_text(&sql, asked++ ? " union all " : "");
        put_condition(q, &sql, i, is_narrow ? &candidates : NULL);
        about += is_narrow ? candidates.n : CANDIDATES_AT_ONCE;
        if (asked == CONDITIONS_AT_ONCE || about >= CANDIDATES_AT_ONCE) {
            ok = take_truth(q, &sql);
            asked = about = 0;
        }
    }
    ok = ok && (!asked || take_truth(q, &sql));
    for (size_t i = 0; i < v->conditions.n; i++)
        if (v->conditions.at[i].table == q->number)
            sorted_unique(&v->conditions.at[i].holds);
    vec_free(&candidates);
    buf_free(&sql);
    return ok;
}

/* --- all of them -----------------------------------------------------------*/

/* Two rows may have NULL as their key; it is "" here. */
static bool
check_keys(const struct questions *q)
{
    struct row_versions *v = q->versions;
    bool ok = true;
    for (size_t i = 0; ok && i < v->all.n; i++)
        ok = v->all.at[i].table != q->number ||
             (v->all.at[i].shown && (!q->table->keys.n || *v->all.at[i].key));
    assert(v->refusal[0] == 0 || !ok);
    if (!ok)
        snprintf(v->refusal, sizeof v->refusal,
                 "a row with NULL or a blob in its key, in table %.100s",
                 q->table->name);
    return ok;
}

bool
row_versions_tabulate(struct row_versions *v, uint32_t table)
{
    bool any = false;
    for (size_t i = 0; !any && i < v->all.n; i++)
        any = v->all.at[i].table == table;
    if (!any)
        return true;
    struct questions q = {.versions = v,
                          .sql = v->watched->dialect->versions,
                          .table = &v->watched->tables.at[table],
                          .number = table};
    q.is_wanted = mem_calloc(q.table->integers.n + q.table->texts.n + 1,
                             sizeof *q.is_wanted);
    for (size_t i = 0; i < v->conditions.n; i++) {
        const struct row_condition_text *c = &v->conditions.at[i];
        for (size_t k = 0; c->table == table && k < c->n_equalities; k++)
            q.is_wanted[c->equalities[k].column] = true;
    }
    bool ok = make_table(&q);
    if (ok) {
        ok = fill_table(&q) && ask_values(&q) && check_keys(&q) &&
             ask_conditions(&q);
        struct buf sql = {0};
        buf_printf(&sql, "drop table %s", q.sql->name);
        v->connection->driver->query(v->connection, sql.at, NULL);
        buf_free(&sql);
    }
    mem_free(q.is_wanted);
    row_index_free(&q.index);
    strings_free(&q.texts);
    return ok;
}

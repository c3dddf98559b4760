/* random_table.c -- a random table, with indexes, constraints and triggers.
 *
 * Indexes are on columns that statements change, since an index on a column
 * that never changes tests little.  Column b has another value in each row at
 * first, so that it can be unique.
 *
 * SPDX-License-Identifier: MIT */
#include "spec/workload/random_maker.h"

enum { LEAST_COLUMNS = 2, MOST_COLUMNS = 4, MOST_INDEXES = 4 };

/* --- indexes ---------------------------------------------------------------*/

/* What an index is made of; drawn whole, whatever the product has. */
struct index_choice {
    unsigned kind, method, limit;
    char x, y;
    bool is_unique;
};

static struct index_choice
draw_index(struct random_maker *m, unsigned table)
{
    struct index_choice c = {.kind = random_maker_below(m, 100)};
    c.x = random_maker_column(m, table);
    c.y = random_maker_column(m, table);
    c.limit = random_maker_below(m, RANDOM_VALUES);
    c.method = random_maker_below(m, 2);
    c.is_unique = random_maker_chance(m, 50) && !m->tables[table].is_divided;
    c.is_unique = c.is_unique && c.kind >= 85;
    return c;
}

static void
put_columns(const struct random_maker *m, const struct random_table *t,
            const struct index_choice *c, struct buf *out)
{
    static const char *const methods[] = {"hash", "brin"};
    const bool has_partial = m->is_postgresql || m->is_sqlite;
    if (c->is_unique)
        buf_text(out, "(b)");
    else if (c->kind >= 75 && m->is_postgresql)
        buf_printf(out, "using %s (%c)", methods[c->method], c->x);
    else if (c->kind >= 60 && t->has_list)
        buf_text(out, "using gin (l)");
    else if (c->kind < 10 && t->has_sum)
        buf_text(out, "(g)");
    else if (c->kind < 25 && has_partial)
        buf_printf(out, "(%c) where %c > %u", c->x, c->y, c->limit);
    else if (c->kind < 40 && (has_partial || m->is_duckdb))
        buf_printf(out, "((%c + %c))", c->x, c->y);
    else if (c->kind < 60 && c->x != c->y)
        buf_printf(out, "(%c, %c)", c->x, c->y);
    else
        buf_printf(out, "(%c)", c->x);
}

static void
make_index(struct random_maker *m, unsigned table, unsigned i, struct buf *out)
{
    struct buf part = {0};
    const struct index_choice c = draw_index(m, table);
    buf_printf(&part, "create %sindex r%u_%u on r%u ",
               c.is_unique ? "unique " : "", table, i, table);
    put_columns(m, &m->tables[table], &c, &part);
    buf_text(&part, ";\n");
    random_maker_add(m, &part, out);
    buf_free(&part);
}

/* --- triggers --------------------------------------------------------------*/

/* A trigger that counts the updates of a row: in the row itself, or in the row
 * of the other table that has its key. */
static void
make_trigger(struct random_maker *m, unsigned table, struct random_sql *out)
{
    struct buf part = {0};
    const bool is_drawn = random_maker_chance(m, 25);
    const bool is_far = random_maker_chance(m, 40) && table;
    if (is_drawn && m->is_postgresql) {
        buf_printf(&part,
                   "create or replace function random_r%u() returns trigger "
                   "language plpgsql as '",
                   table);
        buf_text(&part,
                 is_far ? "begin update r0 set n = n + 1 where id = new.id; "
                          "return new; end"
                        : "begin new.n := old.n + 1; return new; end");
        buf_printf(&part,
                   "';\ncreate trigger t%u before update on r%u for each row "
                   "execute function random_r%u();\n",
                   table, table, table);
        buf_printf(&out->cleanup, "drop function if exists random_r%u()\n",
                   table);
    }
    random_maker_add(m, &part, &out->schema);
    buf_free(&part);
}

/* --- columns ---------------------------------------------------------------*/

static void
put_foreign_key(struct random_maker *m, unsigned table, bool is_drawn,
                struct buf *out)
{
    // SQLite does nothing of the kind unless it is asked to, DuckDB cannot, and
    // the recorder does not see what MariaDB's foreign keys change.
    static const char *const actions[] = {
        "", " on delete cascade", " on delete set null", " on delete cascade"};
    struct buf part = {0};
    const unsigned action = random_maker_below(m, 4);
    if (table && is_drawn)
        buf_printf(&part, ",\n    foreign key (a) references r0 (id)%s",
                   m->is_postgresql ? actions[action] : "");
    random_maker_add(m, &part, out);
    buf_free(&part);
}

/* Divide the table by its key; the end of 'create table' is included. */
static void
put_partitions(const struct random_maker *m, unsigned table, struct buf *out)
{
    const bool is_divided = m->tables[table].is_divided;
    buf_text(out, "\n)");
    if (is_divided)
        buf_text(out, " partition by hash (id)");
    if (is_divided && m->is_mariadb)
        buf_text(out, " partitions 2");
    buf_text(out, ";\n");
    for (unsigned i = 0; is_divided && m->is_postgresql && i < 2; i++)
        buf_printf(out,
                   "create table r%u_p%u partition of r%u for values with "
                   "(modulus 2, remainder %u);\n",
                   table, i, table, i);
}

static void
draw_shape(struct random_maker *m, unsigned table, bool has_key)
{
    struct random_table *t = &m->tables[table];
    t->columns =
        LEAST_COLUMNS + random_maker_below(m, MOST_COLUMNS - LEAST_COLUMNS + 1);
    const bool sum = random_maker_chance(m, 25);
    const bool list = random_maker_chance(m, 25);
    const bool divided = random_maker_chance(m, 20);
    // The recorder refuses them on DuckDB.
    t->has_sum = sum && !m->is_duckdb;
    t->has_list = list && m->is_postgresql;
    // MariaDB has no foreign keys from or to such a table.
    t->is_divided =
        divided && (m->is_postgresql ||
                    (m->is_mariadb && !has_key && table + 1 == m->tables_n));
}

static void
put_rows(struct random_maker *m, unsigned table, struct buf *out)
{
    const struct random_table *t = &m->tables[table];
    buf_printf(out, "insert into r%u (id", table);
    for (unsigned i = 0; i < t->columns; i++)
        buf_printf(out, ", %c", 'a' + (int)i);
    buf_text(out, ") values");
    for (unsigned row = 1; row <= RANDOM_ROWS; row++) {
        buf_printf(out, "%s (%u", row > 1 ? "," : "", row);
        for (unsigned i = 0; i < t->columns; i++) {
            const unsigned value = 1 + random_maker_below(m, RANDOM_ROWS);
            buf_printf(out, ", %u", i == 1 ? row : value);
        }
        buf_char(out, ')');
    }
    buf_text(out, ";\n");
}

void
random_table(struct random_maker *m, unsigned table, struct random_sql *out)
{
    struct buf *schema = &out->schema;
    const bool has_key = random_maker_chance(m, 60);
    draw_shape(m, table, has_key && table);
    const struct random_table *t = &m->tables[table];
    buf_printf(schema, "create table r%u (\n    id integer primary key", table);
    for (unsigned i = 0; i < t->columns; i++)
        buf_printf(schema, ",\n    %c integer", 'a' + (int)i);
    buf_text(schema, ",\n    n integer default 0");
    if (t->has_list)
        buf_text(schema, ",\n    l integer[] default '{}'");
    if (t->has_sum)
        buf_text(schema, ",\n    g integer generated always as (a + b) stored");
    put_foreign_key(m, table, has_key, schema);
    put_partitions(m, table, schema);
    const unsigned indexes = random_maker_below(m, MOST_INDEXES);
    for (unsigned i = 0; i < indexes; i++)
        make_index(m, table, i, schema);
    put_rows(m, table, schema);
    make_trigger(m, table, out);
}

/* random_statement.c -- random statements, which the row recorder understands.
 *
 * DuckDB merges updates of different columns of a row (spec/row/row_merges.h),
 * and nothing tells a merge from a lost update while the row changes on.  So
 * every update there also counts in column n: two of them always conflict.
 *
 * SPDX-License-Identifier: MIT */
#include "spec/workload/random_maker.h"

/* What a statement is about. */
struct choice {
    unsigned table;
    char x, y; // columns; may be the same
};

static void
put_count(const struct random_maker *m, struct buf *out)
{
    if (m->is_duckdb)
        buf_text(out, ", n = n + 1");
}

static void
put_insert(const struct random_maker *m, const struct choice *c,
           struct buf *out)
{
    const unsigned n = m->tables[c->table].columns;
    buf_printf(out, "insert into r%u (id", c->table);
    for (unsigned i = 0; i < n; i++)
        buf_printf(out, ", %c", 'a' + (int)i);
    buf_text(out, ") values (:k");
    for (unsigned i = 0; i < n; i++)
        buf_printf(out, ", %s", i % 2 ? ":w" : ":v");
    buf_char(out, ')');
}

/* Insert a row, or update the one that is there. */
static void
put_upsert(const struct random_maker *m, const struct choice *c,
           struct buf *out)
{
    put_insert(m, c, out);
    if (m->is_mariadb)
        buf_printf(out, " on duplicate key update %c = :w", c->x);
    else if (m->is_postgresql || m->is_sqlite || m->is_duckdb)
        buf_printf(out,
                   " on conflict (id) do update set %c = :w, n = r%u.n + 1",
                   c->x, c->table);
    buf_text(out, ";\n");
}

/* --- reads -----------------------------------------------------------------*/

static void
put_select(const struct random_maker *m, const struct choice *c, unsigned form,
           struct buf *out)
{
    const unsigned t = c->table;
    const bool has_locks = m->is_postgresql || m->is_mariadb;
    switch (form) {
    case 0:
        buf_printf(out, "select * from r%u where id = :k", t);
        break;
    case 1:
        buf_printf(out, "select * from r%u where %c = :v", t, c->x);
        break;
    case 2:
        buf_printf(out, "select * from r%u where %c between :v and :v + 2", t,
                   c->x);
        break;
    case 3:
        buf_printf(out, "select * from r%u where id = :k%s", t,
                   has_locks ? " for update" : "");
        break;
    case 4:
        if (m->tables[t].has_list)
            buf_printf(out, "select * from r%u where l @> array[:v]", t);
        else
            buf_printf(out, "select * from r%u where %c + %c > :v", t, c->x,
                       c->y);
        break;
    default:
        buf_printf(out, "select * from r%u", t);
    }
    buf_text(out, ";\n");
}

/* --- writes ----------------------------------------------------------------*/

static void
put_update(const struct random_maker *m, const struct choice *c, unsigned form,
           struct buf *out)
{
    const bool is_list = form == 4 && m->tables[c->table].has_list;
    buf_printf(out, "update r%u set ", c->table);
    if (is_list)
        buf_text(out, "l = array[:v, :w]");
    else if (form == 1)
        buf_printf(out, "%c = %c + 1", c->x, c->x);
    else if (form == 2 && c->x != c->y)
        buf_printf(out, "%c = :v, %c = %c + 1", c->x, c->y, c->y);
    else
        buf_printf(out, "%c = :v", c->x);
    put_count(m, out);
    if (form == 3)
        buf_printf(out, " where %c = :w", c->y);
    else if (form == 5)
        buf_printf(out, " where %c in (select id from r0 where b > :w)", c->y);
    else
        buf_text(out, " where id = :k");
    buf_text(out, ";\n");
}

static void
put_delete(const struct choice *c, bool by_column, struct buf *out)
{
    if (by_column)
        buf_printf(out, "delete from r%u where %c = :v;\n", c->table, c->x);
    else
        buf_printf(out, "delete from r%u where id = :k;\n", c->table);
}

void
random_statement(struct random_maker *m, struct buf *out)
{
    struct choice c = {.table = random_maker_below(m, m->tables_n)};
    c.x = random_maker_column(m, c.table);
    c.y = random_maker_column(m, c.table);
    const unsigned form = random_maker_below(m, 6);
    switch (random_maker_below(m, 12)) {
    case 0:
    case 1:
    case 2:
    case 3:
        put_select(m, &c, form, out);
        break;
    case 4:
    case 5:
    case 6:
    case 7:
        put_update(m, &c, form, out);
        break;
    case 8:
        put_delete(&c, form == 5, out);
        put_insert(m, &c, out);
        buf_text(out, ";\n");
        break;
    case 9:
        put_insert(m, &c, out);
        buf_text(out, ";\n");
        break;
    case 10:
        put_upsert(m, &c, out);
        break;
    default:
        put_delete(&c, form == 5, out);
    }
}

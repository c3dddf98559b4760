/* random_sql.c -- see random_sql.h.
 *
 * Few rows and few values, so that transactions meet.  Indexes are on columns
 * that statements change, since an index on a column that never changes tests
 * little.  A part that is left out draws its random numbers all the same: the
 * others stay what they are.
 *
 * SPDX-License-Identifier: MIT */
#include "spec/workload/random_sql.h"

#include "base/random.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_TABLES = 2,
    LEAST_COLUMNS = 2,
    MOST_COLUMNS = 4,
    ROWS = 4,
    VALUES = 5,
    MOST_STATEMENTS = 4,
    LEAST_SCRIPTS = 3,
};

static const char prefix[] = "random";

struct maker {
    struct random random;
    uint64_t left_out;
    unsigned parts;
    bool has_partial, has_expressions, has_cascade;
    unsigned tables;
    unsigned columns[MOST_TABLES]; // besides the key: a, b, c, d
};

/* --- names -----------------------------------------------------------------*/

bool
random_sql_is(const char *name)
{
    const size_t n = sizeof prefix - 1;
    return strncmp(name, prefix, n) == 0 && (!name[n] || name[n] == ':');
}

bool
random_sql_parse(const char *name, struct random_sql_name *out, struct err *err)
{
    const char *at = name + sizeof prefix - 1;
    char *end;
    *out = (struct random_sql_name){0};
    if (!*at)
        return true;
    out->has_seed = true;
    out->seed = strtoull(at + 1, &end, 10);
    bool ok = end > at + 1 && at[1] >= '0' && at[1] <= '9';
    if (ok && *end == ':') {
        at = end;
        out->left_out = strtoull(at + 1, &end, 16);
        ok = end > at + 1 && at[1] != '-' && at[1] != '+' && at[1] != ' ';
    }
    return (ok && !*end) ||
           err_set(err, ERR_USAGE,
                   "found '-w %s', expected random, random:SEED or "
                   "random:SEED:PARTS with PARTS in hexadecimal",
                   name);
}

/* --- drawing ---------------------------------------------------------------*/

static unsigned
below(struct maker *m, unsigned n)
{
    return (unsigned)random_below(&m->random, n);
}

static bool
chance(struct maker *m, unsigned percent)
{
    return below(m, 100) < percent;
}

static char
column(struct maker *m, unsigned table)
{
    return (char)('a' + below(m, m->columns[table]));
}

/* Append a part unless it is left out, and empty it. */
static bool
add_part(struct maker *m, struct buf *part, struct buf *out)
{
    const unsigned number = m->parts++;
    const bool is_in =
        number >= RANDOM_SQL_PARTS || !(m->left_out >> number & 1);
    if (is_in)
        buf_add(out, part->at, part->n);
    buf_clear(part);
    return is_in;
}

/* --- tables ----------------------------------------------------------------*/

static void
make_index(struct maker *m, unsigned table, unsigned i, struct buf *out)
{
    struct buf part = {0};
    const char x = column(m, table), y = column(m, table);
    const unsigned kind = below(m, 100);
    const unsigned limit = below(m, VALUES);
    buf_printf(&part, "create index r%u_%u on r%u (", table, i, table);
    if (kind < 20 && m->has_partial)
        buf_printf(&part, "%c) where %c > %u", x, y, limit);
    else if (kind < 40 && m->has_expressions)
        buf_printf(&part, "(%c + %c)", x, y);
    else if (kind < 60 && x != y)
        buf_printf(&part, "%c, %c", x, y);
    else
        buf_printf(&part, "%c", x);
    buf_text(&part, kind < 20 && m->has_partial ? ";\n" : ");\n");
    add_part(m, &part, out);
    buf_free(&part);
}

static void
make_table(struct maker *m, unsigned table, struct buf *out)
{
    struct buf part = {0};
    m->columns[table] =
        LEAST_COLUMNS + below(m, MOST_COLUMNS - LEAST_COLUMNS + 1);
    buf_printf(out, "create table r%u (\n    id integer primary key", table);
    for (unsigned i = 0; i < m->columns[table]; i++)
        buf_printf(out, ",\n    %c integer", 'a' + (int)i);
    if (table && chance(m, 60)) {
        const bool cascades = chance(m, 50) && m->has_cascade;
        buf_printf(&part, ",\n    foreign key (a) references r0 (id)%s",
                   cascades ? " on delete cascade" : "");
        add_part(m, &part, out);
    }
    buf_text(out, "\n);\n");
    const unsigned indexes = below(m, 4);
    for (unsigned i = 0; i < indexes; i++)
        make_index(m, table, i, out);
    buf_printf(out, "insert into r%u values", table);
    for (unsigned row = 1; row <= ROWS; row++) {
        buf_printf(out, "%s (%u", row > 1 ? "," : "", row);
        for (unsigned i = 0; i < m->columns[table]; i++)
            buf_printf(out, ", %u", 1 + below(m, ROWS));
        buf_char(out, ')');
    }
    buf_text(out, ";\n");
    buf_free(&part);
}

/* --- statements ------------------------------------------------------------*/

static void
put_insert(struct maker *m, unsigned table, struct buf *out)
{
    buf_printf(out, "insert into r%u values (:k", table);
    for (unsigned i = 0; i < m->columns[table]; i++)
        buf_printf(out, ", %s", i % 2 ? ":w" : ":v");
    buf_text(out, ");\n");
}

static void
make_statement(struct maker *m, struct buf *part)
{
    const unsigned t = below(m, m->tables);
    const char x = column(m, t), y = column(m, t);
    switch (below(m, 11)) {
    case 0:
    case 1:
        buf_printf(part, "select * from r%u where id = :k;\n", t);
        break;
    case 2:
        buf_printf(part, "select * from r%u where %c = :v;\n", t, x);
        break;
    case 3:
        buf_printf(part, "select * from r%u where %c between :v and :v + 2;\n",
                   t, x);
        break;
    case 4:
        buf_printf(part, "update r%u set %c = :v where id = :k;\n", t, x);
        break;
    case 5:
        buf_printf(part, "update r%u set %c = %c + 1 where id = :k;\n", t, x,
                   x);
        break;
    case 6:
        if (x == y)
            buf_printf(part, "update r%u set %c = :w where id = :k;\n", t, x);
        else
            buf_printf(part,
                       "update r%u set %c = :v, %c = %c + 1 where id = :k;\n",
                       t, x, y, y);
        break;
    case 7:
        buf_printf(part, "update r%u set %c = :v where %c = :w;\n", t, x, y);
        break;
    case 8:
        buf_printf(part, "delete from r%u where id = :k;\n", t);
        put_insert(m, t, part);
        break;
    case 9:
        put_insert(m, t, part);
        break;
    default:
        buf_printf(part, "delete from r%u where id = :k;\n", t);
    }
}

static void
make_script(struct maker *m, struct buf *out)
{
    struct buf body = {0}, part = {0};
    const unsigned n = 1 + below(m, MOST_STATEMENTS);
    const bool is_whole = n == 1 && chance(m, 30);
    for (unsigned i = 0; i < n; i++) {
        make_statement(m, &part);
        add_part(m, &part, &body);
    }
    if (body.n)
        buf_printf(out,
                   "\\set k random(1, %d)\n\\set v random(1, %d)\n"
                   "\\set w random(1, %d)\n%s%s%s",
                   ROWS, VALUES, VALUES, is_whole ? "" : "begin;\n", body.at,
                   is_whole ? "" : "commit;\n");
    buf_free(&part);
    buf_free(&body);
}

/* --- all of it -------------------------------------------------------------*/

static bool
is_one_of(const char *product, const char *a, const char *b, const char *c)
{
    return strcmp(product, a) == 0 || strcmp(product, b) == 0 ||
           (c && strcmp(product, c) == 0);
}

void
random_sql_make(uint64_t seed, uint64_t left_out, const char *product,
                struct random_sql *out)
{
    struct maker m = {.left_out = left_out};
    random_seed(&m.random, seed);
    m.has_partial = is_one_of(product, "postgresql", "sqlite", NULL);
    m.has_expressions = is_one_of(product, "postgresql", "sqlite", "duckdb");
    // SQLite does nothing of the kind unless it is asked to, DuckDB cannot, and
    // the recorder does not see what MariaDB's foreign keys change.
    m.has_cascade = strcmp(product, "postgresql") == 0;
    *out = (struct random_sql){0};
    m.tables = 1 + below(&m, MOST_TABLES);
    for (unsigned i = 0; i < m.tables; i++)
        make_table(&m, i, &out->schema);
    const unsigned n =
        LEAST_SCRIPTS + below(&m, RANDOM_SQL_SCRIPTS - LEAST_SCRIPTS + 1);
    for (unsigned i = 0; i < n; i++)
        make_script(&m, &out->scripts[i]);
    out->parts = m.parts;
}

void
random_sql_free(struct random_sql *r)
{
    buf_free(&r->schema);
    for (size_t i = 0; i < RANDOM_SQL_SCRIPTS; i++)
        buf_free(&r->scripts[i]);
}

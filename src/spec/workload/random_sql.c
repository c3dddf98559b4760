/* random_sql.c -- see random_sql.h.
 *
 * A part that is left out draws its random numbers all the same: the others
 * stay what they are.  So do parts that a product does not have.
 *
 * SPDX-License-Identifier: MIT */
#include "spec/workload/random_sql.h"

#include "spec/workload/random_maker.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_STATEMENTS = 4, LEAST_SCRIPTS = 3 };

static const char prefix[] = "random";

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

unsigned
random_maker_below(struct random_maker *m, unsigned n)
{
    return (unsigned)random_below(&m->random, n);
}

bool
random_maker_chance(struct random_maker *m, unsigned percent)
{
    return random_maker_below(m, 100) < percent;
}

char
random_maker_column(struct random_maker *m, unsigned table)
{
    return (char)('a' + random_maker_below(m, m->tables[table].columns));
}

bool
random_maker_add(struct random_maker *m, struct buf *part, struct buf *out)
{
    const unsigned number = m->parts++;
    const bool is_in =
        number >= RANDOM_SQL_PARTS || !(m->left_out >> number & 1);
    if (is_in)
        buf_add(out, part->at, part->n);
    if (!part->n && number < RANDOM_SQL_PARTS)
        m->empty |= UINT64_C(1) << number;
    buf_clear(part);
    return is_in;
}

/* --- all of it -------------------------------------------------------------*/

static void
make_script(struct random_maker *m, struct buf *out)
{
    struct buf body = {0}, part = {0};
    const unsigned n = 1 + random_maker_below(m, MOST_STATEMENTS);
    const bool is_whole = n == 1 && random_maker_chance(m, 30);
    for (unsigned i = 0; i < n; i++) {
        random_statement(m, &part);
        random_maker_add(m, &part, &body);
    }
    if (body.n)
        buf_printf(out,
                   "\\set k random(1, %d)\n\\set v random(1, %d)\n"
                   "\\set w random(1, %d)\n%s%s%s",
                   RANDOM_ROWS, RANDOM_VALUES, RANDOM_VALUES,
                   is_whole ? "" : "begin;\n", body.at,
                   is_whole ? "" : "commit;\n");
    buf_free(&part);
    buf_free(&body);
}

/* What the row recorder understands on each product (doc/interleavings.md). */
static void
find_abilities(const char *product, struct random_maker *m)
{
    m->is_postgresql = strcmp(product, "postgresql") == 0;
    m->is_mariadb = strcmp(product, "mariadb") == 0;
    m->is_sqlite = strcmp(product, "sqlite") == 0;
    m->is_duckdb = strcmp(product, "duckdb") == 0;
}

void
random_sql_make(uint64_t seed, uint64_t left_out, const char *product,
                struct random_sql *out)
{
    struct random_maker m = {.left_out = left_out};
    random_seed(&m.random, seed);
    find_abilities(product, &m);
    *out = (struct random_sql){0};
    m.tables_n = 1 + random_maker_below(&m, RANDOM_TABLES);
    for (unsigned i = 0; i < m.tables_n; i++)
        random_table(&m, i, out);
    const unsigned n =
        LEAST_SCRIPTS +
        random_maker_below(&m, RANDOM_SQL_SCRIPTS - LEAST_SCRIPTS + 1);
    for (unsigned i = 0; i < n; i++)
        make_script(&m, &out->scripts[i]);
    out->parts = m.parts;
    out->empty = m.empty;
}

void
random_sql_free(struct random_sql *r)
{
    buf_free(&r->schema);
    buf_free(&r->cleanup);
    for (size_t i = 0; i < RANDOM_SQL_SCRIPTS; i++)
        buf_free(&r->scripts[i]);
}

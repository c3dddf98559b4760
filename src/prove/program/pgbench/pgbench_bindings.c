/* pgbench_bindings.c -- see pgbench_bindings.h.
 *
 * SPDX-License-Identifier: MIT */
#include "prove/program/pgbench/pgbench_bindings.h"

#include "base/print.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Where a variable is, or would be added. */
static size_t
find_variable(const struct pgbench_bindings *b, const char *name, size_t n)
{
    size_t i = 0;
    while (i < b->all.n && (strncmp(b->all.at[i].name, name, n) != 0 ||
                            b->all.at[i].name[n] != 0))
        i++;
    return i;
}

void
pgbench_bind(struct pgbench_bindings *b, const char *name, size_t n,
             const char *sql)
{
    assert(n < PGBENCH_NAME_ROOM);
    const size_t i = find_variable(b, name, n);
    if (i == b->all.n) {
        vec_push(&b->all, (struct pgbench_binding){0});
        memcpy(b->all.at[i].name, name, n);
    }
    buf_clear(&b->all.at[i].sql);
    buf_text(&b->all.at[i].sql, sql);
    b->all.at[i].is_real = false;
}

void
pgbench_bind_number(struct pgbench_bindings *b, const char *name, size_t n,
                    struct pgbench_number x)
{
    char text[40];
    if (x.is_real)
        print_text(text, sizeof text, "%.15g", x.real); // as pgbench does
    else
        print_text(text, sizeof text, "%" PRId64, x.integer);
    pgbench_bind(b, name, n, text);
    struct pgbench_binding *bound = &b->all.at[find_variable(b, name, n)];
    bound->is_real = x.is_real;
    bound->real = x.real;
}

const struct pgbench_binding *
pgbench_find(const struct pgbench_bindings *b, const char *name, size_t n)
{
    const size_t i = find_variable(b, name, n);
    return i < b->all.n ? &b->all.at[i] : NULL;
}

const char *
pgbench_bound(const struct pgbench_bindings *b, const char *name, size_t n)
{
    const struct pgbench_binding *bound = pgbench_find(b, name, n);
    return bound ? bound->sql.at : NULL;
}

void
pgbench_bindings_free(struct pgbench_bindings *b)
{
    for (size_t i = 0; i < b->all.n; i++)
        buf_free(&b->all.at[i].sql);
    vec_free(&b->all);
}

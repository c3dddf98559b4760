/* pgbench_bindings.h -- the values that variables of a script have.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PROVE_PROGRAM_PGBENCH_PGBENCH_BINDINGS_H
#define PROVE_PROGRAM_PGBENCH_PGBENCH_BINDINGS_H

#include "prove/program/pgbench/pgbench_command.h"

struct pgbench_number {
    bool is_real;
    int64_t integer;
    double real;
};

/* A variable and its value in SQL: a number, a literal or null. */
struct pgbench_binding {
    char name[PGBENCH_NAME_ROOM];
    struct buf sql;
    bool is_real; // of \set; "7" in SQL may be 7.0 in an expression
    double real;
};

/* All-zero is empty. */
struct pgbench_bindings {
    VEC(struct pgbench_binding) all;
};

void pgbench_bind(struct pgbench_bindings *b, const char *name, size_t n,
                  const char *sql);

void pgbench_bind_number(struct pgbench_bindings *b, const char *name, size_t n,
                         struct pgbench_number x);

/* The variable, or NULL. */
const struct pgbench_binding *pgbench_find(const struct pgbench_bindings *b,
                                           const char *name, size_t n);

/* The value in SQL, or NULL. */
const char *pgbench_bound(const struct pgbench_bindings *b, const char *name,
                          size_t n);

void pgbench_bindings_free(struct pgbench_bindings *b);

#endif

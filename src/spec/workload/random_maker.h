/* random_maker.h -- what the makers of random tables and statements share.
 *
 * Private to random_*.c.  Few rows and few values, so that transactions meet.
 *
 * SPDX-License-Identifier: MIT */
#ifndef SPEC_WORKLOAD_RANDOM_MAKER_H
#define SPEC_WORKLOAD_RANDOM_MAKER_H

#include "base/random.h"
#include "spec/workload/random_sql.h"

enum { RANDOM_TABLES = 2, RANDOM_ROWS = 4, RANDOM_VALUES = 5 };

struct random_table {
    unsigned columns; // besides the key and n: a, b, c, d
    bool has_sum;     // g, which the database computes from the others
    bool has_list;    // l, an array of integers
    bool is_divided;  // into partitions, by the key
};

struct random_maker {
    struct random random;
    uint64_t left_out, empty;
    unsigned parts;
    bool is_postgresql, is_mariadb, is_sqlite, is_duckdb; // at most one
    unsigned tables_n;
    struct random_table tables[RANDOM_TABLES];
};

unsigned random_maker_below(struct random_maker *m, unsigned n);
bool random_maker_chance(struct random_maker *m, unsigned percent);
char random_maker_column(struct random_maker *m, unsigned table);

/* Append a part unless it is left out, and empty it. */
bool random_maker_add(struct random_maker *m, struct buf *part,
                      struct buf *out);

/* Append a table, with its indexes, triggers and rows, to the schema. */
void random_table(struct random_maker *m, unsigned table,
                  struct random_sql *out);

/* Append a statement about one of the tables. */
void random_statement(struct random_maker *m, struct buf *out);

#endif

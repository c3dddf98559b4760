/* app.h -- benchmark applications: tables, and procedures that work on them.
 *
 * An application is written once, against cells: a cell is a column of a row,
 * rows have integers for primary keys, and all values are integers.  What a
 * cell is in a database, and how it is recorded, is up to the caller of
 * the procedures (collect/).
 *
 * Procedures are straight-line code.  When an access fails, the transaction is
 * marked; from then on reads give 0, writes do nothing, and the procedure
 * runs to its end to no effect.  So loops must be bounded whatever is read.
 *
 * SPDX-License-Identifier: MIT */
#ifndef APP_APP_H
#define APP_APP_H

#include "base/random.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct app_column {
    const char *name;
    int64_t initial; // of the rows that are there from the beginning
};

enum { APP_COLUMNS = 6, APP_TABLES = 9, APP_PROCEDURES = 10 };

struct app_table {
    const char *name;
    struct app_column columns[APP_COLUMNS]; // ends in one without a name
    uint64_t rows_per_unit; // that are there from the beginning; 0: empty
};

/* How the cells are reached; false marks the transaction as failed. */
struct app_access {
    void *self;
    /* The value of a cell; *value is left alone where there is no such row. */
    bool (*read)(void *self, size_t table, uint64_t row, size_t column,
                 int64_t *value);
    /* Write a cell, and make its row where there is none. */
    bool (*write)(void *self, size_t table, uint64_t row, size_t column,
                  int64_t value);
};

struct app_txn {
    const struct app *app;
    const struct app_access *access;
    struct random *random;
    uint64_t units;   // how large the application is
    uint64_t session; // of how many
    uint64_t sessions;
    uint64_t number; // transactions of this session before it
    bool failed;
};

/* Run a transaction; false means that it decided to roll back. */
typedef bool app_procedure(struct app_txn *t);

struct app {
    const char *name, *help;
    uint64_t units;                      // by default
    struct app_table tables[APP_TABLES]; // ends in one without a name
    struct {
        const char *name;
        unsigned weight; // in percent
        bool reads_only;
        app_procedure *run;
    } procedures[APP_PROCEDURES]; // ends in one without a name
};

extern const struct app *const app_list[]; // ends in NULL

const struct app *app_find(const char *name);

/* Rows 0 .. n-1 of a table are there from the beginning. */
uint64_t app_rows(const struct app *a, size_t table, uint64_t units);

/* Draw a procedure by weight, of those that only read where that is all. */
size_t app_draw(const struct app *a, bool reads_only, struct random *r);

/* --- for procedures --------------------------------------------------------*/

int64_t app_get(struct app_txn *t, size_t table, uint64_t row, size_t column);
void app_set(struct app_txn *t, size_t table, uint64_t row, size_t column,
             int64_t value);

/* Add to a cell and return what it was. */
int64_t app_add(struct app_txn *t, size_t table, uint64_t row, size_t column,
                int64_t by);

/* A random number below n, which may be 0. */
uint64_t app_below(struct app_txn *t, uint64_t n);

/* A number that no other transaction of the run gets, from 1 on. */
int64_t app_fresh(const struct app_txn *t);

#endif

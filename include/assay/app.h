/* assay/app.h -- an application that assay runs: tables, and procedures that
 * work on them.
 *
 * The applications that come with assay are written against this header, and
 * one of your own can be: build it as a shared library that defines
 * 'assay_app', and name the file where a workload is asked for.
 *
 *     cc -shared -fPIC -I include -o on_call.so examples/own/on_call.c
 *     assay test store:ser -w ./on_call.so --predict si --validate
 *
 * An application is written against cells: a cell is a column of a row, rows
 * have integers for primary keys, and all values are integers.  What a cell is
 * in a database, and how it is recorded, is up to assay.
 *
 * A procedure is one transaction.  It must do the same again when it reads the
 * same and draws the same: its only sources are app_get, app_below, app_fresh
 * and the members of its app_txn.  Procedures of different sessions run at the
 * same time, in threads.
 *
 * When an access fails, the transaction is marked; from then on reads give 0,
 * writes do nothing, and the procedure runs to its end to no effect.  So loops
 * must be bounded whatever is read.
 *
 * SPDX-License-Identifier: MIT */
#ifndef ASSAY_APP_H
#define ASSAY_APP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { APP_INTERFACE = 1 }; // of this header

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

struct random; // assay's own

struct app_txn {
    const struct app *app;
    const struct app_access *access;
    struct random *random;
    uint64_t (*below)(struct random *r, uint64_t n);
    uint64_t units;   // how large the application is
    uint64_t session; // of how many
    uint64_t sessions;
    uint64_t number; // transactions of this session before it
    bool failed;
};

/* Run a transaction; false means that it decided to roll back. */
typedef bool app_procedure(struct app_txn *t);

struct app {
    unsigned interface; // APP_INTERFACE
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

/* --- for procedures --------------------------------------------------------*/

/* The value of a cell; 0 where there is no such row. */
static inline int64_t
app_get(struct app_txn *t, size_t table, uint64_t row, size_t column)
{
    int64_t value = 0;
    if (!t->failed)
        t->failed =
            !t->access->read(t->access->self, table, row, column, &value);
    return t->failed ? 0 : value;
}

static inline void
app_set(struct app_txn *t, size_t table, uint64_t row, size_t column,
        int64_t value)
{
    if (!t->failed)
        t->failed =
            !t->access->write(t->access->self, table, row, column, value);
}

/* Add to a cell and return what it was. */
static inline int64_t
app_add(struct app_txn *t, size_t table, uint64_t row, size_t column,
        int64_t by)
{
    const int64_t was = app_get(t, table, row, column);
    app_set(t, table, row, column, was + by);
    return was;
}

/* A random number below n, which may be 0. */
static inline uint64_t
app_below(struct app_txn *t, uint64_t n)
{
    return n ? t->below(t->random, n) : 0;
}

/* A number that no other transaction of the run gets, from 1 on. */
static inline int64_t
app_fresh(const struct app_txn *t)
{
    return (int64_t)(t->number * t->sessions + t->session + 1);
}

#endif

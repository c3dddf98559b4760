/* app.c -- see app.h.
 *
 * SPDX-License-Identifier: MIT */
#include "app/app.h"

#include "app/apps.h"

#include <string.h>

const struct app *const app_list[] = {
    &app_smallbank, &app_voter,   &app_tpcc,  &app_wikipedia,
    &app_courses,   &app_twitter, &app_rubis, NULL,
};

const struct app *
app_find(const char *name)
{
    for (size_t i = 0; app_list[i]; i++)
        if (strcmp(app_list[i]->name, name) == 0)
            return app_list[i];
    return NULL;
}

uint64_t
app_rows(const struct app *a, size_t table, uint64_t units)
{
    return a->tables[table].rows_per_unit * units;
}

size_t
app_draw(const struct app *a, bool reads_only, struct random *r)
{
    unsigned total = 0;
    for (size_t i = 0; a->procedures[i].name; i++)
        if (!reads_only || a->procedures[i].reads_only)
            total += a->procedures[i].weight;
    uint64_t ticket = random_below(r, total);
    size_t i = 0;
    for (;; i++) {
        if (reads_only && !a->procedures[i].reads_only)
            continue;
        if (ticket < a->procedures[i].weight)
            return i;
        ticket -= a->procedures[i].weight;
    }
}

int64_t
app_get(struct app_txn *t, size_t table, uint64_t row, size_t column)
{
    int64_t value = 0;
    if (!t->failed)
        t->failed =
            !t->access->read(t->access->self, table, row, column, &value);
    return t->failed ? 0 : value;
}

void
app_set(struct app_txn *t, size_t table, uint64_t row, size_t column,
        int64_t value)
{
    if (!t->failed)
        t->failed =
            !t->access->write(t->access->self, table, row, column, value);
}

int64_t
app_add(struct app_txn *t, size_t table, uint64_t row, size_t column,
        int64_t by)
{
    const int64_t was = app_get(t, table, row, column);
    app_set(t, table, row, column, was + by);
    return was;
}

uint64_t
app_below(struct app_txn *t, uint64_t n)
{
    return n ? random_below(t->random, n) : 0;
}

int64_t
app_fresh(const struct app_txn *t)
{
    return (int64_t)(t->number * t->sessions + t->session + 1);
}

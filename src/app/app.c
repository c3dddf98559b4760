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

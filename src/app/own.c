/* own.c -- applications of users, in shared libraries.
 *
 * What a library says about its tables becomes SQL, so names are checked here,
 * and so is that the lists end.
 *
 * SPDX-License-Identifier: MIT */
#include "app/app.h"
#include "base/library.h"

#include <string.h>

enum { MOST_NAME = 30 };

/* Letters, digits and underscores, a letter first; procedures may also have
 * hyphens. */
static bool
is_name(const char *text, bool hyphens)
{
    size_t n = 0;
    for (; text[n]; n++) {
        const char c = text[n];
        const bool letter = c >= 'a' && c <= 'z';
        const bool other = (c >= '0' && c <= '9') || c == '_';
        if (!letter && (n == 0 || (!other && !(hyphens && c == '-'))))
            return false;
    }
    return n > 0 && n <= MOST_NAME;
}

static bool
check_table(const struct app_table *t, struct err *err)
{
    size_t n = 0;
    if (!is_name(t->name, false))
        return err_set(err, ERR_USAGE,
                       "found a table '%s', expected a name of small letters, "
                       "digits and '_', at most %d of them",
                       t->name, MOST_NAME);
    for (; n < APP_COLUMNS && t->columns[n].name; n++)
        if (!is_name(t->columns[n].name, false))
            return err_set(err, ERR_USAGE,
                           "table '%s' has a column '%s', expected a name of "
                           "small letters, digits and '_'",
                           t->name, t->columns[n].name);
    return (n > 0 && n < APP_COLUMNS) ||
           err_set(err, ERR_USAGE,
                   "table '%s' has %zu columns, expected 1 to "
                   "%d and then one without a name",
                   t->name, n, APP_COLUMNS - 1);
}

static bool
check_tables(const struct app *a, struct err *err)
{
    size_t n = 0;
    for (; n < APP_TABLES && a->tables[n].name; n++)
        if (!check_table(&a->tables[n], err))
            return false;
    return (n > 0 && n < APP_TABLES) ||
           err_set(err, ERR_USAGE,
                   "found %zu tables, expected 1 to %d and "
                   "then one without a name",
                   n, APP_TABLES - 1);
}

static bool
check_procedures(const struct app *a, struct err *err)
{
    size_t n = 0, weight = 0;
    for (; n < APP_PROCEDURES && a->procedures[n].name; n++) {
        if (!is_name(a->procedures[n].name, true) || !a->procedures[n].run)
            return err_set(err, ERR_USAGE,
                           "procedure %zu, '%s', has no function or no name "
                           "of small letters, digits, '_' and '-'",
                           n + 1, a->procedures[n].name);
        weight += a->procedures[n].weight;
    }
    return (n > 0 && n < APP_PROCEDURES && weight > 0 && weight <= 1000000) ||
           err_set(err, ERR_USAGE,
                   "found %zu procedures of weight %zu, expected 1 to %d, a "
                   "weight, and then one without a name",
                   n, weight, APP_PROCEDURES - 1);
}

static bool
load(const char *path, const struct app **out, struct err *err)
{
    static const char *const names[] = {"assay_app"};
    struct {
        const struct app *app;
    } table = {NULL};
    if (!library_load(path, names, 1, &table, err))
        return false;
    const struct app *a = table.app;
    if (a->interface != APP_INTERFACE)
        return err_set(err, ERR_USAGE,
                       "found an application for interface %u, expected %d",
                       a->interface, APP_INTERFACE);
    if (!a->name || !is_name(a->name, true) || !a->units)
        return err_set(err, ERR_USAGE,
                       "found an application without a name or units");
    *out = a;
    return check_tables(a, err) && check_procedures(a, err);
}

bool
app_open(const char *name, const struct app **out, struct err *err)
{
    *out = app_find(name);
    if (*out || !strchr(name, '/'))
        return true;
    return load(name, out, err) || err_in_file(err, name);
}

/* app.h -- applications: those that come with assay, and those of users.
 *
 * assay/app.h says what an application is.
 *
 * SPDX-License-Identifier: MIT */
#ifndef APP_APP_H
#define APP_APP_H

#include "base/err.h"
#include "base/random.h"

#include <assay/app.h>

extern const struct app *const app_list[]; // ends in NULL

const struct app *app_find(const char *name);

/* The same, or the application of a shared library where the name has a slash;
 * *out is NULL where there is no application of that name.  Fails where the
 * library cannot be used. */
bool app_open(const char *name, const struct app **out, struct err *err);

/* Rows 0 .. n-1 of a table are there from the beginning. */
uint64_t app_rows(const struct app *a, size_t table, uint64_t units);

/* Draw a procedure by weight, of those that only read where that is all. */
size_t app_draw(const struct app *a, bool reads_only, struct random *r);

#endif

/* bad_app.c -- an application with a table whose name is not one.
 *
 * SPDX-License-Identifier: MIT */
#include <assay/app.h>

static bool
nothing(struct app_txn *t)
{
    return !t->failed;
}

const struct app assay_app = {
    .interface = APP_INTERFACE,
    .name = "bad",
    .units = 1,
    .tables = {{"x; drop table y", {{"c", 0}}, 1}},
    .procedures = {{"nothing", 1, false, nothing}},
};

/* drive_no_sqlite.c -- in place of drive_sqlite.c where the build has no
 * sqlite3.
 *
 * SPDX-License-Identifier: MIT */
#include "driver/drivers.h"

static bool
refuse(struct database *db, struct err *err)
{
    (void)db;
    return err_set(err, ERR_FEATURE,
                   "this program was built without SQLite (sqlite3)");
}

const struct driver driver_sqlite = {
    .scheme = "sqlite",
    .form = "sqlite:",
    .help = "not in this build",
    .open = refuse,
};

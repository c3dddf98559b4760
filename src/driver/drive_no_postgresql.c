/* drive_no_postgresql.c -- in place of drive_postgresql.c where the build has
 * no libpq.
 *
 * SPDX-License-Identifier: MIT */
#include "driver/drivers.h"

static bool
refuse(struct database *db, struct err *err)
{
    (void)db;
    return err_set(err, ERR_FEATURE,
                   "this program was built without PostgreSQL (libpq)");
}

const struct driver driver_postgresql = {
    .scheme = "postgresql",
    .form = "postgresql:",
    .help = "not in this build",
    .open = refuse,
};

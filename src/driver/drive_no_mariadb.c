/* drive_no_mariadb.c -- in place of drive_mariadb.c where the build has no
 * libmariadb.
 *
 * SPDX-License-Identifier: MIT */
#include "driver/drivers.h"

static bool
refuse(struct database *db, struct err *err)
{
    (void)db;
    return err_set(err, ERR_FEATURE,
                   "this program was built without MariaDB (libmariadb)");
}

const struct driver driver_mariadb = {
    .scheme = "mariadb",
    .form = "mariadb:",
    .help = "not in this build",
    .open = refuse,
};

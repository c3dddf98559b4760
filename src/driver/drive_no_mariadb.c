/* drive_no_mariadb.c -- in place of drive_mariadb.c where the build has
 * no libmariadb.
 *
 * SPDX-License-Identifier: MIT */
#include "driver/drivers.h"

const struct driver driver_mariadb = {
    .scheme = "mariadb",
    .form = "mariadb:",
    .help = "not in this build",
    .open = driver_missing,
};

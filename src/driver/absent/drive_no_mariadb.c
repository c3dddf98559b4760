/* drive_no_mariadb.c -- replaces drive_mariadb.c in a build without
 * libmariadb.
 *
 * SPDX-License-Identifier: MIT */
#include "driver/drivers.h"

const struct driver driver_mariadb = {
    .scheme = "mariadb",
    .form = "mariadb:",
    .help = "not in this build",
    .open = driver_missing,
};

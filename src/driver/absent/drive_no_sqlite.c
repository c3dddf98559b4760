/* drive_no_sqlite.c -- replaces drive_sqlite.c in a build without
 * sqlite3.
 *
 * SPDX-License-Identifier: MIT */
#include "driver/drivers.h"

const struct driver driver_sqlite = {
    .scheme = "sqlite",
    .form = "sqlite:",
    .help = "not in this build",
    .open = driver_missing,
};

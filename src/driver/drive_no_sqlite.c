/* drive_no_sqlite.c -- in place of drive_sqlite.c where the build has
 * no sqlite3.
 *
 * SPDX-License-Identifier: MIT */
#include "driver/drivers.h"

const struct driver driver_sqlite = {
    .scheme = "sqlite",
    .form = "sqlite:",
    .help = "not in this build",
    .open = driver_missing,
};

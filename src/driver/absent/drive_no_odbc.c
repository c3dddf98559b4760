/* drive_no_odbc.c -- replaces drive_odbc.c in a build without unixODBC.
 *
 * SPDX-License-Identifier: MIT */
#include "driver/drivers.h"

const struct driver driver_odbc = {
    .scheme = "odbc",
    .form = "odbc:",
    .help = "not in this build",
    .open = driver_missing,
};

/* drive_no_postgresql.c -- in place of drive_postgresql.c where the build has
 * no libpq.
 *
 * SPDX-License-Identifier: MIT */
#include "driver/drivers.h"

const struct driver driver_postgresql = {
    .scheme = "postgresql",
    .form = "postgresql:",
    .help = "not in this build",
    .open = driver_missing,
};

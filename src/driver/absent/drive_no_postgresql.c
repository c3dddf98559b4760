/* drive_no_postgresql.c -- replaces drive_postgresql.c in a build without
 * libpq.
 *
 * SPDX-License-Identifier: MIT */
#include "driver/drivers.h"

const struct driver driver_postgresql = {
    .scheme = "postgresql",
    .form = "postgresql:",
    .help = "not in this build",
    .open = driver_missing,
};

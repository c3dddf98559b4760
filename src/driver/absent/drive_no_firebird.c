/* drive_no_firebird.c -- replaces drive_firebird.c in a build without
 * ibase.h.
 *
 * SPDX-License-Identifier: MIT */
#include "driver/drivers.h"

const struct driver driver_firebird = {
    .scheme = "firebird",
    .form = "firebird:",
    .help = "not in this build",
    .open = driver_missing,
};

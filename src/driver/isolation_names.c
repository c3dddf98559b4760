/* isolation_names.c -- what SQL calls its levels; see driver.h.
 *
 * Reports of predictions name them, also in the library, which has no drivers.
 *
 * SPDX-License-Identifier: MIT */
#include "driver/driver.h"

const char *const driver_isolation_names[ISOLATIONS] = {
    [ISOLATION_UNCHANGED] = "",
    [ISOLATION_READ_UNCOMMITTED] = "read uncommitted",
    [ISOLATION_READ_COMMITTED] = "read committed",
    [ISOLATION_REPEATABLE_READ] = "repeatable read",
    [ISOLATION_SERIALIZABLE] = "serializable",
};

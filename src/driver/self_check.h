/* self_check.h -- whether an adapter does what a database does.
 *
 * A driver that reaches its database through a program of the user's, or
 * through a general interface, can be wrong itself.  A rollback that does
 * nothing would then look like a defect of the database.  So each run begins
 * with a few transactions on one key, all of which are rolled back:
 *
 *     a new key has no value, or its initial one
 *     a transaction reads its own write, and the value comes back equal
 *     a rollback undoes a write
 *     another session does not see a write that was rolled back
 *
 * SPDX-License-Identifier: MIT */
#ifndef DRIVER_SELF_CHECK_H
#define DRIVER_SELF_CHECK_H

#include "driver/driver.h"

/* Check with the keys that were just loaded, registers or lists; or, where
 * 'table' is not NULL, with a cell of that table.  The error names the step
 * that failed. */
bool database_self_check(struct database *db, enum key_kind kind,
                         const struct table_shape *table, struct err *err);

#endif

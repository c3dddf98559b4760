/* snapshot.h -- which state of the database a statement saw.
 *
 * SPDX-License-Identifier: MIT */
#ifndef RECORD_SNAPSHOT_H
#define RECORD_SNAPSHOT_H

#include "record/assembly.h"

/* The snapshot of a step of a transaction, as tell_sees reads it; NULL: it is
 * not known. */
const char *snapshot_of(struct assembly *a, uint32_t txn,
                        const struct recorded_step *s);

/* Whether all that a step read, locked and changed is of its snapshot: at READ
 * COMMITTED it may have waited for a row and looked at it again. */
bool snapshot_was_kept(struct assembly *a, uint32_t txn,
                       const struct recorded_step *s);

#endif

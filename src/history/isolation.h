/* isolation.h -- the isolation level at which a transaction was recorded, from
 * its metadata ("isolation").
 *
 * SPDX-License-Identifier: MIT */
#ifndef HISTORY_ISOLATION_H
#define HISTORY_ISOLATION_H

#include "history/history.h"

enum isolation_recorded {
    ISOLATION_RECORDED_STATEMENT, // each statement has a snapshot; not recorded
    ISOLATION_RECORDED_SNAPSHOT,  // REPEATABLE READ
    ISOLATION_RECORDED_SERIALIZABLE,
};

enum isolation_recorded isolation_recorded(const struct history *h, txn_id t);

/* The same in SQL. */
const char *isolation_recorded_sql(enum isolation_recorded i);

#endif

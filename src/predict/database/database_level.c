/* database_level.c -- see database_level.h.
 *
 * SPDX-License-Identifier: MIT */
#include "predict/database/database_level.h"

#include <string.h>

const struct database_level database_levels[] = {
    {.name = "postgresql",
     .title = "PostgreSQL, each transaction at its own level",
     .sql = "read committed",
     .level = LEVEL_RC,
     .as_recorded = true},
    {.name = "postgresql:rc",
     .title = "PostgreSQL at READ COMMITTED",
     .sql = "read committed",
     .level = LEVEL_RC},
    {.name = "postgresql:rr",
     .title = "PostgreSQL at REPEATABLE READ",
     .sql = "repeatable read",
     .level = LEVEL_RC,
     .one_snapshot = true},
    {.name = "postgresql:ser",
     .title = "PostgreSQL at SERIALIZABLE",
     .sql = "serializable",
     .level = LEVEL_RC,
     .one_snapshot = true,
     .is_serial = true},
    {.name = "mariadb:rr",
     .title = "MariaDB at REPEATABLE READ",
     .sql = "repeatable read",
     .level = LEVEL_RC,
     .one_snapshot = true,
     .late_locks = true},
    {.name = "sqlite",
     .title = "SQLite",
     .sql = "serializable",
     .level = LEVEL_RC,
     .one_snapshot = true,
     .is_serial = true},
};

const size_t database_levels_n =
    sizeof database_levels / sizeof database_levels[0];

const struct database_level *
database_level_find(const char *name)
{
    for (size_t i = 0; i < database_levels_n; i++)
        if (strcmp(database_levels[i].name, name) == 0)
            return &database_levels[i];
    return NULL;
}

bool
database_level_conflicts(enum row_lock a, enum row_lock b)
{
    // By the weaker one: the weakest lock that conflicts with it.
    static const enum row_lock from[] = {
        [ROW_LOCK_NONE] = ROW_LOCK_UPDATE + 1,
        [ROW_LOCK_KEY_SHARE] = ROW_LOCK_UPDATE,
        [ROW_LOCK_SHARE] = ROW_LOCK_NO_KEY_UPDATE,
        [ROW_LOCK_NO_KEY_UPDATE] = ROW_LOCK_NO_KEY_UPDATE,
        [ROW_LOCK_UPDATE] = ROW_LOCK_UPDATE};
    return a < b ? b >= from[a] : a >= from[b];
}

bool
database_level_is_serial(const struct database_level *s,
                         const struct history *h)
{
    if (!s->as_recorded)
        return s->is_serial;
    for (txn_id t = 0; t < h->n_txns; t++)
        if (h->txn_counts[t] && h->txn_status[t] != TXN_LOADING &&
            isolation_recorded(h, t) != ISOLATION_RECORDED_SERIALIZABLE)
            return false;
    return true;
}

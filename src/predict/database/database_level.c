/* database_level.c -- see database_level.h.
 *
 * SPDX-License-Identifier: MIT */
#include "predict/database/database_level.h"

#include <string.h>

const struct database_level database_levels[] = {
    {"postgresql:rc", "PostgreSQL at READ COMMITTED", "read committed",
     LEVEL_RC, false, false},
    {"postgresql:rr", "PostgreSQL at REPEATABLE READ", "repeatable read",
     LEVEL_RC, true, false},
    {"postgresql:ser", "PostgreSQL at SERIALIZABLE", "serializable", LEVEL_RC,
     true, true},
    {"sqlite", "SQLite", "serializable", LEVEL_RC, true, true},
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

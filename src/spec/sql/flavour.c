/* flavour.c -- see flavour.h.
 *
 * SPDX-License-Identifier: MIT */
#include "spec/sql/flavour.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

// SQLite needs no row locks: a writer locks the whole file.  Nor does DuckDB:
// the later of two writers of a row fails.
static const struct flavour flavours[] = {
    {.scheme = "postgresql",
     .home = "public",
     .folds_tables = true,
     .compares_bytes = true,
     .runs_many = true,
     .has_returning = true,
     .has_levels = true,
     .error_ends_txn = true,
     .begin_again = BEGIN_IS_IGNORED,
     .lock_to_update = "for no key update"},
    {.scheme = "mariadb",
     .home = "",
     .escapes_in_strings = true,
     .has_inner_indexes = true,
     .duplicate_key = "1062",
     .duplicate_says = "for key 'PRIMARY'",
     .duplicate_other = "1062",
     .foreign_key = "1451 1452 1216 1217",
     .constraint = "1048 1364 4025",
     .begin_again = BEGIN_COMMITS,
     .lock_to_update = "for update",
     .told = "select @assay_told",
     .forget = "set @assay_told = ''"},
    {.scheme = "sqlite",
     .home = "main",
     .folds_tables = true,
     .compares_bytes = true,
     .begin_locks = true,
     .duplicate_key = "SQLITE_CONSTRAINT_PRIMARYKEY",
     .duplicate_says = "",
     .duplicate_other = "SQLITE_CONSTRAINT_UNIQUE",
     .foreign_key = "SQLITE_CONSTRAINT_FOREIGNKEY",
     .constraint = "SQLITE_CONSTRAINT_CHECK SQLITE_CONSTRAINT_NOTNULL",
     .begin_again = BEGIN_FAILS,
     .lock_to_update = ""},
    {.scheme = "duckdb",
     .home = "main",
     .folds_tables = true,
     .compares_bytes = true,
     .has_returning = true,
     .error_ends_txn = true,
     .begin_again = BEGIN_FAILS,
     .lock_to_update = ""},
    {.scheme = "firebird",
     .home = "",
     .folds_tables = true,
     .duplicate_key = "23000",
     .begin_again = BEGIN_FAILS,
     .lock_to_update = "with lock"},
    {.scheme = "other",
     .home = "",
     .folds_tables = true,
     .duplicate_key = "23505",
     .begin_again = BEGIN_FAILS,
     .lock_to_update = ""},
};

const struct flavour *
flavour_of(const char *scheme)
{
    for (size_t i = 0; i < sizeof flavours / sizeof flavours[0]; i++)
        if (strcmp(flavours[i].scheme, scheme) == 0)
            return &flavours[i];
    assert(!"a driver without a row in this table");
    return NULL;
}

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

/* flavour.h -- where the SQL of databases differs, as far as specifications
 * are concerned.
 *
 * SPDX-License-Identifier: MIT */
#ifndef SPEC_FLAVOUR_H
#define SPEC_FLAVOUR_H

#include <stdbool.h>

/* What a 'begin' does inside a transaction. */
enum begin_again { BEGIN_IS_IGNORED, BEGIN_COMMITS, BEGIN_FAILS };

struct flavour {
    const char *scheme;
    const char *home;          // the schema that need not be named
    bool folds_tables;         // names of tables mean the same in any case
    bool escapes_in_strings;   // with backslashes
    bool compares_bytes;       // texts are equal when their bytes are
    bool has_inner_indexes;    // 'key' and 'index' in a 'create table'
    bool runs_many;            // several statements at once, as one transaction
    bool has_returning;        // insert, update and delete return rows
    bool has_levels;           // 'begin' takes an isolation level
    bool error_ends_txn;       // a statement that fails ends its transaction
    const char *duplicate_key; // the code of that error, where it matters
    enum begin_again begin_again;
    const char *lock_to_update; // behind a select: lock rows as an update does
};

/* That of the drivers of a scheme, which speak SQL. */
const struct flavour *flavour_of(const char *scheme);

#endif

/* flavour.h -- differences between the SQL of databases that matter to
 * specifications.
 *
 * SPDX-License-Identifier: MIT */
#ifndef SPEC_SQL_FLAVOUR_H
#define SPEC_SQL_FLAVOUR_H

#include <stdbool.h>

/* The effect of a 'begin' inside a transaction. */
enum begin_again { BEGIN_IS_IGNORED, BEGIN_COMMITS, BEGIN_FAILS };

struct flavour {
    const char *scheme;
    const char *home;          // the default schema
    bool folds_tables;         // names of tables ignore case
    bool escapes_in_strings;   // backslashes escape in strings
    bool compares_bytes;       // texts are equal only if their bytes are
    bool has_inner_indexes;    // 'key' and 'index' in a 'create table'
    bool runs_many;            // several statements at once, as one transaction
    bool has_returning;        // insert, update and delete return rows
    bool has_levels;           // 'begin' takes an isolation level
    bool begin_locks;          // 'begin' says what is locked
    bool error_ends_txn;       // a statement that fails ends its transaction
    const char *duplicate_key; // code of the error, if it matters; if it is
                               // also that of other indexes, 'duplicate_says'
                               // is in the message of the key's
    const char *duplicate_says;
    const char *duplicate_other; // code, for indexes besides that of the key
    const char *foreign_key;     // codes: a foreign key refuses a statement
    const char *constraint;      // others, after which the statement is undone
                                 // and the transaction goes on
    enum begin_again begin_again;
    const char *lock_to_update; // after a select: lock rows as an update does
    const char *told, *forget;  // query what triggers told since they were to
                                // forget it; NULL: they send it
};

/* The flavour of a SQL driver, by its scheme. */
const struct flavour *flavour_of(const char *scheme);

#endif

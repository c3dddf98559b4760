/* firebird.h -- what the files of the Firebird driver share.
 *
 * SPDX-License-Identifier: MIT */
#ifndef DRIVER_FIREBIRD_FIREBIRD_H
#define DRIVER_FIREBIRD_FIREBIRD_H

#include "base/library.h"
#include "driver/driver.h"

#include <ibase.h>

/* What is used of the library; see base/library.h. */
// clang-format off
#define FIREBIRD_CALLS(F) F(isc_attach_database) F(isc_commit_transaction) \
    F(isc_detach_database) F(isc_dsql_allocate_statement) \
    F(isc_dsql_describe) F(isc_dsql_execute) F(isc_dsql_execute2) \
    F(isc_dsql_execute_immediate) F(isc_dsql_fetch) \
    F(isc_dsql_free_statement) F(isc_dsql_prepare) F(isc_dsql_sql_info) \
    F(isc_rollback_transaction) F(isc_start_transaction) \
    F(fb_interpret) F(fb_sqlstate)
// clang-format on
extern struct firebird_library {
    FIREBIRD_CALLS(LIBRARY_MEMBER)
} firebird;

enum { SQL_DIALECT = 3 }; // the one in which names in quotes are names

struct firebird_link {
    struct connection base;
    isc_db_handle db;
    isc_tr_handle txn; // 0: none is running
    ISC_STATUS_ARRAY status;
};

bool firebird_has_failed(const ISC_STATUS *status);

/* The outcome that c->status means, noted. */
enum outcome firebird_note_failure(struct firebird_link *c);

/* Run one statement in the transaction that is running. */
enum outcome firebird_run(struct firebird_link *c, const char *sql,
                          struct result_rows *out);

#endif

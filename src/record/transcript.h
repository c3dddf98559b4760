/* transcript.h -- sessions, transactions and statements, from the raw log.
 *
 * Only messages of the protocol decide: which answer belongs to which request,
 * where a transaction begins and ends, and how it ended.  Texts are kept to be
 * shown, with one exception: whether a ROLLBACK goes back to a savepoint.
 *
 * SPDX-License-Identifier: MIT */
#ifndef RECORD_TRANSCRIPT_H
#define RECORD_TRANSCRIPT_H

#include "base/container/vec.h"
#include "base/err.h"
#include "base/memory/arena.h"
#include "history/history.h"
#include "record/table_reports.h"

struct bound_value {
    const char *at; // NULL: SQL's NULL
    uint32_t n;
    bool is_binary;
};

/* One run of a statement. */
struct recorded_run {
    const char *text;
    bool is_whole; // it was sent alone, not with other statements
    const struct bound_value *values;
    size_t n_values;
    const uint32_t *types; // of parameters, as the client gave them
    size_t n_types;
    double began, ended;
    const char *tag;   // of CommandComplete; "" if it did not come
    const char *error; // code and message; "" if there was none
    VEC(const char *) told;
    bool is_suspended; // a portal of which only a part was fetched
};

enum txn_end {
    TXN_END_LOST,     // the connection was lost
    TXN_END_LOST_MID, // while a statement was under way that may have committed
    TXN_END_COMMIT,
    TXN_END_ABORT,
    TXN_END_PREPARED,
};

struct recorded_txn {
    VEC(struct recorded_run *) runs;
    double began, ended;
    enum txn_end end;
    const char *application; // application_name, as it was last meanwhile
    bool as_superuser;       // in a part of it, so its reads were not reported
};

struct session_parameter {
    const char *name, *value;
};

struct recorded_session {
    uint32_t number;
    const char *user, *application, *pid;
    const char *name; // of a script's session; NULL: an application's
    const char *role; // that the proxy gave it (plain_role.h), or ""
    VEC(struct session_parameter) parameters; // others, as the client gave them
    VEC(struct recorded_txn) txns;
};

struct transcript {
    const char *beginning; // lines of watch_install
    VEC(struct recorded_session *) sessions;
    struct table_reports tables;
    struct arena arena;
};

bool transcript_read(const char *path, struct transcript *out, struct err *err);
void transcript_free(struct transcript *t);

#endif

/* assembly.h -- what a recording says, before it becomes a history.
 *
 * SPDX-License-Identifier: MIT */
#ifndef RECORD_ASSEMBLY_H
#define RECORD_ASSEMBLY_H

#include "base/container/strings.h"
#include "record/tell.h"
#include "record/transcript.h"
#include "record/watch.h"
#include "spec/row/row_versions.h"

/* A version of a row; its number is that of its name. */
struct recorded_version {
    uint32_t table;
    uint32_t row;     // another version of the same row, or itself
    uint32_t maker;   // the transaction that wrote it, from 1 on; 0: none
    uint32_t remover; // a transaction that replaced or deleted it, and
                      // committed; 0: none
    uint32_t made_by, removed_by; // numbers of steps in these
    bool is_undone;     // its writer went back to a savepoint before it
    bool is_initial;    // it was there when the recording began
    bool is_deleted;    // by its remover, without a version that replaces it
    const char *values; // JSON, or NULL if they are not known

    // Steps that reported it last, as a row to be changed or locked, and that
    // reported its row, with the version that came first.
    uint32_t reported_by, target_of, row_reported_by, row_version;
};

/* A row that a statement did not find, in its state at the time; had it been
 * otherwise, the statement would have answered otherwise (what_if.h). */
struct missed_row {
    uint32_t version; // of the row
    bool is_absent;   // the row was not there; 'version' only names it
};

/* A run of a statement, and what was reported meanwhile. */
struct recorded_step {
    const struct recorded_run *run;
    struct told_fact *told;
    size_t n;
    uint32_t number;      // steps of a recording are numbered from 1 on
    const char *snapshot; // NULL: not known
    const char *level;    // the same
    u32_vec reads;        // versions that it found
    u32_vec locked;       // by read: whether it locked the row
    VEC(struct missed_row) missed;
    bool has_left_out; // rows of tables that are left out were reported
    bool may_miss;     // which rows it did not find is not known
    bool looked_again; // it used two versions of a row
    struct row_statement by;
};

/* A transaction. */
struct recorded_act {
    const struct recorded_session *session;
    const struct recorded_txn *txn;
    VEC(struct recorded_step) steps;
    uint64_t xid; // 0: it wrote nothing
    bool has_undone;
    enum txn_status status;
    text_vec partial; // what is not recorded of it
};

struct assembly {
    struct record_watch *watch;
    struct connection *admin;
    const struct transcript *transcript;
    VEC(struct recorded_act) acts; // transaction n is at n - 1
    struct strings names;
    VEC(struct recorded_version) versions;
    struct row_state initial, final;
    struct strings missing; // statements whose missed rows are not known
    struct arena arena;
    char refusal[400];
    bool at_once;    // transactions are taken to run at the same time
    size_t whats_if; // how many what-ifs were evaluated
};

/* Refuse to make a history; return false.  The first refusal is kept. */
bool assembly_refuse(struct assembly *a, const char *what, const char *name);

/* Add all transactions of the transcript with what was reported; find out how
 * they ended; read the final state and find the initial versions.  In this
 * order.  Each may refuse. */
bool assembly_add(struct assembly *a);
bool assembly_decide_outcomes(struct assembly *a);
bool assembly_read_states(struct assembly *a, struct err *err);
void assembly_free(struct assembly *a);

/* The table of an object id, or WATCHED_NONE. */
uint32_t assembly_table(const struct assembly *a, uint32_t oid);

/* The first version of a row, as far as it is known. */
uint32_t assembly_row(const struct assembly *a, uint32_t version);

/* Add to what is not recorded of a transaction; each text once. */
void assembly_leave_out(struct recorded_act *act, const char *what);

#define ASSEMBLY_MISSED "which rows a statement did not find"

#endif

/* evaluation.h -- the tables in another state, and statements run on them.
 *
 * Everything happens in one transaction of the administrator, which is rolled
 * back.  Which versions a snapshot shows follows from the snapshot, as the
 * server reported it, and from who wrote and replaced each version, as triggers
 * reported it.
 *
 * SPDX-License-Identifier: MIT */
#ifndef RECORD_EVALUATION_H
#define RECORD_EVALUATION_H

#include "record/assembly.h"

struct evaluation {
    struct assembly *a;
    struct connection *c;
    struct strings physical; // names of rows that were put in
    u32_vec version_of;      // by number of these: 1 + the version, or 0
    u32_vec there;           // by version: 1 + its number in 'physical', or 0
    text_vec words;          // that make a statement depend on more than rows
    struct buf notices;
    struct buf enter;   // SQL: become the user
    struct buf execute; // SQL: the statements, each with a zero byte
    bool names_table;   // the statement names a table or view of users
    bool names_lost;    // it names one that is left out
    size_t changes;
    bool has_sequences;
};

/* What a statement answers: rows and writes, sorted. */
struct what_if_answer {
    struct buf text;
    u32_vec found; // versions, sorted
    bool is_ok;    // the statement did not fail
    bool is_known; // every row that it found is a version
};

bool evaluation_query(struct evaluation *e, const char *sql,
                      struct result_rows *out);

/* Whether a step of a transaction sees a version. */
bool evaluation_sees(const struct evaluation *e, uint32_t version, uint32_t txn,
                     const struct recorded_step *s, const char *snapshot);

/* Turn the tables into the state that a step saw. */
bool evaluation_make_state(struct evaluation *e, uint32_t txn,
                           const struct recorded_step *s, const char *snapshot);

/* Remove the row of a version; add one. */
bool evaluation_take_out(struct evaluation *e, uint32_t version);
bool evaluation_put_in(struct evaluation *e, uint32_t version);

/* Run the prepared statement as its user, and take everything back. */
bool evaluation_run(struct evaluation *e, struct what_if_answer *out);

/* Sort, and leave out repetitions. */
void evaluation_sort(u32_vec *found);

#endif

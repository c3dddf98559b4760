/* rerun.h -- the observed program, run again: the same seed, and so the same
 * procedures with the same parameters.
 *
 * A session draws all its random choices from one stream.  So transactions that
 * were rolled back run again, too, on what they had read then, and only to
 * draw.
 *
 * Sessions share nothing: each may be run by its own thread.
 *
 * SPDX-License-Identifier: MIT */
#ifndef REPLAY_RERUN_H
#define REPLAY_RERUN_H

#include "app/app.h"
#include "history/history.h"

enum { RERUN_KEY = 96, RERUN_VALUE = 48, RERUN_HOW = 256 }; // bytes of text

/* The program that was observed; session s of the run is called s + 1 in the
 * history, and all its transactions are there, also those that were rolled
 * back. */
struct replay_program {
    const struct app *app;
    uint64_t seed, sessions, units;
    double aborts; // share of transactions rolled back at their end
};

struct rerun_session {
    struct random random;
    uint32_t next; // position of the next transaction in the history
};

struct rerun {
    const struct replay_program *of; // borrowed
    const struct history *h;         // what was observed; borrowed
    struct rerun_session *sessions;
};

void rerun_init(struct rerun *p, const struct replay_program *of,
                const struct history *h);
void rerun_free(struct rerun *p);

/* Whether the history can be one of such a program: keys are text. */
bool rerun_fits(const struct history *h);

/* A transaction that runs again, and how far it is in what was observed. */
struct rerun_txn {
    struct rerun *of;
    txn_id id;
    op_id op;            // the next of the observed operations
    bool is_unlike;      // it did another operation than was observed:
    char how[RERUN_HOW]; // "read y instead of writing x"
};

/* Run what was rolled back before 'id' in its session; false where it does not
 * do what was observed, and *unlike is the transaction. */
bool rerun_draw_until(struct rerun *p, txn_id id, txn_id *unlike);

/* Run the next transaction of its session; whether it asks to commit. */
bool rerun_txn_run(struct rerun_txn *r, const struct app_access *access);

/* Compare the next operation with what was observed, and step behind it. */
void rerun_txn_follow(struct rerun_txn *r, bool is_write, const char *key);

/* Compare what it just wrote with what was observed: a transaction that reads
 * what it read writes what it wrote. */
void rerun_txn_compare(struct rerun_txn *r, const char *text);

/* At its end: whether it did all that was observed and nothing else; if not,
 * 'how' says in what it first differed. */
bool rerun_txn_is_alike(struct rerun_txn *r);

/* The number that stands behind '#' in what a transaction writes. */
int64_t rerun_author(const struct rerun *p, txn_id id);

/* A cell's key; and what it holds before anybody writes it: *value is left
 * alone where there is no such row. */
void rerun_key(const struct rerun *p, size_t table, uint64_t row, size_t column,
               char out[RERUN_KEY]);
void rerun_initial(const struct rerun *p, size_t table, uint64_t row,
                   size_t column, int64_t *value);

#endif

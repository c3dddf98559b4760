/* builder.h -- how readers, generators and recorders make a history.
 *
 * A builder takes sessions, transactions and operations in any order that
 * respects program order within a transaction and session order within a
 * session, and interns keys and values on the way.  Transaction ids given out
 * here are in order of arrival; builder_finish renumbers.
 *
 * Functions that can meet a limit or a contradiction in the input return bool
 * and fill err without a position, which the reader adds.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HISTORY_BUILDER_H
#define HISTORY_BUILDER_H

#include "history/history.h"

struct builder;

/* initial: what the input calls the initial value of a key; ATOM_NIL always
 * means the initial value too. */
struct builder *builder_new(struct atom initial);
void builder_free(struct builder *b);

/* Say about how many operations will come, where the input's size tells:
 * tables are laid out for that. */
void builder_expect(struct builder *b, size_t ops);

/* Say that the recorder was killed, so that transactions may be missing. */
void builder_cut(struct builder *b);

/* An atom whose text is the len bytes at text. */
struct atom builder_text(struct builder *b, enum atom_tag tag, const char *text,
                         size_t len);

/* The session of that name, added at the end where it is new. */
session_id builder_session(struct builder *b, struct atom name);

/* Begin the next transaction of a session; it is committed until told. */
bool builder_txn(struct builder *b, session_id s, txn_id *t, struct err *err);
void builder_status(struct builder *b, txn_id t, enum txn_status status);
void builder_name(struct builder *b, txn_id t, struct atom name);
void builder_times(struct builder *b, txn_id t, int64_t began, int64_t ended);
void builder_meta(struct builder *b, txn_id t, const char *json, size_t len);

/* Operations of registers. */
bool builder_read(struct builder *b, txn_id t, struct atom key,
                  struct atom value, struct err *err);
bool builder_write(struct builder *b, txn_id t, struct atom key,
                   struct atom value, struct err *err);

/* Operations of lists: an element appended; all n elements read. */
bool builder_append(struct builder *b, txn_id t, struct atom key,
                    struct atom element, struct err *err);
bool builder_read_list(struct builder *b, txn_id t, struct atom key,
                       const struct atom *elements, size_t n, struct err *err);

/* Say who is seen where a list shows an element that several appended: t is one
 * of them (history.h, list_author).  All of them are said, or none. */
bool builder_author(struct builder *b, txn_id t, struct atom key,
                    struct atom element, struct err *err);

/* Say that the indeterminate t, which is a choice because it read lists
 * (reader_outcomes.h), counts.  Those of which nothing is said do not. */
void builder_outcome(struct builder *b, txn_id t);

/* Transactions that record the initial values have the status TXN_LOADING
 * already; no others become that. */
void builder_keep_loading(struct builder *b);

/* Many operations of registers at once, for those who have them in an array;
 * singly, they are gathered and taken in together as well. */
struct raw_op {
    uint64_t key, value; // bits of atoms
    txn_id txn;
    uint8_t key_tag, value_tag;
    bool is_write;
};
bool builder_batch(struct builder *b, const struct raw_op *ops, size_t n,
                   struct err *err);

/* The session that a transaction was begun in. */
session_id builder_session_of(const struct builder *b, txn_id t);

/* So far: transactions begun, operations added. */
size_t builder_txns(const struct builder *b);
size_t builder_ops(const struct builder *b);

/* Turn everything into a resolved history (resolve.h) and free the builder,
 * also on failure. */
bool builder_finish(struct builder *b, struct history *h, struct err *err);

#endif

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
#ifndef HISTORY_BUILDER_BUILDER_H
#define HISTORY_BUILDER_BUILDER_H

#include "history/history.h"

struct builder;

/* initial: what the input calls the initial value of a key; ATOM_NIL always
 * means the initial value too. */
struct builder *builder_new(struct atom initial);
void builder_free(struct builder *b);

/* Announce about how many operations will come, so that tables get their size
 * at once. */
void builder_expect(struct builder *b, size_t ops);

/* Let builder_finish use that many threads, not only one. */
void builder_threads(struct builder *b, unsigned threads);

/* Note that this is a recording: times are nanoseconds. */
void builder_recording(struct builder *b);

/* Note that the recorder was killed, so that transactions may be missing. */
void builder_cut(struct builder *b);

/* Note that n operations of the input are not part of the history.  As after
 * builder_cut, transactions may be missing. */
void builder_skipped(struct builder *b, uint64_t n);

/* Add a line for people, without its line end, to the notes of the history. */
void builder_note(struct builder *b, const char *text);

/* An atom whose text is the len bytes at text. */
struct atom builder_text(struct builder *b, enum atom_tag tag, const char *text,
                         size_t len);

/* The session of that name, added at the end where it is new. */
session_id builder_session(struct builder *b, struct atom name);

/* Begin the next transaction of a session.  It is committed unless a status
 * is given. */
bool builder_txn(struct builder *b, session_id s, txn_id *t, struct err *err);
void builder_status(struct builder *b, txn_id t, enum txn_status status);
void builder_name(struct builder *b, txn_id t, struct atom name);
void builder_times(struct builder *b, txn_id t, int64_t began, int64_t ended);

/* Where a transaction begins in the input: from the reader its byte, which the
 * caller of the reader turns into its line.  Without builder_keep_places, this
 * does nothing. */
typedef VEC(uint64_t) place_vec; // by transaction
void builder_keep_places(struct builder *b);
void builder_place(struct builder *b, txn_id t, uint64_t place);
place_vec *builder_places(struct builder *b);
void builder_stamps(struct builder *b, txn_id t, struct stamp start,
                    struct stamp commit);
void builder_meta(struct builder *b, txn_id t, const char *json, size_t len);

/* What was not recorded of a transaction: a JSON array of strings, with no
 * blanks between them. */
void builder_partial(struct builder *b, txn_id t, const char *json, size_t len);

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

/* Say that a key is a register of a row (history.h, row_key).  Once is enough.
 */
struct builder_row {
    struct atom row;     // the key of the row itself
    const char *where;   // the question; NULL: it is the row itself
    const char *initial; // what the initial value stands for
};
bool builder_row(struct builder *b, struct atom key,
                 const struct builder_row *mark, struct err *err);

/* The same for key k of h. */
bool builder_copy_row(struct builder *b, const struct history *h, key_id k,
                      struct err *err);

/* Say which version of a row another one names as the one before (history.h).
 * The key is that of the row itself. */
bool builder_link(struct builder *b, struct atom row, struct version_link link,
                  struct err *err);

/* Mark the operations that were added since there were 'first' of them
 * (builder_ops), all of one transaction, with these bits (history.h, op_mark).
 */
void builder_mark(struct builder *b, size_t first, unsigned marks);

/* Hand over what was recorded about rows; the history then owns it. */
struct row_log;
void builder_rows(struct builder *b, struct row_log *rows);

/* Choose t as the author of an element that several transactions appended and
 * a list shows (history.h, list_author).  The caller chooses an author for all
 * such elements, or for none. */
bool builder_author(struct builder *b, txn_id t, struct atom key,
                    struct atom element, struct err *err);

/* Choose that the indeterminate t, whose outcome is a choice because it read
 * lists (reader_outcomes.h), counts.  The others of that kind do not. */
void builder_outcome(struct builder *b, txn_id t);

/* Do not detect transactions that record the initial values: they have the
 * status TXN_LOADING already. */
void builder_keep_loading(struct builder *b);

/* An operation of a register.  Adding many at once saves a copy; single ones
 * are gathered into batches as well. */
struct raw_op {
    uint64_t key, value; // bits of atoms
    txn_id txn;
    uint8_t key_tag, value_tag;
    bool is_write;
    bool key_is_id; // 'key' is the id of the key instead
};
bool builder_batch(struct builder *b, const struct raw_op *ops, size_t n,
                   struct err *err);

/* The same for integers below SMALL_END, in runs of one transaction each.  The
 * run that follows begins where a run ends; a run may be empty.
 *
 *   require  no key is a list */
enum { SMALL_END = 100000000 };
#define SMALL_WRITE (1u << 31)
struct small_op {
    uint32_t key; // with the flag
    uint32_t value;
};
struct small_run {
    txn_id txn;
    uint32_t begin; // its first operation
};
bool builder_small_batch(struct builder *b, const struct small_op *ops,
                         size_t n, const struct small_run *runs, size_t n_runs,
                         struct err *err);

/* Let other threads work ahead of the one that adds operations.  Called before
 * they begin. */
void builder_share(struct builder *b);

/* On any thread, for operations that will be added: replace keys that are known
 * already by their ids, and get the memory that comes next.  Without
 * builder_share this does nothing. */
void builder_work_ahead(const struct builder *b, struct raw_op *ops, size_t n);

/* The same without operations: get memory. */
void builder_pages_ahead(const struct builder *b);

/* Whether so many more transactions and operations, in batches, are added for
 * certain: there is room for them, and no key is a list so far. */
bool builder_takes_batches(const struct builder *b, size_t txns, size_t ops);

/* What was said so far: that transactions may be missing, and the outcome of
 * one. */
bool builder_is_cut(const struct builder *b);
enum txn_status builder_status_of(const struct builder *b, txn_id t);

/* The session that a transaction was begun in. */
session_id builder_session_of(const struct builder *b, txn_id t);

/* Take a transaction out of its session: it becomes the only one of a session
 * that is named after the first, "ann-unknown-1".  Nothing is then known
 * about the order of the two. */
void builder_leave_session(struct builder *b, txn_id t);

/* How many transactions have begun and operations were added so far. */
size_t builder_txns(const struct builder *b);
size_t builder_ops(const struct builder *b);

/* Turn everything into a resolved history (resolve.h) and free the builder,
 * also on failure. */
bool builder_finish(struct builder *b, struct history *h, struct err *err);

#endif

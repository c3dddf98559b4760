/* history.h -- a history in memory, as every engine reads it.
 *
 * Structure of arrays, 32-bit ids, nothing allocated per operation.
 *
 * Ids.  Transactions are numbered by session and then in session order, so a
 * session is a range of transactions and "earlier in the same session" is a
 * comparison.  A transaction is a range of operations, in program order.  The
 * operations of different transactions keep the order of the input, which is
 * close to the order in time.  A pass over the transactions in the order of
 * 'arrival' therefore goes straight through memory.
 *
 * Values.  A value id names a pair of a key and a value, so two writes of the
 * same value to the same key have the same id.  Value 0 is the initial value of
 * every key.
 *
 * Resolution (resolve.h) decides which transactions count or may count, marks
 * the last write of each key in each transaction as 'final' and each read that
 * its own transaction did not serve as 'external', and finds the writers of
 * every value.  Afterwards:
 *
 *   (H1) an external read that is not rejected has at least one writer: INIT,
 *        or a transaction that counts or may count, not its own, with a final
 *        write of it;
 *   (H2) a rejected operation is an inconsistent read (read_checks.h);
 *   (H3) value 0 is read from INIT only.  Where ordinary transactions write the
 *        initial value of a key again, that key has another value id for it,
 *        with INIT as its first candidate;
 *   (H4) engines use transactions that count or may count, their final writes
 *        and their external reads that are not rejected, and nothing else;
 *   (H5) no read of a transaction that may count is rejected (unless the
 *        recording was cut), and every transaction that may count writes a
 *        value that is read by one that counts or may count.  There are none
 *        where no value has several writers.
 *
 * history_check.h checks these in paranoid builds.
 *
 * Implied reads.  A transaction that appends to a list and reads it afterwards
 * has seen what the list held before the first append.  That is an external
 * read.  It is a separate operation, inserted right before that append.  It
 * was not recorded, so code that shows, writes or counts operations leaves it
 * out (op_is_implied).
 *
 * Rows.  A row of a table is one register, and one more for each question that
 * is not about a single value (row/row_registers.h).  The writes of the latter
 * are implied by the write of the row, which follows them.
 *
 * Marks.  A read of a constraint check binds at the serializable levels only
 * (doc/levels.md).  The other levels are decided on 'unchecked', the same
 * history resolved without these reads: ids of transactions, operations and
 * keys are the same, and a read of a check is neither external nor rejected.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HISTORY_HISTORY_H
#define HISTORY_HISTORY_H

#include "history/atom.h"

#include "base/container/column.h"
#include "base/err.h"
#include "base/limits/capacity.h"

typedef uint32_t session_id;
typedef uint32_t txn_id;
typedef uint32_t op_id;
typedef uint32_t key_id;
typedef uint32_t value_id;

#define ID_NONE UINT32_MAX
#define TXN_NONE ID_NONE
#define TXN_INIT (UINT32_MAX - 1)     // the transaction before all others
#define TXN_UNCHOSEN (UINT32_MAX - 2) // the author is not chosen yet
#define VALUE_INIT 0u                 // the initial value of any key

enum txn_status {
    TXN_COMMITTED,
    TXN_ABORTED,
    TXN_INDETERMINATE, // the client never learnt the outcome
    TXN_LOADING,       // recorded the initial values: part of INIT
};

/* Whether a transaction counts, that is, took effect (doc/levels.md).  One that
 * may count does where an engine chooses it as the writer of a read.  Then its
 * own reads have to be served, and it precedes the later ones of its session.
 */
enum txn_counting {
    TXN_LEFT_OUT,
    TXN_COUNTS,
    TXN_MAY_COUNT, // indeterminate, and a writer of repeated values
};

// Flags that share a word with an operation's key (CAPACITY_KEYS).
#define OP_WRITE (1u << 31)
#define OP_FINAL (1u << 30)    // of a write: the last of its key
#define OP_EXTERNAL OP_FINAL   // of a read: no own write of the key before it
#define OP_REJECTED (1u << 29) // an inconsistent read
#define OP_KEY (OP_REJECTED - 1)

// What value.writer holds besides the id of a transaction.
#define WRITER_MANY (1u << 31) // flag: the rest is an index into 'several'

struct value {
    uint32_t key;    // key id; the top three bits are its atom's tag
    uint32_t writer; // after resolution; see history_writer
};

#define VALUE_TAG_SHIFT 29

/* What is said about single operations, as bits of op_marks. */
enum op_mark {
    OP_MARK_CHECK = 1,     // a read of a constraint check
    OP_MARK_IN_QUERY = 2,  // of the same query as the operation before it
    OP_MARK_UNORDERED = 4, // not ordered with respect to its query's others
};

/* How a statement locks a row until the end of its transaction, weakest first.
 */
enum row_lock {
    ROW_LOCK_NONE,
    ROW_LOCK_KEY_SHARE,
    ROW_LOCK_SHARE,
    ROW_LOCK_NO_KEY_UPDATE,
    ROW_LOCK_UPDATE,
};

// A word of op_marks: bits of op_mark, then what only predictions for a
// database use: the lock of the row, and the number of the statement in its
// transaction, from 1 on; 0: not known.
#define OP_MARKS 0xffu
#define OP_LOCK_SHIFT 8
#define OP_FIXED                                                               \
    0x8000u // a read that sees the latest state, never an older one
#define OP_STATEMENT_SHIFT 16
#define OP_STATEMENT_MOST 0xffffu

/* One read of a list: its op read the first 'length' elements of the key's
 * order, or, where 'own' is not ID_NONE, a list that is no such prefix and
 * stands at list_items.at[own]. */
struct list_read {
    op_id op;
    uint32_t length, own;
};

/* An implied read, and the read of the whole list that it is the first part
 * of; or an implied write of a row, and the write of the row. */
struct implied_read {
    op_id op, whole;
};

/* A key that is a register of a row. */
struct row_key {
    key_id row;       // the row itself; ID_NONE: this key is no row's
    uint32_t where;   // a string: the question; ID_NONE: the row itself
    uint32_t initial; // a string: what VALUE_INIT stands for
};

/* A version of a row that names the one before it.  The transaction that wrote
 * that one came first (row/row_links.h). */
struct version_link {
    key_id key;          // the row
    txn_id before;       // wrote the version that is named, or TXN_INIT
    txn_id after;        // wrote the version that names it
    uint32_t version;    // of the one named: equal where it is the same one
    bool is_overwritten; // by 'before' itself: it was never its last
};

/* An element that a list shows and that several transactions, none of them
 * aborted, appended: author_items.at[first .. first + n).  'seen' is taken to
 * be the one whose append the lists show; whether a level holds is a matter of
 * all of them.  With the value VALUE_INIT it is a transaction that read lists
 * and counts or does not (reader_outcomes.h). */
struct list_author {
    value_id value;
    txn_id seen;
    uint32_t first, n;
};

/* A timestamp of a server, with a physical and a logical part. */
struct stamp {
    uint64_t physical, logical;
};

struct history {
    struct strings strings;
    struct atom initial; // how the input wrote the initial value
    bool is_cut;         // transactions may be missing: the recorder was
                         // killed, or the reader skipped operations
    uint64_t n_skipped;  // operations that the reader skipped
    struct buf notes;    // of the reader, for people: one line per note
    bool is_recording;   // of a run: times are nanoseconds

    uint32_t n_sessions;
    txn_id *session_first; // n_sessions + 1 of them
    struct atom *session_name;

    uint32_t n_txns;
    txn_id *arrival; // all transactions in the order the input had them
    session_id *txn_session;
    op_id *txn_begin, *txn_end;
    uint8_t *txn_status;            // enum txn_status
    uint8_t *txn_counts;            // enum txn_counting; after resolution
    uint32_t n_optional;            // transactions that may count
    struct atoms txn_names;         // empty where the input gives none
    int64_t *txn_began, *txn_ended; // any one clock; NULL where not known
    uint64_t *txn_line; // in the input, from 1; 0 and NULL: not known
    // When the server says a transaction took its snapshot and committed; NULL
    // where the input does not say.
    struct stamp *txn_start_ts, *txn_commit_ts;
    uint32_t *txn_meta; // a JSON object in strings, or ID_NONE; NULL if none
    // What was not recorded: a JSON array of strings, or ID_NONE; NULL if
    // everything was.
    uint32_t *txn_partial;

    uint32_t n_ops;
    uint32_t *op_key; // flags and key
    value_id *op_value;
    uint32_t *op_marks;        // see OP_MARKS; NULL where no operation has one
    bool ignores_checks;       // reads of checks were left out of resolution
    struct history *unchecked; // without these reads; NULL where there is none

    uint32_t n_keys;
    struct atoms key_names;
    uint8_t *key_is_list;     // 1 = its writes append; NULL where there is none
    struct row_key *key_rows; // by key; NULL where no key is a row
    struct row_log *rows;     // as they were recorded, or NULL
    uint64_t n_lone_queries;  // of a copy without 'rows' (tested.h)
    VEC(struct version_link) links; // in the order of the recording

    uint32_t n_values;
    struct value *values;
    struct column value_bits; // of their atoms

    // The writers of values with several: those of the i-th such value are
    // several.at[several_first.at[i] .. several_first.at[i + 1]).
    u32_vec several_first;
    u32_vec several;

    // Lists: the elements of key k in order are order_items.at[order_first[k]
    // .. order_first[k + 1]); NULL where no key is a list.
    uint32_t *order_first;
    u32_vec order_items;
    VEC(struct list_read) list_reads; // by op, non-empty lists only
    u32_vec list_items;
    VEC(struct implied_read) implied; // by op
    VEC(struct list_author) authors;
    u32_vec author_items;
    // Where several transactions appended an element, lists show the append of
    // its author.  The other appends have their own ids, from first_renamed
    // on; renamed_from holds the id of the element for each.
    value_id first_renamed;
    u32_vec renamed_from;
};

void history_free(struct history *h);

/* No timestamp, which is the latest of all. */
static inline struct stamp
stamp_none(void)
{
    return (struct stamp){UINT64_MAX, UINT64_MAX};
}

static inline bool
stamp_is_none(struct stamp s)
{
    return s.physical == UINT64_MAX && s.logical == UINT64_MAX;
}

static inline int
stamp_compare(struct stamp a, struct stamp b)
{
    return a.physical != b.physical ? (a.physical < b.physical ? -1 : 1)
           : a.logical != b.logical ? (a.logical < b.logical ? -1 : 1)
                                    : 0;
}

/* Append "12", or "12.3" with a logical part. */
void stamp_show(struct stamp s, struct buf *out);

/* --- operations ------------------------------------------------------- */

static inline key_id
op_key(const struct history *h, op_id op)
{
    assert(op < h->n_ops);
    return h->op_key[op] & OP_KEY;
}

static inline bool
op_is_write(const struct history *h, op_id op)
{
    assert(op < h->n_ops);
    return h->op_key[op] & OP_WRITE;
}

/* The last write of its key in its transaction. */
static inline bool
op_is_final_write(const struct history *h, op_id op)
{
    assert(op < h->n_ops);
    return (h->op_key[op] & (OP_WRITE | OP_FINAL)) == (OP_WRITE | OP_FINAL);
}

/* A consistent read of what another transaction wrote. */
static inline bool
op_is_external_read(const struct history *h, op_id op)
{
    assert(op < h->n_ops);
    return (h->op_key[op] & (OP_WRITE | OP_EXTERNAL | OP_REJECTED)) ==
           OP_EXTERNAL;
}

static inline bool
op_is_check(const struct history *h, op_id op)
{
    assert(op < h->n_ops);
    return h->op_marks && h->op_marks[op] & OP_MARK_CHECK;
}

/* The number of op's statement in its transaction, or 0; the lock that this
 * statement took on op's row. */
static inline uint32_t
op_statement(const struct history *h, op_id op)
{
    assert(op < h->n_ops);
    return h->op_marks ? h->op_marks[op] >> OP_STATEMENT_SHIFT : 0;
}

static inline enum row_lock
op_lock(const struct history *h, op_id op)
{
    assert(op < h->n_ops);
    return h->op_marks
               ? (enum row_lock)((h->op_marks[op] >> OP_LOCK_SHIFT) & 0x7f)
               : ROW_LOCK_NONE;
}

static inline bool
op_is_fixed(const struct history *h, op_id op)
{
    assert(op < h->n_ops);
    return h->op_marks && h->op_marks[op] & OP_FIXED;
}

/* Whether op is not part of the history as this level sees it. */
static inline bool
op_is_ignored(const struct history *h, op_id op)
{
    return h->ignores_checks && op_is_check(h, op);
}

/* The place of a read in program order, for "read before": op itself, or the
 * first operation of its query where it has no order within that. */
static inline op_id
op_place(const struct history *h, op_id op)
{
    assert(op < h->n_ops);
    if (h->op_marks && h->op_marks[op] & OP_MARK_UNORDERED)
        while (h->op_marks[op] & OP_MARK_IN_QUERY)
            op--;
    return op;
}

/* The history as a level sees it: 'with_checks' at the serializable ones. */
static inline const struct history *
history_seen(const struct history *h, bool with_checks)
{
    return h->unchecked && !with_checks ? h->unchecked : h;
}

/* The read that the implied read op is a part of; ID_NONE where op is none. */
op_id history_implied_by(const struct history *h, op_id op);

static inline bool
op_is_implied(const struct history *h, op_id op)
{
    return h->implied.n && history_implied_by(h, op) != ID_NONE;
}

/* Whether a builder inserts op by itself, when the history is copied: an
 * implied read of a list. */
static inline bool
op_is_inserted(const struct history *h, op_id op)
{
    return !op_is_write(h, op) && op_is_implied(h, op);
}

static inline bool
history_key_is_row(const struct history *h, key_id k)
{
    assert(k < h->n_keys);
    return h->key_rows && h->key_rows[k].row != ID_NONE;
}

static inline bool
op_is_of_row(const struct history *h, op_id op)
{
    return history_key_is_row(h, op_key(h, op));
}

/* Whether something that was recorded determines an order of writes: lists, or
 * versions of rows that name the one before. */
static inline bool
history_has_orders(const struct history *h)
{
    return h->order_first || h->links.n;
}

/* The recorded operation: op, or the read that op is a part of. */
op_id history_recorded(const struct history *h, op_id op);

/* How many operations of t, and of all transactions, were recorded. */
uint32_t history_txn_ops(const struct history *h, txn_id t);

static inline uint32_t
history_ops(const struct history *h)
{
    return h->n_ops - (uint32_t)h->implied.n;
}

static inline bool
op_is_of_list(const struct history *h, op_id op)
{
    return h->key_is_list && h->key_is_list[op_key(h, op)];
}

/* --- writers of values ------------------------------------------------- */

/* The transaction that a read of v reads from: TXN_INIT, a transaction, or,
 * with history_has_several(h, v), not determined.  TXN_NONE: it has no writer.
 */
static inline txn_id
history_writer(const struct history *h, value_id v)
{
    assert(v < h->n_values);
    return v == VALUE_INIT ? TXN_INIT : h->values[v].writer;
}

static inline bool
history_has_several(const struct history *h, value_id v)
{
    assert(v < h->n_values);
    const txn_id w = h->values[v].writer;
    return v != VALUE_INIT && (w & WRITER_MANY) && w < TXN_INIT;
}

struct txn_range {
    const txn_id *at;
    size_t n;
};

/* The candidates of a value that has several: TXN_INIT first where it is one,
 * then transactions in ascending order.  A reader that is among them itself
 * (it writes the value later) is not a candidate for its own read. */
struct txn_range history_candidates(const struct history *h, value_id v);

/* The id of the same key and value that lists show. */
static inline value_id
history_shown_value(const struct history *h, value_id v)
{
    return v - h->first_renamed < h->renamed_from.n
               ? h->renamed_from.at[v - h->first_renamed]
               : v;
}

/* --- names ---------------------------------------------------------------*/

struct atom history_value_atom(const struct history *h, value_id v);
struct atom history_txn_atom(const struct history *h, txn_id t); // or nil

static inline struct atom
history_key_atom(const struct history *h, key_id k)
{
    assert(k < h->n_keys);
    return atoms_get(&h->key_names, k);
}

static inline bool
history_has_names(const struct history *h)
{
    return h->txn_names.tags.n;
}

/* Append the transaction's id in the input, or "s<session>/<position>" where
 * it has none, counting positions from 1; "init" for TXN_INIT. */
void history_show_txn(const struct history *h, txn_id t, struct buf *out);
void history_show_key(const struct history *h, key_id k, struct buf *out);
void history_show_value(const struct history *h, value_id v, struct buf *out);
void history_show_session(const struct history *h, session_id s,
                          struct buf *out);

/* Append "r(x, 5)", "w(x, 5)", "append(x, 5)" or "r(x, [1 2])". */
void history_show_op(const struct history *h, op_id op, struct buf *out);

/* How a read saw a list; NULL where op read no list, or an empty one. */
const struct list_read *history_list_read(const struct history *h, op_id op);

/* The list that a read saw; at == NULL where op did not read a list. */
struct list_seen {
    const value_id *at;
    size_t n;
};
struct list_seen history_list_seen(const struct history *h, op_id op);

#endif

/* csv.c -- a table of operations: one row for each.
 *
 *     session,transaction,operation,key,value
 *     1,1,read,x,
 *     1,1,write,x,5
 *     2,1,read,x,5
 *
 * The first row names the columns, which may come in any order.  A transaction
 * is named by its session and its own name; its rows need not stand together.
 *
 * The outcome is in a column, or in rows 'commit' and 'abort'.  If there are
 * such rows, a transaction without one has no known outcome.
 *
 *   (1) txns[t] is about transaction t of the builder;
 *   (2) 'clock' is the clock of all times that were read.
 *
 * SPDX-License-Identifier: MIT */
#include "format/csv/csv.h"

#include "base/container/intmap.h"
#include "format/csv/csv_row.h"
#include "format/readers.h"
#include "format/scan/scan_stamp.h"
#include "format/scan/scan_time.h"

enum { BYTES_PER_OP = 12 }; // roughly, in a large file

const char *const csv_columns[CSV_COLUMNS] = {
    "session", "transaction", "operation", "key",      "value",
    "status",  "start",       "end",       "start_ts", "commit_ts",
};

#define COLUMN_NAMES                                                           \
    "session, transaction, operation, key, value, status, start, end, "        \
    "start_ts or commit_ts"

#define NO_COLUMN SIZE_MAX

/* What is known about a transaction so far. */
struct txn {
    struct atom name;
    int64_t start, end;
    struct stamp start_ts, commit_ts;
    bool has_status, has_ended; // the second: by a row
    enum txn_status status;
};

struct session {
    struct intmap txns[ATOM_TAGS];
};

struct reader {
    struct scan s;
    struct builder *b;
    struct csv_row row;
    char separator;
    size_t n_columns, column[CSV_COLUMNS]; // field of a column, or NO_COLUMN
    VEC(struct session) sessions;
    VEC(struct txn) txns;           // (1)
    struct intmap names[ATOM_TAGS]; // of all sessions
    bool has_twins;                 // a name occurs in two sessions
    bool has_outcomes;              // there are rows 'commit' or 'abort'
    enum scan_clock clock;          // (2)
};

static char
lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* Whether the text is that word, in capitals or not. */
static bool
is_word(struct span text, const char *word)
{
    size_t i = 0;
    while (i < text.n && word[i] && lower(text.at[i]) == word[i])
        i++;
    return i == text.n && !word[i];
}

static bool
unexpected(struct reader *r, size_t field, const char *expected)
{
    return scan_unexpected_text(&r->s, r->row.fields.at[field].at,
                                csv_text(&r->row, field), expected);
}

/* --- the first row ------------------------------------------------------- */

static bool
find_column(struct span name, enum csv_column *out)
{
    static const struct {
        const char *text;
        enum csv_column column;
    } others[] = {{"txn", CSV_TXN}, {"op", CSV_OPERATION}};
    for (unsigned c = 0; c < CSV_COLUMNS; c++)
        if (is_word(name, csv_columns[c])) {
            *out = (enum csv_column)c;
            return true;
        }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (is_word(name, others[i].text)) {
            *out = others[i].column;
            return true;
        }
    return false;
}

static bool
read_columns(struct reader *r)
{
    bool found;
    for (size_t c = 0; c < CSV_COLUMNS; c++)
        r->column[c] = NO_COLUMN;
    if (!csv_row_read(&r->s, r->separator, &r->row, &found))
        return false;
    r->n_columns = r->row.fields.n;
    for (size_t i = 0; i < r->n_columns; i++) {
        enum csv_column c;
        if (!find_column(csv_text(&r->row, i), &c))
            return unexpected(r, i, "a column: " COLUMN_NAMES);
        if (r->column[c] != NO_COLUMN)
            return unexpected(r, i, "each column once");
        r->column[c] = i;
    }
    for (size_t c = CSV_SESSION; c <= CSV_VALUE; c++)
        if (r->column[c] == NO_COLUMN)
            return scan_fail(&r->s, r->row.at, ERR_SYNTAX,
                             "no column '%s' in the first row", csv_columns[c]);
    return true;
}

/* --- transactions -------------------------------------------------------- */

/* The transaction of the row. */
static bool
find_txn(struct reader *r, txn_id *out)
{
    const size_t at = r->column[CSV_SESSION], txn_at = r->column[CSV_TXN];
    const struct atom name = csv_atom(&r->row, at, r->b),
                      txn = csv_atom(&r->row, txn_at, r->b);
    if (name.tag == ATOM_NIL || txn.tag == ATOM_NIL)
        return unexpected(r, name.tag == ATOM_NIL ? at : txn_at,
                          name.tag == ATOM_NIL ? "a session" : "a transaction");
    const session_id session = builder_session(r->b, name);
    while (r->sessions.n <= session)
        vec_push(&r->sessions, (struct session){0});
    bool is_new, is_first;
    *out = intmap_add(&r->sessions.at[session].txns[txn.tag], txn.bits,
                      (uint32_t)r->txns.n, &is_new);
    if (!is_new)
        return true;
    if (!builder_txn(r->b, session, out, r->s.err))
        return scan_locate(&r->s, r->row.at);
    assert(*out == r->txns.n);
    builder_place(r->b, *out, scan_offset(&r->s, r->row.at));
    vec_push(&r->txns, ((struct txn){.name = txn,
                                     .start = INT64_MAX,
                                     .end = INT64_MIN,
                                     .start_ts = stamp_none(),
                                     .commit_ts = stamp_none()}));
    intmap_add(&r->names[txn.tag], txn.bits, 0, &is_first);
    r->has_twins |= !is_first;
    return true;
}

/* The outcome that a column of the row gives. */
static bool
read_status(struct reader *r, struct txn *txn)
{
    static const char *const words[] = {[TXN_COMMITTED] = "committed",
                                        [TXN_ABORTED] = "aborted",
                                        [TXN_INDETERMINATE] = "unknown"};
    const size_t at = r->column[CSV_STATUS];
    if (at == NO_COLUMN || !csv_text(&r->row, at).n)
        return true;
    unsigned status = 0;
    while (status < 3 && !is_word(csv_text(&r->row, at), words[status]))
        status++;
    if (status == 3)
        return unexpected(r, at, "committed, aborted or unknown");
    if (txn->has_status && status != txn->status)
        return unexpected(r, at,
                          "the same status in all rows of a "
                          "transaction");
    txn->has_status = true;
    txn->status = (enum txn_status)status;
    return true;
}

/* The time in a column of the row; *out stays if there is none. */
static bool
read_time(struct reader *r, enum csv_column column, int64_t *out, bool *found)
{
    const size_t at = r->column[column];
    *found = at != NO_COLUMN && csv_text(&r->row, at).n;
    if (!*found)
        return true;
    struct atom number;
    enum scan_clock clock = CLOCK_NUMBER;
    const struct span text = csv_text(&r->row, at);
    if (csv_is_integer(text.at, text.n, &number) && number.tag == ATOM_INT)
        *out = (int64_t)number.bits;
    else if (!scan_time_parse(text, out, &clock))
        return unexpected(r, at,
                          "an integer, or a time like "
                          "2026-11-16T10:00:00.5Z");
    // To the builder, the ends of the range mean "not known".
    if (*out == INT64_MIN || *out == INT64_MAX)
        return unexpected(r, at, "a time that fits into 64 signed bits");
    return scan_clock_agrees(&r->clock, clock) ||
           unexpected(r, at,
                      "a time like those before it: all integers, all "
                      "with a zone, or all without one");
}

/* The times of a transaction are those of its first and its last row. */
static bool
read_times(struct reader *r, struct txn *txn)
{
    int64_t start = 0, end = 0;
    bool has_start, has_end;
    if (!read_time(r, CSV_START, &start, &has_start) ||
        !read_time(r, CSV_END, &end, &has_end))
        return false;
    if (has_start && has_end && end < start)
        return unexpected(r, r->column[CSV_END],
                          "an end that is not before "
                          "the start");
    if (has_start && start < txn->start)
        txn->start = start;
    if (has_end && end > txn->end)
        txn->end = end;
    return true;
}

/* A timestamp of the server in a column of the row. */
static bool
read_stamp(struct reader *r, enum csv_column column, struct stamp *out)
{
    const size_t at = r->column[column];
    struct stamp stamp;
    if (at == NO_COLUMN || !csv_text(&r->row, at).n)
        return true;
    if (!scan_stamp_parse(csv_text(&r->row, at), &stamp))
        return unexpected(r, at, SCAN_STAMP);
    if (!stamp_is_none(*out) && stamp_compare(*out, stamp) != 0)
        return unexpected(r, at,
                          "the same timestamp in all rows of a transaction");
    *out = stamp;
    return true;
}

static bool
read_stamps(struct reader *r, struct txn *txn)
{
    if (!read_stamp(r, CSV_START_TS, &txn->start_ts) ||
        !read_stamp(r, CSV_COMMIT_TS, &txn->commit_ts))
        return false;
    return stamp_is_none(txn->start_ts) || stamp_is_none(txn->commit_ts) ||
           stamp_compare(txn->start_ts, txn->commit_ts) <= 0 ||
           scan_fail(&r->s, r->row.at, ERR_SYNTAX,
                     "the transaction commits before it starts");
}

/* --- operations ---------------------------------------------------------- */

/* A row that is no read and no write must not have a key or a value. */
static bool
needs_nothing(struct reader *r)
{
    const size_t key = r->column[CSV_KEY], value = r->column[CSV_VALUE];
    const bool has_key = csv_text(&r->row, key).n;
    return (!has_key && !csv_text(&r->row, value).n) ||
           unexpected(r, has_key ? key : value,
                      "nothing in a row that is no read and no write");
}

/* A row that ends its transaction. */
static bool
end_txn(struct reader *r, struct txn *txn, enum txn_status status)
{
    if (r->column[CSV_STATUS] != NO_COLUMN)
        return scan_fail(&r->s, r->row.at, ERR_SYNTAX,
                         "the end of a transaction, but there is a column "
                         "'status', expected one of the two");
    r->has_outcomes = true;
    txn->has_ended = true;
    txn->has_status = true;
    txn->status = status;
    return needs_nothing(r);
}

static bool
add_op(struct reader *r, txn_id t, bool is_write)
{
    const size_t at = r->column[CSV_KEY];
    const struct atom key = csv_atom(&r->row, at, r->b),
                      value = csv_atom(&r->row, r->column[CSV_VALUE], r->b);
    if (key.tag == ATOM_NIL)
        return unexpected(r, at, "a key");
    return (is_write ? builder_write(r->b, t, key, value, r->s.err)
                     : builder_read(r->b, t, key, value, r->s.err)) ||
           scan_locate(&r->s, r->row.at);
}

static bool
read_operation(struct reader *r, txn_id t)
{
    const size_t at = r->column[CSV_OPERATION];
    const struct span text = csv_text(&r->row, at);
    struct txn *txn = &r->txns.at[t];
    if (is_word(text, "read") || is_word(text, "r"))
        return add_op(r, t, false);
    if (is_word(text, "write") || is_word(text, "w"))
        return add_op(r, t, true);
    if (is_word(text, "begin"))
        return needs_nothing(r);
    if (is_word(text, "commit") || is_word(text, "c"))
        return end_txn(r, txn, TXN_COMMITTED);
    if (is_word(text, "abort") || is_word(text, "rollback") ||
        is_word(text, "a"))
        return end_txn(r, txn, TXN_ABORTED);
    if (is_word(text, "append"))
        return unexpected(r, at,
                          "read, write, begin, commit or abort: this "
                          "format has no lists, jsonl has");
    return unexpected(r, at, "read, write, begin, commit or abort");
}

/* --- the table ----------------------------------------------------------- */

static bool
read_row(struct reader *r)
{
    txn_id t;
    if (r->row.fields.n != r->n_columns)
        return scan_fail(&r->s, r->row.at, ERR_SYNTAX,
                         "a row of %zu fields, expected %zu as in the first "
                         "row",
                         r->row.fields.n, r->n_columns);
    if (!find_txn(r, &t))
        return false;
    if (r->txns.at[t].has_ended)
        return scan_fail(&r->s, r->row.at, ERR_SYNTAX,
                         "an operation after the end of its transaction");
    return read_status(r, &r->txns.at[t]) && read_times(r, &r->txns.at[t]) &&
           read_stamps(r, &r->txns.at[t]) && read_operation(r, t);
}

/* Give the builder what is known about a transaction at the end. */
static void
close_txn(struct reader *r, txn_id t)
{
    const struct txn *txn = &r->txns.at[t];
    const enum txn_status status = txn->has_status   ? txn->status
                                   : r->has_outcomes ? TXN_INDETERMINATE
                                                     : TXN_COMMITTED;
    builder_status(r->b, t, status);
    if (!r->has_twins)
        builder_name(r->b, t, txn->name);
    const bool has_start = txn->start != INT64_MAX;
    const bool has_end = txn->end != INT64_MIN && status != TXN_INDETERMINATE;
    if (has_start || txn->end != INT64_MIN)
        builder_times(r->b, t, has_start ? txn->start : INT64_MIN,
                      has_end ? txn->end : INT64_MAX);
    if (!stamp_is_none(txn->start_ts) || !stamp_is_none(txn->commit_ts))
        builder_stamps(r->b, t, txn->start_ts, txn->commit_ts);
}

static bool
read_table(struct reader *r)
{
    bool found = true;
    r->separator = csv_separator(&r->s);
    if (!read_columns(r))
        return false;
    while (found)
        if (!csv_row_read(&r->s, r->separator, &r->row, &found) ||
            (found && !read_row(r)))
            return false;
    for (size_t t = 0; t < r->txns.n; t++)
        close_txn(r, (txn_id)t);
    return true;
}

static bool
csv_read(struct input *in, struct builder *b, struct err *err)
{
    if (in->is_directory)
        return err_set(err, ERR_SYNTAX, "a directory, expected a file");
    struct reader r = {.b = b};
    scan_init(&r.s, in, err);
    builder_expect(b, in->size / BYTES_PER_OP);
    const bool ok = read_table(&r);
    for (size_t i = 0; i < r.sessions.n; i++)
        for (int tag = 0; tag < ATOM_TAGS; tag++)
            intmap_free(&r.sessions.at[i].txns[tag]);
    for (int tag = 0; tag < ATOM_TAGS; tag++)
        intmap_free(&r.names[tag]);
    vec_free(&r.sessions);
    vec_free(&r.txns);
    csv_row_free(&r.row);
    scan_free(&r.s);
    return ok;
}

/* A first row with three of the columns, and only such columns. */
static int
csv_sniff(const struct input *in)
{
    enum { LONGEST = 512 }; // bytes of a plausible first row
    if (in->is_directory || !in->size || memchr("{[(#", in->data[0], 4))
        return 0;
    struct err ignored = {0};
    struct scan s;
    struct csv_row row = {0};
    bool found;
    scan_init(&s, in, &ignored);
    if (s.end - s.at > LONGEST)
        s.end = s.at + LONGEST;
    size_t known = 0;
    if (csv_row_read(&s, csv_separator(&s), &row, &found))
        for (size_t i = 0; i < row.fields.n; i++) {
            enum csv_column c;
            known += find_column(csv_text(&row, i), &c);
        }
    const bool is_table = known >= 3;
    csv_row_free(&row);
    scan_free(&s);
    return is_table ? 90 : 0;
}

const struct format format_csv = {
    .name = "csv",
    .suffix = ".csv",
    .help = "a table: session, transaction, operation, key, value",
    .initial = ATOM_NIL,
    .keeps = KEEPS_TIMES | KEEPS_STAMPS,
    .sniff = csv_sniff,
    .read = csv_read,
    .holds = csv_holds,
    .write = csv_write,
};

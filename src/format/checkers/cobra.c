/* cobra.c -- the binary logs of Cobra: a directory with one file per session.
 *
 *     'S' txn                          start
 *     'W' write key value
 *     'R' writer write key value       read, with the writer's transaction
 *     'C' txn                          commit
 *
 * One byte and then integers of 8 bytes, big endian.  Other tools read them
 * with a sign; keys and values are hashes, so here they are unsigned.
 *
 * There are two flavours.  In the standard one every write has its own id, and
 * a read records the id it saw: ids are the values to compare.  In the
 * universal one all ids are the same and only the values differ.  A log does
 * not say which flavour it is, so a first pass reads all files before the
 * history is built.  The first pass also checks the records, and the second
 * relies on it.
 *
 * Transactions that aborted are not logged.  One that began and has no commit
 * when its file ends is indeterminate.
 *
 * The initial state is not logged either.  The first operation on the initial
 * state of a key is in the log: a value, or an absent row.  A different initial
 * state of the same key becomes its own value, which no transaction
 * writes, so that a read of it is a thin-air read.
 *
 * Invariants after the first pass over a file:
 *   (1) it is a sequence of whole records;
 *   (2) each transaction is a start, operations, and a commit with the same
 *       id; transactions do not overlap.
 *
 * Cost: O(size of the files), twice; files are mapped, all at the same time.
 * A table entry for each key whose initial state appears.
 *
 * SPDX-License-Identifier: MIT */
#include "format/checkers/cobra.h"

#include "base/container/intmap.h"
#include "format/checkers/logs.h"
#include "format/readers.h"
#include "format/scan/bytes.h"

#include <inttypes.h>

enum {
    WRITE_SIZE = 1 + 24, // bytes of a write, the smallest operation
};

/* The state of a key before the first transaction. */
struct start {
    bool is_absent;
    uint64_t value; // 0 if the row is absent
};

struct reader {
    struct builder *b;
    struct logs logs;
    bool universal;
    struct intmap start_of; // key -> index into starts
    VEC(struct start) starts;
    struct err *err;
};

/* --- the first pass ------------------------------------------------------- */

/* Records by their first byte; 0 integers if no record begins with it. */
static const struct kind {
    size_t integers;
    const char *name;
} KINDS[256] = {
    ['S'] = {1, "a start"},
    ['W'] = {3, "a write"},
    ['R'] = {4, "a read"},
    ['C'] = {1, "a commit"},
};

static const struct kind *
kind_of(const char *record)
{
    return &KINDS[(unsigned char)record[0]];
}

static size_t
record_size(const char *record)
{
    return 1 + 8 * kind_of(record)->integers;
}

/* The i-th integer of a record. */
static uint64_t
field(const char *record, size_t i)
{
    return load_big64(record + 1 + 8 * i);
}

/* The transaction that is open at the current place of a log. */
struct open_txn {
    bool is_open;
    uint64_t id;
};

/* Report a record that does not fit the open transaction (2). */
static bool
bad_place(const struct log_file *log, const char *record, struct open_txn open,
          struct err *err)
{
    const char *name = kind_of(record)->name;
    if (!open.is_open)
        err_set(err, ERR_SYNTAX, "found %s outside of any transaction", name);
    else
        err_set(err, ERR_SYNTAX,
                "found %s of transaction %" PRId64 " while transaction %" PRId64
                " is open",
                name, (int64_t)field(record, 0), (int64_t)open.id);
    return err_at_byte(err, (uint64_t)(record - log->in.data));
}

static bool
check_record(const struct log_file *log, const char *record, size_t left,
             struct err *err)
{
    const struct kind *kind = kind_of(record);
    if (!kind->integers)
        err_set(err, ERR_SYNTAX,
                "found byte 0x%02x, expected 'S', 'W', 'R' or 'C'",
                (unsigned char)record[0]);
    else if (left < record_size(record))
        err_set(err, ERR_SYNTAX, "the file ends inside %s", kind->name);
    else
        return true;
    return err_at_byte(err, (uint64_t)(record - log->in.data));
}

/* Check (1) and (2); find out whether the log is of the universal flavour. */
static bool
check_log(const struct log_file *log, bool *universal, struct err *err)
{
    struct open_txn open = {0};
    const char *at = log->in.data, *end = at + log->in.size;
    while (at < end) {
        if (!check_record(log, at, (size_t)(end - at), err))
            return false;
        switch (at[0]) {
        case 'S':
            if (open.is_open)
                return bad_place(log, at, open, err);
            open = (struct open_txn){true, field(at, 0)};
            break;
        case 'C':
            if (!open.is_open || open.id != field(at, 0))
                return bad_place(log, at, open, err);
            open.is_open = false;
            break;
        default:
            if (!open.is_open)
                return bad_place(log, at, open, err);
            if (at[0] == 'W' && field(at, 0) == COBRA_UNIVERSAL)
                *universal = true;
        }
        at += record_size(at);
    }
    return true;
}

/* --- the second pass ------------------------------------------------------ */

/* An initial state that is not the first one of its key, as a value. */
static struct atom
other_start(struct reader *r, struct start start)
{
    char text[64];
    const int n = start.is_absent ? snprintf(text, sizeof text, "absent")
                                  : snprintf(text, sizeof text,
                                             "initial %" PRIu64, start.value);
    return builder_text(r->b, ATOM_STRING, text, (size_t)n);
}

/* The value of an operation on the initial state of a key. */
static struct atom
initial_value(struct reader *r, uint64_t key, struct start start)
{
    bool added;
    const uint32_t i =
        intmap_add(&r->start_of, key, (uint32_t)r->starts.n, &added);
    if (added)
        vec_push(&r->starts, start);
    const struct start *first = &r->starts.at[i];
    return first->is_absent == start.is_absent && first->value == start.value
               ? atom_nil()
               : other_start(r, start);
}

static bool
add_op(struct reader *r, txn_id t, const char *record)
{
    const bool is_write = record[0] == 'W';
    const char *ids = is_write ? record : record + 8; // skip the writer
    const uint64_t id = field(ids, 0);
    const struct atom key = atom_uint(field(ids, 1));
    const bool is_absent = id == COBRA_NULL;
    const struct start start = {is_absent, is_absent ? 0 : field(ids, 2)};
    const struct atom value =
        cobra_is_initial(id) ? initial_value(r, field(ids, 1), start)
                             : atom_uint(r->universal ? field(ids, 2) : id);
    return is_write ? builder_write(r->b, t, key, value, r->err)
                    : builder_read(r->b, t, key, value, r->err);
}

static bool
build_log(struct reader *r, const struct log_file *log)
{
    const session_id s = builder_session(
        r->b, log->has_number ? atom_uint(log->number)
                              : builder_text(r->b, ATOM_STRING, log->stem,
                                             strlen(log->stem)));
    const char *at = log->in.data, *end = at + log->in.size;
    txn_id t = TXN_NONE;
    bool ok = true;
    for (; ok && at < end; at += record_size(at)) {
        switch (at[0]) {
        case 'S':
            ok = builder_txn(r->b, s, &t, r->err);
            if (ok) {
                builder_name(r->b, t, atom_int((int64_t)field(at, 0)));
                builder_status(r->b, t, TXN_INDETERMINATE);
            }
            break;
        case 'C':
            builder_status(r->b, t, TXN_COMMITTED);
            break;
        default:
            ok = add_op(r, t, at);
        }
    }
    return ok || err_at_byte(r->err, (uint64_t)(at - log->in.data));
}

/* --- all together --------------------------------------------------------- */

static bool
read_directory(struct reader *r, const char *directory)
{
    if (!logs_list(&r->logs, directory, r->err) || !logs_open(&r->logs, r->err))
        return false;
    size_t size = 0;
    for (size_t i = 0; i < r->logs.n; i++) {
        if (!check_log(&r->logs.at[i], &r->universal, r->err))
            return err_in_file(r->err, r->logs.at[i].path);
        size += r->logs.at[i].in.size;
    }
    builder_expect(r->b, size / WRITE_SIZE);
    for (size_t i = 0; i < r->logs.n; i++)
        if (!build_log(r, &r->logs.at[i]))
            return err_in_file(r->err, r->logs.at[i].path);
    return true;
}

static bool
cobra_read(struct input *in, struct builder *b, struct err *err)
{
    if (!in->is_directory)
        return err_set(err, ERR_SYNTAX,
                       "a file, expected a directory of *.log files");
    struct reader r = {.b = b, .err = err};
    const bool ok = read_directory(&r, in->name);
    logs_free(&r.logs);
    intmap_free(&r.start_of);
    vec_free(&r.starts);
    return ok;
}

/* The first log that is not empty begins with a start. */
static int
cobra_sniff(const struct input *in)
{
    if (!in->is_directory)
        return 0;
    struct err ignored = {0};
    struct logs logs = {0};
    int sure = 0;
    if (logs_list(&logs, in->name, &ignored))
        for (size_t i = 0; !sure && i < logs.n; i++) {
            struct log_file *log = &logs.at[i];
            if (!input_open(&log->in, log->path, &ignored))
                break;
            const bool empty = !log->in.size;
            sure = !empty && log->in.data[0] == 'S' ? 90 : 0;
            if (!empty)
                break;
        }
    logs_free(&logs);
    return sure;
}

const struct format format_cobra = {
    .name = "cobra",
    .suffix = ".cobra",
    .help = "a directory of binary logs, one *.log per session (Cobra)",
    .initial = ATOM_NIL,
    .keeps = KEEPS_NAMES,
    .writes_directory = true,
    .sniff = cobra_sniff,
    .read = cobra_read,
    .holds = cobra_holds,
    .write = cobra_write,
};

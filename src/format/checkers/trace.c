/* trace.c -- the traces of IsoPredict: operations that name their writers.
 *
 *     WRITE KEY[x] Txn(1, 0)
 *     READ KEY[x] Txn(2, 0) From(1, 0)
 *     INSERT[7] to Set[s] Txn(1, 1)
 *     DELETE[7] from Set[s] Txn(2, 1)
 *     CONTAINS[7] in Set[s] From(1, 1) Txn(2, 2)
 *
 * There are no values.  Here a write stores the name of its transaction, and a
 * read returns the name of its writer, so reads are resolved as in any other
 * history.  If a transaction writes a key several times, all writes store the
 * same name, and the last one counts.  An element of a set is a key,
 * 'Set(s:7)'.  Txn(0, 0) is the initial state, and its writes are skipped.
 *
 * Transactions are listed in the order in which they committed.  No level uses
 * that order, so it does not become times; it is kept as the order of arrival
 * in the history.
 *
 * A read may name a writer whose write comes later in the file, so the reader
 * checks at the end that each writer wrote the key.
 *
 * Invariants while reading:
 *   (1) one transaction of each session is open, the last that appeared; an
 *       earlier one does not come back;
 *   (2) 'written' holds each pair of a transaction and a key it wrote so far.
 *
 * Cost: one pass, O(size), and a table entry for each written pair.
 *
 * SPDX-License-Identifier: MIT */
#include "format/checkers/trace.h"

#include "base/container/intmap.h"
#include "format/readers.h"
#include "format/scan/decimal.h"
#include "format/scan/scan.h"

#include <inttypes.h>
#include <string.h>

/* Txn(s, i) in the file. */
struct label {
    uint32_t session, index;
    const char *at; // after the parenthesis
};

/* A read whose writer is checked at the end. */
struct claim {
    uint64_t writer; // a label in one word
    uint32_t key;
    size_t offset;
};

struct reader {
    struct scan s;
    const char *line_end;
    struct builder *b;
    struct strings keys;   // as they are passed to the builder
    struct intmap txns;    // a label in one word -> the builder's id
    struct intmap open;    // session -> index into open_index
    u32_vec open_index;    // the i of the open transaction Txn(s, i)
    struct intmap written; // transaction and key in one word
    VEC(struct claim) claims;
    struct buf text;
};

static uint64_t
pack(uint32_t high, uint32_t low)
{
    return (uint64_t)high << 32 | low;
}

static uint64_t
pack_label(struct label l)
{
    return pack(l.session, l.index);
}

/* --- the parts of a line -------------------------------------------------- */

static bool
accept(struct reader *r, const char *text)
{
    const size_t len = strlen(text);
    if ((size_t)(r->line_end - r->s.at) < len ||
        memcmp(r->s.at, text, len) != 0)
        return false;
    r->s.at += len;
    return true;
}

static bool
expect(struct reader *r, const char *text, const char *name)
{
    return accept(r, text) || scan_unexpected(&r->s, r->s.at, name);
}

/* Take the text up to 'stop', which begins with a bracket, and skip both. */
static bool
take_until(struct reader *r, const char *stop, const char *name,
           struct span *out)
{
    const size_t len = strlen(stop);
    *out = (struct span){r->s.at, 0};
    const char *at = r->s.at;
    while ((size_t)(r->line_end - at) >= len) {
        at = memchr(at, ']', (size_t)(r->line_end - at) - len + 1);
        if (!at)
            break;
        if (memcmp(at, stop, len) == 0) {
            out->n = (size_t)(at - out->at);
            r->s.at = at + len;
            return true;
        }
        at++;
    }
    return scan_fail(&r->s, out->at, ERR_SYNTAX,
                     "no '%s' after this %s on its line", stop, name);
}

static bool
parse_number(struct reader *r, uint32_t *out)
{
    const char *begin = r->s.at;
    while (r->s.at < r->line_end && is_digit(*r->s.at))
        r->s.at++;
    if (r->s.at == begin)
        return scan_unexpected(&r->s, begin, "a number");
    uint64_t x;
    if (!parse_decimal(begin, (size_t)(r->s.at - begin), &x) || x > UINT32_MAX)
        return scan_fail(&r->s, begin, ERR_SYNTAX,
                         "this number does not fit in 32 bits");
    *out = (uint32_t)x;
    return true;
}

/* "s, i)" after "Txn(" or "From(". */
static bool
parse_label(struct reader *r, struct label *out)
{
    out->at = r->s.at;
    if (!parse_number(r, &out->session) || !expect(r, ",", "','"))
        return false;
    while (accept(r, " "))
        ;
    return parse_number(r, &out->index) && expect(r, ")", "')'");
}

static bool
is_init(struct label l)
{
    return l.session == 0 && l.index == 0;
}

/* --- what the builder gets ------------------------------------------------ */

/* The name of a transaction, which is also what it writes. */
static struct atom
label_atom(struct reader *r, struct label l)
{
    buf_clear(&r->text);
    buf_printf(&r->text, "%" PRIu32 "/%" PRIu32, l.session, l.index);
    return builder_text(r->b, ATOM_STRING, r->text.at, r->text.n);
}

bool
trace_is_integer(const char *text, size_t len, struct atom *out)
{
    const bool negative = len && text[0] == '-';
    const char *digits = text + negative, *end = text + len;
    for (const char *at = digits; at < end; at++)
        if (!is_digit(*at))
            return false;
    return digits < end && (*digits != '0' || len == 1) &&
           scan_integer(negative, digits, end, out);
}

static struct atom
key_atom(struct reader *r, struct span text)
{
    struct atom key;
    if (trace_is_integer(text.at, text.n, &key))
        return key;
    return builder_text(r->b, ATOM_STRING, text.at, text.n);
}

/* The transaction of this label; it is begun if it is new (1). */
static bool
find_txn(struct reader *r, struct label l, txn_id *t)
{
    bool added;
    const uint32_t slot =
        intmap_add(&r->open, l.session, (uint32_t)r->open_index.n, &added);
    if (added)
        vec_push(&r->open_index, l.index);
    *t = intmap_find(&r->txns, pack_label(l));
    if (*t == UINT32_MAX) {
        const session_id s = builder_session(r->b, atom_uint(l.session));
        if (!builder_txn(r->b, s, t, r->s.err))
            return scan_locate(&r->s, l.at);
        builder_name(r->b, *t, label_atom(r, l));
        builder_place(r->b, *t, scan_offset(&r->s, l.at));
        intmap_add(&r->txns, pack_label(l), *t, &added);
        r->open_index.at[slot] = l.index;
    }
    if (r->open_index.at[slot] == l.index)
        return true;
    return scan_fail(&r->s, l.at, ERR_SYNTAX,
                     "Txn(%" PRIu32 ", %" PRIu32
                     ") comes back after Txn(%" PRIu32 ", %" PRIu32
                     ") of its session",
                     l.session, l.index, l.session, r->open_index.at[slot]);
}

static bool
add_write(struct reader *r, struct span key, struct label by)
{
    if (is_init(by))
        return true;
    txn_id t;
    if (!find_txn(r, by, &t))
        return false;
    bool added;
    intmap_add(&r->written, pack(t, strings_add(&r->keys, key.at, key.n)), 0,
               &added);
    return builder_write(r->b, t, key_atom(r, key), label_atom(r, by),
                         r->s.err) ||
           scan_locate(&r->s, by.at);
}

static bool
add_read(struct reader *r, struct span key, struct label by, struct label from)
{
    if (is_init(by))
        return scan_fail(&r->s, by.at, ERR_SYNTAX,
                         "Txn(0, 0) is the initial state and reads nothing");
    txn_id t;
    if (!find_txn(r, by, &t))
        return false;
    if (!is_init(from)) {
        const struct claim claim = {pack_label(from),
                                    strings_add(&r->keys, key.at, key.n),
                                    (size_t)(from.at - r->s.in->data)};
        vec_push(&r->claims, claim);
    }
    return builder_read(r->b, t, key_atom(r, key),
                        is_init(from) ? atom_nil() : label_atom(r, from),
                        r->s.err) ||
           scan_locate(&r->s, by.at);
}

/* --- lines ---------------------------------------------------------------- */

/* The shapes of a line.  After the opening comes a key, or an element, then
 * 'middle' and the set; then the labels in their order. */
static const struct shape {
    const char *opening, *middle, *first_label;
    const char *second_label, *second_name;
    bool is_write;
} SHAPES[] = {
    {"WRITE KEY[", NULL, "] Txn(", NULL, NULL, true},
    {"READ KEY[", NULL, "] Txn(", " From(", "'From('", false},
    {"INSERT[", "] to Set[", "] Txn(", NULL, NULL, true},
    {"DELETE[", "] from Set[", "] Txn(", NULL, NULL, true},
    {"CONTAINS[", "] in Set[", "] From(", " Txn(", "'Txn('", false},
};

enum { N_SHAPES = sizeof SHAPES / sizeof *SHAPES };

static bool
parse_key(struct reader *r, const struct shape *shape, struct buf *set_key,
          struct span *key)
{
    if (!shape->middle)
        return take_until(r, shape->first_label, "key", key);
    struct span element, set;
    if (!take_until(r, shape->middle, "element", &element) ||
        !take_until(r, shape->first_label, "set", &set))
        return false;
    buf_clear(set_key);
    buf_text(set_key, "Set(");
    buf_add(set_key, set.at, set.n);
    buf_char(set_key, ':');
    buf_add(set_key, element.at, element.n);
    buf_char(set_key, ')');
    *key = (struct span){set_key->at, set_key->n};
    return true;
}

static bool
parse_operation(struct reader *r, const struct shape *shape,
                struct buf *set_key)
{
    struct span key;
    struct label first, second = {0};
    if (!parse_key(r, shape, set_key, &key) || !parse_label(r, &first))
        return false;
    if (shape->second_label &&
        (!expect(r, shape->second_label, shape->second_name) ||
         !parse_label(r, &second)))
        return false;
    while (accept(r, " ") || accept(r, "\t") || accept(r, "\r"))
        ;
    if (r->s.at < r->line_end)
        return scan_unexpected(&r->s, r->s.at, "the end of the line");
    if (shape->is_write)
        return add_write(r, key, first);
    // CONTAINS has the writer first.
    return shape->middle ? add_read(r, key, second, first)
                         : add_read(r, key, first, second);
}

static bool
parse_line(struct reader *r, struct buf *set_key)
{
    while (accept(r, " ") || accept(r, "\t") || accept(r, "\r"))
        ;
    if (r->s.at == r->line_end)
        return true;
    for (size_t i = 0; i < N_SHAPES; i++)
        if (accept(r, SHAPES[i].opening))
            return parse_operation(r, &SHAPES[i], set_key);
    return scan_unexpected(&r->s, r->s.at,
                           "'WRITE KEY[', 'READ KEY[', 'INSERT[', 'DELETE[' "
                           "or 'CONTAINS['");
}

/* Check that every transaction that was read from wrote the key. */
static bool
check_claims(struct reader *r)
{
    for (size_t i = 0; i < r->claims.n; i++) {
        const struct claim c = r->claims.at[i];
        const txn_id t = intmap_find(&r->txns, c.writer);
        if (t == UINT32_MAX ||
            intmap_find(&r->written, pack(t, c.key)) == UINT32_MAX)
            return scan_fail(&r->s, r->s.in->data + c.offset, ERR_SYNTAX,
                             "Txn(%" PRIu64 ", %" PRIu64
                             ") is read from here, but never writes this key",
                             c.writer >> 32, c.writer & UINT32_MAX);
    }
    return true;
}

static bool
parse_trace(struct reader *r, struct input *in)
{
    struct buf set_key = {0};
    bool ok = true;
    while (ok && r->s.at < r->s.end) {
        const char *newline =
            memchr(r->s.at, '\n', (size_t)(r->s.end - r->s.at));
        r->line_end = newline ? newline : r->s.end;
        ok = parse_line(r, &set_key);
        r->s.at = newline ? newline + 1 : r->s.end;
        input_done(in, (size_t)(r->s.at - in->data));
    }
    buf_free(&set_key);
    return ok && check_claims(r);
}

static bool
trace_read(struct input *in, struct builder *b, struct err *err)
{
    if (in->is_directory)
        return err_set(err, ERR_SYNTAX, "a directory, expected a file");
    struct reader r = {.b = b};
    scan_init(&r.s, in, err);
    const bool ok = parse_trace(&r, in);
    scan_free(&r.s);
    strings_free(&r.keys);
    intmap_free(&r.txns);
    intmap_free(&r.open);
    vec_free(&r.open_index);
    intmap_free(&r.written);
    vec_free(&r.claims);
    buf_free(&r.text);
    return ok;
}

static int
trace_sniff(const struct input *in)
{
    if (in->is_directory)
        return 0;
    struct err ignored = {0};
    struct reader r = {0};
    scan_init(&r.s, in, &ignored);
    r.line_end = r.s.end;
    while (accept(&r, "\n") || accept(&r, "\r\n"))
        ;
    for (size_t i = 0; i < N_SHAPES; i++)
        if (accept(&r, SHAPES[i].opening))
            return 95;
    return 0;
}

const struct format format_trace = {
    .name = "trace",
    .suffix = ".trace",
    .help = "operations that name their writers (IsoPredict)",
    .initial = ATOM_NIL,
    .keeps = KEEPS_NAMES,
    .sniff = trace_sniff,
    .read = trace_read,
    .holds = trace_holds,
    .write = trace_write,
};

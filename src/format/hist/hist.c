/* hist.c -- read histories that people write by hand.
 *
 *     // a lost update
 *     [x:=1]
 *     ---
 *     [x==1 x:=2]
 *     ---
 *     [x==1 x:=3]
 *
 * The grammar; blanks, line ends and comments may separate any two tokens:
 *
 *     history     := rows? ( "---" name? )? session ( "---" name? session )*
 *     session     := transaction*
 *     transaction := name? "[" operation* "]" ( "!" | "?" )? times?
 *     operation   := key ( ":=" | "==" ) ( value | "?" )
 *                  | key "+=" value
 *                  | key "==" "[" value* "]"
 *                  | an operation on rows; see hist_rows.c
 *     times       := "@" integer? ".." integer?
 *     name, key, value := integer | word | quoted | ":" word | ":" quoted
 *
 * '?' as a value is the initial state.  After a transaction, '!' means that it
 * aborted and '?' that its outcome is unknown.  A word before '[' names the
 * transaction.  A word after '---' that is not followed by '[' names the
 * session; sessions without a name are numbered from 1.  A name that was used
 * before continues that session.
 *
 * The parser is a recursive descent without recursion: no rule contains itself,
 * so its depth does not depend on the input.  Tokens point into the input.  The
 * line and column of an error are computed only if there is one.
 *
 * Cost: one pass, O(size).
 *
 * SPDX-License-Identifier: MIT */
#include "format/hist/hist.h"

#include "format/readers.h"
#include "format/row/row_reader.h"
#include "format/scan/decimal.h"
#include "format/scan/plain.h"

#include <string.h>

enum {
    SNIFF_SIZE = 1 << 16,
    BYTES_PER_OP = 14, // roughly, in a large file
};

struct parser {
    struct scan s;
    struct builder *b;
    struct row_reader rows;
    VEC(struct atom) element; // elements of the current list
    bool has_initial;         // rows of the beginning
    size_t n_opened;          // sessions, a continued one counted again
    size_t n_sessions;
    session_id session; // the one at hand, once n_opened
};

/* --- tokens --------------------------------------------------------------- */

static void
skip_blank(struct parser *p)
{
    hist_skip(&p->s);
}

static bool
accept(struct parser *p, const char *text)
{
    return hist_accept(&p->s, text);
}

static bool
parse_atom(struct parser *p, const char *expected, struct atom *atom)
{
    struct hist_token token;
    return hist_lex(&p->s, expected, &token) &&
           hist_make(&p->s, p->b, &token, atom);
}

/* --- operations ----------------------------------------------------------- */

static bool
parse_value(struct parser *p, struct atom *value)
{
    skip_blank(p);
    if (accept(p, "?")) {
        *value = atom_nil();
        return true;
    }
    return parse_atom(p, "a value or '?'", value);
}

static bool
parse_element(struct parser *p, struct atom *element)
{
    skip_blank(p);
    return parse_atom(p, "an element", element);
}

/* The elements of a list, after its opening bracket. */
static bool
parse_list(struct parser *p)
{
    vec_clear(&p->element);
    for (;;) {
        skip_blank(p);
        if (accept(p, "]"))
            return true;
        struct atom element;
        if (!parse_atom(p, "an element or ']'", &element))
            return false;
        vec_push(&p->element, element);
    }
}

/* Pass an operation to the builder, or keep it if t has operations on rows. */
static bool
add_op(struct parser *p, txn_id t, struct row_other op, const char *begin)
{
    struct err *err = p->s.err;
    const bool is_seen = op.is_list && !op.is_write;
    if (row_reader_waits(&p->rows, t)) {
        row_reader_note(&p->rows, t, op, p->element.at,
                        is_seen ? p->element.n : 0, begin);
        return true;
    }
    if (is_seen)
        return builder_read_list(p->b, t, op.key, p->element.at, p->element.n,
                                 err);
    return op.is_list    ? builder_append(p->b, t, op.key, op.value, err)
           : op.is_write ? builder_write(p->b, t, op.key, op.value, err)
                         : builder_read(p->b, t, op.key, op.value, err);
}

static bool
parse_read(struct parser *p, struct row_other *op)
{
    skip_blank(p);
    op->is_list = accept(p, "[");
    return op->is_list ? parse_list(p) : parse_value(p, &op->value);
}

static bool
parse_operation(struct parser *p, txn_id t)
{
    const char *begin = p->s.at;
    struct hist_token token;
    struct row_other op = {0};
    if (!hist_lex(&p->s, "a key or ']'", &token))
        return false;
    const bool is_asked = p->s.at < p->s.end && *p->s.at == '"';
    skip_blank(p);
    if (is_asked ||
        (p->s.at < p->s.end && (*p->s.at == '(' || *p->s.at == '{')))
        return hist_row_op(&p->rows, t, &token, begin);
    if (!hist_make(&p->s, p->b, &token, &op.key))
        return false;
    bool ok;
    if (accept(p, "==")) {
        ok = parse_read(p, &op);
    } else if (accept(p, ":=")) {
        op.is_write = true;
        ok = parse_value(p, &op.value);
    } else if (accept(p, "+=")) {
        op.is_write = op.is_list = true;
        ok = parse_element(p, &op.value);
    } else {
        ok = scan_unexpected(&p->s, p->s.at, "':=', '==' or '+='");
    }
    // An error of the builder has no position yet; an error found here has.
    return ok && (add_op(p, t, op, begin) || scan_locate(&p->s, begin));
}

/* --- transactions and sessions -------------------------------------------- */

static bool
parse_time(struct parser *p, int64_t *time)
{
    const char *begin = p->s.at;
    if (p->s.at == p->s.end || (*p->s.at != '-' && !is_digit(*p->s.at)))
        return true; // left out, so not known
    p->s.at++;
    while (p->s.at < p->s.end && is_digit(*p->s.at))
        p->s.at++;
    const struct hist_token token = {.text = begin,
                                     .len = (size_t)(p->s.at - begin)};
    if (!hist_is_integer(begin, token.len)) {
        p->s.at = begin;
        return scan_unexpected(&p->s, p->s.at, "a time");
    }
    struct atom atom;
    if (!hist_make_integer(&p->s, &token, &atom))
        return false;
    if (atom.tag != ATOM_INT)
        return scan_fail(&p->s, begin, ERR_SYNTAX,
                         "this time does not fit in 63 bits");
    *time = (int64_t)atom.bits;
    return true;
}

/* What may follow the bracket of a transaction, without a blank. */
static bool
parse_outcome(struct parser *p, txn_id t)
{
    const bool aborted = accept(p, "!");
    const bool open = !aborted && accept(p, "?");
    if (aborted || open)
        builder_status(p->b, t, aborted ? TXN_ABORTED : TXN_INDETERMINATE);
    const char *at = p->s.at;
    if (!accept(p, "@"))
        return true;
    int64_t began = INT64_MIN, ended = INT64_MAX;
    if (!parse_time(p, &began))
        return false;
    if (!accept(p, ".."))
        return scan_unexpected(&p->s, p->s.at, "'..' between two times");
    if (!parse_time(p, &ended))
        return false;
    if (ended < began)
        return scan_fail(&p->s, at, ERR_SYNTAX,
                         "this transaction ends before it begins");
    // It is unknown when a transaction of unknown outcome took effect.
    builder_times(p->b, t, began, open ? INT64_MAX : ended);
    return true;
}

static bool
starts_name(char c)
{
    return hist_is_word(c) || c == ':' || c == '"';
}

static bool
parse_txn(struct parser *p)
{
    const char *begin = p->s.at;
    const bool named = starts_name(*begin);
    struct atom name;
    if (named && !parse_atom(p, "a name", &name))
        return false;
    skip_blank(p);
    if (!accept(p, "["))
        return scan_unexpected(&p->s, p->s.at,
                               named ? "'[' after the name of a transaction"
                                     : "'[' or '---'");
    txn_id t;
    if (!builder_txn(p->b, p->session, &t, p->s.err))
        return scan_locate(&p->s, begin);
    builder_place(p->b, t, scan_offset(&p->s, begin));
    if (named)
        builder_name(p->b, t, name);
    for (;;) {
        skip_blank(p);
        if (accept(p, "]"))
            return parse_outcome(p, t);
        if (!parse_operation(p, t))
            return false;
    }
}

/* The name of a session, if one follows on the line. */
static bool
parse_session_name(struct parser *p, bool *found, struct atom *name)
{
    while (p->s.at < p->s.end && (*p->s.at == ' ' || *p->s.at == '\t'))
        p->s.at++;
    const char *begin = p->s.at;
    *found = begin < p->s.end && starts_name(*begin) && !accept(p, "--");
    struct hist_token token;
    if (!*found) {
        p->s.at = begin;
        return true;
    }
    if (!hist_lex(&p->s, "a name", &token))
        return false;
    if (p->s.at < p->s.end && *p->s.at == '[') { // it names a transaction
        p->s.at = begin;
        *found = false;
        return true;
    }
    return hist_make(&p->s, p->b, &token, name);
}

/* Open a session after its '---', or the first session without one. */
static bool
open_session(struct parser *p, bool separated)
{
    const char *begin = p->s.at;
    bool named = false;
    struct atom name;
    if (separated && !parse_session_name(p, &named, &name))
        return false;
    p->session =
        builder_session(p->b, named ? name : atom_uint(p->n_opened + 1));
    p->n_opened++;
    if (p->session == p->n_sessions) {
        p->n_sessions++;
        return true;
    }
    if (named)
        return true; // the session continues
    return scan_fail(
        &p->s, begin, ERR_SYNTAX,
        "this would be session %zu, but another session has that name",
        p->n_opened);
}

static bool
accept_separator(struct parser *p)
{
    if (!accept(p, "---"))
        return false;
    while (accept(p, "-"))
        ;
    return true;
}

/* The rows of the beginning. */
static bool
parse_initial(struct parser *p)
{
    if (p->n_opened || p->has_initial)
        return scan_fail(&p->s, p->s.at, ERR_SYNTAX,
                         "found '{', expected '[' or '---': the rows of the "
                         "beginning stand before all sessions");
    p->has_initial = true;
    p->s.at++;
    return hist_initial_rows(&p->rows);
}

/* Read a transaction, or begin a session.  The first one needs no '---'. */
static bool
parse_next(void *self)
{
    struct parser *p = self;
    skip_blank(p);
    if (p->s.at == p->s.end)
        return true;
    if (*p->s.at == '{')
        return parse_initial(p);
    const bool separated = accept_separator(p);
    if ((separated || !p->n_opened) && !open_session(p, separated))
        return false;
    return separated || parse_txn(p);
}

/* plain.h: where the next transaction or separator stands. */
static const char *
find_next(void *self)
{
    struct parser *p = self;
    skip_blank(p);
    return p->s.at;
}

/* plain.h: take a transaction that the scan has read. */
static bool
use_txn(void *self, const struct plain_entry *e,
        const struct plain_block *found, txn_id *t, bool *used)
{
    struct parser *p = self;
    *used = p->n_opened && builder_txn(p->b, p->session, t, p->s.err);
    if (!*used)
        return true;
    if (e->flags)
        builder_name(p->b, *t, plain_atom(found, p->b, e->name));
    builder_status(p->b, *t, (enum txn_status)e->status);
    return true;
}

static bool
hist_read(struct input *in, struct builder *b, struct err *err)
{
    if (in->is_directory)
        return err_set(err, ERR_SYNTAX, "a directory, expected a file");
    struct parser p = {.b = b};
    scan_init(&p.s, in, err);
    p.rows.s = &p.s;
    p.rows.b = b;
    builder_expect(b, in->size / BYTES_PER_OP);
    const struct plain_reader plain = {.s = &p.s,
                                       .b = b,
                                       .self = &p,
                                       .scan = hist_plain_scan,
                                       .next = find_next,
                                       .read = parse_next,
                                       .use = use_txn};
    const bool ok = plain_run(&plain, in, err) && row_reader_end(&p.rows);
    row_reader_free(&p.rows);
    vec_free(&p.element);
    scan_free(&p.s);
    return ok;
}

/* --- recognition ---------------------------------------------------------- */

/* Skip a name, if there is one, and the blanks after it. */
static void
skip_name(struct parser *p)
{
    struct hist_token token;
    if (p->s.at < p->s.end && starts_name(*p->s.at))
        (void)hist_lex(&p->s, "", &token);
    skip_blank(p);
}

/* Look for the beginning of an operation after comments, separators and names.
 * No other format has operations in this notation. */
static int
hist_sniff(const struct input *in)
{
    if (in->is_directory)
        return 0;
    struct err ignored = {0};
    struct parser p = {0};
    struct hist_token token;
    scan_init(&p.s, in, &ignored);
    if (in->size > SNIFF_SIZE)
        p.s.end = in->data + SNIFF_SIZE;
    const char *begin = p.s.at;
    const bool marked = accept(&p, "//") || accept(&p, "---");
    p.s.at = begin;
    skip_blank(&p);
    if (accept(&p, "{")) { // the rows of the beginning
        skip_blank(&p);
        skip_name(&p);
        return accept(&p, "(") ? 95 : 0;
    }
    while (accept_separator(&p)) {
        skip_blank(&p);
        skip_name(&p);
    }
    skip_name(&p);
    if (p.s.at == p.s.end) // comments, or sessions without transactions
        return marked ? 30 : 0;
    if (!accept(&p, "["))
        return 0;
    skip_blank(&p);
    if (accept(&p, "]"))
        return 20;
    if (!hist_lex(&p.s, "", &token))
        return 0;
    if (accept(&p, "\""))
        return 95;
    skip_blank(&p);
    return accept(&p, ":=") || accept(&p, "==") || accept(&p, "+=") ||
                   accept(&p, "(") || accept(&p, "{")
               ? 95
               : 0;
}

const struct format format_hist = {
    .name = "hist",
    .suffix = ".hist",
    .help = "sessions and transactions in brackets, to write by hand",
    .initial = ATOM_NIL,
    .keeps = KEEPS_NAMES | KEEPS_TIMES | KEEPS_ROWS,
    .sniff = hist_sniff,
    .read = hist_read,
    .holds = hist_holds,
    .write = hist_write,
};

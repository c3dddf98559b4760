/* hist.c -- reading histories that people write by hand.
 *
 *     // a lost update
 *     [x:=1]
 *     ---
 *     [x==1 x:=2]
 *     ---
 *     [x==1 x:=3]
 *
 * Grammar; blanks, line ends and comments may stand between any two tokens:
 *
 *     history     := ( "---" name? )? session ( "---" name? session )*
 *     session     := transaction*
 *     transaction := name? "[" operation* "]" ( "!" | "?" )? times?
 *     operation   := key ( ":=" | "==" ) ( value | "?" )
 *                  | key "+=" value
 *                  | key "==" "[" value* "]"
 *     times       := "@" integer? ".." integer?
 *     name, key, value := integer | word | quoted | ":" word | ":" quoted
 *
 * '?' as a value is the initial state; '!' after a transaction says that it
 * aborted, '?' that nobody knows.  A word before '[' names the transaction, a
 * word after '---' that is not followed by '[' names the session; sessions
 * without a name are numbered from 1.  A session whose name was there before
 * goes on.
 *
 * The parser descends by hand, and no rule contains itself, so its depth does
 * not depend on the input.  Tokens point into the input; positions of errors
 * are counted only when there is one.  hist_write.c is the other direction.
 *
 * Cost: one pass, O(size).
 *
 * SPDX-License-Identifier: MIT */
#include "format/hist.h"

#include "format/decimal.h"
#include "format/readers.h"
#include "format/scan.h"

#include <string.h>

enum { SNIFF_SIZE = 1 << 16 };

struct parser {
    struct scan s;
    struct builder *b;
    VEC(struct atom) element; // of the list at hand
    size_t n_opened;          // sessions, counting one that goes on again
    size_t n_sessions;
};

/* A name, key or value where it stands in the input. */
struct token {
    const char *text; // without colon and quotes
    size_t len;
    bool is_keyword, is_quoted;
};

/* --- characters ----------------------------------------------------------- */

bool
hist_is_word(char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           c == '_' || c == '-' || c == '.' || (unsigned char)c >= 0x80;
}

static void
skip_blank(struct parser *p)
{
    while (p->s.at < p->s.end) {
        if (memchr(" \t\r\n", *p->s.at, 4)) {
            p->s.at++;
        } else if (p->s.end - p->s.at >= 2 && memcmp(p->s.at, "//", 2) == 0) {
            const char *newline =
                memchr(p->s.at, '\n', (size_t)(p->s.end - p->s.at));
            p->s.at = newline ? newline : p->s.end;
        } else {
            return;
        }
    }
}

/* Whether the next bytes are these; if so, step over them. */
static bool
accept(struct parser *p, const char *text)
{
    const size_t len = strlen(text);
    if ((size_t)(p->s.end - p->s.at) < len || memcmp(p->s.at, text, len) != 0)
        return false;
    p->s.at += len;
    return true;
}

/* --- names, keys and values ----------------------------------------------- */

/* Find the end of a string whose opening quote was stepped over. */
static bool
lex_quoted(struct parser *p, struct token *token)
{
    const char *open = p->s.at - 1;
    token->text = p->s.at;
    token->is_quoted = true;
    while (p->s.at < p->s.end && *p->s.at != '"' && *p->s.at != '\n')
        p->s.at += *p->s.at == '\\' && p->s.end - p->s.at > 1 ? 2 : 1;
    token->len = (size_t)(p->s.at - token->text);
    if (accept(p, "\""))
        return true;
    return scan_fail(&p->s, open, ERR_SYNTAX,
                     "this string is not closed on its line");
}

static bool
lex_token(struct parser *p, const char *expected, struct token *token)
{
    const char *begin = p->s.at;
    *token = (struct token){.is_keyword = accept(p, ":")};
    if (accept(p, "\""))
        return lex_quoted(p, token);
    token->text = p->s.at;
    while (p->s.at < p->s.end && hist_is_word(*p->s.at))
        p->s.at++;
    token->len = (size_t)(p->s.at - token->text);
    // A dash in front is a sign or part of a separator, but of no word.
    const bool dash = token->len && token->text[0] == '-';
    if (token->len > dash && (!dash || is_digit(token->text[1])))
        return true;
    p->s.at = begin;
    return scan_unexpected(&p->s, p->s.at, expected);
}

static int
hex_digit(char c)
{
    return is_digit(c)            ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

/* Append one escape whose backslash stands at text, and return its length; 0
 * where it is none. */
static size_t
unescape_one(struct buf *out, const char *text, size_t len)
{
    const char c = len > 1 ? text[1] : 0;
    if (c == '"' || c == '\\') {
        buf_char(out, c);
        return 2;
    }
    if (c == 'n' || c == 't') {
        buf_char(out, c == 'n' ? '\n' : '\t');
        return 2;
    }
    if (c != 'x' || len < 4 || hex_digit(text[2]) < 0 || hex_digit(text[3]) < 0)
        return 0;
    buf_char(out, (char)(hex_digit(text[2]) * 16 + hex_digit(text[3])));
    return 4;
}

static bool
make_quoted(struct parser *p, const struct token *token, struct atom *atom)
{
    buf_clear(&p->s.decoded);
    for (size_t i = 0; i < token->len;) {
        if (token->text[i] != '\\') {
            buf_char(&p->s.decoded, token->text[i++]);
            continue;
        }
        const size_t n =
            unescape_one(&p->s.decoded, token->text + i, token->len - i);
        if (!n)
            return scan_fail(
                &p->s, token->text + i, ERR_SYNTAX,
                "unknown escape, expected \\\", \\\\, \\n, \\t or \\x and "
                "two hexadecimal digits");
        i += n;
    }
    *atom = builder_text(p->b, token->is_keyword ? ATOM_KEYWORD : ATOM_STRING,
                         p->s.decoded.n ? p->s.decoded.at : "", p->s.decoded.n);
    return true;
}

bool
hist_is_integer(const char *text, size_t len)
{
    const size_t sign = len && text[0] == '-';
    for (size_t i = sign; i < len; i++)
        if (!is_digit(text[i]))
            return false;
    return len > sign;
}

static bool
make_integer(struct parser *p, const struct token *token, struct atom *atom)
{
    if (parse_integer(token->text, token->len, atom))
        return true;
    char shown[ERR_QUOTE_ROOM];
    err_quote(shown, sizeof shown, token->text, token->len);
    return scan_fail(&p->s, token->text, ERR_SYNTAX,
                     "'%s' does not fit in 64 bits", shown);
}

static bool
make_atom(struct parser *p, const struct token *token, struct atom *atom)
{
    if (token->is_quoted)
        return make_quoted(p, token, atom);
    if (!token->is_keyword && hist_is_integer(token->text, token->len))
        return make_integer(p, token, atom);
    *atom = builder_text(p->b, token->is_keyword ? ATOM_KEYWORD : ATOM_STRING,
                         token->text, token->len);
    return true;
}

static bool
parse_atom(struct parser *p, const char *expected, struct atom *atom)
{
    struct token token;
    return lex_token(p, expected, &token) && make_atom(p, &token, atom);
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

/* The elements of a list whose bracket was stepped over. */
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

static bool
parse_read(struct parser *p, txn_id t, struct atom key)
{
    skip_blank(p);
    if (accept(p, "["))
        return parse_list(p) && builder_read_list(p->b, t, key, p->element.at,
                                                  p->element.n, p->s.err);
    struct atom value;
    return parse_value(p, &value) &&
           builder_read(p->b, t, key, value, p->s.err);
}

static bool
parse_operation(struct parser *p, txn_id t)
{
    const char *begin = p->s.at;
    struct atom key, value;
    if (!parse_atom(p, "a key or ']'", &key))
        return false;
    skip_blank(p);
    bool ok;
    if (accept(p, "=="))
        ok = parse_read(p, t, key);
    else if (accept(p, ":="))
        ok = parse_value(p, &value) &&
             builder_write(p->b, t, key, value, p->s.err);
    else if (accept(p, "+="))
        ok = parse_element(p, &value) &&
             builder_append(p->b, t, key, value, p->s.err);
    else
        ok = scan_unexpected(&p->s, p->s.at, "':=', '==' or '+='");
    // What the builder said has no position yet; what was found here has.
    return ok || scan_locate(&p->s, begin);
}

/* --- transactions and sessions -------------------------------------------- */

static bool
parse_time(struct parser *p, int64_t *time)
{
    const char *begin = p->s.at;
    if (p->s.at == p->s.end || (*p->s.at != '-' && !is_digit(*p->s.at)))
        return true; // left out: not known
    p->s.at++;
    while (p->s.at < p->s.end && is_digit(*p->s.at))
        p->s.at++;
    const struct token token = {.text = begin,
                                .len = (size_t)(p->s.at - begin)};
    if (!hist_is_integer(begin, token.len)) {
        p->s.at = begin;
        return scan_unexpected(&p->s, p->s.at, "a time");
    }
    struct atom atom;
    if (!make_integer(p, &token, &atom))
        return false;
    if (atom.tag != ATOM_INT)
        return scan_fail(&p->s, begin, ERR_SYNTAX,
                         "this time does not fit in 63 bits");
    *time = (int64_t)atom.bits;
    return true;
}

/* What may stand behind the bracket of a transaction, without a blank. */
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
    // Nobody knows either when a transaction took effect that nobody knows of.
    builder_times(p->b, t, began, open ? INT64_MAX : ended);
    return true;
}

static bool
starts_name(char c)
{
    return hist_is_word(c) || c == ':' || c == '"';
}

static bool
parse_txn(struct parser *p, session_id s)
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
    if (!builder_txn(p->b, s, &t, p->s.err))
        return scan_locate(&p->s, begin);
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

/* The name of a session, if the line goes on with one. */
static bool
parse_session_name(struct parser *p, bool *found, struct atom *name)
{
    while (p->s.at < p->s.end && (*p->s.at == ' ' || *p->s.at == '\t'))
        p->s.at++;
    const char *begin = p->s.at;
    *found = begin < p->s.end && starts_name(*begin) && !accept(p, "--");
    struct token token;
    if (!*found) {
        p->s.at = begin;
        return true;
    }
    if (!lex_token(p, "a name", &token))
        return false;
    if (p->s.at < p->s.end && *p->s.at == '[') { // it names a transaction
        p->s.at = begin;
        *found = false;
        return true;
    }
    return make_atom(p, &token, name);
}

/* Open a session behind its '---', or the first one that has none. */
static bool
open_session(struct parser *p, bool separated, session_id *s)
{
    const char *begin = p->s.at;
    bool named = false;
    struct atom name;
    if (separated && !parse_session_name(p, &named, &name))
        return false;
    *s = builder_session(p->b, named ? name : atom_uint(p->n_opened + 1));
    p->n_opened++;
    if (*s == p->n_sessions) {
        p->n_sessions++;
        return true;
    }
    if (named)
        return true; // the session goes on
    return scan_fail(&p->s, begin, ERR_SYNTAX,
                     "this would be session %zu, but another is named so",
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

static bool
parse_history(struct parser *p)
{
    skip_blank(p);
    if (p->s.at == p->s.end)
        return true;
    session_id s;
    bool ok = open_session(p, accept_separator(p), &s);
    for (;;) {
        skip_blank(p);
        if (!ok || p->s.at == p->s.end)
            return ok;
        ok = accept_separator(p) ? open_session(p, true, &s) : parse_txn(p, s);
    }
}

static bool
hist_read(struct input *in, struct builder *b, struct err *err)
{
    if (in->is_directory)
        return err_set(err, ERR_SYNTAX, "a directory, expected a file");
    struct parser p = {.b = b};
    scan_init(&p.s, in, err);
    const bool ok = parse_history(&p);
    vec_free(&p.element);
    scan_free(&p.s);
    return ok;
}

/* --- recognition ---------------------------------------------------------- */

/* Step over a name, if one stands here, and the blanks behind it. */
static void
skip_name(struct parser *p)
{
    struct token token;
    if (p->s.at < p->s.end && starts_name(*p->s.at))
        (void)lex_token(p, "", &token);
    skip_blank(p);
}

/* Look for the beginning of an operation, which no other format has this way,
 * behind comments, separators and names. */
static int
hist_sniff(const struct input *in)
{
    if (in->is_directory)
        return 0;
    struct err ignored = {0};
    struct parser p = {0};
    struct token token;
    scan_init(&p.s, in, &ignored);
    if (in->size > SNIFF_SIZE)
        p.s.end = in->data + SNIFF_SIZE;
    const char *begin = p.s.at;
    const bool marked = accept(&p, "//") || accept(&p, "---");
    p.s.at = begin;
    skip_blank(&p);
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
    if (!lex_token(&p, "", &token))
        return 0;
    skip_blank(&p);
    return accept(&p, ":=") || accept(&p, "==") || accept(&p, "+=") ? 95 : 0;
}

const struct format format_hist = {
    .name = "hist",
    .suffix = ".hist",
    .help = "sessions and transactions in brackets, to write by hand",
    .initial = ATOM_NIL,
    .sniff = hist_sniff,
    .read = hist_read,
    .holds = hist_holds,
    .write = hist_write,
};

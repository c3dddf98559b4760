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
 *     history     := session ( "---" name? session )*
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
 * without a name are numbered from 1.
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

enum { SNIFF_SIZE = 1 << 16 };

struct parser {
    const struct input *in;
    struct builder *b;
    const char *at, *end;
    struct buf text;          // a quoted string without its escapes
    VEC(struct atom) element; // of the list at hand
    size_t n_opened;          // sessions, counting one that goes on again
    size_t n_sessions;
    struct err *err;
};

/* A name, key or value where it stands in the input. */
struct token {
    const char *text; // without colon and quotes
    size_t len;
    bool is_keyword, is_quoted;
};

/* --- characters --------------------------------------------------------- */

bool
hist_is_word(char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           c == '_' || c == '-' || c == '.' || (unsigned char)c >= 0x80;
}

static void
skip_blank(struct parser *p)
{
    while (p->at < p->end) {
        if (memchr(" \t\r\n", *p->at, 4)) {
            p->at++;
        } else if (p->end - p->at >= 2 && memcmp(p->at, "//", 2) == 0) {
            const char *newline = memchr(p->at, '\n', (size_t)(p->end - p->at));
            p->at = newline ? newline : p->end;
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
    if ((size_t)(p->end - p->at) < len || memcmp(p->at, text, len) != 0)
        return false;
    p->at += len;
    return true;
}

/* --- errors --------------------------------------------------------------*/

/* Place the error just set. */
static bool
fail_at(struct parser *p, const char *where)
{
    uint64_t line, column;
    input_position(p->in, (size_t)(where - p->in->data), &line, &column);
    return err_at_line(p->err, line, column);
}

/* What stands here is not what has to. */
static bool
unexpected(struct parser *p, const char *expected)
{
    const char *stop = p->at;
    while (stop < p->end && hist_is_word(*stop))
        stop++;
    if (stop == p->at && stop < p->end)
        stop++;
    char found[ERR_QUOTE_ROOM];
    err_quote(found, sizeof found, p->at, (size_t)(stop - p->at));
    if (p->at == p->end)
        err_set(p->err, ERR_SYNTAX, "found the end, expected %s", expected);
    else
        err_set(p->err, ERR_SYNTAX, "found '%s', expected %s", found, expected);
    return fail_at(p, p->at);
}

/* --- names, keys and values ---------------------------------------------- */

/* Find the end of a string whose opening quote was stepped over. */
static bool
lex_quoted(struct parser *p, struct token *token)
{
    const char *open = p->at - 1;
    token->text = p->at;
    token->is_quoted = true;
    while (p->at < p->end && *p->at != '"' && *p->at != '\n')
        p->at += *p->at == '\\' && p->end - p->at > 1 ? 2 : 1;
    token->len = (size_t)(p->at - token->text);
    if (accept(p, "\""))
        return true;
    err_set(p->err, ERR_SYNTAX, "this string is not closed on its line");
    return fail_at(p, open);
}

static bool
lex_token(struct parser *p, const char *expected, struct token *token)
{
    const char *begin = p->at;
    *token = (struct token){.is_keyword = accept(p, ":")};
    if (accept(p, "\""))
        return lex_quoted(p, token);
    token->text = p->at;
    while (p->at < p->end && hist_is_word(*p->at))
        p->at++;
    token->len = (size_t)(p->at - token->text);
    if (token->len)
        return true;
    p->at = begin;
    return unexpected(p, expected);
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
    buf_clear(&p->text);
    for (size_t i = 0; i < token->len;) {
        if (token->text[i] != '\\') {
            buf_char(&p->text, token->text[i++]);
            continue;
        }
        const size_t n =
            unescape_one(&p->text, token->text + i, token->len - i);
        if (!n) {
            err_set(p->err, ERR_SYNTAX,
                    "unknown escape, expected \\\", \\\\, \\n, \\t or \\x and "
                    "two hexadecimal digits");
            return fail_at(p, token->text + i);
        }
        i += n;
    }
    *atom = builder_text(p->b, token->is_keyword ? ATOM_KEYWORD : ATOM_STRING,
                         p->text.n ? p->text.at : "", p->text.n);
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
    const size_t sign = token->text[0] == '-';
    uint64_t x;
    if (parse_decimal(token->text + sign, token->len - sign, &x) &&
        (!sign || x <= (uint64_t)INT64_MAX + 1)) {
        *atom = sign ? atom_int((int64_t)(0 - x)) : atom_uint(x);
        return true;
    }
    char shown[ERR_QUOTE_ROOM];
    err_quote(shown, sizeof shown, token->text, token->len);
    err_set(p->err, ERR_SYNTAX, "'%s' does not fit in 64 bits", shown);
    return fail_at(p, token->text);
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

/* --- operations -----------------------------------------------------------*/

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
                                                  p->element.n, p->err);
    struct atom value;
    return parse_value(p, &value) && builder_read(p->b, t, key, value, p->err);
}

static bool
parse_operation(struct parser *p, txn_id t)
{
    const char *begin = p->at;
    struct atom key, value;
    if (!parse_atom(p, "a key or ']'", &key))
        return false;
    skip_blank(p);
    bool ok;
    if (accept(p, "=="))
        ok = parse_read(p, t, key);
    else if (accept(p, ":="))
        ok = parse_value(p, &value) &&
             builder_write(p->b, t, key, value, p->err);
    else if (accept(p, "+="))
        ok = parse_value(p, &value) &&
             builder_append(p->b, t, key, value, p->err);
    else
        ok = unexpected(p, "':=', '==' or '+='");
    return ok || fail_at(p, begin); // keeps a position that is there already
}

/* --- transactions and sessions --------------------------------------------*/

static bool
parse_time(struct parser *p, int64_t *time)
{
    const char *begin = p->at;
    if (p->at == p->end || (*p->at != '-' && !is_digit(*p->at)))
        return true; // left out: not known
    p->at++;
    while (p->at < p->end && is_digit(*p->at))
        p->at++;
    const struct token token = {.text = begin, .len = (size_t)(p->at - begin)};
    if (!hist_is_integer(begin, token.len)) {
        p->at = begin;
        return unexpected(p, "a time");
    }
    struct atom atom;
    if (!make_integer(p, &token, &atom))
        return false;
    if (atom.tag != ATOM_INT) {
        err_set(p->err, ERR_SYNTAX, "this time does not fit in 63 bits");
        return fail_at(p, begin);
    }
    *time = (int64_t)atom.bits;
    return true;
}

/* What may stand behind the bracket of a transaction, without a blank. */
static bool
parse_outcome(struct parser *p, txn_id t)
{
    if (accept(p, "!"))
        builder_status(p->b, t, TXN_ABORTED);
    else if (accept(p, "?"))
        builder_status(p->b, t, TXN_INDETERMINATE);
    const char *at = p->at;
    if (!accept(p, "@"))
        return true;
    int64_t began = INT64_MIN, ended = INT64_MAX;
    if (!parse_time(p, &began))
        return false;
    if (!accept(p, ".."))
        return unexpected(p, "'..' between two times");
    if (!parse_time(p, &ended))
        return false;
    if (ended < began) {
        err_set(p->err, ERR_SYNTAX, "this transaction ends before it begins");
        return fail_at(p, at);
    }
    builder_times(p->b, t, began, ended);
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
    const char *begin = p->at;
    const bool named = starts_name(*begin);
    struct atom name;
    if (named && !parse_atom(p, "a name", &name))
        return false;
    skip_blank(p);
    if (!accept(p, "["))
        return unexpected(p, named ? "'[' after the name of a transaction"
                                   : "'[' or '---'");
    txn_id t;
    if (!builder_txn(p->b, s, &t, p->err))
        return fail_at(p, begin);
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
    while (p->at < p->end && (*p->at == ' ' || *p->at == '\t'))
        p->at++;
    const char *begin = p->at;
    *found = begin < p->end && starts_name(*begin);
    struct token token;
    if (!*found)
        return true;
    if (!lex_token(p, "a name", &token))
        return false;
    const bool names_txn = p->at < p->end && *p->at == '[';
    const bool separates = !token.is_quoted && token.len >= 3 &&
                           memcmp(token.text, "---", 3) == 0;
    if (names_txn || separates) {
        p->at = begin;
        *found = false;
        return true;
    }
    return make_atom(p, &token, name);
}

/* Open a session behind its '---', or the first one. */
static bool
open_session(struct parser *p, session_id *s)
{
    const char *begin = p->at;
    bool named;
    struct atom name;
    if (!parse_session_name(p, &named, &name))
        return false;
    *s = builder_session(p->b, named ? name : atom_uint(p->n_opened + 1));
    p->n_opened++;
    if (*s == p->n_sessions) {
        p->n_sessions++;
        return true;
    }
    if (named)
        return true; // the session goes on
    err_set(p->err, ERR_SYNTAX,
            "this would be session %zu, but another is named so", p->n_opened);
    return fail_at(p, begin);
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
    if (p->at == p->end)
        return true;
    accept_separator(p); // may be left out before the first session
    session_id s;
    bool ok = open_session(p, &s);
    for (;;) {
        skip_blank(p);
        if (!ok || p->at == p->end)
            return ok;
        ok = accept_separator(p) ? open_session(p, &s) : parse_txn(p, s);
    }
}

static bool
hist_read(struct input *in, struct builder *b, struct err *err)
{
    struct parser p = {.in = in, .b = b, .err = err};
    p.at = in->data;
    p.end = in->data + in->size;
    const bool ok = in->is_directory ? err_set(err, ERR_SYNTAX,
                                               "a directory, expected a file")
                                     : parse_history(&p);
    buf_free(&p.text);
    vec_free(&p.element);
    return ok;
}

/* --- recognition -----------------------------------------------------------*/

/* Look for the beginning of an operation, which no other format has this way,
 * behind comments, separators and names. */
static int
hist_sniff(const struct input *in)
{
    if (in->is_directory)
        return 0;
    struct err ignored = {0};
    struct parser p = {.in = in, .err = &ignored};
    p.at = in->data;
    p.end = in->data + (in->size < SNIFF_SIZE ? in->size : SNIFF_SIZE);
    struct token token;
    const bool opened = accept(&p, "//") || accept(&p, "---");
    p.at = in->data;
    skip_blank(&p);
    while (accept_separator(&p) ||
           (p.at < p.end && starts_name(*p.at) && lex_token(&p, "", &token)))
        skip_blank(&p);
    if (p.at == p.end)
        return opened ? 30 : 0; // comments, or sessions without transactions
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

/* hist_atom.c -- the names, keys and values of 'hist'.
 *
 * Finding a token and making an atom of it are separate steps.  Whether a word
 * is a name depends on what follows it, and recognising a file needs no atoms.
 *
 * SPDX-License-Identifier: MIT */
#include "format/hist/hist.h"

#include "format/scan/decimal.h"
#include "format/scan/scan.h"

#include <string.h>

/* Find the end of a string, after its opening quote. */
static bool
lex_quoted(struct scan *s, struct hist_token *token)
{
    const char *open = s->at - 1;
    token->text = s->at;
    token->is_quoted = true;
    while (s->at < s->end && *s->at != '"' && *s->at != '\n')
        s->at += *s->at == '\\' && s->end - s->at > 1 ? 2 : 1;
    token->len = (size_t)(s->at - token->text);
    if (hist_accept(s, "\""))
        return true;
    return scan_fail(s, open, ERR_SYNTAX,
                     "this string is not closed on its line");
}

bool
hist_lex(struct scan *s, const char *expected, struct hist_token *token)
{
    const char *begin = s->at;
    *token = (struct hist_token){.is_keyword = hist_accept(s, ":")};
    if (hist_accept(s, "\""))
        return lex_quoted(s, token);
    token->text = s->at;
    while (s->at < s->end && hist_is_word(*s->at))
        s->at++;
    token->len = (size_t)(s->at - token->text);
    // A leading dash is a sign or part of a separator; no word begins so.
    const bool dash = token->len && token->text[0] == '-';
    if (token->len > dash && (!dash || is_digit(token->text[1])))
        return true;
    s->at = begin;
    return scan_unexpected(s, s->at, expected);
}

static int
hex_digit(char c)
{
    return is_digit(c)            ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

/* Append the character of the escape at text, which begins with a backslash,
 * and return the escape's length; 0 if the escape is unknown. */
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

bool
hist_text(struct scan *s, const struct hist_token *token, struct span *out)
{
    *out = (struct span){token->text, token->len};
    if (!token->is_quoted)
        return true;
    buf_clear(&s->decoded);
    for (size_t i = 0; i < token->len;) {
        if (token->text[i] != '\\') {
            buf_char(&s->decoded, token->text[i++]);
            continue;
        }
        const size_t n =
            unescape_one(&s->decoded, token->text + i, token->len - i);
        if (!n)
            return scan_fail(
                s, token->text + i, ERR_SYNTAX,
                "unknown escape, expected \\\", \\\\, \\n, \\t or \\x and "
                "two hexadecimal digits");
        i += n;
    }
    *out = (struct span){s->decoded.n ? s->decoded.at : "", s->decoded.n};
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

bool
hist_make_integer(struct scan *s, const struct hist_token *token,
                  struct atom *atom)
{
    const bool negative = token->text[0] == '-';
    if (scan_integer(negative, token->text + negative, token->text + token->len,
                     atom))
        return true;
    char shown[ERR_QUOTE_ROOM];
    err_quote(shown, sizeof shown, token->text, token->len);
    return scan_fail(s, token->text, ERR_SYNTAX, "'%s' does not fit in 64 bits",
                     shown);
}

bool
hist_make(struct scan *s, struct builder *b, const struct hist_token *token,
          struct atom *atom)
{
    struct span text;
    if (!token->is_quoted && !token->is_keyword &&
        hist_is_integer(token->text, token->len))
        return hist_make_integer(s, token, atom);
    if (!hist_text(s, token, &text))
        return false;
    *atom = builder_text(b, token->is_keyword ? ATOM_KEYWORD : ATOM_STRING,
                         text.at, text.n);
    return true;
}

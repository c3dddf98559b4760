/* edn_token.c -- see edn_token.h.
 *
 * SPDX-License-Identifier: MIT */
#include "format/form/edn_token.h"

#include "base/utf8.h"
#include "format/scan/decimal.h"
#include "format/scan/scan_json.h"

#include <inttypes.h>
#include <string.h>

enum { IS_SPACE = 1, IS_DELIMITER = 2 };

/* What a byte is: white space and brackets end a symbol, keyword or number. */
// clang-format off
static const uint8_t classes[256] = {
    [' '] = IS_SPACE | IS_DELIMITER,  [','] = IS_SPACE | IS_DELIMITER,
    ['\t'] = IS_SPACE | IS_DELIMITER, ['\n'] = IS_SPACE | IS_DELIMITER,
    ['\v'] = IS_SPACE | IS_DELIMITER, ['\f'] = IS_SPACE | IS_DELIMITER,
    ['\r'] = IS_SPACE | IS_DELIMITER,
    ['"'] = IS_DELIMITER, [';'] = IS_DELIMITER, ['('] = IS_DELIMITER,
    [')'] = IS_DELIMITER, ['['] = IS_DELIMITER, [']'] = IS_DELIMITER,
    ['{'] = IS_DELIMITER, ['}'] = IS_DELIMITER,
};
// clang-format on

static bool
is_space(char c)
{
    return classes[(unsigned char)c] & IS_SPACE;
}

static bool
is_delimiter(char c)
{
    return classes[(unsigned char)c] & IS_DELIMITER;
}

void
edn_space(struct scan *s)
{
    while (s->at < s->end && (is_space(*s->at) || *s->at == ';')) {
        if (*s->at++ != ';')
            continue;
        const char *newline = memchr(s->at, '\n', (size_t)(s->end - s->at));
        s->at = newline ? newline + 1 : s->end;
    }
}

bool
edn_read_token(struct scan *s, struct span *out)
{
    const char *at = s->at;
    while (at < s->end && !is_delimiter(*at)) {
        const bool is_ascii = *at > 0x20 && *at < 0x7f;
        const size_t n = is_ascii ? 1 : utf8_length(at, (size_t)(s->end - at));
        if (!n || (n == 1 && !is_ascii))
            return scan_unexpected(s, at, "text in UTF-8");
        at += n;
    }
    *out = (struct span){s->at, (size_t)(at - s->at)};
    s->at = at;
    return true;
}

/* The integer of 64 bits that the token is, with an 'N' or without. */
static bool
parse_integer(struct span token, struct atom *out)
{
    const char *at = token.at, *end = at + token.n;
    const bool negative = *at == '-';
    at += *at == '-' || *at == '+';
    end -= end > at && end[-1] == 'N';
    for (const char *p = at; p < end; p++)
        if (!is_digit(*p))
            return false;
    return at < end && scan_integer(negative, at, end, out);
}

static size_t
count_digits(struct span token, size_t from)
{
    size_t n = 0;
    while (from + n < token.n && is_digit(token.at[from + n]))
        n++;
    return n;
}

/* Whether the token is a number of another kind: a larger integer, a decimal
 * fraction, a ratio; or one in base 16, as in the addresses of objects. */
static bool
is_other_number(struct span token)
{
    const char *text = token.at;
    size_t i = text[0] == '-' || text[0] == '+';
    if (token.n > i + 2 && text[i] == '0' && text[i + 1] == 'x') {
        for (i += 2; i < token.n; i++)
            if (!is_digit(text[i]) && !memchr("abcdefABCDEF", text[i], 12))
                return false;
        return true;
    }
    i += count_digits(token, i);
    if (i + 1 < token.n && text[i] == '/' && is_digit(text[i + 1]))
        return i + 1 + count_digits(token, i + 1) == token.n;
    if (i + 1 == token.n && text[i] == 'N')
        return true;
    if (i < token.n && text[i] == '.')
        i += 1 + count_digits(token, i + 1);
    if (i < token.n && (text[i] == 'e' || text[i] == 'E')) {
        i += 1 + (i + 1 < token.n && memchr("+-", text[i + 1], 2));
        if (!count_digits(token, i))
            return false;
        i += count_digits(token, i);
    }
    return i + (i < token.n && text[i] == 'M') == token.n;
}

static bool
read_number(struct scan *s, struct forms *f, struct span token)
{
    struct atom integer;
    const size_t sign = token.at[0] == '-' || token.at[0] == '+';
    if (token.at[sign] == '0' && token.n > sign + 1 &&
        is_digit(token.at[sign + 1]))
        return scan_unexpected_text(s, token.at, token,
                                    "a number without leading zeros");
    if (parse_integer(token, &integer)) {
        if (!form_add(s, f, FORM_INTEGER, token.at))
            return false;
        vec_top(f).atom = integer;
        return true;
    }
    return is_other_number(token)
               ? form_add_text(s, f, FORM_NUMBER, token.at, token)
               : scan_unexpected_text(s, token.at, token, "a number");
}

bool
edn_is_keyword(const char *text, size_t len)
{
    if (!len || text[0] == ':' || text[0] == '/' || text[len - 1] == '/')
        return false;
    for (size_t i = 0; i < len; i++)
        if (is_delimiter(text[i]) || (unsigned char)text[i] < 0x20 ||
            memchr("\\^@`~\x7f", text[i], 6))
            return false;
    return utf8_is_valid(text, len);
}

bool
edn_read_word(struct scan *s, struct forms *f)
{
    struct span token;
    if (!edn_read_token(s, &token))
        return false;
    const char *at = token.at;
    if (is_digit(at[0]) ||
        (token.n > 1 && is_digit(at[1]) && (at[0] == '-' || at[0] == '+')))
        return read_number(s, f, token);
    if (at[0] == ':') {
        const struct span name = {at + 1, token.n - 1};
        return edn_is_keyword(name.at, name.n)
                   ? form_add_text(s, f, FORM_KEYWORD, at, name)
                   : scan_unexpected_text(s, at, token, "a keyword");
    }
    if (memchr("^@`~'\\", at[0], 6))
        return scan_unexpected(s, at, "an EDN form");
    return form_add_text(s, f,
                         span_is(token, "nil")     ? FORM_NIL
                         : span_is(token, "true")  ? FORM_TRUE
                         : span_is(token, "false") ? FORM_FALSE
                                                   : FORM_SYMBOL,
                         at, token);
}

bool
edn_read_character(struct scan *s, struct forms *f)
{
    static const struct {
        const char *name, *text;
    } names[] = {
        {"newline", "\n"}, {"return", "\r"},   {"space", " "},
        {"tab", "\t"},     {"formfeed", "\f"}, {"backspace", "\b"},
    };
    const char *start = s->at++;
    const size_t n =
        s->at < s->end ? utf8_length(s->at, (size_t)(s->end - s->at)) : 0;
    if (!n || is_space(*s->at))
        return scan_unexpected(s, s->at, "a character");
    // The first one may itself be a delimiter, as in "\\(".
    struct span token = {s->at, n}, rest;
    s->at += n;
    if (!edn_read_token(s, &rest))
        return false;
    token.n += rest.n;
    if (!rest.n)
        return form_add_text(s, f, FORM_CHARACTER, start, token);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (span_is(token, names[i].name))
            return form_add_text(s, f, FORM_CHARACTER, start,
                                 (struct span){names[i].text, 1});
    if (token.n != 5 || token.at[0] != 'u')
        return scan_unexpected_text(s, start, token, "one character");
    s->at = start;
    buf_clear(&s->decoded);
    return scan_escape(s) &&
           form_add_text(s, f, FORM_CHARACTER, start,
                         (struct span){s->decoded.at, s->decoded.n});
}

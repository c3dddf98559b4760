/* scan_json.c -- see scan_json.h.
 *
 * SPDX-License-Identifier: MIT */
#include "format/scan/scan_json.h"

#include "base/utf8.h"

#include <string.h>

/* --- strings ------------------------------------------------------------- */

static int
hex_digit(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

/* The four hexadecimal digits at s->at. */
static bool
hex_quad(struct scan *s, uint32_t *out)
{
    *out = 0;
    for (int i = 0; i < 4; i++, s->at++) {
        const int digit = s->at < s->end ? hex_digit(*s->at) : -1;
        if (digit < 0)
            return scan_unexpected(s, s->at, "four hexadecimal digits");
        *out = *out << 4 | (uint32_t)digit;
    }
    return true;
}

/* The code point after "\u"; above U+FFFF it takes two escapes. */
static bool
decode_code_point(struct scan *s, const char *escape)
{
    uint32_t code, low;
    if (!hex_quad(s, &code))
        return false;
    if (code >= 0xd800 && code < 0xdc00 && s->end - s->at >= 2 &&
        s->at[0] == '\\' && s->at[1] == 'u') {
        s->at += 2;
        if (!hex_quad(s, &low))
            return false;
        if (low >= 0xdc00 && low < 0xe000)
            code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
    }
    if (code >= 0xd800 && code < 0xe000)
        return scan_fail(s, escape, ERR_SYNTAX,
                         "half of a surrogate pair, which is not a character");
    char sequence[4];
    buf_add(&s->decoded, sequence, utf8_put(code, sequence));
    return true;
}

bool
scan_escape(struct scan *s)
{
    static const char names[] = "\"\\/bfnrt", means[] = "\"\\/\b\f\n\r\t";
    const char *escape = s->at++;
    if (s->at < s->end && *s->at == 'u') {
        s->at++;
        return decode_code_point(s, escape);
    }
    const char *name = s->at < s->end && *s->at ? strchr(names, *s->at) : NULL;
    if (!name)
        return scan_unexpected(s, s->at,
                               "one of \" \\ / b f n r t u after a backslash");
    buf_char(&s->decoded, means[name - names]);
    s->at++;
    return true;
}

/* Move to the next byte with a special meaning in a string. */
static bool
pass_plain(struct scan *s)
{
    const char *at = s->at;
    for (;;) {
        while (at < s->end && (unsigned char)*at >= 0x20 &&
               (unsigned char)*at < 0x80 && *at != '"' && *at != '\\')
            at++;
        if (at == s->end || (unsigned char)*at < 0x80)
            break;
        const size_t n = utf8_length(at, (size_t)(s->end - at));
        if (!n)
            return scan_unexpected(s, at, "text in UTF-8");
        at += n;
    }
    s->at = at;
    return true;
}

/* A string of JSON or EDN; control characters are allowed in EDN only. */
static bool
read_string(struct scan *s, bool is_edn, struct span *out)
{
    const char *start = ++s->at;
    bool is_decoded = false;
    buf_clear(&s->decoded);
    for (const char *run = start;;) {
        if (!pass_plain(s))
            return false;
        const char c = s->at < s->end ? *s->at : 0;
        if (s->at == s->end && is_edn)
            return scan_fail(s, start - 1, ERR_SYNTAX,
                             "a string that does not end");
        if (s->at == s->end || ((unsigned char)c < 0x20 && !is_edn))
            return scan_unexpected(s, s->at, "the end of the string");
        if (c != '"' && c != '\\') {
            s->at++;
            continue;
        }
        if (c == '"' && !is_decoded)
            break;
        buf_add(&s->decoded, run, (size_t)(s->at - run));
        is_decoded = true;
        if (c == '"')
            break;
        if (!scan_escape(s))
            return false;
        run = s->at;
    }
    *out = is_decoded ? (struct span){s->decoded.at, s->decoded.n}
                      : (struct span){start, (size_t)(s->at - start)};
    s->at++;
    return true;
}

bool
json_string(struct scan *s, struct span *out)
{
    return read_string(s, false, out);
}

bool
json_string_edn(struct scan *s, struct span *out)
{
    return read_string(s, true, out);
}

/* --- numbers ------------------------------------------------------------- */

static const char *
pass_digits(const char *at, const char *end)
{
    while (at < end && *at >= '0' && *at <= '9')
        at++;
    return at;
}

bool
json_number(struct scan *s, struct span *out)
{
    const char *start = s->at, *at = start;
    at += *at == '-';
    const char *digits = at;
    at = pass_digits(at, s->end);
    if (at == digits)
        return scan_unexpected(s, at, "a digit");
    if (*digits == '0' && at - digits > 1)
        return scan_unexpected(s, start, "a number without leading zeros");
    if (at < s->end && *at == '.') {
        const char *fraction = ++at;
        at = pass_digits(at, s->end);
        if (at == fraction)
            return scan_unexpected(s, at, "a digit");
    }
    if (at < s->end && (*at == 'e' || *at == 'E')) {
        at++;
        at += at < s->end && (*at == '+' || *at == '-');
        const char *exponent = at;
        at = pass_digits(at, s->end);
        if (at == exponent)
            return scan_unexpected(s, at, "a digit");
    }
    *out = (struct span){start, (size_t)(at - start)};
    s->at = at;
    return true;
}

bool
json_integer(struct scan *s, const char *expected, struct atom *out)
{
    const char *start = s->at, *digits = start + (*start == '-'), *at = digits;
    uint64_t x = 0; // exact if there are fewer than 19 digits
    for (; at < s->end && *at >= '0' && *at <= '9'; at++)
        x = x * 10 + (uint64_t)(*at - '0');
    if (at == digits ||
        (at < s->end && (*at == '.' || *at == 'e' || *at == 'E')))
        return scan_unexpected(s, start, expected);
    if (*digits == '0' && at - digits > 1)
        return scan_unexpected(s, start, "a number without leading zeros");
    if (at - digits < 19)
        *out = atom_int(digits > start ? -(int64_t)x : (int64_t)x);
    else if (!scan_integer(digits > start, digits, at, out))
        return scan_unexpected(s, start, "an integer of at most 64 bits");
    s->at = at;
    return true;
}

/* --- looking ahead ------------------------------------------------------- */

static bool
is_delimiter(char c)
{
    return memchr(" \t\r\n,:[]{}\"", c, 11);
}

bool
json_skip(struct scan *s)
{
    size_t depth = 0;
    struct span ignored;
    do {
        json_space(s);
        const char c = s->at < s->end ? *s->at : '\n';
        if (c == '[' || c == '{') {
            depth++;
            s->at++;
        } else if (c == '"') {
            if (!json_string(s, &ignored))
                return false;
        } else if (c == '\n' || (!depth && is_delimiter(c))) {
            return scan_unexpected(s, s->at, depth ? "']' or '}'" : "a value");
        } else if (is_delimiter(c)) {
            depth -= c == ']' || c == '}';
            s->at++;
        } else {
            while (s->at < s->end && !is_delimiter(*s->at))
                s->at++;
        }
    } while (depth);
    return true;
}

static void
note_key(struct json_look *look, struct span key)
{
    look->session |= span_is(key, "session");
    look->ops |= span_is(key, "ops");
    look->recording |= span_is(key, "recording");
    look->initial |= span_is(key, "initial");
    look->type |= span_is(key, "type");
    look->process |= span_is(key, "process");
    look->value |= span_is(key, "value");
    look->params |= span_is(key, "params");
    look->data |= span_is(key, "data");
    look->stamps |= span_is(key, "sts") || span_is(key, "cts");
}

struct json_look
json_look(const struct input *in)
{
    enum { FAR = 1 << 16 }; // bytes; later keys are not looked at
    struct json_look look = {0};
    struct err ignored = {0};
    struct scan s;
    scan_init(&s, in, &ignored);
    if (s.end - s.at > FAR)
        s.end = s.at + FAR;
    json_space(&s);
    look.is_array = json_take(&s, '[');
    look.is_object = json_take(&s, '{');
    bool more = look.is_object;
    while (more) {
        struct span key = {0};
        json_space(&s);
        more = s.at < s.end && *s.at == '"' && json_string(&s, &key);
        if (more)
            note_key(&look, key);
        more =
            more && json_take(&s, ':') && json_skip(&s) && json_take(&s, ',');
    }
    scan_free(&s);
    return look;
}

bool
json_whole_array(struct scan *s, bool (*element)(void *self), void *self)
{
    if (!json_take(s, '['))
        return scan_unexpected(s, s->at, "an array of transactions, '['");
    if (!json_take(s, ']')) {
        do {
            json_space(s);
            if (!element(self))
                return false;
        } while (json_take(s, ','));
        if (!json_take(s, ']'))
            return scan_unexpected(s, s->at, "',' or ']'");
    }
    json_space(s);
    return s->at == s->end ||
           scan_unexpected(s, s->at, "the end of the input after the array");
}

/* scan_json.h -- the tokens of JSON, in one pass over the bytes.
 *
 * A string without escapes is returned as a part of the input.  Others are
 * decoded first and stay valid until the next string.  Only UTF-8 is accepted.
 * Nothing here builds a tree: jsonl.c passes the tokens to the builder, and
 * form.h makes trees of them for the other readers.
 *
 * SPDX-License-Identifier: MIT */
#ifndef FORMAT_SCAN_SCAN_JSON_H
#define FORMAT_SCAN_SCAN_JSON_H

#include "format/scan/scan.h"

/* Skip white space; if s->one_line is set, it does not include line ends. */
static inline void
json_space(struct scan *s)
{
    while (s->at < s->end &&
           (*s->at == ' ' || *s->at == '\t' || *s->at == '\r' ||
            (*s->at == '\n' && !s->one_line)))
        s->at++;
}

/* Skip white space and the byte c; false if another byte follows the white
 * space. */
static inline bool
json_take(struct scan *s, char c)
{
    // The usual case: compact input has no white space.
    if (s->at == s->end || *s->at != c) {
        json_space(s);
        if (s->at == s->end || *s->at != c)
            return false;
    }
    s->at++;
    return true;
}

/* Read an input that is one array: 'element' reads the element at s->at. */
bool json_whole_array(struct scan *s, bool (*element)(void *self), void *self);

/* The string whose quote is at s->at.  EDN's strings are the same, except that
 * they may contain line ends and other control characters. */
bool json_string(struct scan *s, struct span *out);
bool json_string_edn(struct scan *s, struct span *out);

/* Decode the escape whose backslash is at s->at to s->decoded. */
bool scan_escape(struct scan *s);

/* The integer at s->at, which begins with a digit or a minus.  A fraction, an
 * exponent or more than 64 bits is an error: 'expected' was expected. */
bool json_integer(struct scan *s, const char *expected, struct atom *out);

/* The number at s->at, as text. */
bool json_number(struct scan *s, struct span *out);

static inline bool
json_is_number_start(char c)
{
    return c == '-' || (c >= '0' && c <= '9');
}

/* Skip one value without interpreting it. */
bool json_skip(struct scan *s);

/* Which well-known keys the first object of the input has, judging by the
 * beginning of the input; for recognising the format. */
struct json_look {
    bool is_object;               // the input begins with an object
    bool is_array;                // the input begins with an array
    bool session, ops, recording; // keys of its first object
    bool initial;
    bool type, process, value;
    bool params, data; // of dbcop
    bool stamps;       // of TimeKiller
};
struct json_look json_look(const struct input *in);

#endif

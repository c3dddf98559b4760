/* scan_json.h -- the tokens of JSON, in one pass over the bytes.
 *
 * Strings without escapes are handed out as they lie in the input; the others
 * are decoded first, and stay valid until the next string.  Only UTF-8 is
 * accepted.  Nothing here builds a tree: jsonl.c goes straight to the builder
 * with these, and form.h makes trees of them for the other readers.
 *
 * SPDX-License-Identifier: MIT */
#ifndef FORMAT_SCAN_SCAN_JSON_H
#define FORMAT_SCAN_SCAN_JSON_H

#include "format/scan/scan.h"

/* Move over white space; a line's end is none where s->one_line is set. */
static inline void
json_space(struct scan *s)
{
    while (s->at < s->end &&
           (*s->at == ' ' || *s->at == '\t' || *s->at == '\r' ||
            (*s->at == '\n' && !s->one_line)))
        s->at++;
}

/* Move over the byte c, with white space before it; false where something
 * else stands there. */
static inline bool
json_take(struct scan *s, char c)
{
    // Compact input, the usual case, has no white space to look for.
    if (s->at == s->end || *s->at != c) {
        json_space(s);
        if (s->at == s->end || *s->at != c)
            return false;
    }
    s->at++;
    return true;
}

/* The string at s->at, where a quote stands.  EDN's strings are the same but
 * for line ends and other control characters, which may stand in them. */
bool json_string(struct scan *s, struct span *out);
bool json_string_edn(struct scan *s, struct span *out);

/* Decode the escape at s->at, where a backslash stands, to s->decoded. */
bool scan_escape(struct scan *s);

/* The integer at s->at, where a digit or a minus stands; a fraction, an
 * exponent or more than 64 bits is an error that says what was expected. */
bool json_integer(struct scan *s, const char *expected, struct atom *out);

/* The number at s->at, as text. */
bool json_number(struct scan *s, struct span *out);

static inline bool
json_is_number_start(char c)
{
    return c == '-' || (c >= '0' && c <= '9');
}

/* Move over one value without looking into it. */
bool json_skip(struct scan *s);

/* Which well-known keys the first object of the input has, as far as a look
 * at the beginning tells; for recognising who wrote it. */
struct json_look {
    bool is_object;               // an object begins the input,
    bool is_array;                // or the array that does
    bool session, ops, recording; // its keys
    bool type, process, value;
};
struct json_look json_look(const struct input *in);

#endif

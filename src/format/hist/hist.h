/* hist.h -- what the parts of 'hist' share: hist.c reads sessions and
 * transactions, hist_plain.c reads plain transactions, hist_atom.c reads names,
 * keys and values, hist_write.c writes.
 *
 * SPDX-License-Identifier: MIT */
#ifndef FORMAT_HIST_HIST_H
#define FORMAT_HIST_HIST_H

#include "format/format.h"

struct plain_block;
struct plain_entry;
struct scan;

/* A name, key or value in the input. */
struct hist_token {
    const char *text; // without colon and quotes
    size_t len;
    bool is_keyword, is_quoted;
};

/* Whether c may be part of a word without quotes. */
static inline bool
hist_is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
           (c >= 'A' && c <= 'Z') || c == '_' || c == '-' || c == '.' ||
           (unsigned char)c >= 0x80;
}

/* Whether a word reads as an integer of any size. */
bool hist_is_integer(const char *text, size_t len);

/* If the next bytes are these, skip them and return true. */
bool hist_accept(struct scan *s, const char *text);

/* Skip a token; the error is that 'expected' was expected. */
bool hist_lex(struct scan *s, const char *expected, struct hist_token *token);

/* The atom that the token means. */
bool hist_make(struct scan *s, struct builder *b,
               const struct hist_token *token, struct atom *atom);
bool hist_make_integer(struct scan *s, const struct hist_token *token,
                       struct atom *atom);

/* plain.h: the flags of an entry say whether it has a name. */
bool hist_plain_scan(struct plain_block *found, struct plain_entry *e);

bool hist_holds(const struct history *h, struct err *err);
bool hist_write(const struct history *h, struct output *out, struct err *err);

#endif

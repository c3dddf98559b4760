/* hist.h -- what the parts of 'hist' share: hist.c reads sessions and
 * transactions, hist_atom.c what they are made of, hist_write.c writes.
 *
 * SPDX-License-Identifier: MIT */
#ifndef FORMAT_HIST_HIST_H
#define FORMAT_HIST_HIST_H

#include "format/format.h"

struct scan;

/* A name, key or value where it stands in the input. */
struct hist_token {
    const char *text; // without colon and quotes
    size_t len;
    bool is_keyword, is_quoted;
};

/* Whether c may stand in a word without quotes. */
bool hist_is_word(char c);

/* Whether a word reads as an integer, of whatever size. */
bool hist_is_integer(const char *text, size_t len);

/* Whether the next bytes are these; if so, step over them. */
bool hist_accept(struct scan *s, const char *text);

/* Step over a token; the error says that 'expected' is not here. */
bool hist_lex(struct scan *s, const char *expected, struct hist_token *token);

/* What the token means. */
bool hist_make(struct scan *s, struct builder *b,
               const struct hist_token *token, struct atom *atom);
bool hist_make_integer(struct scan *s, const struct hist_token *token,
                       struct atom *atom);

bool hist_holds(const struct history *h, struct err *err);
bool hist_write(const struct history *h, struct output *out, struct err *err);

#endif

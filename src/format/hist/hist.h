/* hist.h -- what the parts of 'hist' share: hist.c reads sessions and
 * transactions, hist_plain.c plain transactions, hist_rows.c rows, hist_atom.c
 * names, keys and values; hist_write.c and hist_put_rows.c write.
 *
 * SPDX-License-Identifier: MIT */
#ifndef FORMAT_HIST_HIST_H
#define FORMAT_HIST_HIST_H

#include "format/format.h"
#include "format/scan/scan.h"

#include <string.h>

struct plain_block;
struct plain_entry;
struct row_put;
struct row_reader;

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

/* Skip blanks, line ends and comments. */
static inline void
hist_skip(struct scan *s)
{
    while (s->at < s->end) {
        if (*s->at == ' ' || *s->at == '\t' || *s->at == '\r' ||
            *s->at == '\n') {
            s->at++;
        } else if (*s->at == '/' && s->end - s->at >= 2 && s->at[1] == '/') {
            const char *newline = memchr(s->at, '\n', (size_t)(s->end - s->at));
            s->at = newline ? newline : s->end;
        } else {
            return;
        }
    }
}

/* If the next bytes are these, skip them and return true. */
static inline bool
hist_accept(struct scan *s, const char *text)
{
    const size_t len = strlen(text);
    if ((size_t)(s->end - s->at) < len || memcmp(s->at, text, len) != 0)
        return false;
    s->at += len;
    return true;
}

/* Skip a token; the error is that 'expected' was expected. */
bool hist_lex(struct scan *s, const char *expected, struct hist_token *token);

/* The atom that the token means. */
bool hist_make(struct scan *s, struct builder *b,
               const struct hist_token *token, struct atom *atom);
bool hist_make_integer(struct scan *s, const struct hist_token *token,
                       struct atom *atom);

/* The text of a token without its escapes, which is valid until the next. */
bool hist_text(struct scan *s, const struct hist_token *token,
               struct span *out);

/* The operation of t that begins with the name of a table, after which a
 * parenthesis, a brace or a quote stands at the scan. */
bool hist_row_op(struct row_reader *r, txn_id t, const struct hist_token *token,
                 const char *begin);

/* The rows of the beginning, after their brace. */
bool hist_initial_rows(struct row_reader *r);

/* plain.h: the flags of an entry say whether it has a name. */
bool hist_plain_scan(struct plain_block *found, struct plain_entry *e);

/* Append text as a word, or in quotes if it would be read as something else;
 * 'reserved' is a word that always needs quotes, or NULL. */
void hist_put_text(struct buf *out, struct string text, bool is_keyword,
                   const char *reserved);

void hist_put_quoted(struct buf *out, struct string text);

/* An entry of the log: an operation on a row. */
void hist_put_row_op(const struct row_put *r, uint32_t entry, struct buf *out);

/* The rows of the beginning. */
void hist_put_initial(const struct row_put *r, struct buf *out);

bool hist_holds(const struct history *h, struct err *err);
bool hist_write(const struct history *h, struct output *out, struct err *err);

#endif

/* lexer.h -- lines and words of a certificate's text.
 *
 * The text may come from anywhere, so nothing in it is trusted.  Every id is
 * checked against the history.  Everything can be written in one way only: one
 * space between words, no leading zeros.
 *
 * A line is taken word by word.  The functions lexer_take... return false and
 * take nothing where the next word is another one; then lexer_expected reports
 * the error.
 *
 * SPDX-License-Identifier: MIT */
#ifndef EVIDENCE_LEXER_H
#define EVIDENCE_LEXER_H

#include "evidence/certificate.h"

struct lexer {
    const struct history *h;
    // Bounds of ids.  With other authors a history may have more implied reads,
    // and more appends that no read shows.
    uint32_t most_ops, most_values;
    const char *at, *end;        // what follows the present line
    const char *line, *line_end; // what is left of the present line
    uint64_t line_number;
    struct err *err;
};

void lexer_init(struct lexer *l, const struct history *h, const char *text,
                size_t len, struct err *err);

/* Report that the line goes on with something else; always false. */
bool lexer_expected(struct lexer *l, const char *expected);

/* Go to the next line; an error where there is none. */
bool lexer_next_line(struct lexer *l);
bool lexer_at_end(const struct lexer *l);

/* Take the next word if it is this one, or one of the n names. */
bool lexer_take(struct lexer *l, const char *word);
bool lexer_take_name(struct lexer *l, const char *const *names, size_t n,
                     size_t *index);

/* Take a decimal number. */
bool lexer_take_number(struct lexer *l, uint64_t *x);

/* Take an id below the bound, or "-", "init" or "?" where it may be. */
enum { MAY_BE_NONE = 1, MAY_BE_INIT = 2, MAY_BE_OPEN = 4 };
bool lexer_take_id(struct lexer *l, uint32_t bound, int may_be, uint32_t *id);
bool lexer_take_txn(struct lexer *l, int may_be, txn_id *t);
bool lexer_take_op(struct lexer *l, int may_be, op_id *op);

/* Read a line "<word> <count>".  Counts are compared with what is there, and
 * never used to reserve memory. */
bool lexer_read_count(struct lexer *l, const char *word, uint64_t *count);

#endif

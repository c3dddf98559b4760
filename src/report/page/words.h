/* words.h -- sentences of an explanation as HTML, with what their words mean.
 *
 * 'nil', 'init' and the names of transactions explain themselves to who points
 * at them.  A word of thousands of characters is shortened; it stands in full
 * in the text that a card offers to copy.
 *
 * SPDX-License-Identifier: MIT */
#ifndef REPORT_PAGE_WORDS_H
#define REPORT_PAGE_WORDS_H

#include "report/report.h"

// What stands for a value that no transaction has written, and for the initial
// state.
#define WORDS_NIL "nil: no value yet, no transaction has written this key"
#define WORDS_INIT "init: the initial state, before all transactions"

/* Append a sentence about an anomaly. */
void words_html(const struct anomaly *a, const char *text, struct buf *out);

/* Append what a transaction is called, and what that means: "s4/29:
 * transaction 29 of session 4", escaped. */
void words_txn(const struct anomaly_txn *t, struct buf *out);

/* Append, as a paragraph, what the names of an anomaly mean to who sees such
 * names for the first time; nothing where there are none of ours. */
void words_hint(const struct anomaly *a, struct buf *out);

/* Append text for an element or attribute, with long words shortened. */
void words_short(const char *text, struct buf *out);

#endif

/* predict_words.h -- a prediction in sentences for an application developer,
 * the same in all formats.
 *
 * Texts of several sentences have one sentence per line.
 *
 * SPDX-License-Identifier: MIT */
#ifndef REPORT_PREDICT_PREDICT_WORDS_H
#define REPORT_PREDICT_PREDICT_WORDS_H

#include "explain/explain.h"
#include "replay/validation.h"

/* Whether a read takes place and has another writer than observed. */
bool predict_words_is_changed(const struct execution *x, uint32_t r);

/* The value that a read of k from w returns. */
void predict_words_value(const struct observed *o, uint32_t w, key_id k,
                         struct buf *out);

/* "5 from T2", "nil, the initial state"; "from T2" if values are only the names
 * of their writers, as in the format 'trace'. */
void predict_words_source(const struct observed *o, uint32_t w, key_id k,
                          const char *equals, struct buf *out);

/* "Had T7 read x = 5, which T3 had not yet overwritten, instead of 9, no serial
 * order would explain the outcome; and snapshot isolation allows that." */
void predict_words_premise(const struct predicted *p, const char *title,
                           struct buf *out);

/* What the prediction depends on, or does not. */
void predict_words_notes(const struct predicted *p, struct buf *text);

/* What prevents the anomaly. */
void predict_words_prevention(const struct anomaly *a, struct buf *text);

/* The result of trying prediction i. */
void predict_words_validated(const struct validated *v, size_t i,
                             const struct predicted *p, struct buf *out);

/* Why the database does not show what was predicted. */
void predict_words_obstacle(const struct replay *p, const struct history *h,
                            enum driver_isolation isolation, struct buf *text);

#endif

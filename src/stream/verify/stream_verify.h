/* stream_verify.h -- checks the order of a stream, without trusting its author.
 *
 * One pass over the history and one over the order file.  Nothing here includes
 * an engine or the code that makes orders, and nothing here searches for one.
 * What is trusted is the reader of streams (stream/input) and the definitions
 * in doc/levels.md.
 *
 * A transaction that was read waits until its place comes.  Memory is that of
 * the keys, of the transactions that wait, of indeterminate transactions, and
 * of 'window' places.
 *
 * SPDX-License-Identifier: MIT */
#ifndef STREAM_VERIFY_STREAM_VERIFY_H
#define STREAM_VERIFY_STREAM_VERIFY_H

#include "level/level.h"
#include "stream/input/reader.h"

/* Check that the order in the file shows that its level holds of the history.
 * If not, *flaw says why.
 *
 *   error  an input that cannot be read, or is no order */
bool stream_verify(const struct stream_source *history, const char *order,
                   enum level *level, struct err *flaw, struct err *err);

#endif

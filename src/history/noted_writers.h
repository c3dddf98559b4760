/* noted_writers.h -- resolution where each value was written once at most.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HISTORY_NOTED_WRITERS_H
#define HISTORY_NOTED_WRITERS_H

#include "history/resolve.h"

/* Mark final writes, external reads and internal reads of something else than
 * the write before them.  Make values[v].writer, which the builder noted as a
 * place in h->arrival, the transaction that counts and whose final write of v
 * it is; TXN_NONE where there is none.  Reads of such values are added to 'w'.
 * True: a transaction outside the loading wrote VALUE_INIT; then the writers
 * and 'w' are not complete.
 *
 *   require  no value but VALUE_INIT was written twice
 *   time     O(operations + values), divided by the threads */
bool noted_writers_use(struct history *h, unsigned threads,
                       struct waiting_reads *w);

#endif

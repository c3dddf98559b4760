/* cycle_read.h -- the edges of a cycle from text.
 *
 * SPDX-License-Identifier: MIT */
#ifndef EVIDENCE_CYCLE_READ_H
#define EVIDENCE_CYCLE_READ_H

#include "evidence/lexer.h"

/* Read n edges, one a line, and append them. */
bool cycle_read_edges(struct lexer *l, uint64_t n, struct cycle *cycle);

#endif

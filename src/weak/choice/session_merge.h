/* session_merge.h -- an order in which every read finds its writer before it.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEAK_CHOICE_SESSION_MERGE_H
#define WEAK_CHOICE_SESSION_MERGE_H

#include "weak/choice/open_reads.h"
#include "weak/topological_sort.h"

/* Rearrange 'order' as little as needed so that it respects session order, the
 * reads with one writer and the edges in 'more', and so that for each open read
 * one of the candidates that are left comes before the reader; choose the last
 * such candidate in chosen[op].  Where that is impossible, break the rule for
 * one transaction and go on.
 *
 *   time   O(n k) for n operations and k sessions */
void session_merge(const struct history *h, const struct open_reads *open,
                   const struct predecessors *more, u32_vec *order,
                   txn_id *chosen);

#endif

/* exchange.h -- what the ranks of a run say to each other; the only code that
 * calls MPI.
 *
 * Every function is collective: all ranks call it, in the same order.  Work
 * between two calls may fail on one rank only, for lack of memory or because of
 * an input.  So it ends with exchange_agree, after which all ranks know.
 *
 * SPDX-License-Identifier: MIT */
#ifndef MPI_EXCHANGE_H
#define MPI_EXCHANGE_H

#include "base/container/vec.h"

#include <stddef.h>
#include <stdint.h>

typedef VEC(char) byte_vec;

struct exchange {
    int rank, ranks;
    uint64_t sent; // bytes to other ranks
    size_t memory; // bytes that a rank may have in use; 0: no limit
};

enum { EXCHANGE_TEXT = 512 }; // bytes of a message, with its zero byte

void exchange_begin(int *argc, char ***argv, struct exchange *x);
void exchange_end(void);

/* Whether it went well on all ranks.  If not, 'why' becomes the text of the
 * first rank on which it did not. */
bool exchange_agree(struct exchange *x, bool ok, char why[EXCHANGE_TEXT]);

uint64_t exchange_sum(struct exchange *x, uint64_t value);
uint64_t exchange_most(struct exchange *x, uint64_t value);

/* Send boxes[r], which holds records of 'size' bytes, to rank r.  in[r] becomes
 * what rank r has sent.  All boxes are freed.  False: a rank has no memory for
 * it, and 'why' says which. */
bool exchange_boxes(struct exchange *x, byte_vec *boxes, size_t size,
                    byte_vec *in, char why[EXCHANGE_TEXT]);

/* The bytes of one rank for another one; they are added to 'to'. */
void exchange_move(struct exchange *x, int from, int to, const byte_vec *bytes,
                   byte_vec *out);

/* One value of a rank for all. */
uint64_t exchange_from(struct exchange *x, int rank, uint64_t value);

#endif

/* interleaving.h -- several transactions, run as a level allows or one by one.
 *
 * Three shapes.
 *   visible      members stand in the order of their commits, and each sees
 *                whole some of those before it: ec, cc, psi, and mixtures;
 *   delayed      the last member sees none of the others, which run one after
 *                the other, and commits last: si, pc, and ser beside others;
 *   interrupted  the first member runs its first statements, the others run
 *                one after the other, and it goes on from there: rc.
 *
 * An execution is an anomaly when no serial order of the same members gives
 * every one of them the same observations and all tables the same contents.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PROVE_EXECUTE_INTERLEAVING_H
#define PROVE_EXECUTE_INTERLEAVING_H

#include "prove/execute/isolation.h"
#include "prove/execute/run/run.h"

enum { INTERLEAVING_MOST = 6 }; // members

struct interleaving {
    const struct program *program;
    const struct dataset *initial;
    const struct instance *members;
    uint32_t n;

    enum shape shape;

    // Visible, delayed: bit i of visible[j]: member j sees member i < j.
    uint32_t visible[INTERLEAVING_MOST];
    // With a level of the user's own, the same for those before it in its
    // session.
    uint32_t session[INTERLEAVING_MOST];

    // Interrupted: before which statement member 0 is interrupted; whether that
    // statement began before the last other member's commit and waited for it.
    uint32_t split;
    bool waits;

    // Where it is not NULL: told of each statement of each member's last run.
    void (*trace)(void *context, uint32_t member, const struct statement *s,
                  const struct datum *variables, const uint32_t *used);
    void *trace_context;

    // What came of it.
    struct run runs[INTERLEAVING_MOST];
    struct dataset final; // initialised by interleaving_init
};

void interleaving_init(struct interleaving *e, const struct program *p,
                       const struct dataset *initial,
                       const struct instance *members, uint32_t n);
void interleaving_free(struct interleaving *e);

/* Run the members in the shape that is set, with the visibility or the split
 * that is set, and say whether their levels allow it. */
bool interleaving_run(struct interleaving *e,
                      const struct level_choice *levels);

enum serial { SERIAL_NONE, SERIAL_FOUND, SERIAL_UNCERTAIN };

/* Look for a serial order that explains the runs; 'order' is the one found. */
enum serial interleaving_explain(const struct interleaving *e,
                                 uint32_t order[INTERLEAVING_MOST]);

/* Run the members in an order; say how far it agrees: e->n when all members
 * observe the same and the final states are equal; otherwise, where 'differs'
 * is not NULL, the runs are left in it. */
enum serial interleaving_try_order(const struct interleaving *e,
                                   const uint32_t order[INTERLEAVING_MOST],
                                   struct run runs[INTERLEAVING_MOST],
                                   struct dataset *final);

/* The next permutation of n numbers; false behind the last. */
bool interleaving_next_order(uint32_t *order, uint32_t n);

#endif

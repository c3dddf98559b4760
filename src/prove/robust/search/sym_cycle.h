/* sym_cycle.h -- a cycle of dependencies between all members of a sequence, as
 * a term.
 *
 * It leads the solver to executions whose dependencies form a cycle; whether
 * they do is decided on values (dependency.h).
 *
 * SPDX-License-Identifier: MIT */
#ifndef PROVE_ROBUST_SEARCH_SYM_CYCLE_H
#define PROVE_ROBUST_SEARCH_SYM_CYCLE_H

#include "prove/execute/interleaving.h"
#include "prove/robust/symbolic/symbolic.h"

struct sym_cycle {
    struct symbolic *symbolic; // that notes reads
    enum shape shape;
    uint32_t n;
    const struct sym_run *runs;
    const struct contents *initial;
    // Visible: [reader][writer], of earlier writers.
    term (*visible)[INTERLEAVING_MOST];
};

term sym_cycle(const struct sym_cycle *c);

#endif

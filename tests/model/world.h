/* world.h -- a program's states, instances and runs, each computed once.
 *
 * Brute force runs the same transaction on the same state over and over.  Here
 * a state is a number, and so is a run: an instance together with what its
 * statements saw.  Whatever follows from numbers is looked up the second time.
 *
 * SPDX-License-Identifier: MIT */
#ifndef MODEL_WORLD_H
#define MODEL_WORLD_H

#include "base/container/intmap.h"
#include "base/container/strings.h"
#include "prove/execute/run/run.h"

/* Which rows and arguments there are: every table has keys 1 .. keys in its
 * first column, or not, and values below 'values' in the others. */
struct world_domain {
    uint32_t keys, values;
    uint32_t first_argument, last_argument;
};

#define WORLD_NONE UINT32_MAX

/* What a statement sees, or the rest of an INSERT; see execute/run/run.h.
 * 'before' and 'lost' are WORLD_NONE unless it waited, or nothing is lost. */
struct world_view {
    uint32_t now, before, lost;
};

/* The views that have been given, and what came of it. */
struct world_run {
    uint32_t instance, n;
    const struct world_view *views;
    struct run run;
    const struct statement *next; // NULL: the commit, or none
    bool between;  // it stands between the parts of an INSERT, which is 'next'
    uint32_t seen; // equal for two runs that observe the same
};

/* Each once. */
typedef struct {
    VEC(struct dataset *) all;
    struct strings names;
} world_states;

struct world {
    const struct program *program;
    VEC(struct instance) instances;
    world_states states;
    world_states lost; // sets of rows that are gone, of world_view
    VEC(struct world_run *) runs;
    uint32_t initial; // states that the domain has; later ones are reached
    struct strings run_names, observations;
    struct intmap after, conflicts, blocks;
    struct arena arena;
};

void world_init(struct world *w, const struct program *p,
                const struct world_domain *d);
void world_free(struct world *w);

/* The run of an instance whose statements all see one state. */
uint32_t world_run_on(struct world *w, uint32_t instance, uint32_t state);
/* The run that stands before the first statement, and the one that has done
 * one statement more, or a part of an INSERT. */
uint32_t world_begin(struct world *w, uint32_t instance);
uint32_t world_step(struct world *w, uint32_t run, struct world_view view);

/* The rows that are lost when this run commits, too. */
uint32_t world_lose(struct world *w, uint32_t lost, uint32_t run);

/* The state after a run's changes. */
uint32_t world_after(struct world *w, uint32_t state, uint32_t run);

bool world_conflict(struct world *w, uint32_t a, uint32_t b);
bool world_blocks(struct world *w, uint32_t a, uint32_t b);

/* Whether members[0..k) from a state, one after the other in some order, see
 * what these runs saw and leave this state; also where SQL leaves that open. */
bool world_is_serial(struct world *w, uint32_t state, const uint32_t *members,
                     const uint32_t *runs, uint32_t k, uint32_t final);

#endif

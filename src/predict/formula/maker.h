/* maker.h -- what the files share that make an instance (instance.c).
 *
 * SPDX-License-Identifier: MIT */
#ifndef PREDICT_FORMULA_MAKER_H
#define PREDICT_FORMULA_MAKER_H

#include "predict/formula/formula.h"

struct version {
    uint64_t place;
    uint32_t write;
    uint32_t tag;   // VERSION_BASE, VERSION_OWN, or who it is just before
    uint32_t there; // the fact that it is there
};

struct maker {
    struct formula *f;
    const struct observed *o;
    const struct predict_instance *in;
    uint32_t number;            // of the instance
    uint32_t *first;            // by key: where its versions begin
    VEC(struct version) sorted; // versions, by key and place
    uint32_t *rank_base;        // by write: where its version of the base is
    uint32_t *rank_own;         // the last one as a boundary, or OBS_NONE
    u32_vec later, wrote;       // by version: FACT_LATER; FACT_WROTE or ON
    u32_vec *versions;          // by transaction
    u32_vec *readers;           // by transaction: reads that may be from it
    u32_vec successors;
};

static inline uint32_t
maker_on(const struct maker *m, uint32_t t)
{
    return m->in->on + t;
}

static inline bool
maker_is_candidate(const struct maker *m, uint32_t t)
{
    return m->f->boundary[t] != VAR_NONE;
}

static inline void
maker_add(struct maker *m, enum absence_rule rule, uint32_t a, uint32_t b,
          uint32_t c)
{
    formula_add(m->f, rule, a, b, c, m->number);
}

/* versions.c: sort the versions of all keys, and add their facts. */
void maker_add_versions(struct maker *m);

/* 'var' implies that version i is there. */
void maker_imply_there(struct maker *m, uint32_t var, uint32_t i,
                       enum absence_rule rule);

#endif

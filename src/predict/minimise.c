/* minimise.c -- see minimise.h.
 *
 * Each step is tried on a copy and kept where the copy is still a prediction.
 * Boundary transactions are first made to be as observed, then their reads one
 * by one; last, transactions that no other needs are left out from the end of
 * their sessions.
 *
 * SPDX-License-Identifier: MIT */
#include "predict/minimise.h"

enum { MOST_TXNS = 400 }; // of an execution that transactions are left out of

struct shrink {
    struct execution_search *s;
    struct execution *x, trial;
};

/* Keep the trial where it is a prediction. */
static bool
keep_if_predicted(struct shrink *m)
{
    if (limit_reached(&m->s->limit) ||
        !execution_search_is_prediction(m->s, &m->trial))
        return false;
    execution_copy(m->x, &m->trial);
    return true;
}

static void
restore_txn(struct shrink *m, uint32_t b)
{
    const struct observed *o = m->x->o;
    if (o->looped[b])
        return;
    execution_copy(&m->trial, m->x);
    m->trial.role[b] = ROLE_OUT;
    for (uint32_t r = o->read_first[b]; r < o->read_first[b + 1]; r++) {
        m->trial.writer[r] = o->reads.at[r].writer;
        const uint32_t w = m->trial.writer[r];
        // What it had read may lie behind other boundary transactions.
        for (uint32_t t = 0; w != OBS_INIT && t < o->n; t++)
            if (m->x->role[t] == ROLE_BOUNDARY && observed_before(o, t, w))
                return;
    }
    execution_add_base(&m->trial, b);
    keep_if_predicted(m);
}

/* Whether adding w to the base leaves the boundary transactions alone. */
static bool
may_add(const struct execution *x, uint32_t w)
{
    for (uint32_t t = 0; w != OBS_INIT && t < x->o->n; t++)
        if (x->role[t] == ROLE_BOUNDARY && observed_before(x->o, t, w))
            return false;
    return w == OBS_INIT || !x->o->looped[w];
}

static void
restore_read(struct shrink *m, uint32_t b, uint32_t r)
{
    const uint32_t w = m->x->o->reads.at[r].writer;
    if (m->x->writer[r] == w || !may_add(m->x, w))
        return;
    execution_copy(&m->trial, m->x);
    m->trial.writer[r] = w;
    execution_add_base(&m->trial, w);
    bool changed = false;
    const struct observed *o = m->x->o;
    for (uint32_t i = o->read_first[b]; i < o->read_first[b + 1]; i++)
        changed |= m->trial.writer[i] != o->reads.at[i].writer;
    if (changed)
        keep_if_predicted(m);
}

static void
leave_out(struct shrink *m, uint32_t t)
{
    const struct execution *x = m->x;
    const struct observed *o = x->o;
    if (o->next[t] != OBS_NONE && x->role[o->next[t]] != ROLE_OUT)
        return;
    for (uint32_t r = 0; r < o->reads.n; r++)
        if (x->writer[r] == t && execution_has_read(x, r))
            return;
    execution_copy(&m->trial, x);
    m->trial.role[t] = ROLE_OUT;
    for (uint32_t r = o->read_first[t]; r < o->read_first[t + 1]; r++)
        m->trial.writer[r] = o->reads.at[r].writer;
    keep_if_predicted(m);
}

void
minimise(struct execution_search *s, struct execution *x)
{
    const struct observed *o = x->o;
    struct shrink m = {.s = s, .x = x};
    execution_init(&m.trial, o, x->is_strict);
    for (uint32_t t = 0; t < o->n; t++)
        if (x->role[t] == ROLE_BOUNDARY)
            restore_txn(&m, t);
    for (uint32_t t = 0; !x->is_strict && t < o->n; t++)
        if (x->role[t] == ROLE_BOUNDARY)
            for (uint32_t r = o->read_first[t]; r < o->read_first[t + 1]; r++)
                restore_read(&m, t, r);
    if (execution_txns(x) <= MOST_TXNS)
        for (uint32_t i = o->n; i; i--)
            if (x->role[o->order[i - 1]] != ROLE_OUT)
                leave_out(&m, o->order[i - 1]);
    execution_free(&m.trial);
}

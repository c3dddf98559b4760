/* brute_programs.c -- see brute_programs.h.
 *
 * At rc nothing is assumed about shapes: whoever is not blocked may run its
 * next statement.  A transaction's progress is kept as the list of states that
 * its statements saw, and it is run again from the start for every step.
 *
 * SPDX-License-Identifier: MIT */
#include "brute_programs.h"

#include "execute/conflict.h"

#include <string.h>

enum { KEYS = 2, VALUES = 3, STEPS = 40, SITES = 16 };

static struct datum
number(uint64_t n)
{
    return (struct datum){(int64_t)n, false};
}

/* Random rows that satisfy the constraints. */
static bool
fill(struct dataset *d, struct random *r)
{
    const struct program *p = d->program;
    for (uint32_t t = 0; t < p->tables.n; t++)
        for (uint64_t k = 1; k <= KEYS; k++) {
            struct datum row[8] = {{0}};
            if (random_below(r, 3) == 0)
                continue;
            row[0] = number(k);
            for (uint32_t c = 1; c < p->tables.at[t].n_columns; c++)
                row[c] = number(random_below(r, VALUES));
            dataset_insert(d, t, row);
        }
    return dataset_is_legal(d);
}

struct member {
    struct instance instance;
    struct datum arguments[4], inputs[SITES];
    struct dataset now[STEPS], before[STEPS];
    bool waited[STEPS];
    uint32_t n;
    bool waiting, committed;
    struct dataset since; // when it began to wait
    struct run run;
    const struct statement *next; // NULL: the commit
};

/* Views from the list; behind its end the transaction stops. */
static bool
next_view(void *context, uint32_t at, const struct statement *s,
          struct view *out)
{
    struct member *m = context;
    if (at >= m->n) {
        m->next = s;
        return false;
    }
    *out = (struct view){&m->now[at], m->waited[at] ? &m->before[at] : NULL};
    return true;
}

static void
rerun(const struct program *p, struct member *m, struct run *out)
{
    const struct views views = {m, next_view, NULL};
    run_instance(p, &m->instance, &views, out);
}

static void
choose_instance(const struct program *p, struct member *m, uint32_t i,
                struct random *r)
{
    const struct function *f = p->functions.at[random_below(r, p->functions.n)];
    m->instance = (struct instance){f, m->arguments, m->inputs, 4};
    for (uint32_t a = 0; a < f->n_parameters; a++)
        m->arguments[a] = number(random_below(r, VALUES));
    for (uint32_t k = 0; k < SITES; k++)
        m->inputs[k] = number(100 + 20 * i + k);
}

/* Let member i do its next step; false where it cannot. */
static bool
step(const struct program *p, struct member *all, uint32_t k, uint32_t i,
     struct dataset *committed, bool *stuck)
{
    struct member *m = &all[i];
    *stuck = false;
    if (m->n == STEPS)
        return false;
    if (!m->next) {
        changes_apply(&m->run.changes, committed);
        m->committed = true;
        return true;
    }
    const bool mixes = m->waiting && interleaving_can_wait(m->next);
    dataset_copy(&m->now[m->n], committed);
    if (mixes)
        dataset_copy(&m->before[m->n], &m->since);
    m->waited[m->n] = mixes;
    m->n++;
    const struct statement *next = m->next;
    struct run run = {0};
    rerun(p, m, &run);
    bool blocked = false;
    for (uint32_t j = 0; j < k; j++)
        blocked = blocked || (j != i && !all[j].committed &&
                              conflict_blocks(p, &all[j].run, &run));
    if (blocked && run.end == RUN_STOPPED) {
        m->n--;
        m->next = next;
        if (!m->waiting)
            dataset_copy(&m->since, committed);
        m->waiting = true;
        *stuck = true;
        run_free(&run);
        return true;
    }
    run_free(&m->run);
    m->run = run;
    m->waiting = false;
    return m->run.end == RUN_STOPPED;
}

/* One random execution at rc; whether it ended with all committed. */
static bool
run_committed(const struct program *p, struct member *all, uint32_t k,
              struct dataset *committed, struct random *r)
{
    uint32_t stuck_in_a_row = 0;
    for (uint32_t i = 0; i < k; i++) {
        rerun(p, &all[i], &all[i].run);
        if (all[i].run.end != RUN_STOPPED)
            return false;
    }
    for (uint32_t done = 0; done < k;) {
        const uint32_t i = (uint32_t)random_below(r, k);
        bool stuck;
        if (all[i].committed)
            continue;
        if (!step(p, all, k, i, committed, &stuck))
            return false;
        stuck_in_a_row = stuck ? stuck_in_a_row + 1 : 0;
        if (stuck_in_a_row > 20 * k)
            return false; // a deadlock
        done += all[i].committed;
    }
    return true;
}

static bool
is_anomaly_rc(const struct program *p, const struct dataset *initial,
              struct member *all, uint32_t k, struct random *r)
{
    struct instance members[INTERLEAVING_MOST] = {{0}};
    struct interleaving e;
    for (uint32_t i = 0; i < k; i++)
        members[i] = all[i].instance;
    interleaving_init(&e, p, initial, members, k);
    dataset_copy(&e.final, initial);
    bool bad = false;
    if (run_committed(p, all, k, &e.final, r)) {
        uint32_t order[INTERLEAVING_MOST];
        for (uint32_t i = 0; i < k; i++) {
            const struct run swap = e.runs[i];
            e.runs[i] = all[i].run;
            all[i].run = swap;
        }
        bad = interleaving_explain(&e, order) == SERIAL_NONE;
    }
    interleaving_free(&e);
    return bad;
}

static bool
is_anomaly_visible(const struct program *p, const struct dataset *initial,
                   enum level level, struct member *all, uint32_t k,
                   struct random *r)
{
    struct instance members[INTERLEAVING_MOST] = {{0}};
    struct interleaving e;
    uint32_t order[INTERLEAVING_MOST];
    for (uint32_t i = 0; i < k; i++)
        members[i] = all[i].instance;
    interleaving_init(&e, p, initial, members, k);
    for (uint32_t i = 0; i < k; i++)
        e.visible[i] = (uint32_t)random_below(r, (uint64_t)1 << i);
    const bool bad = interleaving_run_visible(&e, level) &&
                     interleaving_explain(&e, order) == SERIAL_NONE;
    interleaving_free(&e);
    return bad;
}

static void
init_member(const struct program *p, struct member *m)
{
    dataset_init(&m->since, p);
    for (uint32_t s = 0; s < STEPS; s++) {
        dataset_init(&m->now[s], p);
        dataset_init(&m->before[s], p);
    }
}

static void
free_member(struct member *m)
{
    run_free(&m->run);
    dataset_free(&m->since);
    for (uint32_t s = 0; s < STEPS; s++) {
        dataset_free(&m->now[s]);
        dataset_free(&m->before[s]);
    }
}

uint32_t
brute_programs(const struct program *p, enum level level, uint32_t k,
               uint32_t tries, struct random *random)
{
    struct member *all = mem_calloc(k, sizeof *all);
    uint32_t bad = 0;
    for (uint32_t i = 0; i < k; i++)
        init_member(p, &all[i]);
    for (uint32_t n = 0; n < tries; n++) {
        struct dataset initial;
        dataset_init(&initial, p);
        for (uint32_t i = 0; i < k; i++) {
            all[i].n = 0;
            all[i].waiting = all[i].committed = false;
            choose_instance(p, &all[i], i, random);
        }
        if (fill(&initial, random))
            bad += level == LEVEL_RC
                       ? is_anomaly_rc(p, &initial, all, k, random)
                       : is_anomaly_visible(p, &initial, level, all, k, random);
        dataset_free(&initial);
    }
    for (uint32_t i = 0; i < k; i++)
        free_member(&all[i]);
    mem_free(all);
    return bad;
}

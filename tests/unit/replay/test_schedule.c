/* test_schedule.c -- schedules lead to the predicted reads: played on paper,
 * with the latest committed version for each read, or the latest at the
 * beginning of the transaction, every read finds the writer it should.
 *
 * SPDX-License-Identifier: MIT */
#include "observe.h"

#include "replay/schedule.h"

/* What a play on paper keeps. */
struct paper {
    const struct execution *x;
    uint32_t *latest; // by key: who wrote it
    bool has_snapshots;
    uint32_t *seen;  // by transaction and key: the snapshot
    uint32_t *reads; // by transaction: reads so far
    uint8_t *state;  // by transaction: 0 not yet, 1 running, 2 over
    size_t wrong;
};

static void
play_reads(struct paper *p, uint32_t t, uint32_t accesses)
{
    const struct observed *o = p->x->o;
    const op_id first = o->h->txn_begin[o->id[t]];
    const uint32_t *from =
        p->has_snapshots ? p->seen + (size_t)t * o->n_keys : p->latest;
    for (; p->reads[t] < p->x->reads[t]; p->reads[t]++) {
        const uint32_t r = o->read_first[t] + p->reads[t];
        if (accesses != SCHEDULE_TO_THE_END &&
            o->reads.at[r].op - first >= accesses)
            break;
        p->wrong += from[o->reads.at[r].key] != p->x->writer[r];
    }
}

static void
play_step(struct paper *p, const struct schedule_step *step)
{
    const struct observed *o = p->x->o;
    const uint32_t t = step->txn, prev = o->prev[t];
    if (step->begins) {
        p->wrong += p->state[t] != 0;
        p->wrong += prev != OBS_NONE && p->state[prev] != 2;
        p->state[t] = 1;
        memcpy(p->seen + (size_t)t * o->n_keys, p->latest,
               o->n_keys * sizeof *p->latest);
        return;
    }
    p->wrong += p->state[t] != 1;
    play_reads(p, t, step->accesses);
    if (step->accesses != SCHEDULE_TO_THE_END)
        return;
    p->state[t] = 2;
    for (uint32_t w = o->write_first[t]; w < o->write_first[t + 1]; w++)
        if (execution_has_write(p->x, w))
            p->latest[o->writes.at[w].key] = t;
}

static size_t
play_on_paper(const struct schedule *s, const struct execution *x,
              bool has_snapshots)
{
    const struct observed *o = x->o;
    struct paper p = {
        .x = x,
        .has_snapshots = has_snapshots,
        .latest = mem_calloc(o->n_keys + 1, sizeof *p.latest),
        .seen = mem_calloc((size_t)o->n * o->n_keys + 1, sizeof *p.seen),
        .reads = mem_calloc(o->n + 1, sizeof *p.reads),
        .state = mem_calloc(o->n + 1, sizeof *p.state)};
    for (uint32_t k = 0; k < o->n_keys; k++)
        p.latest[k] = OBS_INIT;
    for (size_t i = 0; i < s->steps.n; i++)
        play_step(&p, &s->steps.at[i]);
    for (uint32_t t = 0; t < o->n; t++)
        p.wrong += p.state[t] != (x->role[t] == ROLE_OUT ? 0 : 2);
    mem_free(p.latest);
    mem_free(p.seen);
    mem_free(p.reads);
    mem_free(p.state);
    return p.wrong;
}

static void
check_predictions(const struct history *h, enum level level, bool is_strict,
                  size_t *found, size_t *scheduled)
{
    struct prediction p;
    struct err err = {0};
    const struct predict_options options = {
        .level = level, .is_strict = is_strict, .most = 5, .timeout = 20};
    CHECK(predict(h, &options, &p, &err));
    const enum driver_isolation isolation = level == LEVEL_RC
                                                ? ISOLATION_READ_COMMITTED
                                                : ISOLATION_REPEATABLE_READ;
    for (size_t i = 0; i < p.found.n; i++) {
        const struct execution *x = &p.found.at[i].execution;
        struct schedule s;
        bool exists;
        CHECK(schedule_make(&s, x, isolation, false, &exists, &err));
        ++*found;
        *scheduled += exists;
        CHECK(exists || level == LEVEL_RC);
        CHECK(!exists || play_on_paper(&s, x, level == LEVEL_SI) == 0);
        schedule_free(&s);
    }
    prediction_free(&p);
}

static void
schedules_lead_to_the_predicted_reads(void)
{
    size_t found = 0, scheduled = 0;
    for (size_t a = 0; app_list[a]; a++) {
        const struct replay_program program = program_of(app_list[a], 4, 1);
        struct history h;
        CHECK(observe(&program, 40, &h));
        for (int strict = 0; strict < 2; strict++) {
            check_predictions(&h, LEVEL_RC, strict, &found, &scheduled);
            check_predictions(&h, LEVEL_SI, strict, &found, &scheduled);
        }
        history_free(&h);
    }
    printf("# %zu predictions, %zu with a schedule\n", found, scheduled);
    CHECK(found >= 50 && scheduled >= 20);
}

int
main(void)
{
    RUN(schedules_lead_to_the_predicted_reads);
    return test_end();
}

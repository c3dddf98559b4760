/* narrate_anomaly.c -- see narrate_anomaly.h.
 *
 * SPDX-License-Identifier: MIT */
#include "explain/narrate/narrate_anomaly.h"

#include "explain/lost_commit.h"
#include "explain/narrate/narrate.h"
#include "explain/refute.h"

enum { EFFORT = 50000000 }; // dependencies that one refutation may look at

static bool
reads_init(const struct history *h)
{
    for (op_id op = 0; op < h->n_ops; op++)
        if (op_is_external_read(h, op) &&
            (h->op_value[op] == VALUE_INIT ||
             atom_equal(history_value_atom(h, h->op_value[op]), h->initial)))
            return true;
    return false;
}

/* Two writers that both read the version before and miss each other are a lost
 * update whichever came first: the story has both misses.  The argument and
 * the picture need the order of the two. */
static void
prefer_misses(const struct model *m, struct dep *d, size_t n)
{
    for (size_t i = 0; n == 2 && i < n; i++) {
        if (d[i].kind != EDGE_WW || d[1 - i].kind != EDGE_RW)
            continue;
        for (size_t j = 0; j < m->deps.n; j++) {
            const struct dep *other = &m->deps.at[j];
            if (other->kind == EDGE_RW && other->from == d[i].from &&
                other->to == d[i].to && other->key == d[1 - i].key &&
                other->writer == d[1 - i].writer) {
                d[i] = *other;
                return;
            }
        }
    }
}

/* Numbers by size, everything else as it came. */
static bool
key_precedes(const struct history *h, key_id a, key_id b)
{
    const struct atom x = history_key_atom(h, a), y = history_key_atom(h, b);
    return x.tag == ATOM_INT && y.tag == ATOM_INT
               ? (int64_t)x.bits < (int64_t)y.bits
               : a < b;
}

static void
gather_keys(const struct history *h, const struct dep *d, size_t n,
            u32_vec *keys)
{
    for (size_t i = 0; i < n; i++) {
        bool new = d[i].key != ID_NONE;
        for (size_t j = 0; j < keys->n; j++)
            new = new && keys->at[j] != d[i].key;
        if (new)
            vec_push(keys, d[i].key);
    }
    for (size_t i = 1; i < keys->n; i++)
        for (size_t j = i; j && key_precedes(h, keys->at[j], keys->at[j - 1]);
             j--) {
            const key_id k = keys->at[j];
            keys->at[j] = keys->at[j - 1];
            keys->at[j - 1] = k;
        }
}

/* Among the readers and writers on the cycle, find a miss of a
 * commit that is gone; NULL if there is none. */
static const struct dep *
find_lost_commit(const struct narration *t, const struct model *m,
                 const struct dep *d, size_t n)
{
    for (size_t i = 0; i < m->deps.n; i++) {
        const struct dep *miss = &m->deps.at[i];
        bool reads = false, writes = false;
        for (size_t j = 0; j < n; j++) {
            reads |= d[j].from == miss->from;
            writes |= d[j].from == miss->to;
        }
        // A read that a list implies is not in the whole history.
        if (miss->kind == EDGE_RW && reads && writes &&
            t->whole_op[miss->read] != ID_NONE &&
            lost_commit_is_gone(t->whole, t->origin[miss->to],
                                t->origin[miss->from], t->whole_op[miss->read]))
            return miss;
    }
    return NULL;
}

/* Without a refutation: the transactions, and that they are too many. */
static void
narrate_briefly(struct narration *t, size_t context)
{
    struct anomaly *a = t->a;
    a->kind = ANOMALY_CYCLE;
    a->edges_in_words = a->also = "";
    narrate_txns(t, reads_init(t->h), context);
    narrate_headline(t, NULL, 0);
    buf_printf(&t->b,
               "these %zu transactions together leave no order that %s allows"
               "%s; the argument is too long to be read",
               a->involved, level_table[t->level].title,
               a->unfinished ? ""
                             : ", and without any one of them there is one");
    a->story = narrate_keep(t);
    vec_push(&a->steps, ((struct anomaly_step){
                            "The evidence of the verdict excludes every "
                            "order: 'check --certificate FILE' writes it, "
                            "and 'certify' checks it",
                            0, ANOMALY_NONE}));
}

static void
narrate_refutation(struct narration *t, const struct model *m,
                   const struct refutation *r, size_t context)
{
    struct anomaly *a = t->a;
    uint32_t best;
    a->kind = classify_refutation(t->h, r, &best);
    const struct refute_step *step = &r->steps.at[best];
    struct dep *d = mem_alloc(step->n, sizeof *d);
    for (uint32_t i = 0; i < step->n; i++)
        d[i] = r->cycles.at[step->first + i];
    classify_turn(d, step->n);
    // These names say that a level up to causal is broken.  Where all of them
    // hold, what was missed came before only because a stronger level says so.
    if (!level_set_has(a->violated, level_highest(level_weak())) &&
        a->kind >= ANOMALY_NON_REPEATABLE && a->kind <= ANOMALY_CAUSALITY)
        a->kind = step->n > 2 && d[step->n - 1].kind == EDGE_WR
                      ? ANOMALY_READ_SKEW
                      : ANOMALY_CYCLE;
    const struct dep *lost = find_lost_commit(t, m, d, step->n);
    if (lost)
        a->kind = ANOMALY_LOST_COMMIT;
    narrate_txns(t, reads_init(t->h), context);
    narrate_steps(t, m, r, d, step->n);
    prefer_misses(m, d, step->n);
    narrate_sources(t, d, step->n);
    narrate_story(t, lost ? lost : d, lost ? 1 : step->n);
    u32_vec keys = {0};
    gather_keys(t->h, d, step->n, &keys);
    narrate_headline(t, keys.at, keys.n);
    vec_free(&keys);
    if (a->kind == ANOMALY_LOST_UPDATE)
        buf_text(&t->b, anomaly_table[a->kind].elle);
    else
        classify_elle(t->h, d, step->n, &t->b);
    a->also = narrate_keep(t);
    mem_free(d);
}

/* Refute the reduced history and narrate the refutation; false where it is too
 * large, or the argument too long to be read. */
static bool
narrate_small(struct narration *t, size_t context)
{
    struct model m;
    struct refutation refutation;
    if (t->h->n_txns > MODEL_MOST_TXNS || t->h->n_ops > MODEL_MOST_OPS)
        return false;
    model_init(&m, t->h, t->level);
    const bool ok = refute_model(&m, EFFORT, &refutation) == REFUTE_YES;
    if (ok) {
        narrate_refutation(t, &m, &refutation, context);
        refutation_free(&refutation);
    }
    model_free(&m);
    return ok;
}

/* Narrate two reads of one row that disagree; false where there are none, or
 * the level does not mind. */
static bool
narrate_contradiction(struct narration *t, enum level asked, size_t context)
{
    struct row_contradiction c;
    if (!level_repeats_reads(asked) || !row_contradiction_find(t->h, NULL, &c))
        return false;
    narrate_row_contradiction(t, &c, context);
    return true;
}

void
narrate_anomaly(const struct history *whole, struct reduced *r,
                enum level asked, enum level weakest,
                const struct judgement *judgement, size_t context,
                struct anomaly *out)
{
    *out = (struct anomaly){.level = asked,
                            .violated = judgement->violated,
                            .holds = judgement->holds,
                            .unfinished = r->unfinished};
    struct narration t = {.a = out,
                          .whole = whole,
                          .h = history_seen(&r->h, level_takes_checks(weakest)),
                          .origin = r->origin.at,
                          .level = weakest};
    narrate_map(&t);
    if (!narrate_small(&t, context) &&
        !narrate_contradiction(&t, asked, context))
        narrate_briefly(&t, context);
    buf_free(&t.b);
    struct err err = {0};
    if ((!whole->key_is_list && !whole->rows) || !narrate_reduced(&t, &err)) {
        out->reduced = r->h;
        r->h = (struct history){0};
    }
}

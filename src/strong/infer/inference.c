/* inference.c -- see inference.h.
 *
 * SPDX-License-Identifier: MIT */
#include "strong/infer/inference.h"

#include "base/limits/tuning.h"
#include "base/paranoid.h"

static void
note_edge(struct inference *f, uint32_t from, uint32_t to)
{
    if (f->has_clocks)
        clocks_touch(&f->clocks, to);
    f->unsorted |= f->rank[from] > f->rank[to];
    f->changed = true;
    f->added++;
}

void
inference_note_edges(struct inference *f, size_t first)
{
    assert(first <= f->p->g.edges.n);
    for (size_t e = first; e < f->p->g.edges.n; e++)
        note_edge(f, f->p->g.edges.at[e].from, f->p->g.edges.at[e].to);
}

void
inference_add(struct inference *f, uint32_t from, uint32_t to,
              struct label label)
{
    assert(from != to && f->conflict.kind == CONFLICT_NONE);
    const struct chains *g = &f->p->g;
    if (g->edges.n && vec_top(&g->edges).from == from &&
        vec_top(&g->edges).to == to)
        return; // neighbouring reads often infer the same edge
    depend_add_edge(f->p, from, to, label);
    note_edge(f, from, to);
}

void
inference_contradict(struct inference *f, uint32_t from, uint32_t to,
                     struct label label)
{
    f->conflict = (struct conflict){
        .kind = CONFLICT_EDGE, .from = from, .to = to, .label = label};
}

static bool
sort_points(struct inference *f)
{
    if (!chains_sort(&f->p->g, f->order, &f->conflict.cycle)) {
        assert(f->conflict.cycle.n >= 2);
        f->conflict.kind = CONFLICT_CYCLE;
        return false;
    }
    for (uint32_t i = 0; i < f->p->g.n; i++)
        f->rank[f->order[i]] = i;
    f->unsorted = false;
    return true;
}

/* The most that clocks may take. */
static size_t
most_bytes(const struct dependencies *p)
{
    const size_t worth = (size_t)TUNE_CLOCK_BYTES +
                         TUNE_CLOCK_BYTES_EACH * ((size_t)p->g.n + p->h->n_ops);
    return worth < mem_left() / 2 ? worth : mem_left() / 2;
}

bool
inference_make_clocks(const struct inference *f, const struct chains *g,
                      const uint32_t *order, struct clocks *out)
{
    const size_t most = most_bytes(f->p);
    *out = (struct clocks){.g = g};
    if (g->n_chains > f->context->options->cover)
        return clocks_init_cover(out, g, order, most);
    if (clocks_bytes(g) > most)
        return false;
    clocks_init(out, g);
    clocks_update(out, order);
    return true;
}

static void
update_clocks(struct inference *f)
{
    const struct chains *g = &f->p->g;
    if (f->clocks.cover &&
        g->edges.n - f->covered >= g->n / TUNE_COVER_POINTS) {
        f->has_clocks =
            clocks_cover_again(&f->clocks, f->order, most_bytes(f->p));
        f->covered = g->edges.n;
    } else {
        clocks_update(&f->clocks, f->order);
    }
}

bool
inference_update(struct inference *f)
{
    if (f->unsorted && !sort_points(f))
        return false;
    if (f->changed && f->has_clocks)
        update_clocks(f);
    f->changed = false;
    PARANOID(inference_check(f));
    return true;
}

bool
inference_init(struct inference *f, struct dependencies *p,
               struct strong_context *context)
{
    assert(p->g.edges.n == p->labels.n && context->options && context->stats);
    *f = (struct inference){.p = p, .context = context};
    f->order = mem_alloc(p->g.n, sizeof *f->order);
    f->rank = mem_alloc(p->g.n, sizeof *f->rank);
    if (!sort_points(f))
        return false;
    f->clocks.g = &p->g;
    const struct strong_options *options = context->options;
    f->cached_clocks = options->saturate && p->g.n_chains <= options->cover &&
                       clocks_bytes(&p->g) <= TUNE_CACHED_BYTES;
    f->has_clocks = (f->cached_clocks || (options->prune && p->ambiguous.n)) &&
                    inference_make_clocks(f, &p->g, f->order, &f->clocks);
    f->cached_clocks &= f->has_clocks;
    f->covered = p->g.edges.n;
    PARANOID(inference_check(f));
    return true;
}

void
inference_free(struct inference *f)
{
    if (f->has_clocks)
        clocks_free(&f->clocks);
    mem_free(f->order);
    mem_free(f->rank);
    vec_free(&f->conflict.cycle);
}

void
inference_check(const struct inference *f)
{
    const struct chains *g = &f->p->g;
    for (uint32_t p = 0; p < g->n; p++) {
        ENSURE(f->order[f->rank[p]] == p); // (I2)
        ENSURE(f->unsorted || !chains_has_previous(g, p) ||
               f->rank[p - 1] < f->rank[p]); // (I1)
    }
    for (size_t e = 0; !f->unsorted && e < g->edges.n; e++) // (I1)
        ENSURE(f->rank[g->edges.at[e].from] < f->rank[g->edges.at[e].to]);
    if (f->has_clocks && !f->changed) // (I3)
        clocks_check(&f->clocks);
}

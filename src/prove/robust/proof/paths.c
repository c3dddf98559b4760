/* paths.c -- proofs where levels are rules about visibility; see proof.h.
 *
 * Members of an execution have a place in the order of commits, and see whole
 * some of those before them.  What each sees is a state of its own, of which no
 * constraint over several rows or columns is known: no serial run need lead to
 * it.  A member depends on another that it sees (wr), that comes before it
 * (ww), or that does not see what it writes (rw).  Only an rw edge can lead
 * back in the order of commits, so every cycle has such an edge, and
 *   (1) where there is none, or none that a path by types could close, all
 *       executions are serializable;
 *   (2) else, where no cycle has up to m members, the shortest one contains a
 *       path of m edges that begins with such an edge and has no chord.  Where
 *       there is no such path, there is no cycle.
 * At psi, and where some functions run at si, forks.c is tried before (2).
 *
 * SPDX-License-Identifier: MIT */
#include "prove/robust/proof/proof.h"

#include "prove/robust/proof/forks.h"

#include <string.h>

/* Whether any sequence of n functions can be a cycle, or a path. */
static bool
any_can_be(struct path_prover *v, uint32_t n, enum asked asked)
{
    uint32_t at[PATH_MOST] = {0};
    for (;;) {
        bool may = v->back[at[0] * v->n + at[1]];
        for (uint32_t i = 1; may && i + 1 < n; i++)
            may = v->edge[at[i] * v->n + at[i + 1]];
        if (may && asked == ASKED_CYCLE)
            may = v->edge[at[n - 1] * v->n + at[0]];
        if (may && path_can_be(v, at, n, asked)) {
            v->out->p = at[0];
            v->out->x = at[1];
            v->out->y = n > 2 ? at[n - 1] : UINT32_MAX;
            return true;
        }
        uint32_t i = n;
        while (i > 0 && ++at[i - 1] == v->n)
            at[--i] = 0;
        if (i == 0)
            return false;
    }
}

/* Which edges can be between two; whether one leads back. */
static bool
relate(struct path_prover *v)
{
    bool any = false;
    for (uint32_t a = 0; a < v->n; a++)
        for (uint32_t b = 0; b < v->n; b++) {
            const uint32_t pair[] = {a, b};
            const bool reads =
                access_reads_from(v->program, &v->accesses[a], &v->accesses[b]);
            v->back[a * v->n + b] =
                reads && path_can_be(v, pair, 2, ASKED_BACK);
            any = any || v->back[a * v->n + b];
        }
    for (uint32_t a = 0; any && a < v->n; a++)
        for (uint32_t b = 0; b < v->n; b++) {
            const uint32_t pair[] = {a, b};
            v->edge[a * v->n + b] =
                v->back[a * v->n + b] || path_can_be(v, pair, 2, ASKED_EDGE);
        }
    return any;
}

/* Whether an edge that leads back is on a cycle by types. */
static bool
can_close(const struct path_prover *v)
{
    const size_t n = v->n;
    bool *reach = mem_calloc(n * n + 1, sizeof *reach), closes = false;
    memcpy(reach, v->edge, n * n * sizeof *reach);
    for (size_t k = 0; k < n; k++)
        for (size_t a = 0; a < n; a++)
            for (size_t b = 0; b < n; b++)
                reach[a * n + b] =
                    reach[a * n + b] || (reach[a * n + k] && reach[k * n + b]);
    for (size_t a = 0; a < n; a++)
        for (size_t b = 0; b < n; b++)
            closes = closes || (v->back[a * n + b] && reach[b * n + a]);
    mem_free(reach);
    return closes;
}

static void
prove(struct path_prover *v)
{
    v->out->end = PROOF_DONE;
    if (!relate(v) || !can_close(v) || forks_prove(v))
        return;
    for (uint32_t m = 2; m < PATH_MOST; m++) {
        v->out->end = PROOF_CANDIDATE;
        if (any_can_be(v, m, ASKED_CYCLE))
            return;
        v->out->end = PROOF_DONE;
        if (!any_can_be(v, m + 1, ASKED_PATH))
            return;
        v->out->end = PROOF_LONG;
    }
}

bool
proof_try_paths(const struct program *p, const struct level_choice *isolation,
                const struct search_limits *limits, struct robust_proof *out,
                struct err *err)
{
    const uint32_t n = (uint32_t)p->functions.n;
    memset(out, 0, sizeof *out);
    struct path_prover v = {.program = p,
                            .isolation = isolation,
                            .limits = limits,
                            .out = out,
                            .err = err,
                            .n = n};
    v.whole = true;
    for (uint32_t i = 0; i < n; i++)
        v.whole = v.whole && isolation_minds(isolation, i, i);
    v.footprints = mem_calloc(n + 1, sizeof *v.footprints);
    v.accesses = mem_calloc(n + 1, sizeof *v.accesses);
    v.back = mem_calloc((size_t)n * n + 1, sizeof *v.back);
    v.edge = mem_calloc((size_t)n * n + 1, sizeof *v.edge);
    for (uint32_t i = 0; i < n; i++) {
        footprint_init(&v.footprints[i], p, p->functions.at[i]);
        access_init(&v.accesses[i], p, p->functions.at[i]);
    }
    if (!proof_is_able(p, isolation, v.footprints, out))
        out->end = PROOF_UNABLE;
    else
        prove(&v);
    proof_name_loop(p, v.footprints, out);
    for (uint32_t i = 0; i < n; i++) {
        footprint_free(&v.footprints[i]);
        access_free(&v.accesses[i]);
    }
    mem_free(v.footprints);
    mem_free(v.accesses);
    mem_free(v.back);
    mem_free(v.edge);
    return !v.failed;
}

/* proof.c -- see proof.h.
 *
 * SPDX-License-Identifier: MIT */
#include "prove/robust/proof/proof.h"

#include "prove/robust/proof/pieces.h"

#include <string.h>

/* Whether b may depend on a, by tables and columns alone. */
static bool
may_depend(const struct prover *v, uint32_t a, uint32_t b)
{
    const struct access *x = &v->accesses[a], *y = &v->accesses[b];
    if (access_reads_from(v->program, y, x) ||
        access_reads_from(v->program, x, y))
        return true;
    for (uint32_t i = 0; i < v->program->tables.n; i++)
        if (x->writes[i] & y->writes[i])
            return true;
    return false;
}

/* Whether P, which depends on what x overwrites and overwrites what y has read,
 * is a pivot that PostgreSQL refuses: see isolation.h. */
static bool
is_refused(const struct prover *v, uint32_t p, uint32_t x, uint32_t y)
{
    return isolation_of(v->isolation, p) == LEVEL_SER &&
           isolation_of(v->isolation, x) == LEVEL_SER &&
           isolation_of(v->isolation, y) == LEVEL_SER;
}

/* The relations of one P. */
struct relations {
    bool *first, *last; // of each function
};

static bool
candidate(struct prover *v, enum proof_end end, uint32_t p, uint32_t x,
          uint32_t y)
{
    v->out->end = end;
    v->out->p = p;
    v->out->x = x;
    v->out->y = y;
    return false;
}

/* Cycles of P with one or two others. */
static bool
refute_short(struct prover *v, uint32_t p, const struct relations *r)
{
    const uint32_t n = (uint32_t)v->program->functions.n;
    for (uint32_t x = 0; x < n; x++)
        if (r->first[x] && r->last[x] && !is_refused(v, p, x, x) &&
            piece_can_be(v, p, x, UINT32_MAX, PIECE_FIRST | PIECE_LAST))
            return candidate(v, PROOF_CANDIDATE, p, x, UINT32_MAX);
    for (uint32_t x = 0; x < n; x++)
        for (uint32_t y = 0; y < n; y++)
            if (r->first[x] && r->last[y] && !is_refused(v, p, x, y) &&
                may_depend(v, x, y) &&
                piece_can_be(v, p, x, y,
                             PIECE_FIRST | PIECE_MIDDLE | PIECE_LAST))
                return candidate(v, PROOF_CANDIDATE, p, x, y);
    return true;
}

/* Longer cycles: the first edge and one more, any number of edges, one more
 * and the last edge.  Those that begin with a serializable X are looked at for
 * themselves. */
static bool
refute_long_from(struct prover *v, uint32_t p, const struct relations *r,
                 bool serializable)
{
    const uint32_t n = (uint32_t)v->program->functions.n;
    bool *reached = mem_calloc(n + 1, sizeof *reached);
    bool ok = true, more = true;
    uint32_t from = 0;
    for (uint32_t x = 0; x < n; x++)
        for (uint32_t z = 0; z < n; z++)
            if (r->first[x] && is_refused(v, p, x, x) == serializable &&
                !reached[z] && may_depend(v, x, z) &&
                piece_can_be(v, p, x, z, PIECE_FIRST | PIECE_MIDDLE)) {
                reached[z] = true;
                from = x;
            }
    while (more) {
        more = false;
        for (uint32_t a = 0; a < n; a++)
            for (uint32_t b = 0; b < n; b++)
                if (reached[a] && !reached[b] && may_depend(v, a, b) &&
                    piece_can_be(v, p, a, b, PIECE_MIDDLE))
                    reached[b] = more = true;
    }
    for (uint32_t w = 0; ok && w < n; w++)
        for (uint32_t y = 0; ok && y < n; y++)
            if (reached[w] && r->last[y] &&
                !(serializable && is_refused(v, p, y, y)) &&
                may_depend(v, w, y) &&
                piece_can_be(v, p, w, y, PIECE_MIDDLE | PIECE_LAST))
                ok = candidate(v, PROOF_LONG, p, from, y);
    mem_free(reached);
    return ok;
}

/* The second member of a cycle, and all that can follow it, with their
 * arguments as far as facts know them. */
static void
follow(struct prover *v, uint32_t p, const struct relations *r,
       bool serializable, struct facts *facts)
{
    const uint32_t n = (uint32_t)v->program->functions.n;
    bool more = true;
    for (uint32_t x = 0; x < n; x++)
        for (uint32_t z = 0; z < n; z++) {
            v->told = &facts[z];
            while (r->first[x] && is_refused(v, p, x, x) == serializable &&
                   may_depend(v, x, z) && !facts_are_all(v->told) &&
                   piece_can_be(v, p, x, z, PIECE_FIRST | PIECE_MIDDLE))
                ;
        }
    while (more) {
        more = false;
        for (uint32_t a = 0; a < n; a++)
            for (uint32_t b = 0; b < n; b++) {
                v->known = &facts[a];
                v->told = &facts[b];
                while (facts[a].any && may_depend(v, a, b) &&
                       !facts_are_all(v->told) &&
                       piece_can_be(v, p, a, b, PIECE_MIDDLE))
                    more = true;
            }
    }
    v->known = v->told = NULL;
}

/* The same as refute_long_from, but arguments are not forgotten. */
static bool
refute_by_arguments(struct prover *v, uint32_t p, const struct relations *r,
                    bool serializable)
{
    const uint32_t n = (uint32_t)v->program->functions.n;
    struct function *const *functions = v->program->functions.at;
    struct facts *facts = mem_calloc(n + 1, sizeof *facts);
    bool ok = true;
    for (uint32_t i = 0; i < n; i++)
        facts_init(&facts[i], v->program, functions[p], functions[i]);
    follow(v, p, r, serializable, facts);
    for (uint32_t w = 0; ok && w < n; w++)
        for (uint32_t y = 0; ok && y < n; y++) {
            v->known = &facts[w];
            ok = !(facts[w].any && r->last[y] &&
                   !(serializable && is_refused(v, p, y, y)) &&
                   may_depend(v, w, y) &&
                   piece_can_be(v, p, w, y, PIECE_MIDDLE | PIECE_LAST));
        }
    v->known = NULL;
    for (uint32_t i = 0; i < n; i++)
        facts_free(&facts[i]);
    mem_free(facts);
    if (ok)
        v->out->end = PROOF_DONE;
    return ok;
}

/* Whether P's first and last edge exclude each other: the first member of a
 * cycle runs before the last one, with anything between them.  A transaction
 * that is one statement about rows that it names has no such pair at rc: it
 * reads a row either before it waits or after. */
static bool
refute_ends(struct prover *v, uint32_t p, const struct relations *r)
{
    const uint32_t n = (uint32_t)v->program->functions.n;
    for (uint32_t x = 0; x < n; x++)
        for (uint32_t y = 0; y < n; y++)
            if (r->first[x] && r->last[y] && !is_refused(v, p, x, y) &&
                piece_can_be(v, p, x, y, PIECE_FIRST | PIECE_LAST))
                return false;
    v->out->end = PROOF_DONE;
    return true;
}

static bool
refute_long(struct prover *v, uint32_t p, const struct relations *r)
{
    for (int serializable = 0; serializable < 2; serializable++)
        if (!refute_long_from(v, p, r, serializable) &&
            !refute_by_arguments(v, p, r, serializable))
            return refute_ends(v, p, r);
    return true;
}

/* Whether no cycle goes through P, interrupted where v->split says; otherwise
 * there is a candidate. */
static bool
refute_cycles(struct prover *v, uint32_t p)
{
    const uint32_t n = (uint32_t)v->program->functions.n;
    struct relations r = {0};
    r.first = mem_calloc(n + 1, sizeof *r.first);
    r.last = mem_calloc(n + 1, sizeof *r.last);
    bool any_first = false, any_last = false;
    const struct access *a = v->accesses;
    for (uint32_t x = 0; x < n; x++) {
        r.first[x] = !isolation_is_paired(v->isolation, p, x) &&
                     access_reads_from(v->program, &a[p], &a[x]) &&
                     piece_can_be(v, p, x, UINT32_MAX, PIECE_FIRST);
        any_first = any_first || r.first[x];
    }
    for (uint32_t y = 0; any_first && y < n; y++) {
        r.last[y] =
            !isolation_is_paired(v->isolation, p, y) &&
            (v->level == LEVEL_SI &&
                     !access_makes_room(v->program, v->program->functions.at[y])
                 ? access_reads_from(v->program, &a[y], &a[p])
                 : may_depend(v, y, p)) &&
            piece_can_be(v, p, y, UINT32_MAX, PIECE_LAST);
        any_last = any_last || r.last[y];
    }
    const bool ok = !any_first || !any_last ||
                    (refute_short(v, p, &r) && refute_long(v, p, &r));
    mem_free(r.first);
    mem_free(r.last);
    return ok;
}

bool
proof_is_able(const struct program *p, const struct level_choice *isolation,
              const struct footprint *footprints, struct robust_proof *out)
{
    for (uint32_t i = 0; i < p->functions.n; i++) {
        const struct footprint *f = &footprints[i];
        const bool mixed = isolation_of(isolation, i) == LEVEL_RC && f->mixed;
        const struct function *function = p->functions.at[i];
        if (!mixed && !function->partial)
            continue;
        out->end = PROOF_UNABLE;
        if (function->partial) {
            out->p = i;
            out->line = function->partial_line;
            out->what = function->partial;
            return false;
        }
        out->p = i;
        out->line = f->mixed;
        out->what = "a write or lock with a subquery, or a lock of a join";
        return false;
    }
    return true;
}

void
proof_name_loop(const struct program *p, const struct footprint *footprints,
                struct robust_proof *out)
{
    if (out->end != PROOF_CANDIDATE && out->end != PROOF_LONG)
        return;
    const uint32_t members[] = {out->p, out->x, out->y};
    for (size_t i = 0; i < 3 && !out->what; i++) {
        if (members[i] == UINT32_MAX || !footprints[members[i]].repeats)
            continue;
        out->line = footprints[members[i]].repeats;
        out->what = p->functions.at[members[i]]->name;
    }
}

bool
proof_try(const struct program *p, const struct level_choice *isolation,
          const struct search_limits *limits, struct robust_proof *out,
          struct err *err)
{
    memset(out, 0, sizeof *out);
    struct prover v = {.program = p,
                       .isolation = isolation,
                       .limits = limits,
                       .out = out,
                       .err = err};
    const size_t n = p->functions.n;
    v.lemmas = lemmas_find(p);
    v.footprints = mem_calloc(n + 1, sizeof *v.footprints);
    v.accesses = mem_calloc(n + 1, sizeof *v.accesses);
    for (size_t i = 0; i < n; i++) {
        footprint_init(&v.footprints[i], p, p->functions.at[i]);
        access_init(&v.accesses[i], p, p->functions.at[i]);
    }
    bool going = proof_is_able(p, isolation, v.footprints, out);
    if (going && !lemmas_ask(p, limits, v.lemmas, err))
        v.failed = true;
    going = going && !v.failed;
    for (uint32_t i = 0; going && i < n; i++) {
        assert(isolation_shape(isolation, i) != SHAPE_VISIBLE);
        v.level = isolation_of(isolation, i);
        if (v.level == LEVEL_SER)
            v.level = LEVEL_SI;
        // The pieces of a long cycle have P interrupted at the same place.
        const uint32_t last =
            v.level == LEVEL_RC ? sym_steps(p, &p->functions.at[i]->body) : 0;
        for (v.split = 0; going && v.split <= last; v.split++)
            going = refute_cycles(&v, i);
    }
    if (going && !v.failed)
        out->end = PROOF_DONE;
    proof_name_loop(p, v.footprints, out);
    for (size_t i = 0; i < n; i++) {
        footprint_free(&v.footprints[i]);
        access_free(&v.accesses[i]);
    }
    mem_free(v.footprints);
    mem_free(v.accesses);
    mem_free(v.lemmas);
    return !v.failed;
}

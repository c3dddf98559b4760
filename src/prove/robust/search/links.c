/* links.c -- see links.h.
 *
 * SPDX-License-Identifier: MIT */
#include "prove/robust/search/links.h"

#include "prove/robust/proof/pieces.h"

enum { MOST_SECONDS = 5 }; // of a question: in doubt, the link is there

enum link { LINK_OPEN, LINK_YES, LINK_NO };

struct links {
    struct prover prover;
    struct search_limits limits;
    struct robust_proof counts;
    uint32_t n;
    // What was asked, by P, X and Y (n: none), for each set of pieces.
    unsigned char *asked[PIECE_FIRST + PIECE_MIDDLE + PIECE_LAST + 1];
};

struct links *
links_new(const struct anomaly_search *search, uint32_t rows, struct err *err)
{
    const struct program *p = search->program;
    struct links *l = mem_calloc(1, sizeof *l);
    assert(rows > 0);
    l->n = (uint32_t)p->functions.n;
    l->limits = *search->limits;
    l->limits.log = NULL;
    if (l->limits.seconds > MOST_SECONDS)
        l->limits.seconds = MOST_SECONDS;
    l->prover = (struct prover){.program = p,
                                .isolation = search->isolation,
                                .limits = &l->limits,
                                .lemmas = lemmas_find(p),
                                .out = &l->counts,
                                .err = err,
                                .rows = rows};
    for (size_t i = 0; i < sizeof l->asked / sizeof *l->asked; i++)
        l->asked[i] = mem_calloc((size_t)l->n * l->n * (l->n + 1) + 1, 1);
    return l;
}

void
links_free(struct links *l)
{
    if (!l)
        return;
    for (size_t i = 0; i < sizeof l->asked / sizeof *l->asked; i++)
        mem_free(l->asked[i]);
    mem_free(l->prover.lemmas);
    mem_free(l);
}

bool
links_failed(const struct links *l)
{
    return l->prover.failed;
}

static bool
can_be(struct links *l, uint32_t p, uint32_t x, uint32_t y, uint32_t pieces)
{
    assert(p < l->n && x < l->n && y <= l->n);
    unsigned char *known =
        &l->asked[pieces][((size_t)p * l->n + x) * (l->n + 1) + y];
    if (*known == LINK_OPEN) {
        const enum level level = isolation_of(l->prover.isolation, p);
        l->prover.level = level == LEVEL_SER ? LEVEL_SI : level;
        *known =
            piece_can_be(&l->prover, p, x, y == l->n ? UINT32_MAX : y, pieces)
                ? LINK_YES
                : LINK_NO;
    }
    return *known == LINK_YES;
}

bool
links_connect(struct links *l, const uint32_t *at, uint32_t n)
{
    bool from[INTERLEAVING_MOST] = {true}, to[INTERLEAVING_MOST] = {true};
    assert(n >= 2 && n <= INTERLEAVING_MOST);
    for (uint32_t i = 1; i < n; i++) {
        from[i] = can_be(l, at[0], at[i], l->n, PIECE_FIRST);
        for (uint32_t j = 1; !from[i] && j < i; j++)
            from[i] = can_be(l, at[0], at[j], at[i], PIECE_MIDDLE);
        if (!from[i])
            return false;
    }
    for (uint32_t i = n - 1; i > 0; i--) {
        to[i] = can_be(l, at[0], at[i], l->n, PIECE_LAST);
        for (uint32_t j = i + 1; !to[i] && j < n; j++)
            to[i] = can_be(l, at[0], at[i], at[j], PIECE_MIDDLE);
        if (!to[i])
            return false;
    }
    return true;
}

bool
links_chain(struct links *l, const uint32_t *at, uint32_t n)
{
    assert(n >= 3 && n <= INTERLEAVING_MOST);
    if (!can_be(l, at[0], at[1], l->n, PIECE_FIRST) ||
        !can_be(l, at[0], at[n - 1], l->n, PIECE_LAST) ||
        !can_be(l, at[0], at[1], at[2], PIECE_FIRST | PIECE_MIDDLE))
        return false;
    for (uint32_t i = 2; i + 2 < n; i++)
        if (!can_be(l, at[0], at[i], at[i + 1], PIECE_MIDDLE))
            return false;
    return can_be(l, at[0], at[n - 2], at[n - 1], PIECE_MIDDLE | PIECE_LAST);
}

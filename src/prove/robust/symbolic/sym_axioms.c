/* sym_axioms.c -- see sym_axioms.h.
 *
 * SPDX-License-Identifier: MIT */
#include "prove/robust/symbolic/sym_axioms.h"

static term
evaluate(struct terms *t, const struct axioms *a, uint32_t node,
         const struct sym_relations *r, const uint32_t *choice)
{
    const struct axiom_node *n = &a->nodes.at[node];
    const uint32_t x = choice[n->x], y = choice[n->y];
    const bool one = n->kind >= AXIOM_NOT, two = n->kind >= AXIOM_AND;
    const term p = one ? evaluate(t, a, n->arg[0], r, choice) : t->yes;
    const term q = two ? evaluate(t, a, n->arg[1], r, choice) : t->yes;
    switch (n->kind) {
    case AXIOM_TRUE:
        return t->yes;
    case AXIOM_VIS:
        return r->vis[y][x];
    case AXIOM_AR:
        return r->before[y][x];
    case AXIOM_SO:
        return r->so[y][x];
    case AXIOM_CONFLICT:
        return r->conflict[y][x];
    case AXIOM_WW:
        return r->ww[y][x];
    case AXIOM_SAME:
        return x == y ? t->yes : t->no;
    case AXIOM_NOT:
        return term_not(t, p);
    case AXIOM_AND:
        return term_and(t, p, q);
    case AXIOM_OR:
        return term_or(t, p, q);
    case AXIOM_IMPLIES:
        return term_implies(t, p, q);
    }
    return t->yes;
}

void
sym_axioms(struct terms *t, const struct axioms *a,
           const struct sym_relations *r)
{
    for (size_t i = 0; i < a->all.n; i++) {
        uint32_t choice[AXIOM_VARIABLES] = {0};
        do
            term_assert(t, evaluate(t, a, a->all.at[i].root, r, choice));
        while (axiom_next(&a->all.at[i], r->n, choice));
    }
}

/* a and b, of which neither is c, are in c's session: then in each other's. */
static void
join(struct terms *t, const struct sym_relations *r, uint32_t a, uint32_t b,
     uint32_t c)
{
    const term from =
        term_and(t, r->so[b][a], term_and(t, r->so[c][a], r->before[c][b]));
    const term to =
        term_and(t, r->so[c][a], term_and(t, r->so[c][b], r->before[b][a]));
    const term through = term_and(t, r->so[b][a], r->so[c][b]);
    term_assert(t, term_implies(t, from, r->so[c][b]));
    term_assert(t, term_implies(t, to, r->so[b][a]));
    term_assert(t, term_implies(t, through, r->so[c][a]));
}

void
sym_sessions(struct terms *t, struct sym_relations *r)
{
    for (uint32_t a = 0; a < r->n; a++)
        for (uint32_t b = 0; b < r->n; b++) {
            r->so[b][a] = a == b || r->before[b][a] == t->no
                              ? t->no
                              : term_fresh(t, "so", true);
            term_assert(t, term_implies(t, r->so[b][a], r->before[b][a]));
        }
    for (uint32_t a = 0; a < r->n; a++)
        for (uint32_t b = 0; b < r->n; b++)
            for (uint32_t c = 0; c < r->n; c++)
                if (a != b && b != c && a != c)
                    join(t, r, a, b, c);
}

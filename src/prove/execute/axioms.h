/* axioms.h -- a level of the user's own, as formulas.
 *
 * One formula a line, about any transactions a, b, c and d:
 *
 *     vis(a, b) and vis(b, c) => vis(a, c)     # causal
 *     conflict(a, b) and ar(a, b) => vis(a, b) # no lost updates
 *
 * vis(a, b): b sees a.  ar(a, b): a commits before b.  so(a, b): a comes before
 * b in their session.  conflict(a, b): what a did would make b fail at
 * REPEATABLE READ if b did not see it.  ww(a, b): both set the same column of a
 * row, or insert or delete it.  'not', 'and', 'or', '=>', '=', 'true', 'false'
 * and parentheses; '=>' binds weakest, and to the right.  Whatever is seen or
 * comes first in a session commits first; a level need not say so.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PROVE_EXECUTE_AXIOMS_H
#define PROVE_EXECUTE_AXIOMS_H

#include "base/container/vec.h"
#include "base/err.h"

enum { AXIOM_VARIABLES = 4, AXIOM_DEPTH = 40 };

enum axiom_kind {
    AXIOM_TRUE,
    AXIOM_VIS,
    AXIOM_AR,
    AXIOM_SO,
    AXIOM_CONFLICT,
    AXIOM_WW,
    AXIOM_SAME,
    AXIOM_NOT,
    AXIOM_AND,
    AXIOM_OR,
    AXIOM_IMPLIES,
};

struct axiom_node {
    enum axiom_kind kind;
    uint32_t x, y;   // variables
    uint32_t arg[2]; // nodes
};

struct axiom {
    uint32_t root;
    uint32_t variables; // how many there are
};

struct axioms {
    VEC(struct axiom_node) nodes;
    VEC(struct axiom) all;
};

/* Parse the text of a file; to be freed in any case.
 *
 *   error  ERR_SYNTAX with line and column */
bool axioms_parse(const char *text, size_t len, struct axioms *out,
                  struct err *err);
void axioms_free(struct axioms *a);

/* Relations among members, as bits: bit j of vis[i]: i sees j, of so[i]: j
 * comes before i in their session, of conflict[i]: j makes i fail, of ww[i]:
 * both write a column.  Members stand in the order of their commits. */
struct axiom_world {
    uint32_t n;
    const uint32_t *vis, *so, *conflict, *ww;
};

/* Whether all axioms hold of all members. */
bool axioms_hold(const struct axioms *a, const struct axiom_world *w);

/* Whether they imply that of two members that conflict one sees the other. */
bool axioms_mind_conflicts(const struct axioms *a);

/* Count through the choices of members for an axiom's variables, all 0 at
 * first; false behind the last. */
bool axiom_next(const struct axiom *a, uint32_t members,
                uint32_t choice[AXIOM_VARIABLES]);

#endif

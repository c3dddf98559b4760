/* oracle.c -- see oracle.h.
 *
 * SPDX-License-Identifier: MIT */
#include "oracle.h"

static bool
is_large(const struct record *r)
{
    return r->txns.n > VIEW_TXNS || r->keys.n > VIEW_KEYS ||
           r->ops.n > ORACLE_OPS;
}

enum oracle_answer
oracle(const struct record *r, enum level l)
{
    if (is_large(r))
        return ORACLE_TOO_LONG;
    struct view v;
    view_make(r, l == LEVEL_SER || l == LEVEL_STRICT_SER, &v);
    const enum oracle_answer answer = v.impossible ? ORACLE_VIOLATED
                                      : l <= LEVEL_CC || l == LEVEL_PSI
                                          ? oracle_choose(&v, l, false)
                                          : oracle_run(&v, l);
    view_free(&v);
    return answer;
}

enum oracle_answer
oracle_by_axiom(const struct record *r, enum level l)
{
    assert(l >= LEVEL_RC && l <= LEVEL_SER && l != LEVEL_PSI);
    if (is_large(r))
        return ORACLE_TOO_LONG;
    struct view v;
    view_make(r, l == LEVEL_SER || l == LEVEL_STRICT_SER, &v);
    const enum oracle_answer answer =
        v.impossible ? ORACLE_VIOLATED : oracle_choose(&v, l, true);
    view_free(&v);
    return answer;
}

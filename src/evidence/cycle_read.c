/* cycle_read.c -- see cycle_read.h.
 *
 * SPDX-License-Identifier: MIT */
#include "evidence/cycle_read.h"

#include "evidence/certificate_names.h"

static bool
read_edge(struct lexer *l, struct cycle *cycle)
{
    struct cycle_edge e = {.path_first = (uint32_t)cycle->path.n};
    size_t kind;
    if (!lexer_next_line(l))
        return false;
    if (!lexer_take(l, "edge") ||
        !lexer_take_name(l, edge_names, LENGTH(edge_names), &kind) ||
        !lexer_take_txn(l, MAY_BE_INIT, &e.from) ||
        !lexer_take_txn(l, MAY_BE_INIT, &e.to) ||
        !lexer_take_op(l, MAY_BE_NONE, &e.read) ||
        !lexer_take_op(l, MAY_BE_NONE, &e.premise))
        return lexer_expected(l, "an edge");
    e.kind = (enum edge_kind)kind;
    while (!lexer_at_end(l)) {
        txn_id t;
        if (!lexer_take_txn(l, 0, &t))
            return lexer_expected(l, "a transaction of the path");
        vec_push(&cycle->path, t);
    }
    capacity_want(CAPACITY_PATHS, cycle->path.n);
    e.path_n = (uint32_t)cycle->path.n - e.path_first;
    if (!e.path_n)
        e.path_first = 0;
    vec_push(&cycle->edges, e);
    return true;
}

bool
cycle_read_edges(struct lexer *l, uint64_t n, struct cycle *cycle)
{
    for (uint64_t i = 0; i < n; i++)
        if (!read_edge(l, cycle))
            return false;
    return true;
}

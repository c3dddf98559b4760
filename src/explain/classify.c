/* classify.c -- see classify.h.
 *
 * The history has been reduced until nothing can be taken out, so the cycle
 * has no accidental edges and its pattern is the anomaly.  First counts the
 * number of rw, then what lies between them:
 *
 *   none         ww only (with so): dirty write; else circular information flow
 *   one, r -> w  the way back from w to r shows why r should have seen w:
 *                  wr          r saw w elsewhere: the same key is a
 *                              non-repeatable read, or a phantom read, if it
 *                              is a row that a search did not find; w's newer
 *                              value first and the older later a fractured
 *                              read; the other way round a read skew
 *                  so          r's own session wrote it: read your writes
 *                  wr so       r's session had seen it: non-monotonic read, if
 *                              it was the same key
 *                  so wr       r saw a later write of that session: monotonic
 *                              writes
 *                  so, wr only r saw something that depends on it: causality
 *                  ww          r overwrote it unseen: lost update
 *                  time        it was over before r began: stale read
 *   two          each way back so and wr only: long fork; one after the other,
 *                between two transactions: write skew, or lost update if both
 *                read the same version of the same key; after a transaction
 *                without writes: read-only anomaly
 *   more         anti-dependency cycle
 *
 * With two rw or more, a phantom in place of a write skew or anti-dependency
 * cycle, if a query missed a row.  All registers of a row are one key here.
 *
 * SPDX-License-Identifier: MIT */
#include "explain/classify.h"

#include "history/row/row_text.h"

#include <string.h>

struct counts {
    size_t so, wr, ww, rw, time;
};

static struct counts
count(const struct dep *d, size_t n)
{
    struct counts c = {0};
    for (size_t i = 0; i < n; i++) {
        c.so += d[i].kind == EDGE_SO;
        c.wr += d[i].kind == EDGE_WR;
        c.ww += d[i].kind == EDGE_WW;
        c.rw += d[i].kind == EDGE_RW;
        c.time += d[i].kind == EDGE_TIME;
    }
    return c;
}

static void
rotate(struct dep *d, size_t n)
{
    const struct dep first = d[0];
    memmove(d, d + 1, (n - 1) * sizeof *d);
    d[n - 1] = first;
}

void
classify_turn(struct dep *d, size_t n)
{
    // Before the first of several rw in a row; else at the smallest id, so
    // that equal cycles are shown alike.
    for (size_t i = 0; i < n; i++) {
        if (d[0].kind == EDGE_RW && d[n - 1].kind != EDGE_RW)
            return;
        rotate(d, n);
    }
    size_t best = 0;
    for (size_t i = 1; i < n; i++)
        if (d[i].from < d[best].from)
            best = i;
    while (best--)
        rotate(d, n);
}

/* Whether the keys are the same, or registers of one row. */
static bool
same_key(const struct history *h, key_id a, key_id b)
{
    if (a == b || !h->key_rows || a == ID_NONE || b == ID_NONE)
        return a == b;
    return h->key_rows[a].row != ID_NONE &&
           h->key_rows[a].row == h->key_rows[b].row;
}

/* Whether an rw is of a row that a query did not return. */
static bool
misses_row(const struct history *h, const struct dep *d, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (d[i].kind == EDGE_RW && row_text_condition(h, d[i].key))
            return true;
    return false;
}

static enum anomaly_kind
classify_one_miss(const struct history *h, const struct dep *d, size_t n,
                  struct counts c)
{
    const struct dep *miss = &d[0], *back = &d[1], *last = &d[n - 1];
    if (c.time)
        return c.ww ? ANOMALY_CYCLE : ANOMALY_STALE_READ;
    if (n == 2) {
        switch (back->kind) {
        case EDGE_WR:
            if (same_key(h, back->key, miss->key))
                return row_text_condition(h, back->key) ||
                               row_text_condition(h, miss->key)
                           ? ANOMALY_PHANTOM_READ
                           : ANOMALY_NON_REPEATABLE;
            return back->read < miss->read ? ANOMALY_FRACTURED
                                           : ANOMALY_READ_SKEW;
        case EDGE_SO:
            return ANOMALY_READ_YOUR_WRITES;
        default:
            return same_key(h, back->key, miss->key) ? ANOMALY_LOST_UPDATE
                                                     : ANOMALY_CYCLE;
        }
    }
    if (n == 3 && back->kind == EDGE_WR && last->kind == EDGE_SO)
        return same_key(h, back->key, miss->key) ? ANOMALY_NON_MONOTONIC
                                                 : ANOMALY_CAUSALITY;
    if (n == 3 && back->kind == EDGE_SO && last->kind == EDGE_WR)
        return ANOMALY_MONOTONIC_WRITE;
    if (!c.ww)
        return ANOMALY_CAUSALITY;
    return last->kind == EDGE_WR ? ANOMALY_READ_SKEW : ANOMALY_CYCLE;
}

static bool
writes_something(const struct history *h, txn_id t)
{
    for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++)
        if (op_is_write(h, op))
            return true;
    return false;
}

static enum anomaly_kind
classify_misses(const struct history *h, const struct dep *d, size_t n,
                struct counts c)
{
    const enum anomaly_kind g2 =
        misses_row(h, d, n) ? ANOMALY_PHANTOM : ANOMALY_G2_ITEM;
    if (c.rw == 2 && n == 2) {
        if (!same_key(h, d[0].key, d[1].key))
            return g2 == ANOMALY_PHANTOM ? g2 : ANOMALY_WRITE_SKEW;
        return d[0].writer == d[1].writer ? ANOMALY_LOST_UPDATE : g2;
    }
    const bool adjacent = d[1].kind == EDGE_RW; // it was turned
    if (c.rw == 2 && !adjacent && !c.ww)
        return ANOMALY_LONG_FORK;
    if (c.rw == 2 && adjacent && d[n - 1].kind == EDGE_WR &&
        !writes_something(h, d[0].from))
        return ANOMALY_READ_ONLY;
    return g2;
}

/* The name of one cycle in h. */
static enum anomaly_kind
name_cycle(const struct history *h, const struct dep *cycle, size_t n)
{
    struct dep *d = mem_alloc(n, sizeof *d);
    memcpy(d, cycle, n * sizeof *d);
    classify_turn(d, n);
    const struct counts c = count(d, n);
    const enum anomaly_kind kind =
        c.rw == 0   ? (c.wr ? ANOMALY_CIRCULAR : ANOMALY_DIRTY_WRITE)
        : c.rw == 1 ? classify_one_miss(h, d, n, c)
                    : classify_misses(h, d, n, c);
    mem_free(d);
    return kind;
}

/* Whether step i shows a cycle with an rw. */
static bool
shows_miss(const struct refutation *r, size_t i)
{
    const struct refute_step *s = &r->steps.at[i];
    return s->needed && s->n && count(&r->cycles.at[s->first], s->n).rw;
}

enum anomaly_kind
classify_refutation(const struct history *h, const struct refutation *r,
                    uint32_t *step)
{
    const size_t last = r->steps.n - 1;
    const struct refute_step *end = &r->steps.at[last];
    bool cases = false;
    size_t best = end->n ? last : ID_NONE;
    for (size_t i = 0; i < last; i++)
        cases |= r->steps.at[i].needed && r->steps.at[i].kind == REFUTE_SUPPOSE;
    // A cycle without rw that rests on orders inferred from missed writes is
    // no circular flow; what was missed is the anomaly.  Where every answer to
    // a question fails by its own cycle, the subtlest of them is: it
    // has no simpler cause.
    enum anomaly_kind kind = ANOMALY_DIRTY_WRITE;
    if (end->n)
        kind = name_cycle(h, &r->cycles.at[end->first], end->n);
    if (!end->n || !shows_miss(r, last))
        for (size_t i = 0; i < last; i++) {
            const struct refute_step *s = &r->steps.at[i];
            if (!s->needed || !s->n || (end->n && !shows_miss(r, i)))
                continue;
            const enum anomaly_kind k =
                name_cycle(h, &r->cycles.at[s->first], s->n);
            if (k >= kind) {
                kind = k;
                best = i;
            }
        }
    assert(best != ID_NONE);
    *step = (uint32_t)best;
    return cases ? ANOMALY_CYCLE : kind;
}

void
classify_elle(const struct history *h, const struct dep *d, size_t n,
              struct buf *out)
{
    const struct counts c = count(d, n);
    bool adjacent = false;
    for (size_t i = 0; i < n; i++)
        adjacent |= d[i].kind == EDGE_RW && d[(i + 1) % n].kind == EDGE_RW;
    buf_text(out, c.rw == 0   ? (c.wr ? "G1c" : "G0")
                  : c.rw == 1 ? "G-single"
                  : adjacent  ? (misses_row(h, d, n) ? "G2" : "G2-item")
                              : "G-nonadjacent");
    if (c.time)
        buf_text(out, "-realtime");
    else if (c.so)
        buf_text(out, "-process");
}

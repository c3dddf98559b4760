/* forge_cycle.c -- cycles at rc, ra and cc that are none; see forge.h.
 *
 * A closed walk of two to four transactions, each edge of a kind that could
 * be, with a read, a premise or a path that could be.  Under choices, such
 * cycles are steps of a proof: what verify accepts of them is put together,
 * and must not contradict itself where the level holds.
 *
 * SPDX-License-Identifier: MIT */
#include "forge.h"

enum { CYCLES = 250, STEPS = 120, LONGEST = 4 };

struct walk {
    struct forger *f;
    struct cycle cycle;
    VEC(struct choice) assumed;
};

/* Note that a read is taken to be from w, where that is a choice. */
static void
assume(struct walk *w, op_id read, txn_id writer)
{
    if (read == ID_NONE || writer == TXN_NONE ||
        !history_has_several(&w->f->h, w->f->h.op_value[read]) ||
        forge_percent(w->f, 3))
        return;
    vec_push(&w->assumed, ((struct choice){read, writer}));
}

/* A path from e->from to t3, over transactions that could be. */
static void
draw_path(struct walk *w, struct cycle_edge *e, txn_id t3)
{
    struct forger *f = w->f;
    const struct history *h = &f->h;
    txn_id at = e->from;
    e->path_first = (uint32_t)w->cycle.path.n;
    vec_push(&w->cycle.path, at);
    for (int i = 0; i < 3 && at != t3; i++) {
        const txn_id next = i == 2 || forge_percent(f, 50) ? t3 : forge_txn(f);
        const bool so = at < next && h->txn_session[at] == h->txn_session[next];
        if (!so) {
            const op_id read = forge_read(f, next, at);
            assume(w, read, at);
        }
        vec_push(&w->cycle.path, next);
        at = next;
    }
    e->path_n = (uint32_t)w->cycle.path.n - e->path_first;
    if (forge_percent(f, 10)) // it begins or ends elsewhere
        w->cycle.path
            .at[forge_percent(f, 50) ? e->path_first : w->cycle.path.n - 1] =
            forge_txn(f);
}

/* A read by anybody of a key that e->from writes, from e->to. */
static void
draw_inferred(struct walk *w, struct cycle_edge *e, enum level l)
{
    struct forger *f = w->f;
    txn_id t3 = forge_txn(f);
    for (int i = 0; i < 20; i++) {
        t3 = forge_txn(f);
        e->read = forge_read(f, t3, e->to);
        if (e->read != ID_NONE &&
            (e->from == TXN_INIT ||
             forge_writes(f, e->from, op_key(&f->h, e->read), ID_NONE)))
            break;
    }
    assume(w, e->read, e->to);
    if (l == LEVEL_CC && e->from != TXN_INIT) {
        draw_path(w, e, t3);
    } else if (l == LEVEL_RC || forge_percent(f, 50)) {
        e->premise = e->from == TXN_INIT ? ID_NONE : forge_read(f, t3, e->from);
        assume(w, e->premise, e->from);
    }
}

/* An edge that could be, or not. */
static struct cycle_edge
draw_edge(struct walk *w, txn_id from, txn_id to, enum level l)
{
    static const enum edge_kind kinds[] = {EDGE_SO, EDGE_WR,  EDGE_WW,
                                           EDGE_CO, EDGE_CO,  EDGE_CO,
                                           EDGE_RW, EDGE_TIME};
    struct forger *f = w->f;
    struct cycle_edge e = {.from = from,
                           .to = to,
                           .kind = kinds[forge_below(f, 8)],
                           .read = ID_NONE,
                           .premise = ID_NONE};
    if (e.kind == EDGE_WR && to != TXN_INIT) {
        e.read = forge_read(f, to, from);
        assume(w, e.read, from);
    } else if (e.kind == EDGE_CO) {
        draw_inferred(w, &e, l);
    }
    return e;
}

/* Whether an edge looks right at first sight. */
static bool
is_likely(const struct forger *f, const struct cycle_edge *e)
{
    const struct history *h = &f->h;
    switch (e->kind) {
    case EDGE_SO:
        return e->from == TXN_INIT ||
               (e->to != TXN_INIT && e->from < e->to &&
                h->txn_session[e->from] == h->txn_session[e->to]);
    case EDGE_WR:
        return e->read != ID_NONE && e->from != TXN_INIT &&
               forge_writes(f, e->from, op_key(h, e->read),
                            h->op_value[e->read]);
    case EDGE_CO:
        return e->from != TXN_INIT && e->read != ID_NONE &&
               forge_writes(f, e->from, op_key(h, e->read), ID_NONE) &&
               forge_writes(f, e->to, op_key(h, e->read),
                            e->to == TXN_INIT ? ID_NONE : h->op_value[e->read]);
    case EDGE_WW:
        return h->key_is_list && e->from != TXN_INIT && e->to != TXN_INIT;
    default:
        return false;
    }
}

static void
draw_walk(struct walk *w, enum level l)
{
    struct forger *f = w->f;
    const uint32_t n = 2 + forge_below(f, LONGEST - 1);
    txn_id at[LONGEST];
    for (uint32_t i = 0; i < n; i++)
        at[i] = forge_percent(f, 10) ? TXN_INIT : forge_txn(f);
    // All edges look right, or all but one.
    const uint32_t doubtful = forge_percent(f, 50) ? n : forge_below(f, n);
    for (uint32_t i = 0; i < n; i++)
        for (int j = 0; j < 30; j++) {
            const size_t assumed = w->assumed.n, path = w->cycle.path.n;
            const struct cycle_edge e = draw_edge(w, at[i], at[(i + 1) % n], l);
            if (i == doubtful || j == 29 || is_likely(f, &e)) {
                vec_push(&w->cycle.edges, e);
                break;
            }
            w->assumed.n = assumed;
            w->cycle.path.n = path;
            if (i + 1 < n && j % 5 == 4)
                at[i + 1] = forge_txn(f);
        }
    if (forge_percent(f, 2))
        w->cycle.edges.n--; // it does not close
}

static void
free_walk(struct walk *w)
{
    cycle_free(&w->cycle);
    vec_free(&w->assumed);
}

/* The walk as a step of a proof. */
static void
put_step(const struct walk *w, struct buf *out)
{
    static const char *const names[] = {"so",   "wr",     "ww", "rw",
                                        "time", "commit", "co"};
    buf_printf(out, "weak-cycle %zu", w->cycle.edges.n);
    for (size_t i = 0; i < w->assumed.n; i++) {
        buf_text(out, " not-choice");
        forge_put_id(out, w->assumed.at[i].read);
        forge_put_id(out, w->assumed.at[i].writer);
    }
    for (size_t i = 0; i < w->cycle.edges.n; i++) {
        const struct cycle_edge *e = &w->cycle.edges.at[i];
        buf_printf(out, "\nedge %s", names[e->kind]);
        forge_put_id(out, e->from);
        forge_put_id(out, e->to);
        forge_put_id(out, e->read);
        forge_put_id(out, e->premise);
        for (uint32_t j = 0; j < e->path_n; j++)
            forge_put_id(out, w->cycle.path.at[e->path_first + j]);
    }
}

/* Every choice as a fact. */
static void
learn_units(struct forger *f, struct forged_proof *p)
{
    const struct history *h = &f->h;
    VEC(char *) facts = {0};
    for (txn_id t = 0; t < h->n_txns; t++)
        if (h->txn_status[t] == TXN_INDETERMINATE) {
            struct buf fact = {0};
            buf_printf(&fact, "counts %u", t);
            vec_push(&facts, fact.at);
        }
    for (op_id op = 0; op < h->n_ops; op++)
        for (txn_id w = 0; w <= h->n_txns; w++) {
            const txn_id writer = w < h->n_txns ? w : TXN_INIT;
            if (op_is_write(h, op) ||
                !history_has_several(h, h->op_value[op]) ||
                !forge_writes(f, writer, op_key(h, op),
                              writer == TXN_INIT ? ID_NONE : h->op_value[op]))
                continue;
            struct buf fact = {0};
            buf_printf(&fact, "choice %u", op);
            forge_put_id(&fact, writer);
            vec_push(&facts, fact.at);
        }
    for (int round = 0; round < 2; round++)
        forge_units(f, p, (const char *const *)facts.at, facts.n);
    for (size_t i = 0; i < facts.n; i++)
        mem_free(facts.at[i]);
    vec_free(&facts);
}

void
forge_cycles(struct forger *f, enum level l)
{
    if (f->truth[l] != ORACLE_OK || !f->h.n_txns)
        return;
    struct certificate c = {
        .level = l, .verdict = VERDICT_VIOLATED, .kind = EVIDENCE_CYCLE};
    for (int i = 0; i < CYCLES && !f->lie.n; i++) {
        struct walk w = {.f = f};
        draw_walk(&w, l);
        c.cycle = w.cycle;
        forger_show(f, &c);
        free_walk(&w);
    }
    struct forged_proof p = {.level = l};
    forge_choices(f, &p);
    for (int i = 0; f->h.several.n && i < STEPS && !f->lie.n; i++) {
        struct walk w = {.f = f};
        struct buf text = {0};
        draw_walk(&w, l);
        put_step(&w, &text);
        forge_step(f, &p, text.at);
        buf_free(&text);
        free_walk(&w);
    }
    if (p.n)
        learn_units(f, &p);
    buf_free(&p.steps);
}

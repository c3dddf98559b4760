/* certificate_write.c -- see certificate_write.h.
 *
 * SPDX-License-Identifier: MIT */
#include "evidence/certificate_write.h"

#include "base/container/hash.h"
#include "base/limits/context.h"
#include "evidence/certificate_names.h"
#include "history/flaw_text.h"

/* --- fingerprint ----------------------------------------------------------*/

static uint64_t
mix_atom(uint64_t sum, const struct history *h, struct atom a)
{
    sum = hash_pair(sum, a.tag);
    if (!atom_is_text(a))
        return hash_pair(sum, a.bits);
    const struct string s = strings_get(&h->strings, (uint32_t)a.bits);
    return hash_pair(sum, hash_bytes(s.text, s.len));
}

uint64_t
certificate_fingerprint(const struct history *h)
{
    uint64_t sum = hash_pair(h->n_sessions, h->n_txns);
    sum = mix_atom(sum, h, h->initial);
    for (session_id s = 0; s < h->n_sessions; s++)
        sum = mix_atom(hash_pair(sum, h->session_first[s]), h,
                       h->session_name[s]);
    for (txn_id t = 0; t < h->n_txns; t++) {
        context_poll_at(t);
        sum = hash_pair(sum, h->txn_status[t]);
        if (h->txn_began)
            sum = hash_pair(hash_pair(sum, (uint64_t)h->txn_began[t]),
                            (uint64_t)h->txn_ended[t]);
        for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++)
            sum = hash_pair(sum, (uint64_t)h->op_value[op] << 32 |
                                     (h->op_key[op] & (OP_WRITE | OP_KEY)));
        sum = hash_pair(sum, h->txn_begin[t]);
    }
    for (key_id k = 0; k < h->n_keys; k++) {
        context_poll_at(k);
        sum = mix_atom(sum, h, history_key_atom(h, k));
    }
    for (value_id v = 1; v < h->n_values; v++) {
        context_poll_at(v);
        sum = mix_atom(sum, h, history_value_atom(h, v));
    }
    for (size_t i = 0; i < h->list_reads.n; i++) {
        const struct list_seen seen =
            history_list_seen(h, h->list_reads.at[i].op);
        sum = hash_pair(sum, seen.n);
        for (size_t j = 0; j < seen.n; j++)
            sum = hash_pair(sum, seen.at[j]);
    }
    return sum;
}

/* --- items ----------------------------------------------------------------*/

static void
put_id(struct buf *out, uint32_t id)
{
    buf_char(out, ' ');
    if (id == ID_NONE)
        buf_char(out, '-');
    else if (id == TXN_INIT)
        buf_text(out, "init");
    else if (id == TXN_UNCHOSEN)
        buf_char(out, '?');
    else
        buf_u64(out, id);
}

static void
put_order(const struct certificate *c, struct buf *out)
{
    for (size_t i = 0; i < c->order.n; i++) {
        context_poll_at(i);
        buf_text(out, "point");
        put_id(out, c->order.at[i]);
        buf_char(out, '\n');
    }
    for (size_t i = 0; i < c->choices.n; i++) {
        buf_text(out, "choice");
        put_id(out, c->choices.at[i].read);
        put_id(out, c->choices.at[i].writer);
        buf_char(out, '\n');
    }
}

static void
put_flaw(const struct flaw *f, struct buf *out)
{
    buf_text(out, "flaw ");
    buf_text(out, flaw_name(f->kind));
    put_id(out, f->txn);
    put_id(out, f->op);
    put_id(out, f->other);
    put_id(out, f->other_op);
    put_id(out, f->value);
    buf_char(out, '\n');
}

static void
put_cycle(const struct cycle *cycle, struct buf *out)
{
    for (size_t i = 0; i < cycle->edges.n; i++) {
        const struct cycle_edge *e = &cycle->edges.at[i];
        buf_text(out, "edge ");
        buf_text(out, edge_names[e->kind]);
        put_id(out, e->from);
        put_id(out, e->to);
        put_id(out, e->read);
        put_id(out, e->premise);
        for (uint32_t j = 0; j < e->path_n; j++)
            put_id(out, cycle->path.at[e->path_first + j]);
        buf_char(out, '\n');
    }
}

/* --- proofs ---------------------------------------------------------------*/

static void
put_lits(const struct proof *p, const struct proof_step *s, struct buf *out)
{
    for (uint32_t i = 0; i < s->n; i++) {
        const proof_lit l = p->lits.at[s->first + i];
        const struct fact f = p->facts.at[l / 2];
        buf_text(out, l & 1 ? " not-" : " ");
        buf_text(out, fact_names[f.kind]);
        put_id(out, f.a);
        if (f.kind != FACT_COUNTS)
            put_id(out, f.b);
    }
}

static void
put_links(const struct proof *p, const struct proof_step *s, struct buf *out)
{
    for (uint32_t i = 0; i < s->n; i++) {
        const struct proof_edge *e = &p->edges.at[s->first + i];
        buf_text(out, "link ");
        buf_text(out, edge_names[e->kind]);
        put_id(out, e->from);
        put_id(out, e->to);
        put_id(out, e->read);
        put_id(out, e->writer);
        buf_char(out, '\n');
    }
}

static void
put_step(const struct proof *p, const struct proof_step *s, struct buf *out)
{
    switch (s->kind) {
    case STEP_CHOICES:
        buf_text(out, "choices");
        put_id(out, s->read);
        break;
    case STEP_COUNTS:
        buf_text(out, "counts");
        put_id(out, s->read);
        put_id(out, s->writer);
        break;
    case STEP_AHEAD:
        buf_text(out, "ahead");
        put_id(out, s->read);
        put_id(out, s->writer);
        put_id(out, s->other);
        break;
    case STEP_CYCLE:
        buf_printf(out, "cycle %u", s->n);
        break;
    case STEP_WEAK_CYCLE:
        buf_printf(out, "weak-cycle %zu", p->cycles.at[s->cycle].edges.n);
        put_lits(p, s, out);
        break;
    case STEP_LEARNT:
        buf_text(out, "learnt");
        put_lits(p, s, out);
        break;
    }
    buf_char(out, '\n');
    if (s->kind == STEP_CYCLE)
        put_links(p, s, out);
    else if (s->kind == STEP_WEAK_CYCLE)
        put_cycle(&p->cycles.at[s->cycle], out);
}

static void
put_seen(const struct certificate *c, struct buf *out)
{
    if (!c->seen.n)
        return;
    buf_text(out, "seen");
    for (size_t i = 0; i < c->seen.n; i++)
        put_id(out, c->seen.at[i]);
    buf_char(out, '\n');
}

static void
put_branches(const struct certificate *c, struct buf *out)
{
    for (size_t i = 0; i < c->branches.n; i++) {
        buf_text(out, "branch");
        put_id(out, c->branches.at[i].row);
        put_id(out, c->branches.at[i].first);
        buf_char(out, '\n');
    }
}

/* All evidence but CASES. */
static void
put_evidence(const struct certificate *c, struct buf *out)
{
    put_seen(c, out);
    switch (c->kind) {
    case EVIDENCE_NONE:
    case EVIDENCE_CASES:
        break;
    case EVIDENCE_ORDER:
        buf_printf(out, "points %zu\n", c->order.n);
        put_order(c, out);
        break;
    case EVIDENCE_FLAW:
        put_flaw(&c->flaw, out);
        break;
    case EVIDENCE_CYCLE:
        buf_printf(out, "edges %zu\n", c->cycle.edges.n);
        put_cycle(&c->cycle, out);
        break;
    case EVIDENCE_PROOF:
        buf_printf(out, "steps %zu\n", c->proof->steps.n);
        for (size_t i = 0; i < c->proof->steps.n; i++)
            put_step(c->proof, &c->proof->steps.at[i], out);
        break;
    }
}

void
certificate_write(const struct history *h, const struct certificate *c,
                  struct buf *out)
{
    buf_printf(out,
               CERTIFICATE_MAGIC "\nhistory %016llx\nlevel %s\nverdict %s\n"
                                 "evidence %s\n",
               (unsigned long long)certificate_fingerprint(h),
               level_table[c->level].name, verdict_names[c->verdict],
               evidence_names[c->kind]);
    put_evidence(c, out);
    if (c->kind == EVIDENCE_CASES)
        buf_printf(out, "cases %zu\n", c->n_cases);
    for (size_t i = 0; i < c->n_cases; i++) {
        put_branches(&c->cases[i], out);
        buf_printf(out, "case %s\n", evidence_names[c->cases[i].kind]);
        put_evidence(&c->cases[i], out);
    }
    buf_text(out, "end\n");
}

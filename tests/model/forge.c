/* forge.c -- see forge.h.
 *
 * SPDX-License-Identifier: MIT */
#include "forge.h"

#include "evidence/certificate_read.h"
#include "evidence/certificate_write.h"
#include "verify/verify.h"

#include <string.h>

void
forger_init(struct forger *f, const struct record *r, uint64_t seed)
{
    *f = (struct forger){0};
    random_seed(&f->random, seed ^ UINT64_C(0xf0e6e5));
    record_build(r, &f->h);
    for (int l = 0; l < LEVELS; l++)
        if (r->times || !level_table[l].needs_times)
            f->truth[l] = oracle(r, (enum level)l);
}

void
forger_free(struct forger *f)
{
    history_free(&f->h);
    buf_free(&f->lie);
}

/* --- showing --------------------------------------------------------------*/

static enum belief
show_text(struct forger *f, const struct buf *text)
{
    struct certificate c;
    struct err err = {0};
    if (!certificate_read(&f->h, text->at, text->n, &c, &err))
        return REFUSED;
    f->tried[c.kind]++;
    enum belief belief = REFUSED;
    if (verify_certificate(&f->h, &c, &err))
        belief = BELIEVED;
    else if (strstr(err.text, "do not contradict each other"))
        belief = INCOMPLETE;
    const enum oracle_answer truth = f->truth[c.level];
    const bool lies = (c.verdict == VERDICT_OK && truth == ORACLE_VIOLATED) ||
                      (c.verdict == VERDICT_VIOLATED && truth == ORACLE_OK);
    if (belief == BELIEVED && lies && !f->lie.n)
        buf_add(&f->lie, text->at, text->n);
    certificate_free(&c);
    return belief;
}

/* Who is said to have appended what the lists show, where that is open. */
static void
draw_authors(struct forger *f, u32_vec *seen)
{
    for (size_t i = 0; i < f->h.authors.n; i++) {
        const struct list_author *a = &f->h.authors.at[i];
        vec_push(seen,
                 forge_percent(f, 95)
                     ? f->h.author_items.at[a->first + forge_below(f, a->n)]
                     : forge_txn(f));
    }
}

enum belief
forger_show(struct forger *f, const struct certificate *c)
{
    struct buf text = {0};
    struct certificate shown = *c;
    u32_vec seen = {0};
    if (!c->seen.n && c->kind != EVIDENCE_NONE && c->kind != EVIDENCE_CASES) {
        draw_authors(f, &seen);
        shown.seen = seen;
    }
    certificate_write(&f->h, &shown, &text);
    const enum belief belief = show_text(f, &text);
    buf_free(&text);
    vec_free(&seen);
    return belief;
}

/* --- drawing --------------------------------------------------------------*/

uint32_t
forge_below(struct forger *f, uint32_t n)
{
    return (uint32_t)random_below(&f->random, n);
}

bool
forge_percent(struct forger *f, uint32_t p)
{
    return forge_below(f, 100) < p;
}

txn_id
forge_txn(struct forger *f)
{
    return forge_below(f, f->h.n_txns);
}

op_id
forge_op(struct forger *f)
{
    return f->h.n_ops ? forge_below(f, f->h.n_ops) : ID_NONE;
}

txn_id
forge_owner(const struct forger *f, op_id op)
{
    for (txn_id t = 0; t < f->h.n_txns; t++)
        if (op >= f->h.txn_begin[t] && op < f->h.txn_end[t])
            return t;
    return TXN_NONE;
}

bool
forge_writes(const struct forger *f, txn_id t, key_id k, value_id v)
{
    if (t == TXN_INIT)
        return true;
    for (op_id op = f->h.txn_begin[t]; op < f->h.txn_end[t]; op++)
        if (op_is_write(&f->h, op) && op_key(&f->h, op) == k &&
            (v == ID_NONE || f->h.op_value[op] == v))
            return true;
    return false;
}

op_id
forge_read(struct forger *f, txn_id t, txn_id w)
{
    const struct history *h = &f->h;
    op_id fitting[64], any[64];
    uint32_t n_fitting = 0, n_any = 0;
    for (op_id op = h->txn_begin[t]; op < h->txn_end[t] && n_any < 64; op++) {
        if (op_is_write(h, op))
            continue;
        any[n_any++] = op;
        const value_id v = h->op_value[op];
        const bool initial = atom_equal(history_value_atom(h, v), h->initial);
        if (w == TXN_INIT ? initial : forge_writes(f, w, op_key(h, op), v))
            fitting[n_fitting++] = op;
    }
    if (n_fitting && forge_percent(f, 90))
        return fitting[forge_below(f, n_fitting)];
    return n_any ? any[forge_below(f, n_any)] : ID_NONE;
}

void
forge_put_id(struct buf *out, uint32_t id)
{
    if (id == ID_NONE)
        buf_text(out, " -");
    else if (id == TXN_INIT)
        buf_text(out, " init");
    else
        buf_printf(out, " %u", id);
}

/* --- proofs that grow -----------------------------------------------------*/

static enum belief
show_proof(struct forger *f, const struct forged_proof *p, const char *more)
{
    struct certificate none = {
        .level = p->level, .verdict = VERDICT_VIOLATED, .kind = EVIDENCE_NONE};
    struct buf text = {0};
    certificate_write(&f->h, &none, &text);
    text.n -= strlen("none\nend\n"); // what follows is written here
    buf_printf(&text, "proof\nsteps %u\n", p->n + 1);
    buf_add(&text, p->steps.at ? p->steps.at : "", p->steps.n);
    buf_printf(&text, "%s\nend\n", more);
    const enum belief belief = show_text(f, &text);
    buf_free(&text);
    return belief;
}

bool
forge_step(struct forger *f, struct forged_proof *p, const char *text)
{
    if (show_proof(f, p, text) != INCOMPLETE)
        return false;
    buf_text(&p->steps, text);
    buf_char(&p->steps, '\n');
    p->n++;
    f->steps++;
    return true;
}

void
forge_choices(struct forger *f, struct forged_proof *p)
{
    for (op_id op = 0; op < f->h.n_ops && !f->lie.n; op++) {
        struct buf text = {0};
        buf_printf(&text, "choices %u", op);
        forge_step(f, p, text.at);
        buf_clear(&text);
        const txn_id writer = forge_txn(f);
        if (f->h.txn_status[writer] == TXN_INDETERMINATE) {
            buf_printf(&text, "counts %u %u", op, writer);
            forge_step(f, p, text.at);
        }
        buf_free(&text);
    }
}

void
forge_units(struct forger *f, struct forged_proof *p, const char *const *facts,
            size_t n)
{
    for (size_t i = 0; i < n && !f->lie.n; i++)
        for (int negated = 0; negated < 2; negated++) {
            struct buf unit = {0};
            buf_printf(&unit, "learnt %s%s", negated ? "not-" : "", facts[i]);
            forge_step(f, p, unit.at);
            buf_free(&unit);
        }
}

/* forge_flaw.c -- reads that are fine, said to be inconsistent; see forge.h.
 *
 * Every read is blamed for every kind of flaw, with every operation as the
 * other one.
 *
 * SPDX-License-Identifier: MIT */
#include "forge.h"

enum { MOST_OPS = 48 };

/* What can have been wrong to see: the value, elements, anything. */
static value_id
draw_value(struct forger *f, op_id op)
{
    const struct list_seen seen = history_list_seen(&f->h, op);
    if (seen.n && forge_percent(f, 60))
        return seen.at[forge_below(f, (uint32_t)seen.n)];
    return forge_percent(f, 90) ? f->h.op_value[op]
                                : forge_below(f, f->h.n_values);
}

static void
blame(struct forger *f, enum level l, op_id op, op_id other)
{
    struct certificate c = {
        .level = l, .verdict = VERDICT_VIOLATED, .kind = EVIDENCE_FLAW};
    for (int kind = 0; kind < FLAW_KINDS && !f->lie.n; kind++) {
        c.flaw = (struct flaw){
            .kind = (enum flaw_kind)kind,
            .txn = forge_owner(f, op),
            .op = op,
            .other = other == ID_NONE ? TXN_NONE : forge_owner(f, other),
            .other_op = other,
            .value = draw_value(f, op)};
        if (forge_percent(f, 3))
            c.flaw.txn = forge_txn(f);
        if (forge_percent(f, 3))
            c.flaw.other = forge_txn(f);
        forger_show(f, &c);
    }
}

void
forge_flaws(struct forger *f, enum level l)
{
    if (f->truth[l] != ORACLE_OK || f->h.n_ops > MOST_OPS)
        return;
    for (op_id op = 0; op < f->h.n_ops; op++) {
        blame(f, l, op, ID_NONE);
        // Writes are no reads, but that is for verify to find out.
        const bool all = !op_is_write(&f->h, op);
        for (op_id other = 0; all && other < f->h.n_ops; other++)
            if (op_key(&f->h, op) == op_key(&f->h, other) ||
                forge_percent(f, 10))
                blame(f, l, op, other);
    }
}

/* verify.c -- which check a certificate needs; see verify.h.
 *
 * SPDX-License-Identifier: MIT */
#include "verify/verify.h"

#include "history/tested.h"
#include "verify/lists/verify_lists.h"
#include "verify/rows/verify_rows.h"
#include "verify/verify_cases.h"
#include "verify/verify_cycle.h"
#include "verify/verify_flaw.h"
#include "verify/verify_order.h"
#include "verify/verify_proof.h"
#include "verify/verify_psi.h"
#include "verify/verify_weak.h"

/* Read consistency holds: nothing was rejected, and lists agree. */
static bool
verify_reads(const struct history *h, struct err *err)
{
    flaw_vec none = {0};
    const size_t flaws = history_flaws(h, 0, &none);
    const size_t lost = history_lost_reads(h, 0, &none);
    vec_free(&none);
    if (flaws)
        return err_set(err, ERR_SYNTAX, "the history has inconsistent reads");
    if (lost)
        return err_set(err, ERR_SYNTAX,
                       "the recording was cut, and has reads that nobody "
                       "served");
    return verify_lists(h, err);
}

static bool
verify_ok(const struct history *h, const struct certificate *c, struct err *err)
{
    if (!verify_reads(h, err))
        return false;
    if (level_is_orderless(c->level))
        return true;
    assert(c->kind == EVIDENCE_ORDER);
    if (level_is_weak(c->level))
        return verify_weak_order(h, c, err);
    assert(level_is_strong(c->level));
    return level_table[c->level].one_rw ? verify_psi_order(h, c, err)
                                        : verify_strong_order(h, c, err);
}

static bool
verify_violated(const struct history *h, const struct certificate *c,
                struct err *err)
{
    assert(c->kind != EVIDENCE_ORDER && c->kind != EVIDENCE_NONE);
    if (c->kind == EVIDENCE_FLAW)
        return verify_flaw(h, &c->flaw, err);
    if (c->kind == EVIDENCE_CYCLE && level_is_weak(c->level))
        return verify_weak_cycle(h, c->level, &c->cycle, NULL, 0, err);
    // Read consistency knows no order, so nothing but a read refutes it.
    if (c->kind == EVIDENCE_PROOF && c->proof && !level_is_orderless(c->level))
        return verify_proof(h, c->level, c->proof, err);
    return err_set(err, ERR_SYNTAX, "the evidence does not fit the level");
}

static bool
verify_evidence(const struct history *h, const struct certificate *c,
                struct err *err)
{
    if (!verify_rows(h, err))
        return false;
    if (c->verdict == VERDICT_OK && !history_is_tested(h))
        return err_set(err, ERR_SYNTAX, "%s", HISTORY_UNTESTED);
    if (h->authors.n && c->verdict != VERDICT_UNKNOWN)
        return verify_cases(h, c, err);
    h = history_seen(h, level_takes_checks(c->level));
    assert(h && h->txn_counts);
    switch (c->verdict) {
    case VERDICT_UNKNOWN:
        if (c->kind == EVIDENCE_NONE)
            return true;
        break;
    case VERDICT_OK:
        if (c->kind == EVIDENCE_ORDER)
            return verify_ok(h, c, err);
        break;
    case VERDICT_VIOLATED:
        if (c->kind != EVIDENCE_ORDER && c->kind != EVIDENCE_NONE)
            return verify_violated(h, c, err);
        break;
    }
    return err_set(err, ERR_SYNTAX, "the evidence does not fit the verdict");
}

bool
verify_certificate(const struct history *h, const struct certificate *c,
                   struct err *err)
{
    assert(h->txn_counts); // resolved
    assert(c->level < LEVELS);
    const bool fits = verify_evidence(h, c, err);
    // A refusal has a reason, and what fits claims no more than it shows.
    assert(fits || err->kind != ERR_NONE);
    assert(!fits || c->verdict == VERDICT_UNKNOWN || c->kind != EVIDENCE_NONE);
    assert(!fits || c->verdict != VERDICT_OK || history_is_tested(h));
    return fits;
}

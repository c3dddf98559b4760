/* lattice.c -- what the verdicts at some levels say about others.
 *
 * If a level holds, all levels that it implies hold.  If a level is violated,
 * all levels that imply it are violated.
 *
 * SPDX-License-Identifier: MIT */
#include "check/lattice.h"

#include "check/convert.h"
#include "verify/verify.h"

/* Whether the verdict of 'from' decides 'to'. */
static bool
decides(const struct level_result *from, const struct level_result *to)
{
    switch (from->certificate.verdict) {
    case VERDICT_OK:
        return level_implies(from->level, to->level);
    case VERDICT_VIOLATED:
        return level_implies(to->level, from->level);
    default:
        return false;
    }
}

/* Convert the certificate of 'from' into one for 'to'.  A certificate about
 * reads of constraint checks does not apply to the history without them. */
static bool
convert(const struct history *h, const struct check_options *o,
        const struct level_result *from, struct level_result *to)
{
    struct limit_stop stop;
    struct err err = {0};
    if (history_seen(h, level_takes_checks(from->level)) !=
        history_seen(h, level_takes_checks(to->level)))
        return false;
    if (limits_set(&o->limits) &&
        !limit_try(&o->limits, from->spent, "verifying", &stop))
        return false;
    struct certificate c;
    assert(from->level != to->level && from->by == from->level);
    bool ok = convert_certificate(h, &from->certificate, to->level, &c);
    if (ok && o->verify)
        ok = to->verified = verify_certificate(h, &c, &err);
    limit_end();
    if (ok) {
        assert(c.level == to->level && c.verdict == from->certificate.verdict);
        certificate_free(&to->certificate);
        to->certificate = c;
    } else {
        certificate_free(&c);
    }
    return ok;
}

bool
lattice_follow(const struct history *h, const struct check_options *o,
               const struct level_result *from, struct level_result *to)
{
    assert(to->certificate.verdict == VERDICT_UNKNOWN && decides(from, to));
    return convert(h, o, from, to);
}

static void
derive(const struct history *h, const struct check_options *o,
       const struct level_result *from, struct level_result *to)
{
    to->stop = (struct limit_stop){0};
    to->reason[0] = 0;
    if (convert(h, o, from, to))
        return;
    assert(decides(from, to));
    to->by = from->level;
    to->verified = from->verified;
    to->certificate.verdict = from->certificate.verdict;
}

void
lattice_derive(const struct history *h, const struct check_options *o,
               struct check *c)
{
    for (size_t i = 0; i < c->results.n; i++) {
        struct level_result *to = &c->results.at[i];
        for (size_t j = 0; j < c->results.n; j++) {
            const struct level_result *from = &c->results.at[j];
            if (to->certificate.verdict == VERDICT_UNKNOWN &&
                from->by == from->level && decides(from, to))
                derive(h, o, from, to);
        }
    }
}

bool
lattice_is_sound(const struct check_options *o, const struct check *c)
{
    bool sound = true;
    for (size_t i = 0; i < c->results.n; i++) {
        const struct level_result *r = &c->results.at[i];
        const struct certificate *by = check_evidence(c, r);
        sound &= r->certificate.level == r->level && by->level == r->by &&
                 by->verdict == r->certificate.verdict;
        // A level that holds may say what was not recorded (reason.h).
        if (r->certificate.verdict != VERDICT_UNKNOWN)
            sound &= by->kind != EVIDENCE_NONE && (r->verified || !o->verify);
        if (r->certificate.verdict == VERDICT_VIOLATED)
            sound &= !r->reason[0];
    }
    return sound;
}

const struct certificate *
check_evidence(const struct check *c, const struct level_result *r)
{
    for (size_t i = 0; i < c->results.n; i++)
        if (c->results.at[i].level == r->by)
            return &c->results.at[i].certificate;
    return &r->certificate;
}

enum verdict
check_worst(const struct check *c)
{
    enum verdict worst = VERDICT_OK;
    for (size_t i = 0; i < c->results.n; i++) {
        const enum verdict v = c->results.at[i].certificate.verdict;
        if (v == VERDICT_VIOLATED || worst == VERDICT_OK)
            worst = v;
    }
    return worst;
}

level_set
check_strongest(const struct check *c)
{
    level_set holds = 0;
    for (size_t i = 0; i < c->results.n; i++)
        if (c->results.at[i].certificate.verdict == VERDICT_OK)
            holds |= level_bit(c->results.at[i].level);
    assert(holds < (level_set)1 << LEVELS);
    return level_strongest(holds);
}

void
check_free(struct check *c)
{
    for (size_t i = 0; i < c->results.n; i++)
        certificate_free(&c->results.at[i].certificate);
    vec_free(&c->results);
    vec_free(&c->flaws);
}

/* snapshot.c -- see snapshot.h.
 *
 * The server reports a snapshot when a statement examines a row.  Otherwise it
 * follows from times, if no transaction was committing while the statement ran:
 * a commit that was answered before the statement was sent is seen, and one
 * that was requested after the statement was answered is not.
 *
 * SPDX-License-Identifier: MIT */
#include "record/snapshot.h"

#include <inttypes.h>
#include <string.h>

enum strength { STRENGTH_UNKNOWN, STRENGTH_WEAK, STRENGTH_STRONG };

static enum strength
strength_of(const struct recorded_act *act)
{
    for (size_t i = 0; i < act->steps.n; i++)
        if (act->steps.at[i].level)
            return tell_begins(act->steps.at[i].level, "read ")
                       ? STRENGTH_WEAK
                       : STRENGTH_STRONG;
    return STRENGTH_UNKNOWN;
}

/* When the commit of a transaction was requested, at the earliest. */
static double
commit_began(const struct recorded_act *act)
{
    return act->txn->runs.n ? vec_top(&act->txn->runs)->began : 0;
}

/* The snapshot that was taken while a statement ran, by times. */
static const char *
by_times(struct assembly *a, uint32_t txn, const struct recorded_run *run)
{
    struct buf unseen = {0};
    uint64_t high = 1;
    const char *out = NULL;
    bool is_known = true;
    for (uint32_t i = 1; is_known && i <= a->acts.n; i++) {
        const struct recorded_act *other = &a->acts.at[i - 1];
        if (i == txn || !other->xid || other->status != TXN_COMMITTED)
            continue;
        const bool is_later = commit_began(other) > run->ended;
        is_known = is_later || (other->txn->ended < run->began &&
                                other->txn->end == TXN_END_COMMIT);
        high = other->xid >= high ? other->xid + 1 : high;
        if (is_later)
            buf_printf(&unseen, "%s%" PRIu64, unseen.n ? "," : "", other->xid);
    }
    if (is_known) {
        struct buf text = {0};
        buf_printf(&text, "1:%" PRIu64 ":%s", high, unseen.n ? unseen.at : "");
        out = arena_copy(&a->arena, text.at, text.n);
        buf_free(&text);
    }
    buf_free(&unseen);
    return out;
}

/* The statement for which a transaction of a strong level takes its snapshot,
 * or NULL. */
static const struct recorded_run *
first_run(const struct recorded_act *act)
{
    static const char *const without[] = {"BEGIN", "START TRANSACTION", "SET",
                                          "SAVEPOINT", "LOCK TABLE"};
    for (size_t i = 0; i < act->steps.n; i++) {
        const struct recorded_run *run = act->steps.at[i].run;
        bool takes = true;
        for (size_t k = 0; k < sizeof without / sizeof without[0]; k++)
            takes &= strcmp(run->tag, without[k]) != 0;
        if (takes)
            return run;
    }
    return NULL;
}

static const char *
of_txn(struct assembly *a, uint32_t txn)
{
    const struct recorded_act *act = &a->acts.at[txn - 1];
    const struct recorded_run *first = first_run(act);
    for (size_t i = 0; i < act->steps.n; i++)
        if (act->steps.at[i].snapshot)
            return act->steps.at[i].snapshot;
    return first ? by_times(a, txn, first) : NULL;
}

const char *
snapshot_of(struct assembly *a, uint32_t txn, const struct recorded_step *s)
{
    if (s->snapshot)
        return s->snapshot;
    switch (strength_of(&a->acts.at[txn - 1])) {
    case STRENGTH_WEAK:
        return by_times(a, txn, s->run);
    case STRENGTH_STRONG:
        return of_txn(a, txn);
    default:
        break;
    }
    const char *own = by_times(a, txn, s->run), *first = of_txn(a, txn);
    return own && first && strcmp(own, first) == 0 ? own : NULL;
}

/* Whether no other transaction had replaced a version that a step locked or
 * changed when the step got it. */
static bool
was_current(const struct assembly *a, uint32_t txn,
            const struct recorded_step *s, const struct recorded_version *v)
{
    return !v->remover || v->remover == txn ||
           commit_began(&a->acts.at[v->remover - 1]) > s->run->ended;
}

bool
snapshot_was_kept(struct assembly *a, uint32_t txn,
                  const struct recorded_step *s)
{
    for (size_t i = 0; i < s->n; i++) {
        const struct told_fact *t = &s->told[i];
        if (t->kind != TOLD_SEEN || t->letter == 's' ||
            tell_is_proposed(t->version))
            continue;
        const uint32_t version =
            strings_add(&a->names, t->version, strlen(t->version));
        if (!was_current(a, txn, s, &a->versions.at[version]))
            return false;
    }
    return !s->looked_again;
}

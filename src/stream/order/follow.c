/* follow.c -- see follow.h.
 *
 * SPDX-License-Identifier: MIT */
#include "stream/order/follow.h"

#include "base/time.h"
#include "history/tested.h"
#include "stream/order/checkpoint.h"

#include <assert.h>

struct run {
    const struct follow_options *o;
    struct stream_names names;
    struct stream_pass pass;
    struct follow_state state;
    u32_vec sessions; // of transactions that stand for forgotten ones
    bool is_decided;  // a part was the whole input, and had a verdict
    double saved;     // when the last checkpoint was written
};

#define WORK (2 * BUDGET_SECOND) // for one part

/* --- what was forgotten ----------------------------------------------------*/

/* The session of the n-th transaction that stands for a forgotten one. */
static uint32_t
session_for(struct run *r, size_t n)
{
    struct stream_names *names = &r->names;
    while (r->sessions.n <= n) {
        char text[32];
        const int len =
            snprintf(text, sizeof text, "earlier-%zu", r->sessions.n + 1);
        vec_push(&r->sessions, (uint32_t)names->sessions.all.tags.n);
        atoms_push(&names->sessions.all, names_text(names, text, (size_t)len));
    }
    return r->sessions.at[n];
}

/* Whether a key had that value at some place since the window began. */
static bool
had_value(const struct running_order *o, const struct stream_op *op)
{
    if (atom_equal(running_order_value(o, op->key), stream_value(op)))
        return true;
    if (op->key >= o->keys.n)
        return false;
    const struct placed_version *v;
    for (uint64_t at = o->keys.at[op->key].version;
         (v = running_order_version(o, at)); at = v->before)
        if (v->before_value == op->value && v->before_tag == op->tag)
            return true;
    return false;
}

/* Add a transaction for each value that was read and written before the window
 * (F1). */
static void
add_forgotten(struct run *r, struct suspect *s)
{
    const size_t n = s->txns.n;
    size_t n_added = 0;
    struct pair_set known = {.names = &r->names};
    for (size_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < s->txns.at[i]->n_ops; j++)
            if (s->txns.at[i]->ops[j].is_write)
                pair_set_add(&known, &s->txns.at[i]->ops[j]);
    for (size_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < s->txns.at[i]->n_ops; j++) {
            struct stream_op op = s->txns.at[i]->ops[j];
            if (op.is_write || pair_set_has(&known, &op) ||
                atom_equal(stream_value(&op), r->names.initial) ||
                !had_value(&r->pass.order, &op))
                continue;
            op.is_write = op.is_main = true;
            pair_set_add(&known, &op);
            struct stream_txn *t = stream_txn_new(&op, 1, NULL, 0);
            t->session = session_for(r, n_added++);
            t->position = 1;
            t->status = TXN_COMMITTED;
            t->began = INT64_MIN;
            t->ended = INT64_MAX;
            vec_push(&s->txns, t);
        }
    pair_set_free(&known);
}

/* --- parts -----------------------------------------------------------------*/

/* Check a part in which something is left to check; without that, it is
 * unknown. */
static bool
check_part(struct run *r, const struct history *part, struct check *c,
           struct err *err)
{
    struct check_options o = r->o->check;
    o.levels = level_bit(r->o->level);
    o.is_part = true;
    o.work = WORK;
    *c = (struct check){0};
    return !history_is_tested(part) || check_history(part, &o, c, err);
}

/* Note what a part says.  A violation says what it rests on (F1). */
static bool
take_verdict(struct run *r, const struct suspect *s, const struct history *part,
             struct check *c, struct err *err)
{
    const enum verdict v =
        c->results.n ? c->results.at[0].certificate.verdict : VERDICT_UNKNOWN;
    r->is_decided = s->is_whole && v != VERDICT_UNKNOWN;
    if (v == VERDICT_VIOLATED) {
        struct level_result *result = &c->results.at[0];
        if (!s->is_whole)
            snprintf(result->reason, sizeof result->reason, "%s",
                     FOLLOW_ASSUMES);
        r->state.violations++;
        return r->o->violated(r->o->self, part, c, s->place, err);
    }
    if (!r->is_decided) {
        r->state.unresolved++;
        snprintf(r->state.place, sizeof r->state.place, "%s", s->place);
    }
    return true;
}

static bool
judge(void *self, struct suspect *s, struct err *err)
{
    struct run *r = self;
    struct history part;
    struct check c;
    if (r->is_decided)
        return true;
    if (!s->is_whole)
        add_forgotten(r, s);
    stream_txns_sort(&s->txns);
    const struct part_options as_is = {.closed = !s->is_whole};
    part_as_it_is(&r->names, s->txns.at, s->txns.n, &as_is, &part);
    bool ok = check_part(r, &part, &c, err);
    if (ok) {
        ok = take_verdict(r, s, &part, &c, err);
        check_free(&c);
    }
    history_free(&part);
    return ok;
}

/* --- the run ---------------------------------------------------------------*/

static void
note_state(struct run *r)
{
    const struct stream_pass *p = &r->pass;
    r->state.keys = r->names.keys.all.tags.n;
    r->state.sizes = stream_reader_sizes(p->reader);
    r->state.waiting = p->ahead.n - p->ahead_at;
    r->state.lag =
        r->state.waiting ? time_now() - p->ahead.at[p->ahead_at]->arrived : 0;
}

/* Write a checkpoint.  One that cannot be written ends nothing: the next one
 * may be, and the user is told. */
static void
save(struct run *r)
{
    struct checkpoint c = {.path = r->o->checkpoint,
                           .violations = r->state.violations,
                           .unresolved = r->state.unresolved};
    struct err err = {0};
    memcpy(c.place, r->state.place, sizeof c.place);
    r->state.checkpoints += checkpoint_write(&r->pass, &c, &err);
    r->state.checkpoint_err = err;
    r->saved = time_now();
}

static bool
go_on(void *self)
{
    struct run *r = self;
    note_state(r);
    const bool more = r->o->go_on(r->o->self, &r->state);
    // What comes afterwards takes the input for complete.
    if (r->o->checkpoint &&
        (!more || time_now() - r->saved >= r->o->checkpoint_every))
        save(r);
    return more;
}

static void
conclude(const struct run *r, struct follow_result *out)
{
    const struct follow_state *s = &r->state;
    out->sizes = *stream_reader_sizes(r->pass.reader);
    out->state = *s;
    out->state.sizes = &out->sizes;
    out->verdict = s->violations ? VERDICT_VIOLATED : VERDICT_UNKNOWN;
    if (s->violations)
        return;
    if (stream_reader_is_late(r->pass.reader))
        snprintf(out->reason, sizeof out->reason,
                 "an outcome came more transactions after its operations than "
                 "the window has; use a larger --window");
    else if (!out->sizes.tested)
        snprintf(out->reason, sizeof out->reason, "%s", HISTORY_UNTESTED);
    else if (s->unresolved)
        snprintf(out->reason, sizeof out->reason,
                 "no order was found at %llu places, the last one at %s, and "
                 "no violation within a window of %zu",
                 (unsigned long long)s->unresolved, s->place, r->o->window);
    else
        out->verdict = VERDICT_OK;
}

/* Go on from the checkpoint, where there is one. */
static bool
go_on_from(struct run *r, struct archive *a, bool is_there, struct err *err)
{
    struct checkpoint c = {.path = r->o->checkpoint};
    if (!is_there)
        return true;
    if (!checkpoint_read(&r->pass, a, &c, err))
        return false;
    r->state.violations = c.violations;
    r->state.unresolved = c.unresolved;
    memcpy(r->state.place, c.place, sizeof c.place);
    return true;
}

bool
follow_run(const struct follow_options *o, struct follow_result *out,
           struct err *err)
{
    struct archive a = {0};
    bool is_there = false;
    struct run r = {.o = o};
    suspects none = {0};
    const struct pass_live live = {
        .self = &r, .settle = o->settle, .go_on = go_on, .failed = judge};
    assert(!level_table[o->level].needs_times);
    *out = (struct follow_result){0};
    r.pass = (struct stream_pass){.names = &r.names,
                                  .window = o->window,
                                  .check = &o->check,
                                  .earlier = &none,
                                  .levels = level_bit(o->level),
                                  .live = &live};
    bool ok = !o->checkpoint ||
              checkpoint_open(o->checkpoint, &r.names, &a, &is_there, err);
    if (ok)
        r.pass.reader =
            stream_reader_open(&o->source, &r.names, o->window, err);
    ok = r.pass.reader;
    if (ok) {
        pass_begin(&r.pass);
        r.saved = time_now();
        ok = go_on_from(&r, &a, is_there, err);
        archive_free(&a);
        ok = ok && pass_run(&r.pass, err);
        note_state(&r);
        conclude(&r, out);
        pass_free(&r.pass);
        stream_reader_close(r.pass.reader);
    }
    archive_free(&a);
    vec_free(&r.sessions);
    names_free(&r.names);
    return ok;
}

/* verify_absence.c -- checks evidence of absence step by step; see
 * verify_absence.h.
 *
 * A step by a rule: its clause is made here.  A core: what its clause denies is
 * made a history of its own here, and the certificate says why that history
 * violates the level; whatever contains it violates the level too.  A learnt
 * clause: with all its literals false, the steps that it names imply something
 * until one of them fails.
 *
 * SPDX-License-Identifier: MIT */
#include "verify/absence/verify_absence.h"

#include "evidence/certificate_read.h"
#include "history/builder/builder.h"
#include "history/tested.h"
#include "verify/absence/absence_view.h"
#include "verify/verify.h"

struct absence_check {
    struct absence_view v;
    VEC(absence_lit) lits; // of the clauses so far
    u32_vec first;         // by step, and one more
    VEC(int8_t) value;     // by fact: 1, -1, 0
    u32_vec assigned;      // facts
    struct err *err;
};

/* --- cores ---------------------------------------------------------------- */

enum { OUT, BASE, BOUNDARY };

/* What a clause denies. */
struct denied {
    uint8_t *role;    // by transaction
    uint32_t *reads;  // by transaction: how many reads take place
    uint8_t *read;    // by read: its writer is known
    uint32_t *writer; // by read
    bool is_possible;
};

static void
denied_init(struct denied *d, const struct absence_view *v)
{
    d->role = mem_calloc(v->n + 1, sizeof *d->role);
    d->reads = mem_calloc(v->n + 1, sizeof *d->reads);
    d->read = mem_calloc(v->reads.n + 1, sizeof *d->read);
    d->writer = mem_calloc(v->reads.n + 1, sizeof *d->writer);
    for (size_t r = 0; r < v->reads.n; r++)
        d->writer[r] = v->reads.at[r].writer;
    d->is_possible = true;
}

static void
denied_free(struct denied *d)
{
    mem_free(d->role);
    mem_free(d->reads);
    mem_free(d->read);
    mem_free(d->writer);
}

/* t is in the base, with all that happens before it. */
static void
add_base(const struct absence_view *v, struct denied *d, uint32_t t)
{
    if (t == ABSENCE_INIT || t == ABSENCE_NONE)
        return;
    for (uint32_t u = 0; u < v->n; u++)
        if (u == t || view_before(v, u, t)) {
            d->is_possible &= d->role[u] != BOUNDARY && !v->looped[u];
            d->role[u] = BASE;
        }
}

static void
add_boundary(const struct absence_view *v, struct denied *d, uint32_t t,
             uint32_t read)
{
    assert(t < v->n && read >= v->read_first[t]);
    d->is_possible &= d->role[t] != BASE;
    d->role[t] = BOUNDARY;
    add_base(v, d, view_prev(v, t));
    const uint32_t reads =
        v->a->is_strict
            ? read < v->read_first[t + 1] ? read + 1 - v->read_first[t] : 0
            : v->read_first[t + 1] - v->read_first[t];
    assert(reads <= v->read_first[t + 1] - v->read_first[t]);
    if (reads > d->reads[t])
        d->reads[t] = reads;
    for (uint32_t r = v->read_first[t]; v->a->is_strict && r < read; r++) {
        add_base(v, d, v->reads.at[r].writer);
        d->read[r] = 1;
    }
}

static bool
add_fact(const struct absence_view *v, struct denied *d,
         const struct fact_row *f)
{
    if (f->kind == FACT_BASE || f->kind == FACT_BOUNDARY) {
        if (f->a >= v->n)
            return false;
        if (f->kind == FACT_BASE)
            add_base(v, d, f->a);
        else
            add_boundary(v, d, f->a, v->read_first[f->a]);
        return true;
    }
    if ((f->kind != FACT_PICK && f->kind != FACT_REACHES) || f->a >= v->reads.n)
        return false;
    const uint32_t t = v->reads.at[f->a].txn;
    add_boundary(v, d, t, f->a);
    if (f->kind == FACT_REACHES)
        return v->a->is_strict;
    if (f->b != ABSENCE_INIT &&
        (f->b >= v->n ||
         view_write_of(v, f->b, v->reads.at[f->a].key) == ABSENCE_NONE))
        return false;
    d->is_possible &= !d->read[f->a] || d->writer[f->a] == f->b;
    add_base(v, d, f->b);
    d->read[f->a] = 1;
    d->writer[f->a] = f->b;
    return true;
}

/* Add the events of t in program order. */
static bool
add_events(const struct absence_view *v, const struct denied *d, uint32_t t,
           struct builder *b, txn_id id, struct err *err)
{
    const uint32_t first = v->read_first[t];
    uint32_t w = v->write_first[t];
    for (uint32_t r = first; r <= v->read_first[t + 1]; r++) {
        for (; w < v->write_first[t + 1] &&
               v->writes.at[w].reads_before <= r - first;
             w++) {
            const bool cut = d->role[t] == BOUNDARY && v->a->is_strict &&
                             v->writes.at[w].reads_before >= d->reads[t];
            if (!cut && !builder_write(b, id, atom_int(v->writes.at[w].key),
                                       atom_int((int64_t)t + 1), err))
                return false;
        }
        if (r == v->read_first[t + 1] ||
            (d->role[t] == BOUNDARY &&
             (!d->read[r] || r - first >= d->reads[t])))
            continue;
        const int64_t from =
            d->writer[r] == ABSENCE_INIT ? 0 : (int64_t)d->writer[r] + 1;
        if (!builder_read(b, id, atom_int(v->reads.at[r].key), atom_int(from),
                          err))
            return false;
    }
    return true;
}

static bool
make_history(const struct absence_view *v, const struct denied *d,
             struct history *out, struct err *err)
{
    struct builder *b = builder_new(atom_int(0));
    // Sessions are numbered without gaps, whether they take place or not.
    int64_t session = -1;
    for (uint32_t t = 0; t < v->n; t++) {
        session += view_prev(v, t) == ABSENCE_NONE;
        if (d->role[t] == OUT)
            continue;
        txn_id id;
        if (!builder_txn(b, builder_session(b, atom_int(session)), &id, err) ||
            !add_events(v, d, t, b, id, err)) {
            builder_free(b);
            return false;
        }
    }
    return builder_finish(b, out, err);
}

static bool
check_core(struct absence_check *run, const struct absence_step *s,
           const struct denied *d)
{
    const struct absence *a = run->v.a;
    struct history h;
    if (!make_history(&run->v, d, &h, run->err))
        return false;
    struct certificate c = {0};
    bool ok = certificate_read(&h, a->evidence.at + s->evidence,
                               s->evidence_len, &c, run->err);
    if (ok) {
        ok = (c.level == a->level && c.verdict == VERDICT_VIOLATED) ||
             err_set(run->err, ERR_SYNTAX,
                     "the certificate of a core does not "
                     "say that the level is violated");
        ok = ok && verify_certificate(&h, &c, run->err);
        certificate_free(&c);
    }
    history_free(&h);
    return ok;
}

static bool
take_core(struct absence_check *run, const struct absence_step *s)
{
    const struct absence *a = run->v.a;
    struct denied d;
    assert(s->first + s->n <= a->lits.n);
    denied_init(&d, &run->v);
    bool ok = true;
    for (uint32_t i = 0; ok && i < s->n; i++) {
        const absence_lit l = a->lits.at[s->first + i];
        ok = (l % 2 && add_fact(&run->v, &d, &a->facts.at[l / 2])) ||
             err_set(run->err, ERR_SYNTAX,
                     "a core denies something that is no choice");
        vec_push(&run->lits, l);
    }
    // What is no execution at all needs no evidence.
    ok = ok && (!d.is_possible || check_core(run, s, &d));
    denied_free(&d);
    return ok;
}

/* --- learnt clauses ------------------------------------------------------- */

static int
value_of(const struct absence_check *run, absence_lit l)
{
    const int value = run->value.at[l / 2];
    return l % 2 ? -value : value;
}

static void
assign(struct absence_check *run, absence_lit l)
{
    assert(!run->value.at[l / 2]);
    run->value.at[l / 2] = l % 2 ? -1 : 1;
    vec_push(&run->assigned, l / 2);
}

/* Look at the clause of a step: 1 it implied something, -1 it fails, 0
 * neither. */
static int
propagate(struct absence_check *run, uint32_t step)
{
    absence_lit open = 0;
    size_t n = 0;
    assert(step + 1 < run->first.n);
    for (uint32_t i = run->first.at[step]; i < run->first.at[step + 1]; i++) {
        const absence_lit l = run->lits.at[i];
        const int value = value_of(run, l);
        if (value > 0)
            return 0;
        if (value == 0 && (n == 0 || l != open)) {
            open = l;
            n++;
        }
    }
    if (n == 1)
        assign(run, open);
    return n == 0 ? -1 : n == 1;
}

static bool
follows(struct absence_check *run, const struct absence_step *s)
{
    const struct absence *a = run->v.a;
    for (bool more = true; more;) {
        more = false;
        for (uint32_t i = s->n_hints; i; i--) {
            const uint32_t step = a->hints.at[s->first_hint + i - 1];
            if (step >= run->first.n - 1)
                return false;
            const int got = propagate(run, step);
            if (got < 0)
                return true;
            more |= got > 0;
        }
    }
    return false;
}

static bool
take_learnt(struct absence_check *run, const struct absence_step *s)
{
    const struct absence *a = run->v.a;
    bool ok = false;
    assert(!run->assigned.n && s->first + s->n <= a->lits.n);
    for (uint32_t i = 0; i < s->n; i++) {
        const absence_lit l = a->lits.at[s->first + i];
        vec_push(&run->lits, l);
        ok |= value_of(run, l) > 0; // a clause that is always true
        if (!value_of(run, l))
            assign(run, l ^ 1);
    }
    ok = ok || follows(run, s);
    while (run->assigned.n)
        run->value.at[vec_pop(&run->assigned)] = 0;
    return ok || err_set(run->err, ERR_SYNTAX,
                         "a clause does not follow from those it names");
}

/* --- steps ---------------------------------------------------------------- */

static bool
take_rule(struct absence_check *run, const struct rule_row *rule)
{
    struct absence_view *v = &run->v;
    vec_clear(&v->clause);
    if (!(rule->kind >= RULE_ON ? absence_view_make_cycle
                                : absence_view_make_choice)(v, rule))
        return err_set(run->err, ERR_SYNTAX,
                       "rule %u does not apply to %u %u %u %u", rule->kind,
                       rule->a, rule->b, rule->c, rule->d);
    for (size_t i = 0; i < v->clause.n; i++)
        vec_push(&run->lits, v->clause.at[i]);
    return true;
}

static bool
take_steps(struct absence_check *run)
{
    const struct absence *a = run->v.a;
    vec_push(&run->first, 0);
    for (size_t i = 0; i < a->facts.n; i++)
        vec_push(&run->value, 0);
    for (size_t i = 0; i < a->steps.n; i++) {
        const struct absence_step *s = &a->steps.at[i];
        const bool ok = s->kind == ABSENCE_RULE   ? take_rule(run, &s->rule)
                        : s->kind == ABSENCE_CORE ? take_core(run, s)
                                                  : take_learnt(run, s);
        if (!ok)
            return false;
        assert(run->first.n == i + 1 && run->lits.n >= run->first.at[i]);
        if (run->lits.n == run->first.at[i])
            return true; // the empty clause
        vec_push(&run->first, (uint32_t)run->lits.n);
    }
    return err_set(run->err, ERR_SYNTAX,
                   "the evidence ends without a contradiction");
}

bool
verify_absence(const struct history *h, const struct absence *a,
               struct err *err)
{
    struct absence_check run = {.err = err};
    if (!history_is_tested(h))
        return err_set(err, ERR_SYNTAX, "%s", HISTORY_UNTESTED);
    if (!view_init(&run.v, h, a, err))
        return false;
    const bool ok =
        absence_view_check_candidates(&run.v, err) && take_steps(&run);
    assert(ok || err->kind != ERR_NONE);
    view_free(&run.v);
    vec_free(&run.lits);
    vec_free(&run.first);
    vec_free(&run.value);
    vec_free(&run.assigned);
    return ok;
}

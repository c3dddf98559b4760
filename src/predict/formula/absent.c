/* absent.c -- see absent.h.
 *
 * Clauses that the refutation does not rest on are left out.  A clause that
 * denies part of an execution because of the level gets its evidence here: the
 * engine is asked once more about exactly that part.
 *
 * SPDX-License-Identifier: MIT */
#include "predict/formula/absent.h"

#include "evidence/certificate_write.h"

/* --- recording ------------------------------------------------------------ */

static void
record(struct recorder *r, uint32_t id, enum absence_kind kind, const lit *lits,
       size_t n, const uint32_t *from, size_t n_from)
{
    struct recorded c = {(uint32_t)r->lits.n, (uint32_t)n, (uint32_t)r->from.n,
                         (uint32_t)n_from, (uint8_t)kind};
    for (size_t i = 0; i < n; i++)
        vec_push(&r->lits, lits[i]);
    for (size_t i = 0; i < n_from; i++)
        vec_push(&r->from, from[i]);
    while (r->clauses.n < id)
        vec_push(&r->clauses, ((struct recorded){0}));
    assert(r->clauses.n == id);
    vec_push(&r->clauses, c);
}

static void
note_input(void *self, uint32_t id, const lit *lits, size_t n)
{
    record(self, id, ABSENCE_RULE, lits, n, NULL, 0);
}

static void
note_lemma(void *self, uint32_t id, const lit *lits, size_t n)
{
    record(self, id, ABSENCE_CORE, lits, n, NULL, 0);
}

static void
note_derived(void *self, uint32_t id, const lit *lits, size_t n,
             const uint32_t *from, size_t n_from)
{
    record(self, id, ABSENCE_LEARNT, lits, n, from, n_from);
}

void
recorder_init(struct recorder *r, struct formula *f)
{
    *r = (struct recorder){0};
    r->listener = (struct sat_proof){r, note_input, note_lemma, note_derived};
    sat_set_proof(f->sat, &r->listener);
    f->keep = true;
}

void
recorder_free(struct recorder *r)
{
    vec_free(&r->clauses);
    vec_free(&r->lits);
    vec_free(&r->from);
}

/* --- what is needed ------------------------------------------------------- */

/* Mark what the empty clause rests on. */
static uint8_t *
mark_needed(const struct recorder *r)
{
    uint8_t *needed = mem_calloc(r->clauses.n + 1, sizeof *needed);
    size_t last = 1;
    while (last < r->clauses.n && (r->clauses.at[last].n ||
                                   (r->clauses.at[last].kind != ABSENCE_RULE &&
                                    !r->clauses.at[last].n_from)))
        last++;
    assert(last < r->clauses.n);
    needed[last] = 1;
    for (size_t id = last; id; id--) {
        const struct recorded *c = &r->clauses.at[id];
        for (uint32_t i = 0; needed[id] && i < c->n_from; i++)
            needed[r->from.at[c->first_from + i]] = 1;
    }
    return needed;
}

/* --- evidence for cores --------------------------------------------------- */

struct maker {
    const struct recorder *r;
    const struct formula *f;
    struct absence *out;
    uint32_t *fact; // by variable: its index in the evidence, or VAR_NONE
    uint32_t *step; // by clause id
    struct execution x;
    struct excerpt part;
    struct err *err;
};

static void
keep_reads(struct maker *m, uint32_t t, uint32_t until)
{
    const struct observed *o = m->f->o;
    for (uint32_t r = o->read_first[t]; r < until; r++) {
        execution_add_base(&m->x, o->reads.at[r].writer);
        m->part.read[r] = 1;
    }
}

/* Let the fact of a variable hold in m->x; first the base, then the rest. */
static void
take_fact(struct maker *m, uint32_t var, bool is_base)
{
    const struct observed *o = m->f->o;
    const struct fact_row *f = &m->f->facts.at[var];
    if (is_base) {
        if (f->kind == FACT_BASE)
            execution_add_base(&m->x, f->a);
        if (f->kind == FACT_PICK)
            execution_add_base(&m->x, f->b);
        return;
    }
    if (f->kind == FACT_BASE)
        return;
    const uint32_t t = f->kind == FACT_BOUNDARY ? f->a : o->reads.at[f->a].txn;
    const uint32_t read = f->kind == FACT_BOUNDARY ? o->read_first[t] : f->a;
    execution_add_base(&m->x, o->prev[t]);
    const uint32_t reads =
        m->f->is_strict ? read + 1 - o->read_first[t] : observed_reads(o, t);
    m->x.role[t] = ROLE_BOUNDARY;
    m->x.reads[t] = reads > m->x.reads[t] ? reads : m->x.reads[t];
    if (m->f->is_strict)
        keep_reads(m, t, read);
    if (f->kind == FACT_PICK) {
        m->x.writer[f->a] = f->b;
        m->part.read[f->a] = 1;
    }
}

/* Make m->x and m->part what the clause denies. */
static void
take_denied(struct maker *m, const struct recorded *c)
{
    const struct observed *o = m->f->o;
    execution_clear(&m->x);
    memset(m->part.read, 0, o->reads.n);
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t i = 0; i < c->n; i++) {
            const lit l = m->r->lits.at[c->first + i];
            assert(lit_is_negated(l));
            take_fact(m, lit_var(l), pass == 0);
        }
    memset(m->part.txn, 1, o->n);
    memset(m->part.write, 1, o->writes.n);
    for (uint32_t r = 0; r < o->reads.n; r++)
        m->part.read[r] |= m->x.role[o->reads.at[r].txn] == ROLE_BASE;
}

/* Whether a transaction would have to be both in the base and a boundary
 * transaction. */
static bool
is_impossible(const struct maker *m, const struct recorded *c)
{
    const struct observed *o = m->f->o;
    for (uint32_t i = 0; i < c->n; i++) {
        const struct fact_row *f =
            &m->f->facts.at[lit_var(m->r->lits.at[c->first + i])];
        const uint32_t t = f->kind == FACT_BASE || f->kind == FACT_BOUNDARY
                               ? f->a
                               : o->reads.at[f->a].txn;
        if (m->x.role[t] != (f->kind == FACT_BASE ? ROLE_BASE : ROLE_BOUNDARY))
            return true;
    }
    return false;
}

static bool
add_evidence(struct maker *m, const struct recorded *c, struct absence_step *s)
{
    take_denied(m, c);
    s->evidence = m->out->evidence.n;
    if (is_impossible(m, c))
        return true; // which needs no evidence
    struct history h;
    struct origin origin = {{0}, {0}};
    execution_history(&m->x, &m->part, &h, &origin);
    const struct check_options options = {.levels = level_bit(m->f->level),
                                          .threads = 1,
                                          .strong = strong_defaults};
    struct check check;
    bool ok = check_history(&h, &options, &check, m->err);
    if (ok) {
        const struct certificate *found = &check.results.at[0].certificate;
        ok = found->verdict == VERDICT_VIOLATED ||
             err_set(m->err, ERR_INTERNAL,
                     "bug in assay: a clause about the level does not hold");
        certificate_write(&h, found, &m->out->evidence);
        s->evidence_len = m->out->evidence.n - s->evidence;
        check_free(&check);
    }
    history_free(&h);
    vec_free(&origin.txns);
    vec_free(&origin.ops);
    return ok;
}

/* --- steps ---------------------------------------------------------------- */

static void
know_facts(struct maker *m, const struct recorded *c)
{
    for (uint32_t i = 0; i < c->n; i++) {
        const uint32_t v = lit_var(m->r->lits.at[c->first + i]);
        if (m->fact[v] != VAR_NONE)
            continue;
        m->fact[v] = (uint32_t)m->out->facts.n;
        vec_push(&m->out->facts, m->f->facts.at[v]);
    }
}

static bool
add_step(struct maker *m, uint32_t id)
{
    const struct recorded *c = &m->r->clauses.at[id];
    struct absence_step s = {.kind = c->kind,
                             .first = (uint32_t)m->out->lits.n,
                             .first_hint = (uint32_t)m->out->hints.n};
    know_facts(m, c);
    if (c->kind == ABSENCE_RULE) {
        s.rule = m->f->rules.at[id];
        if (s.rule.kind == RULE_CORE)
            s.kind = ABSENCE_CORE;
    }
    if (s.kind != ABSENCE_RULE)
        for (uint32_t i = 0; i < c->n; i++) {
            const lit l = m->r->lits.at[c->first + i];
            vec_push(&m->out->lits,
                     2 * m->fact[lit_var(l)] + lit_is_negated(l));
        }
    s.n = (uint32_t)m->out->lits.n - s.first;
    for (uint32_t i = 0; i < c->n_from; i++)
        vec_push(&m->out->hints, m->step[m->r->from.at[c->first_from + i]]);
    s.n_hints = c->n_from;
    if (s.kind == ABSENCE_CORE && !add_evidence(m, c, &s))
        return false;
    m->step[id] = (uint32_t)m->out->steps.n;
    vec_push(&m->out->steps, s);
    return true;
}

static void
add_head(struct maker *m)
{
    const struct formula *f = m->f;
    struct absence *a = m->out;
    *a = (struct absence){
        .level = f->level, .is_strict = f->is_strict, .n_txns = f->o->n};
    for (size_t i = 0; i < f->instances.n; i++) {
        const struct predict_instance *in = &f->instances.at[i];
        struct absence_order o = {mem_alloc(2 * f->o->n + 1, sizeof *o.place),
                                  in->by_reads, in->is_serial};
        memcpy(o.place, in->place, 2 * f->o->n * sizeof *o.place);
        vec_push(&a->orders, o);
    }
    for (uint32_t r = 0; r <= f->o->reads.n; r++)
        vec_push(&a->pick_first, f->pick_first[r]);
    for (size_t i = 0; i < f->picks.n; i++)
        vec_push(&a->picks, f->picks.at[i].writer);
}

bool
absent_make(const struct recorder *r, const struct formula *f,
            struct absence *out, struct err *err)
{
    assert(sat_is_refuted(f->sat));
    struct maker m = {.r = r, .f = f, .out = out, .err = err};
    m.fact = mem_alloc(f->facts.n + 1, sizeof *m.fact);
    memset(m.fact, 0xff, f->facts.n * sizeof *m.fact);
    m.step = mem_calloc(r->clauses.n + 1, sizeof *m.step);
    execution_init(&m.x, f->o, f->is_strict);
    excerpt_init(&m.part, f->o);
    add_head(&m);
    uint8_t *needed = mark_needed(r);
    bool ok = true;
    for (uint32_t id = 1; ok && id < r->clauses.n; id++)
        if (needed[id])
            ok = add_step(&m, id);
    mem_free(needed);
    mem_free(m.fact);
    mem_free(m.step);
    execution_free(&m.x);
    excerpt_free(&m.part);
    if (!ok)
        absence_free(out);
    return ok;
}

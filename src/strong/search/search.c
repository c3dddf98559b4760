/* search.c -- see search.h.
 *
 * Nothing becomes a variable until an order breaks it.  The loop: what the
 * present order breaks gets variables and clauses; the solver, with the theory
 * of acyclicity, finds an assignment; the theory's order, which respects it, is
 * the next order to be audited.  It moves little, so little else breaks, and
 * most histories need a few rounds.
 *
 *   PAIR     two writers of a key.  Either literal carries the ww edge and the
 *            rw edges of all readers of the earlier version.
 *   CHOICE   a candidate of an ambiguous read.  Carries the wr edge; for INIT,
 *            the rw edges to the first writers.
 *   COUNTS   an open transaction counts.  Carries the edges to its followers.
 *            Choosing it for a read implies it, and it implies that its own
 *            reads are served.  What is not chosen is left out of the order.
 *   AHEAD    a reader's start before a writer's commit: the rw edge that only
 *            a choice together with a pair implies.  Made when a chosen version
 *            turns out to be overwritten before the read.
 *
 * Each round makes progress: were there a variable already for what is broken,
 * the order would respect one of its literals, and neither allows the breakage.
 * So the loop ends, and it ends with an order or with the empty clause.
 *
 * SPDX-License-Identifier: MIT */
#include "strong/search/search.h"

/* --- the log -------------------------------------------------------------- */

static void
note_input(void *self, uint32_t id, const lit *lits, size_t n)
{
    struct search *s = self;
    (void)lits;
    search_log_set(&s->log, id, s->next);
    if (!n)
        s->log.empty = id;
}

static struct logged_hop
log_hop(const struct search *s, struct hop h)
{
    const struct label chain = {EDGE_SO, READ_NONE, 0};
    if (h.edge == EDGE_NONE)
        return (struct logged_hop){h.from, h.to, EDGE_NONE, chain};
    const struct carried *c = acyc_carried(&s->acyc, h.edge);
    if (!c)
        return (struct logged_hop){h.from, h.to, h.edge,
                                   s->p->labels.at[h.edge]};
    return (struct logged_hop){h.from, h.to, EDGE_NONE, s->tags.at[c->tag]};
}

static void
note_lemma(void *self, uint32_t id, const lit *lits, size_t n)
{
    struct search *s = self;
    (void)lits, (void)n;
    const struct carried *closing = &s->acyc.carried.at[s->acyc.closing];
    const uint32_t first = (uint32_t)s->log.hops.n;
    capacity_want(CAPACITY_LOG, s->log.hops.n + 1 + s->acyc.path.n);
    vec_push(&s->log.hops,
             ((struct logged_hop){closing->from, closing->to, EDGE_NONE,
                                  s->tags.at[closing->tag]}));
    for (size_t i = 0; i < s->acyc.path.n; i++)
        vec_push(&s->log.hops, log_hop(s, s->acyc.path.at[i]));
    search_log_set(&s->log, id,
                   (struct log_entry){.kind = ENTRY_CYCLE,
                                      .a = first,
                                      .b = (uint32_t)s->log.hops.n - first});
}

static void
note_derived(void *self, uint32_t id, const lit *lits, size_t n,
             const uint32_t *from, size_t n_from)
{
    struct search *s = self;
    struct search_log *g = &s->log;
    capacity_want(CAPACITY_LOG, g->lits.n + n);
    capacity_want(CAPACITY_LOG, g->from.n + n_from);
    const struct log_entry e = {ENTRY_DERIVED,       (uint32_t)g->lits.n,
                                (uint32_t)n,         0,
                                (uint32_t)g->from.n, (uint32_t)n_from};
    for (size_t i = 0; i < n; i++)
        vec_push(&g->lits, lits[i]);
    for (size_t i = 0; i < n_from; i++)
        vec_push(&g->from, from[i]);
    search_log_set(g, id, e);
    if (!n)
        g->empty = id;
}

/* --- all of it ------------------------------------------------------------ */

void
search_init(struct search *s, struct inference *f, const uint32_t *order)
{
    struct dependencies *p = f->p;
    const struct strong_options *options = f->context->options;
    *s = (struct search){.p = p, .f = f, .context = f->context};
    acyc_init(&s->acyc, &p->g, order);
    s->acyc.leave_open = options->leave_open;
    s->acyc.budget = f->context->budget;
    s->sat = sat_new();
    s->graph = acyc_theory(&s->acyc);
    const struct theory theory = search_theory(s);
    sat_set_theory(s->sat, &theory);
    sat_set_proof(s->sat,
                  &(struct sat_proof){s, note_input, note_lemma, note_derived});
    sat_set_phase_saving(s->sat, options->phases);
    sat_set_restarts(s->sat, options->restarts);
    if (!options->step_back)
        sat_set_far(s->sat, UINT32_MAX);
    for (size_t i = 0; i < p->ambiguous.n; i++) {
        vec_push(&s->choices, ID_NONE);
        vec_push(&s->n_true, 0);
        vec_push(&s->service, ((struct service){0}));
    }
    if (p->ambiguous.n)
        for (read_id r = 0; r < p->n_reads; r++)
            vec_push(&s->place_of, ID_NONE);
    for (uint32_t i = 0; i < p->ambiguous.n; i++)
        s->place_of.at[p->ambiguous.at[i].read] = i;
    for (dense_id t = p->n_certain; t < p->n_txns; t++) {
        vec_push(&s->counts, ID_NONE);
        vec_push(&s->counted, depend_is_certain(p, t));
    }
}

void
search_free(struct search *s)
{
    sat_free(s->sat);
    acyc_free(&s->acyc);
    search_log_free(&s->log);
    intmap_free(&s->pairs);
    intmap_free(&s->pairs_done);
    intmap_free(&s->aheads);
    vec_free(&s->choices);
    vec_free(&s->place_of);
    vec_free(&s->counts);
    vec_free(&s->counted);
    vec_free(&s->tags);
    vec_free(&s->n_true);
    vec_free(&s->service);
    vec_free(&s->overtakings);
    vec_free(&s->overtaking_of);
    vec_free(&s->chosen);
    vec_free(&s->chosen_levels);
}

void
search_count(const struct search *s)
{
    struct strong_stats *stats = s->context->stats;
    const struct sat_stats sat = sat_get_stats(s->sat);
    stats->variables = sat_vars(s->sat);
    stats->clauses = s->clauses;
    stats->carried_edges = s->acyc.carried.n;
    stats->conflicts = sat.conflicts;
    stats->decisions = sat.decisions;
    stats->propagations = sat.propagations;
    stats->theory_conflicts = sat.theory_conflicts;
    stats->restarts = sat.restarts;
    stats->cycles = s->acyc.cycles;
    stats->cycle_hops = s->acyc.cycle_hops;
    stats->cycle_literals = s->acyc.cycle_literals;
}

/* --- variables and clauses ---------------------------------------------------
 */

static uint32_t
add_variable(struct search *s, enum variable_kind kind, uint32_t a, uint32_t b)
{
    const uint32_t v = sat_add_var(s->sat);
    assert(v == s->log.variables.n);
    vec_push(&s->log.variables, ((struct search_variable){kind, a, b}));
    return v;
}

void
search_add_clause(struct search *s, struct log_entry e, const lit *lits,
                  size_t n)
{
    s->next = e;
    s->clauses++;
    sat_add_clause(s->sat, lits, n);
}

/* Let l carry an edge, unless the known graph has it anyway; if the known
 * graph forbids it, l is false. */
static void
carry(struct search *s, lit l, uint32_t from, uint32_t to, struct label label)
{
    if (s->f->has_clocks && infer_reach(s->f, from, to))
        return;
    if (s->f->has_clocks && infer_reach(s->f, to, from)) {
        const lit not_l = lit_not(l);
        if (sat_value(s->sat, not_l) > 0)
            return;
        capacity_want(CAPACITY_LOG, s->log.hops.n + 1);
        vec_push(&s->log.hops,
                 ((struct logged_hop){from, to, EDGE_NONE, label}));
        search_add_clause(s,
                          (struct log_entry){.kind = ENTRY_EDGE,
                                             .a = (uint32_t)s->log.hops.n - 1,
                                             .b = 1},
                          &not_l, 1);
        return;
    }
    acyc_carry(&s->acyc, l, from, to, (uint32_t)s->tags.n);
    vec_push(&s->tags, label);
}

/* The edges of 'version v is before version w', of one key. */
static void
carry_before(struct search *s, lit l, version_id v, version_id w)
{
    const struct dependencies *p = s->p;
    const dense_id a = p->version_txn[v], b = p->version_txn[w];
    carry(s, l, point_commit(p, a), point_ww_to(p, b),
          (struct label){EDGE_WW, READ_NONE, 0});
    if (p->one_rw)
        return;
    for (read_id r = p->reader[v]; r != READ_NONE; r = p->next_reader[r])
        if (p->read_txn[r] != b)
            carry(s, l, point_start(p, p->read_txn[r]), point_commit(p, b),
                  (struct label){EDGE_RW, r, v});
}

static uint64_t
two_ids(uint32_t a, uint32_t b)
{
    return (uint64_t)a << 32 | b;
}

lit
search_before(struct search *s, dense_id a, dense_id b, key_id k,
              bool may_stay_open)
{
    assert(a != b);
    const dense_id low = a < b ? a : b, high = a < b ? b : a;
    bool added;
    const uint32_t v = intmap_add(&s->pairs, two_ids(low, high),
                                  (uint32_t)sat_vars(s->sat), &added);
    if (added) {
        add_variable(s, VARIABLE_PAIR, low, high);
        acyc_may_stay_open(&s->acyc, v, true);
    }
    if (!may_stay_open)
        acyc_may_stay_open(&s->acyc, v, false);
    intmap_add(&s->pairs_done, two_ids(v, k), 0, &added);
    if (added) {
        const version_id x = depend_find_version(s->p, k, low);
        const version_id y = depend_find_version(s->p, k, high);
        carry_before(s, lit_make(v, false), x, y);
        carry_before(s, lit_make(v, true), y, x);
    }
    return lit_make(v, a > b);
}

/* What choosing the version w for r brings. */
static void
carry_choice(struct search *s, lit l, read_id r, version_id w)
{
    const struct dependencies *p = s->p;
    const uint32_t start = point_start(p, p->read_txn[r]);
    const dense_id t = p->version_txn[w];
    if (t != DENSE_INIT) {
        carry(s, l, point_commit(p, t), start, (struct label){EDGE_WR, r, w});
        return;
    }
    uint32_t chain = UINT32_MAX;
    const key_id k = p->version_key[w];
    for (version_id v = w + 1; !p->one_rw && v < p->key_first[k + 1]; v++) {
        const uint32_t commit = point_commit(p, p->version_txn[v]);
        if (p->g.seat[commit].chain == chain)
            continue;
        chain = p->g.seat[commit].chain;
        if (p->version_txn[v] != p->read_txn[r])
            carry(s, l, start, commit, (struct label){EDGE_RW, r, w});
    }
}

bool
search_counts(const struct search *s, dense_id t)
{
    const struct dependencies *p = s->p;
    if (depend_is_certain(p, t))
        return true;
    const uint32_t v = s->counts.at[t - p->n_certain];
    return v != ID_NONE && sat_value(s->sat, lit_make(v, false)) > 0;
}

/* The literal 't counts', of one that is open. */
static lit
add_counts(struct search *s, dense_id t)
{
    const struct dependencies *p = s->p;
    assert(depend_is_open(p, t));
    uint32_t *v = &s->counts.at[t - p->n_certain];
    if (*v == ID_NONE) {
        *v = add_variable(s, VARIABLE_COUNTS, t, t);
        for (dense_id next = depend_follower(p, t, DENSE_INIT);
             next != DENSE_INIT; next = depend_follower(p, t, next))
            carry(s, lit_make(*v, false), point_commit(p, t),
                  point_start(p, next), (struct label){EDGE_SO, READ_NONE, 0});
    }
    return lit_make(*v, false);
}

uint32_t
search_choices(struct search *s, uint32_t place)
{
    if (s->choices.at[place] != ID_NONE)
        return s->choices.at[place];
    const struct dependencies *p = s->p;
    const struct candidates c = p->ambiguous.at[place];
    const uint32_t first = (uint32_t)sat_vars(s->sat);
    s->choices.at[place] = first;
    lit_vec some = {0};
    for (uint32_t i = 0; i < c.n; i++) {
        const version_id w = p->pool.items.at[c.first + i];
        const lit l =
            lit_make(add_variable(s, VARIABLE_CHOICE, c.read, w), false);
        vec_push(&some, l);
        // The variables come one after the other, clauses after them.
    }
    if (depend_is_open(p, p->read_txn[c.read]))
        vec_push(&some, lit_not(add_counts(s, p->read_txn[c.read])));
    search_add_clause(s, (struct log_entry){.kind = ENTRY_CHOICES, .a = c.read},
                      some.at, some.n);
    for (uint32_t i = 0; i < c.n; i++) {
        const version_id w = p->pool.items.at[c.first + i];
        carry_choice(s, some.at[i], c.read, w);
        if (!depend_is_open(p, p->version_txn[w]))
            continue;
        const lit clause[] = {lit_not(some.at[i]),
                              add_counts(s, p->version_txn[w])};
        search_add_clause(
            s, (struct log_entry){.kind = ENTRY_COUNTS, .a = c.read, .b = w},
            clause, 2);
    }
    vec_free(&some);
    return first;
}

/* If r reads w and w is before t2, then r's start is before t2's commit. */
static void
add_ahead(struct search *s, read_id r, lit choice, version_id w, dense_id t2)
{
    const struct dependencies *p = s->p;
    const dense_id t3 = p->read_txn[r];
    bool added;
    const uint32_t v = intmap_add(&s->aheads, two_ids(t3, t2),
                                  (uint32_t)sat_vars(s->sat), &added);
    if (added) {
        add_variable(s, VARIABLE_AHEAD, t3, t2);
        carry(s, lit_make(v, false), point_start(p, t3), point_commit(p, t2),
              (struct label){EDGE_RW, READ_NONE, 0});
    }
    const lit before =
        search_before(s, p->version_txn[w], t2, p->version_key[w],
                      s->context->options->leave_open);
    while (s->overtaking_of.n <= lit_var(before))
        vec_push(&s->overtaking_of, ID_NONE);
    uint32_t *latest = &s->overtaking_of.at[lit_var(before)];
    vec_push(&s->overtakings,
             ((struct overtaking){
                 choice, before, point_commit(p, p->version_txn[w]),
                 point_commit(p, t2), point_start(p, t3), *latest}));
    *latest = capacity_index(CAPACITY_LOG, s->overtakings.n - 1);
    const lit clause[] = {lit_not(choice), lit_not(before), lit_make(v, false)};
    search_add_clause(
        s, (struct log_entry){.kind = ENTRY_AHEAD, .a = r, .b = w, .c = t2},
        clause, 3);
}

/* --- rounds --------------------------------------------------------------- */

/* A chosen version that is overwritten before its read. */
struct overtaken {
    read_id read;
    lit choice;
    version_id version;
    dense_id by;
};

/* Look up the choices of the model before anything is added. */
static void
find_overtaken(struct search *s, const broken_vec *broken,
               struct overtaken **out, size_t *n)
{
    const struct dependencies *p = s->p;
    VEC(struct overtaken) list = {0};
    for (size_t i = 0; i < broken->n; i++) {
        const struct broken *b = &broken->at[i];
        if (b->first != VERSION_NONE || b->read == READ_NONE)
            continue;
        const uint32_t place = s->place_of.at[b->read];
        const uint32_t first = s->choices.at[place];
        if (first == ID_NONE)
            continue;
        const struct candidates c = p->ambiguous.at[place];
        for (uint32_t j = 0; j < c.n; j++) {
            const lit l = lit_make(first + j, false);
            const version_id w = p->pool.items.at[c.first + j];
            if (sat_value(s->sat, l) > 0 && !version_is_init(p, w))
                vec_push(&list, ((struct overtaken){
                                    b->read, l, w, p->version_txn[b->second]}));
        }
    }
    *out = list.at;
    *n = list.n;
}

/* Make variables of everything that is broken. */
static void
take_up(struct search *s, const broken_vec *broken)
{
    const struct dependencies *p = s->p;
    struct overtaken *overtaken;
    size_t n;
    find_overtaken(s, broken, &overtaken, &n);
    sat_to_root(s->sat);
    for (size_t i = 0; i < n; i++)
        add_ahead(s, overtaken[i].read, overtaken[i].choice,
                  overtaken[i].version, overtaken[i].by);
    mem_free(overtaken);
    for (size_t i = 0; i < broken->n; i++) {
        const struct broken *b = &broken->at[i];
        if (b->first == VERSION_NONE)
            (void)search_choices(s, s->place_of.at[b->read]);
        else
            (void)search_before(s, p->version_txn[b->first],
                                p->version_txn[b->second],
                                p->version_key[b->first], true);
    }
}

struct dirty {
    VEC(uint8_t) is_dirty; // by key
    u32_vec keys;
};

static void
make_dirty(struct dirty *d, key_id k)
{
    if (d->is_dirty.at[k])
        return;
    d->is_dirty.at[k] = 1;
    vec_push(&d->keys, k);
}

static void
make_keys_dirty(const struct dependencies *p, struct dirty *d, dense_id t)
{
    for (uint32_t j = p->write_first[t]; j < p->write_first[t + 1]; j++)
        make_dirty(d, p->version_key[p->write[j]]);
    for (read_id r = p->read_first[t]; r < p->read_first[t + 1]; r++)
        make_dirty(d, read_key(p, r));
}

/* Tell the order_check which optional transactions count now. */
static void
update_counting(struct search *s, struct order_check *a, struct dirty *d)
{
    const struct dependencies *p = s->p;
    for (dense_id t = p->n_certain; t < p->n_txns; t++) {
        const uint32_t i = t - p->n_certain;
        a->counting[i] = search_counts(s, t);
        if (a->counting[i] != s->counted.at[i])
            make_keys_dirty(p, d, t);
        s->counted.at[i] = a->counting[i];
    }
}

/* Audit the keys of the transactions that moved, and those that were broken
 * before: they may still be although nothing moved. */
static void
audit_again(struct search *s, struct order_check *a, struct dirty *d,
            broken_vec *broken)
{
    const struct dependencies *p = s->p;
    struct order *o = &s->acyc.order;
    for (size_t i = 0; i < broken->n; i++)
        make_dirty(d, p->version_key[broken->at[i].second]);
    for (size_t i = 0; i < o->moved.n; i++) {
        if (o->moved.at[i] >= depend_txn_points(p))
            continue;
        make_keys_dirty(p, d, point_txn(p, o->moved.at[i]));
    }
    update_counting(s, a, d);
    order_clear_moved(o);
    vec_clear(broken);
    for (size_t i = 0; i < d->keys.n; i++) {
        const key_id k = d->keys.at[i];
        budget_spend(s->context->budget, p->key_first[k + 1] - p->key_first[k]);
        order_check_key(a, d->keys.at[i], o->rank, broken);
        d->is_dirty.at[d->keys.at[i]] = 0;
    }
    vec_clear(&d->keys);
}

enum sat_answer
search_run(struct search *s, struct order_check *a, broken_vec *broken)
{
    struct dependencies *p = s->p;
    struct dirty d = {0};
    vec_grow(&d.is_dirty, p->h->n_keys);
    memset(d.is_dirty.at, 0, d.is_dirty.n);
    enum sat_answer answer = SAT_TRUE;
    while (broken->n && answer == SAT_TRUE) {
        if (!s->taken_up) {
            s->context->stats->search_rounds++;
            const size_t before = s->acyc.carried.n + s->clauses;
            take_up(s, broken);
            assert(before < s->acyc.carried.n + s->clauses);
            (void)before;
        }
        s->taken_up = true;
        answer = sat_solve(s->sat, s->context->budget);
        if (answer != SAT_TRUE)
            break;
        s->taken_up = false;
        audit_again(s, a, &d, broken);
        if (budget_is_spent(s->context->budget))
            answer = broken->n ? SAT_UNKNOWN : SAT_TRUE;
    }
    vec_free(&d.is_dirty);
    vec_free(&d.keys);
    search_count(s);
    return answer;
}

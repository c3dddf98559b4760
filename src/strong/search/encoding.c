/* encoding.c -- see encoding.h.
 *
 * SPDX-License-Identifier: MIT */
#include "strong/search/encoding.h"

static uint32_t
add_variable(struct order_search *s, enum variable_kind kind, uint32_t a,
             uint32_t b)
{
    const uint32_t v = sat_add_var(s->sat);
    assert(v == s->log.variables.n);
    vec_push(&s->log.variables, ((struct search_variable){kind, a, b}));
    return v;
}

void
encoding_add_clause(struct order_search *s, struct log_entry e, const lit *lits,
                    size_t n)
{
    assert(e.kind != ENTRY_DERIVED);
    s->next = e;
    s->clauses++;
    sat_add_clause(s->sat, lits, n);
}

/* Let l carry an edge, unless the known graph has it anyway; if the known
 * graph forbids it, l is false. */
static void
carry(struct order_search *s, lit l, uint32_t from, uint32_t to,
      struct label label)
{
    if (s->f->has_clocks && inference_reach(s->f, from, to))
        return;
    if (s->f->has_clocks && inference_reach(s->f, to, from)) {
        const lit not_l = lit_not(l);
        if (sat_value(s->sat, not_l) > 0)
            return;
        capacity_want(CAPACITY_LOG, s->log.hops.n + 1);
        vec_push(&s->log.hops,
                 ((struct logged_hop){from, to, EDGE_NONE, label}));
        encoding_add_clause(s,
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
carry_before(struct order_search *s, lit l, version_id v, version_id w)
{
    const struct dependencies *p = s->p;
    const dense_id a = p->version_txn[v], b = p->version_txn[w];
    assert(p->version_key[v] == p->version_key[w] && a != b);
    assert(a != DENSE_INIT && b != DENSE_INIT);
    carry(s, l, point_commit(p, a), point_ww_to(p, b),
          (struct label){EDGE_WW, READ_NONE, WW_PATH});
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
encoding_before(struct order_search *s, dense_id a, dense_id b, key_id k,
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

/* The edges of 'r read the version w'. */
static void
carry_choice(struct order_search *s, lit l, read_id r, version_id w)
{
    const struct dependencies *p = s->p;
    const uint32_t start = point_start(p, p->read_txn[r]);
    const dense_id t = p->version_txn[w];
    if (t != DENSE_INIT) {
        carry(s, l, point_commit(p, t), start, (struct label){EDGE_WR, r, w});
        return;
    }
    const key_id k = p->version_key[w];
    for (uint32_t i = p->key_first[k] + 1;
         !p->one_rw && i < p->key_first[k + 1];) {
        const dense_id t2 = p->version_txn[p->key_version[i]];
        const uint32_t commit = point_commit(p, t2);
        if (t2 != p->read_txn[r])
            carry(s, l, start, commit, (struct label){EDGE_RW, r, w});
        i = depend_skip_chain(p, k, i + 1, p->g.seat[commit].chain);
    }
}

bool
encoding_counts(const struct order_search *s, dense_id t)
{
    const struct dependencies *p = s->p;
    if (depend_is_certain(p, t))
        return true;
    const uint32_t v = s->counts.at[t - p->n_certain];
    return v != ID_NONE && sat_value(s->sat, lit_make(v, false)) > 0;
}

/* The literal 't counts', of one that is open. */
static lit
add_counts(struct order_search *s, dense_id t)
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
encoding_choices(struct order_search *s, uint32_t place)
{
    const struct dependencies *p = s->p;
    assert(place < p->ambiguous.n);
    if (s->choices.at[place] != ID_NONE)
        return s->choices.at[place];
    const struct candidates c = p->ambiguous.at[place];
    const uint32_t first = (uint32_t)sat_vars(s->sat);
    s->choices.at[place] = first;
    lit_vec some = {0};
    for (uint32_t i = 0; i < c.n; i++) {
        const version_id w = p->pool.items.at[c.first + i];
        const lit l =
            lit_make(add_variable(s, VARIABLE_CHOICE, c.read, w), false);
        vec_push(&some, l);
    }
    // The variables of a read are consecutive, so clauses come after them.
    assert(sat_vars(s->sat) == first + c.n);
    if (depend_is_open(p, p->read_txn[c.read]))
        vec_push(&some, lit_not(add_counts(s, p->read_txn[c.read])));
    encoding_add_clause(s,
                        (struct log_entry){.kind = ENTRY_CHOICES, .a = c.read},
                        some.at, some.n);
    for (uint32_t i = 0; i < c.n; i++) {
        const version_id w = p->pool.items.at[c.first + i];
        carry_choice(s, some.at[i], c.read, w);
        if (!depend_is_open(p, p->version_txn[w]))
            continue;
        const lit clause[] = {lit_not(some.at[i]),
                              add_counts(s, p->version_txn[w])};
        encoding_add_clause(
            s, (struct log_entry){.kind = ENTRY_COUNTS, .a = c.read, .b = w},
            clause, 2);
    }
    vec_free(&some);
    return first;
}

void
encoding_add_ahead(struct order_search *s, read_id r, lit choice, version_id w,
                   dense_id t2)
{
    const struct dependencies *p = s->p;
    const dense_id t3 = p->read_txn[r];
    assert(t2 != t3 && p->version_txn[w] != t2 && !version_is_init(p, w));
    bool added;
    const uint32_t v = intmap_add(&s->aheads, two_ids(t3, t2),
                                  (uint32_t)sat_vars(s->sat), &added);
    if (added) {
        add_variable(s, VARIABLE_AHEAD, t3, t2);
        carry(s, lit_make(v, false), point_start(p, t3), point_commit(p, t2),
              (struct label){EDGE_RW, READ_NONE, 0});
    }
    const lit before =
        encoding_before(s, p->version_txn[w], t2, p->version_key[w],
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
    encoding_add_clause(
        s, (struct log_entry){.kind = ENTRY_AHEAD, .a = r, .b = w, .c = t2},
        clause, 3);
}

/* verify_cases.c -- evidence where lists show elements that several appended.
 *
 * For each choice of authors, the copy of the history with these authors has
 * one author for each element, and evidence about it is checked as usual.  That
 * a level holds takes one such copy, with all authors decided.
 *
 * That it does not hold takes a tree (certificate.h).  Each branch tries every
 * candidate of a row, so whatever the authors are, one way through the tree
 * agrees with them, and ends at a leaf.  The copy of a leaf is decided as on
 * its way at most, and leaves out the reads that depend on anything else
 * (rebuild.h): it is what these authors leave of the history, or less.
 *
 * That no candidate is missing is checked from the recorded operations: the
 * candidates of an element are the transactions that appended it and did not
 * abort.  A transaction that read lists and whose outcome is not known has two
 * cases: it counts or does not.
 *
 * SPDX-License-Identifier: MIT */
#include "verify/verify_cases.h"

#include "history/builder/rebuild.h"
#include "history/list/reader_outcomes.h"
#include "verify/verify.h"

static bool
wrong(struct err *err, const char *what)
{
    return err_set(err, ERR_SYNTAX, "the authors of elements: %s", what);
}

static bool
is_candidate(const struct history *h, const struct list_author *a, txn_id t)
{
    for (uint32_t i = 0; i < a->n; i++)
        if (h->author_items.at[a->first + i] == t)
            return true;
    return false;
}

/* Whether every append of the element by one who is not aborted is by one of
 * the candidates. */
static bool
has_all_candidates(const struct history *h, const struct list_author *a)
{
    for (txn_id t = 0; t < h->n_txns; t++)
        for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++)
            if (h->txn_status[t] != TXN_ABORTED && op_is_write(h, op) &&
                op_is_of_list(h, op) &&
                op_key(h, op) == (h->values[a->value].key & OP_KEY) &&
                atom_equal(history_value_atom(h, h->op_value[op]),
                           history_value_atom(h, a->value)) &&
                !is_candidate(h, a, t))
                return false;
    return true;
}

/* Whether it is left open if an indeterminate transaction counts. */
static bool
has_both_outcomes(const struct history *h, const struct list_author *a)
{
    assert(a->first + a->n <= h->author_items.n);
    const txn_id *items = h->author_items.at + a->first;
    return a->n == 2 && items[1] == TXN_NONE &&
           h->txn_status[items[0]] == TXN_INDETERMINATE;
}

/* Check c, which is about the copy with the authors in c->seen. */
static bool
verify_copy(const struct history *h, const struct certificate *c,
            struct err *err)
{
    struct history copy;
    assert(c->seen.n == h->authors.n);
    if (!history_rebuild_with_authors(h, c->seen.at, &copy, err))
        return false;
    assert(!copy.authors.n); // all decided, or left out
    const bool fine = verify_certificate(&copy, c, err);
    history_free(&copy);
    return fine;
}

static bool
verify_choice(const struct history *h, const struct certificate *c,
              struct err *err)
{
    if (c->verdict != VERDICT_OK)
        return wrong(err, "other combinations may do");
    if (c->seen.n != h->authors.n)
        return wrong(err, "one is missing");
    for (size_t i = 0; i < c->seen.n; i++)
        if (!is_candidate(h, &h->authors.at[i], c->seen.at[i]))
            return wrong(err, "one is no candidate");
    return verify_copy(h, c, err);
}

/* --- the tree --------------------------------------------------------------*/

struct turn {
    uint32_t row, candidate, tried;
};

/* The way from the root to a leaf. */
struct way {
    const struct history *h;
    VEC(struct turn) turns;
};

static txn_id
decision(const struct way *w, const struct turn *t)
{
    const struct list_author *a = &w->h->authors.at[t->row];
    assert(t->candidate < a->n);
    return w->h->author_items.at[a->first + t->candidate];
}

/* Take the branches that begin with a leaf. */
static bool
take_branches(struct way *w, const struct certificate *leaf)
{
    for (size_t i = 0; i < leaf->branches.n; i++) {
        const struct branch *b = &leaf->branches.at[i];
        struct turn t = {.row = b->row, .tried = 1};
        if (b->row >= w->h->authors.n)
            return false;
        for (size_t j = 0; j < w->turns.n; j++)
            if (w->turns.at[j].row == b->row)
                return false;
        const uint32_t n = w->h->authors.at[b->row].n;
        while (t.candidate < n && decision(w, &t) != b->first)
            t.candidate++;
        if (t.candidate == n)
            return false;
        vec_push(&w->turns, t);
    }
    return true;
}

/* Whether what is decided at a leaf is what was on the way to it. */
static bool
is_on_way(const struct way *w, const struct certificate *leaf)
{
    if (leaf->seen.n != w->h->authors.n)
        return false;
    for (uint32_t row = 0; row < leaf->seen.n; row++) {
        bool fine = leaf->seen.at[row] == TXN_UNCHOSEN;
        for (size_t i = 0; i < w->turns.n; i++)
            fine |= w->turns.at[i].row == row &&
                    decision(w, &w->turns.at[i]) == leaf->seen.at[row];
        if (!fine)
            return false;
    }
    return true;
}

/* Go to the next leaf: the last turn that has another candidate takes it.
 * False: that was the last leaf. */
static bool
go_on(struct way *w)
{
    while (w->turns.n) {
        struct turn *t = &vec_top(&w->turns);
        const uint32_t n = w->h->authors.at[t->row].n;
        assert(t->tried && t->tried <= n);
        if (t->tried < n) {
            t->tried++;
            t->candidate = (t->candidate + 1) % n;
            return true;
        }
        w->turns.n--;
    }
    return false;
}

static bool
verify_tree(const struct history *h, const struct certificate *c,
            struct err *err)
{
    struct way way = {.h = h};
    bool fine = true, more = true;
    for (size_t i = 0; fine && i < c->n_cases; i++) {
        const struct certificate *leaf = &c->cases[i];
        fine = more && leaf->level == c->level &&
               leaf->verdict == VERDICT_VIOLATED &&
               leaf->kind != EVIDENCE_CASES && take_branches(&way, leaf) &&
               is_on_way(&way, leaf);
        if (!fine)
            wrong(err, "the cases are no tree");
        fine = fine && verify_copy(h, leaf, err);
        more = go_on(&way);
    }
    assert(!fine || more || !way.turns.n);
    vec_free(&way.turns);
    if (fine && more)
        return wrong(err, "the cases are not all");
    return fine;
}

bool
verify_cases(const struct history *h, const struct certificate *c,
             struct err *err)
{
    assert(h->authors.n && c->verdict != VERDICT_UNKNOWN);
    if (c->kind != EVIDENCE_CASES)
        return verify_choice(h, c, err);
    if (c->verdict != VERDICT_VIOLATED)
        return wrong(err, "cases are for a violation");
    for (size_t i = 0; i < h->authors.n; i++) {
        const struct list_author *a = &h->authors.at[i];
        if (reader_outcomes_is(a) ? !has_both_outcomes(h, a)
                                  : !has_all_candidates(h, a))
            return wrong(err, "a candidate is missing");
    }
    return verify_tree(h, c, err);
}

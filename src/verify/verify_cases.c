/* verify_cases.c -- evidence where lists show elements that several appended.
 *
 * Whoever is seen, the copy of the history with these authors has one for each
 * element, and evidence about it is checked as ever.  That a level holds takes
 * one such copy; that it does not takes all of them.
 *
 * That the copies are all there are is checked from the recorded operations:
 * the candidates of an element are the transactions that appended it and did
 * not abort.  A transaction that read lists and whose outcome is not known has
 * two cases: it counts or does not.
 *
 * SPDX-License-Identifier: MIT */
#include "verify/verify.h"

#include "history/list/reader_outcomes.h"
#include "history/rebuild.h"

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
    const txn_id *items = h->author_items.at + a->first;
    return a->n == 2 && items[1] == TXN_NONE &&
           h->txn_status[items[0]] == TXN_INDETERMINATE;
}

/* Check c, which is about the copy with the authors in c->seen. */
static bool
verify_copy(const struct history *h, const struct certificate *c,
            struct err *err)
{
    if (c->seen.n != h->authors.n)
        return wrong(err, "one is missing");
    for (size_t i = 0; i < c->seen.n; i++)
        if (!is_candidate(h, &h->authors.at[i], c->seen.at[i]))
            return wrong(err, "one is no candidate");
    struct history copy;
    if (!history_rebuild_with_authors(h, c->seen.at, &copy, err))
        return false;
    const bool fine = verify_certificate(&copy, c, err);
    history_free(&copy);
    return fine;
}

bool
verify_cases(const struct history *h, const struct certificate *c,
             struct err *err)
{
    if (c->kind != EVIDENCE_CASES)
        return c->verdict == VERDICT_OK
                   ? verify_copy(h, c, err)
                   : wrong(err, "other combinations may do");
    if (c->verdict != VERDICT_VIOLATED)
        return wrong(err, "cases are for a violation");
    for (size_t i = 0; i < h->authors.n; i++) {
        const struct list_author *a = &h->authors.at[i];
        if (reader_outcomes_is(a) ? !has_both_outcomes(h, a)
                                  : !has_all_candidates(h, a))
            return wrong(err, "a candidate is missing");
    }
    u32_vec expected = {0};
    authors_begin(h, &expected);
    bool fine = true, more = true;
    for (size_t i = 0; fine && i < c->n_cases; i++) {
        const struct certificate *one = &c->cases[i];
        fine = more && one->seen.n == expected.n && one->level == c->level &&
               one->verdict == VERDICT_VIOLATED &&
               one->kind != EVIDENCE_CASES &&
               memcmp(one->seen.at, expected.at,
                      expected.n * sizeof *expected.at) == 0;
        if (!fine)
            wrong(err, "the cases are not all combinations");
        fine = fine && verify_copy(h, one, err);
        more = authors_next(h, &expected);
    }
    vec_free(&expected);
    if (fine && more)
        return wrong(err, "the cases are not all combinations");
    return fine;
}

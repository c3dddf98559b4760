/* forge_cases.c -- trees of cases with true leaves; see forge.h.
 *
 * What is said about a leaf is right: with these authors decided, the level is
 * violated.  The lie is in the tree: cases are missing, stand at another place,
 * or decide less than their evidence needs.
 *
 * SPDX-License-Identifier: MIT */
#include "forge.h"

#include "check/check.h"
#include "history/builder/rebuild.h"

enum { LEAVES = 6, DRAWN = 12, TREES = 25, MOST_CASES = 4 };

struct leaves {
    struct certificate at[LEAVES];
    uint32_t n;
};

static txn_id
draw_candidate(struct forger *f, size_t row)
{
    const struct list_author *a = &f->h.authors.at[row];
    return f->h.author_items.at[a->first + forge_below(f, a->n)];
}

/* Draw authors, some of them open; keep the evidence where they violate l. */
static void
draw_leaf(struct forger *f, enum level l, struct leaves *out)
{
    const struct check_options o = {
        .levels = 1u << l, .threads = 1, .strong = strong_defaults};
    u32_vec seen = {0};
    const uint32_t open = forge_below(f, 100);
    for (size_t i = 0; i < f->h.authors.n; i++)
        vec_push(&seen,
                 forge_percent(f, open) ? TXN_UNCHOSEN : draw_candidate(f, i));
    struct history copy;
    struct check check;
    struct err err = {0};
    if (history_rebuild_with_authors(&f->h, seen.at, &copy, &err)) {
        if (check_history(&copy, &o, &check, &err)) {
            struct certificate *c = &check.results.at[0].certificate;
            if (c->verdict == VERDICT_VIOLATED) {
                out->at[out->n] = *c;
                for (size_t i = 0; i < seen.n; i++)
                    vec_push(&out->at[out->n].seen, seen.at[i]);
                out->n++;
                *c = (struct certificate){0};
            }
            check_free(&check);
        }
        history_free(&copy);
    }
    vec_free(&seen);
}

/* Change what a case decides. */
static void
change_seen(struct forger *f, u32_vec *seen)
{
    const size_t row = forge_below(f, (uint32_t)seen->n);
    seen->at[row] =
        forge_percent(f, 50) ? TXN_UNCHOSEN : draw_candidate(f, row);
}

/* Show a tree of some of the leaves, each perhaps several times. */
static void
show_tree(struct forger *f, enum level l, const struct leaves *leaves)
{
    struct certificate cases[MOST_CASES];
    struct certificate c = {.level = l,
                            .verdict = VERDICT_VIOLATED,
                            .kind = EVIDENCE_CASES,
                            .cases = cases,
                            .n_cases = 1 + forge_below(f, MOST_CASES)};
    for (size_t i = 0; i < c.n_cases; i++) {
        const struct certificate *from = &leaves->at[forge_below(f, leaves->n)];
        cases[i] = *from; // shares the evidence
        memset(&cases[i].seen, 0, sizeof cases[i].seen);
        memset(&cases[i].branches, 0, sizeof cases[i].branches);
        for (uint32_t row = 0; row < from->seen.n; row++) {
            vec_push(&cases[i].seen, from->seen.at[row]);
            if (from->seen.at[row] != TXN_UNCHOSEN &&
                forge_percent(f, i ? 20 : 90))
                vec_push(&cases[i].branches,
                         ((struct branch){row, from->seen.at[row]}));
        }
        if (forge_percent(f, 30))
            change_seen(f, &cases[i].seen);
    }
    forger_show(f, &c);
    for (size_t i = 0; i < c.n_cases; i++) {
        vec_free(&cases[i].seen);
        vec_free(&cases[i].branches);
    }
}

void
forge_cases(struct forger *f, enum level l)
{
    if (!f->h.authors.n || f->truth[l] != ORACLE_OK)
        return;
    struct leaves leaves = {.n = 0};
    for (int i = 0; i < DRAWN && leaves.n < LEAVES; i++)
        draw_leaf(f, l, &leaves);
    for (int i = 0; i < TREES && leaves.n && !f->lie.n; i++)
        show_tree(f, l, &leaves);
    for (uint32_t i = 0; i < leaves.n; i++)
        certificate_free(&leaves.at[i]);
}

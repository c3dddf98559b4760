/* test_refute.c -- refutations of small histories.
 *
 * SPDX-License-Identifier: MIT */
#include "explain/refute.h"

#include "corpus.h"
#include "hist.h"
#include "test.h"

static size_t
flaws_of(const struct history *h)
{
    flaw_vec flaws = {0};
    const size_t n = history_flaws(h, 1, &flaws);
    vec_free(&flaws);
    return n;
}

static enum refute_verdict
ask(const struct history *h, enum level level, struct refutation *r)
{
    struct model m;
    model_init(&m, h, level);
    const enum refute_verdict v = refute_model(&m, 4000000000, r);
    model_free(&m);
    return v;
}

/* Each needed step is one that a reader needs: none is left over, and cycles
 * are closed. */
static void
check_refutation(const struct refutation *r)
{
    CHECK(r->steps.n);
    CHECK(vec_top(&r->steps).kind == REFUTE_CLOSE);
    CHECK(vec_top(&r->steps).needed && vec_top(&r->steps).depth == 0);
    for (size_t i = 0; i < r->steps.n; i++) {
        const struct refute_step *s = &r->steps.at[i];
        for (uint32_t j = 0; j < s->n; j++)
            CHECK(r->cycles.at[s->first + j].to ==
                  r->cycles.at[s->first + (j + 1) % s->n].from);
    }
}

static void
compare(struct corpus_case *c)
{
    const bool flawed = flaws_of(&c->h);
    for (int l = 0; l < LEVELS; l++) {
        if (!(c->listed >> l & 1))
            continue;
        struct refutation r;
        const enum refute_verdict v = ask(&c->h, (enum level)l, &r);
        const bool violated = flawed || v == REFUTE_YES;
        if (violated != (c->violated >> l & 1))
            printf("# %s at %s\n", c->name, level_table[l].brief);
        CHECK(violated == (c->violated >> l & 1));
        if (v == REFUTE_YES)
            check_refutation(&r);
        if (v == REFUTE_YES)
            refutation_free(&r);
    }
}

static void
tiny_histories_have_their_verdicts(void)
{
    if (!corpus_each("tiny", compare))
        SKIP("the corpus is not here (ASSAY_CORPUS)");
}

static void
named_histories_have_their_verdicts(void)
{
    if (!corpus_each("named", compare))
        SKIP("the corpus is not here (ASSAY_CORPUS)");
}

static void
a_lost_update_leaves_no_order_of_the_two_writes(void)
{
    struct history h;
    struct refutation r;
    hist(&h, "[x:=1] --- [x==1 x:=2] --- [x==1 x:=3]");
    CHECK(ask(&h, LEVEL_PC, &r) == REFUTE_NO);
    CHECK(ask(&h, LEVEL_SI, &r) == REFUTE_YES);
    size_t needed = 0;
    for (size_t i = 0; i < r.steps.n; i++)
        needed += r.steps.at[i].needed;
    // Both writes follow the first; one order is eliminated, the other is a
    // cycle.
    CHECK(needed == 4);
    refutation_free(&r);
    history_free(&h);
}

static void
a_write_skew_needs_no_inference(void)
{
    struct history h;
    struct refutation r;
    hist(&h, "[x==? y:=1] --- [y==? x:=1]");
    CHECK(ask(&h, LEVEL_SI, &r) == REFUTE_NO);
    CHECK(ask(&h, LEVEL_SER, &r) == REFUTE_YES);
    CHECK(r.steps.n == 1 && r.steps.at[0].n == 2);
    CHECK(r.cycles.at[0].kind == EDGE_RW && r.cycles.at[1].kind == EDGE_RW);
    refutation_free(&r);
    history_free(&h);
}

static void
real_time_is_an_edge_at_the_strict_levels_only(void)
{
    struct history h;
    struct refutation r;
    hist(&h, "[x:=1]@1..2 --- [x==?]@3..4");
    CHECK(ask(&h, LEVEL_SER, &r) == REFUTE_NO);
    CHECK(ask(&h, LEVEL_STRICT_SER, &r) == REFUTE_YES);
    refutation_free(&r);
    CHECK(ask(&h, LEVEL_STRICT_SI, &r) == REFUTE_YES);
    refutation_free(&r);
    history_free(&h);
}

int
main(void)
{
    RUN(tiny_histories_have_their_verdicts);
    RUN(named_histories_have_their_verdicts);
    RUN(a_lost_update_leaves_no_order_of_the_two_writes);
    RUN(a_write_skew_needs_no_inference);
    RUN(real_time_is_an_edge_at_the_strict_levels_only);
    return test_end();
}

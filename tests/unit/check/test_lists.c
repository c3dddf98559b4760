/* test_lists.c -- what lists mean at each level, by example (doc/levels.md).
 *
 * SPDX-License-Identifier: MIT */
#include "check/check.h"
#include "evidence/certificate_read.h"
#include "evidence/certificate_write.h"
#include "hist.h"
#include "test.h"
#include "verify/verify.h"

#define EVERY                                                                  \
    (1u << LEVEL_RC | 1u << LEVEL_RA | 1u << LEVEL_CC | 1u << LEVEL_PC |       \
     1u << LEVEL_PSI | 1u << LEVEL_SI | 1u << LEVEL_SER)
#define UP_TO_RC (1u << LEVEL_RC)
#define UP_TO_RA (1u << LEVEL_RA | UP_TO_RC)
#define UP_TO_CC (1u << LEVEL_CC | UP_TO_RA)

/* The levels of EVERY that the history satisfies.  Certificates are checked,
 * and checked again after they were written and read. */
static level_set
holds(const char *text)
{
    struct history h;
    struct check c;
    struct err err = {0};
    hist(&h, text);
    const struct check_options options = {.levels = EVERY,
                                          .threads = 1,
                                          .verify = true,
                                          .strong = strong_defaults};
    CHECK(check_history(&h, &options, &c, &err));
    level_set out = 0;
    for (size_t i = 0; i < c.results.n; i++) {
        const struct certificate *made = &c.results.at[i].certificate;
        struct buf text_form = {0};
        struct certificate again;
        CHECK(made->verdict != VERDICT_UNKNOWN && c.results.at[i].verified);
        certificate_write(&h, made, &text_form);
        CHECK(certificate_read(&h, text_form.at, text_form.n, &again, &err));
        CHECK(again.verdict == made->verdict && again.kind == made->kind);
        CHECK(verify_certificate(&h, &again, &err));
        certificate_free(&again);
        buf_free(&text_form);
        if (made->verdict == VERDICT_OK)
            out |= 1u << made->level;
    }
    check_free(&c);
    history_free(&h);
    return out;
}

static bool
violates_every_level(const char *text)
{
    return holds(text) == 0;
}

static bool
holds_everywhere(const char *text)
{
    return holds(text) == EVERY;
}

static void
a_list_has_all_of_a_transaction_together_or_nothing(void)
{
    CHECK(violates_every_level("[l+=1 l+=2] --- [l==[2]]"));
    CHECK(violates_every_level("[l+=1 l+=2] --- [l==[1]]"));
    CHECK(violates_every_level("[l+=1 l+=2] [l+=3] --- [l==[2 1 3]]"));
    CHECK(violates_every_level("[l+=1 l+=2] --- [l+=3] --- [l==[1 3 2]]"));
    CHECK(violates_every_level("[l+=1 l+=2]? --- [l+=3] --- [l==[1 3]]"));
    CHECK(violates_every_level("[l+=1 l+=2] --- [l+=3 l==[1 3]]"));
    CHECK(holds_everywhere("[l+=1 l+=2] --- [l==[1 2]] --- [l==[]]"));
}

static void
a_list_ends_with_the_own_elements_so_far(void)
{
    CHECK(violates_every_level("[l+=1 l+=2 l==[2]]"));
    CHECK(violates_every_level("[l+=1 l==[]]"));
    CHECK(violates_every_level("[l+=1 l==[1 2]] --- [l+=2]"));
    CHECK(violates_every_level("[l==[1 2] l+=1] --- [l+=2]"));
    CHECK(violates_every_level("[l+=1 l==[2 1] l+=2]"));
    CHECK(holds_everywhere("[l+=1 l==[1] l+=2 l==[1 2]] --- [l==[1 2]]"));
}

static void
what_stands_before_own_elements_was_read_from_others(void)
{
    CHECK(holds("[l+=1] --- [l==[] l+=2 l==[1 2]]") == UP_TO_RC);
    CHECK(holds("[l+=1]? --- [l==[] l+=2 l==[1 2]]") == UP_TO_RC);
    CHECK(holds("[l+=1 x:=5]? --- [l+=2 l==[1 2]] [x==?]") == UP_TO_RA);
    CHECK(violates_every_level("[l+=1 x:=5] --- [l+=2 l==[1 2] x==?]"));
    // It was taken up at the first own append, before x was read.
    CHECK(violates_every_level("[l+=1 x:=5] --- [l+=2 x==? l==[1 2]]"));
    CHECK(holds("[l+=1 x:=5] --- [x==? l+=2 l==[1 2]]") == UP_TO_RC);
    CHECK(violates_every_level("[l+=1]! --- [l+=2 l==[1 2]]"));
    CHECK(violates_every_level("[l+=2 l==[1 2]]"));
}

static void
lists_order_those_who_append(void)
{
    CHECK(violates_every_level("[l+=1] [l+=2 l==[2]]"));
    CHECK(violates_every_level(
        "[l+=1] --- [l+=2] --- [l==[1 2]] --- [l==[2 1]]"));
    CHECK(violates_every_level(
        "[l+=1 m+=1] --- [l+=2 m+=2] --- [l==[1 2]] --- [m==[2 1]]"));
    CHECK(holds("[l+=1 x:=1] --- [l+=2] --- [l==[1 2] x==?]") == UP_TO_CC);
}

static void
only_those_who_count_bind(void)
{
    CHECK(holds_everywhere("[l+=1]! --- [l+=1] --- [l==[1]]"));
    CHECK(holds_everywhere("[l+=1] --- [l+=2] --- [l==[1 2]] --- [l==[2 1]]?"));
    CHECK(holds_everywhere("[l+=1 l==[7 1]]! --- [l+=2] --- [l==[2]]"));
    // Who must have appended an element counts, and so does what it read.
    CHECK(violates_every_level("[x==7 l+=1]? --- [l==[1]]"));
    CHECK(violates_every_level("[l+=1 l==[7 1]]? --- [l+=2 l==[7 1 2]]"));
}

static void
of_several_authors_of_an_element_any_may_be_the_one_seen(void)
{
    CHECK(holds_everywhere("[l+=1] --- [l+=1] --- [l==[1]]"));
    CHECK(holds_everywhere("[l+=1] --- [l+=1 l==[1]]"));
    CHECK(holds_everywhere("[l+=1 l+=2] --- [l+=1] --- [l==[1 2]]"));
    CHECK(holds_everywhere("[l+=1 l==[1] l+=1]"));
    CHECK(violates_every_level("[l+=1 l==[1]] --- [l+=1 l==[1]]"));
    CHECK(violates_every_level("[l+=1] --- [l+=1] --- [l==[1 1]]"));
    CHECK(violates_every_level("[l+=1 l+=2] --- [l+=2 l+=1] --- [l==[1]]"));
    CHECK(holds("[l+=1 x:=1] --- [l+=1 x:=2] --- [l==[1] x==?]") == 0);
    CHECK(holds_everywhere("[l+=1 x:=1]? --- [l+=1] --- [l==[1] x==?]"));
}

static void
elements_may_look_like_the_initial_value(void)
{
    CHECK(violates_every_level("[l+=0 l+=1] --- [l==[0]]"));
    CHECK(holds_everywhere("[l+=0] --- [l==[0]] --- [l==[]]"));
}

int
main(void)
{
    RUN(a_list_has_all_of_a_transaction_together_or_nothing);
    RUN(a_list_ends_with_the_own_elements_so_far);
    RUN(what_stands_before_own_elements_was_read_from_others);
    RUN(lists_order_those_who_append);
    RUN(only_those_who_count_bind);
    RUN(of_several_authors_of_an_element_any_may_be_the_one_seen);
    RUN(elements_may_look_like_the_initial_value);
    return test_end();
}

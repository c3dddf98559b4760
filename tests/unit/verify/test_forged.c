/* test_forged.c -- forged certificates, each beside the honest one.
 *
 * The forger (tests/model) damages certificates at random; these are cases
 * that chance rarely makes: all of the certificate is consistent except for one
 * claim about the history.
 *
 * SPDX-License-Identifier: MIT */
#include "verify/verify.h"

#include "hist.h"
#include "test.h"

static bool
is_accepted(const struct history *h, const struct certificate *c)
{
    struct err err = {0};
    const bool ok = verify_certificate(h, c, &err);
    CHECK(ok == (err.kind == ERR_NONE));
    return ok;
}

/* The first external read of h. */
static op_id
read_of(const struct history *h)
{
    op_id op = 0;
    while (op < h->n_ops && !op_is_external_read(h, op))
        op++;
    CHECK(op < h->n_ops);
    return op;
}

/* Two transactions write x = 1, and the one between them and the reader
 * writes x = 2.  A choice of that one is no writer of what was read, although
 * its version is the present one. */
static void
a_chosen_writer_has_written_the_value(void)
{
    struct history h;
    hist(&h, "[x:=2] [x:=1] [x:=1] [x==1]");
    struct choice choice = {.read = read_of(&h), .writer = 2};
    uint32_t order[] = {0, 1, 2, 3};
    struct certificate c = {.level = LEVEL_SER,
                            .verdict = VERDICT_OK,
                            .kind = EVIDENCE_ORDER,
                            .order = {.at = order, .n = 4},
                            .choices = {.at = &choice, .n = 1}};
    CHECK(is_accepted(&h, &c));
    history_free(&h);

    hist(&h, "[x:=1] [x:=1] [x:=2] [x==1]");
    choice.read = read_of(&h);
    CHECK(!is_accepted(&h, &c));
    history_free(&h);
}

/* A read of an intermediate value is a flaw, but no aborted read. */
static void
an_aborted_read_is_of_an_aborted_transaction(void)
{
    struct history h;
    flaw_vec flaws = {0};
    hist(&h, "[x:=1 x:=2] --- [x==1]");
    CHECK(history_flaws(&h, 1, &flaws) == 1);
    struct certificate c = {.level = LEVEL_SER,
                            .verdict = VERDICT_VIOLATED,
                            .kind = EVIDENCE_FLAW,
                            .flaw = flaws.at[0]};
    CHECK(c.flaw.kind == FLAW_NOT_LATEST);
    CHECK(is_accepted(&h, &c));
    c.flaw.kind = FLAW_ABORTED;
    CHECK(!is_accepted(&h, &c));
    history_free(&h);

    vec_clear(&flaws);
    hist(&h, "[x:=1]! --- [x==1]");
    CHECK(history_flaws(&h, 1, &flaws) == 1);
    c.flaw = flaws.at[0];
    CHECK(c.flaw.kind == FLAW_ABORTED);
    CHECK(is_accepted(&h, &c));
    c.flaw.kind = FLAW_NOT_LATEST;
    CHECK(!is_accepted(&h, &c));
    history_free(&h);
    vec_free(&flaws);
}

int
main(void)
{
    RUN(a_chosen_writer_has_written_the_value);
    RUN(an_aborted_read_is_of_an_aborted_transaction);
    return test_end();
}

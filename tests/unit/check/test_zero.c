/* test_zero.c -- a result that was never written claims nothing.
 *
 * Results are cleared before they are filled, so a path that forgets to fill
 * one leaves zero.  Zero must then mean that there is no answer, in every
 * enumeration that says what a history, a search or a proof came to.  Those of
 * the prover are in prove/robust/test_locks.c: their headers need Z3.
 *
 * SPDX-License-Identifier: MIT */
#include "evidence/certificate.h"
#include "explain/refute.h"
#include "pipeline/distinguish.h"
#include "predict/predict.h"
#include "replay/replay.h"
#include "sat/sat.h"

#include "test.h"

static void
zero_is_no_verdict(void)
{
    const struct certificate c = {0};
    CHECK(c.verdict == VERDICT_UNKNOWN && c.kind == EVIDENCE_NONE);
    const struct prediction p = {0};
    CHECK(p.answer == PREDICT_UNKNOWN);
}

static void
zero_is_no_result_of_a_search(void)
{
    CHECK((enum sat_answer)0 == SAT_UNKNOWN);
    CHECK((enum refute_verdict)0 == REFUTE_TOO_LONG);
    CHECK((enum replay_outcome)0 == REPLAY_NONE);
    CHECK((enum distinguish_end)0 == DISTINGUISH_NOTHING);
}

int
main(void)
{
    RUN(zero_is_no_verdict);
    RUN(zero_is_no_result_of_a_search);
    return test_end();
}

/* test_names.c -- anomalies have the right name, and are described well.
 *
 * SPDX-License-Identifier: MIT */
#include "corpus.h"
#include "explained.h"

/* --- names
 * -------------------------------------------------------------------*/

static const char *
name_at(const char *text, enum level level)
{
    struct history h;
    struct explanation e;
    hist(&h, text);
    const char *name = "ok";
    if (explain(&h, level, 1, &e)) {
        name = anomaly_table[e.anomalies.at[0].kind].name;
        check_anomaly(&e.anomalies.at[0], level);
        explanation_free(&e);
    }
    history_free(&h);
    return name;
}

#define NAMED(text, level, name) CHECK_TEXT(name_at(text, level), name)

static void
inconsistent_reads_have_their_names(void)
{
    NAMED("[x==7]", LEVEL_RC, "thin-air-read");
    NAMED("[x:=1]! --- [x==1]", LEVEL_SER, "aborted-read");
    NAMED("[x==1 x:=1]", LEVEL_SER, "future-read");
    NAMED("[x:=1] --- [x:=2 x==1]", LEVEL_SI, "not-own-write");
    NAMED("[x:=1 x:=2] --- [x==1]", LEVEL_RA, "not-latest-write");
    NAMED("[l+=1] --- [l+=2] --- [l==[1 2]] --- [l==[2 1]]", LEVEL_SER,
          "incompatible-order");
    NAMED("[l+=1] --- [l==[1 1]]", LEVEL_SER, "duplicate-elements");
}

static void
cycles_have_their_names(void)
{
    NAMED("[x:=1 y:=1] --- [y:=2 x:=2] --- [x==1 y==2] --- [x==2 y==2]",
          LEVEL_RC, "ok");
    NAMED("[l+=1 m+=1] --- [l+=2 m+=2] --- [l==[1 2]] --- [m==[2 1]]", LEVEL_RC,
          "dirty-write");
    NAMED("[x:=1 y==1] --- [y:=1 x==1]", LEVEL_RC, "circular-information-flow");
    NAMED("[x==? x==1] --- [x:=1]", LEVEL_SER, "non-repeatable-read");
    NAMED("[x==1 y==?] --- [x:=1 y:=1]", LEVEL_SER, "fractured-read");
    NAMED("[y==? x==1] --- [x:=1 y:=1]", LEVEL_SER, "read-skew");
    NAMED("[x:=1] [x==?]", LEVEL_SI, "read-your-writes-violation");
    NAMED("[x:=1] --- [x==1] [x==?]", LEVEL_CC, "non-monotonic-read");
    NAMED("[x:=1] [y:=1] --- [y==1 x==?]", LEVEL_CC,
          "monotonic-write-violation");
    NAMED("[x:=1] --- [x==1 y:=1] --- [y==1 x==?]", LEVEL_SER,
          "causality-violation");
    NAMED("[x:=1]@1..2 --- [x==?]@3..4", LEVEL_STRICT_SER, "stale-read");
    NAMED("[x==? x:=1] --- [x==? x:=2]", LEVEL_SER, "lost-update");
    NAMED("[x==? x:=1] --- [x==? x:=2]", LEVEL_PSI, "lost-update");
    NAMED("[x==1 y==?] --- [x==? y==1] --- [x:=1] --- [y:=1]", LEVEL_PC,
          "long-fork");
    NAMED("[x:=1] [y==?] --- [y:=1] [x==?]", LEVEL_SI, "long-fork");
    NAMED("[x==? y:=1] --- [y==? x:=1]", LEVEL_SER, "write-skew");
    NAMED("[y:=20] --- [x==? y==? x:=11] --- [x==? y==20]", LEVEL_SER,
          "read-only-anomaly");
    NAMED("[x==? y:=1] --- [y==? z:=1] --- [z==? x:=1]", LEVEL_SER, "g2-item");
}

/* A list that a possibly aborted transaction read is no evidence: it is
 * neither a reason against the others nor one to be shown. */
static void
lists_of_aborted_transactions_are_no_evidence(void)
{
    NAMED("[l+=5 l==[5]]? --- [l+=1] --- [l==[1]]", LEVEL_SER, "ok");
    NAMED("[l==[1 2]]? --- [l==[1 2]] --- [l==[2]] --- [l+=1] --- [l+=2]",
          LEVEL_RC, "incompatible-order");
    NAMED("[l+=1] [l+=2 l==[1 2] l==[2]] --- [l==[1]]?", LEVEL_SER,
          "incompatible-order");
}

/* The second transaction of the first session writes initial values and nothing
 * else: without the aborted one before it, it would be part of the loading. */
static void
earlier_transactions_stay_where_they_matter(void)
{
    NAMED("[q:=1]! [x:=? w:=?] --- [x:=1 w:=1] [x==? w==1]", LEVEL_RA,
          "fractured-read");
}

static void
check_name(struct corpus_case *c)
{
    static const struct {
        const char *file, *name;
    } known[] = {
        {"stale-read-own-session", "read-your-writes-violation"},
        {"mariadb-mixed-snapshot", "fractured-read"},
        {"g1c", "circular-information-flow"},
    };
    const char *expected = c->name;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(c->name, known[i].file) == 0)
            expected = known[i].name;
    for (int l = 0; l < LEVELS; l++) {
        struct explanation e;
        if (!(c->violated >> l & 1) || !explain(&c->h, (enum level)l, 1, &e))
            continue;
        CHECK_TEXT(anomaly_table[e.anomalies.at[0].kind].name, expected);
        explanation_free(&e);
    }
}

/* PolySI's example from Galera. */
static void
check_galera(struct corpus_case *c)
{
    struct explanation e;
    if (strncmp(c->name, "si-polysi-galera", 16) != 0)
        return;
    const bool violated = explain(&c->h, LEVEL_SI, 1, &e);
    CHECK(violated);
    if (!violated)
        return;
    CHECK_TEXT(anomaly_table[e.anomalies.at[0].kind].name, "lost-update");
    CHECK(e.anomalies.at[0].reduced.n_txns == 3);
    explanation_free(&e);
}

static void
galera_lost_an_update(void)
{
    if (!corpus_each("real", check_galera))
        SKIP("the corpus is not here (ASSAY_CORPUS)");
}

static void
named_histories_get_their_names_at_every_level(void)
{
    if (!corpus_each("named", check_name))
        SKIP("the corpus is not here (ASSAY_CORPUS)");
}

/* --- the rest ----------------------------------------------------------------
 */

static void
distinct_anomalies_are_listed_separately(void)
{
    struct history h;
    struct explanation e;
    hist(&h, "[x==? x:=1] --- [x==? x:=2] --- [a==? b:=1] --- [b==? a:=1] "
             "--- [q==7]");
    CHECK(explain(&h, LEVEL_SER, 5, &e));
    CHECK(e.anomalies.n == 3);
    CHECK(e.anomalies.at[0].kind == ANOMALY_THIN_AIR);
    CHECK(e.anomalies.at[1].kind == ANOMALY_LOST_UPDATE);
    CHECK(e.anomalies.at[2].kind == ANOMALY_WRITE_SKEW);
    explanation_free(&e);
    history_free(&h);
}

static void
operations_that_do_not_matter_are_left_out(void)
{
    struct history h;
    struct explanation e;
    hist(&h, "[a:=1 x==? b:=1 x:=1 c==?] --- [d:=4 x==? e==? x:=2]");
    CHECK(explain(&h, LEVEL_SER, 1, &e));
    CHECK(e.anomalies.at[0].reduced.n_ops == 4);
    CHECK_TEXT(e.anomalies.at[0].headline,
               "lost update on key x, 2 transactions");
    explanation_free(&e);
    history_free(&h);
}

/* The reasons end in a contradiction and use the ids of the input. */
static void
reasons_name_the_transactions_of_the_input(void)
{
    struct history h;
    struct explanation e;
    hist(&h, "[a:=1] deposit[x==? x:=1] --- [b:=1] [c:=1] withdraw[x==? x:=2]");
    CHECK(explain(&h, LEVEL_SI, 1, &e));
    const struct anomaly *a = &e.anomalies.at[0];
    CHECK_TEXT(a->story,
               "deposit and withdraw both read x = nil from the "
               "initial state and then wrote x: whichever of them "
               "came second overwrote an update that it had not seen");
    CHECK(strstr(vec_top(&a->steps).text, "is violated"));
    explanation_free(&e);
    history_free(&h);
}

int
main(void)
{
    RUN(inconsistent_reads_have_their_names);
    RUN(cycles_have_their_names);
    RUN(lists_of_aborted_transactions_are_no_evidence);
    RUN(earlier_transactions_stay_where_they_matter);
    RUN(named_histories_get_their_names_at_every_level);
    RUN(galera_lost_an_update);
    RUN(distinct_anomalies_are_listed_separately);
    RUN(operations_that_do_not_matter_are_left_out);
    RUN(reasons_name_the_transactions_of_the_input);
    return test_end();
}

/* test_explain.c -- what is told is small, violates the level, and has the
 * right name.
 *
 * What the reduced histories satisfy is not asked of the engines that reduced
 * them: it is asked of refute.c, and of the oracle of the model tests where
 * they are small enough, as most are.
 *
 * SPDX-License-Identifier: MIT */
#include "explain/explain.h"
#include "explain/reduce/subhistory.h"
#include "explain/refute.h"

#include "corpus.h"
#include "hist.h"
#include "oracle.h"
#include "random_history.h"
#include "test.h"

#include <unistd.h>

static size_t asked_oracle;

/* --- asking ----------------------------------------------------------------
 */

static enum oracle_answer
ask_oracle(const struct history *h, enum level level)
{
    struct record r;
    record_take(h, &r);
    const enum oracle_answer answer = oracle(&r, level);
    record_free(&r);
    return answer;
}

static bool
is_violated(const struct history *h, enum level level)
{
    flaw_vec flaws = {0};
    const size_t n = history_flaws(h, 1, &flaws);
    vec_free(&flaws);
    if (n || level == LEVEL_READS)
        return n;
    struct model m;
    struct refutation r;
    model_init(&m, h, level);
    const enum refute_verdict v = refute_model(&m, 4000000000, &r);
    model_free(&m);
    if (v == REFUTE_YES)
        refutation_free(&r);
    CHECK(v != REFUTE_TOO_LONG);
    const enum oracle_answer truth = ask_oracle(h, level);
    if (truth != ORACLE_TOO_LONG) {
        CHECK((truth == ORACLE_OK) == (v != REFUTE_YES));
        asked_oracle++;
    }
    return v == REFUTE_YES;
}

/* An inconsistent read, and no cycle. */
static bool
is_flaw(const struct anomaly *a)
{
    return a->kind <= ANOMALY_LOST_APPEND ||
           (a->kind == ANOMALY_DIRTY_WRITE && !a->cycle.n);
}

/* Whether t of the reduced history is to blame: others are there because lists
 * show what they appended. */
static bool
is_blamed(const struct anomaly *a, txn_id t)
{
    struct buf name = {0};
    history_show_txn(&a->reduced, t, &name);
    bool blamed = false;
    for (size_t i = 0; i < a->txns.n; i++)
        blamed |= !a->txns.at[i].is_context && !a->txns.at[i].is_init &&
                  strcmp(a->txns.at[i].id, name.at) == 0;
    buf_free(&name);
    return blamed;
}

/* The transactions to blame alone, with what of the lists is theirs. */
static void
take_blamed(const struct anomaly *a, struct history *out)
{
    u32_vec txns = {0};
    for (txn_id t = 0; t < a->reduced.n_txns; t++)
        if (is_blamed(a, t))
            vec_push(&txns, t);
    CHECK(txns.n == a->blamed);
    const struct subhistory_wish wish = {
        .txns = txns.at, .n = txns.n, .inconsistent = is_flaw(a)};
    txn_id *origin = mem_alloc(txns.n, sizeof *origin);
    struct err err = {0};
    CHECK(subhistory_make(&a->reduced, &wish, out, origin, &err));
    mem_free(origin);
    vec_free(&txns);
}

static bool
is_violated_without(const struct anomaly *a, const struct history *h,
                    txn_id out, enum level level)
{
    u32_vec rest = {0};
    for (txn_id t = 0; t < h->n_txns; t++)
        if (t != out)
            vec_push(&rest, t);
    struct history part;
    struct err err = {0};
    txn_id *origin = mem_alloc(h->n_txns, sizeof *origin);
    const struct subhistory_wish wish = {
        .txns = rest.at, .n = rest.n, .inconsistent = is_flaw(a)};
    CHECK(subhistory_make(h, &wish, &part, origin, &err));
    bool violated = is_violated(&part, level);
    // A transaction that now only loads initial values is not what it was.
    for (txn_id t = 0; t < part.n_txns; t++)
        violated = violated && part.txn_status[t] != TXN_LOADING;
    history_free(&part);
    mem_free(origin);
    vec_free(&rest);
    return violated;
}

/* Check h against the level and explain; false where it holds.  Every
 * violation has a story, however little time there is. */
static bool
explain_within(double seconds, const struct history *h, enum level level,
               size_t most, struct explanation *out)
{
    struct check c;
    struct err err = {0};
    const struct check_options options = {.levels = 1u << level,
                                          .threads = 1,
                                          .most_flaws = 20,
                                          .strong = strong_defaults};
    const struct explain_options how = {
        .most = most,
        .work = seconds > 0 ? (uint64_t)(seconds * (double)BUDGET_SECOND) : 0,
        .context = 4,
        .threads = 1,
        .strong = strong_defaults};
    CHECK(check_history(h, &options, &c, &err));
    const struct level_result *r = &c.results.at[0];
    const bool violated = r->certificate.verdict == VERDICT_VIOLATED;
    if (violated) {
        CHECK(explain_result(h, &c, r, &how, out, &err));
        CHECK(out->anomalies.n >= 1 && out->anomalies.n <= most);
    }
    check_free(&c);
    return violated;
}

static bool
explain(const struct history *h, enum level level, size_t most,
        struct explanation *out)
{
    return explain_within(100, h, level, most, out);
}

/* --- properties ------------------------------------------------------------
 */

static void
check_edges(const struct anomaly *a)
{
    for (size_t i = 0; i < a->edges.n; i++) {
        const struct told_edge *e = &a->edges.at[i];
        CHECK(e->from < a->txns.n && e->to < a->txns.n && e->reason);
        CHECK(e->from_op == TOLD_NONE ||
              e->from_op < a->txns.at[e->from].n_ops);
        CHECK(e->to_op == TOLD_NONE || e->to_op < a->txns.at[e->to].n_ops);
    }
    for (size_t i = 0; i < a->cycle.n; i++)
        CHECK(a->edges.at[a->cycle.at[i]].to ==
              a->edges.at[a->cycle.at[(i + 1) % a->cycle.n]].from);
    CHECK(a->steps.n && *a->headline && *a->story);
}

/* As a file, too, the reduced history violates the level. */
static void
check_file(const struct anomaly *a, enum level level)
{
    const char *dir = getenv("TMPDIR");
    struct buf path = {0};
    struct err err = {0};
    struct history again;
    buf_printf(&path, "%s/assay-reduced-XXXXXX", dir ? dir : "/tmp");
    const int file = mkstemp(path.at);
    CHECK(file >= 0);
    close(file);
    const struct format *format = format_find("jsonl");
    if (format->holds(&a->reduced, &err)) {
        CHECK(format_write(&a->reduced, format, path.at, &err));
        CHECK(format_read(path.at, "jsonl", 1, &again, NULL, &err));
        CHECK(is_violated(&again, level));
        history_free(&again);
    }
    unlink(path.at);
    buf_free(&path);
}

static void
check_anomaly(const struct anomaly *a, enum level level)
{
    check_edges(a);
    CHECK(!a->unfinished);
    CHECK(a->reduced.key_is_list ? a->blamed <= a->reduced.n_txns
                                 : a->blamed == a->reduced.n_txns);
    CHECK(is_violated(&a->reduced, level));
    // The list of a flaw is one, and not made of parts.
    if (is_flaw(a) && a->reduced.key_is_list)
        return;
    struct history blamed;
    take_blamed(a, &blamed);
    for (int l = 0; l < LEVELS; l++)
        if (a->holds >> l & 1)
            CHECK(!is_violated(&blamed, (enum level)l));
        else if (a->violated >> l & 1 && !is_flaw(a))
            CHECK(is_violated(&blamed, (enum level)l));
    // What an inconsistent read violates is read consistency.
    const enum level least = is_flaw(a) ? LEVEL_READS : level;
    for (txn_id t = 0; t < blamed.n_txns; t++)
        CHECK(!is_violated_without(a, &blamed, t, least));
    history_free(&blamed);
}

static void
check_case(struct corpus_case *c)
{
    for (int l = 0; l < LEVELS; l++) {
        struct explanation e;
        if (!(c->violated >> l & 1) || !explain(&c->h, (enum level)l, 3, &e))
            continue;
        const bool before = test_ok;
        for (size_t i = 0; i < e.anomalies.n; i++)
            check_anomaly(&e.anomalies.at[i], (enum level)l);
        check_file(&e.anomalies.at[0], (enum level)l);
        if (before && !test_ok)
            printf("# first in %s at %s\n", c->name, level_table[l].brief);
        explanation_free(&e);
    }
}

/* Whether fewer than 'size' of the transactions of h violate the level. */
static bool
fewer_violate(const struct history *h, enum level level, size_t size)
{
    struct err err = {0};
    txn_id picked[16], origin[16];
    bool found = false;
    for (uint32_t set = 1; !found && set < 1u << h->n_txns; set++) {
        size_t n = 0;
        for (txn_id t = 0; t < h->n_txns; t++)
            if (set >> t & 1 && h->txn_counts[t])
                picked[n++] = t;
        if (!n || n >= size)
            continue;
        struct history part;
        const struct subhistory_wish wish = {.txns = picked, .n = n};
        CHECK(subhistory_make(h, &wish, &part, origin, &err));
        found = is_violated(&part, level);
        for (txn_id t = 0; t < part.n_txns; t++)
            found = found && part.txn_status[t] != TXN_LOADING;
        history_free(&part);
    }
    return found;
}

static void
check_fewest(struct corpus_case *c)
{
    for (int l = LEVEL_RC; l <= LEVEL_CC; l++) {
        struct explanation e;
        if (!(c->violated >> l & 1) || !explain(&c->h, (enum level)l, 1, &e))
            continue;
        const struct anomaly *a = &e.anomalies.at[0];
        if (a->kind > ANOMALY_DUPLICATE)
            CHECK(!fewer_violate(&c->h, (enum level)l, a->blamed));
        explanation_free(&e);
    }
}

static void
tiny_histories_are_reduced_to_the_fewest_transactions(void)
{
    if (!corpus_each("tiny", check_fewest))
        SKIP("the corpus is not here (ASSAY_CORPUS)");
}

static void
reduced_tiny_histories_are_minimal(void)
{
    if (!corpus_each("tiny", check_case))
        SKIP("the corpus is not here (ASSAY_CORPUS)");
}

static void
reduced_named_histories_are_minimal(void)
{
    if (!corpus_each("named", check_case))
        SKIP("the corpus is not here (ASSAY_CORPUS)");
}

static void
check_real_case(struct corpus_case *c)
{
    const double begin = time_now();
    check_case(c);
    CHECK(time_now() - begin < 10);
}

static void
reduced_real_histories_are_minimal_and_soon_there(void)
{
    if (!corpus_each("real", check_real_case))
        SKIP("the corpus is not here (ASSAY_CORPUS)");
}

static void
check_random(uint64_t seed, struct random_shape shape)
{
    shape.times = seed % 3 == 0;
    struct corpus_case c = {.name = "a random history"};
    random_history(&shape, seed, &c.h);
    c.violated = level_implied(shape.times ? LEVEL_STRICT_SER : LEVEL_SER) &
                 ~(1u << LEVEL_READS);
    const bool before = test_ok;
    test_ok = true;
    check_case(&c);
    if (!test_ok)
        printf("# seed %llu\n", (unsigned long long)seed);
    test_ok = test_ok && before;
    history_free(&c.h);
}

static void
check_text(const char *text, enum level level)
{
    struct corpus_case c = {
        .name = text, .violated = level_implied(level) & ~(1u << LEVEL_READS)};
    hist(&c.h, text);
    check_case(&c);
    history_free(&c.h);
}

/* Found by random histories: other mistakes in the same transactions. */
static void
what_else_is_wrong_does_not_get_in_the_way(void)
{
    // An element that an aborted transaction appended, in a list that also
    // contradicts another.
    check_text("[l+=3]! [l==[3 4]] --- [l+=4] [l+=10 l==[10]]", LEVEL_SER);
    // One who read his own element before he appended it.
    check_text("[l+=6 l==[6]] --- [l==[1 6] l+=1]", LEVEL_SER);
    // A time that nobody knows: the first one may have ended much later.
    check_text("[x:=1]?@1..2 [x==2]@5..9 --- [x:=2]@4..6 --- [x==1]@8..10",
               LEVEL_STRICT_SER);
}

/* Without time, what the evidence rests on is told as it is. */
static void
check_hurried(uint64_t seed)
{
    struct random_shape shape = seed % 4 == 0
                                    ? random_plain_list_shape(seed, 12)
                                    : random_tiny_shape(seed, 12);
    shape.aborted = 20;
    shape.initial = 30;
    shape.indeterminate = 0;
    struct history h;
    random_history(&shape, seed, &h);
    for (int l = LEVEL_RC; l <= LEVEL_SER; l++) {
        struct explanation e;
        if (!explain_within(-100, &h, (enum level)l, 2, &e))
            continue;
        for (size_t i = 0; i < e.anomalies.n; i++) {
            const struct anomaly *a = &e.anomalies.at[i];
            check_edges(a);
            CHECK(a->unfinished || is_flaw(a));
            CHECK(is_violated(&a->reduced, (enum level)l));
        }
        explanation_free(&e);
    }
    history_free(&h);
}

/* How many seeds: SEEDS in the environment asks for more. */
static uint64_t
seeds(void)
{
    const char *const wanted = getenv("SEEDS");
    return wanted ? strtoull(wanted, NULL, 10) : 40;
}

static void
reduced_random_histories_are_minimal(void)
{
    for (uint64_t seed = 1; seed <= seeds(); seed++)
        check_random(seed, random_tiny_shape(seed, 12));
}

/* Whoever counts is a choice. */
static void
reduced_random_optional_histories_are_minimal(void)
{
    for (uint64_t seed = 1; seed <= seeds(); seed++)
        check_random(seed, random_optional_shape(seed, 8));
}

static void
reduced_random_lists_are_minimal(void)
{
    for (uint64_t seed = 1; seed <= seeds(); seed++)
        check_random(seed, random_plain_list_shape(seed, 12));
    // Several appends, own reads and damaged lists in one transaction.
    for (uint64_t seed = 1; seed <= seeds(); seed++) {
        struct random_shape shape = random_list_shape(seed, 10);
        shape.indeterminate = 0;
        shape.repeats = 0;
        check_random(seed, shape);
    }
}

static void
every_violation_has_a_story_however_little_time_there_is(void)
{
    for (uint64_t seed = 1; seed <= 3 * seeds(); seed++)
        check_hurried(seed);
}

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

/* Whether somebody who may have aborted saw a list says nothing about it: it is
 * neither a reason against the others nor one to be shown. */
static void
lists_of_those_who_do_not_count_are_no_reason(void)
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
what_came_before_stays_where_it_matters(void)
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
distinct_anomalies_are_told_apart(void)
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
reasons_speak_of_the_transactions_of_the_input(void)
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

static void
the_oracle_was_asked(void)
{
    printf("# %zu times\n", asked_oracle);
    CHECK(asked_oracle > 100);
}

int
main(void)
{
    RUN(inconsistent_reads_have_their_names);
    RUN(cycles_have_their_names);
    RUN(lists_of_those_who_do_not_count_are_no_reason);
    RUN(what_came_before_stays_where_it_matters);
    RUN(named_histories_get_their_names_at_every_level);
    RUN(galera_lost_an_update);
    RUN(distinct_anomalies_are_told_apart);
    RUN(operations_that_do_not_matter_are_left_out);
    RUN(reasons_speak_of_the_transactions_of_the_input);
    RUN(reduced_named_histories_are_minimal);
    RUN(reduced_tiny_histories_are_minimal);
    RUN(tiny_histories_are_reduced_to_the_fewest_transactions);
    RUN(reduced_real_histories_are_minimal_and_soon_there);
    RUN(what_else_is_wrong_does_not_get_in_the_way);
    RUN(reduced_random_histories_are_minimal);
    RUN(reduced_random_optional_histories_are_minimal);
    RUN(reduced_random_lists_are_minimal);
    RUN(every_violation_has_a_story_however_little_time_there_is);
    RUN(the_oracle_was_asked);
    return test_end();
}

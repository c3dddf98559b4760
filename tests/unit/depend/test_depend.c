/* test_depend.c -- versions, reads, candidates, and what lists and certain
 * reads say about order.
 *
 * SPDX-License-Identifier: MIT */
#include "test.h"

#include "depend/dependencies.h"
#include "depend/happens_before.h"
#include "depend/init_edges.h"
#include "depend/list_edges.h"
#include "depend/precedence.h"
#include "hist.h"

/* --- candidates ------------------------------------------------------------*/

static bool
is_odd(void *context, uint32_t item)
{
    ++*(int *)context;
    return item % 2;
}

static void
a_shared_range_is_copied_before_it_changes(void)
{
    struct candidate_pool pool = {0};
    for (uint32_t i = 1; i <= 6; i++)
        vec_push(&pool.items, i);
    pool.shared = pool.items.n;
    struct candidates c = {.n = 6}, other = c;
    int calls = 0;
    candidates_filter(&pool, &c, is_odd, &calls);
    CHECK(calls == 6 && c.n == 3 && c.first >= pool.shared);
    for (uint32_t i = 0; i < c.n; i++)
        CHECK(pool.items.at[c.first + i] == 2 * (i + 1));
    for (uint32_t i = 0; i < other.n; i++)
        CHECK(pool.items.at[other.first + i] == i + 1);
    const size_t first = c.first;
    candidates_filter(&pool, &c, is_odd, &calls); // nothing to drop
    CHECK(calls == 9 && c.n == 3 && c.first == first);
    vec_free(&pool.items);
}

static void
a_range_that_keeps_everything_stays_shared(void)
{
    struct candidate_pool pool = {0};
    vec_push(&pool.items, 2);
    vec_push(&pool.items, 4);
    pool.shared = 2;
    struct candidates c = {.n = 2};
    int calls = 0;
    candidates_filter(&pool, &c, is_odd, &calls);
    CHECK(c.n == 2 && c.first == 0 && pool.items.n == 2);
    vec_free(&pool.items);
}

/* --- dependencies ----------------------------------------------------------*/

static void
an_unambiguous_read_has_a_version_and_an_edge(void)
{
    struct history h;
    struct dependencies d;
    hist(&h, "[x:=1] --- [x==1 x:=2] --- [x==?]");
    dependencies_init(&d, &h, LEVEL_SER, UINT32_MAX);
    dependencies_check(&d);
    CHECK(d.n_txns == 3 && d.n_versions == 3 && d.n_reads == 2);
    CHECK(!d.ambiguous.n);
    CHECK(d.version_txn[d.read_version[0]] == 0);
    CHECK(version_is_init(&d, d.read_version[1]));
    // 0 wr 1, and the reader of the initial value precedes both writers.
    CHECK(d.g.edges.n == 3 && d.base_edges == 3);
    dependencies_free(&d);
    history_free(&h);
}

static void
versions_are_by_transaction_and_listed_by_key(void)
{
    struct history h;
    struct dependencies d;
    hist(&h, "[x:=1 y:=1] [x:=2] [x:=3] --- [y:=2] [x:=4] --- [x:=5]");
    dependencies_init(&d, &h, LEVEL_SER, UINT32_MAX);
    dependencies_check(&d);
    CHECK(d.n_versions == 9 && d.write_first[0] == 2 && !d.version_value);
    CHECK(depend_find_written(&d, 0, 1) == d.write_first[1]);
    CHECK(!depend_writes(&d, 1, 1) && depend_writes(&d, 3, 1));
    const uint32_t first = d.key_first[0] + 1; // of x
    CHECK(depend_skip_chain(&d, 0, first + 1, 0) == first + 3);
    CHECK(depend_skip_chain(&d, 0, first + 4, 1) == first + 4);
    CHECK(depend_skip_chain(&d, 0, first + 4, 2) == d.key_first[1]);
    dependencies_free(&d);
    history_free(&h);
}

static void
edges_of_initial_reads_that_follow_can_be_left_out(void)
{
    struct history h;
    struct dependencies d;
    hist(&h, "[x==? a:=1] --- [a==1 b:=1] --- [b==1 x:=1 c:=1] --- "
             "[c==1 x:=2] --- [x:=3]");
    dependencies_init(&d, &h, LEVEL_SER, UINT32_MAX);
    dependencies_check(&d);
    CHECK(d.g.edges.n == 3 + 3);
    dependencies_free(&d);
    // Two of the three writers come after the reader anyway.
    dependencies_init(&d, &h, LEVEL_SER, 0);
    dependencies_check(&d);
    init_edges_check(&d);
    CHECK(d.g.edges.n == 3 + 1 && vec_top(&d.g.edges).to == 4);
    dependencies_free(&d);
    history_free(&h);
}

static void
a_duplicate_value_makes_a_read_ambiguous(void)
{
    struct history h;
    struct dependencies d;
    hist(&h, "[x:=1] --- [x:=1] --- [x==1]");
    dependencies_init(&d, &h, LEVEL_SI, UINT32_MAX);
    dependencies_check(&d);
    CHECK(d.ambiguous.n == 1 && d.ambiguous.at[0].n == 2);
    CHECK(d.two_points && !d.g.edges.n);
    depend_fix(&d, d.ambiguous.at[0].read, depend_find_version(&d, 0, 1));
    CHECK(d.version_txn[d.read_version[0]] == 1);
    dependencies_free(&d);
    history_free(&h);
}

static void
time_takes_two_edges_a_transaction(void)
{
    struct history h;
    struct dependencies d;
    hist(&h, "[x:=1]@1..2 --- [y:=1]@3..4 --- [z:=1]@1..9");
    CHECK(precedence_by_time(&h, 0, 1) && !precedence_by_time(&h, 0, 2));
    CHECK(!precedence_by_session(&h, 0, 1));
    dependencies_init(&d, &h, LEVEL_STRICT_SER, UINT32_MAX);
    dependencies_check(&d);
    CHECK(d.g.n == 4 && d.g.edges.n == 2); // an instant between 2 and 3
    dependencies_free(&d);
    history_free(&h);
}

/* The edges that a history without conflicts has at strict serializability. */
static size_t
count_times(const char *text)
{
    struct history h;
    struct dependencies d;
    hist(&h, text);
    dependencies_init(&d, &h, LEVEL_STRICT_SER, UINT32_MAX);
    const size_t n = d.g.edges.n;
    dependencies_free(&d);
    history_free(&h);
    return n;
}

static void
what_ends_when_another_begins_overlaps_it(void)
{
    CHECK(count_times("[x:=1]@1..2 --- [y:=1]@3..4") == 2);
    CHECK(count_times("[x:=1]@1..3 --- [y:=1]@3..4") == 0);
}

static void
what_has_an_unknown_outcome_may_take_effect_late(void)
{
    CHECK(count_times("[x:=1]@1..2 --- [x==1]@3..4") == 3); // and wr
    CHECK(count_times("[x:=1]?@1..2 --- [x==1]@3..4") == 1);
}

/* --- orders
 * -----------------------------------------------------------------*/

static bool
has_edge(const list_edge_vec *edges, txn_id from, txn_id to)
{
    for (size_t i = 0; i < edges->n; i++)
        if (edges->at[i].from == from && edges->at[i].to == to)
            return true;
    return false;
}

static void
lists_order_their_authors(void)
{
    struct history h;
    list_edge_vec edges = {0};
    struct list_places places;
    // What nobody read comes after what somebody did.
    hist(&h, "[l+=1] --- [l+=2] --- [l+=3] --- [l==[2 1]]");
    list_edges_find(&h, &edges);
    CHECK(edges.n == 2 && has_edge(&edges, 1, 0) && has_edge(&edges, 0, 2));
    list_places_init(&places, &h);
    CHECK(list_places_precede(&places, 1, 0));
    CHECK(list_places_precede(&places, 1, 2));
    CHECK(!list_places_precede(&places, 0, 1));
    CHECK(!list_places_precede(&places, 2, 1));
    list_places_free(&places);
    vec_free(&edges);
    history_free(&h);
}

static void
lists_of_aborted_readers_say_nothing(void)
{
    struct history h;
    list_edge_vec edges = {0};
    hist(&h, "[l+=1] --- [l+=2] --- [l==[2 1]]!");
    list_edges_find(&h, &edges);
    CHECK(!edges.n);
    vec_free(&edges);
    history_free(&h);
}

static void
reads_and_sessions_happen_before(void)
{
    struct history h;
    struct happens_before b;
    hist(&h, "[x:=1] [y:=1] --- [y==1 z:=1] --- [z==1]");
    CHECK(happens_before_init(&b, &h, NULL, h.txn_counts, SIZE_MAX));
    CHECK(happens_before_holds(&b, 0, 3) && happens_before_holds(&b, 1, 2));
    CHECK(!happens_before_holds(&b, 3, 0) && !happens_before_holds(&b, 2, 2));
    CHECK(happens_before_holds(&b, TXN_INIT, 0));
    happens_before_free(&b);
    CHECK(!happens_before_init(&b, &h, NULL, h.txn_counts, 0));
    history_free(&h);
}

static void
a_cycle_of_reads_is_found(void)
{
    struct history h;
    struct happens_before b;
    hist(&h, "[x:=1 y==1] --- [x==1 y:=1]");
    CHECK(!happens_before_init(&b, &h, NULL, h.txn_counts, SIZE_MAX));
    history_free(&h);
}

int
main(void)
{
    RUN(a_shared_range_is_copied_before_it_changes);
    RUN(a_range_that_keeps_everything_stays_shared);
    RUN(an_unambiguous_read_has_a_version_and_an_edge);
    RUN(versions_are_by_transaction_and_listed_by_key);
    RUN(edges_of_initial_reads_that_follow_can_be_left_out);
    RUN(a_duplicate_value_makes_a_read_ambiguous);
    RUN(time_takes_two_edges_a_transaction);
    RUN(what_ends_when_another_begins_overlaps_it);
    RUN(what_has_an_unknown_outcome_may_take_effect_late);
    RUN(lists_order_their_authors);
    RUN(lists_of_aborted_readers_say_nothing);
    RUN(reads_and_sessions_happen_before);
    RUN(a_cycle_of_reads_is_found);
    return test_end();
}

/* test_base.c -- the containers and small tools that everything stands on.
 *
 * SPDX-License-Identifier: MIT */
#include "test.h"

#include "base/buf.h"
#include "base/container/column.h"
#include "base/container/intmap.h"
#include "base/container/strings.h"
#include "base/container/vec.h"
#include "base/err.h"
#include "base/library.h"
#include "base/limits/budget.h"
#include "base/limits/capacity.h"
#include "base/limits/limit.h"
#include "base/memory/arena.h"
#include "base/quantity.h"
#include "base/random.h"
#include "base/spelling.h"

#include <math.h>
#include <sys/wait.h>
#include <unistd.h>

static void
vectors_keep_what_is_pushed(void)
{
    u32_vec v = {0};
    for (uint32_t i = 0; i < 1000; i++)
        vec_push(&v, i * 3);
    CHECK(v.n == 1000 && v.at[0] == 0 && v.at[999] == 2997);
    CHECK(vec_pop(&v) == 2997 && vec_top(&v) == 2994);
    vec_trim(&v);
    CHECK(v.room == v.n);
    vec_free(&v);
    CHECK(!v.at && !v.n);
}

static void
memory_is_counted(void)
{
    const size_t before = mem_in_use();
    void *p = mem_alloc(1000, 100);
    CHECK(mem_in_use() >= before + 100000);
    p = mem_realloc(p, 1, 10);
    CHECK(mem_in_use() < before + 100000);
    mem_free(p);
    CHECK(mem_in_use() == before);
    CHECK(mem_peak() >= before + 100000);
}

static void
arenas_hand_out_aligned_memory(void)
{
    struct arena a = {0};
    for (size_t n = 1; n < 100000; n = n * 3 + 1) {
        char *p = arena_alloc(&a, n);
        memset(p, 1, n);
        CHECK((uintptr_t)p % 16 == 0);
    }
    CHECK_TEXT(arena_copy(&a, "abc", 2), "ab");
    arena_free(&a);
}

static void
a_column_widens_when_it_must(void)
{
    struct column c = {0};
    for (uint64_t i = 0; i < 100; i++)
        column_push(&c, i);
    CHECK(!c.is_wide);
    column_push(&c, UINT64_C(1) << 40);
    CHECK(c.is_wide && column_get(&c, 100) == UINT64_C(1) << 40);
    for (uint64_t i = 0; i < 100; i++)
        CHECK(column_get(&c, i) == i);
    column_set(&c, 5, UINT64_MAX);
    CHECK(column_get(&c, 5) == UINT64_MAX);
    column_free(&c);
}

/* A map against the plainest possible twin, over keys small and large, with
 * and without an expectation. */
static void
maps_agree_with_a_list(void)
{
    struct random r;
    random_seed(&r, 7);
    for (int round = 0; round < 40; round++) {
        struct intmap m = {0};
        if (round % 2)
            intmap_expect(&m, 300);
        if (round % 3)
            intmap_share(&m);
        struct {
            uint64_t key;
            uint32_t value;
        } twin[400];
        size_t n = 0;
        for (int i = 0; i < 400; i++) {
            const uint64_t key = random_below(&r, 3)
                                     ? random_below(&r, 500)
                                     : random_next(&r) >> random_below(&r, 60);
            uint32_t expected = UINT32_MAX;
            for (size_t j = 0; j < n; j++)
                if (twin[j].key == key)
                    expected = twin[j].value;
            CHECK(intmap_find(&m, key) == expected);
            bool added;
            const uint32_t got = intmap_add(&m, key, (uint32_t)i, &added);
            CHECK(added == (expected == UINT32_MAX));
            CHECK(got == (added ? (uint32_t)i : expected));
            if (added) {
                twin[n].key = key;
                twin[n++].value = (uint32_t)i;
            }
        }
        for (size_t j = 0; j < n; j++)
            CHECK(intmap_find(&m, twin[j].key) == twin[j].value);
        const struct intmap_view view = intmap_look(&m);
        size_t seen = 0; // through the view, which may lack some
        for (size_t j = 0; j < n; j++) {
            const uint32_t got = intmap_view_find(&view, twin[j].key);
            CHECK(got == UINT32_MAX || got == twin[j].value);
            seen += got != UINT32_MAX;
        }
        CHECK((seen > 0) == (round % 3 != 0));
        intmap_free(&m);
    }
}

/* Keys just above the bound of the plain table. */
static void
sparse_keys_seldom_move_a_map(void)
{
    struct intmap m = {0};
    struct random r;
    size_t moved = 0, bound = 0;
    random_seed(&r, 8);
    for (uint32_t i = 0; i < 50000; i++) {
        bool added;
        const uint64_t key = (uint64_t)i * 4 + random_below(&r, 2000);
        (void)intmap_add(&m, key, i, &added);
        moved += m.direct_n != bound;
        bound = m.direct_n;
    }
    CHECK(moved < 20);
    random_seed(&r, 8);
    for (uint32_t i = 0; i < 50000; i++) {
        const uint64_t key = (uint64_t)i * 4 + random_below(&r, 2000);
        CHECK(intmap_find(&m, key) <= i);
    }
    intmap_free(&m);
}

static void
equal_strings_share_a_number(void)
{
    struct strings s = {0};
    char text[16];
    for (int i = 0; i < 500; i++) {
        snprintf(text, sizeof text, "k%d", i);
        CHECK(strings_add(&s, text, strlen(text)) == (uint32_t)i);
    }
    CHECK(strings_add(&s, "k77", 3) == 77);
    CHECK(strings_add(&s, "k7\0", 3) == 500); // zero bytes count
    CHECK(strings_add(&s, "", 0) == 501);
    CHECK_TEXT(strings_get(&s, 123).text, "k123");
    strings_free(&s);
}

static void
the_first_error_wins_and_gets_a_position(void)
{
    struct err err = {0};
    char text[128];
    CHECK(!err_set(&err, ERR_SYNTAX, "found %d", 1));
    CHECK(!err_set(&err, ERR_IO, "found %d", 2));
    err_at_line(&err, 3, 4);
    err_at_line(&err, 5, 6);
    err_in_file(&err, "a.txt");
    err_format(&err, text, sizeof text);
    CHECK_TEXT(text, "a.txt:3:4: found 1");
    struct err binary = {0};
    err_set(&binary, ERR_SYNTAX, "cut");
    err_at_byte(&binary, 17);
    err_in_file(&binary, "b");
    err_format(&binary, text, sizeof text);
    CHECK_TEXT(text, "b: byte 17: cut");
}

static void
quotes_are_short_and_harmless(void)
{
    char out[ERR_QUOTE_ROOM];
    CHECK_TEXT(err_quote(out, sizeof out, "a\x1b[31m\n", 7), "a\\x1b[31m\\x0a");
    char long_text[500];
    memset(long_text, 'x', sizeof long_text);
    err_quote(out, sizeof out, long_text, sizeof long_text);
    CHECK(strlen(out) < sizeof out);
    CHECK_TEXT(out + strlen(out) - 3, "...");
}

static void
json_strings_escape_what_they_must(void)
{
    struct buf b = {0};
    buf_json(&b, "a\"\\\n\x01\xc3\xa9\xff", 8);
    CHECK_TEXT(b.at, "\"a\\\"\\\\\\n\\u0001\xc3\xa9\xef\xbf\xbd\"");
    buf_clear(&b);
    buf_i64(&b, INT64_MIN);
    buf_char(&b, ' ');
    buf_u64(&b, UINT64_MAX);
    CHECK_TEXT(b.at, "-9223372036854775808 18446744073709551615");
    buf_free(&b);
}

static void
seeds_repeat_and_bounds_hold(void)
{
    struct random a, b;
    random_seed(&a, 42);
    random_seed(&b, 42);
    for (int i = 0; i < 1000; i++) {
        CHECK(random_next(&a) == random_next(&b));
        CHECK(random_below(&a, 7) < 7);
        const double u = random_unit(&a);
        CHECK(u >= 0 && u < 1);
        random_below(&b, 7);
        random_unit(&b);
    }
}

/* Frequencies against the definition of zipf, theta below, at and above 1. */
static void
zipf_has_the_right_frequencies(void)
{
    const double thetas[] = {0, 0.5, 0.99, 1, 2};
    struct random r;
    random_seed(&r, 1);
    for (size_t i = 0; i < sizeof thetas / sizeof *thetas; i++) {
        enum { N = 10, DRAWS = 200000 };
        struct zipf z;
        zipf_init(&z, N, thetas[i]);
        double counts[N] = {0}, sum = 0;
        for (int j = 0; j < DRAWS; j++)
            counts[zipf_next(&z, &r)]++;
        for (int k = 0; k < N; k++)
            sum += pow(k + 1, -thetas[i]);
        for (int k = 0; k < N; k++) {
            const double expected = pow(k + 1, -thetas[i]) / sum;
            CHECK(fabs(counts[k] / DRAWS - expected) < 0.01);
        }
    }
}

/* Do something under limits, and say what came of it. */
static const char *
outcome(double seconds, size_t bytes, void (*work)(void), struct buf *out)
{
    const struct limits l = {seconds, bytes};
    struct limit_stop stop;
    buf_clear(out);
    fflush(stdout);
    // The try, in a process of its own, so that this one goes on in any case.
    int ends[2];
    CHECK(pipe(ends) == 0);
    const pid_t child = fork();
    if (child == 0) {
        if (limit_try(&l, 0, "trying", &stop)) {
            work();
            limit_end();
            work(); // without limits
            buf_text(out, "done");
        } else {
            limit_show(&stop, out);
        }
        CHECK(write(ends[1], out->at, out->n + 1) == (ssize_t)out->n + 1);
        _exit(0);
    }
    char text[200] = "";
    close(ends[1]);
    CHECK(read(ends[0], text, sizeof text) > 0);
    close(ends[0]);
    waitpid(child, NULL, 0);
    buf_text(out, text);
    return out->at;
}

static void
sleep_long(void)
{
    limit_phase("sleeping");
    time_pause(0.3);
}

static void
take_much(void)
{
    for (size_t i = 0; i < 20; i++)
        mem_free(mem_realloc(mem_alloc(i << 20, 1), i << 21, 1));
}

static void
number_much(void)
{
    capacity_want(CAPACITY_KEYS, UINT64_C(1) << 40);
}

static void
limits_are_reached_and_named(void)
{
    struct buf out = {0};
    CHECK_TEXT(outcome(0.05, 0, sleep_long, &out),
               "the time limit of 0.05 s was reached while sleeping");
    CHECK_TEXT(outcome(10, 0, sleep_long, &out), "done");
    CHECK_TEXT(outcome(0, 30 << 20, take_much, &out),
               "the memory limit of 30M was reached while trying");
    CHECK_TEXT(outcome(0, 100 << 20, take_much, &out), "done");
    CHECK_TEXT(outcome(10, 0, number_much, &out),
               "more than 536870912 keys were needed while trying");
    buf_free(&out);
}

struct run_results {
    struct buf first, second;
    uint64_t number;
};

static int
fail_with_results(void *self)
{
    struct run_results *r = self;
    buf_text(&r->first, " more");
    buf_text(&r->second, "else");
    r->number *= 2;
    return 7;
}

static void
runs_hand_back_what_they_wrote(void)
{
    struct run_results r = {.number = 21};
    const struct limit_result results[] = {
        {.text = &r.first},
        {.text = &r.second},
        {.value = &r.number, .size = sizeof r.number}};
    buf_text(&r.first, "some");
    CHECK(limit_run(fail_with_results, &r, results, 3) == 7);
    CHECK_TEXT(r.first.at, "some more");
    CHECK_TEXT(r.second.at, "else");
    CHECK(r.number == 42);
    buf_free(&r.first);
    buf_free(&r.second);
}

static void
budgets_are_spent(void)
{
    struct budget b = {.left = 10};
    CHECK(budget_spend(NULL, 100) && !budget_is_spent(NULL));
    CHECK(budget_spend(&b, 3) && b.left == 7);
    struct budget some = budget_take(&b, 100);
    CHECK(some.left == 7 && budget_is_spent(&b));
    CHECK(!budget_spend(&some, 7) && budget_is_spent(&some));
    some.left = 2;
    budget_give_back(&b, &some);
    CHECK(b.left == 2);
}

#define CALLS(F) F(cos) F(sin)
#define MISSING(F) F(cos) F(main)

static void
libraries_are_loaded_or_missing(void)
{
    static struct {
        CALLS(LIBRARY_MEMBER)
    } m;
    static const char *const calls[] = {CALLS(LIBRARY_NAME)};
    static const char *const missing[] = {MISSING(LIBRARY_NAME)};
    void *table[2];
    struct err err = {0};
    CHECK(library_load("libm.so.6", calls, LIBRARY_LENGTH(calls), &m, &err));
    CHECK(m.sin(0) == 0 && m.cos(0) == 1);
    CHECK(!library_load("libm.so.6", missing, 2, table, &err));
    CHECK(err.kind == ERR_FEATURE);
    CHECK_TEXT(err.text, "libm.so.6 has no function main");
    err = (struct err){0};
    CHECK(!library_load("libnone.so.1", calls, 2, &m, &err));
    CHECK(err.kind == ERR_FEATURE && strstr(err.text, "libnone.so.1"));
}

static bool
is_whole(const char *text, enum quantity_kind kind, uint64_t expected)
{
    uint64_t x = 0;
    return quantity_parse_whole(text, strlen(text), kind, &x) && x == expected;
}

static bool
is_real(const char *text, enum quantity_kind kind, double expected)
{
    double x = -1;
    return quantity_parse(text, strlen(text), kind, &x) && x == expected;
}

static void
quantities_have_units(void)
{
    CHECK(is_whole("0", QUANTITY_COUNT, 0));
    CHECK(is_whole("1k", QUANTITY_COUNT, 1000));
    CHECK(is_whole("1.5k", QUANTITY_COUNT, 1500));
    CHECK(is_whole("1G", QUANTITY_COUNT, 1000000000));
    CHECK(is_whole("1e6", QUANTITY_COUNT, 1000000));
    CHECK(is_whole("18446744073709551615", QUANTITY_COUNT, UINT64_MAX));
    CHECK(is_whole("1k", QUANTITY_BYTES, 1024));
    CHECK(is_whole("1.5GiB", QUANTITY_BYTES, 3ull << 29));
    CHECK(is_whole("2MB", QUANTITY_BYTES, 2 << 20));
    CHECK(is_real("10ms", QUANTITY_SECONDS, 0.01));
    CHECK(is_real("250us", QUANTITY_SECONDS, 0.00025));
    CHECK(is_real("1.5", QUANTITY_SECONDS, 1.5));
    CHECK(is_real(".5h", QUANTITY_SECONDS, 1800));
    CHECK(is_real("2m", QUANTITY_SECONDS, 120));
    CHECK(is_real("25%", QUANTITY_SHARE, 0.25));
    CHECK(is_real("0.99", QUANTITY_REAL, 0.99));
}

static const char *
suggest(const char *text)
{
    static const char *const words[] = {"check", "collect", "convert", "gen"};
    struct spelling s = spelling_of(text, strlen(text));
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        spelling_try(&s, words[i], words[i]);
    return s.best ? s.best : "nothing";
}

static void
a_misspelt_word_has_the_nearest_suggestion(void)
{
    CHECK_TEXT(suggest("chekc"), "check");
    CHECK_TEXT(suggest("CHECK"), "check");
    CHECK_TEXT(suggest("colect"), "collect");
    CHECK_TEXT(suggest("converrt"), "convert");
    CHECK_TEXT(suggest("egn"), "gen");
    CHECK_TEXT(suggest("xyn"), "nothing"); // two mistakes in three letters
    CHECK_TEXT(suggest("frobnicate"), "nothing");
    CHECK_TEXT(suggest(""), "nothing");
    CHECK_TEXT(suggest("checkcheckcheckcheckcheckcheckcheckcheckc"), "nothing");
}

static void
what_is_no_quantity_is_refused(void)
{
    static const char *const wrong[] = {"",
                                        "k",
                                        "-1",
                                        "+1",
                                        " 1",
                                        "1 k",
                                        "1.5",
                                        "1kk",
                                        "1ms",
                                        "0x10",
                                        "nan",
                                        "inf",
                                        "1.2.",
                                        "1e",
                                        "1%",
                                        "1e400",
                                        "12K",
                                        "1.0001k",
                                        "18446744073709551616",
                                        "18446744073709552k"};
    uint64_t whole;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        CHECK(!quantity_parse_whole(wrong[i], strlen(wrong[i]), QUANTITY_COUNT,
                                    &whole));
    double real;
    CHECK(!quantity_parse("1e999", 5, QUANTITY_SECONDS, &real));
    CHECK(!quantity_parse("1k", 2, QUANTITY_SECONDS, &real));
    CHECK(!quantity_parse("1k", 2, QUANTITY_REAL, &real));
    CHECK(quantity_parse("1ms", 1, QUANTITY_SECONDS, &real) && real == 1);
}

int
main(void)
{
    RUN(vectors_keep_what_is_pushed);
    RUN(memory_is_counted);
    RUN(arenas_hand_out_aligned_memory);
    RUN(a_column_widens_when_it_must);
    RUN(maps_agree_with_a_list);
    RUN(sparse_keys_seldom_move_a_map);
    RUN(equal_strings_share_a_number);
    RUN(the_first_error_wins_and_gets_a_position);
    RUN(quotes_are_short_and_harmless);
    RUN(json_strings_escape_what_they_must);
    RUN(seeds_repeat_and_bounds_hold);
    RUN(zipf_has_the_right_frequencies);
    RUN(limits_are_reached_and_named);
    RUN(runs_hand_back_what_they_wrote);
    RUN(budgets_are_spent);
    RUN(quantities_have_units);
    RUN(a_misspelt_word_has_the_nearest_suggestion);
    RUN(what_is_no_quantity_is_refused);
    RUN(libraries_are_loaded_or_missing);
    return test_end();
}

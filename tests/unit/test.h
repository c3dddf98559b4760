/* test.h -- the test harness: TAP on stdout, no dependency.
 *
 *     static void write_skew_is_a_cycle(void) { CHECK(...); }
 *     int main(void) { RUN(write_skew_is_a_cycle); return test_end(); }
 *
 * A test is a function whose name states a fact.  CHECK reports its place and
 * goes on; SKIP(why) in a test marks it skipped.
 *
 * SPDX-License-Identifier: MIT */
#ifndef TEST_H
#define TEST_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static int test_count, test_failures;
static bool test_ok;
static const char *test_skipped;

#define CHECK(condition)                                                       \
    ((condition)                                                               \
         ? (void)0                                                             \
         : (void)(test_ok = false, printf("# %s:%d: not so: %s\n", __FILE__,   \
                                          __LINE__, #condition)))

#define CHECK_TEXT(got, expected)                                              \
    (strcmp((got), (expected)) == 0                                            \
         ? (void)0                                                             \
         : (void)(test_ok = false,                                             \
                  printf("# %s:%d: got \"%s\", expected \"%s\"\n", __FILE__,   \
                         __LINE__, (got), (expected))))

#define SKIP(why) ((void)(test_skipped = (why)))

#define RUN(test)                                                              \
    do {                                                                       \
        test_ok = true;                                                        \
        test_skipped = NULL;                                                   \
        test();                                                                \
        printf("%sok %d - %s", test_ok ? "" : "not ", ++test_count, #test);    \
        if (test_skipped)                                                      \
            printf(" # SKIP %s", test_skipped);                                \
        putchar('\n');                                                         \
        fflush(stdout);                                                        \
        test_failures += !test_ok;                                             \
    } while (0)

static inline int
test_end(void)
{
    printf("1..%d\n", test_count);
    return test_failures != 0;
}

#endif

/* test_real.c -- numbers as text and characters do not depend on the locale.
 *
 * The C library in the locale "C" is the reference for every digit.  The
 * locale with a decimal comma is made by localedef in a temporary directory,
 * because most machines have none installed.
 *
 * SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "test.h"

#include "base/ascii.h"
#include "base/buf.h"
#include "base/print.h"
#include "base/quantity.h"
#include "base/random.h"
#include "base/real.h"
#include "format/scan/find_byte.h"

#include <ctype.h>
#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

static const double edges[] = {0,
                               -0.0,
                               1,
                               0.5,
                               1.5,
                               2.5,
                               0.1,
                               0.05,
                               9.995,
                               0.0001,
                               0.00001234,
                               123456,
                               1234567,
                               1e15,
                               1e16,
                               1e22,
                               1e23,
                               9007199254740993.0,
                               5e-324,
                               2.2250738585072014e-308,
                               2.2250738585072009e-308,
                               1.7976931348623157e308,
                               (double)INFINITY};

/* Any double: bits at random, or a short decimal. */
static double
some_double(struct random *random, size_t i)
{
    if (i < sizeof edges / sizeof *edges)
        return edges[i];
    const uint64_t bits = random_next(random);
    if (i % 3 == 0)
        return (double)(int64_t)(bits >> 40) / 1000;
    if (i % 3 == 1)
        return (double)(int64_t)bits / 1e9;
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static void
check_prints(double x)
{
    static const char *const formats[] = {
        "%f",    "%.0f",  "%.1f",   "%.6f",    "%g",  "%.9g",
        "%.15g", "%.17g", "%12.3f", "%-9.2f|", "%+g", "%08.2f"};
    for (size_t f = 0; f < sizeof formats / sizeof *formats; f++) {
        char got[400], expected[400];
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
        const size_t n = print_text(got, sizeof got, formats[f], x);
        const int m = snprintf(expected, sizeof expected, formats[f], x);
#pragma GCC diagnostic pop
        CHECK((int)n == m);
        CHECK_TEXT(got, expected);
    }
}

static void
numbers_are_printed_as_the_c_library_prints_them(void)
{
    struct random random;
    random_seed(&random, 7);
    for (size_t i = 0; i < 3000 && test_ok; i++) {
        const double x = some_double(&random, i);
        if (!isnan(x))
            check_prints(x);
    }
}

static void
check_reads(const char *text)
{
    char *end;
    const char *rest;
    const double expected = strtod(text, &end), got = real_read(text, &rest);
    if (got != expected || rest != end || signbit(got) != signbit(expected)) {
        printf("# '%s': got %.17g, expected %.17g\n", text, got, expected);
        test_ok = false;
    }
}

static void
numbers_are_read_as_the_c_library_reads_them(void)
{
    static const char *const texts[] = {
        "0",
        "-0",
        "1.",
        ".5",
        "1.5e",
        "1e+",
        "1e400",
        "-1e400",
        "1e-400",
        "00012.50",
        "1e99999999999",
        "0e99999999999",
        "1.5x",
        "+3",
        "-",
        "",
        ".",
        "e5",
        "9007199254740993",
        "9007199254740992.5",
        "9007199254740993.00000000000000000000000000000000000000001",
        "2.4703282292062327e-324",
        "2.4703282292062328e-324",
        "1.7976931348623158e308",
        "1.7976931348623159e308",
        "179769313486231580793728971405301199e273",
        "0.1e1",
        "123456789012345678",
        "0.000000000000000000000000000000000000000000000000000000000000001e70"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        check_reads(texts[i]);
    struct random random;
    random_seed(&random, 8);
    for (size_t i = 0; i < 6000 && test_ok; i++) {
        const double x = some_double(&random, i);
        char text[800];
        if (!isfinite(x))
            continue;
        snprintf(text, sizeof text, i % 2 ? "%.17g" : "%.3e", x);
        check_reads(text);
        // Half way to the next number, exactly, and a little off.
        if (i % 8 == 0 && fabs(x) < 1e200 && fabs(x) > 1e-200) {
            const double y = nextafter(x, INFINITY);
            snprintf(text, sizeof text, "%.750Lf",
                     ((long double)x + (long double)y) / 2);
            check_reads(text);
        }
    }
}

static void
many_digits_are_read(void)
{
    char text[4000];
    memset(text, '9', sizeof text);
    text[sizeof text - 1] = 0;
    for (size_t point = 0; point < sizeof text - 2; point += 97) {
        text[point] = '.';
        check_reads(text);
        text[point] = '9';
    }
    memset(text, '0', 3000);
    text[0] = '1', text[1] = '.', text[2998] = '1', text[2999] = 0;
    check_reads(text);
}

static void
exact_text_reads_back(void)
{
    struct random random;
    random_seed(&random, 9);
    for (size_t i = 0; i < 2000 && test_ok; i++) {
        const double x = some_double(&random, i);
        char text[REAL_ROOM];
        if (!isfinite(x))
            continue;
        CHECK(real_print_exact(x, text) == strlen(text));
        CHECK(strtod(text, NULL) == x);
    }
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat"
static void
directives_are_those_of_printf(void)
{
    char got[200], expected[200];
#define SAME(...)                                                              \
    (CHECK(print_text(got, sizeof got, __VA_ARGS__) ==                         \
           (size_t)snprintf(expected, sizeof expected, __VA_ARGS__)),          \
     CHECK_TEXT(got, expected))
    SAME("plain");
    SAME("100 %%|%c|%5c|%-5c|", 'x', 'y', 'z');
    SAME("%s|%10s|%-10s|%.2s|%*s|%-*s|%.*s|%5.1s", "abc", "abc", "abc", "abc",
         6, "abc", 6, "abc", 1, "abc", "abc");
    SAME("%d %i %+d % d %5d|%-5d|%05d|%.3d|%6.3d", -7, 7, 7, 7, 7, 7, -7, 7, 7);
    SAME("%u %x %X %04x %02X %.0d|", 7u, 255u, 255u, 10u, 10u, 0);
    SAME("%hhd %hhu %hd %hu", 300, 300, 70000, 70000);
    SAME("%ld %lu %lld %llu", -1L, -1UL, -1LL, -1ULL);
    SAME("%zu %zd %jd %ju %td", SIZE_MAX, (ptrdiff_t)-5, INTMAX_MIN,
         UINTMAX_MAX, (ptrdiff_t)-6);
    SAME("%" PRId64 " %" PRIu64 " %016" PRIx64, INT64_MIN, UINT64_MAX,
         UINT64_C(0xabc));
    SAME("%*d|%-*d|%*d", -4, 1, 4, 2, 4, 3);
#undef SAME
    CHECK(print_text(got, 4, "%s", "abcdef") == 6);
    CHECK_TEXT(got, "abc");
    CHECK(print_text(NULL, 0, "%d", 12) == 2);
}
#pragma GCC diagnostic pop

static void
characters_are_ascii(void)
{
    for (int c = 0; c < 256; c++) {
        const char x = (char)c;
        const bool plain = c < 128;
        CHECK(ascii_is_alpha(x) == (plain && isalpha(c)));
        CHECK(ascii_is_digit(x) == (plain && isdigit(c)));
        CHECK(ascii_is_alnum(x) == (plain && isalnum(c)));
        CHECK(ascii_is_space(x) == (plain && isspace(c)));
        CHECK(ascii_is_xdigit(x) == (plain && isxdigit(c)));
        CHECK(ascii_lower(x) == (plain ? (char)tolower(c) : x));
        CHECK(ascii_upper(x) == (plain ? (char)toupper(c) : x));
    }
    CHECK(ascii_compare("SI", "si") == 0 && ascii_compare("a", "b") < 0);
    CHECK(ascii_compare("ab", "a") > 0 && !ascii_compare_n("abX", "ABY", 2));
}

/* --- without vector instructions -------------------------------------------
 */

static void
plain_and_vector_instructions_find_the_same(void)
{
    struct random random;
    random_seed(&random, 10);
    for (size_t i = 0; i < 2000; i++) {
        char a[FIND_BYTE_ROOM], b[FIND_BYTE_ROOM];
        for (size_t k = 0; k < sizeof a; k++) {
            a[k] = (char)(random_below(&random, 4)
                              ? '0' + random_below(&random, 10)
                              : random_below(&random, 256));
            b[k] = random_below(&random, 20) ? a[k] : ',';
        }
        CHECK(find_digits(a) == find_digits_plain(a));
        for (size_t k = 0; k < sizeof a; k++)
            CHECK((find_digits_plain(a) >> k & 1) == ascii_is_digit(a[k]));
        const uint32_t which = (uint32_t)random_next(&random) >> (i % 32);
        CHECK(same_bytes(a, b, which) == same_bytes_plain(a, b, which));
    }
}

static void
bits_above_sixteen_bytes_are_a_difference(void)
{
    const char text[FIND_BYTE_ROOM] = "the same text!";
    CHECK(same_bytes_plain(text, text, 0xffff) &&
          same_bytes(text, text, 0xffff));
    CHECK(!same_bytes_plain(text, text, 1u << 16));
    CHECK(!same_bytes(text, text, 1u << 16));
}

/* --- in a locale with a decimal comma --------------------------------------
 */

/* Make and enter a locale with a decimal comma; false where that is impossible.
 */
static bool
enter_decimal_comma(char *directory)
{
    char command[400];
    if (setlocale(LC_ALL, "de_DE.UTF-8"))
        return true;
    if (!mkdtemp(directory))
        return false;
    snprintf(command, sizeof command,
             "localedef -c -i de_DE -f UTF-8 %s/xx_XX.UTF-8 >%s/log 2>&1",
             directory, directory);
    const int status = system(command);
    (void)status; // warnings are a status, too
    setenv("LOCPATH", directory, 1);
    return setlocale(LC_ALL, "xx_XX.UTF-8") != NULL;
}

static void
leave_decimal_comma(const char *directory)
{
    char command[200];
    setlocale(LC_ALL, "C");
    snprintf(command, sizeof command, "rm -rf %s", directory);
    const int status = system(command);
    (void)status;
}

static void
a_decimal_comma_changes_nothing(void)
{
    char directory[] = "/tmp/assay-locale-XXXXXX", text[64];
    if (!enter_decimal_comma(directory)) {
        SKIP("localedef cannot make a locale with a decimal comma");
        return;
    }
    snprintf(text, sizeof text, "%.1f", 1.5);
    if (strcmp(text, "1,5") != 0) { // as with musl: nothing to test
        SKIP("the C library has no decimal comma");
        leave_decimal_comma(directory);
        return;
    }
    struct buf out = {0};
    buf_printf(&out, "%.1f %g ", 1.5, 0.25);
    buf_decimal(&out, 2.75, 2);
    CHECK_TEXT(out.at, "1.5 0.25 2.75");
    buf_free(&out);
    double x;
    CHECK(quantity_parse("1.5s", 4, QUANTITY_SECONDS, &x) && x == 1.5);
    CHECK(real_read("1.7", NULL) == 1.7);
    leave_decimal_comma(directory);
}

int
main(void)
{
    RUN(numbers_are_printed_as_the_c_library_prints_them);
    RUN(numbers_are_read_as_the_c_library_reads_them);
    RUN(many_digits_are_read);
    RUN(exact_text_reads_back);
    RUN(directives_are_those_of_printf);
    RUN(characters_are_ascii);
    RUN(plain_and_vector_instructions_find_the_same);
    RUN(bits_above_sixteen_bytes_are_a_difference);
    RUN(a_decimal_comma_changes_nothing);
    return test_end();
}

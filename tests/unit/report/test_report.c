/* test_report.c -- escaping, and the verdict line.
 *
 * Whole reports are compared in tests/golden, checked against schemas in
 * tests/schema and opened in a browser in tests/browser.
 *
 * SPDX-License-Identifier: MIT */
#include "report/parts.h"
#include "report/picture/picture.h"

#include "hist.h"
#include "test.h"

#define ESCAPED(escape, text, expected)                                        \
    do {                                                                       \
        struct buf b_ = {0};                                                   \
        escape(&b_, text);                                                     \
        CHECK_TEXT(b_.n ? b_.at : "", expected);                               \
        buf_free(&b_);                                                         \
    } while (0)

static void
xml_text_is_no_markup(void)
{
    ESCAPED(part_xml, "a<b>&\"'", "a&lt;b&gt;&amp;&quot;&#39;");
    ESCAPED(part_xml, "]]>", "]]&gt;");
}

static void
xml_holds_no_bytes_that_it_cannot_hold(void)
{
    ESCAPED(part_xml, "\x1b\x01", "\xef\xbf\xbd\xef\xbf\xbd");
    ESCAPED(part_xml, "\xff", "\xef\xbf\xbd");
    ESCAPED(part_xml, "\xef\xbf\xbf", "\xef\xbf\xbd");
    ESCAPED(part_xml, "\xc3\xa4\n\t", "\xc3\xa4\n\t");
}

static void
markdown_stands_for_itself(void)
{
    ESCAPED(part_markdown, "a*b_c`d|e", "a\\*b\\_c\\`d\\|e");
    ESCAPED(part_markdown, "<b>@all http://x",
            "&#60;b&#62;&#64;all "
            "http&#58;//x");
    ESCAPED(part_markdown, "- x", "&#8203;- x");
    ESCAPED(part_markdown, "two\nlines", "two lines");
}

/* Terminals obey C1 controls too, and readers the marks of direction. */
static void
names_show_what_they_hide(void)
{
    ESCAPED(part_json, "\xc2\x9b\x7f", "\"\\u009b\\u007f\"");
    ESCAPED(part_json, "\xe2\x80\xae\xe2\x81\xa6\xef\xbb\xbf",
            "\"\\u202e\\u2066\\ufeff\"");
    ESCAPED(part_json, "\xe2\x82\xac", "\"\xe2\x82\xac\"");
}

static void
every_format_is_found_by_its_name(void)
{
    for (size_t i = 0; report_table[i]; i++) {
        CHECK(report_find(report_table[i]->name) == report_table[i]);
        CHECK(*report_table[i]->help && report_table[i]->suffix[0] == '.');
    }
    CHECK(!report_find("papyrus"));
}

static void
every_anomaly_has_a_name_of_its_own(void)
{
    for (int i = 0; i < ANOMALY_KINDS; i++) {
        CHECK(anomaly_table[i].name && anomaly_table[i].meaning);
        for (int j = 0; j < i; j++)
            CHECK(strcmp(anomaly_table[i].name, anomaly_table[j].name) != 0);
    }
}

static void
check_wrapped(const char *text, const char *expected)
{
    struct buf out = {0};
    part_wrap(text, 30, &out);
    CHECK_TEXT(out.at, expected);
    buf_free(&out);
}

static void
long_lines_go_on_under_their_text(void)
{
    check_wrapped("short\n\nshort\n", "short\n\nshort\n");
    check_wrapped("  a sentence of more than thirty columns.\n",
                  "  a sentence of more than\n  thirty columns.\n");
    check_wrapped("    1. T1 comes before T2: it read x = 1.\n",
                  "    1. T1 comes before T2: it\n       read x = 1.\n");
    check_wrapped("    T1  r(l, [1 2 3])  w(x, 1)  w(y, 1)\n",
                  "    T1  r(l, [1 2 3])  w(x, 1)\n        w(y, 1)\n");
    check_wrapped("  T1  append(list-of-things-to-do, [1 2])  r(x, 1)\n",
                  "  T1\n      append(list-of-things-to-do,\n"
                  "      [1 2])  r(x, 1)\n");
    check_wrapped("word-that-is-longer-than-thirty-columns\n",
                  "word-that-is-longer-than-thirty-columns\n");
}

/* --- pictures
 * ----------------------------------------------------------------*/

static bool
overlap(const struct box *a, const struct box *b)
{
    return a->x < b->x + b->width && b->x < a->x + a->width &&
           a->y < b->y + b->height && b->y < a->y + a->height;
}

static void
check_picture(const char *text, enum level level)
{
    struct history h;
    struct check c;
    struct explanation e;
    struct err err = {0};
    hist(&h, text);
    const struct check_options how = {
        .levels = 1u << level, .threads = 1, .strong = strong_defaults};
    const struct explain_options tell = {.most = 1,
                                         .work = 10 * BUDGET_SECOND,
                                         .context = 6,
                                         .threads = 1,
                                         .strong = strong_defaults};
    CHECK(check_history(&h, &how, &c, &err));
    CHECK(explain_result(&h, &c, &c.results.at[0], &tell, &e, &err));
    struct picture p;
    picture_init(&p, &e.anomalies.at[0]);
    CHECK(p.boxes.n > 0);
    for (size_t i = 0; i < p.boxes.n; i++) {
        const struct box *b = &p.boxes.at[i];
        CHECK(b->x >= 0 && b->y >= 0 && b->x + b->width <= p.width &&
              b->y + b->height <= p.height);
        for (size_t j = 0; j < i; j++)
            CHECK(!overlap(b, &p.boxes.at[j]));
    }
    picture_free(&p);
    explanation_free(&e);
    check_free(&c);
    history_free(&h);
}

static void
boxes_lie_in_the_picture_and_apart(void)
{
    check_picture("[x==7]", LEVEL_RC);
    check_picture("[x:=1]! --- [x==1]", LEVEL_RC);
    check_picture("[x==? y:=1] --- [y==? x:=1]", LEVEL_SER);
    check_picture("[x:=1] --- [x==1 x:=2] --- [x==1 x:=3]", LEVEL_SI);
    check_picture("[x==1 y==?] --- [x==? y==1] --- [x:=1] --- [y:=1]",
                  LEVEL_PC);
    check_picture("[a==? b:=1] --- [b==? c:=1] --- [c==? d:=1] --- [d==? e:=1] "
                  "--- [e==? f:=1] --- [f==? g:=1] --- [g==? a:=1]",
                  LEVEL_SER);
}

int
main(void)
{
    RUN(xml_text_is_no_markup);
    RUN(xml_holds_no_bytes_that_it_cannot_hold);
    RUN(markdown_stands_for_itself);
    RUN(names_show_what_they_hide);
    RUN(every_format_is_found_by_its_name);
    RUN(every_anomaly_has_a_name_of_its_own);
    RUN(long_lines_go_on_under_their_text);
    RUN(boxes_lie_in_the_picture_and_apart);
    return test_end();
}

/* test_report.c -- escaping, and the verdict line.
 *
 * Whole reports are compared in tests/golden, checked against schemas in
 * tests/schema and opened in a browser in tests/browser.
 *
 * SPDX-License-Identifier: MIT */
#include "report/page/plots.h"
#include "report/parts.h"
#include "report/picture/axis.h"
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
check_boxes(const struct picture *p)
{
    CHECK(p->boxes.n > 0);
    for (size_t i = 0; i < p->boxes.n; i++) {
        const struct box *b = &p->boxes.at[i];
        CHECK(b->x >= 0 && b->y >= 0 && b->x + b->width <= p->width &&
              b->y + b->height <= p->height);
        for (size_t j = 0; j < i; j++)
            CHECK(!overlap(b, &p->boxes.at[j]));
    }
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
    check_boxes(&p);
    picture_free(&p);
    picture_init_column(&p, &e.anomalies.at[0]);
    check_boxes(&p);
    CHECK(p.bows.n == e.anomalies.at[0].edges.n);
    for (size_t i = 0; i < p.bows.n; i++)
        CHECK(p.bows.at[i].x >= 0 && p.bows.at[i].x <= p.width);
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

#define NUMBER(x, step, expected)                                              \
    do {                                                                       \
        struct buf b_ = {0};                                                   \
        axis_number(x, step, &b_);                                             \
        CHECK_TEXT(b_.at, expected);                                           \
        buf_free(&b_);                                                         \
    } while (0)

static void
axes_have_round_numbers(void)
{
    CHECK(axis_step(10, 5) == 2);
    CHECK(axis_step(9, 5) == 2);
    CHECK(axis_step(26, 5) == 10);
    CHECK(axis_step(0.001, 5) > 0.000199 && axis_step(0.001, 5) < 0.000201);
    NUMBER(4, 2, "4");
    NUMBER(0.6, 0.2, "0.6");
    NUMBER(-1e-12, 0.2, "0.0");
    NUMBER(30, 10, "30");
    struct buf b = {0};
    axis_time(2310400000.0, &b);
    CHECK_TEXT(b.at, "2.310 s");
    buf_clear(&b);
    axis_time(1500, &b);
    CHECK_TEXT(b.at, "1.500 \xc2\xb5s");
    buf_free(&b);
}

/* How often a text occurs. */
static size_t
occurs(const char *text, const char *in)
{
    size_t n = 0;
    for (const char *at = in; (at = strstr(at, text)); at++)
        n++;
    return n;
}

static void
faults_are_marked_in_every_plot(void)
{
    const struct report_fault faults[] = {{"kill", 1, 0.5, 0.7},
                                          {"stop", 1, 9, 9}};
    const struct report_origin origin = {.faults = faults, .n_faults = 2};
    struct timeline t = {.seconds = 0.1};
    for (int i = 0; i < 10; i++)
        vec_push(&t.intervals, ((struct timeline_interval){
                                   .committed = 5,
                                   .aborted = i == 5,
                                   .median = i == 5 ? -1 : 1000,
                                   .percentile_99 = i == 5 ? -1 : 2000}));
    struct buf out = {0};
    plots_html(&t, &origin, &out);
    CHECK(occurs("<figure", out.at) == 3);
    CHECK(occurs("kill of node 1 at 0.50 s, until 0.70 s", out.at) == 3);
    CHECK(occurs("stop", out.at) == 0);                       // after the end
    CHECK(occurs("M", strstr(out.at, "class=\"p50\"")) >= 2); // a gap
    CHECK(occurs("outcome unknown</th>", out.at) == 1);
    CHECK(occurs("swatch unknown", out.at) == 0);
    buf_free(&out);
    vec_free(&t.intervals);
}

int
main(void)
{
    RUN(axes_have_round_numbers);
    RUN(faults_are_marked_in_every_plot);
    RUN(xml_text_is_no_markup);
    RUN(xml_holds_no_bytes_that_it_cannot_hold);
    RUN(markdown_stands_for_itself);
    RUN(every_format_is_found_by_its_name);
    RUN(every_anomaly_has_a_name_of_its_own);
    RUN(long_lines_go_on_under_their_text);
    RUN(boxes_lie_in_the_picture_and_apart);
    return test_end();
}

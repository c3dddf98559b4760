/* test_certificate.c -- certificates as text: what is refused, and where.
 *
 * SPDX-License-Identifier: MIT */
#include "hist.h"
#include "test.h"

#include "evidence/certificate_read.h"
#include "evidence/certificate_write.h"
#include "verify/verify.h"
#include "weak/weak.h"

static const char serial[] = "[x:=1] [x==1 y:=2]  ---  [y==2 x==1]";
static const char stale[] = "[x:=1] [x==?]";
static const char fractured[] = "[x:=1 y:=1] [x:=2 y:=2] --- [x==2 y==1]";

/* The certificate of a level for the history that 'text' says, as text. */
static void
certify(const char *text, enum level level, struct history *h, struct buf *out)
{
    struct certificate c[LEVELS];
    struct weak_stats stats;
    hist(h, text);
    weak_check(h, 1u << level, &(struct weak_options){.threads = 1}, c, &stats);
    certificate_write(h, &c[level], out);
    certificate_free(&c[level]);
}

/* Whether the text is read and then accepted; the line of the error. */
static bool
is_accepted(const struct history *h, const char *text, uint64_t *line)
{
    struct certificate c;
    struct err err = {0};
    *line = 0;
    if (!certificate_read(h, text, strlen(text), &c, &err)) {
        *line = err.line;
        return false;
    }
    const bool fine = verify_certificate(h, &c, &err);
    certificate_free(&c);
    return fine;
}

/* text with the first 'old' replaced. */
static void
replace(const char *text, const char *old, const char *by, struct buf *out)
{
    const char *at = strstr(text, old);
    CHECK(at != NULL);
    if (!at)
        return;
    buf_clear(out);
    buf_add(out, text, (size_t)(at - text));
    buf_text(out, by);
    buf_text(out, at + strlen(old));
}

static void
each_kind_of_evidence_is_accepted(void)
{
    static const struct {
        const char *history, *word;
        enum level level;
    } cases[] = {
        {serial, "evidence order", LEVEL_CC},
        {stale, "evidence cycle", LEVEL_RA},
        {fractured, "evidence cycle", LEVEL_CC},
        {"[x:=1]! --- [x==1]", "flaw aborted-read", LEVEL_RC},
        {"[x:=1] [x==2]", "flaw thin-air-read", LEVEL_RC},
        // Whichever of the two wrote what was read, its session goes back.
        {"[x:=1] [x:=2] [x==1] --- [x:=1 y:=1] [y:=2 x:=3] --- "
         "[y==2] [x==1 y==1]",
         "verdict violated", LEVEL_CC},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct history h;
        struct buf text = {0};
        uint64_t line;
        certify(cases[i].history, cases[i].level, &h, &text);
        CHECK(strstr(text.at, cases[i].word) != NULL);
        CHECK(is_accepted(&h, text.at, &line));
        buf_free(&text);
        history_free(&h);
    }
}

static void
one_changed_position_is_rejected(void)
{
    struct history h;
    struct buf text = {0}, bad = {0};
    uint64_t line;
    certify(serial, LEVEL_CC, &h, &text);
    replace(text.at, "point 0\npoint 1\n", "point 1\npoint 0\n", &bad);
    CHECK(!is_accepted(&h, bad.at, &line));
    CHECK(line == 0); // it is well-formed, and wrong
    replace(text.at, "point 0\n", "point 1\n", &bad);
    CHECK(!is_accepted(&h, bad.at, &line));
    replace(text.at, "point 0\n", "point 3\n", &bad);
    CHECK(!is_accepted(&h, bad.at, &line));
    CHECK(line == 7); // there is no such transaction
    buf_free(&bad);
    buf_free(&text);
    history_free(&h);
}

static void
one_changed_edge_is_rejected(void)
{
    static const char *const changes[][2] = {
        {"edge co 0 init 1 -", "edge co 1 init 1 -"},
        {"edge co 0 init 1 -", "edge co 0 1 1 -"},
        {"edge co 0 init 1 -", "edge co 0 init 0 -"},
        {"edge co 0 init 1 -", "edge so 0 init 1 -"},
        {"edge co 0 init 1 -", "edge co 0 init 1 1"},
        {"edge so init 0", "edge so init 1"},
        {"edge so init 0", "edge co init 0"},
        {"edges 2\n", "edges 1\n"},
        {"violated", "ok"},
        {"read-atomic", "read-committed"},
    };
    struct history h;
    struct buf text = {0}, bad = {0};
    uint64_t line;
    certify(stale, LEVEL_RA, &h, &text);
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        replace(text.at, changes[i][0], changes[i][1], &bad);
        CHECK(!is_accepted(&h, bad.at, &line));
    }
    buf_free(&bad);
    buf_free(&text);
    history_free(&h);
}

static void
malformed_text_is_refused_with_its_line(void)
{
    static const struct {
        const char *old, *by;
        uint64_t line;
    } cases[] = {
        {"assay-certificate 1", "assay-certificate 2", 1},
        {"level causal", "level casual", 3},
        {"verdict ok", "verdict yes", 4},
        {"evidence order", "evidence", 5},
        {"points 3", "points 03", 6},
        {"points 3", "points 4", 10},
        {"point 0\n", "point 0 \n", 7},
        {"point 0\n", "point 4294967296\n", 7},
        {"point 0\n", "\n", 7},
        {"end\n", "end", 10},
        {"end\n", "", 10},
        {"end\n", "end\nend\n", 11},
    };
    struct history h;
    struct buf text = {0}, bad = {0};
    uint64_t line;
    certify(serial, LEVEL_CC, &h, &text);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        replace(text.at, cases[i].old, cases[i].by, &bad);
        CHECK(!is_accepted(&h, bad.at, &line));
        if (line != cases[i].line)
            printf("# case %zu: line %llu\n", i, (unsigned long long)line);
        CHECK(line == cases[i].line);
    }
    buf_free(&bad);
    buf_free(&text);
    history_free(&h);
}

static void
a_certificate_of_another_history_is_refused(void)
{
    struct history h, other;
    struct buf text = {0};
    struct certificate c;
    struct err err = {0};
    certify(serial, LEVEL_CC, &h, &text);
    hist(&other, "[x:=1] [x==1 y:=3]  ---  [y==3 x==1]");
    CHECK(!certificate_read(&other, text.at, text.n, &c, &err));
    CHECK(strstr(err.text, "another history") != NULL);
    buf_free(&text);
    history_free(&h);
    history_free(&other);
}

/* A claim about a history, made up here. */
static bool
is_believed(const char *text, const struct certificate *c)
{
    struct history h;
    struct err err = {0};
    hist(&h, text);
    const bool fine = verify_certificate(&h, c, &err);
    history_free(&h);
    return fine;
}

static void
nothing_but_a_read_refutes_read_consistency(void)
{
    struct history h;
    struct buf text = {0}, bad = {0};
    uint64_t line;
    certify("[x:=1 y:=1] [x:=1 y:=1] [x:=2 y:=2] --- [x==2 y==1]", LEVEL_RC, &h,
            &text);
    CHECK(strstr(text.at, "weak-cycle") != NULL);
    CHECK(is_accepted(&h, text.at, &line));
    replace(text.at, "level read-committed", "level read-consistency", &bad);
    CHECK(!is_accepted(&h, bad.at, &line));
    CHECK(line == 0);
    buf_free(&text);
    buf_free(&bad);
    history_free(&h);
}

static void
a_list_that_an_aborted_transaction_read_contradicts_nobody(void)
{
    struct certificate c = {
        .level = LEVEL_RC,
        .verdict = VERDICT_VIOLATED,
        .kind = EVIDENCE_FLAW,
        .flaw = {.kind = FLAW_INCOMPATIBLE,
                 .txn = 2,
                 .op = 2,
                 .other = 3,
                 .other_op = 3,
                 .value = 1},
    };
    CHECK(is_believed("[l+=1] --- [l+=2] --- [l==[1 2]] --- [l==[2 1]]", &c));
    CHECK(!is_believed("[l+=1] --- [l+=2] --- [l==[1 2]] --- [l==[2 1]]!", &c));
    CHECK(!is_believed("[l+=1] --- [l+=2] --- [l==[1 2]] --- [l==[2 1]]?", &c));
}

static void
what_nobody_filled_in_is_unknown(void)
{
    const struct certificate none = {0};
    CHECK(none.verdict == VERDICT_UNKNOWN);
    CHECK(is_believed(serial, &none));
    struct certificate c = {.level = LEVEL_SER, .kind = EVIDENCE_ORDER};
    CHECK(!is_believed(serial, &c)); // evidence, but no claim
}

int
main(void)
{
    RUN(each_kind_of_evidence_is_accepted);
    RUN(one_changed_position_is_rejected);
    RUN(one_changed_edge_is_rejected);
    RUN(malformed_text_is_refused_with_its_line);
    RUN(a_certificate_of_another_history_is_refused);
    RUN(nothing_but_a_read_refutes_read_consistency);
    RUN(a_list_that_an_aborted_transaction_read_contradicts_nobody);
    RUN(what_nobody_filled_in_is_unknown);
    return test_end();
}

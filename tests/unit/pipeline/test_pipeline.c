/* test_pipeline.c -- histories and workloads from C, without the command line.
 *
 * SPDX-License-Identifier: MIT */
#include "pipeline/history_file.h"
#include "pipeline/inspection.h"
#include "pipeline/reduced_file.h"
#include "pipeline/test_run.h"

#include "test.h"

#include <stdlib.h>
#include <unistd.h>

static const char lost_update[] = "a[x==? x:=1]\n---\nb[x==? x:=2]\n";
static const char fine[] = "a[x==? x:=1]\n---\nb[x==1 x:=2]\n";

/* Write a history to a temporary file. */
static void
make_file(struct history_file *r, const char *text)
{
    struct err err = {0};
    CHECK(history_file_open(r, NULL, &err));
    FILE *file = fopen(r->path.at, "wb");
    CHECK(file && fputs(text, file) >= 0 && fclose(file) == 0);
}

static bool
has(const struct buf *b, const char *text)
{
    return b->n && strstr(b->at, text);
}

static size_t
count(const struct buf *b, const char *text)
{
    size_t n = 0;
    for (const char *at = b->n ? strstr(b->at, text) : NULL; at;
         at = strstr(at + 1, text))
        n++;
    return n;
}

/* Add two violated histories and one that holds to a report. */
static void
report_three(const char *format, const struct limits *limits, struct report *r)
{
    static const char *const texts[] = {lost_update, fine, lost_update};
    static const enum verdict verdicts[] = {VERDICT_VIOLATED, VERDICT_OK,
                                            VERDICT_VIOLATED};
    struct inspection_options o = inspection_defaults();
    o.check.levels = 1u << LEVEL_SI | 1u << LEVEL_SER;
    o.check.limits = *limits;
    o.reports = r;
    o.n_reports = 1;
    report_begin(r, report_find(format),
                 &(struct report_style){.version = "test"});
    CHECK(r->format);
    for (int i = 0; i < 3; i++) {
        struct history_file file;
        struct inspection_result result;
        struct err err = {0};
        make_file(&file, texts[i]);
        CHECK(inspection_run(&o, file.path.at, "h", &result, &err));
        CHECK(result.verdict == verdicts[i] && !result.notes.n);
        buf_free(&result.notes);
        history_file_close(&file);
    }
    report_end(r);
    CHECK(r->state.runs == 3);
}

static void
a_history_is_read_checked_and_reported(void)
{
    struct report r;
    report_three("text", &(struct limits){0}, &r);
    CHECK(count(&r.out, "h: serializable: violated: lost update on key x") ==
          2);
    CHECK(count(&r.out, "h: snapshot: ok\nh: serializable: ok") == 1);
    report_free(&r);
}

/* Under limits a history is checked in a child process.  What formats remember
 * from one history to the next comes back from there. */
static void
reports_are_the_same_under_limits(void)
{
    const struct limits none = {0}, some = {.seconds = 300};
    for (size_t i = 0; report_table[i]; i++) {
        const char *format = report_table[i]->name;
        if (strcmp(format, "json") == 0 || strcmp(format, "junit") == 0)
            continue; // they contain times
        struct report a, b;
        report_three(format, &none, &a);
        report_three(format, &some, &b);
        CHECK_TEXT(a.out.at, b.out.at);
        CHECK(a.state.results == b.state.results);
        report_free(&a);
        report_free(&b);
    }
}

/* What an observer hears: levels, phases and verdicts, in this order. */
struct listener {
    struct buf heard;
    struct report *early; // gets levels as they are decided
    bool explained;       // with what explains them
};

static void
hear_phase(void *self, enum level level, const char *phase)
{
    struct listener *l = self;
    buf_printf(&l->heard, "%s %s\n", phase, level_table[level].brief);
}

static void
hear_verdict(void *self, const struct inspection *i,
             const struct level_result *r, bool final)
{
    struct listener *l = self;
    const struct report_run run = {
        .path = i->path, .check = &i->check, .explanations = i->explanations};
    buf_printf(&l->heard, "%s %s %s\n", i->path, level_table[r->level].brief,
               r->certificate.verdict == VERDICT_OK ? "ok" : "violated");
    CHECK(final);
    // A report has the levels in their order, which is not that of verdicts.
    const struct level_result *rows = i->check.results.at;
    while (l->early->state.early < i->check.results.n &&
           rows[l->early->state.early].certificate.verdict != VERDICT_UNKNOWN)
        CHECK(report_add_early(l->early, &run));
}

static void
listen_to(const char *text, const struct limits *limits, struct report *r,
          struct listener *l)
{
    struct inspection_options o = inspection_defaults();
    struct inspection_result result;
    struct history_file file;
    struct err err = {0};
    o.check.levels = 1u << LEVEL_PC | 1u << LEVEL_SI;
    o.check.limits = *limits;
    o.reports = r;
    o.n_reports = 1;
    l->early = r;
    o.observer = (struct inspection_observer){
        .self = l, .level = hear_phase, .decided = hear_verdict};
    report_begin(r, report_find("text"),
                 &(struct report_style){.version = "test",
                                        .verdicts_only = !l->explained});
    make_file(&file, text);
    CHECK(inspection_run(&o, file.path.at, "h", &result, &err));
    buf_free(&result.notes);
    history_file_close(&file);
}

/* Long names are shortened in a level that is told early, too, and in full at
 * the end; what comes out is what comes out without telling early. */
static void
levels_with_long_names_are_told_early(void)
{
    static const char text[] =
        "[a-key-of-more-than-forty-characters-called-x==? "
        "a-key-of-more-than-forty-characters-called-x:=1] --- "
        "[a-key-of-more-than-forty-characters-called-x==? "
        "a-key-of-more-than-forty-characters-called-x:=2]\n";
    struct report r, plain;
    struct listener l = {.explained = true};
    struct history_file file;
    struct err err = {0};
    struct inspection_result result;
    listen_to(text, &(struct limits){0}, &r, &l); // checks that none waits
    struct inspection_options o = inspection_defaults();
    o.check.levels = 1u << LEVEL_PC | 1u << LEVEL_SI;
    o.reports = &plain;
    o.n_reports = 1;
    report_begin(&plain, report_find("text"),
                 &(struct report_style){.version = "test"});
    make_file(&file, text);
    CHECK(inspection_run(&o, file.path.at, "h", &result, &err));
    CHECK_TEXT(r.out.at, plain.out.at);
    CHECK(strstr(r.out.at, "In full:"));
    buf_free(&result.notes);
    history_file_close(&file);
    report_free(&plain);
    report_free(&r);
    buf_free(&l.heard);
}

static void
verdicts_are_told_as_they_are_found(void)
{
    struct report r;
    struct listener l = {0};
    listen_to(lost_update, &(struct limits){0}, &r, &l);
    CHECK_TEXT(l.heard.at, "deciding si\nverifying si\nexplaining si\n"
                           "h si violated\n"
                           "deciding pc\nverifying pc\nh pc ok\n");
    CHECK_TEXT(r.out.at, "h: prefix: ok\nh: snapshot: violated: lost update on "
                         "key x, 2 transactions\n");
    CHECK(!r.state.early);
    report_free(&r);
    // Under limits the child process has the lines.
    buf_clear(&l.heard);
    listen_to(fine, &(struct limits){.seconds = 300}, &r, &l);
    CHECK_TEXT(r.out.at, "h: prefix: ok\nh: snapshot: ok\n");
    report_free(&r);
    buf_free(&l.heard);
}

/* A caller may take the text away after each history. */
static void
a_report_does_not_look_at_its_text(void)
{
    struct report whole, parts;
    report_three("sarif", &(struct limits){0}, &whole);
    report_begin(&parts, whole.format, &whole.style);
    struct buf all = {0};
    struct inspection_options o = inspection_defaults();
    o.check.levels = 1u << LEVEL_SI | 1u << LEVEL_SER;
    o.reports = &parts;
    o.n_reports = 1;
    const char *const texts[] = {lost_update, fine, lost_update};
    for (int i = 0; i < 4; i++) {
        struct history_file file;
        struct inspection_result result;
        struct err err = {0};
        buf_add(&all, parts.out.at, parts.out.n);
        buf_clear(&parts.out);
        if (i == 3)
            break;
        make_file(&file, texts[i]);
        CHECK(inspection_run(&o, file.path.at, "h", &result, &err));
        history_file_close(&file);
    }
    report_end(&parts);
    buf_add(&all, parts.out.at, parts.out.n);
    CHECK_TEXT(all.at, whole.out.at);
    buf_free(&all);
    report_free(&whole);
    report_free(&parts);
}

static void
a_file_that_cannot_be_read_is_an_error(void)
{
    for (int limited = 0; limited < 2; limited++) {
        struct inspection_options o = inspection_defaults();
        struct inspection_result result;
        struct err err = {0};
        o.check.levels = 1u << LEVEL_SER;
        o.check.limits.seconds = limited ? 300 : 0;
        CHECK(!inspection_run(&o, "/nonexistent", NULL, &result, &err));
        CHECK(err.kind == ERR_IO && strcmp(err.file, "/nonexistent") == 0);
        buf_free(&result.notes);
    }
}

static void
the_certificate_and_the_reduced_history_are_written(void)
{
    struct history_file file;
    char certificate[] = "/tmp/assay-certificate-XXXXXX";
    char reduced[] = "/tmp/assay-reduced-XXXXXX";
    struct inspection_options o = inspection_defaults();
    struct inspection_result result;
    struct err err = {0};
    make_file(&file, lost_update);
    CHECK(close(mkstemp(certificate)) == 0 && close(mkstemp(reduced)) == 0);
    o.check.levels = 1u << LEVEL_SER;
    o.certificate = certificate;
    o.reduced = reduced;
    o.reduced_format = format_find("hist");
    CHECK(inspection_run(&o, file.path.at, NULL, &result, &err));
    struct history h;
    const struct format *format;
    CHECK(format_read(reduced, "hist", 1, &h, &format, &err));
    CHECK(h.n_txns == 2);
    history_free(&h);
    CHECK(access(certificate, R_OK) == 0 && !result.notes.n);

    history_file_close(&file);
    make_file(&file, fine);
    CHECK(inspection_run(&o, file.path.at, NULL, &result, &err));
    CHECK(has(&result.notes, "nothing to reduce"));
    buf_free(&result.notes);
    history_file_close(&file);
    unlink(certificate);
    unlink(reduced);
}

/* Write the history in the text as if it were what violates ser. */
static bool
write_as_reduced(const char *text, const char *path, struct buf *notes)
{
    struct history_file file;
    struct anomaly a = {.level = LEVEL_SER};
    struct err err = {0};
    const struct format *format;
    bool written;
    make_file(&file, text);
    CHECK(format_read(file.path.at, "hist", 1, &a.reduced, &format, &err));
    CHECK(reduced_file_write(&a, format, path, &written, notes, &err));
    history_free(&a.reduced);
    history_file_close(&file);
    return written;
}

static void
a_reduced_history_that_holds_the_level_is_not_written(void)
{
    char path[] = "/tmp/assay-reduced-XXXXXX";
    struct buf notes = {0};
    CHECK(close(mkstemp(path)) == 0 && unlink(path) == 0);
    CHECK(!write_as_reduced(fine, path, &notes));
    CHECK(access(path, F_OK) != 0);
    CHECK_TEXT(notes.at, "nothing is reduced: the part that was found does not "
                         "violate serializability by itself\n");
    buf_free(&notes);
    CHECK(write_as_reduced(lost_update, path, &notes));
    CHECK(access(path, F_OK) == 0 && !notes.n);
    unlink(path);
}

static void
kept_recordings_are_numbered(void)
{
    struct err err = {0};
    struct history_file r;
    CHECK(history_file_open(&r, "some.dir/x.jsonl", &err));
    history_file_number(&r, 3);
    CHECK_TEXT(r.path.at, "some.dir/x-3.jsonl");
    history_file_close(&r);
    CHECK(history_file_open(&r, "some.dir/x", &err));
    history_file_number(&r, 12);
    CHECK_TEXT(r.path.at, "some.dir/x-12");
    history_file_close(&r);
}

static void
count_progress(void *self, const struct collect_stats *stats)
{
    (void)stats;
    ++*(size_t *)self;
}

/* Run a workload on the built-in store and check what was recorded. */
static void
check_store(const char *target, enum verdict expected)
{
    size_t ticks = 0;
    const struct test_run_options run = {
        .target = target,
        .isolation = ISOLATION_UNCHANGED,
        .collect = {.shape = {.kind = workload_find("mixed"),
                              .sessions = 4,
                              .operations = 4,
                              .keys = 4,
                              .reads = 0.5,
                              .seed = 1},
                    .transactions = 400},
        .observer = {.self = &ticks, .progress = count_progress}};
    struct test_run t;
    struct history_file file;
    struct err err = {0};
    CHECK(history_file_open(&file, NULL, &err));
    CHECK(test_run_begin(&run, &t, &err));
    CHECK(test_run_record(&t, file.path.at, &err));
    CHECK_TEXT(t.name, target);
    CHECK(t.stats.committed > 0 && ticks > 0);
    test_run_end(&t);

    struct inspection_options o = inspection_defaults();
    struct inspection_result result;
    o.check.levels = 1u << LEVEL_SER;
    CHECK(inspection_run(&o, file.path.at, NULL, &result, &err));
    CHECK(result.verdict == expected);
    buf_free(&result.notes);
    history_file_close(&file);
}

static void
a_workload_is_run_recorded_and_checked(void)
{
    check_store("store:ser", VERDICT_OK);
    check_store("store:rc", VERDICT_VIOLATED);
}

static void
a_target_is_named_without_its_password(void)
{
    const struct test_run_options run = {.target =
                                             "postgresql://me:secret@host/db"};
    struct test_run t;
    struct err err = {0};
    CHECK(test_run_begin(&run, &t, &err));
    CHECK_TEXT(t.name, "postgresql://host/db");
    test_run_end(&t);
}

int
main(void)
{
    RUN(a_history_is_read_checked_and_reported);
    RUN(reports_are_the_same_under_limits);
    RUN(verdicts_are_told_as_they_are_found);
    RUN(levels_with_long_names_are_told_early);
    RUN(a_report_does_not_look_at_its_text);
    RUN(a_file_that_cannot_be_read_is_an_error);
    RUN(the_certificate_and_the_reduced_history_are_written);
    RUN(a_reduced_history_that_holds_the_level_is_not_written);
    RUN(kept_recordings_are_numbered);
    RUN(a_workload_is_run_recorded_and_checked);
    RUN(a_target_is_named_without_its_password);
    return test_end();
}

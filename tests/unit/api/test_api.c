/* test_api.c -- the library as a program uses it: include/assay/assay.h and the
 * shared library, nothing else.
 *
 * SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "test.h"

#include <assay/assay.h>

#include <locale.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static const char write_skew[] =
    "{\"session\":1,\"ops\":[[\"r\",\"x\",null],[\"r\",\"y\",null],"
    "[\"w\",\"x\",1]]}\n"
    "{\"session\":2,\"ops\":[[\"r\",\"x\",null],[\"r\",\"y\",null],"
    "[\"w\",\"y\",1]]}\n";

static assay_history *
parse(assay *a, const char *text)
{
    return assay_parse(a, text, strlen(text), "jsonl");
}

static assay_verdict_t
verdict_of(assay *a, const char *text, const char *level)
{
    assay_history *h = parse(a, text);
    assay_result *r = assay_check(a, h, level);
    const assay_verdict_t v = assay_verdict(r);
    assay_result_free(r);
    assay_history_free(h);
    return v;
}

/* --- checking --------------------------------------------------------------*/

static void
a_write_skew_is_told(void)
{
    assay *a = assay_new();
    assay_history *h = parse(a, write_skew);
    CHECK(assay_sessions(h) == 2 && assay_transactions(h) == 2);
    CHECK(assay_operations(h) == 6);
    assay_result *r = assay_check(a, h, "si,ser");
    assay_history_free(h); // the result does not need it
    CHECK(assay_verdict(r) == ASSAY_VIOLATED);
    CHECK(assay_result_levels(r) == 2);
    CHECK_TEXT(assay_result_level(r, 0), "si");
    CHECK(assay_result_verdict(r, 0) == ASSAY_HOLDS);
    CHECK(assay_result_verdict(r, 1) == ASSAY_VIOLATED);
    CHECK(!assay_result_level(r, 2) && assay_result_verdict(r, 2) == 3);
    CHECK(assay_anomalies(r, 0) == 0 && assay_anomalies(r, 1) == 1);
    const assay_anomaly *x = assay_anomaly_at(r, 1, 0);
    CHECK_TEXT(assay_anomaly_name(x), "write-skew");
    CHECK(strstr(assay_anomaly_headline(x), "write skew") != NULL);
    CHECK(*assay_anomaly_story(x) && *assay_anomaly_advice(x));
    CHECK(assay_anomaly_txns(x) >= 2 && assay_anomaly_ops(x, 0) > 0);
    CHECK(assay_anomaly_op(x, 0, 0) && !assay_anomaly_op(x, 0, 99));
    size_t from, to;
    const char *key, *why;
    bool has_rw = false;
    for (size_t i = 0; i < assay_anomaly_edges(x); i++)
        has_rw |= strcmp(assay_anomaly_edge(x, i, &from, &to, &key, &why),
                         "rw") == 0 &&
                  key && why;
    CHECK(has_rw);
    assay_free(a); // the result keeps it
    size_t n;
    const char *text = assay_result_text(r, "text", &n);
    CHECK(text && strlen(text) == n && strstr(text, "write skew"));
    const char *json = assay_result_text(r, "json", NULL);
    CHECK(json && json[0] == '{');
    CHECK(text == assay_result_text(r, "text", NULL) || true);
    static const char *const others[] = {"html", "markdown", "svg",
                                         "dot",  "junit",    "sarif"};
    for (size_t i = 0; i < 6; i++)
        CHECK(assay_result_text(r, others[i], NULL) != NULL);
    CHECK(!assay_result_text(r, "papyrus", NULL));
    CHECK(assay_error_status() == ASSAY_E_USAGE);
    assay_result_free(r);
}

static void
an_anomaly_is_a_history_of_its_own(void)
{
    assay *a = assay_new();
    assay_history *h = parse(a, write_skew);
    assay_result *r = assay_check(a, h, "ser");
    size_t n;
    const char *text = assay_anomaly_history(r, 0, 0, &n);
    CHECK(text && strlen(text) == n);
    CHECK(text && verdict_of(a, text, "ser") == ASSAY_VIOLATED);
    assay_result_free(r);
    assay_history_free(h);
    assay_free(a);
}

static void
certificates_are_checked(void)
{
    assay *a = assay_new();
    assay_history *h = parse(a, write_skew);
    assay_result *r = assay_check(a, h, "si,ser");
    for (size_t row = 0; row < 2; row++) {
        size_t n;
        const char *text = assay_certificate(r, row, &n);
        CHECK(text && assay_certify(a, h, text, n) == ASSAY_OK);
        CHECK(text && assay_certify(a, h, text, n / 2) == ASSAY_E_SYNTAX);
    }
    CHECK(!assay_certificate(r, 2, NULL));
    assay_result_free(r);
    assay_history_free(h);
    assay_free(a);
}

static void
levels_have_names(void)
{
    CHECK_TEXT(assay_level_name(0), "rc");
    CHECK_TEXT(assay_level_name(8), "strict-ser");
    CHECK(!assay_level_name(9));
    CHECK_TEXT(assay_level_find("SERIALIZABLE"), "ser");
    CHECK(!assay_level_find("nonsense") && !assay_level_find(NULL));
    CHECK(assay_level_implies("ser", "si") == 1);
    CHECK(assay_level_implies("si", "ser") == 0);
    CHECK(assay_level_implies("si", "nonsense") == ASSAY_E_USAGE);
    CHECK(*assay_level_title("si") && *assay_level_meaning("si"));
}

/* --- errors ----------------------------------------------------------------*/

static void
errors_have_a_place(void)
{
    assay *a = assay_new();
    CHECK(!parse(a, "{\"session\":1,\"ops\":[]}\n{\"session\":1,\"ops\":[}\n"));
    CHECK(assay_error_status() == ASSAY_E_SYNTAX);
    CHECK(assay_error_line() == 2 && assay_error_column() > 10);
    CHECK(strncmp(assay_error(), "history:2:", 10) == 0);
    CHECK(!assay_load(a, "/nonexistent/file", NULL));
    CHECK(assay_error_status() == ASSAY_E_IO);
    CHECK(!assay_load(a, "-", NULL)); // a file of that name, not stdin
    CHECK(assay_error_status() == ASSAY_E_IO);
    assay_history *h = parse(a, write_skew);
    CHECK(h && assay_error_status() == ASSAY_OK && !*assay_error());
    CHECK(!assay_check(a, h, "nonsense"));
    CHECK(assay_error_status() == ASSAY_E_USAGE);
    CHECK(!assay_check(a, h, "strict-ser")); // there are no times
    CHECK(assay_error_status() == ASSAY_E_USAGE);
    CHECK(assay_set(a, ASSAY_THREADS, 0) == ASSAY_E_USAGE);
    CHECK(assay_set(a, (assay_option)99, 0) == ASSAY_E_USAGE);
    CHECK(assay_set(a, ASSAY_THREADS, 2) == ASSAY_OK);
    CHECK(assay_get(a, ASSAY_THREADS) == 2);
    assay_history_free(h);
    assay_free(a);
}

static void
null_is_never_a_pass(void)
{
    CHECK(assay_verdict(NULL) == ASSAY_UNKNOWN);
    CHECK(assay_verdict(assay_check(NULL, NULL, NULL)) == ASSAY_UNKNOWN);
    assay *a = assay_new();
    CHECK(assay_verdict(assay_check(a, assay_load(a, "/nonexistent", NULL),
                                    "si")) == ASSAY_UNKNOWN);
    CHECK(assay_error_status() == ASSAY_E_IO); // of assay_load
    assay_free(a);
    CHECK(!assay_recorder_new(NULL) && !assay_session_open(NULL, "x"));
    CHECK(!assay_recorder_finish(NULL) && !assay_parse(NULL, "", 0, NULL));
    assay_begin(NULL);
    assay_read_int(NULL, "x", 1);
    assay_write_text(NULL, "x", "y");
    assay_end(NULL, ASSAY_COMMITTED);
    assay_free(NULL);
    assay_history_free(NULL);
    assay_result_free(NULL);
    assay_recorder_free(NULL);
    assay_cancel(NULL);
    CHECK(!assay_transactions(NULL) && !assay_result_levels(NULL));
    CHECK(!assay_result_text(NULL, "text", NULL) && !assay_anomaly_name(NULL));
    CHECK(assay_save(NULL, "x", NULL) == ASSAY_E_USAGE);
}

/* --- recording -------------------------------------------------------------*/

struct worker {
    assay_recorder *rec;
    int number;
};

/* Each worker writes its own keys, and reads what it wrote. */
static void *
work(void *self)
{
    const struct worker *w = self;
    char name[32], key[32];
    snprintf(name, sizeof name, "worker \"%d\"", w->number);
    assay_session *s = assay_session_open(w->rec, name);
    for (int i = 0; i < 200; i++) {
        snprintf(key, sizeof key, "k%d", w->number);
        assay_begin(s);
        if (i)
            assay_read_int(s, key, i);
        else
            assay_read_nil(s, key);
        assay_write_int(s, key, i + 1);
        assay_end(s, i % 10 == 9 ? ASSAY_INDETERMINATE : ASSAY_COMMITTED);
    }
    return NULL;
}

static assay_history *
record(assay *a)
{
    enum { WORKERS = 8 };
    assay_recorder *rec = assay_recorder_new(a);
    struct worker workers[WORKERS];
    pthread_t threads[WORKERS];
    for (int i = 0; i < WORKERS; i++) {
        workers[i] = (struct worker){rec, i};
        pthread_create(&threads[i], NULL, work, &workers[i]);
    }
    for (int i = 0; i < WORKERS; i++)
        pthread_join(threads[i], NULL);
    return assay_recorder_finish(rec);
}

static void
threads_record_with_and_without_times(void)
{
    for (int clock = 0; clock < 2; clock++) {
        assay *a = assay_new();
        assay_set(a, ASSAY_CLOCK, clock);
        assay_history *h = record(a);
        CHECK_TEXT(assay_error(), "");
        CHECK(assay_transactions(h) == 1600 && assay_operations(h) == 3200);
        assay_result *r = assay_check(a, h, clock ? "strict-ser" : "ser");
        CHECK(assay_verdict(r) == ASSAY_HOLDS);
        assay_result_free(r);
        r = assay_check(a, h, "strict-ser");
        CHECK((r != NULL) == (clock == 1));
        assay_result_free(r);
        assay_history_free(h);
        assay_free(a);
    }
}

static void
everything_can_be_recorded(void)
{
    assay *a = assay_new();
    assay_recorder *rec = assay_recorder_new(a);
    assay_session *s = assay_session_open(rec, "caf\xc3\xa9 \"\\\n");
    CHECK(!assay_session_open(rec, "caf\xc3\xa9 \"\\\n"));
    assay_session *t = assay_session_open(rec, NULL);
    assay_begin_at(s, 10);
    assay_name(s, "pay-17");
    assay_meta(s, "{\"node\":\"n1\"}");
    assay_write_text(s, "tab\there", "quote \" \xe2\x82\xac");
    assay_append_int(s, "list", -5);
    assay_op_json(s, "[\"w\",\"real\",1.5]");
    assay_end_at(s, ASSAY_COMMITTED, 20);
    assay_begin_at(t, 30);
    assay_read_text(t, "tab\there", "quote \" \xe2\x82\xac");
    assay_read_list_int(t, "list", (const int64_t[]){-5}, 1);
    assay_op_json(t, "[\"r\",\"real\",1.5]");
    assay_end_at(t, ASSAY_ABORTED, 40);
    assay_begin_at(t, 50); // never ends
    assay_write_int(t, "x", INT64_MIN);
    assay_history *h = assay_recorder_finish(rec);
    CHECK_TEXT(assay_error(), "");
    CHECK(assay_transactions(h) == 3);
    assay_result *r = assay_check(a, h, "strict-ser");
    CHECK(assay_verdict(r) == ASSAY_HOLDS);
    assay_result_free(r);
    assay_history_free(h);
    assay_free(a);
}

static void
wrong_recordings_are_refused(void)
{
    assay *a = assay_new();
    assay_recorder *rec = assay_recorder_new(a);
    assay_session *s = assay_session_open(rec, "s");
    assay_read_int(s, "x", 1); // before begin
    CHECK(!assay_recorder_finish(rec));
    CHECK(assay_error_status() == ASSAY_E_USAGE);
    rec = assay_recorder_new(a);
    s = assay_session_open(rec, "s");
    assay_begin(s);
    assay_write_text(s, "x", "\xff");
    assay_end(s, ASSAY_COMMITTED);
    CHECK(!assay_recorder_finish(rec));
    CHECK(assay_error_status() == ASSAY_E_USAGE);
    rec = assay_recorder_new(a);
    s = assay_session_open(rec, "s");
    assay_begin(s);
    assay_op_json(s, "[\"w\",\"x\",1]\n");
    assay_end(s, ASSAY_COMMITTED);
    CHECK(!assay_recorder_finish(rec));
    CHECK(assay_error_status() == ASSAY_E_USAGE);
    rec = assay_recorder_new(a);
    CHECK(!assay_session_open(rec, "\xff"));
    s = assay_session_open(rec, "s");
    assay_begin(s);
    assay_op_json(s, "[\"zz\",1]");
    assay_end(s, ASSAY_COMMITTED);
    CHECK(!assay_recorder_finish(rec));
    CHECK(assay_error_status() == ASSAY_E_SYNTAX);
    CHECK(!assay_recorder_finish(assay_recorder_new(a)));
    assay_free(a);
}

static void
what_was_recorded_in_part_is_said(void)
{
    assay *a = assay_new();
    for (int complete = 0; complete < 2; complete++) {
        assay_set(a, ASSAY_COMPLETE, complete);
        assay_recorder *rec = assay_recorder_new(a);
        assay_session *s = assay_session_open(rec, NULL);
        assay_begin(s);
        assay_partial(s, "what \"f\" read");
        assay_write_int(s, "x", 1);
        assay_partial(s, "missing rows");
        assay_end(s, ASSAY_COMMITTED);
        assay_begin(s);
        assay_read_int(s, "x", 1);
        assay_end(s, ASSAY_COMMITTED);
        assay_history *h = assay_recorder_finish(rec);
        assay_result *r = assay_check(a, h, "ser");
        CHECK(assay_result_partial(r) == 1);
        CHECK(assay_result_verdict(r, 0) == ASSAY_HOLDS);
        CHECK(assay_verdict(r) == (complete ? ASSAY_UNKNOWN : ASSAY_HOLDS));
        CHECK(strstr(assay_result_text(r, "text", NULL), "1 of 2"));
        CHECK(strstr(assay_result_text(r, "json", NULL),
                     "{\"what \\\"f\\\" read\":1,\"missing rows\":1}"));
        assay_result_free(r);
        assay_history_free(h);
    }
    assay_free(a);
}

static void
a_saved_history_is_the_same(void)
{
    char path[] = "/tmp/assay-api-XXXXXX";
    close(mkstemp(path));
    assay *a = assay_new();
    assay_history *h = record(a);
    static const char *const formats[] = {"jsonl", "hist", "edn"};
    for (size_t i = 0; i < 3; i++) {
        CHECK(assay_save(h, path, formats[i]) == ASSAY_OK);
        assay_history *again = assay_load(a, path, NULL);
        CHECK(assay_operations(again) == assay_operations(h));
        CHECK(assay_transactions(again) == assay_transactions(h));
        assay_history_free(again);
    }
    // Writers number sessions in their own way, but two of them alike.
    assay_history *skew = parse(a, write_skew), *again;
    CHECK(assay_save(skew, path, "jsonl") == ASSAY_OK);
    CHECK((again = assay_load(a, path, NULL)) != NULL);
    CHECK(assay_fingerprint(again) == assay_fingerprint(skew));
    assay_history_free(again);
    assay_history_free(skew);
    CHECK(assay_save(h, path, "nonsense") == ASSAY_E_USAGE);
    CHECK(assay_save(h, "/nonexistent/x", NULL) == ASSAY_E_IO);
    assay_result *r = assay_check(a, h, "ser");
    CHECK(assay_result_save(r, "html", path) == ASSAY_OK);
    assay_result_free(r);
    assay_history_free(h);
    assay_free(a);
    remove(path);
}

/* --- limits ----------------------------------------------------------------*/

static int
sleep_when_explaining(void *self, const char *phase)
{
    (void)self;
    if (strcmp(phase, "explaining") == 0 || strcmp(phase, "verifying") == 0)
        usleep(150000);
    return 0;
}

static int
cancel_when_deciding(void *self, const char *phase)
{
    return strcmp(phase, self) == 0;
}

static void
a_limit_keeps_what_is_known(void)
{
    assay *a = assay_new();
    assay_history *h = parse(a, write_skew);
    assay_set_progress(a, sleep_when_explaining, NULL);
    assay_set(a, ASSAY_VERIFY, 0);
    assay_set(a, ASSAY_TIMEOUT_MS, 100);
    assay_result *r = assay_check(a, h, "si,ser");
    CHECK(r != NULL);
    CHECK(assay_result_verdict(r, 0) == ASSAY_HOLDS);
    CHECK(assay_result_verdict(r, 1) == ASSAY_VIOLATED);
    size_t n;
    const char *text = assay_certificate(r, 1, &n);
    assay_set(a, ASSAY_TIMEOUT_MS, 0);
    CHECK(text && assay_certify(a, h, text, n) == ASSAY_OK);
    CHECK(assay_result_text(r, "text", NULL) != NULL);
    assay_result_free(r);
    assay_history_free(h);
    assay_free(a);
}

static void
limits_are_errors_and_pass(void)
{
    assay *a = assay_new();
    assay_history *h = record(a);
    assay_set(a, ASSAY_MEMORY, 10000);
    assay_result *r = assay_check(a, h, "ser");
    CHECK(r && assay_verdict(r) == ASSAY_UNKNOWN);
    CHECK(r && strstr(assay_result_reason(r, 0), "memory"));
    assay_result_free(r);
    CHECK(!parse(a, write_skew) || true);
    assay_set(a, ASSAY_MEMORY, 0);
    r = assay_check(a, h, "ser");
    CHECK(assay_verdict(r) == ASSAY_HOLDS);
    assay_result_free(r);
    assay_history_free(h);
    assay_free(a);
}

static void
calls_can_be_cancelled(void)
{
    assay *a = assay_new();
    assay_history *h = parse(a, write_skew);
    assay_set_progress(a, cancel_when_deciding, (char[]){"deciding"});
    CHECK(!assay_check(a, h, "ser"));
    CHECK(assay_error_status() == ASSAY_E_CANCELLED);
    assay_set_progress(a, NULL, NULL);
    assay_cancel(a);
    CHECK(!assay_check(a, h, "ser") && !parse(a, write_skew));
    CHECK(assay_error_status() == ASSAY_E_CANCELLED);
    assay_uncancel(a);
    CHECK(verdict_of(a, write_skew, "ser") == ASSAY_VIOLATED);
    assay_history_free(h);
    assay_free(a);
}

/* --- threads, stacks and locales -------------------------------------------*/

static int checks_each = 40; // of a thread; the first argument

struct sharing {
    assay *a;
    assay_history *h;
    int wrong;
};

static void *
check_many(void *self)
{
    struct sharing *w = self;
    for (int i = 0; i < checks_each; i++) {
        assay_result *r = assay_check(w->a, w->h, i % 2 ? "si" : "ser");
        const assay_verdict_t expected = i % 2 ? ASSAY_HOLDS : ASSAY_VIOLATED;
        const char *text = assay_result_text(r, "text", NULL);
        if (assay_verdict(r) != expected || !text)
            __atomic_fetch_add(&w->wrong, 1, __ATOMIC_RELAXED);
        assay_result_free(r);
        if (verdict_of(w->a, "{", "si") != ASSAY_UNKNOWN ||
            assay_error_status() != ASSAY_E_SYNTAX)
            __atomic_fetch_add(&w->wrong, 1, __ATOMIC_RELAXED);
    }
    return NULL;
}

static void
threads_check_one_history(void)
{
    assay *a = assay_new();
    struct sharing w = {a, parse(a, write_skew), 0};
    pthread_t threads[8];
    for (int i = 0; i < 8; i++)
        pthread_create(&threads[i], NULL, check_many, &w);
    for (int i = 0; i < 8; i++)
        pthread_join(threads[i], NULL);
    CHECK(w.wrong == 0);
    assay_history_free(w.h);
    assay_free(a);
}

/* A million brackets, of each kind and in each format. */
static void *
read_brackets(void *self)
{
    enum { N = 1000000 };
    static const char *const formats[] = {"jsonl", "edn", "json", "hist",
                                          "dbcop-json"};
    static const char *const fronts[] = {"{\"session\":1,\"ops\":", "", "", "",
                                         ""};
    char *text = malloc(N + 100);
    assay *a = assay_new();
    bool *ok = self;
    *ok = text && a;
    for (size_t f = 0; *ok && f < 5; f++)
        for (size_t c = 0; c < 3; c++) {
            const size_t n = strlen(fronts[f]);
            memcpy(text, fronts[f], n + 1);
            memset(text + n, "[{("[c], N);
            *ok &= !assay_parse(a, text, n + N, formats[f]);
            *ok &= assay_error_status() != ASSAY_E_INTERNAL;
        }
    assay_free(a);
    free(text);
    return NULL;
}

static void
a_million_brackets_need_little_stack(void)
{
    pthread_attr_t attr;
    pthread_t thread;
    bool ok = false;
    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, 128 * 1024);
    CHECK(pthread_create(&thread, &attr, read_brackets, &ok) == 0);
    pthread_join(thread, NULL);
    pthread_attr_destroy(&attr);
    CHECK(ok);
}

static bool
enter_decimal_comma(char *directory)
{
    char command[300];
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
a_decimal_comma_changes_nothing(void)
{
    char directory[] = "/tmp/assay-locale-XXXXXX", command[64];
    static const char wrong[] = "{\"session\":1,\"ops\":[[\"w\",\"x\",1.5]]}\n"
                                "{\"session\":2,\"ops\":[[\"r\",\"x\",1.7]]}\n";
    if (!enter_decimal_comma(directory)) {
        SKIP("localedef cannot make a locale with a decimal comma");
        return;
    }
    assay *a = assay_new();
    CHECK(!assay_load(a, "/nonexistent", NULL));
    CHECK_TEXT(assay_error(), "/nonexistent: No such file or directory");
    CHECK(verdict_of(a, wrong, "rc") == ASSAY_VIOLATED);
    assay_history *h = parse(a, write_skew);
    assay_result *r = assay_check(a, h, "SER");
    const char *json = assay_result_text(r, "json", NULL);
    const char *seconds = json ? strstr(json, "\"seconds\":") : NULL;
    CHECK(seconds && seconds[11] == '.' && seconds[10] >= '0');
    assay_result_free(r);
    assay_history_free(h);
    assay_free(a);
    setlocale(LC_ALL, "C");
    snprintf(command, sizeof command, "rm -rf %s", directory);
    const int status = system(command);
    (void)status;
}

int
main(int argc, char **argv)
{
    if (argc > 1)
        checks_each = atoi(argv[1]);
    CHECK(assay_version() == ASSAY_API_VERSION && *assay_version_text());
    RUN(a_write_skew_is_told);
    RUN(an_anomaly_is_a_history_of_its_own);
    RUN(certificates_are_checked);
    RUN(levels_have_names);
    RUN(errors_have_a_place);
    RUN(null_is_never_a_pass);
    RUN(threads_record_with_and_without_times);
    RUN(everything_can_be_recorded);
    RUN(wrong_recordings_are_refused);
    RUN(what_was_recorded_in_part_is_said);
    RUN(a_saved_history_is_the_same);
    RUN(a_limit_keeps_what_is_known);
    RUN(limits_are_errors_and_pass);
    RUN(calls_can_be_cancelled);
    RUN(threads_check_one_history);
    RUN(a_million_brackets_need_little_stack);
    RUN(a_decimal_comma_changes_nothing);
    return test_end();
}

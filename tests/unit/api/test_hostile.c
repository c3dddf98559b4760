/* test_hostile.c -- callers that are careless, hurried or hostile: none of them
 * gets a wrong answer, and none is ended.
 *
 * SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "test.h"

#include <assay/assay.h>

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef __SANITIZE_ADDRESS__
enum { STACK = 1024 * 1024 }; // it puts red zones into every frame
#else
enum { STACK = 128 * 1024 };
#endif

static const char skewed[] =
    "{\"session\":1,\"ops\":[[\"r\",\"x\",null],[\"r\",\"y\",null],"
    "[\"w\",\"x\",1]]}\n"
    "{\"session\":2,\"ops\":[[\"r\",\"x\",null],[\"r\",\"y\",null],"
    "[\"w\",\"y\",1]]}\n";

/* --- recordings ------------------------------------------------------------*/

/* Record a transaction by 'misuse'; the status of finishing. */
static assay_status
status_after(void (*misuse)(assay_session *s))
{
    assay *a = assay_new();
    assay_recorder *rec = assay_recorder_new(a);
    assay_session *s = assay_session_open(rec, NULL);
    assay_begin(s);
    misuse(s);
    assay_end(s, ASSAY_COMMITTED);
    assay_history *h = assay_recorder_finish(rec);
    const assay_status status = assay_error_status();
    CHECK((h == NULL) == (status != ASSAY_OK));
    assay_history_free(h);
    assay_free(a);
    return status;
}

static const char *json;

static void
put_operation(assay_session *s)
{
    assay_op_json(s, json);
}

static void
put_meta(assay_session *s)
{
    assay_write_int(s, "x", 1);
    assay_meta(s, json);
}

static void
json_stays_where_it_is_put(void)
{
    static const char *const operations[] = {
        "",
        " ",
        "1",
        "{}",
        "[\"w\",\"x\",1",
        "[\"w\",\"x\",1]]",
        "[\"w\",\"x\",1],[\"w\",\"y\",1]",
        "[\"w\",\"x\",1]],\"status\":\"aborted\",\"partial\":[",
        "[\"w\",\"x\",\"\\\"]",
        "[\"w\",\"x\",1}",
        "[\"w\",\"x\",1]\n{}",
        NULL,
    };
    static const char *const metas[] = {
        "", "[]", "{", "{}}", "{},\"status\":\"aborted\"", "{\"a\":{}", NULL,
    };
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++) {
        json = operations[i];
        CHECK(status_after(put_operation) != ASSAY_OK);
    }
    for (size_t i = 0; i < sizeof metas / sizeof *metas; i++) {
        json = metas[i];
        CHECK(status_after(put_meta) != ASSAY_OK);
    }
    json = " [\"w\",\"x]\",\"a\\\"]b\\\\\"] ";
    CHECK(status_after(put_operation) == ASSAY_OK);
    json = "{\"a\":{\"b\":[1,2]}}";
    CHECK(status_after(put_meta) == ASSAY_OK);
}

static void
read_no_list(assay_session *s)
{
    assay_read_list_int(s, "x", NULL, 3);
}

static void
read_endless_list(assay_session *s)
{
    assay_read_list_int(s, "x", &(int64_t){1}, SIZE_MAX);
}

static void
end_oddly(assay_session *s)
{
    assay_write_int(s, "x", 1);
    assay_end(s, (assay_outcome)7);
}

static void
end_twice(assay_session *s)
{
    assay_end(s, ASSAY_COMMITTED);
}

static void
give_a_time(assay_session *s)
{
    assay_write_int(s, "x", 1);
    assay_end_at(s, ASSAY_COMMITTED, 5);
    assay_begin(s);
}

static void
name_twice(assay_session *s)
{
    assay_write_int(s, "x", 1);
    assay_name(s, "a");
    assay_name(s, "b");
}

static void
write_no_key(assay_session *s)
{
    assay_write_int(s, NULL, 1);
}

static void
misuse_is_the_error_of_the_recording(void)
{
    CHECK(status_after(read_no_list) == ASSAY_E_USAGE);
    CHECK(status_after(read_endless_list) == ASSAY_E_USAGE);
    CHECK(status_after(end_oddly) == ASSAY_E_USAGE);
    CHECK(status_after(end_twice) == ASSAY_E_USAGE);
    CHECK(status_after(give_a_time) == ASSAY_E_USAGE);
    CHECK(status_after(name_twice) != ASSAY_OK);
    CHECK(status_after(write_no_key) == ASSAY_E_USAGE);
}

/* --- handles and texts -----------------------------------------------------*/

static void
names_may_change(void)
{
    assay *a = assay_new();
    assay_history *h = assay_parse(a, skewed, strlen(skewed), NULL);
    CHECK(assay_history_set_name(h, "first") == ASSAY_OK);
    assay_result *r = assay_check(a, h, "ser");
    assay_prediction *p =
        assay_predict(a, h, "si", 1); // NULL, or it has the name as well
    CHECK(assay_history_set_name(h, "second") == ASSAY_OK);
    const char *text = assay_result_text(r, "text", NULL);
    CHECK(text && strncmp(text, "first:", 6) == 0);
    assay_prediction_free(p);
    assay_result_free(r);
    assay_history_free(h);
    assay_free(a);
}

/* One line of UTF-8 without control characters. */
static bool
is_clean(const char *text)
{
    for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
        if (*c < 0x20 || *c == 0x7f)
            return false;
        for (int more = *c >= 0xf0   ? 3
                        : *c >= 0xe0 ? 2
                                     : *c >= 0xc0;
             more-- > 0;)
            if ((*++c & 0xc0) != 0x80)
                return false;
    }
    return true;
}

static void
errors_are_one_line_of_text(void)
{
    static const char *const paths[] = {"/nonexistent/\xff\xfe",
                                        "/nonexistent/\n\x1b[31m", "/no/\xc3",
                                        "/no/\xc2\x9b[m", "\xe2\x82"};
    char path[4000] = "/no/";
    assay *a = assay_new();
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        CHECK(!assay_load(a, paths[i], NULL));
        CHECK(*assay_error() && is_clean(assay_error()));
    }
    for (size_t shift = 0; shift < 3; shift++) { // cut anywhere
        for (size_t i = 4 + shift; i + 4 < sizeof path; i += 3)
            memcpy(path + i, "\xe2\x82\xac", 4);
        memcpy(path + 4, "aa", shift);
        CHECK(!assay_load(a, path, NULL) && is_clean(assay_error()));
        CHECK(!assay_parse(a, "x", 1, path) && is_clean(assay_error()));
        CHECK(!assay_load(a, "/", path) && is_clean(assay_error()));
    }
    assay_history *h = assay_parse(a, skewed, strlen(skewed), NULL);
    CHECK(!assay_check(a, h, path) && is_clean(assay_error()));
    CHECK(!assay_predict(a, h, path, 1) && is_clean(assay_error()));
    assay_history_free(h);
    assay_free(a);
}

/* Names reach reports escaped, whatever they are. */
static void
reports_are_text(void)
{
    static const char *const formats[] = {"text", "markdown", "json",  "html",
                                          "svg",  "dot",      "junit", "sarif"};
    assay *a = assay_new();
    assay_history *h = assay_parse(a, skewed, strlen(skewed), NULL);
    CHECK(assay_history_set_name(h, "\xff\x1b[31m\xe2\x80\xae") == ASSAY_OK);
    assay_result *r = assay_check(a, h, "ser");
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        const char *text = assay_result_text(r, formats[i], NULL);
        CHECK(text && !strchr(text, '\xff') && !strchr(text, '\x1b'));
    }
    assay_result_free(r);
    assay_history_free(h);
    h = assay_parse(a, skewed, strchr(skewed, '\n') + 1 - skewed, NULL);
    CHECK(assay_history_set_name(h, "\xff\x1b[31m") == ASSAY_OK);
    assay_prediction *p = assay_predict(a, h, "si", 1);
    const char *text = assay_prediction_text(p, "text", NULL);
    CHECK(text && !strchr(text, '\xff') && !strchr(text, '\x1b'));
    assay_prediction_free(p);
    assay_history_free(h);
    assay_free(a);
}

/* --- the process of the caller ---------------------------------------------*/

static void
ignore(int signal)
{
    (void)signal;
}

/* Transactions on many keys: some megabytes of text. */
static assay_history *
large_history(assay *a)
{
    assay_set(a, ASSAY_CLOCK, 0);
    assay_recorder *rec = assay_recorder_new(a);
    assay_session *s = assay_session_open(rec, "s");
    for (int i = 0; i < 20000; i++) {
        char key[24];
        snprintf(key, sizeof key, "a longer key %d", i % 1000);
        assay_begin(s);
        assay_write_int(s, key, i);
        assay_read_int(s, key, i);
        assay_end(s, ASSAY_COMMITTED);
    }
    return assay_recorder_finish(rec);
}

/* A timer interrupts every system call that can be. */
static void
signals_interrupt_nothing(void)
{
    char path[] = "/tmp/assay-hostile-XXXXXX";
    close(mkstemp(path));
    const struct sigaction action = {.sa_handler = ignore}; // no SA_RESTART
    const struct itimerval fast = {{0, 3000}, {0, 3000}},
                           off = {{0, 0}, {0, 0}};
    assay *a = assay_new();
    assay_history *h = large_history(a);
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &fast, NULL);
    for (int i = 0; i < 5; i++) {
        CHECK(assay_save(h, path, i % 2 ? "jsonl" : "edn") == ASSAY_OK);
        CHECK_TEXT(assay_error(), "");
        assay_history *again = assay_load(a, path, NULL);
        CHECK_TEXT(assay_error(), "");
        CHECK(assay_operations(again) == assay_operations(h));
        assay_set(a, ASSAY_THREADS, 1 + i % 2 * 3);
        assay_result *r = assay_check(a, again, "ser");
        CHECK(assay_verdict(r) == ASSAY_HOLDS);
        assay_result_free(r);
        assay_history_free(again);
    }
    setitimer(ITIMER_REAL, &off, NULL);
    // The handler stays: valgrind delivers the last signal later.
    assay_history_free(h);
    assay_free(a);
    remove(path);
}

static void *
check_until_told(void *self)
{
    const bool *stop = self;
    assay *a = assay_new();
    while (!__atomic_load_n(stop, __ATOMIC_RELAXED)) {
        assay_history *h = assay_parse(a, skewed, strlen(skewed), NULL);
        assay_result *r = assay_check(a, h, "ser");
        CHECK(assay_verdict(r) == ASSAY_VIOLATED);
        assay_result_free(r);
        assay_history_free(h);
    }
    assay_free(a);
    return NULL;
}

// The allocators of the sanitizers are not ready for a fork beside a thread
// that allocates, so the child waits for ever; that of libc is.
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
enum { FORKS = 0 };
#else
enum { FORKS = 20 };
#endif

/* The child of a program with threads can check, too. */
static void
a_fork_has_a_library_of_its_own(void)
{
    bool stop = false;
    pthread_t thread;
    assay *a = assay_new();
    assay_history *h = assay_parse(a, skewed, strlen(skewed), NULL);
    CHECK(pthread_create(&thread, NULL, check_until_told, &stop) == 0);
    for (int i = 0; i < FORKS; i++) {
        const pid_t child = fork();
        if (child == 0) {
            assay_result *r = assay_check(a, h, "ser");
            const bool ok = assay_verdict(r) == ASSAY_VIOLATED &&
                            assay_result_text(r, "text", NULL);
            _exit(ok ? 0 : 1);
        }
        int status = 1;
        CHECK(waitpid(child, &status, 0) == child && status == 0);
    }
    __atomic_store_n(&stop, true, __ATOMIC_RELAXED);
    pthread_join(thread, NULL);
    assay_history_free(h);
    assay_free(a);
}

static int
count_descriptors(void)
{
    int n = 0;
    for (int fd = 0; fd < 256; fd++)
        n += fcntl(fd, F_GETFD) >= 0;
    return n;
}

static int
stop_now(void *self, const char *phase)
{
    (void)phase;
    return ++*(int *)self > 1;
}

/* Calls that fail or are abandoned leave no file and no descriptor. */
static void
nothing_is_left_behind(void)
{
    char directory[] = "/tmp/assay-hostile-XXXXXX", path[64], partial[80];
    CHECK(mkdtemp(directory) != NULL);
    snprintf(path, sizeof path, "%s/h", directory);
    snprintf(partial, sizeof partial, "%s.partial", path);
    assay *a = assay_new();
    assay_history *h = large_history(a);
    const int before = count_descriptors();
    assay_set(a, ASSAY_TIMEOUT_MS, 1);
    for (int i = 0; i < 20; i++) {
        assay_save(h, path, i % 2 ? "hist" : "edn");
        CHECK(access(partial, F_OK) != 0);
        assay_history_free(assay_load(a, path, NULL));
    }
    assay_set(a, ASSAY_TIMEOUT_MS, 0);
    CHECK(assay_save(h, "/dev/full", "jsonl") == ASSAY_E_IO);
    CHECK(assay_save(h, directory, "jsonl") == ASSAY_E_IO);
    CHECK(assay_save(h, "", "jsonl") != ASSAY_OK);
    CHECK(!assay_load(a, directory, NULL) && !assay_load(a, "", NULL));
    int calls = 0;
    assay_set_progress(a, stop_now, &calls);
    CHECK(!assay_check(a, h, "all"));
    CHECK(assay_error_status() == ASSAY_E_CANCELLED);
    assay_set_progress(a, NULL, NULL);
    CHECK(count_descriptors() == before);
    assay_history_free(h);
    assay_free(a);
    remove(path);
    CHECK(rmdir(directory) == 0);
}

/* --- little stack ----------------------------------------------------------*/

static void *
check_everything(void *self)
{
    bool *ok = self;
    assay *a = assay_new();
    assay_history *h = assay_parse(a, skewed, strlen(skewed), NULL);
    assay_result *r = assay_check(a, h, "all");
    *ok = assay_verdict(r) == ASSAY_VIOLATED &&
          assay_result_text(r, "text", NULL) &&
          assay_result_text(r, "html", NULL) && assay_certificate(r, 0, NULL);
    assay_result_free(r);
    assay_history_free(h);
    static const char serial[] =
        "{\"session\":1,\"ops\":[[\"r\",\"x\",null],[\"w\",\"x\",1]]}\n"
        "{\"session\":2,\"ops\":[[\"r\",\"x\",1],[\"w\",\"x\",2]]}\n";
    h = assay_parse(a, serial, strlen(serial), NULL);
    assay_prediction *p = assay_predict(a, h, "rc", 1);
    *ok &= assay_answer(p) == ASSAY_PREDICTED &&
           assay_prediction_text(p, "html", NULL);
    assay_prediction_free(p);
    assay_history_free(h);
    assay_free(a);
    return NULL;
}

static void
a_small_stack_is_enough(void)
{
    pthread_attr_t attr;
    pthread_t thread;
    bool ok = false;
    pthread_attr_init(&attr);
    CHECK(pthread_attr_setstacksize(&attr, STACK) == 0);
    CHECK(pthread_create(&thread, &attr, check_everything, &ok) == 0);
    pthread_join(thread, NULL);
    pthread_attr_destroy(&attr);
    CHECK(ok);
}

int
main(void)
{
    RUN(json_stays_where_it_is_put);
    RUN(misuse_is_the_error_of_the_recording);
    RUN(names_may_change);
    RUN(errors_are_one_line_of_text);
    RUN(reports_are_text);
    RUN(signals_interrupt_nothing);
    RUN(a_fork_has_a_library_of_its_own);
    RUN(nothing_is_left_behind);
    RUN(a_small_stack_is_enough);
    return test_end();
}

/* test_context.c -- work that is abandoned: out of memory, at a limit, or
 * because the caller says so, at every phase of reading, checking and
 * explaining.
 *
 * What is abandoned leaves nothing behind: no memory (the address sanitizer
 * looks for leaks), no thread, no descriptor.
 *
 * SPDX-License-Identifier: MIT */
#include "test.h"

#include "base/container/vec.h"
#include "base/limits/capacity.h"
#include "base/limits/context.h"
#include "base/memory/mem.h"
#include "base/parallel.h"
#include "explain/explain.h"
#include "format/format.h"
#include "gen/gen.h"

#include <dirent.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

/* A history that violates ser, in a file of several blocks. */
static char path[64];

static void
write_history(void)
{
    const struct gen_shape shape = {.level = LEVEL_SER,
                                    .sessions = 8,
                                    .transactions = 20000,
                                    .operations = 6,
                                    .keys = 500,
                                    .reads = 0.5,
                                    .lag = 10,
                                    .seed = 7,
                                    .inject = "write-skew",
                                    .at = 0.5};
    struct history h;
    struct err err = {0};
    CHECK(gen_history(&shape, &h, &err));
    strcpy(path, "/tmp/assay-context-XXXXXX");
    const int fd = mkstemp(path);
    CHECK(fd >= 0);
    close(fd);
    CHECK(format_write(&h, format_find("text"), path, &err));
    history_free(&h);
}

/* What a caller of the library does. */
struct job {
    unsigned threads;
    enum verdict verdict;
    size_t anomalies;
};

static void
work(void *self)
{
    struct job *job = self;
    struct history h;
    struct err err = {0};
    context_phase("reading");
    if (!format_read(path, "auto", job->threads, &h, NULL, &err))
        return;
    context_phase("checking");
    const struct check_options o = {.levels = 1u << LEVEL_RC | 1u << LEVEL_SER,
                                    .threads = job->threads,
                                    .verify = true,
                                    .most_flaws = 1,
                                    .strong = strong_defaults};
    struct check c;
    if (check_history(&h, &o, &c, &err)) {
        job->verdict = c.results.at[1].certificate.verdict;
        context_phase("explaining");
        struct explanation e;
        const struct explain_options how = {
            .most = 1, .threads = 1, .strong = strong_defaults};
        if (explain_result(&h, &c, &c.results.at[1], &how, &e, &err)) {
            job->anomalies = e.anomalies.n;
            explanation_free(&e);
        }
        check_free(&c);
    }
    history_free(&h);
}

static size_t
count_descriptors(void)
{
    size_t n = 0;
    DIR *dir = opendir("/proc/self/fd");
    while (dir && readdir(dir))
        n++;
    if (dir)
        closedir(dir);
    return n;
}

/* --- tests ----------------------------------------------------------------*/

static size_t whole_peak;

static void
work_with_enough_of_everything_succeeds(void)
{
    for (unsigned threads = 1; threads <= 3; threads++) {
        struct context c = {0};
        struct job job = {.threads = threads};
        const size_t before = mem_in_use();
        CHECK(context_run(&c, work, &job));
        CHECK(job.verdict == VERDICT_VIOLATED && job.anomalies == 1);
        CHECK(c.stop.kind == LIMIT_NONE && c.in_use == 0);
        CHECK(mem_in_use() == before);
        whole_peak = c.peak;
    }
    CHECK(whole_peak > 1 << 20);
}

/* Limits from nearly nothing to nearly enough reach the limit wherever memory
 * is allocated. */
static void
too_little_memory_is_an_answer_in_every_phase(void)
{
    enum { STEPS = 120 };
    const size_t before = mem_in_use(), descriptors = count_descriptors();
    size_t stopped = 0;
    for (size_t i = 1; i < STEPS; i++) {
        struct context c = {.memory = whole_peak * i / STEPS};
        struct job job = {.threads = 1 + (unsigned)(i % 3)};
        if (context_run(&c, work, &job))
            continue; // threads interleave: the peak is not always the same
        stopped++;
        CHECK(c.stop.kind == LIMIT_MEMORY && c.stop.bytes == c.memory);
        CHECK(c.stop.phase != NULL && c.in_use == 0);
        // Blocks are a little larger than asked for.  Each thread looks at the
        // limit before it takes a block, so all may take one at once.
        CHECK(c.peak <= c.memory + c.memory / 8 + (1 << 18) +
                            (job.threads - 1) * ((size_t)1 << 20));
        CHECK(job.anomalies == 0);
    }
    CHECK(stopped > STEPS / 2);
    CHECK(mem_in_use() == before && count_descriptors() == descriptors);
}

struct cancellation {
    struct context c;
    const char *when;
};

static void
cancel_at(void *self, const char *phase)
{
    struct cancellation *x = self;
    if (strcmp(phase, x->when) == 0)
        x->c.cancelled = true;
}

static void
a_caller_cancels_at_a_phase(void)
{
    static const char *const phases[] = {"reading", "checking", "verifying",
                                         "explaining"};
    for (size_t i = 0; i < sizeof phases / sizeof *phases; i++) {
        struct cancellation x = {.when = phases[i]};
        x.c.progress = cancel_at;
        x.c.self = &x;
        struct job job = {.threads = 2};
        CHECK(!context_run(&x.c, work, &job));
        CHECK(x.c.stop.kind == LIMIT_CANCELLED);
        CHECK_TEXT(x.c.stop.phase, phases[i]);
        CHECK(x.c.in_use == 0);
    }
}

static void *
cancel_soon(void *self)
{
    struct context *c = self;
    time_pause(0.005);
    c->cancelled = true;
    return NULL;
}

static void
another_thread_cancels(void)
{
    struct context c = {0};
    struct job job = {.threads = 2};
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, cancel_soon, &c) == 0);
    const bool done = context_run(&c, work, &job);
    pthread_join(thread, NULL);
    CHECK(done || (c.stop.kind == LIMIT_CANCELLED && c.in_use == 0));
}

static void
a_deadline_that_is_over_ends_the_work(void)
{
    struct context c = {.deadline = time_now() - 1};
    struct job job = {.threads = 1};
    CHECK(!context_run(&c, work, &job));
    CHECK(c.stop.kind == LIMIT_TIME);
}

static void
want_too_many(void *self)
{
    u32_vec *v = self;
    u32_vec mine = {0};
    for (uint32_t i = 0; i < 1000; i++) {
        vec_push(v, i); // the caller's vector grows, and stays
        vec_push(&mine, i);
    }
    capacity_want(CAPACITY_SESSIONS, (uint64_t)INT32_MAX + 1);
}

static void
a_capacity_is_an_answer_and_the_callers_vector_survives(void)
{
    u32_vec v = {0};
    vec_push(&v, 7);
    struct context c = {0};
    CHECK(!context_run(&c, want_too_many, &v));
    CHECK(c.stop.kind == LIMIT_CAPACITY);
    CHECK_TEXT(c.stop.what, "sessions");
    CHECK(v.n == 1001 && v.at[0] == 7 && v.at[1000] == 999);
    vec_free(&v);
}

static void
keep_one(void *self)
{
    *(char **)self = mem_alloc(100, 1);
    mem_free(mem_alloc(5000, 1));
}

static void
nest(void *self)
{
    struct context inner = {0};
    CHECK(context_run(&inner, keep_one, self));
    CHECK(inner.peak >= 5000 && context_current()->in_use >= 100);
    struct context small = {.memory = 2000};
    char *never = NULL;
    CHECK(!context_run(&small, keep_one, &never));
    CHECK(context_current()->in_use < 5000);
}

static void
contexts_nest_and_results_belong_to_the_caller(void)
{
    const size_t before = mem_in_use();
    char *kept = NULL;
    struct context c = {0};
    CHECK(context_run(&c, nest, &kept));
    CHECK(kept && mem_in_use() > before);
    mem_free(kept);
    CHECK(mem_in_use() == before);
}

static void
allocate(void *self, size_t i)
{
    (void)self;
    char *p = mem_alloc(1000, 1);
    p[0] = (char)i;
    if (i % 7 == 3)
        mem_alloc(100000, 1); // too much
    mem_free(p);
}

static void
loop(void *self)
{
    parallel_for(4, 100, allocate, self);
}

static void
a_worker_that_is_abandoned_ends_the_loop(void)
{
    for (size_t i = 0; i < 50; i++) {
        struct context c = {.memory = 50000};
        CHECK(!context_run(&c, loop, NULL));
        CHECK(c.stop.kind == LIMIT_MEMORY && c.in_use == 0);
    }
}

int
main(void)
{
    write_history();
    RUN(work_with_enough_of_everything_succeeds);
    RUN(too_little_memory_is_an_answer_in_every_phase);
    RUN(a_caller_cancels_at_a_phase);
    RUN(another_thread_cancels);
    RUN(a_deadline_that_is_over_ends_the_work);
    RUN(a_capacity_is_an_answer_and_the_callers_vector_survives);
    RUN(contexts_nest_and_results_belong_to_the_caller);
    RUN(a_worker_that_is_abandoned_ends_the_loop);
    unlink(path);
    return test_end();
}

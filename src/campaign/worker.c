/* worker.c -- see worker.h.
 *
 * SPDX-License-Identifier: MIT */
#include "campaign/worker.h"

#include "base/container/hash.h"
#include "base/time.h"
#include "server/guard.h"
#include "server/process.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define PATIENCE 20.0 // seconds for a run to end that was asked to
#define STEP 0.01     // seconds between two looks at a run
enum { TRIES = 3 };   // of a run that a signal ends

#define WAIT 0.5 // seconds between two looks at the runs of others

struct worker {
    struct directory *d;
    const struct worker_options *o;
    struct guard guard;
    const char *scratch;
    struct arena arena;
    double began;
    VEC(bool) done; // by run
};

static bool
is_over(const struct worker *w)
{
    return *w->o->interrupted ||
           (w->o->budget > 0 && time_now() > w->began + w->o->budget);
}

/* --- one child -------------------------------------------------------------*/

struct child {
    struct buf json, log, found, temporary;
    int status;
    bool is_late, is_interrupted;
    double seconds;
};

static void
begin_child(const struct worker *w, size_t run, unsigned claim, struct child *c)
{
    *c = (struct child){0};
    buf_printf(&c->json, "%s/result.json", w->scratch);
    buf_printf(&c->log, "%s/log", w->scratch);
    buf_printf(&c->temporary, "TMPDIR=%s", w->scratch);
    directory_name(w->d, "found", run, claim, &c->found);
}

static void
free_child(struct child *c)
{
    buf_free(&c->json);
    buf_free(&c->log);
    buf_free(&c->found);
    buf_free(&c->temporary);
}

/* Wait for the end of a run, and end it if it takes too long. */
static void
wait_for(const struct worker *w, pid_t pid, double patience, struct child *c)
{
    const double began = time_now();
    double stop = 0; // when it was asked to end
    while (waitpid(pid, &c->status, WNOHANG) == 0) {
        const double now = time_now();
        c->is_late |= patience > 0 && now > began + patience;
        if (!stop && (c->is_late || *w->o->interrupted)) {
            kill(pid, SIGTERM);
            stop = now;
        }
        if (stop && now > stop + PATIENCE)
            kill(-pid, SIGKILL);
        directory_touch(w->d);
        time_pause(STEP);
    }
    c->seconds = time_now() - began;
    c->is_interrupted = *w->o->interrupted;
}

/* Run this program with some words; its messages go to the log, and what it
 * prints to 'output', or nowhere. */
static bool
run_child(struct worker *w, const char *const *argv, const char *output,
          double patience, struct child *c, struct err *err)
{
    pid_t pid;
    FILE *out = fopen(output ? output : "/dev/null", "w");
    const struct command_line line = {.argv = argv,
                                      .directory = ".",
                                      .log = c->log.at,
                                      .variable = c->temporary.at,
                                      .guard = &w->guard,
                                      .output = out ? fileno(out) : 0};
    const bool ok = process_start(&line, &pid, err);
    if (ok) {
        wait_for(w, pid, patience, c);
        guard_remove(&w->guard, pid);
    }
    if (out)
        fclose(out);
    return ok;
}

static bool
run_test(struct worker *w, const outcome_words *words, struct child *c,
         struct err *err)
{
    VEC(const char *) argv = {0};
    struct buf json = {0}, store = {0};
    buf_printf(&json, "--json=%s", c->json.at);
    buf_printf(&store, "--store=%s", c->found.at);
    vec_push(&argv, w->o->program);
    vec_push(&argv, "test");
    for (size_t i = 0; i < words->n; i++)
        vec_push(&argv, words->at[i]);
    vec_push(&argv, json.at);
    vec_push(&argv, store.at);
    vec_push(&argv, NULL);
    unlink(c->json.at);
    unlink(c->log.at);
    const bool ok = run_child(w, argv.at, NULL, w->o->each, c, err);
    vec_free(&argv);
    buf_free(&json);
    buf_free(&store);
    return ok;
}

/* --- the smallest script ---------------------------------------------------*/

/* Look for the smallest run that still shows the first finding, unless that was
 * done for its signature. */
static bool
shrink(struct worker *w, struct run_outcome *o, struct child *c,
       struct err *err)
{
    struct buf path = {0}, text = {0}, output = {0};
    VEC(const char *) argv = {0};
    bool ok = true, is_new;
    outcome_signature(&o->findings.at[0], &text);
    buf_printf(&path, "%s/scripts/%016" PRIx64, w->d->path,
               hash_bytes(text.at, text.n));
    buf_printf(&output, "%s/shrunk", w->scratch);
    if (access(path.at, F_OK) != 0) {
        vec_push(&argv, w->o->program);
        vec_push(&argv, "test");
        for (size_t i = 0; i < o->command.n; i++)
            vec_push(&argv, o->command.at[i]);
        vec_push(&argv, "--shrink");
        vec_push(&argv, "--quiet");
        vec_push(&argv, NULL);
        unlink(c->log.at);
        ok = run_child(w, argv.at, output.at, w->o->each, c, err);
        if (ok && !c->is_interrupted && WIFEXITED(c->status) &&
            WEXITSTATUS(c->status) == 1 && directory_read(output.at, &text))
            ok = directory_publish(w->d, path.at, &text, &is_new, err);
    }
    unlink(output.at);
    vec_free(&argv);
    buf_free(&path);
    buf_free(&text);
    buf_free(&output);
    return ok;
}

/* --- one run ---------------------------------------------------------------*/

/* What earlier claims of the run left is of no use. */
static void
remove_earlier(const struct worker *w, size_t run, unsigned claim)
{
    struct buf name = {0};
    for (unsigned i = 1; i < claim; i++) {
        directory_name(w->d, "found", run, i, &name);
        directory_remove(name.at);
    }
    buf_free(&name);
}

static bool
publish(struct worker *w, size_t run, const struct run_outcome *o,
        struct err *err)
{
    struct buf name = {0}, line = {0};
    bool is_new;
    outcome_put(o, &line);
    directory_name(w->d, "results", run, 0, &name);
    const bool ok = directory_publish(w->d, name.at, &line, &is_new, err);
    if (ok && is_new && w->o->ended)
        w->o->ended(w->o->self, run, o);
    buf_free(&name);
    buf_free(&line);
    return ok;
}

/* Whether a signal that was not this worker's ended the run early.  scancel
 * sends one to all processes of a job, and it may reach the worker last.  A run
 * that is ended so again and again gets a result. */
static bool
was_stopped(const struct worker *w, struct child *c)
{
    const struct outcome_source source = {
        .log = c->log.at, .status = c->status, .is_late = c->is_late};
    if (!outcome_is_interrupted(&source))
        return false;
    directory_remove(c->found.at);
    for (int i = 0; i < 100 && !*w->o->interrupted; i++)
        time_pause(STEP);
    c->is_interrupted = *w->o->interrupted;
    return !c->is_interrupted;
}

static bool
do_run(struct worker *w, size_t run, unsigned claim, struct err *err)
{
    size_t n;
    struct child c;
    struct arena arena = {0};
    outcome_words words = {0};
    const char *line = directory_run(w->d, run, &n);
    outcome_read_words(line, n, &arena, &words);
    remove_earlier(w, run, claim);
    begin_child(w, run, claim, &c);
    bool ok = run_test(w, &words, &c, err);
    for (int i = 1; i < TRIES && ok && was_stopped(w, &c); i++)
        ok = run_test(w, &words, &c, err);
    if (ok && !c.is_interrupted) {
        struct run_outcome o;
        struct buf kept = {0};
        directory_keep(w->d, run, c.found.at, &kept);
        const struct outcome_source source = {.json = c.json.at,
                                              .log = c.log.at,
                                              .kept = kept.n ? kept.at : "",
                                              .status = c.status,
                                              .is_late = c.is_late};
        outcome_take(&source, &o);
        buf_free(&kept);
        if (*o.kept) // within the directory, whatever its path is here
            o.kept += strlen(w->d->path) + 1;
        o.seconds = c.seconds;
        o.claim = claim;
        o.worker = w->d->worker.at;
        for (size_t i = 0; i < words.n; i++)
            vec_push(&o.command, words.at[i]);
        if (w->o->shrink && o.findings.n && strcmp(o.verdict, "violated") == 0)
            ok = shrink(w, &o, &c, err);
        if (ok && !*w->o->interrupted)
            ok = publish(w, run, &o, err);
        outcome_free(&o);
    } else if (c.is_interrupted) {
        directory_remove(c.found.at);
    }
    free_child(&c);
    vec_free(&words);
    arena_free(&arena);
    return ok;
}

/* --- all runs --------------------------------------------------------------*/

/* Go once through the runs, from one that other workers do not begin with.
 * *left: some are without a result.  *took: this worker did one. */
static bool
pass(struct worker *w, bool *left, bool *took, struct err *err)
{
    const size_t n = directory_runs(w->d);
    const size_t first =
        hash_bytes(w->d->worker.at, w->d->worker.n) % (n ? n : 1);
    *left = *took = false;
    for (size_t i = 0; i < n; i++) {
        const size_t run = (first + i) % n + 1;
        unsigned claim;
        if (is_over(w))
            return true;
        if (w->done.at[run - 1])
            continue;
        w->done.at[run - 1] = directory_has_result(w->d, run);
        if (w->done.at[run - 1])
            continue;
        if (!directory_claim(w->d, run, &claim, err))
            return false;
        *left |= !claim;
        directory_touch(w->d);
        // It may have ended between the look and the claim.
        if (!claim || directory_has_result(w->d, run))
            continue;
        if (!do_run(w, run, claim, err))
            return false;
        *took = true;
    }
    return true;
}

bool
worker_run(struct directory *d, const struct worker_options *o, struct err *err)
{
    struct worker w = {.d = d, .o = o, .began = time_now()};
    bool left = true, took = false;
    assert(o->program && o->interrupted);
    if (!guard_start(&w.guard, &w.arena, &w.scratch, err))
        return false;
    // Servers of a run have users that have to find their files in it.
    bool ok = chmod(w.scratch, 0711) == 0 && directory_join(d, w.scratch, err);
    for (size_t i = 0; i < directory_runs(d); i++)
        vec_push(&w.done, false);
    while (ok && left && !is_over(&w)) {
        ok = pass(&w, &left, &took, err);
        if (ok && left && !took && !is_over(&w))
            time_pause(WAIT);
        directory_touch(d);
    }
    guard_end(&w.guard);
    directory_remove(w.scratch); // the guard may have been killed
    vec_free(&w.done);
    arena_free(&w.arena);
    return ok;
}

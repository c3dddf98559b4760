/* collect.c -- see collect.h.
 *
 * All sessions connect before the first transaction begins, so that they really
 * run concurrently.  The calling thread only watches the time.
 *
 * A session that waits for an answer cannot see that the run is over.  If then
 * nothing ends for a while, the server is taken to be frozen, and connections
 * are cut; what was sent to it has an unknown outcome.  A run that has no time,
 * only a number of transactions, is over when nothing has ended for much
 * longer.
 *
 * SPDX-License-Identifier: MIT */
#include "collect/collect.h"

#include "base/limits/limit.h"
#include "collect/integrity.h"
#include "collect/session.h"

#include <string.h>

#define BRIEF_GRACE 5.0 // seconds, after an interrupt

// Without a time: graces and pauses in which something has to end.
enum { IDLE_GRACES = 10, IDLE_PAUSES = 100 };

static bool
time_is_up(const struct collect_run *run)
{
    const struct collect_options *o = run->o;
    return (o->seconds > 0 && time_now() - run->began >= o->seconds) ||
           (o->interrupted && *o->interrupted);
}

/* How much had ended when something last did. */
struct ending {
    double since;
    uint64_t progress;
    bool is_over; // the run was over by then
};

/* How long nothing may end before a run without a time is over. */
static double
patience_of(const struct collect_options *o, double grace)
{
    return IDLE_GRACES * grace + IDLE_PAUSES * o->pause;
}

/* Cut the connections if the run is over and nothing has ended for a while.  A
 * run without a time is over if nothing has ended for long. */
static void
end_frozen(struct collect_run *run, struct ending *e,
           const struct collect_stats *stats)
{
    const struct collect_options *o = run->o;
    // A source needs the database once more, to write its history.
    const bool is_brief = o->interrupted && *o->interrupted && !o->source;
    const double grace =
        is_brief && o->grace > BRIEF_GRACE ? BRIEF_GRACE : o->grace;
    const uint64_t progress = stats->committed + stats->aborted +
                              stats->unknown + atomic_load(&run->final_steps) +
                              o->shape.sessions - atomic_load(&run->running);
    const bool is_over = atomic_load(&run->stop);
    if ((!is_over && o->seconds > 0) || atomic_load(&run->is_cut) || grace <= 0)
        return;
    if (e->since <= 0 || e->progress != progress || e->is_over != is_over) {
        *e = (struct ending){
            .since = time_now(), .progress = progress, .is_over = is_over};
    } else if (!is_over) {
        if (time_now() - e->since > patience_of(o, grace))
            atomic_store(&run->stop, true);
    } else if (time_now() - e->since > grace) {
        atomic_store(&run->is_cut, true);
        const size_t n = sockets_cut(&run->db->sockets);
        pthread_mutex_lock(&run->lock);
        run->stats.cut = n;
        pthread_mutex_unlock(&run->lock);
    }
}

/* Wait for the sessions to end, and end them when the time is up. */
static void
watch(struct collect_run *run)
{
    struct ending ending = {0};
    while (atomic_load(&run->running)) {
        time_pause(0.01);
        if (time_is_up(run))
            atomic_store(&run->stop, true);
        pthread_mutex_lock(&run->lock);
        struct collect_stats stats = run->stats;
        pthread_mutex_unlock(&run->lock);
        stats.seconds = time_now() - run->began;
        end_frozen(run, &ending, &stats);
        if (!run->o->tick)
            continue;
        const double began = time_now();
        run->o->tick(run->o->self, &stats);
        // While a fault lasts, no session can be expected to end.
        ending.since += ending.since > 0 ? time_now() - began : 0;
    }
}

static void
open_gate(struct collect_run *run)
{
    pthread_mutex_lock(&run->lock);
    run->began = time_now();
    run->is_open = true;
    pthread_cond_broadcast(&run->opens);
    pthread_mutex_unlock(&run->lock);
}

static bool
run_sessions(struct collect_run *run, struct session *sessions, struct err *err)
{
    const size_t n = run->o->shape.sessions;
    pthread_t *threads = mem_calloc(n, sizeof *threads);
    size_t started = 0;
    int status = 0;
    while (started < n && status == 0) {
        status = pthread_create(&threads[started], NULL, session_run,
                                &sessions[started]);
        started += status == 0;
    }
    if (status != 0) {
        err_set(err, ERR_IO, "cannot start a thread: %s", strerror(status));
        atomic_store(&run->stop, true);
    }
    atomic_fetch_add(&run->running, started);
    open_gate(run);
    watch(run);
    for (size_t i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
    if (run->o->ended)
        run->o->ended(run->o->self);
    run->stats.seconds = time_now() - run->began;
    mem_free(threads);
    return status == 0;
}

/* Connect all sessions, run them, and disconnect. */
static bool
run_all(struct collect_run *run, struct err *err)
{
    const size_t n = run->o->shape.sessions;
    struct session *sessions = mem_calloc(n, sizeof *sessions);
    size_t opened = 0;
    bool ok = true;
    while (ok && opened < n) {
        ok = session_open(&sessions[opened], run, (uint32_t)opened, err);
        opened++;
    }
    ok = ok && run_sessions(run, sessions, err);
    for (size_t i = 0; i < opened; i++)
        session_close(&sessions[i]);
    mem_free(sessions);
    if (ok && run->err.kind != ERR_NONE) {
        *err = run->err;
        ok = false;
    }
    return ok;
}

static bool
load_data(struct collect_run *run, const char *path, struct err *err)
{
    const struct workload_shape *shape = &run->o->shape;
    const struct collect_source *source = run->o->source;
    if (source)
        return source->load(source->self, run->db, path, err);
    if (!shape->app && shape->kind->has_items)
        return item_load(run->db, err);
    if (!shape->app)
        return run->db->driver->load(
            run->db, workload_keys(shape),
            shape->kind->has_lists ? shape->lists : KEYS_REGISTERS, err);
    job_tables_init(&run->tables, shape->app, shape->keys,
                    shape->duplicates > 0);
    run->tables.pause = run->o->pause;
    return job_tables_load(&run->tables, run->db, err);
}

/* Open the journal of one session, or of all of them, and write its first
 * line. */
static bool
begin_journal(const struct collect_run *run, size_t i, const char *path,
              struct buf *name, struct err *err)
{
    buf_text(name, path);
    if (run->o->shards)
        buf_printf(name, "/s%zu.jsonl", i + 1);
    return journal_open(&run->journals[i], name->at, err) &&
           journal_add(&run->journals[i], JSONL_RECORDING_BEGIN,
                       strlen(JSONL_RECORDING_BEGIN), err);
}

/* The last line says that the recording is complete. */
static bool
end_journal(struct journal *j, struct err *err)
{
    const bool ok =
        journal_add(j, JSONL_RECORDING_END, strlen(JSONL_RECORDING_END), err);
    return journal_close(j, err) && ok;
}

/* Run all sessions, and write the first and the last line of each recording. */
static bool
run_recorded(struct collect_run *run, const char *path, struct err *err)
{
    const size_t n = run->o->shards ? run->o->shape.sessions : 1;
    const struct collect_source *source = run->o->source;
    if (!path || source)
        return run_all(run, err) &&
               (!path || source->write(source->self, run->db, path, err));
    struct buf *names = mem_calloc(n, sizeof *names);
    run->journals = mem_calloc(n, sizeof *run->journals);
    size_t opened = 0;
    bool ok = true;
    for (size_t i = 0; i < n; i++)
        run->journals[i].fd = -1;
    while (ok && opened < n) {
        ok = begin_journal(run, opened, path, &names[opened], err);
        opened++;
    }
    ok = ok && run_all(run, err);
    for (size_t i = 0; i < opened; i++)
        if (run->journals[i].fd >= 0)
            ok = end_journal(&run->journals[i], err) && ok;
    for (size_t i = 0; i < n; i++)
        buf_free(&names[i]);
    mem_free(names);
    mem_free(run->journals);
    return ok;
}

/* The connection that keeps other runs out is idle, and learns at its next use
 * why the server has closed it. */
static void
note_claim(struct database *db, struct run_findings *out)
{
    struct connection *c = db->claim;
    if (c && c->driver->query &&
        c->driver->query(c, "select 1", NULL) != OUTCOME_OK)
        findings_count(out, c);
}

bool
collect_run(struct database *db, const struct collect_options *o,
            const char *path, struct collect_stats *stats, struct err *err)
{
    struct collect_run run = {.db = db, .o = o};
    pthread_mutex_init(&run.lock, NULL);
    pthread_cond_init(&run.opens, NULL);
    if (o->shape.pairs && !o->shape.app && !o->source)
        run.pairs = mem_calloc(o->shape.sessions / 2 + 1, sizeof *run.pairs);
    const bool ok = load_data(&run, path, err) && run_recorded(&run, path, err);
    pthread_cond_destroy(&run.opens);
    pthread_mutex_destroy(&run.lock);
    mem_free(run.pairs);
    if (!atomic_load(&run.is_cut)) { // else no answer would come
        note_claim(db, &run.stats.findings);
        integrity_check(db, &run.stats.findings);
    }
    *stats = run.stats;
    if (o->source)
        o->source->unload(o->source->self, db);
    else if (!o->leave_tables)
        db->driver->unload(db, &stats->left);
    return ok;
}

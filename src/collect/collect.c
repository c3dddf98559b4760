/* collect.c -- see collect.h.
 *
 * All sessions connect before the first transaction begins, so that they really
 * run concurrently.  The calling thread only watches the time.
 *
 * SPDX-License-Identifier: MIT */
#include "collect/collect.h"

#include "base/limits/limit.h"
#include "collect/session.h"

#include <string.h>

static bool
time_is_up(const struct collect_run *run)
{
    const struct collect_options *o = run->o;
    return (o->seconds > 0 && time_now() - run->began >= o->seconds) ||
           (o->interrupted && *o->interrupted);
}

/* Wait for the sessions to end, and end them when the time is up. */
static void
watch(struct collect_run *run)
{
    while (atomic_load(&run->running)) {
        time_pause(0.01);
        if (time_is_up(run))
            atomic_store(&run->stop, true);
        if (!run->o->tick)
            continue;
        pthread_mutex_lock(&run->lock);
        struct collect_stats stats = run->stats;
        pthread_mutex_unlock(&run->lock);
        stats.seconds = time_now() - run->began;
        run->o->tick(run->o->self, &stats);
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
        return source->load(source->self, run->db, path != NULL, err);
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

/* Run all sessions, and write the first and the last line of the recording.
 * The last line says that the recording is complete. */
static bool
run_recorded(struct collect_run *run, const char *path, struct err *err)
{
    struct journal *j = &run->journal;
    const struct collect_source *source = run->o->source;
    if (!path || source)
        return run_all(run, err) &&
               (!path || source->write(source->self, run->db, path, err));
    if (!journal_open(j, path, err))
        return false;
    bool ok = journal_add(j, JSONL_RECORDING_BEGIN,
                          strlen(JSONL_RECORDING_BEGIN), err) &&
              run_all(run, err);
    ok =
        journal_add(j, JSONL_RECORDING_END, strlen(JSONL_RECORDING_END), err) &&
        ok;
    return journal_close(j, err) && ok;
}

bool
collect_run(struct database *db, const struct collect_options *o,
            const char *path, struct collect_stats *stats, struct err *err)
{
    struct collect_run run = {.db = db, .o = o, .journal = {.fd = -1}};
    pthread_mutex_init(&run.lock, NULL);
    pthread_cond_init(&run.opens, NULL);
    if (o->shape.pairs && !o->shape.app && !o->source)
        run.pairs = mem_calloc(o->shape.sessions / 2 + 1, sizeof *run.pairs);
    const bool ok = load_data(&run, path, err) && run_recorded(&run, path, err);
    pthread_cond_destroy(&run.opens);
    pthread_mutex_destroy(&run.lock);
    mem_free(run.pairs);
    *stats = run.stats;
    if (o->source)
        o->source->unload(o->source->self, db);
    else if (!o->leave_tables)
        db->driver->unload(db, &stats->left);
    return ok;
}

/* session.c -- see session.h.
 *
 * A transaction that writes is recorded before its commit is sent, and its
 * outcome when it is known.  So a writer is always recorded before its readers,
 * and a truncated recording lacks no writer.
 *
 * A transaction ends in one of three ways.  It is committed if the database
 * said so, aborted if the database said so or no commit was sent, and unknown
 * if the connection was lost, because it is not known what the server has
 * received.  Then the session connects again and goes on.  The transaction
 * itself is taken out of the session, because it may take effect after what the
 * session does next.
 *
 * SPDX-License-Identifier: MIT */
#include "collect/session.h"

#include "base/json.h"
#include "base/limits/limit.h"
#include "driver/server_error.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define SHORTLY 0.02 // seconds before another try
#define OTHERS "others"

enum {
    FINAL_KEYS = 1000, // of the final state that are read at most
    FINAL_TRIES = 20,  // to read it
};

/* --- connections -----------------------------------------------------------*/

bool
session_open(struct session *s, struct collect_run *run, uint32_t number,
             struct err *err)
{
    *s = (struct session){.run = run, .number = number};
    s->node = number % run->db->nodes;
    s->record.is_off = !run->journals;
    if (run->journals)
        s->journal = &run->journals[run->o->shards ? number : 0];
    if (run->pairs && number / 2 * 2 + 1 < run->o->shape.sessions)
        s->pair = &run->pairs[number / 2];
    s->connections = mem_calloc(run->db->nodes, sizeof *s->connections);
    workload_init(&s->workload, &run->o->shape, number);
    return run->db->driver->connect(run->db, number, s->node,
                                    &s->connections[s->node], err);
}

static void
drop_connection(struct session *s)
{
    if (s->connections[s->node])
        s->run->db->driver->disconnect(s->connections[s->node]);
    s->connections[s->node] = NULL;
}

void
session_close(struct session *s)
{
    for (s->node = 0; s->connections && s->node < s->run->db->nodes; s->node++)
        drop_connection(s);
    mem_free(s->connections);
    jsonl_record_free(&s->record);
    buf_free(&s->place);
    vec_free(&s->steps);
    operation_state_free(&s->operations);
}

/* The connection to the session's node, made again if it was lost or if the
 * session is led to another one; NULL if the run ends first. */
static struct connection *
get_connection(struct session *s, struct err *err)
{
    struct collect_run *run = s->run;
    const double until = time_now() + run->o->patience;
    if (s->connections[s->node] &&
        connection_is_diverted(s->connections[s->node]))
        drop_connection(s);
    while (!s->connections[s->node] &&
           (s->is_final || !atomic_load(&run->stop)) &&
           !atomic_load(&run->is_cut)) {
        struct err why = {0};
        if (run->db->driver->connect(run->db, s->number, s->node,
                                     &s->connections[s->node], &why)) {
            pthread_mutex_lock(&run->lock);
            run->stats.reconnects += s->is_cut_off;
            pthread_mutex_unlock(&run->lock);
            s->is_cut_off = false;
        } else if (atomic_load(&run->is_cut)) {
            return NULL;
        } else if (atomic_load(&run->db->is_gone) || time_now() > until) {
            *err = why;
            return NULL;
        } else {
            time_pause(SHORTLY);
        }
    }
    return s->connections[s->node];
}

/* --- recording -------------------------------------------------------------*/

static int64_t
now(const struct collect_run *run)
{
    return (int64_t)((time_now() - run->began) * 1e9);
}

/* Where a transaction was run, as a JSON object; or NULL. */
static const char *
show_place(struct session *s, const struct connection *c)
{
    if (!c->server_id)
        return NULL;
    buf_clear(&s->place);
    json_object(&s->place, NULL);
    json_u64(&s->place, "node", c->node + 1);
    json_u64(&s->place, "connection", c->server_id);
    json_object_end(&s->place);
    return s->place.at;
}

static bool
write_line(struct session *s, struct err *err)
{
    const struct jsonl_record *r = &s->record;
    return r->is_off || journal_add(s->journal, r->line.at, r->line.n, err);
}

/* Record what a transaction did, before its commit is sent.  A transaction
 * without writes has no readers, and is recorded at its end. */
static bool
write_pending(struct session *s, const struct connection *c, struct err *err)
{
    if (!s->record.writes)
        return true;
    jsonl_record_pending(&s->record, s->began, show_place(s, c));
    s->is_pending = true;
    return write_line(s, err);
}

/* Record its outcome. */
static bool
write_end(struct session *s, const struct connection *c, enum txn_status status,
          struct err *err)
{
    if (!s->is_pending) {
        jsonl_record_end(&s->record, status, s->began, now(s->run),
                         show_place(s, c));
        if (!write_line(s, err))
            return false;
        if (status != TXN_INDETERMINATE)
            return true;
    }
    jsonl_record_outcome(&s->record, status, now(s->run));
    return write_line(s, err);
}

/* --- transactions ----------------------------------------------------------*/

/* Draw the steps of the next transaction. */
static void
draw_steps(struct session *s, const struct connection *c)
{
    s->rolls_back = !s->is_final && !s->run->o->shape.app &&
                    workload_next(&s->workload, c->is_read_only, &s->steps);
}

/* Whether the transaction is one statement without begin and commit. */
static bool
is_autocommit(const struct session *s)
{
    return !s->is_final && s->workload.is_autocommit;
}

/* Begin the transaction.  In a pair it waits for the other session; both have
 * taken their snapshots then. */
static enum outcome
begin_txn(struct session *s, struct connection *c)
{
    const struct workload_shape *shape = &s->run->o->shape;
    struct pair *pair = s->is_final ? NULL : s->pair;
    enum outcome outcome = OUTCOME_OK;
    if (!is_autocommit(s))
        outcome = !s->is_final && s->workload.is_read_only
                      ? item_begin_read_only(c)
                      : c->driver->begin(c);
    if (pair && outcome == OUTCOME_OK && !is_autocommit(s)) {
        outcome = pair_take_snapshot(c,
                                     shape->kind->has_items   ? ITEM_TABLE
                                     : shape->kind->has_lists ? "list"
                                                              : "kv",
                                     s->workload.is_read_only);
        // It has begun, and what comes next must not become part of it.
        if ((outcome == OUTCOME_ABORTED || outcome == OUTCOME_FAILED) &&
            c->driver->abort(c) == OUTCOME_LOST)
            outcome = OUTCOME_LOST;
    }
    if (pair)
        pair_meet(pair, s->txns + 1, &s->run->stop);
    return outcome;
}

/* Whether a statement was refused whatever its values are. */
static bool
is_refused_as_such(const struct connection *c)
{
    const enum server_error error = server_error_of(c);
    return error == SERVER_ERROR_SYNTAX || error == SERVER_ERROR_PERMISSION;
}

/* Run the operations of the transaction; false if it is to be rolled
 * back. */
static bool
run_steps(struct session *s, struct connection *c, enum outcome *outcome)
{
    *outcome = OUTCOME_OK;
    for (size_t i = 0; *outcome == OUTCOME_OK && i < s->steps.n; i++) {
        time_pause(s->is_final ? 0 : s->run->o->pause);
        c->access =
            operation_draw_access(s->run->o->shape.access, &s->workload.random);
        *outcome = operation_run(c, &s->steps.at[i], is_autocommit(s),
                                 &s->operations, &s->record);
        if (*outcome == OUTCOME_OK)
            s->done[s->steps.at[i].kind]++;
        else if (*outcome == OUTCOME_FAILED && is_refused_as_such(c))
            s->refused[s->steps.at[i].kind]++;
        if (s->is_final)
            atomic_fetch_add(&s->run->final_steps, 1);
    }
    return !s->rolls_back;
}

static bool
run_procedure(struct session *s, struct connection *c, enum outcome *outcome)
{
    const struct workload_shape *shape = &s->run->o->shape;
    struct random *random = &s->workload.random;
    struct app_txn txn = {.random = random,
                          .below = random_below,
                          .session = s->number,
                          .sessions = shape->sessions,
                          .number = s->txns};
    const size_t procedure = app_draw(shape->app, c->is_read_only, random);
    return job_run(&s->run->tables, c, &txn, procedure, &s->record, outcome) &&
           random_unit(random) >= shape->aborts;
}

/* Run a transaction after its begin.  Fails if it cannot be recorded. */
static bool
run_body(struct session *s, struct connection *c, enum outcome *outcome,
         enum txn_status *status, struct err *err)
{
    const bool commits = s->run->o->shape.app ? run_procedure(s, c, outcome)
                                              : run_steps(s, c, outcome);
    // A statement that is a transaction is its own commit.
    const bool is_unknown = *outcome == OUTCOME_LOST ||
                            (*outcome == OUTCOME_FAILED && is_autocommit(s) &&
                             !server_error_is_refusal(c));
    *status = is_unknown ? TXN_INDETERMINATE : TXN_ABORTED;
    if (*outcome != OUTCOME_OK)
        return true;
    time_pause(s->run->o->pause);
    if (is_autocommit(s)) {
        *status = TXN_COMMITTED;
        return true;
    }
    if (!commits)
        return true;
    if (!write_pending(s, c, err))
        return false;
    *outcome = c->driver->commit(c);
    *status = *outcome == OUTCOME_OK        ? TXN_COMMITTED
              : *outcome == OUTCOME_ABORTED ? TXN_ABORTED
                                            : TXN_INDETERMINATE;
    return true;
}

/* Count a transaction that did not commit by the reason. */
static void
count_failure(struct collect_stats *stats, bool is_unknown, const char *code,
              const char *message)
{
    size_t i = 0;
    while (i < stats->n_failures &&
           (stats->failures[i].is_unknown != is_unknown ||
            strcmp(stats->failures[i].code, code) != 0))
        i++;
    if (i + 2 >= COLLECT_CODES && i == stats->n_failures) {
        // No row is left but those for what is aborted and unknown otherwise.
        if (strcmp(code, OTHERS) != 0) {
            count_failure(stats, is_unknown, OTHERS, "further reasons");
            return;
        }
    }
    assert(i < COLLECT_CODES);
    struct failure_count *f = &stats->failures[i];
    if (i == stats->n_failures) {
        stats->n_failures++;
        f->is_unknown = is_unknown;
        snprintf(f->code, sizeof f->code, "%s", code);
        snprintf(f->message, sizeof f->message, "%s", message);
    }
    f->n++;
}

static void
count(struct session *s, const struct connection *c, enum txn_status status,
      enum outcome outcome)
{
    struct collect_run *run = s->run;
    const bool is_cut = outcome == OUTCOME_LOST && atomic_load(&run->is_cut);
    pthread_mutex_lock(&run->lock);
    struct collect_stats *stats = &run->stats;
    stats->committed += status == TXN_COMMITTED;
    stats->aborted += status == TXN_ABORTED;
    stats->unknown += status == TXN_INDETERMINATE;
    stats->operations += s->record.ops;
    stats->writes += s->record.writes;
    stats->writers += status == TXN_COMMITTED && s->record.writes;
    if (outcome != OUTCOME_OK && !is_cut)
        findings_count(&stats->findings, c);
    // Databases promise nothing about reads of a transaction that they abort.
    if (status == TXN_COMMITTED)
        findings_join(&stats->findings, &s->operations.findings);
    s->operations.findings = (struct run_findings){0};
    if (status == TXN_ABORTED && outcome == OUTCOME_OK)
        count_failure(stats, false, "rollback", "by the workload");
    else if (status != TXN_COMMITTED)
        count_failure(stats, status == TXN_INDETERMINATE,
                      is_cut ? "frozen" : c->code,
                      is_cut ? "the server stopped answering" : c->message);
    pthread_mutex_unlock(&run->lock);
}

/* Run the next transaction; false ends the session. */
static bool
run_txn(struct session *s, struct err *err)
{
    struct connection *c = get_connection(s, err);
    if (!c)
        return false;
    s->began = now(s->run);
    s->is_pending = false;
    jsonl_record_begin(&s->record, s->number + 1);
    vec_clear(&s->operations.items.deleted);
    draw_steps(s, c);
    enum outcome outcome = begin_txn(s, c);
    s->txns++;
    bool ok = true;
    if (outcome == OUTCOME_OK) {
        enum txn_status status;
        ok = run_body(s, c, &outcome, &status, err);
        s->has_committed = status == TXN_COMMITTED;
        count(s, c, status, outcome);
        ok = ok && write_end(s, c, status, err);
        if ((status == TXN_ABORTED || outcome == OUTCOME_FAILED) &&
            c->driver->abort(c) == OUTCOME_LOST)
            outcome = OUTCOME_LOST;
    } else {
        // The transaction did nothing, so there is nothing to record.
        count(s, c, TXN_ABORTED, outcome);
        time_pause(SHORTLY);
    }
    if (outcome == OUTCOME_LOST) {
        drop_connection(s);
        s->is_cut_off = true;
    }
    return ok;
}

/* Run a script once; false ends the session. */
static bool
run_pass(struct session *s, struct err *err)
{
    struct collect_run *run = s->run;
    const struct collect_source *source = run->o->source;
    struct collect_pass pass = {0};
    struct connection *c = get_connection(s, err);
    if (!c)
        return false;
    c->code[0] = c->message[0] = 0;
    const bool ok = source->run(source->self, s->number, c, &pass, err);
    assert(pass.aborted + pass.unknown <= 1);
    pthread_mutex_lock(&run->lock);
    run->stats.committed += pass.committed;
    run->stats.aborted += pass.aborted;
    run->stats.unknown += pass.unknown;
    run->stats.operations += pass.operations;
    run->stats.writes += pass.writes;
    run->stats.writers += pass.committed && pass.writes;
    if (c->code[0])
        findings_count(&run->stats.findings, c);
    if (pass.is_rolled_back)
        count_failure(&run->stats, false, "rollback", "by the workload");
    else if (pass.aborted || pass.unknown)
        count_failure(&run->stats, pass.unknown, c->code, c->message);
    pthread_mutex_unlock(&run->lock);
    if (pass.is_lost) {
        drop_connection(s);
        s->is_cut_off = true;
    }
    return ok;
}

/* Read the final state, in one transaction: then a commit of this session that
 * is gone contradicts a later read of the same session. */
static bool
read_final(struct session *s, struct err *err)
{
    const struct collect_options *o = s->run->o;
    const struct workload_kind *workload = o->shape.kind;
    const uint64_t keys = workload->has_items ? 1 : workload_keys(&o->shape);
    const enum step_kind kind = workload->has_items   ? STEP_ITEM_QUERY
                                : workload->has_lists ? STEP_READ_LIST
                                                      : STEP_READ;
    assert(!o->shape.app);
    s->is_final = true;
    s->has_committed = false;
    vec_clear(&s->steps);
    for (uint64_t key = 0; key < keys && key < FINAL_KEYS; key++)
        vec_push(&s->steps, ((struct workload_step){
                                .kind = kind, .key = key, .where = ITEMS_ALL}));
    bool ok = true;
    for (int i = 0; ok && i < FINAL_TRIES && !s->has_committed; i++)
        ok = run_txn(s, err);
    return ok;
}

/* How many transactions this session has to run. */
static uint64_t
share_of(const struct session *s)
{
    const struct collect_options *o = s->run->o;
    return o->transactions / o->shape.sessions +
           (s->number < o->transactions % o->shape.sessions);
}

/* Wait until all sessions are ready, so that they run concurrently. */
static void
await_start(struct collect_run *run)
{
    pthread_mutex_lock(&run->lock);
    while (!run->is_open)
        pthread_cond_wait(&run->opens, &run->lock);
    pthread_mutex_unlock(&run->lock);
}

void *
session_run(void *arg)
{
    struct session *s = arg;
    struct collect_run *run = s->run;
    struct err err = {0};
    const uint64_t share = share_of(s);
    bool ok = true;
    await_start(run);
    for (uint64_t i = 0;
         ok && !atomic_load(&run->stop) && (!run->o->transactions || i < share);
         i++) {
        ok = run->o->source ? run_pass(s, &err) : run_txn(s, &err);
        if (run->o->move)
            s->node = (s->node + 1) % run->db->nodes;
    }
    if (s->pair)
        pair_leave(s->pair);
    if (ok && run->o->read_final &&
        !(run->o->interrupted && *run->o->interrupted))
        ok = read_final(s, &err);
    pthread_mutex_lock(&run->lock);
    for (int i = 0; i < STEP_KINDS; i++) {
        run->stats.steps_done[i] += s->done[i];
        run->stats.steps_refused[i] += s->refused[i];
    }
    if (run->err.kind == ERR_NONE)
        run->err = err;
    pthread_mutex_unlock(&run->lock);
    if (err.kind != ERR_NONE)
        atomic_store(&run->stop, true);
    atomic_fetch_sub(&run->running, 1);
    return NULL;
}

/* player.c -- see player.h.
 *
 * SPDX-License-Identifier: MIT */
#include "replay/player.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* --- turns ---------------------------------------------------------------- */

/* Wait until something is granted; false where the replay is over.
 *
 *   require  the lock is held */
static bool
await_turn(struct player *p)
{
    struct server_replay *s = p->shared;
    p->is_busy = false;
    pthread_cond_broadcast(&s->changes);
    while (!p->is_busy && !s->is_over)
        pthread_cond_wait(&s->changes, &s->lock);
    return !s->is_over;
}

/* Stand before the next access until it is granted. */
static bool
take_turn(struct player *p)
{
    struct server_replay *s = p->shared;
    bool ok = true;
    pthread_mutex_lock(&s->lock);
    while (ok && p->made >= p->granted)
        ok = await_turn(p);
    pthread_mutex_unlock(&s->lock);
    p->made++;
    return ok;
}

/* --- accesses ------------------------------------------------------------- */

/* Say that a read did not return what was predicted; only the first counts. */
static void
note_difference(struct player *p, uint32_t r, int64_t author)
{
    const struct observed *o = p->shared->o;
    struct buf text = {0};
    txn_id from = TXN_INIT;
    for (uint32_t t = 0; author && t < o->n; t++)
        if (rerun_author(&p->shared->rerun, o->id[t]) == author)
            from = o->id[t];
    history_show_txn(o->h, p->run.id, &text);
    buf_text(&text, " read ");
    history_show_key(o->h, o->reads.at[r].key, &text);
    buf_text(&text, from == TXN_INIT ? " in its initial state" : " from ");
    if (from != TXN_INIT)
        history_show_txn(o->h, from, &text);
    char *out = p->shared->out->differs;
    pthread_mutex_lock(&p->shared->lock);
    if (!*out)
        snprintf(out, sizeof p->shared->out->differs, "%s", text.at);
    pthread_mutex_unlock(&p->shared->lock);
    buf_free(&text);
}

/* Compare a read with the predicted one; the operation is the one behind which
 * 'run' stands. */
static void
compare(struct player *p, int64_t author)
{
    const struct server_replay *s = p->shared;
    const struct observed *o = s->o;
    if (p->run.is_unlike || p->read == o->read_first[p->txn + 1] ||
        o->reads.at[p->read].op != p->run.op - 1)
        return;
    const uint32_t r = p->read++;
    const uint32_t w = s->x->writer[r];
    if (execution_has_read(s->x, r) &&
        author != (w == OBS_INIT ? 0 : rerun_author(&s->rerun, o->id[w])))
        note_difference(p, r, author);
}

static void
note_op(struct player *p, bool is_write, const char *key, int64_t value,
        int64_t author)
{
    struct noted_op op = {.is_write = is_write, .is_null = author == 0};
    snprintf(op.key, sizeof op.key, "%s", key);
    snprintf(op.value, sizeof op.value, "%" PRId64 "#%" PRId64, value, author);
    vec_push(&p->ops, op);
}

static bool
read_cell(void *self, size_t table, uint64_t row, size_t column, int64_t *value)
{
    struct player *p = self;
    struct server_replay *s = p->shared;
    const struct cell_place at = {&s->tables.shapes[table], row, column};
    struct driver_read got;
    char key[RERUN_KEY];
    if (!take_turn(p))
        return false;
    p->outcome = p->connection->driver->read_cell(p->connection, &at, &got);
    if (p->outcome != OUTCOME_OK)
        return false;
    rerun_key(&s->rerun, table, row, column, key);
    rerun_txn_follow(&p->run, false, key);
    compare(p, got.has_value ? got.author : 0);
    note_op(p, false, key, got.value, got.has_value ? got.author : 0);
    if (got.has_value)
        *value = got.value;
    return true;
}

static bool
write_cell(void *self, size_t table, uint64_t row, size_t column, int64_t value)
{
    struct player *p = self;
    struct server_replay *s = p->shared;
    const struct cell_place at = {&s->tables.shapes[table], row, column};
    const int64_t author = rerun_author(&s->rerun, p->run.id);
    bool is_missing;
    char key[RERUN_KEY];
    if (!take_turn(p))
        return false;
    p->outcome = p->connection->driver->write_cell(p->connection, &at, value,
                                                   author, &is_missing);
    rerun_key(&s->rerun, table, row, column, key);
    rerun_txn_follow(&p->run, true, key);
    if (!is_missing)
        note_op(p, true, key, value, author);
    return p->outcome == OUTCOME_OK;
}

/* --- transactions --------------------------------------------------------- */

/* Add the transaction to the history of the run.
 *
 *   require  the lock is held */
static void
note_txn(struct player *p, enum txn_status status)
{
    struct server_replay *s = p->shared;
    const struct history *h = s->o->h;
    struct builder *b = s->builder;
    struct buf name = {0};
    txn_id t;
    bool ok = builder_txn(
        b, builder_session(b, h->session_name[h->txn_session[p->run.id]]), &t,
        &s->err);
    history_show_txn(h, p->run.id, &name);
    if (ok)
        builder_name(b, t, builder_text(b, ATOM_STRING, name.at, name.n));
    if (ok)
        builder_status(b, t, status);
    for (size_t i = 0; ok && i < p->ops.n; i++) {
        const struct noted_op *op = &p->ops.at[i];
        const struct atom key =
            builder_text(b, ATOM_STRING, op->key, strlen(op->key));
        const struct atom value =
            op->is_null
                ? atom_nil()
                : builder_text(b, ATOM_STRING, op->value, strlen(op->value));
        ok = (op->is_write ? builder_write : builder_read)(b, t, key, value,
                                                           &s->err);
    }
    buf_free(&name);
}

/* Note the outcome.  A session that fails ends the replay: what comes later in
 * its session draws on what it did not do. */
static void
note_outcome(struct player *p, bool commits, enum txn_status status)
{
    struct server_replay *s = p->shared;
    pthread_mutex_lock(&s->lock);
    if (!s->is_over || status == TXN_COMMITTED)
        note_txn(p, status);
    const bool is_alike = rerun_txn_is_alike(&p->run);
    const bool is_base = s->x->role[p->txn] == ROLE_BASE;
    if (!is_alike && (is_base || !s->x->is_strict))
        replay_note_divergence(s->out, &p->run);
    if (status != TXN_COMMITTED && !s->has_failed && !s->is_over) {
        s->has_failed = s->is_over = true;
        s->out->where = p->run.id;
        s->out->outcome = commits || p->outcome != OUTCOME_OK
                              ? REPLAY_REFUSED
                              : REPLAY_ROLLED_BACK;
        if (p->outcome != OUTCOME_OK)
            snprintf(s->out->said, sizeof s->out->said, "%s",
                     p->connection->message);
    }
    p->txn = OBS_NONE;
    pthread_mutex_unlock(&s->lock);
}

/* A read that nobody notes: with it the database takes the snapshot. */
static void
take_snapshot(struct player *p)
{
    const struct cell_place at = {&p->shared->tables.shapes[0], 0, 0};
    struct driver_read got;
    if (p->shared->takes_snapshots && p->outcome == OUTCOME_OK)
        p->outcome = p->connection->driver->read_cell(p->connection, &at, &got);
}

static void
run_txn(struct player *p)
{
    struct server_replay *s = p->shared;
    const struct driver *d = p->connection->driver;
    const struct app_access access = {p, read_cell, write_cell};
    enum txn_status status = TXN_ABORTED;
    p->run = (struct rerun_txn){.of = &s->rerun, .id = s->o->id[p->txn]};
    p->made = 0;
    p->read = s->o->read_first[p->txn];
    vec_clear(&p->ops);
    txn_id unlike;
    if (!rerun_draw_until(&s->rerun, p->run.id, &unlike)) {
        pthread_mutex_lock(&s->lock);
        s->out->outcome = REPLAY_UNLIKE;
        s->out->where = unlike;
        s->has_failed = s->is_over = true;
        p->txn = OBS_NONE;
        pthread_mutex_unlock(&s->lock);
        return;
    }
    p->outcome = d->begin(p->connection);
    take_snapshot(p);
    bool commits = false;
    if (p->outcome == OUTCOME_OK)
        commits = rerun_txn_run(&p->run, &access);
    if (commits && p->outcome == OUTCOME_OK && take_turn(p)) {
        p->outcome = d->commit(p->connection);
        status = p->outcome == OUTCOME_OK     ? TXN_COMMITTED
                 : p->outcome == OUTCOME_LOST ? TXN_INDETERMINATE
                                              : TXN_ABORTED;
    }
    if (status == TXN_ABORTED)
        d->abort(p->connection);
    note_outcome(p, commits, status);
}

static void *
live(void *arg)
{
    struct player *p = arg;
    struct server_replay *s = p->shared;
    pthread_mutex_lock(&s->lock);
    while (await_turn(p)) {
        pthread_mutex_unlock(&s->lock);
        run_txn(p);
        pthread_mutex_lock(&s->lock);
    }
    p->is_busy = false;
    pthread_cond_broadcast(&s->changes);
    pthread_mutex_unlock(&s->lock);
    return NULL;
}

/* --- from outside --------------------------------------------------------- */

bool
player_start(struct player *p, struct server_replay *shared, uint32_t session,
             struct err *err)
{
    *p = (struct player){.shared = shared, .session = session, .txn = OBS_NONE};
    if (!shared->db->driver->connect(shared->db, session, 0, &p->connection,
                                     err))
        return false;
    p->is_busy = true; // until it waits for its first turn
    p->has_thread = pthread_create(&p->thread, NULL, live, p) == 0;
    if (!p->has_thread)
        p->is_busy = false;
    return p->has_thread || err_set(err, ERR_IO, "cannot start a thread");
}

static void
grant(struct player *p, uint32_t txn, uint32_t accesses, bool begins)
{
    struct server_replay *s = p->shared;
    pthread_mutex_lock(&s->lock);
    assert(!p->is_busy);
    if (!s->is_over && p->txn == (begins ? OBS_NONE : txn)) {
        p->txn = txn;
        p->granted = accesses;
        p->is_busy = true;
        pthread_cond_broadcast(&s->changes);
    }
    pthread_mutex_unlock(&s->lock);
}

void
player_begin(struct player *p, uint32_t txn)
{
    grant(p, txn, 0, true);
}

void
player_go_on(struct player *p, uint32_t txn, uint32_t accesses)
{
    grant(p, txn, accesses, false);
}

bool
player_is_busy(struct player *p)
{
    pthread_mutex_lock(&p->shared->lock);
    const bool is_busy = p->is_busy;
    pthread_mutex_unlock(&p->shared->lock);
    return is_busy;
}

bool
player_await(struct player *p, double seconds)
{
    struct server_replay *s = p->shared;
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    const double at = (double)until.tv_nsec + seconds * 1e9;
    until.tv_sec += (time_t)(at / 1e9);
    until.tv_nsec = (long)(at - (double)(time_t)(at / 1e9) * 1e9);
    pthread_mutex_lock(&s->lock);
    int status = 0;
    while (p->is_busy && status == 0)
        status = pthread_cond_timedwait(&s->changes, &s->lock, &until);
    const bool idle = !p->is_busy;
    pthread_mutex_unlock(&s->lock);
    return idle;
}

void
player_end(struct player *p)
{
    assert(!p->is_busy);
    if (p->has_thread)
        pthread_join(p->thread, NULL);
    if (p->connection)
        p->connection->driver->disconnect(p->connection);
    vec_free(&p->ops);
}

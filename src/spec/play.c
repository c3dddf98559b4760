/* play.c -- see play.h.
 *
 * Steps go to the threads of their sessions one after the other.  The next one
 * starts when the last has ended, or waits for a lock: then the others go on,
 * and the one that waits ends whenever it can.
 *
 * SPDX-License-Identifier: MIT */
#include "spec/play.h"

#include "collect/journal.h"
#include "collect/record.h"
#include "driver/sql.h"
#include "spec/actor.h"

#include <string.h>

enum { LONG_WAIT = 120 }; // seconds, for what nobody is in the way of

struct stage {
    const struct spec *spec;
    struct database *db;
    const struct play_options *o;
    struct played *out;
    table_vec tables;
    struct arena arena;
    struct actor setup; // the session that makes the tables
    VEC(struct actor) actors;
};

/* --- tables ----------------------------------------------------------------*/

static void
learn_tables(struct stage *g)
{
    for (size_t i = 0; i < g->spec->setups.n; i++) {
        text_vec parts = {0};
        statements_split(g->spec->setups.at[i], &g->arena, &parts);
        for (size_t k = 0; k < parts.n; k++)
            table_learn(parts.at[k], &g->arena, &g->tables);
        vec_free(&parts);
    }
}

static bool
drop_tables(struct stage *g, struct err *err)
{
    struct connection *c = g->setup.connection;
    for (size_t i = 0; i < g->tables.n; i++) {
        struct buf sql = {0};
        buf_printf(&sql, "drop table if exists %s", g->tables.at[i].name);
        const bool ok = sql_must(c, sql.at, NULL, err);
        buf_free(&sql);
        if (!ok)
            return false;
    }
    return true;
}

/* Run the setup; a statement of it that fails makes the rest senseless. */
static bool
make_tables(struct stage *g, struct err *err)
{
    struct actor *a = &g->setup;
    if (!drop_tables(g, err))
        return false;
    for (size_t i = 0; i < g->spec->setups.n; i++) {
        a->connection->code[0] = 0;
        actor_act(a, g->spec->setups.at[i]);
        if (!actor_await(a, LONG_WAIT) || a->connection->code[0])
            return err_set(err, ERR_IO, "the setup failed: %s",
                           a->connection->message);
    }
    return true;
}

/* --- steps -----------------------------------------------------------------*/

static bool
open_actors(struct stage *g, struct err *err)
{
    const size_t n = g->spec->sessions.n;
    vec_reserve(&g->actors, n); // threads hold pointers into it
    for (size_t i = 0; i < n; i++) {
        vec_push(&g->actors, (struct actor){0});
        if (!actor_open(&g->actors.at[i], g->db, (uint32_t)i + 1,
                        i % g->db->nodes, &g->tables, err))
            return false;
    }
    for (size_t i = 0; i < n; i++) {
        actor_act(&g->actors.at[i], g->spec->sessions.at[i].setup);
        if (!actor_await(&g->actors.at[i], LONG_WAIT))
            return err_set(err, ERR_IO, "the setup of session '%s' waits",
                           g->spec->sessions.at[i].name);
    }
    return true;
}

static void
run_steps(struct stage *g, const u32_vec *order)
{
    g->out->is_possible = true;
    for (size_t i = 0; i < order->n; i++) {
        const struct spec_step *step = &g->spec->steps.at[order->at[i]];
        struct actor *a = &g->actors.at[step->session];
        if (!actor_settle(a, g->o->patience)) {
            g->out->is_possible = false;
            return;
        }
        actor_act(a, step->sql);
        g->out->waited += !actor_settle(a, g->o->patience);
    }
}

/* Who is idle gives way to who waits, until nobody does. */
static bool
settle(struct stage *g, struct err *err)
{
    for (size_t round = 0; round < g->actors.n; round++)
        for (size_t i = 0; i < g->actors.n; i++)
            if (actor_settle(&g->actors.at[i], g->o->patience))
                actor_rest(&g->actors.at[i]);
    for (size_t i = 0; i < g->actors.n; i++)
        if (!actor_await(&g->actors.at[i], LONG_WAIT))
            return err_set(err, ERR_IO, "session '%s' does not come back",
                           g->spec->sessions.at[i].name);
        else
            actor_rest(&g->actors.at[i]);
    for (size_t i = 0; i < g->actors.n; i++) {
        const struct spec_session *session = &g->spec->sessions.at[i];
        if (*session->teardown)
            g->actors.at[i].connection->driver->query(
                g->actors.at[i].connection, session->teardown, NULL);
    }
    return true;
}

/* --- the history -----------------------------------------------------------*/

/* The value that the setup gave a key, or NULL. */
static const char *
initial_value(const struct stage *g, const char *key)
{
    const char *value = NULL;
    for (size_t t = 0; t < g->setup.txns.n; t++) {
        const struct played_txn *txn = &g->setup.txns.at[t];
        for (size_t i = 0; i < txn->ops.n; i++)
            if (strcmp(txn->ops.at[i].key, key) == 0)
                value = txn->ops.at[i].value;
    }
    return value;
}

/* Whether a session wrote what the setup had written already, so that a read
 * of it does not say whose it was. */
static bool
is_ambiguous(const struct stage *g)
{
    for (size_t i = 0; i < g->actors.n; i++)
        for (size_t t = 0; t < g->actors.at[i].txns.n; t++) {
            const struct played_txn *txn = &g->actors.at[i].txns.at[t];
            for (size_t k = 0; k < txn->ops.n; k++) {
                const struct played_op *op = &txn->ops.at[k];
                const char *first = initial_value(g, op->key);
                if (op->is_write && first && op->value &&
                    strcmp(first, op->value) == 0)
                    return true;
            }
        }
    return false;
}

static bool
write_txn(const struct stage *g, const struct played_txn *txn,
          const char *session, bool translate, struct journal *j,
          struct err *err)
{
    struct record record = {0};
    record_begin_named(&record, session);
    for (size_t i = 0; i < txn->ops.n; i++) {
        const struct played_op *op = &txn->ops.at[i];
        const char *first = translate ? initial_value(g, op->key) : NULL;
        const bool initial = !op->is_write && first && op->value &&
                             strcmp(first, op->value) == 0;
        record_text(&record, op->is_write, op->key, initial ? NULL : op->value);
    }
    const double zero = g->setup.txns.n ? g->setup.txns.at[0].began : 0;
    record_end(&record, txn->status, (int64_t)((txn->began - zero) * 1e9),
               (int64_t)((txn->ended - zero) * 1e9), NULL);
    const bool ok = journal_add(j, record.line.at, record.line.n, err);
    record_free(&record);
    return ok;
}

static bool
write_history(const struct stage *g, const char *path, struct err *err)
{
    struct journal j;
    if (!journal_open(&j, path, err))
        return false;
    const bool translate = !is_ambiguous(g);
    bool ok = true;
    for (size_t t = 0; ok && !translate && t < g->setup.txns.n; t++)
        ok = write_txn(g, &g->setup.txns.at[t], "setup", false, &j, err);
    for (size_t i = 0; ok && i < g->actors.n; i++)
        for (size_t t = 0; ok && t < g->actors.at[i].txns.n; t++) {
            const struct played_txn *txn = &g->actors.at[i].txns.at[t];
            g->out->committed += txn->status == TXN_COMMITTED;
            g->out->aborted += txn->status == TXN_ABORTED;
            ok = write_txn(g, txn, g->spec->sessions.at[i].name, translate, &j,
                           err);
        }
    return journal_close(&j, err) && ok;
}

/* --- all of it -------------------------------------------------------------*/

static void
clear(struct stage *g)
{
    struct err ignored = {0};
    for (size_t i = 0; i < g->actors.n; i++) {
        actor_close(&g->actors.at[i]);
        actor_free(&g->actors.at[i]);
    }
    if (g->setup.connection) {
        if (*g->spec->teardown)
            sql_run(g->setup.connection, g->spec->teardown, &ignored);
        drop_tables(g, &ignored);
    }
    actor_close(&g->setup);
    actor_free(&g->setup);
    vec_free(&g->actors);
    tables_free(&g->tables);
    arena_free(&g->arena);
}

bool
spec_play(const struct spec *s, struct database *db, const u32_vec *order,
          const struct play_options *o, const char *path, struct played *out,
          struct err *err)
{
    struct stage g = {.spec = s, .db = db, .o = o, .out = out};
    *out = (struct played){0};
    learn_tables(&g);
    bool ok = actor_open(&g.setup, db, 0, 0, &g.tables, err) &&
              make_tables(&g, err) && open_actors(&g, err);
    if (ok) {
        run_steps(&g, order);
        ok = settle(&g, err) && write_history(&g, path, err);
    }
    clear(&g);
    return ok;
}

/* replay.c -- see replay.h.
 *
 * The base runs first, in its observed order, then the boundary transactions,
 * each from begin to end without interruption: the store lets a transaction
 * read old versions, and come to stand early in the commit order, as far as its
 * level does.  The commit order to aim at is the one that shows that the
 * predicted execution satisfies the level.
 *
 * A session draws all its random choices from one stream.  So transactions that
 * were rolled back run again, too, on what they had read then, and only to
 * draw.
 *
 * SPDX-License-Identifier: MIT */
#include "replay/replay.h"

#include "check/check.h"
#include "collect/workload.h"
#include "history/builder.h"
#include "store/policy.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

struct session {
    struct random random;
    uint32_t next; // position of the next transaction in the history
};

struct stage {
    const struct execution *x;
    const struct observed *o;
    const struct replay_program *program;
    struct replay *out;
    struct store *store;
    struct store_plan plan;
    struct session *sessions; // by session of the history
    uint32_t *index; // by transaction: which of its session in the store
    struct builder *builder;
    struct err *err;
};

/* One transaction while it runs. */
struct run {
    struct stage *stage;
    uint32_t txn;   // of the execution
    txn_id id;      // of the observed history
    op_id op;       // the next of the observed operations
    bool is_drawn;  // runs only to draw: reads return what they had returned
    bool is_unlike; // it did another operation than was observed
    store_txn in_store;
    txn_id in_history;
    int64_t author;
    bool ok;
};

/* The number of a session of the run: its name counts from 1. */
static uint64_t
session_number(const struct history *h, session_id s)
{
    const struct atom name = h->session_name[s];
    return name.tag == ATOM_INT && name.bits ? name.bits - 1 : UINT64_MAX;
}

/* --- cells ---------------------------------------------------------------- */

static void
key_of(const struct app *app, size_t table, uint64_t row, size_t column,
       char out[96])
{
    snprintf(out, 96, "%s:%" PRIu64 ":%s", app->tables[table].name, row,
             app->tables[table].columns[column].name);
}

static void
take_initial(const struct run *r, size_t table, uint64_t row, size_t column,
             int64_t *value)
{
    const struct replay_program *p = r->stage->program;
    if (row < app_rows(p->app, table, p->units))
        *value = p->app->tables[table].columns[column].initial;
}

/* Compare the next operation with what was observed, and step behind it. */
static void
follow(struct run *r, bool is_write, const char *key)
{
    const struct history *h = r->stage->o->h;
    if (r->op >= h->txn_end[r->id]) {
        r->is_unlike = true;
        return;
    }
    const struct atom a = history_key_atom(h, op_key(h, r->op));
    r->is_unlike |=
        op_is_write(h, r->op) != is_write || !atom_is_text(a) ||
        strcmp(strings_get(&h->strings, (uint32_t)a.bits).text, key) != 0;
    r->op++;
}

/* What the transaction read then. */
static bool
read_again(struct run *r, size_t table, uint64_t row, size_t column,
           int64_t *value)
{
    const struct history *h = r->stage->o->h;
    char key[96];
    key_of(r->stage->program->app, table, row, column, key);
    const op_id op = r->op;
    if (op >= h->txn_end[r->id])
        return false; // there it failed
    follow(r, false, key);
    const struct atom a = history_value_atom(h, h->op_value[op]);
    if (a.tag == ATOM_STRING)
        *value =
            strtoll(strings_get(&h->strings, (uint32_t)a.bits).text, NULL, 10);
    else
        take_initial(r, table, row, column, value);
    return true;
}

static bool
read_cell(void *self, size_t table, uint64_t row, size_t column, int64_t *value)
{
    struct run *r = self;
    if (r->is_drawn)
        return read_again(r, table, row, column, value);
    struct stage *s = r->stage;
    char key[96];
    key_of(s->program->app, table, row, column, key);
    follow(r, false, key);
    const struct store_value got =
        store_read(s->store, r->in_store, key, strlen(key));
    struct atom atom = atom_nil();
    if (got.text) {
        atom = builder_text(s->builder, ATOM_STRING, got.text, got.n);
        *value = strtoll(got.text, NULL, 10);
    } else {
        take_initial(r, table, row, column, value);
    }
    r->ok = r->ok && builder_read(s->builder, r->in_history,
                                  builder_text(s->builder, ATOM_STRING, key,
                                               strlen(key)),
                                  atom, s->err);
    return r->ok;
}

static bool
write_cell(void *self, size_t table, uint64_t row, size_t column, int64_t value)
{
    struct run *r = self;
    struct stage *s = r->stage;
    char key[96], text[48];
    key_of(s->program->app, table, row, column, key);
    if (r->is_drawn && r->op >= s->o->h->txn_end[r->id])
        return false;
    follow(r, true, key);
    if (r->is_drawn)
        return true;
    const int n =
        snprintf(text, sizeof text, "%" PRId64 "#%" PRId64, value, r->author);
    store_write(s->store, r->in_store, key, strlen(key), text, (size_t)n);
    r->ok = r->ok &&
            builder_write(
                s->builder, r->in_history,
                builder_text(s->builder, ATOM_STRING, key, strlen(key)),
                builder_text(s->builder, ATOM_STRING, text, (size_t)n), s->err);
    return r->ok;
}

/* --- transactions --------------------------------------------------------- */

/* Run the next procedure of a session; whether it wants to commit. */
static bool
run_procedure(struct run *r)
{
    const struct replay_program *p = r->stage->program;
    const struct history *h = r->stage->o->h;
    const session_id session = h->txn_session[r->id];
    struct random *random = &r->stage->sessions[session].random;
    const struct app_access access = {r, read_cell, write_cell};
    struct app_txn txn = {.app = p->app,
                          .access = &access,
                          .random = random,
                          .units = p->units,
                          .session = session_number(h, session),
                          .sessions = p->sessions,
                          .number = r->id - h->session_first[session] + 1};
    r->op = h->txn_begin[r->id];
    r->author = app_fresh(&txn);
    const size_t procedure = app_draw(p->app, false, random);
    return p->app->procedures[procedure].run(&txn) &&
           random_unit(random) >= p->aborts;
}

/* Run what was rolled back before 'id' in its session. */
static bool
draw_until(struct stage *s, txn_id id)
{
    const struct history *h = s->o->h;
    const session_id session = h->txn_session[id];
    struct session *own = &s->sessions[session];
    for (; h->session_first[session] + own->next < id; own->next++) {
        struct run r = {.stage = s,
                        .id = h->session_first[session] + own->next,
                        .is_drawn = true,
                        .ok = true};
        run_procedure(&r);
        if (r.is_unlike) {
            s->out->outcome = REPLAY_UNLIKE;
            s->out->where = r.id;
            return false;
        }
    }
    own->next++;
    return true;
}

/* Note how t ended, where that is not by a commit; true where it is. */
static bool
end_txn(struct stage *s, struct run *r, bool wants)
{
    const bool is_base = s->x->role[r->txn] == ROLE_BASE;
    const struct history *h = s->o->h;
    r->is_unlike |= r->op != h->txn_end[r->id];
    s->out->where = r->id;
    if (is_base && (r->is_unlike || !wants)) {
        store_abort(s->store, r->in_store);
        s->out->outcome = REPLAY_UNLIKE;
        return false;
    }
    s->out->is_diverged |= r->is_unlike && !s->x->is_strict;
    if (!wants) {
        store_abort(s->store, r->in_store);
        s->out->outcome = REPLAY_ROLLED_BACK;
        return false;
    }
    s->out->outcome = REPLAY_REFUSED;
    return store_commit(s->store, r->in_store);
}

/* Run transaction t of the execution; false ends the replay. */
static bool
run_txn(struct stage *s, uint32_t t)
{
    struct run r = {.stage = s, .txn = t, .id = s->o->id[t], .ok = true};
    const struct history *h = s->o->h;
    if (!draw_until(s, r.id))
        return false;
    const session_id session =
        builder_session(s->builder, h->session_name[h->txn_session[r.id]]);
    if (!builder_txn(s->builder, session, &r.in_history, s->err))
        return false;
    struct buf name = {0};
    history_show_txn(h, r.id, &name);
    builder_name(s->builder, r.in_history,
                 builder_text(s->builder, ATOM_STRING, name.at, name.n));
    buf_free(&name);
    r.in_store = store_begin(s->store, s->o->session[t]);
    const bool wants = run_procedure(&r);
    return end_txn(s, &r, wants) && r.ok;
}

static bool
run_all(struct stage *s)
{
    for (int pass = ROLE_BASE; pass <= ROLE_BOUNDARY; pass++)
        for (uint32_t i = 0; i < s->o->n; i++) {
            const uint32_t t = s->o->order[i];
            if (s->x->role[t] == pass && !run_txn(s, t))
                return false;
        }
    return true;
}

/* --- the plan ------------------------------------------------------------- */

/* Append the transactions of the execution in a commit order that shows the
 * level. */
static bool
find_order(const struct stage *s, enum level level, u32_vec *out)
{
    struct history h;
    struct origin origin = {{0}, {0}};
    execution_history(s->x, NULL, &h, &origin);
    const struct check_options options = {
        .levels = 1u << level, .threads = 1, .strong = strong_defaults};
    struct check check;
    const bool ok = check_history(&h, &options, &check, s->err);
    if (ok) {
        const struct certificate *c = &check.results.at[0].certificate;
        const bool has_starts = c->order.n == 2 * (size_t)h.n_txns;
        for (size_t i = 0; i < c->order.n; i++)
            if (!has_starts || c->order.at[i] % 2)
                vec_push(out,
                         origin.txns.at[c->order.at[i] / (1 + has_starts)]);
        check_free(&check);
    }
    history_free(&h);
    vec_free(&origin.txns);
    vec_free(&origin.ops);
    return ok;
}

static void
plan_reads(struct stage *s, uint32_t t)
{
    const struct observed *o = s->o;
    for (uint32_t r = o->read_first[t]; r < o->read_first[t] + s->x->reads[t];
         r++) {
        const struct atom a = history_key_atom(o->h, o->reads.at[r].key);
        const struct string key = strings_get(&o->h->strings, (uint32_t)a.bits);
        const uint32_t w = s->x->writer[r];
        const struct store_writer writer = {w == OBS_INIT,
                                            w == OBS_INIT ? 0 : o->session[w],
                                            w == OBS_INIT ? 0 : s->index[w]};
        store_plan_read(&s->plan, key.text, key.len, writer);
    }
}

static bool
make_plan(struct stage *s, enum level level)
{
    u32_vec order = {0};
    const bool ok = find_order(s, level, &order);
    for (uint32_t t = 0; t < s->o->n; t++)
        s->index[t] = t - s->o->chains.first[s->o->session[t]];
    for (size_t i = 0; ok && i < order.n; i++) {
        store_plan_txn(&s->plan, s->o->session[order.at[i]],
                       s->index[order.at[i]]);
        plan_reads(s, order.at[i]);
    }
    vec_free(&order);
    return ok;
}

/* --- all of it ------------------------------------------------------------ */

/* Judge what happened. */
static bool
judge(struct stage *s, enum level level)
{
    const struct check_options options = {.levels =
                                              1u << level | 1u << LEVEL_SER,
                                          .threads = 1,
                                          .verify = true,
                                          .strong = strong_defaults};
    struct check check;
    if (!check_history(&s->out->history, &options, &check, s->err))
        return false;
    bool level_ok = false, serial = true;
    for (size_t i = 0; i < check.results.n; i++) {
        const enum verdict v = check.results.at[i].certificate.verdict;
        if (check.results.at[i].level == LEVEL_SER)
            serial = v != VERDICT_VIOLATED;
        else
            level_ok = v == VERDICT_OK;
    }
    check_free(&check);
    s->out->outcome = serial ? REPLAY_SERIALIZABLE : REPLAY_VALIDATED;
    return level_ok || err_set(s->err, ERR_INTERNAL,
                               "bug in assay: the store did not keep its "
                               "level");
}

/* Keys must be text, as collect writes them. */
static bool
has_text_keys(const struct history *h)
{
    for (key_id k = 0; k < h->n_keys; k++)
        if (!atom_is_text(history_key_atom(h, k)))
            return false;
    return true;
}

static void
stage_init(struct stage *s)
{
    const struct history *h = s->o->h;
    s->sessions = mem_calloc(h->n_sessions + 1, sizeof *s->sessions);
    s->index = mem_calloc(s->o->n + 1, sizeof *s->index);
    for (session_id i = 0; i < h->n_sessions; i++)
        workload_seed(&s->sessions[i].random, s->program->seed,
                      session_number(h, i));
    s->builder = builder_new(atom_nil());
    store_plan_init(&s->plan);
}

bool
replay_run(const struct execution *x, const struct replay_program *program,
           enum level level, struct replay *out, struct err *err)
{
    *out = (struct replay){.outcome = REPLAY_UNLIKE, .where = 0};
    struct stage s = {
        .x = x, .o = x->o, .program = program, .out = out, .err = err};
    if (!has_text_keys(s.o->h))
        return true;
    stage_init(&s);
    bool ok = make_plan(&s, level);
    const struct store_options options = {.level = level,
                                          .policy = &s.plan.policy};
    ok = ok && store_new(&options, &s.store, err);
    if (ok && run_all(&s)) {
        struct builder *b = s.builder;
        s.builder = NULL;
        ok = builder_finish(b, &out->history, err) && judge(&s, level);
    }
    builder_free(s.builder);
    store_free(s.store);
    store_plan_free(&s.plan);
    mem_free(s.sessions);
    mem_free(s.index);
    return ok && !err->kind;
}

void
replay_free(struct replay *r)
{
    history_free(&r->history);
}

const char *
replay_outcome_name(enum replay_outcome outcome)
{
    static const char *const names[] = {
        [REPLAY_VALIDATED] = "validated",
        [REPLAY_SERIALIZABLE] = "serializable after all",
        [REPLAY_REFUSED] = "refused at its commit",
        [REPLAY_ROLLED_BACK] = "rolled back",
        [REPLAY_UNLIKE] = "not the program that was observed",
    };
    return names[outcome];
}

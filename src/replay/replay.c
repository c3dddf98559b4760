/* replay.c -- see replay.h.
 *
 * The base runs first, in its observed order, then the boundary transactions,
 * each from begin to end without interruption: the store lets a transaction
 * read old versions, and come to stand early in the commit order, as far as its
 * level does.  The commit order to aim at is the one that shows that the
 * predicted execution satisfies the level.
 *
 * SPDX-License-Identifier: MIT */
#include "replay/replay.h"

#include "check/check.h"
#include "history/builder/builder.h"
#include "store/policy.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

struct store_replay {
    const struct execution *x;
    const struct observed *o;
    struct rerun rerun;
    struct replay *out;
    struct store *store;
    struct store_plan plan;
    uint32_t *index; // by transaction: which of its session in the store
    struct builder *builder;
    struct err *err;
};

/* One transaction while it runs. */
struct replayed_txn {
    struct store_replay *replay;
    uint32_t txn; // of the execution
    struct rerun_txn run;
    store_txn in_store;
    txn_id in_history;
    int64_t author;
    bool ok;
};

/* --- cells ---------------------------------------------------------------- */

static struct atom
text_atom(const struct store_replay *s, const char *text)
{
    return builder_text(s->builder, ATOM_STRING, text, strlen(text));
}

static bool
read_cell(void *self, size_t table, uint64_t row, size_t column, int64_t *value)
{
    struct replayed_txn *r = self;
    struct store_replay *s = r->replay;
    char key[RERUN_KEY];
    rerun_key(&s->rerun, table, row, column, key);
    rerun_txn_follow(&r->run, false, key);
    const struct store_value got =
        store_read(s->store, r->in_store, key, strlen(key));
    struct atom atom = atom_nil();
    if (got.text) {
        atom = text_atom(s, got.text);
        *value = strtoll(got.text, NULL, 10);
    } else {
        rerun_initial(&s->rerun, table, row, column, value);
    }
    r->ok = r->ok && builder_read(s->builder, r->in_history, text_atom(s, key),
                                  atom, s->err);
    return r->ok;
}

static bool
write_cell(void *self, size_t table, uint64_t row, size_t column, int64_t value)
{
    struct replayed_txn *r = self;
    struct store_replay *s = r->replay;
    char key[RERUN_KEY], text[RERUN_VALUE];
    rerun_key(&s->rerun, table, row, column, key);
    rerun_txn_follow(&r->run, true, key);
    const int n =
        snprintf(text, sizeof text, "%" PRId64 "#%" PRId64, value, r->author);
    if (s->x->role[r->txn] == ROLE_BASE)
        rerun_txn_compare(&r->run, text);
    store_write(s->store, r->in_store, key, strlen(key), text, (size_t)n);
    r->ok = r->ok && builder_write(s->builder, r->in_history, text_atom(s, key),
                                   text_atom(s, text), s->err);
    return r->ok;
}

/* --- transactions --------------------------------------------------------- */

/* Note how t ended, where that is not by a commit; true where it is. */
static bool
end_txn(struct store_replay *s, struct replayed_txn *r, bool commits)
{
    const bool is_base = s->x->role[r->txn] == ROLE_BASE;
    const bool is_alike = rerun_txn_is_alike(&r->run);
    s->out->where = r->run.id;
    if (is_base && (!is_alike || !commits)) {
        store_abort(s->store, r->in_store);
        s->out->outcome = REPLAY_UNLIKE;
        return false;
    }
    if (!is_alike && !s->x->is_strict)
        replay_note_divergence(s->out, &r->run);
    if (!commits) {
        store_abort(s->store, r->in_store);
        s->out->outcome = REPLAY_ROLLED_BACK;
        return false;
    }
    s->out->outcome = REPLAY_REFUSED;
    return store_commit(s->store, r->in_store);
}

/* Run transaction t of the execution; false ends the replay. */
static bool
run_txn(struct store_replay *s, uint32_t t)
{
    const struct history *h = s->o->h;
    const txn_id id = s->o->id[t];
    struct replayed_txn r = {.replay = s,
                             .txn = t,
                             .run = {.of = &s->rerun, .id = id},
                             .author = rerun_author(&s->rerun, id),
                             .ok = true};
    if (!rerun_draw_until(&s->rerun, id, &s->out->where)) {
        s->out->outcome = REPLAY_UNLIKE;
        return false;
    }
    const session_id session =
        builder_session(s->builder, h->session_name[h->txn_session[id]]);
    if (!builder_txn(s->builder, session, &r.in_history, s->err))
        return false;
    struct buf name = {0};
    history_show_txn(h, id, &name);
    builder_name(s->builder, r.in_history,
                 builder_text(s->builder, ATOM_STRING, name.at, name.n));
    buf_free(&name);
    r.in_store = store_begin(s->store, s->o->session[t]);
    const struct app_access access = {&r, read_cell, write_cell};
    const bool commits = rerun_txn_run(&r.run, &access);
    return end_txn(s, &r, commits) && r.ok;
}

static bool
run_all(struct store_replay *s)
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
find_order(const struct store_replay *s, enum level level, u32_vec *out)
{
    struct history h;
    struct origin origin = {{0}, {0}};
    execution_history(s->x, NULL, &h, &origin);
    const struct check_options options = {
        .levels = level_bit(level), .threads = 1, .strong = strong_defaults};
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
plan_reads(struct store_replay *s, uint32_t t)
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
make_plan(struct store_replay *s, enum level level)
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

void
replay_note_divergence(struct replay *out, const struct rerun_txn *r)
{
    if (out->is_diverged)
        return;
    out->is_diverged = true;
    out->diverged = r->id;
    memcpy(out->how, r->how, sizeof out->how);
}

bool
replay_judge(struct replay *out, enum level level, struct err *err)
{
    const struct check_options options = {.levels = level_bit(level) |
                                                    level_bit(LEVEL_TARGET),
                                          .threads = 1,
                                          .verify = true,
                                          .strong = strong_defaults};
    struct check check;
    if (!check_history(&out->history, &options, &check, err))
        return false;
    bool serial = true;
    for (size_t i = 0; i < check.results.n; i++) {
        const enum verdict v = check.results.at[i].certificate.verdict;
        if (check.results.at[i].level == LEVEL_TARGET)
            serial = v != VERDICT_VIOLATED;
        else
            out->breaks_level = v == VERDICT_VIOLATED;
    }
    check_free(&check);
    out->outcome = serial ? REPLAY_SERIALIZABLE : REPLAY_VALIDATED;
    return true;
}

/* Judge what happened; the store keeps its levels. */
static bool
judge(struct store_replay *s, enum level level)
{
    return replay_judge(s->out, level, s->err) &&
           (!s->out->breaks_level ||
            err_set(s->err, ERR_INTERNAL,
                    "bug in assay: the store did not keep its level"));
}

bool
replay_run(const struct execution *x, const struct replay_program *program,
           enum level level, struct replay *out, struct err *err)
{
    *out = (struct replay){.outcome = REPLAY_UNLIKE, .where = 0};
    struct store_replay s = {.x = x, .o = x->o, .out = out, .err = err};
    if (!rerun_fits(s.o->h))
        return true;
    rerun_init(&s.rerun, program, s.o->h);
    s.index = mem_calloc(s.o->n + 1, sizeof *s.index);
    s.builder = builder_new(atom_nil());
    store_plan_init(&s.plan);
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
    rerun_free(&s.rerun);
    mem_free(s.index);
    return ok && !err->kind;
}

void
replay_free(struct replay *r)
{
    history_free(&r->history);
}

/* gen.c -- simulate a multi-version store and record what its clients saw.
 *
 * Transactions commit one after another, at times 1, 2, 3, ...  A transaction
 * reads the store as it was at its snapshot, a time before its commit, plus
 * its own writes:
 *
 *   ser  the snapshot is the moment of the commit;
 *   si   it is drawn from the last 'lag' commits, but not before the last
 *        commit of the own session, nor of a key that the transaction writes
 *        (so no transaction has to be aborted for losing an update);
 *   pc   as si, without regard to the keys written.
 *
 * Recorded times: commit i happens at 10 i.  A transaction with snapshot s is
 * said to begin between 10 s and 10 s + 9, or later where its session was
 * still busy, and to end between 10 i and 10 i + 9, so a transaction
 * that ended before it began is in its snapshot.  In other orders than that of
 * commits, gen_schedule.h plans sessions and times before the first
 * transaction runs, and the snapshot is a moment between begin and commit.
 *
 * Keys may be rows of a table.  Then a quarter of the reads are queries, a
 * write inserts a row that is absent, and a quarter of the other writes delete.
 *
 * Old versions of a key form a list from the newest on; a walk is as long as
 * the snapshot is old.
 *
 * SPDX-License-Identifier: MIT */
#include "gen/gen.h"

#include "gen/anomaly.h"
#include "gen/gen_rows.h"
#include "gen/gen_schedule.h"
#include "history/builder/builder.h"

#include <assert.h>
#include <string.h>

struct version {
    uint64_t value;
    uint32_t time;
    uint32_t older; // index into versions, or ID_NONE
};

enum op_kind { OP_READS, OP_WRITES, OP_ASKS };

struct planned_op {
    key_id key;
    enum op_kind kind;
};

struct simulation {
    const struct gen_shape *shape;
    struct builder *b;
    struct gen_rows rows;
    struct random random;
    struct zipf keys, values;

    VEC(struct version) versions;
    uint32_t *newest;           // by key; ID_NONE = initial
    uint32_t *own_time;         // by key: the transaction that wrote it last
    uint64_t *own_value;        // by key: what it wrote
    uint32_t *session_commit;   // by session: time of its last commit
    int64_t *session_ended;     // by session
    struct planned_op *planned; // the operations of the current transaction
    uint64_t next_value;
    uint32_t now; // commits so far

    // In other orders than that of commits:
    struct gen_schedule schedule;
    txn_id *slot_txn;   // by slot
    uint32_t next_slot; // that runs next
};

static bool
is_planned(const struct simulation *sim)
{
    return sim->shape->order != GEN_ORDER_COMMIT;
}

static const struct gen_slot *
slot(const struct simulation *sim)
{
    return &sim->schedule.slots.at[sim->next_slot];
}

uint64_t
gen_draw_key(enum gen_distribution distribution, uint64_t keys,
             struct zipf *zipf, struct random *random)
{
    assert(keys > 0);
    switch (distribution) {
    case GEN_ZIPF:
        return zipf_next(zipf, random);
    case GEN_HOTSPOT:
        if (random_unit(random) < 0.8)
            return random_below(random, (keys + 4) / 5);
        break;
    default:
        break;
    }
    return random_below(random, keys);
}

static key_id
draw_key(struct simulation *sim)
{
    return (key_id)gen_draw_key(sim->shape->distribution, sim->shape->keys,
                                &sim->keys, &sim->random);
}

static uint64_t
draw_value(struct simulation *sim)
{
    if (random_unit(&sim->random) < sim->shape->duplicates)
        return zipf_next(&sim->values, &sim->random) + 1;
    return sim->next_value++;
}

/* The earliest time whose snapshot the transaction may read. */
static uint32_t
earliest_snapshot(const struct simulation *sim, session_id s)
{
    if (level_is_serial(sim->shape->level))
        return sim->now;
    uint32_t t = sim->session_commit[s];
    if (is_planned(sim))
        t = gen_schedule_commits_before(&sim->schedule, slot(sim)->began);
    if (sim->now > sim->shape->lag && t < sim->now - sim->shape->lag)
        t = sim->now - (uint32_t)sim->shape->lag;
    for (uint64_t i = 0; level_separates_writers(sim->shape->level) &&
                         i < sim->shape->operations;
         i++) {
        const uint32_t v = sim->newest[sim->planned[i].key];
        if (sim->planned[i].kind == OP_WRITES && v != ID_NONE &&
            sim->versions.at[v].time > t)
            t = sim->versions.at[v].time;
    }
    return t;
}

static uint64_t
read_at(const struct simulation *sim, key_id key, uint32_t snapshot)
{
    uint32_t v = sim->newest[key];
    while (v != ID_NONE && sim->versions.at[v].time > snapshot)
        v = sim->versions.at[v].older;
    if (v == ID_NONE)
        return sim->shape->rows ? gen_rows_initial(&sim->rows, key) : 0;
    return sim->versions.at[v].value;
}

/* What the transaction sees that commits now. */
static uint64_t
look(const struct simulation *sim, key_id key, uint32_t snapshot)
{
    return sim->own_time[key] == sim->now ? sim->own_value[key]
                                          : read_at(sim, key, snapshot);
}

static void
commit_write(struct simulation *sim, key_id key, uint64_t value)
{
    if (sim->own_time[key] != sim->now || sim->newest[key] == ID_NONE ||
        sim->versions.at[sim->newest[key]].time != sim->now) {
        // Without snapshots of the past only the newest version is needed.
        const bool replace =
            level_is_serial(sim->shape->level) && sim->newest[key] != ID_NONE;
        if (!replace) {
            vec_push(&sim->versions,
                     ((struct version){value, sim->now, sim->newest[key]}));
            sim->newest[key] =
                capacity_index(CAPACITY_OPS, sim->versions.n - 1);
        }
    }
    struct version *v = &sim->versions.at[sim->newest[key]];
    v->value = value;
    v->time = sim->now;
    sim->own_time[key] = sim->now;
    sim->own_value[key] = value;
}

static void
record_times(struct simulation *sim, txn_id t, session_id s, uint32_t snapshot)
{
    uint64_t oldest = snapshot;
    if (is_planned(sim))
        return;
    if (level_is_serial(sim->shape->level)) {
        const uint64_t back = random_below(&sim->random, sim->shape->lag + 1);
        oldest = oldest > back ? oldest - back : 0;
    }
    int64_t began =
        10 * (int64_t)oldest + (int64_t)random_below(&sim->random, 10);
    if (began <= sim->session_ended[s])
        began = sim->session_ended[s] + 1;
    const int64_t ended =
        10 * (int64_t)sim->now + (int64_t)random_below(&sim->random, 10);
    builder_times(sim->b, t, began, ended);
    sim->session_ended[s] = ended;
    sim->session_commit[s] = sim->now;
}

static bool
add_op(struct simulation *sim, txn_id t, bool is_write, uint64_t key,
       uint64_t value, struct err *err)
{
    const struct atom k = atom_uint(key), v = atom_uint(value);
    return is_write ? builder_write(sim->b, t, k, v, err)
                    : builder_read(sim->b, t, k, v, err);
}

/* --- rows -----------------------------------------------------------------*/

static void
write_row(struct simulation *sim, txn_id t, key_id key, uint32_t snapshot)
{
    const uint64_t groups = sim->shape->conditions;
    const uint64_t seen = look(sim, key, snapshot);
    uint64_t content = 0;
    if (!seen || random_below(&sim->random, 4)) {
        const bool moves = !seen || !random_below(&sim->random, 4);
        const uint64_t g = moves ? random_below(&sim->random, groups)
                                 : gen_rows_group(&sim->rows, seen);
        content = gen_rows_content(&sim->rows, g, draw_value(sim));
    }
    commit_write(sim, key, content);
    gen_rows_write(&sim->rows, t, key, content, !seen);
}

static void
ask_group(struct simulation *sim, txn_id t, uint64_t group, uint32_t snapshot)
{
    uint32_t n = 0;
    for (key_id key = 0; key < sim->shape->keys; key++) {
        const uint64_t seen = look(sim, key, snapshot);
        if (!seen || gen_rows_group(&sim->rows, seen) != group)
            continue;
        gen_rows_return(&sim->rows, t, key, seen);
        n++;
    }
    gen_rows_query(&sim->rows, t, group, n);
}

static void
run_row_op(struct simulation *sim, txn_id t, const struct planned_op *op,
           uint32_t snapshot)
{
    if (op->kind == OP_WRITES)
        write_row(sim, t, op->key, snapshot);
    else if (op->kind == OP_READS)
        gen_rows_read(&sim->rows, t, op->key, look(sim, op->key, snapshot));
    else
        ask_group(sim, t, random_below(&sim->random, sim->shape->conditions),
                  snapshot);
}

/* --- a transaction --------------------------------------------------------*/

static bool
run_op(struct simulation *sim, txn_id t, const struct planned_op *op,
       uint32_t snapshot, struct err *err)
{
    if (sim->shape->rows) {
        run_row_op(sim, t, op, snapshot);
        return true;
    }
    if (op->kind == OP_READS)
        return add_op(sim, t, false, op->key, look(sim, op->key, snapshot),
                      err);
    const uint64_t value = draw_value(sim);
    commit_write(sim, op->key, value);
    return add_op(sim, t, true, op->key, value, err);
}

static struct planned_op
plan_op(struct simulation *sim)
{
    struct planned_op op = {draw_key(sim), OP_WRITES};
    if (random_unit(&sim->random) < sim->shape->reads)
        op.kind = sim->shape->rows && !random_below(&sim->random, 4) ? OP_ASKS
                                                                     : OP_READS;
    return op;
}

/* The session of the next transaction. */
static session_id
choose_session(struct simulation *sim)
{
    if (is_planned(sim))
        return slot(sim)->session;
    return (session_id)random_below(&sim->random, sim->shape->sessions);
}

/* Begin the next transaction, or take the one that was planned. */
static bool
begin_txn(struct simulation *sim, session_id s, txn_id *t, struct err *err)
{
    if (!is_planned(sim))
        return builder_txn(sim->b, s, t, err);
    assert(slot(sim)->session == s);
    *t = sim->slot_txn[sim->next_slot++];
    return true;
}

static bool
run_txn(struct simulation *sim, struct err *err)
{
    const struct gen_shape *shape = sim->shape;
    const session_id s = choose_session(sim);
    for (uint64_t i = 0; i < shape->operations; i++)
        sim->planned[i] = plan_op(sim);
    const uint32_t earliest = earliest_snapshot(sim, s);
    const uint32_t snapshot =
        earliest +
        (uint32_t)random_below(&sim->random, sim->now - earliest + 1);
    txn_id t;
    if (!begin_txn(sim, s, &t, err))
        return false;
    sim->now++;
    for (uint64_t i = 0; i < shape->operations; i++)
        if (!run_op(sim, t, &sim->planned[i], snapshot, err))
            return false;
    record_times(sim, t, s, snapshot);
    return true;
}

/* --- the anomaly ------------------------------------------------------------
 */

/* A key and a value of a script. */
struct injected {
    uint64_t key, value;
};

/* The key and the value at p; values are the script's own. */
static struct injected
read_injected(const struct simulation *sim, const char *p, uint64_t base)
{
    const uint64_t value = p[1] == '0' ? 0 : base + (uint64_t)(p[1] - '0');
    const uint64_t content =
        sim->shape->rows && value
            ? gen_rows_content(&sim->rows, sim->rows.groups - 1, value)
            : value;
    return (struct injected){sim->shape->keys + (uint64_t)(*p - 'x'), content};
}

/* Play the operation at *p, and go past it. */
static bool
inject_op(struct simulation *sim, txn_id t, const char **p, uint64_t base,
          struct err *err)
{
    struct gen_rows *r = &sim->rows;
    uint32_t n = 0;
    const char kind = *(*p)++;
    assert(kind == 'r' || kind == 'w' || kind == 'q');
    for (; **p == 'x' || **p == 'y'; *p += 2, n++) {
        const struct injected i = read_injected(sim, *p, base);
        if (kind == 'q')
            gen_rows_return(r, t, i.key, i.value);
        else if (!sim->shape->rows)
            return *p += 2, add_op(sim, t, kind == 'w', i.key, i.value, err);
        else if (kind == 'w')
            gen_rows_write(r, t, i.key, i.value, true);
        else
            gen_rows_read(r, t, i.key, i.value);
    }
    if (kind == 'q')
        gen_rows_query(r, t, r->groups - 1, n);
    return true;
}

/* Begin a transaction of a script, concurrent with the others of it as far as
 * sessions allow. */
static bool
inject_txn(struct simulation *sim, session_id s, int64_t began, bool aborts,
           txn_id *t, struct err *err)
{
    if (!begin_txn(sim, s, t, err))
        return false;
    if (aborts)
        builder_status(sim->b, *t, TXN_ABORTED);
    if (is_planned(sim))
        return true;
    const int64_t from =
        sim->session_ended[s] >= began ? sim->session_ended[s] + 1 : began;
    builder_times(sim->b, *t, from, from + 4);
    sim->session_ended[s] = from + 4;
    sim->session_commit[s] = sim->now;
    return true;
}

/* Play a script on two keys that no other transaction uses, in sessions picked
 * at random, with their own values. */
static bool
inject(struct simulation *sim, const struct gen_anomaly *a, struct err *err)
{
    const uint64_t base = sim->next_value;
    sim->next_value += 10;
    const uint64_t first =
        is_planned(sim) ? sim->schedule.script_session
                        : random_below(&sim->random, sim->shape->sessions);
    const int64_t began = 10 * ((int64_t)sim->now + 1);
    sim->now++;
    txn_id t = TXN_NONE;
    for (const char *p = a->script; *p;) {
        if (*p == ' ' || *p == ';') {
            p++;
        } else if (*p >= 'A' && *p <= 'Z') {
            const session_id s = (session_id)((first + (uint64_t)(*p++ - 'A')) %
                                              sim->shape->sessions);
            const bool aborts = *p == '!';
            p += aborts;
            if (!inject_txn(sim, s, began, aborts, &t, err))
                return false;
        } else if (!inject_op(sim, t, &p, base, err)) {
            return false;
        }
    }
    return true;
}

/* --- all of it
 * ---------------------------------------------------------------*/

/* Begin all transactions in the order of the output, with their times. */
static bool
plan(struct simulation *sim, const struct gen_anomaly *anomaly, struct err *err)
{
    struct gen_schedule *s = &sim->schedule;
    gen_schedule_make(s, sim->shape, anomaly);
    sim->slot_txn = mem_alloc(s->slots.n, sizeof *sim->slot_txn);
    for (size_t i = 0; i < s->order.n; i++) {
        const uint32_t place = s->order.at[i];
        const struct gen_slot *at = &s->slots.at[place];
        txn_id *t = &sim->slot_txn[place];
        if (!builder_txn(sim->b, at->session, t, err))
            return false;
        builder_times(sim->b, *t, at->began, at->ended);
    }
    return true;
}

static bool
run(struct simulation *sim, const struct gen_anomaly *anomaly, struct err *err)
{
    for (uint64_t s = 0; s < sim->shape->sessions; s++)
        builder_session(sim->b, atom_uint(s + 1));
    if (is_planned(sim) && !plan(sim, anomaly, err))
        return false;
    const uint64_t n = sim->shape->transactions;
    const uint64_t place = (uint64_t)((double)n * sim->shape->at);
    for (uint64_t i = 0; i <= n; i++) {
        if (anomaly && i == place && !inject(sim, anomaly, err))
            return false;
        if (i < n && !run_txn(sim, err))
            return false;
    }
    return !sim->shape->rows || gen_rows_end(&sim->rows, sim->b, err);
}

const char *const gen_distribution_names[GEN_DISTRIBUTIONS] = {
    [GEN_UNIFORM] = "uniform",
    [GEN_ZIPF] = "zipf",
    [GEN_HOTSPOT] = "hotspot",
};

const char *const gen_order_names[GEN_ORDERS] = {
    [GEN_ORDER_COMMIT] = "commit",
    [GEN_ORDER_END] = "end",
    [GEN_ORDER_LISTED] = "listed",
};

bool
gen_parse_order(const char *name, enum gen_order *out)
{
    for (int i = 0; i < GEN_ORDERS; i++)
        if (strcmp(gen_order_names[i], name) == 0) {
            *out = (enum gen_order)i;
            return true;
        }
    return false;
}

bool
gen_parse_distribution(const char *name, enum gen_distribution *out)
{
    for (int i = 0; i < GEN_DISTRIBUTIONS; i++)
        if (strcmp(gen_distribution_names[i], name) == 0) {
            *out = (enum gen_distribution)i;
            return true;
        }
    return false;
}

bool
gen_history(const struct gen_shape *shape, struct history *h, struct err *err)
{
    const struct gen_anomaly *anomaly = NULL;
    if (shape->inject) {
        anomaly = gen_anomaly_find(shape->inject);
        if (!anomaly)
            return err_set(err, ERR_USAGE,
                           "unknown anomaly '%s'; 'assay gen --help' lists "
                           "them",
                           shape->inject);
        if (gen_anomaly_needs_rows(anomaly) && !shape->rows)
            return err_set(err, ERR_USAGE,
                           "%s is an anomaly of queries, which are made with "
                           "--rows",
                           anomaly->name);
        if (gen_anomaly_sessions(anomaly) > shape->sessions)
            return err_set(err, ERR_USAGE, "%s takes %u sessions",
                           anomaly->name, gen_anomaly_sessions(anomaly));
    }
    struct simulation sim = {
        .shape = shape,
        .b = builder_new(shape->rows ? atom_nil() : atom_int(0))};
    if (shape->rows)
        gen_rows_init(&sim.rows, shape->keys, shape->conditions + 1);
    random_seed(&sim.random, shape->seed);
    zipf_init(&sim.keys, shape->keys, shape->theta);
    zipf_init(&sim.values, shape->values, shape->value_theta);
    sim.newest = mem_alloc(shape->keys, sizeof *sim.newest);
    memset(sim.newest, 0xff, shape->keys * sizeof *sim.newest);
    sim.own_time = mem_calloc(shape->keys, sizeof *sim.own_time);
    sim.own_value = mem_calloc(shape->keys, sizeof *sim.own_value);
    sim.session_commit =
        mem_calloc(shape->sessions, sizeof *sim.session_commit);
    sim.session_ended = mem_calloc(shape->sessions, sizeof *sim.session_ended);
    sim.planned = mem_calloc(shape->operations, sizeof *sim.planned);
    sim.next_value = shape->duplicates > 0 ? shape->values + 1 : 1;

    bool ok = run(&sim, anomaly, err);
    gen_schedule_free(&sim.schedule);
    mem_free(sim.slot_txn);
    vec_free(&sim.versions);
    mem_free(sim.newest);
    mem_free(sim.own_time);
    mem_free(sim.own_value);
    mem_free(sim.session_commit);
    mem_free(sim.session_ended);
    mem_free(sim.planned);
    gen_rows_free(&sim.rows);
    if (ok)
        ok = builder_finish(sim.b, h, err);
    else
        builder_free(sim.b);
    return ok;
}

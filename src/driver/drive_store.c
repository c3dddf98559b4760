/* drive_store.c -- store:LEVEL, the store of this program.
 *
 *     store:cc?fresh=0.5&window=64&seed=1       store:latest
 *
 * Every call takes a lock, and yields the processor afterwards.  Calls are so
 * short that sessions would otherwise run whole batches of transactions one
 * after the other.  If other programs then take the processor for much longer,
 * calls yield less often.
 *
 * An append reads the list and writes a longer one.  Below psi updates may be
 * lost, and with them elements that were read.  Then no order of the appends
 * explains the lists, so those levels have no lists.
 *
 * SPDX-License-Identifier: MIT */
#include "base/limits/limit.h"
#include "base/quantity.h"
#include "driver/drivers.h"
#include "driver/sql/sql.h"
#include "store/policy.h"

#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LONG_TURN 2e-4 // seconds; a call of another session takes less

struct shared {
    pthread_mutex_t lock;
    struct store *store;
    struct store_chance chance;
    bool can_append; // the level prevents lost updates
};

struct local {
    struct connection base;
    struct shared *shared;
    store_txn txn;
    bool is_running;
    unsigned keep; // calls that do not yield the processor
};

static struct store *
enter(struct local *c)
{
    pthread_mutex_lock(&c->shared->lock);
    return c->shared->store;
}

static void
leave(struct local *c)
{
    pthread_mutex_unlock(&c->shared->lock);
    if (c->keep) {
        c->keep--;
        return;
    }
    const double began = time_now();
    sched_yield();
    if (time_now() - began > LONG_TURN)
        c->keep = 20;
}

static bool
parse_number(const struct database *db, const char *name, const char *otherwise,
             double most, double *out, struct err *err)
{
    const char *text = url_get(&db->url, name, otherwise);
    const enum quantity_kind kind = most > 1 ? QUANTITY_COUNT : QUANTITY_SHARE;
    return (quantity_parse(text, strlen(text), kind, out) && *out <= most) ||
           err_set(err, ERR_USAGE,
                   "store: %s takes a number from 0 to %g, not '%s'", name,
                   most, text);
}

static bool
open_store(struct database *db, struct err *err)
{
    static const char *const known[] = {"fresh", "window", "seed", NULL};
    const char *name = db->url.path;
    const bool latest = strcmp(name, "latest") == 0;
    enum level level = LEVEL_SER;
    double fresh, window, seed;
    if (!latest && !level_parse(name, strlen(name), &level))
        return err_set(err, ERR_USAGE,
                       "store: expected rc, ra, cc, pc, psi, si, ser or "
                       "latest, not '%s'",
                       name);
    if (!url_expect(&db->url, known, err) ||
        !parse_number(db, "fresh", "0.5", 1, &fresh, err) ||
        !parse_number(db, "window", "64", 1e6, &window, err) ||
        !parse_number(db, "seed", "1", 1e15, &seed, err))
        return false;
    struct shared *s = mem_calloc(1, sizeof *s);
    store_chance_init(&s->chance, fresh, (uint64_t)seed);
    const struct store_options o = {level, (uint32_t)window,
                                    latest ? &store_latest : &s->chance.policy};
    if (!store_new(&o, &s->store, err)) {
        mem_free(s);
        return false;
    }
    pthread_mutex_init(&s->lock, NULL);
    s->can_append = level_keeps_updates(level);
    db->self = s;
    snprintf(db->note, sizeof db->note, "the built-in store: %s%s",
             latest ? "always the latest version, " : "any version allowed at ",
             level_table[level].title);
    return true;
}

static void
close_store(struct database *db)
{
    struct shared *s = db->self;
    pthread_mutex_destroy(&s->lock);
    store_free(s->store);
    mem_free(s);
}

/* Nothing to prepare: a key without a value is the same as no key. */
static bool
load(struct database *db, uint64_t keys, enum key_kind kind, struct err *err)
{
    const struct shared *s = db->self;
    (void)keys;
    if (kind == KEYS_ARRAYS)
        return err_set(err, ERR_USAGE,
                       "store: has no arrays; keep the lists as text");
    return kind == KEYS_REGISTERS || s->can_append ||
           err_set(err, ERR_USAGE,
                   "store: updates may be lost at %s, so lists would lose "
                   "elements; use psi, si or ser",
                   db->url.path);
}

static bool
load_table(struct database *db, const struct table_shape *table,
           struct err *err)
{
    (void)db;
    (void)table;
    (void)err;
    return true;
}

/* Nothing to remove: the store ends with the database. */
static bool
unload(struct database *db, struct err *err)
{
    (void)db;
    (void)err;
    return true;
}

static bool
connect_store(struct database *db, uint32_t session, size_t node,
              struct connection **out, struct err *err)
{
    (void)err;
    struct local *c = mem_calloc(1, sizeof *c);
    c->base = (struct connection){.driver = &driver_store,
                                  .database = db,
                                  .session = session,
                                  .node = node};
    c->shared = db->self;
    *out = &c->base;
    return true;
}

static void
disconnect(struct connection *base)
{
    struct local *c = (struct local *)base;
    struct store *s = enter(c);
    if (c->is_running)
        store_abort(s, c->txn);
    leave(c);
    mem_free(c);
}

/* --- transactions ----------------------------------------------------------*/

static enum outcome
begin(struct connection *base)
{
    struct local *c = (struct local *)base;
    struct store *s = enter(c);
    c->txn = store_begin(s, base->session);
    leave(c);
    c->is_running = true;
    return OUTCOME_OK;
}

struct key_text {
    char text[24];
    size_t n;
};

static struct key_text
show_key(uint64_t key)
{
    struct key_text k;
    k.n = (size_t)snprintf(k.text, sizeof k.text, "%" PRIu64, key);
    return k;
}

static enum outcome
read_register(struct connection *base, uint64_t key, struct driver_read *out)
{
    struct local *c = (struct local *)base;
    const struct key_text k = show_key(key);
    struct store *s = enter(c);
    const struct store_value v = store_read(s, c->txn, k.text, k.n);
    *out =
        (struct driver_read){.has_value = v.text != NULL,
                             .value = v.text ? strtoll(v.text, NULL, 10) : 0};
    leave(c);
    return OUTCOME_OK;
}

static enum outcome
write_register(struct connection *base, uint64_t key, int64_t value,
               bool *is_missing)
{
    struct local *c = (struct local *)base;
    const struct key_text k = show_key(key);
    char text[24];
    const int n = snprintf(text, sizeof text, "%" PRId64, value);
    *is_missing = false;
    struct store *s = enter(c);
    store_write(s, c->txn, k.text, k.n, text, (size_t)n);
    leave(c);
    return OUTCOME_OK;
}

static enum outcome
append_element(struct connection *base, uint64_t key, int64_t element,
               bool *is_missing)
{
    struct local *c = (struct local *)base;
    const struct key_text k = show_key(key);
    struct buf list = {0};
    *is_missing = false;
    struct store *s = enter(c);
    const struct store_value v = store_read(s, c->txn, k.text, k.n);
    if (v.text)
        buf_add(&list, v.text, v.n);
    buf_printf(&list, ",%" PRId64, element);
    store_write(s, c->txn, k.text, k.n, list.at, list.n);
    leave(c);
    buf_free(&list);
    return OUTCOME_OK;
}

static enum outcome
read_elements(struct connection *base, uint64_t key, int_vec *out)
{
    struct local *c = (struct local *)base;
    const struct key_text k = show_key(key);
    struct store *s = enter(c);
    const struct store_value v = store_read(s, c->txn, k.text, k.n);
    const bool is_list = sql_int_list_parse(v.text ? v.text : "", out);
    assert(is_list);
    (void)is_list;
    leave(c);
    return OUTCOME_OK;
}

/* A key that was not written has the initial value of its column; the others
 * hold a value and its author. */
static void
cell_key(const struct cell_place *at, struct buf *out)
{
    buf_printf(out, "%s:%" PRIu64 ":%s", at->table->name, at->row,
               at->table->columns[at->column]);
}

static enum outcome
read_cell(struct connection *base, const struct cell_place *at,
          struct driver_read *out)
{
    struct local *c = (struct local *)base;
    const bool is_there = at->row < at->table->rows && at->table->initial;
    struct buf key = {0};
    cell_key(at, &key);
    struct store *s = enter(c);
    const struct store_value v = store_read(s, c->txn, key.at, key.n);
    *out = (struct driver_read){
        .has_value = v.text || is_there,
        .value = is_there ? at->table->initial[at->column] : 0};
    if (v.text) {
        char *end;
        out->value = strtoll(v.text, &end, 10);
        out->author = strtoll(end, NULL, 10);
    }
    leave(c);
    buf_free(&key);
    return OUTCOME_OK;
}

static enum outcome
write_cell(struct connection *base, const struct cell_place *at, int64_t value,
           int64_t author, bool *is_missing)
{
    struct local *c = (struct local *)base;
    struct buf key = {0};
    char text[48];
    const int n =
        snprintf(text, sizeof text, "%" PRId64 " %" PRId64, value, author);
    cell_key(at, &key);
    *is_missing = false;
    struct store *s = enter(c);
    store_write(s, c->txn, key.at, key.n, text, (size_t)n);
    leave(c);
    buf_free(&key);
    return OUTCOME_OK;
}

static enum outcome
commit(struct connection *base)
{
    struct local *c = (struct local *)base;
    struct store *s = enter(c);
    const bool ok = store_commit(s, c->txn);
    leave(c);
    c->is_running = false;
    return ok ? OUTCOME_OK
              : outcome_set(base, OUTCOME_ABORTED, "conflict",
                            "no place is left in the commit order");
}

static enum outcome
abort_txn(struct connection *base)
{
    struct local *c = (struct local *)base;
    struct store *s = enter(c);
    if (c->is_running)
        store_abort(s, c->txn);
    leave(c);
    c->is_running = false;
    return OUTCOME_OK;
}

const struct driver driver_store = {
    .scheme = "store",
    .form = "store:LEVEL",
    .help = "built in: returns any version that LEVEL allows ('latest': the "
            "latest)",
    .open = open_store,
    .close = close_store,
    .load = load,
    .load_table = load_table,
    .unload = unload,
    .connect = connect_store,
    .disconnect = disconnect,
    .begin = begin,
    .read = read_register,
    .write = write_register,
    .append = append_element,
    .read_list = read_elements,
    .read_cell = read_cell,
    .write_cell = write_cell,
    .commit = commit,
    .abort = abort_txn,
};

/* rerun.c -- see rerun.h.
 *
 * SPDX-License-Identifier: MIT */
#include "replay/rerun.h"

#include "collect/workload.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* The number of a session of the run: its name counts from 1. */
static uint64_t
session_number(const struct history *h, session_id s)
{
    const struct atom name = h->session_name[s];
    return name.tag == ATOM_INT && name.bits ? name.bits - 1 : UINT64_MAX;
}

void
rerun_init(struct rerun *p, const struct replay_program *of,
           const struct history *h)
{
    *p = (struct rerun){of, h, NULL};
    p->sessions = mem_calloc(h->n_sessions + 1, sizeof *p->sessions);
    for (session_id i = 0; i < h->n_sessions; i++)
        workload_seed(&p->sessions[i].random, of->seed, session_number(h, i));
}

void
rerun_free(struct rerun *p)
{
    mem_free(p->sessions);
}

bool
rerun_fits(const struct history *h)
{
    for (key_id k = 0; k < h->n_keys; k++)
        if (!atom_is_text(history_key_atom(h, k)))
            return false;
    return true;
}

/* --- cells ---------------------------------------------------------------- */

void
rerun_key(const struct rerun *p, size_t table, uint64_t row, size_t column,
          char out[RERUN_KEY])
{
    const struct app_table *t = &p->of->app->tables[table];
    snprintf(out, RERUN_KEY, "%s:%" PRIu64 ":%s", t->name, row,
             t->columns[column].name);
}

void
rerun_initial(const struct rerun *p, size_t table, uint64_t row, size_t column,
              int64_t *value)
{
    const struct app *app = p->of->app;
    if (row < app_rows(app, table, p->of->units))
        *value = app->tables[table].columns[column].initial;
}

/* --- transactions --------------------------------------------------------- */

void
rerun_txn_follow(struct rerun_txn *r, bool is_write, const char *key)
{
    const struct history *h = r->of->h;
    const char *done = is_write ? "wrote" : "read";
    if (r->op >= h->txn_end[r->id]) {
        if (!r->is_unlike)
            snprintf(r->how, sizeof r->how, "also %s %s", done, key);
        r->is_unlike = true;
        return;
    }
    struct buf expected = {0};
    history_show_key(h, op_key(h, r->op), &expected);
    const bool same =
        op_is_write(h, r->op) == is_write && strcmp(expected.at, key) == 0;
    if (!same && !r->is_unlike)
        snprintf(r->how, sizeof r->how, "%s %s instead of %s %s", done, key,
                 op_is_write(h, r->op) ? "writing" : "reading", expected.at);
    r->is_unlike |= !same;
    buf_free(&expected);
    r->op++;
}

void
rerun_txn_compare(struct rerun_txn *r, const char *text)
{
    const struct history *h = r->of->h;
    if (r->is_unlike)
        return;
    assert(r->op > h->txn_begin[r->id] && op_is_write(h, r->op - 1));
    struct buf expected = {0};
    atom_show(&h->strings, history_value_atom(h, h->op_value[r->op - 1]),
              &expected);
    r->is_unlike = strcmp(expected.at, text) != 0;
    if (r->is_unlike)
        snprintf(r->how, sizeof r->how, "wrote %s instead of %s", text,
                 expected.at);
    buf_free(&expected);
}

bool
rerun_txn_is_alike(struct rerun_txn *r)
{
    const struct history *h = r->of->h;
    if (!r->is_unlike && r->op < h->txn_end[r->id]) {
        struct buf missed = {0};
        history_show_key(h, op_key(h, r->op), &missed);
        snprintf(r->how, sizeof r->how, "did not %s %s",
                 op_is_write(h, r->op) ? "write" : "read", missed.at);
        buf_free(&missed);
        r->is_unlike = true;
    }
    return !r->is_unlike;
}

static struct app_txn
make_txn(struct rerun *p, txn_id id)
{
    const session_id s = p->h->txn_session[id];
    return (struct app_txn){.app = p->of->app,
                            .random = &p->sessions[s].random,
                            .below = random_below,
                            .units = p->of->units,
                            .session = session_number(p->h, s),
                            .sessions = p->of->sessions,
                            .number = id - p->h->session_first[s] + 1};
}

int64_t
rerun_author(const struct rerun *p, txn_id id)
{
    const session_id s = p->h->txn_session[id];
    const struct app_txn txn = {.session = session_number(p->h, s),
                                .sessions = p->of->sessions,
                                .number = id - p->h->session_first[s] + 1};
    return app_fresh(&txn);
}

bool
rerun_txn_run(struct rerun_txn *r, const struct app_access *access)
{
    struct app_txn txn = make_txn(r->of, r->id);
    txn.access = access;
    r->op = r->of->h->txn_begin[r->id];
    const size_t procedure = app_draw(txn.app, false, txn.random);
    return txn.app->procedures[procedure].run(&txn) &&
           random_unit(txn.random) >= r->of->of->aborts;
}

/* --- to draw only --------------------------------------------------------- */

/* What the transaction read then. */
static bool
read_again(void *self, size_t table, uint64_t row, size_t column,
           int64_t *value)
{
    struct rerun_txn *r = self;
    const struct history *h = r->of->h;
    char key[RERUN_KEY];
    rerun_key(r->of, table, row, column, key);
    const op_id op = r->op;
    if (op >= h->txn_end[r->id])
        return false; // there it failed
    rerun_txn_follow(r, false, key);
    const struct atom a = history_value_atom(h, h->op_value[op]);
    if (a.tag == ATOM_STRING)
        *value =
            strtoll(strings_get(&h->strings, (uint32_t)a.bits).text, NULL, 10);
    else
        rerun_initial(r->of, table, row, column, value);
    return true;
}

static bool
write_again(void *self, size_t table, uint64_t row, size_t column,
            int64_t value)
{
    struct rerun_txn *r = self;
    char key[RERUN_KEY];
    (void)value;
    if (r->op >= r->of->h->txn_end[r->id])
        return false;
    rerun_key(r->of, table, row, column, key);
    rerun_txn_follow(r, true, key);
    return true;
}

bool
rerun_draw_until(struct rerun *p, txn_id id, txn_id *unlike)
{
    const session_id session = p->h->txn_session[id];
    const txn_id first = p->h->session_first[session];
    struct rerun_session *own = &p->sessions[session];
    for (; first + own->next < id; own->next++) {
        struct rerun_txn r = {.of = p, .id = first + own->next};
        const struct app_access access = {&r, read_again, write_again};
        rerun_txn_run(&r, &access);
        if (r.is_unlike) {
            *unlike = r.id;
            return false;
        }
    }
    own->next++;
    return true;
}

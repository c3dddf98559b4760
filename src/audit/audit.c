/* audit.c -- see audit.h.
 *
 * SPDX-License-Identifier: MIT */
#include "audit/audit.h"

#include "audit/flow.h"
#include "audit/race.h"
#include "base/outfile.h"
#include "check/check.h"
#include "format/format.h"
#include "history/endpoint.h"
#include "record/record.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct auditing {
    const struct audit_options *o;
    struct audit *out;
    struct base_state base;
    struct buf run, trial, page; // files
    struct requests requests;
    struct flow flow;
};

static void
begin_phase(const struct auditing *g, const char *phase)
{
    if (g->o->phase)
        g->o->phase(g->o->self, phase);
}

/* --- recording -------------------------------------------------------------*/

static bool
record_suite(struct auditing *g, struct err *err)
{
    const struct record_options options = {.target = g->o->target,
                                           .listen = "0",
                                           .output = g->run.at,
                                           .tables = g->o->tables,
                                           .at_once = true,
                                           .command = g->o->command,
                                           .stop = g->o->stop};
    struct record_result result = {0};
    begin_phase(g, "recording");
    const bool ok = record_run(&options, &result, err);
    g->out->status = result.status;
    buf_free(&result.history.left_out);
    if (ok && result.history.is_empty)
        return err_set(err, ERR_FEATURE,
                       "no row was read or written through the proxy: does "
                       "the command use PGHOST and PGPORT, or DATABASE_URL?");
    return ok;
}

static void
count_requests(struct auditing *g, const struct history *h)
{
    struct strings names = {0};
    const bool has_applications = endpoint_has_applications(h);
    for (txn_id t = 0; t < h->n_txns; t++) {
        struct buf name = {0};
        if (!h->txn_counts[t] || h->txn_status[t] == TXN_LOADING)
            continue;
        g->out->txns++;
        g->out->partial += h->txn_partial && h->txn_partial[t] != ID_NONE;
        if (endpoint_or_shape(h, t, has_applications, &name))
            strings_add(&names, name.at, name.n);
        buf_free(&name);
    }
    g->out->endpoints = names.all.n;
    strings_free(&names);
}

static bool
read_requests(struct auditing *g, struct err *err)
{
    const struct format *format;
    const struct predict_input how = {
        .each_alone = true, .with_locks = true, .threads = g->o->threads};
    struct history *h = &g->requests.h;
    if (!format_read(g->run.at, "auto", g->o->threads, h, &format, err))
        return false;
    for (txn_id t = 0; t < h->n_txns; t++)
        g->out->rolled_back += h->txn_status[t] == TXN_ABORTED;
    if (predict_input_prepare(h, &how, err)) {
        count_requests(g, h);
        return true;
    }
    history_free(h);
    return err_in_file(err, g->run.at);
}

/* --- findings --------------------------------------------------------------*/

static struct audit_finding *
find_known(struct audit *a, const struct audit_finding *f)
{
    for (size_t i = 0; i < a->findings.n; i++)
        if (strcmp(a->findings.at[i].endpoints, f->endpoints) == 0 &&
            strcmp(a->findings.at[i].kind, f->kind) == 0 &&
            strcmp(a->findings.at[i].table, f->table) == 0)
            return &a->findings.at[i];
    return NULL;
}

static void
finding_free(struct audit_finding *f)
{
    vec_free(&f->names);
    vec_free(&f->steps);
}

/* Whether the prediction changes what a statement of t reads. */
static bool
is_changed_at(const struct execution *x, uint32_t t, uint32_t number)
{
    const struct observed *o = x->o;
    for (uint32_t r = o->read_first[t]; r < o->read_first[t + 1]; r++)
        if (execution_has_read(x, r) && x->writer[r] != o->reads.at[r].writer &&
            op_statement(o->h, o->reads.at[r].op) == number)
            return true;
    return false;
}

/* A statement of the trial found other rows than when it was recorded: would
 * the application have gone on as it did?  Worsen the outcome where it would
 * not, or where that is not known. */
static void
judge_statement(const struct auditing *g, const struct execution *x, uint32_t t,
                const struct flow_statement *s, size_t i, uint32_t found,
                struct trial *trial)
{
    const char *next;
    const txn_id id = x->o->id[t];
    const enum flow_answer answer = flow_ask(&g->flow, id, i, found, &next);
    const bool is_last = i + 1 == g->flow.txns[id].n;
    const bool is_flip = (found == 0) != (s->found == 0);
    const char *shape = strings_get(&g->flow.texts, s->shape).text;
    const bool changes_nothing =
        !found && s->found && strchr("uUdD", *shape) && answer != FLOW_SAME;
    enum trial_outcome outcome = trial->outcome;
    struct buf why = {0};
    buf_printf(&why, "here `%.120s` finds %u rows instead of %u", shape, found,
               s->found);
    if (changes_nothing && (is_last || trial->is_adapted)) {
        outcome = TRIAL_PREVENTED;
        buf_text(&why, ", so it changes nothing");
    } else if (!is_changed_at(x, t, s->number) && !is_last) {
        outcome = TRIAL_DIVERGED;
    } else if (answer == FLOW_OTHER && !is_last) {
        outcome = TRIAL_PREVENTED;
        buf_printf(&why,
                   "; in the test suite the request then went on with "
                   "`%.120s`",
                   next);
    } else if (answer == FLOW_UNKNOWN && is_flip && !is_last) {
        outcome = TRIAL_IF;
        buf_text(&why, "; no request of the test suite shows what the "
                       "application does then");
    }
    if (outcome < trial->outcome ||
        (outcome == TRIAL_DIVERGED && trial->outcome == TRIAL_PREVENTED)) {
        trial->outcome = outcome;
        buf_clear(&trial->why);
        buf_text(&trial->why, why.at);
    }
    buf_free(&why);
}

static void
judge_flow(const struct auditing *g, const struct predicted *p,
           const struct observed *o, struct trial *trial)
{
    if (trial->outcome == TRIAL_DIVERGED)
        return;
    for (uint32_t t = 0; t < o->n; t++) {
        const flow_vec *v = &g->flow.txns[o->id[t]];
        const sent_vec *sent = &trial->sent[t];
        const uint32_t added = sent->n && sent->at[0].is_added;
        for (size_t i = 0; i < v->n; i++) {
            const size_t k = v->at[i].number - 1 + added;
            if (k < trial->found[t].n &&
                trial->found[t].at[k] != v->at[i].found)
                judge_statement(g, &p->execution, t, &v->at[i], i,
                                trial->found[t].at[k], trial);
        }
    }
}

/* Try a prediction on the database. */
static bool
try_prediction(struct auditing *g, const struct prediction *all,
               const struct predicted *p, struct audit_finding *f,
               struct err *err)
{
    struct moments m;
    struct trial trial;
    moments_init(&m, &all->observed, g->o->on);
    trial_init(&trial, all, p, &m, g->o->on, &g->out->arena);
    const bool ok = trial_run(&trial, &g->base, g->trial.at, g->o->stop, err);
    if (ok)
        judge_flow(g, p, &all->observed, &trial);
    race_steps(all, p, &m, &trial, f, &g->out->arena);
    f->outcome = trial.outcome;
    f->why = arena_copy(&g->out->arena, trial.why.n ? trial.why.at : "",
                        trial.why.n);
    trial_free(&trial);
    moments_free(&m);
    return ok;
}

/* A prediction becomes a finding, unless a better one says the same. */
static bool
take_prediction(struct auditing *g, const struct prediction *all,
                const struct predicted *p, struct err *err)
{
    struct audit *a = g->out;
    struct audit_finding f;
    if (!race_make(&g->requests, all, p, &f, &a->arena, err))
        return false;
    struct audit_finding *known = find_known(a, &f);
    if (known) {
        known->others++;
        if (known->outcome == TRIAL_SHOWN)
            return true;
    }
    if (!try_prediction(g, all, p, &f, err) ||
        (f.outcome != TRIAL_PREVENTED && !(known && known->repair[0]) &&
         !race_repair(&g->requests, all, p, &f, &a->arena, err))) {
        finding_free(&f);
        return false;
    }
    if (!known) {
        vec_push(&a->findings, f);
    } else if (f.outcome > known->outcome) {
        if (known->repair[0]) {
            f.repair = known->repair;
            f.is_checked = known->is_checked;
        }
        f.others = known->others;
        finding_free(known);
        *known = f;
    } else {
        finding_free(&f);
    }
    return true;
}

static int
rank_of(const struct audit_finding *f)
{
    const int kind = strcmp(f->kind, "lost update") == 0 ? 0
                     : strstr(f->kind, "write skew")     ? 1
                                                         : 2;
    return 8 * (TRIAL_SHOWN - (int)f->outcome) + (f->is_open ? 4 : 0) + kind;
}

static int
compare_findings(const void *x, const void *y)
{
    const struct audit_finding *a = x, *b = y;
    const int by_rank = rank_of(a) - rank_of(b);
    return by_rank ? by_rank : strcmp(a->endpoints, b->endpoints);
}

static key_id
row_of(const struct history *h, key_id k)
{
    return history_key_is_row(h, k) ? h->key_rows[k].row : k;
}

/* Whether a transaction writes a row that another one reads or writes. */
static bool
has_conflict(const struct history *h)
{
    txn_id *user = mem_alloc(h->n_keys + 1, sizeof *user);
    uint8_t *state = mem_calloc(h->n_keys + 1, 1); // 1: several, 2: written
    bool found = false;
    for (key_id k = 0; k < h->n_keys; k++)
        user[k] = ID_NONE;
    for (txn_id t = 0; t < h->n_txns; t++) {
        if (!h->txn_counts[t] || h->txn_status[t] == TXN_LOADING)
            continue;
        for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++) {
            const key_id k = row_of(h, op_key(h, op));
            state[k] |= (user[k] != ID_NONE && user[k] != t ? 1 : 0) |
                        (op_is_write(h, op) ? 2 : 0);
            user[k] = t;
            found |= state[k] == 3;
        }
    }
    mem_free(user);
    mem_free(state);
    return found;
}

const char *
audit_untested(const struct audit *a)
{
    return !a->is_untested ? ""
           : !a->txns && a->rolled_back
               ? "all transactions were rolled back; let the tests commit, as "
                 "Django's TransactionTestCase does"
               : "no transaction of the suite writes a row that another one "
                 "uses";
}

static bool
find_all(struct auditing *g, struct err *err)
{
    struct prediction p;
    struct audit *a = g->out;
    begin_phase(g, "predicting");
    if (!race_predict(&g->requests, &p, err))
        return false;
    bool ok = true;
    a->is_untested = p.is_untested || !has_conflict(&g->requests.h);
    a->is_serial = database_level_is_serial(g->o->on, &g->requests.h);
    flow_init(&g->flow, &g->requests.h);
    a->is_cut = p.is_cut_short;
    begin_phase(g, "trying predictions on the database");
    for (size_t i = 0; ok && i < p.found.n && !(g->o->stop && *g->o->stop); i++)
        ok = take_prediction(g, &p, &p.found.at[i], err);
    prediction_free(&p);
    flow_free(&g->flow);
    if (ok && a->findings.n)
        qsort(a->findings.at, a->findings.n, sizeof *a->findings.at,
              compare_findings);
    for (size_t i = 0; i < a->findings.n; i++) {
        a->shown += a->findings.at[i].outcome == TRIAL_SHOWN;
        a->prevented += a->findings.at[i].outcome == TRIAL_PREVENTED;
    }
    return ok;
}

/* --- the run ---------------------------------------------------------------*/

static bool
make_directory(struct auditing *g, struct err *err)
{
    const char *dir = g->o->directory;
    if (mkdir(dir, 0777) != 0 && errno != EEXIST)
        return err_set(err, ERR_IO, "%s: cannot make this directory: %s", dir,
                       strerror(errno));
    buf_printf(&g->run, "%s/run.jsonl", dir);
    buf_printf(&g->trial, "%s/trial.jsonl", dir);
    buf_printf(&g->page, "%s/index.html", dir);
    return true;
}

static bool
write_page(const struct auditing *g, struct err *err)
{
    struct buf text = {0};
    audit_page(g->out, g->o, &text);
    const bool ok = outfile_write(g->page.at, &text, err);
    buf_free(&text);
    return ok;
}

bool
audit_run(const struct audit_options *o, struct audit *out, struct err *err)
{
    struct auditing g = {
        .o = o, .out = out, .requests = {.on = o->on, .threads = o->threads}};
    *out = (struct audit){0};
    bool ok = make_directory(&g, err) &&
              base_state_keep(&g.base, o->target, o->reset, err) &&
              record_suite(&g, err) && read_requests(&g, err);
    if (ok) {
        ok = find_all(&g, err) && write_page(&g, err);
        history_free(&g.requests.h);
    }
    base_state_free(&g.base);
    if (g.trial.n)
        remove(g.trial.at);
    buf_free(&g.run);
    buf_free(&g.trial);
    buf_free(&g.page);
    if (!ok)
        audit_free(out);
    return ok;
}

void
audit_free(struct audit *a)
{
    for (size_t i = 0; i < a->findings.n; i++)
        finding_free(&a->findings.at[i]);
    vec_free(&a->findings);
    arena_free(&a->arena);
}

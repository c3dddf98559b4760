/* assembly.c -- see assembly.h.
 *
 * The server decides how transactions and subtransactions ended
 * (pg_xact_status), where it can: writes of a subtransaction that was rolled
 * back are undone, whatever statement or function did that.
 *
 * SPDX-License-Identifier: MIT */
#include "record/assembly.h"

#include "record/quiet.h"
#include "record/words.h"
#include "spec/row/row_dialect.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool
assembly_refuse(struct assembly *a, const char *what, const char *name)
{
    if (!a->refusal[0])
        snprintf(a->refusal, sizeof a->refusal, "%.200s%.180s", what, name);
    return false;
}

uint32_t
assembly_table(const struct assembly *a, uint32_t oid)
{
    return watch_table(a->watch, oid);
}

uint32_t
assembly_row(const struct assembly *a, uint32_t version)
{
    while (a->versions.at[version].row != version)
        version = a->versions.at[version].row;
    return version;
}

void
assembly_leave_out(struct recorded_act *act, const char *what)
{
    for (size_t i = 0; i < act->partial.n; i++)
        if (strcmp(act->partial.at[i], what) == 0)
            return;
    vec_push(&act->partial, what);
}

/* --- versions --------------------------------------------------------------*/

static uint32_t
add_version(struct assembly *a, uint32_t table, const char *name)
{
    const uint32_t id = strings_add(&a->names, name, strlen(name));
    if (id == a->versions.n)
        vec_push(&a->versions,
                 ((struct recorded_version){.table = table, .row = id}));
    return id;
}

static uint32_t
add_seen(struct assembly *a, uint32_t table, const struct row_seen *seen)
{
    const uint32_t id = add_version(a, table, seen->name);
    if (!a->versions.at[id].values)
        a->versions.at[id].values = seen->values;
    return id;
}

static bool
add_write(struct assembly *a, uint32_t txn, struct recorded_step *s,
          struct told_fact *t)
{
    const uint32_t table = assembly_table(a, t->oid);
    struct recorded_act *act = &a->acts.at[txn - 1];
    if (t->letter == 'P')
        return true;
    if (act->xid && act->xid != t->xid)
        return assembly_refuse(a, "a transaction has two numbers", "");
    act->xid = t->xid;
    uint32_t before = WATCHED_NONE;
    if (t->before.name)
        before = add_seen(a, table, &t->before);
    if (!t->after.name)
        return true;
    const uint32_t after = add_seen(a, table, &t->after);
    if (a->versions.at[after].maker)
        return assembly_refuse(a, "two versions have one name, in table ",
                               a->watch->watched.tables.at[table].name);
    a->versions.at[after].maker = txn;
    a->versions.at[after].made_by = s->number;
    if (before != WATCHED_NONE)
        a->versions.at[after].row = assembly_row(a, before);
    return true;
}

/* What was reported of a table that is left out. */
static void
leave_out_fact(struct assembly *a, struct recorded_act *act,
               struct recorded_step *s, struct told_fact *t)
{
    const char *why = "rows of a table that is not watched";
    for (size_t i = 0; i < a->watch->lost.n; i++)
        if (a->watch->lost.at[i].oid == t->oid)
            why = a->watch->lost.at[i].why;
    if (t->kind == TOLD_WRITE && t->letter != 'P')
        act->xid = t->xid;
    t->kind = TOLD_LEFT_OUT;
    s->has_left_out = true;
    assembly_leave_out(act, why);
}

static bool
add_told(struct assembly *a, uint32_t txn, struct recorded_step *s)
{
    bool ok = true;
    for (size_t i = 0; ok && i < s->n; i++) {
        struct told_fact *t = &s->told[i];
        if (t->kind == TOLD_OTHER)
            return assembly_refuse(a, "a message of ours is not understood",
                                   "");
        if (t->kind == TOLD_TABLE)
            continue;
        if (assembly_table(a, t->oid) == WATCHED_NONE) {
            if (t->level)
                s->level = t->level;
            if (t->kind == TOLD_SCAN && !s->snapshot)
                s->snapshot = t->snapshot;
            leave_out_fact(a, &a->acts.at[txn - 1], s, t);
            continue;
        }
        if (t->level)
            s->level = t->level;
        if (t->kind == TOLD_SCAN && !s->snapshot)
            s->snapshot = t->snapshot;
        if (t->kind == TOLD_WRITE)
            ok = add_write(a, txn, s, t);
    }
    return ok;
}

/* --- transactions ----------------------------------------------------------*/

/* Whether a session of a script lost what makes it report: the proxy's get it
 * with their first message, so RESET gives it back. */
static bool
resets_recording(const struct recorded_session *s,
                 const struct recorded_run *run)
{
    return s->name &&
           (strcmp(run->tag, "DISCARD ALL") == 0 ||
            (strcmp(run->tag, "RESET") == 0 && words_has(run->text, "all")));
}

/* Whether a statement failed because a partitioned table has policies. */
static bool
is_spoiled(const struct recorded_run *run)
{
    return tell_begins(run->error, "0A000 cannot retrieve a system column");
}

static void
add_step(struct assembly *a, struct recorded_act *act,
         const struct recorded_run *run, uint32_t number)
{
    struct recorded_step s = {.run = run, .n = run->told.n, .number = number};
    s.told = arena_alloc(&a->arena, (s.n + 1) * sizeof *s.told);
    for (size_t i = 0; i < s.n; i++)
        tell_read(&s.told[i], run->told.at[i], &a->arena);
    s.by = (struct row_statement){
        .watched = &a->watch->watched,
        .sql = run->text,
        .table = WATCHED_NONE,
        .proposed = WATCHED_NONE,
        .changed = WATCHED_NONE,
        .may_conflict = true,
    };
    s.may_miss = !quiet_run(run) || (run->tag[0] == 0 && s.n);
    vec_push(&act->steps, s);
}

/* A transaction that writes rows, empties their table and writes again may give
 * two versions one name. */
static void
lose_repeated(struct assembly *a)
{
    struct strings names = {0};
    for (size_t i = 0; i < a->acts.n; i++)
        for (size_t k = 0; k < a->acts.at[i].steps.n; k++) {
            const struct recorded_step *s = &a->acts.at[i].steps.at[k];
            for (size_t j = 0; j < s->n; j++) {
                const struct told_fact *t = &s->told[j];
                const size_t before = names.all.n;
                if (t->kind != TOLD_WRITE || t->letter == 'P' || !t->after.name)
                    continue;
                if (strings_add(&names, t->after.name, strlen(t->after.name)) <
                    before)
                    watch_lose(a->watch, &a->transcript->tables, t->oid,
                               "was emptied and filled by one transaction");
            }
        }
    strings_free(&names);
}

bool
assembly_add(struct assembly *a)
{
    uint32_t number = 0;
    bool ok = true;
    for (size_t i = 0; i < a->transcript->sessions.n; i++) {
        const struct recorded_session *s = a->transcript->sessions.at[i];
        for (size_t k = 0; k < s->txns.n; k++) {
            struct recorded_act act = {.session = s, .txn = &s->txns.at[k]};
            for (size_t j = 0; j < act.txn->runs.n; j++) {
                add_step(a, &act, act.txn->runs.at[j], ++number);
                if (is_spoiled(act.txn->runs.at[j]))
                    ok = assembly_refuse(
                        a, "a statement fails because it is recorded: ",
                        act.txn->runs.at[j]->text);
                if (resets_recording(s, act.txn->runs.at[j]))
                    ok = assembly_refuse(a, "a session ends its recording: ",
                                         act.txn->runs.at[j]->text);
            }
            vec_push(&a->acts, act);
        }
    }
    lose_repeated(a);
    for (uint32_t i = 0; ok && i < a->acts.n; i++)
        for (size_t k = 0; ok && k < a->acts.at[i].steps.n; k++)
            ok = add_told(a, i + 1, &a->acts.at[i].steps.at[k]);
    return ok;
}

/* --- outcomes, by the server -----------------------------------------------*/

/* A subtransaction's number with the upper half that its transaction has. */
static uint64_t
whole_xid(uint64_t xid, uint32_t subxid)
{
    const uint64_t whole = (xid & ~(uint64_t)UINT32_MAX) | subxid;
    return whole < xid && subxid < 3 ? 0 : whole;
}

struct xids {
    struct strings texts;
    VEC(char) status; // 'c', 'a', 'i' or 0, by text
};

static uint32_t
add_xid(struct xids *x, uint64_t xid)
{
    char text[24];
    const int n = snprintf(text, sizeof text, "%" PRIu64, xid);
    const uint32_t id = strings_add(&x->texts, text, (size_t)n);
    if (id == x->status.n)
        vec_push(&x->status, 0);
    return id;
}

/* Numbers that the server has not given out yet are of transactions that it
 * has lost in a crash: they did not commit. */
static bool
ask_statuses(struct assembly *a, struct xids *x)
{
    enum { AT_ONCE = 1000 };
    struct result_rows r = {0};
    struct buf sql = {0};
    bool ok = true;
    for (size_t i = 0; ok && i < x->status.n; i += AT_ONCE) {
        buf_clear(&sql);
        buf_text(&sql, "with next as materialized (select pg_current_xact_id() "
                       "n) select x, case when x::xid8 >= n then 'aborted' "
                       "else pg_xact_status(x::xid8) end from next, "
                       "unnest('{");
        for (size_t k = i; k < x->status.n && k < i + AT_ONCE; k++)
            buf_printf(&sql, "%s%s", k > i ? "," : "",
                       strings_get(&x->texts, (uint32_t)k).text);
        buf_text(&sql, "}'::text[]) x");
        ok = a->admin->driver->query(a->admin, sql.at, &r) == OUTCOME_OK;
        for (size_t k = 0; ok && k < r.n; k++) {
            const char *xid = result_rows_get(&r, k, 0);
            x->status.at[strings_add(&x->texts, xid, strlen(xid))] =
                *result_rows_get(&r, k, 1);
        }
    }
    buf_free(&sql);
    result_rows_free(&r);
    return ok || assembly_refuse(
                     a, "the server does not say how transactions ended: ",
                     a->admin->message);
}

/* How a transaction ended, by what the client was told and by the server. */
static bool
decide_outcome(struct assembly *a, struct recorded_act *act, char server)
{
    static const enum txn_status said[] = {
        [TXN_END_LOST] = TXN_ABORTED,
        [TXN_END_LOST_MID] = TXN_INDETERMINATE,
        [TXN_END_COMMIT] = TXN_COMMITTED,
        [TXN_END_ABORT] = TXN_ABORTED,
        [TXN_END_PREPARED] = TXN_COMMITTED,
    };
    const enum txn_end end = act->txn->end;
    act->status = said[end];
    if (!act->xid)
        return true;
    const enum txn_status by_server = server == 'c'   ? TXN_COMMITTED
                                      : server == 'a' ? TXN_ABORTED
                                                      : TXN_INDETERMINATE;
    if ((end == TXN_END_COMMIT || end == TXN_END_ABORT) &&
        by_server != act->status)
        return assembly_refuse(
            a,
            "the server does not confirm how a transaction ended, of "
            "which it told the client: ",
            end == TXN_END_COMMIT ? "committed" : "rolled back");
    act->status = by_server;
    return true;
}

/* Whether a write of a committed transaction was undone; whether that is known
 * is the result. */
static bool
decide_undone(struct assembly *a, struct xids *x, struct recorded_act *act,
              struct told_fact *t)
{
    if (t->kind != TOLD_WRITE || t->letter == 'P')
        return true;
    const uint64_t xid = whole_xid(act->xid, t->subxid);
    if (xid < act->xid) // a MultiXactId: locks of several transactions
        return assembly_refuse(
            a, "it is not known whether a delete was undone in ",
            a->watch->watched.tables.at[assembly_table(a, t->oid)].name);
    const char status = x->status.at[add_xid(x, xid)];
    if (status == 'a') {
        t->xid = 0; // as a mark
        act->has_undone = true;
        if (t->after.name)
            a->versions
                .at[strings_add(&a->names, t->after.name,
                                strlen(t->after.name))]
                .is_undone = true;
    }
    return true;
}

static void
collect_xids(const struct assembly *a, struct xids *x)
{
    for (size_t i = 0; i < a->acts.n; i++) {
        const struct recorded_act *act = &a->acts.at[i];
        if (act->xid)
            add_xid(x, act->xid);
        for (size_t k = 0; k < act->steps.n; k++)
            for (size_t j = 0; j < act->steps.at[k].n; j++) {
                const struct told_fact *t = &act->steps.at[k].told[j];
                if (t->kind == TOLD_WRITE && t->letter != 'P')
                    add_xid(x, whole_xid(t->xid, t->subxid));
            }
    }
}

/* Note which versions committed transactions removed, for what_if.h. */
static void
note_removals(struct assembly *a, uint32_t txn)
{
    const struct recorded_act *act = &a->acts.at[txn - 1];
    for (size_t k = 0; k < act->steps.n; k++)
        for (size_t j = 0; j < act->steps.at[k].n; j++) {
            const struct told_fact *t = &act->steps.at[k].told[j];
            if (t->kind != TOLD_WRITE || !t->before.name || tell_is_undone(t))
                continue;
            struct recorded_version *v = &a->versions.at[strings_add(
                &a->names, t->before.name, strlen(t->before.name))];
            v->remover = txn;
            v->removed_by = act->steps.at[k].number;
            v->is_deleted = t->letter == 'D';
        }
}

bool
assembly_decide_outcomes(struct assembly *a)
{
    struct xids x = {0};
    collect_xids(a, &x);
    bool ok = ask_statuses(a, &x);
    for (uint32_t i = 0; ok && i < a->acts.n; i++) {
        struct recorded_act *act = &a->acts.at[i];
        ok = decide_outcome(a, act,
                            act->xid ? x.status.at[add_xid(&x, act->xid)] : 0);
        if (act->status != TXN_COMMITTED)
            continue;
        for (size_t k = 0; ok && k < act->steps.n; k++) {
            struct recorded_step *s = &act->steps.at[k];
            for (size_t j = 0; ok && j < s->n; j++)
                ok = decide_undone(a, &x, act, &s->told[j]);
        }
        note_removals(a, i + 1);
    }
    strings_free(&x.texts);
    vec_free(&x.status);
    return ok;
}

/* --- the beginning and the end ---------------------------------------------*/

/* The start of the recording, as the server counted transactions. */
static const char *
beginning_snapshot(const struct assembly *a)
{
    return tell_begins(a->transcript->beginning, "snapshot ")
               ? a->transcript->beginning + strlen("snapshot ")
               : NULL;
}

/* A 32-bit number as the whole number that is nearest to another one. */
static uint64_t
nearest(uint64_t to, uint32_t xid)
{
    const uint64_t whole = (to & ~(uint64_t)UINT32_MAX) | xid;
    return whole > to + (UINT64_C(1) << 31) && whole > UINT32_MAX
               ? whole - (UINT64_C(1) << 32)
               : whole;
}

static bool
was_there(const char *snapshot, const char *version)
{
    char *at;
    strtoull(snapshot, &at, 10);
    const uint64_t high = strtoull(at + (*at == ':'), NULL, 10);
    const uint32_t xmin = tell_xmin(version);
    return xmin < 3 || tell_sees(snapshot, nearest(high, xmin));
}

/* Find out which versions are of the beginning.  One that nobody wrote is
 * refused by name. */
static bool
find_initial(struct assembly *a)
{
    const char *snapshot = beginning_snapshot(a);
    if (!snapshot)
        return assembly_refuse(
            a, "the log does not say how the recording began", "");
    for (uint32_t i = 0; i < a->versions.n; i++) {
        struct recorded_version *v = &a->versions.at[i];
        const char *name = strings_get(&a->names, i).text;
        if (v->maker)
            continue;
        v->is_initial = was_there(snapshot, name);
        if (!v->is_initial) {
            char what[300];
            snprintf(what, sizeof what,
                     "no recorded transaction wrote version %.60s of %.100s: "
                     "another client did, or a trigger was disabled",
                     strchr(name, ':') ? strchr(name, ':') + 1 : name,
                     a->watch->watched.tables.at[v->table].name);
            return assembly_refuse(a, what, "");
        }
    }
    return true;
}

/* Add the versions that policies reported and the final state has. */
static bool
add_read_versions(struct assembly *a)
{
    for (size_t i = 0; i < a->acts.n; i++)
        for (size_t k = 0; k < a->acts.at[i].steps.n; k++) {
            const struct recorded_step *s = &a->acts.at[i].steps.at[k];
            for (size_t j = 0; j < s->n; j++) {
                const struct told_fact *t = &s->told[j];
                if (t->kind != TOLD_SEEN || tell_is_proposed(t->version))
                    continue;
                const uint32_t table = assembly_table(a, t->oid);
                add_version(a, table, t->version);
            }
        }
    for (size_t i = 0; i < a->final.rows.n; i++)
        add_seen(a, a->final.rows.at[i].table, &a->final.rows.at[i].before);
    return true;
}

/* Ask for the values of versions in a table that is too large to be read. */
static bool
ask_values(struct assembly *a, uint32_t table)
{
    struct buf sql = {0};
    struct result_rows r = {0};
    size_t n = 0;
    buf_text(&sql, "select ");
    a->watch->watched.dialect->put_row(&sql, &a->watch->watched, table, "t");
    buf_printf(&sql, " from %s%s as t where t.ctid = any ('{",
               a->watch->watched.tables.at[table].is_partitioned ? "" : "only ",
               a->watch->watched.tables.at[table].name);
    for (uint32_t i = 0; i < a->versions.n; i++) {
        const struct recorded_version *v = &a->versions.at[i];
        if (v->table != table || v->values)
            continue;
        const char *name = strings_get(&a->names, i).text;
        const char *open = strchr(name, '('), *close = strchr(name, ')');
        if (open && close)
            buf_printf(&sql, "%s\"%.*s\"", n++ ? "," : "",
                       (int)(close + 1 - open), open);
    }
    buf_text(&sql, "}'::tid[])");
    const bool ok =
        !n || a->admin->driver->query(a->admin, sql.at, &r) == OUTCOME_OK;
    for (size_t i = 0; ok && i < r.n; i++) {
        const char *name = result_rows_get(&r, i, 0);
        const char *values = result_rows_get(&r, i, 1);
        struct recorded_version *v =
            &a->versions.at[add_version(a, table, name)];
        if (!v->values)
            v->values = arena_copy(&a->arena, values, strlen(values));
    }
    buf_free(&sql);
    result_rows_free(&r);
    return ok || assembly_refuse(a, "cannot read rows: ", a->admin->message);
}

bool
assembly_read_states(struct assembly *a, struct err *err)
{
    struct watched *w = &a->watch->watched;
    if (!row_state_read(&a->final, w, a->admin, err) || !add_read_versions(a))
        return false;
    for (uint32_t i = 0; i < w->tables.n; i++)
        if (a->final.is_large[i] && !ask_values(a, i))
            return false;
    if (!find_initial(a))
        return false;
    a->initial.is_large = arena_alloc(&a->initial.arena, w->tables.n + 1);
    memset(a->initial.is_large, 0, w->tables.n + 1);
    for (uint32_t i = 0; i < a->versions.n; i++) {
        const struct recorded_version *v = &a->versions.at[i];
        if (v->is_initial && v->values)
            vec_push(
                &a->initial.rows,
                ((struct row_note){
                    .kind = ROW_NOTE_READ,
                    .table = v->table,
                    .before = {strings_get(&a->names, i).text, v->values}}));
    }
    return true;
}

void
assembly_free(struct assembly *a)
{
    for (size_t i = 0; i < a->acts.n; i++) {
        struct recorded_act *act = &a->acts.at[i];
        for (size_t k = 0; k < act->steps.n; k++) {
            vec_free(&act->steps.at[k].reads);
            vec_free(&act->steps.at[k].locked);
            vec_free(&act->steps.at[k].missed);
        }
        vec_free(&act->steps);
        vec_free(&act->partial);
    }
    vec_free(&a->acts);
    vec_free(&a->versions);
    strings_free(&a->names);
    strings_free(&a->missing);
    row_state_free(&a->initial);
    row_state_free(&a->final);
    arena_free(&a->arena);
}

/* assemble.c -- see assemble.h.
 *
 * What a statement read are the versions that policies reported.  At READ
 * COMMITTED a statement may wait for a row and look at it again, in a later
 * state.  Then:
 *   (1) a target of an UPDATE or DELETE counts only if a trigger reports it as
 *       the old version: others were looked at again and did not match;
 *   (2) if a statement that locks rows reports two versions of a row, only the
 *       later ones count, and the rest is not recorded;
 *   (3) what FETCH reports is of the snapshot of its cursor.  It counts at the
 *       place of DECLARE if the transaction declared one cursor only.
 *
 * The server decides how transactions and subtransactions ended
 * (pg_xact_status), where it can: writes of a subtransaction that was rolled
 * back are undone, whatever statement or function did that.
 *
 * SPDX-License-Identifier: MIT */
#define _GNU_SOURCE // strcasestr
#include "record/assemble.h"

#include "base/json.h"
#include "record/assembly.h"
#include "record/what_if.h"
#include "spec/row/row_dialect.h"
#include "spec/row/row_history.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool
refuse(struct assembly *a, const char *what, const char *name)
{
    if (!a->refusal[0])
        snprintf(a->refusal, sizeof a->refusal, "%.200s%.180s", what, name);
    return false;
}

uint32_t
assembly_table(const struct assembly *a, uint32_t oid)
{
    for (uint32_t i = 0; i < a->watch->oids.n; i++)
        if (strtoul(a->watch->oids.at[i], NULL, 10) == oid &&
            !a->watch->watched.tables.at[i].refusal)
            return i;
    return WATCHED_NONE;
}

uint32_t
assembly_row(const struct assembly *a, uint32_t version)
{
    while (a->versions.at[version].row != version)
        version = a->versions.at[version].row;
    return version;
}

void
act_leave_out(struct act *act, const char *what)
{
    for (size_t i = 0; i < act->partial.n; i++)
        if (strcmp(act->partial.at[i], what) == 0)
            return;
    vec_push(&act->partial, what);
}

bool
assembly_is_quiet(const char *tag)
{
    static const char *const quiet[] = {
        "",           "BEGIN",         "START TRANSACTION", "COMMIT",
        "ROLLBACK",   "SAVEPOINT",     "RELEASE",           "SET",
        "SHOW",       "RESET",         "DISCARD ALL",       "PREPARE",
        "DEALLOCATE", "LISTEN",        "UNLISTEN",          "NOTIFY",
        "LOCK TABLE", "DECLARE CURSOR", "CLOSE CURSOR",     "ANALYZE",
        "VACUUM",     "CHECKPOINT",    "PREPARE TRANSACTION",
        "COMMIT PREPARED", "ROLLBACK PREPARED", "DEALLOCATE ALL",
        "SET CONSTRAINTS", "DISCARD PLANS", "DISCARD TEMP", "DISCARD SEQUENCES",
        "CLOSE CURSOR ALL",
    };
    for (size_t i = 0; i < sizeof quiet / sizeof quiet[0]; i++)
        if (strcmp(tag, quiet[i]) == 0)
            return true;
    return false;
}

static bool
begins(const char *text, const char *word)
{
    return strncmp(text, word, strlen(word)) == 0;
}

static bool
is_change(const struct run *run)
{
    return begins(run->tag, "UPDATE") || begins(run->tag, "DELETE") ||
           begins(run->tag, "INSERT") || begins(run->tag, "MERGE");
}

static bool
is_weak(const struct step *s)
{
    return !s->level || begins(s->level, "read ");
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
add_write(struct assembly *a, uint32_t txn, struct step *s, struct told *t)
{
    const uint32_t table = assembly_table(a, t->oid);
    struct act *act = &a->acts.at[txn - 1];
    if (table == WATCHED_NONE)
        return refuse(a, "a table is reported that is not watched", "");
    if (t->letter == 'P')
        return true;
    if (act->xid && act->xid != t->xid)
        return refuse(a, "a transaction has two numbers", "");
    act->xid = t->xid;
    uint32_t before = WATCHED_NONE;
    if (t->before.name)
        before = add_seen(a, table, &t->before);
    if (!t->after.name)
        return true;
    const uint32_t after = add_seen(a, table, &t->after);
    a->versions.at[after].maker = txn;
    a->versions.at[after].made_by = s->number;
    if (before != WATCHED_NONE)
        a->versions.at[after].row = assembly_row(a, before);
    return true;
}

static bool
add_told(struct assembly *a, uint32_t txn, struct step *s)
{
    bool ok = true;
    for (size_t i = 0; ok && i < s->n; i++) {
        struct told *t = &s->told[i];
        if (t->kind == TOLD_OTHER)
            return refuse(a, "a message of ours is not understood", "");
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

static void
add_step(struct assembly *a, struct act *act, const struct run *run,
         uint32_t number)
{
    struct step s = {.run = run, .n = run->told.n, .number = number};
    s.told = arena_alloc(&a->arena, (s.n + 1) * sizeof *s.told);
    for (size_t i = 0; i < s.n; i++)
        told_read(&s.told[i], run->told.at[i], &a->arena);
    s.by = (struct row_statement){
        .watched = &a->watch->watched,
        .sql = run->text,
        .table = WATCHED_NONE,
        .proposed = WATCHED_NONE,
        .changed = WATCHED_NONE,
        .may_conflict = true,
    };
    s.may_miss = !assembly_is_quiet(run->tag) || (run->tag[0] == 0 && s.n);
    vec_push(&act->steps, s);
}

static bool
add_acts(struct assembly *a)
{
    uint32_t number = 0;
    bool ok = true;
    for (size_t i = 0; i < a->transcript->sessions.n; i++) {
        const struct recorded_session *s = a->transcript->sessions.at[i];
        for (size_t k = 0; k < s->txns.n; k++) {
            struct act act = {.session = s, .txn = &s->txns.at[k]};
            for (size_t j = 0; j < act.txn->runs.n; j++)
                add_step(a, &act, act.txn->runs.at[j], ++number);
            vec_push(&a->acts, act);
        }
    }
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

static bool
ask_statuses(struct assembly *a, struct xids *x)
{
    enum { AT_ONCE = 1000 };
    struct result_rows r = {0};
    struct buf sql = {0};
    bool ok = true;
    for (size_t i = 0; ok && i < x->status.n; i += AT_ONCE) {
        buf_clear(&sql);
        buf_text(&sql, "select x, pg_xact_status(x::xid8) from unnest('{");
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
    return ok || refuse(a, "the server does not say how transactions ended: ",
                        a->admin->message);
}

/* How a transaction ended, by what the client was told and by the server. */
static bool
decide_outcome(struct assembly *a, struct act *act, char server)
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
        return refuse(a,
                      "the server does not confirm how a transaction ended, of "
                      "which it told the client: ",
                      end == TXN_END_COMMIT ? "committed" : "rolled back");
    act->status = by_server;
    return true;
}

/* Whether a write of a committed transaction was undone; whether that is known
 * is the result. */
static bool
decide_undone(struct assembly *a, struct xids *x, struct act *act,
              struct told *t)
{
    if (t->kind != TOLD_WRITE || t->letter == 'P')
        return true;
    const uint64_t xid = whole_xid(act->xid, t->subxid);
    if (xid < act->xid) // a MultiXactId: locks of several transactions
        return refuse(a, "it is not known whether a delete was undone in ",
                      a->watch->watched.tables.at[assembly_table(a, t->oid)]
                          .name);
    const char status = x->status.at[add_xid(x, xid)];
    if (status == 'a') {
        t->xid = 0; // as a mark
        act->has_undone = true;
        if (t->after.name)
            a->versions.at[strings_add(&a->names, t->after.name,
                                       strlen(t->after.name))]
                .is_undone = true;
    }
    return true;
}

static void
collect_xids(const struct assembly *a, struct xids *x)
{
    for (size_t i = 0; i < a->acts.n; i++) {
        const struct act *act = &a->acts.at[i];
        if (act->xid)
            add_xid(x, act->xid);
        for (size_t k = 0; k < act->steps.n; k++)
            for (size_t j = 0; j < act->steps.at[k].n; j++) {
                const struct told *t = &act->steps.at[k].told[j];
                if (t->kind == TOLD_WRITE && t->letter != 'P')
                    add_xid(x, whole_xid(t->xid, t->subxid));
            }
    }
}

static bool
is_undone(const struct told *t)
{
    return t->kind == TOLD_WRITE && t->letter != 'P' && !t->xid;
}

/* Note which versions committed transactions removed, for what_if.h. */
static void
note_removals(struct assembly *a, uint32_t txn)
{
    const struct act *act = &a->acts.at[txn - 1];
    for (size_t k = 0; k < act->steps.n; k++)
        for (size_t j = 0; j < act->steps.at[k].n; j++) {
            const struct told *t = &act->steps.at[k].told[j];
            if (t->kind != TOLD_WRITE || !t->before.name || is_undone(t))
                continue;
            struct recorded_version *v = &a->versions.at[strings_add(
                &a->names, t->before.name, strlen(t->before.name))];
            v->remover = txn;
            v->removed_by = act->steps.at[k].number;
            v->is_deleted = t->letter == 'D';
        }
}

static bool
decide_outcomes(struct assembly *a)
{
    struct xids x = {0};
    collect_xids(a, &x);
    bool ok = ask_statuses(a, &x);
    for (uint32_t i = 0; ok && i < a->acts.n; i++) {
        struct act *act = &a->acts.at[i];
        ok = decide_outcome(
            a, act, act->xid ? x.status.at[add_xid(&x, act->xid)] : 0);
        if (act->status != TXN_COMMITTED)
            continue;
        for (size_t k = 0; ok && k < act->steps.n; k++) {
            struct step *s = &act->steps.at[k];
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
    return begins(a->transcript->beginning, "snapshot ")
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
    const uint32_t xmin = told_xmin(version);
    return xmin < 3 || told_sees(snapshot, nearest(high, xmin));
}

/* Find out which versions are of the beginning.  One that nobody wrote is
 * refused by name. */
static bool
find_initial(struct assembly *a)
{
    const char *snapshot = beginning_snapshot(a);
    if (!snapshot)
        return refuse(a, "the log does not say how the recording began", "");
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
            return refuse(a, what, "");
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
            const struct step *s = &a->acts.at[i].steps.at[k];
            for (size_t j = 0; j < s->n; j++) {
                const struct told *t = &s->told[j];
                if (t->kind != TOLD_SEEN || told_is_proposed(t->version))
                    continue;
                const uint32_t table = assembly_table(a, t->oid);
                if (table == WATCHED_NONE)
                    return refuse(a, "a table is reported that is not watched",
                                  "");
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
    buf_printf(&sql, " from only %s as t where t.ctid = any ('{",
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
        struct recorded_version *v = &a->versions.at[add_version(a, table, name)];
        if (!v->values)
            v->values = arena_copy(&a->arena, values, strlen(values));
    }
    buf_free(&sql);
    result_rows_free(&r);
    return ok || refuse(a, "cannot read rows: ", a->admin->message);
}

static bool
read_states(struct assembly *a, struct err *err)
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
            vec_push(&a->initial.rows,
                     ((struct row_note){
                         .kind = ROW_NOTE_READ,
                         .table = v->table,
                         .before = {strings_get(&a->names, i).text,
                                    v->values}}));
    }
    return true;
}

/* --- reads -----------------------------------------------------------------*/

/* A version that a statement used, as it was reported. */
struct report {
    uint32_t version;
    bool is_repeated; // it was reported before
    bool is_again;    // another version of its row was reported before
};

typedef VEC(struct report) report_vec;

/* The reports of a statement; versions remember the statement that was seen
 * last. */
static void
read_reports(struct assembly *a, const struct step *s, report_vec *out)
{
    for (size_t i = 0; i < s->n; i++) {
        const struct told *t = &s->told[i];
        if (t->kind != TOLD_SEEN || told_is_proposed(t->version))
            continue;
        struct report r = {
            .version = strings_add(&a->names, t->version, strlen(t->version))};
        struct recorded_version *v = &a->versions.at[r.version];
        struct recorded_version *row =
            &a->versions.at[assembly_row(a, r.version)];
        r.is_repeated = v->reported_by == s->number;
        v->reported_by = s->number;
        if (t->letter != 's')
            v->target_of = s->number;
        if (row->row_reported_by != s->number) {
            row->row_reported_by = s->number;
            row->row_version = r.version;
        }
        r.is_again = row->row_version != r.version;
        vec_push(out, r);
    }
}

static bool
has_targets(const struct step *s)
{
    for (size_t i = 0; i < s->n; i++)
        if (s->told[i].kind == TOLD_SEEN && s->told[i].letter != 's')
            return true;
    return false;
}

static bool
looked_again(const report_vec *reports)
{
    for (size_t i = 0; i < reports->n; i++)
        if (reports->at[i].is_again)
            return true;
    return false;
}

static void
find_reads(struct assembly *a, uint32_t txn, struct step *s)
{
    struct act *act = &a->acts.at[txn - 1];
    const bool weak = is_weak(s), changes = is_change(s->run);
    report_vec reports = {0};
    read_reports(a, s, &reports);
    const bool again =
        weak && !changes && has_targets(s) && looked_again(&reports);
    if (again)
        act_leave_out(act, "what a statement read that waited for a row");
    for (size_t i = 0; i < reports.n; i++) {
        const struct report *r = &reports.at[i];
        const struct recorded_version *v = &a->versions.at[r->version];
        if (r->is_repeated ||
            (v->maker == txn && (v->is_undone || v->made_by == s->number)))
            continue;
        if (weak && changes && v->target_of == s->number) // (1)
            continue;
        if (again && !r->is_again) // (2)
            continue;
        if (v->values)
            vec_push(&s->reads, r->version);
        else
            act_leave_out(act, "a row whose values are not known any more");
    }
    vec_free(&reports);
}

/* Move what FETCH read to the place of its cursor (3). */
static void
move_fetched(struct act *act, struct step *s)
{
    struct step *declared = NULL;
    size_t n = 0;
    if (!begins(s->run->tag, "FETCH") || !is_weak(s) || !s->reads.n)
        return;
    for (size_t i = 0; i < act->steps.n && &act->steps.at[i] != s; i++)
        if (strcmp(act->steps.at[i].run->tag, "DECLARE CURSOR") == 0) {
            declared = &act->steps.at[i];
            n++;
        }
    if (n == 1)
        for (size_t i = 0; i < s->reads.n; i++)
            vec_push(&declared->reads, s->reads.at[i]);
    else
        act_leave_out(act, "what FETCH read from one of several cursors");
    vec_clear(&s->reads);
}

static void
find_all_reads(struct assembly *a)
{
    for (uint32_t i = 0; i < a->acts.n; i++) {
        struct act *act = &a->acts.at[i];
        for (size_t k = 0; k < act->steps.n; k++) {
            struct step *s = &act->steps.at[k];
            if (s->run->error[0] && s->n)
                act_leave_out(act, "what a statement read that failed");
            else
                find_reads(a, i + 1, s);
        }
        for (size_t k = 0; k < act->steps.n; k++)
            move_fetched(act, &act->steps.at[k]);
    }
}

/* --- notes -----------------------------------------------------------------*/

static void
note_version(const struct assembly *a, row_note_vec *out, struct step *s,
             enum row_note_kind kind, uint32_t version, uint32_t number)
{
    const struct recorded_version *v = &a->versions.at[version];
    vec_push(out, ((struct row_note){
                      .kind = kind,
                      .statement = number,
                      .table = v->table,
                      .by = &s->by,
                      .before = {strings_get(&a->names, version).text,
                                 v->values}}));
}

/* Whether a note tells of a write that was undone. */
static bool
is_undone_note(struct assembly *a, const struct step *s,
               const struct row_note *n)
{
    (void)a;
    for (size_t i = 0; i < s->n; i++) {
        const struct told *t = &s->told[i];
        const bool is_it =
            t->kind == TOLD_WRITE && t->letter != 'P' &&
            (n->after.name
                 ? t->after.name && strcmp(t->after.name, n->after.name) == 0
                 : t->before.name && !t->after.name && n->before.name &&
                       strcmp(t->before.name, n->before.name) == 0);
        if (is_it)
            return is_undone(t);
    }
    return false;
}

/* Whether a text may name a function that a user has made. */
static bool
names_function(const struct assembly *a, const char *text)
{
    const text_vec *names = &a->watch->watched.functions;
    for (size_t i = 0; i < names->n; i++)
        if (strcasestr(text, names->at[i]))
            return true;
    return false;
}

/* Whether rows that an INSERT was about to add, and did not, tell that others
 * were in their way: only ON CONFLICT does that, unless a function has caught
 * an error. */
static bool
tells_conflicts(const struct assembly *a, struct act *act, const struct step *s)
{
    size_t proposed = 0, written = 0, undone = 0;
    uint32_t oid = 0;
    bool one_table = true;
    for (size_t i = 0; i < s->n; i++) {
        const struct told *t = &s->told[i];
        if (t->kind != TOLD_WRITE)
            continue;
        one_table &= !oid || oid == t->oid;
        oid = t->oid;
        proposed += t->letter == 'P';
        written += t->letter != 'P';
        undone += is_undone(t);
    }
    if (!undone && proposed <= written)
        return true;
    const bool is_sure = !undone && one_table &&
                         begins(s->run->tag, "INSERT") &&
                         !names_function(a, s->run->text);
    const struct watched_table *t =
        &a->watch->watched.tables.at[assembly_table(a, oid)];
    if (!is_sure || !t->keys.n || t->has_other_unique || t->has_own_triggers)
        act_leave_out(act, "which row was in the way of an insert");
    return is_sure;
}

/* The writes of a step, in the form of src/spec/row. */
static bool
note_writes(struct assembly *a, struct act *act, struct step *s,
            struct notes *notes, uint32_t *number)
{
    struct buf told = {0};
    row_note_vec *out = &vec_top(&notes->txns).rows;
    const bool conflicts = tells_conflicts(a, act, s);
    for (size_t i = 0; i < s->n; i++)
        if (s->told[i].kind == TOLD_WRITE &&
            (s->told[i].letter != 'P' || conflicts)) {
            buf_printf(&told, "%u\n%s", assembly_table(a, s->told[i].oid),
                       s->told[i].lines);
            buf_char(&told, 0);
        }
    const size_t first = out->n;
    const struct row_run run = {.by = &s->by, .number = *number};
    const bool ok = !told.n || row_notes_told(out, &notes->arena, &run, &told);
    for (size_t i = first; ok && i < out->n; i++) {
        struct row_note *n = &out->at[i];
        const bool undone = act->has_undone && row_note_is_change(n) &&
                            is_undone_note(a, s, n);
        if (i > first && undone != out->at[i - 1].is_undone)
            ++*number;
        n->is_undone = undone;
        n->statement = *number;
    }
    buf_free(&told);
    return ok || refuse(a, "a trigger's message is not understood", "");
}

static void
put_list(struct buf *out, const char *text, size_t *n)
{
    buf_text(out, (*n)++ ? "," : "[");
    buf_json(out, text, strlen(text));
}

static void
put_values(struct buf *out, const struct run *run)
{
    enum { MOST_BYTES = 200 };
    buf_char(out, '[');
    for (size_t i = 0; i < run->n_values; i++) {
        const struct bound_value *v = &run->values[i];
        const size_t n = v->n < MOST_BYTES ? v->n : MOST_BYTES;
        buf_text(out, i ? "," : "");
        if (!v->at) {
            buf_text(out, "null");
        } else if (v->is_binary) {
            buf_text(out, "\"\\\\x");
            for (size_t k = 0; k < n; k++)
                buf_printf(out, "%02x", (unsigned char)v->at[k]);
            buf_char(out, '"');
        } else {
            buf_json(out, v->at, n);
        }
    }
    buf_char(out, ']');
}

/* The statements of a transaction, for people. */
static const char *
meta_of(struct assembly *a, const struct act *act)
{
    struct buf sql = {0}, values = {0}, out = {0};
    size_t n = 0;
    bool has_values = false;
    for (size_t i = 0; i < act->steps.n; i++) {
        const struct run *run = act->steps.at[i].run;
        if (!run->text[0])
            continue;
        has_values |= run->n_values > 0;
        buf_text(&values, n ? "," : "[");
        put_values(&values, run);
        put_list(&sql, run->text, &n);
    }
    const char *pid = *act->session->pid ? act->session->pid : "0";
    json_array_end(&sql);
    json_array_end(&values);
    json_object(&out, NULL);
    if (n)
        json_raw(&out, "sql", sql.at, sql.n);
    if (has_values)
        json_raw(&out, "parameters", values.at, values.n);
    if (*act->session->application)
        json_text(&out, "application", act->session->application);
    json_raw(&out, "pid", pid, strlen(pid));
    json_object_end(&out);
    const char *copy = arena_copy(&a->arena, out.at, out.n);
    buf_free(&sql);
    buf_free(&values);
    buf_free(&out);
    return copy;
}

static void
leave_out_missed(struct act *act)
{
    for (size_t i = 0; i < act->steps.n; i++)
        if (act->steps.at[i].may_miss)
            act_leave_out(act, ASSEMBLY_MISSED);
}

static void
leave_out_tables(struct assembly *a, struct act *act)
{
    if (act->txn->as_superuser)
        act_leave_out(act, "what a superuser read");
    if (a->watch->unwatched.n) {
        struct buf what = {0};
        buf_printf(&what, "what was read of tables that are not watched: %s",
                   a->watch->unwatched.at);
        act_leave_out(act, arena_copy(&a->arena, what.at, what.n));
        buf_free(&what);
    }
    for (size_t i = 0; i < act->steps.n; i++)
        for (size_t k = 0; k < act->steps.at[i].n; k++) {
            const struct told *t = &act->steps.at[i].told[k];
            const uint32_t table = t->kind == TOLD_WRITE
                                       ? assembly_table(a, t->oid)
                                       : WATCHED_NONE;
            if (table != WATCHED_NONE && a->watch->watched.tables.at[table].part)
                act_leave_out(act, a->watch->watched.tables.at[table].part);
        }
}

static bool
note_act(struct assembly *a, struct act *act, struct notes *notes,
         uint32_t *number)
{
    vec_push(&notes->txns, ((struct noted_txn){.status = act->status,
                                               .began = act->txn->began,
                                               .ended = act->txn->ended}));
    row_note_vec *out = &vec_top(&notes->txns).rows;
    bool ok = true;
    for (size_t i = 0; ok && i < act->steps.n; i++) {
        struct step *s = &act->steps.at[i];
        ++*number;
        for (size_t k = 0; k < s->reads.n; k++)
            note_version(a, out, s, ROW_NOTE_READ, s->reads.at[k], *number);
        for (size_t k = 0; k < s->missed.n; k++)
            note_version(a, out, s,
                         s->missed.at[k].is_absent ? ROW_NOTE_ABSENT
                                                   : ROW_NOTE_READ,
                         s->missed.at[k].version, *number);
        if (s->reads.n || s->missed.n)
            ++*number;
        ok = note_writes(a, act, s, notes, number);
    }
    if (act->status == TXN_ABORTED) { // nothing depends on its reads
        vec_clear(&act->partial);
    } else {
        leave_out_missed(act);
        leave_out_tables(a, act);
    }
    struct noted_txn *txn = &vec_top(&notes->txns);
    txn->meta = meta_of(a, act);
    txn->partial = act->partial.at;
    txn->partial_n = act->partial.n;
    return ok;
}

/* --- the history -----------------------------------------------------------*/

typedef VEC(struct spec_history_session) session_vec;
typedef VEC(struct notes *) notes_vec;

static bool
note_all(struct assembly *a, session_vec *sessions, notes_vec *all)
{
    uint32_t number = 0;
    bool ok = true;
    size_t at = 0;
    for (size_t i = 0; ok && i < a->transcript->sessions.n; i++) {
        const struct recorded_session *s = a->transcript->sessions.at[i];
        struct notes *notes = mem_calloc(1, sizeof *notes);
        char name[32];
        const int n = snprintf(name, sizeof name, "c%u", s->number);
        vec_push(all, notes);
        vec_push(sessions, ((struct spec_history_session){
                               arena_copy(&a->arena, name, (size_t)n), notes}));
        for (size_t k = 0; ok && k < s->txns.n; k++)
            ok = note_act(a, &a->acts.at[at++], notes, &number);
    }
    return ok;
}

static void
count(const struct assembly *a, struct assembled *out)
{
    out->whats_if = a->whats_if;
    for (size_t i = 0; i < a->acts.n; i++) {
        const struct act *act = &a->acts.at[i];
        bool has_rows = false;
        for (size_t k = 0; k < act->steps.n; k++)
            has_rows |= act->steps.at[k].n || act->steps.at[k].missed.n;
        out->txns += has_rows;
        out->partial += has_rows && act->partial.n;
    }
}

static bool
write_history(struct assembly *a, const char *path, struct assembled *out,
              struct err *err)
{
    session_vec sessions = {0};
    notes_vec all = {0};
    bool ok = note_all(a, &sessions, &all);
    if (ok) {
        a->initial.began = a->initial.ended = 0;
        struct row_history h = {.watched = &a->watch->watched,
                                .connection = a->admin,
                                .initial = &a->initial,
                                .final = &a->final,
                                .sessions = sessions.at,
                                .sessions_n = sessions.n,
                                .has_others = true};
        ok = row_history_write(&h, path, err);
        out->is_empty = h.is_empty;
        if (ok && h.refusal[0] && !h.is_empty)
            ok = refuse(a, h.refusal, "");
        count(a, out);
    }
    for (size_t i = 0; i < all.n; i++) {
        notes_free(all.at[i]);
        mem_free(all.at[i]);
    }
    vec_free(&all);
    vec_free(&sessions);
    return ok;
}

static void
free_assembly(struct assembly *a)
{
    for (size_t i = 0; i < a->acts.n; i++) {
        struct act *act = &a->acts.at[i];
        for (size_t k = 0; k < act->steps.n; k++) {
            vec_free(&act->steps.at[k].reads);
            vec_free(&act->steps.at[k].missed);
        }
        vec_free(&act->steps);
        vec_free(&act->partial);
    }
    vec_free(&a->acts);
    vec_free(&a->versions);
    strings_free(&a->names);
    row_state_free(&a->initial);
    row_state_free(&a->final);
    arena_free(&a->arena);
}

bool
assemble(const char *raw, struct watch *watch, const char *path,
         struct assembled *out, struct err *err)
{
    struct transcript transcript;
    *out = (struct assembled){0};
    if (!transcript_read(raw, &transcript, err))
        return false;
    struct assembly a = {.watch = watch,
                         .admin = watch->admin,
                         .transcript = &transcript};
    bool ok = watch_check_end(watch, transcript.beginning, err) &&
              add_acts(&a) && decide_outcomes(&a) && read_states(&a, err);
    if (ok) {
        find_all_reads(&a);
        ok = what_if(&a, err) && write_history(&a, path, out, err);
    }
    if (!ok && a.refusal[0])
        err_set(err, ERR_FEATURE, "not a history: %s", a.refusal);
    free_assembly(&a);
    transcript_free(&transcript);
    return ok;
}

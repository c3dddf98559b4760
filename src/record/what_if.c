/* what_if.c -- see what_if.h.
 *
 * Which statements can be run again, and in which session.  A statement that
 * cannot be run again stays recorded in part.  missed_rows.h does the rest.
 *
 * SPDX-License-Identifier: MIT */
#include "record/what_if.h"

#include "record/missed_rows.h"
#include "record/rerun.h"
#include "record/snapshot.h"
#include "record/statement_text.h"
#include "record/words.h"

#include <string.h>

/* --- which statements ------------------------------------------------------*/

// Statements with these words depend on more than rows, or act on more than
// rows; '*' stands for more letters, '(' for a call.  So do those that name
// functions and views of users.
static const char *const open_words[] = {
    "now",          "current_*",
    "localtime*",   "transaction_timestamp",
    "clock_*",      "statement_timestamp",
    "timeofday",    "today",
    "tomorrow",     "yesterday",
    "random*",      "setseed",
    "gen_random_*", "uuid_*",
    "user",         "session_user",
    "system_user",  "dblink*",
    "txid_*",       "nextval",
    "setval",       "lastval",
    "currval",      "xmin",
    "xmax",         "cmin",
    "cmax",         "ctid",
    "tableoid",     "lo_*",
    "tablesample",  "age(",
    "inet_*",       "version(",
    "default",      "set_config",
};

// Functions of the server whose names begin with pg_ show more than rows,
// except for these, which lock, and answer nothing.
static const char *const locking[] = {
    "pg_advisory_lock", "pg_advisory_xact_lock", "pg_advisory_lock_shared",
    "pg_advisory_xact_lock_shared"};

static bool
names_server(const char *text)
{
    size_t n = words_count(text, "pg_*");
    for (size_t i = 0; n && i < sizeof locking / sizeof locking[0]; i++)
        n -= words_count(text, locking[i]);
    return n > 0;
}

static bool
is_open(const struct evaluation *e, const char *text)
{
    if (names_server(text))
        return true;
    for (size_t i = 0; i < sizeof open_words / sizeof open_words[0]; i++)
        if (words_has(text, open_words[i]))
            return true;
    for (size_t i = 0; i < e->words.n; i++)
        if (words_has(text, e->words.at[i]))
            return true;
    return false;
}

static bool
has_open_value(const struct evaluation *e, const struct recorded_run *r)
{
    for (size_t i = 0; i < r->n_values; i++)
        if (r->values[i].at && !r->values[i].is_binary &&
            is_open(e, r->values[i].at))
            return true;
    return false;
}

/* Whether rows were reported as targets of a lock or of a change. */
static bool
has_targets(const struct recorded_step *s)
{
    for (size_t i = 0; i < s->n; i++)
        if (s->told[i].kind == TOLD_SEEN && s->told[i].letter != 's')
            return true;
    return false;
}

static bool
is_weak(const struct recorded_act *act)
{
    for (size_t i = 0; i < act->steps.n; i++)
        if (act->steps.at[i].level)
            return tell_begins(act->steps.at[i].level, "read ");
    return true;
}

/* Whether every write that is undone was undone before a step, or comes after
 * it: then the step saw what the versions say. */
static bool
sees_nothing_undone(const struct recorded_act *act,
                    const struct recorded_step *s)
{
    bool is_before = true, goes_back = false;
    for (size_t i = 0; i < act->steps.n; i++) {
        const struct recorded_step *t = &act->steps.at[i];
        goes_back |=
            t->number > s->number && strcmp(t->run->tag, "ROLLBACK") == 0;
        for (size_t k = 0; k < t->n && t->number < s->number; k++)
            is_before &= !tell_is_undone(&t->told[k]);
    }
    return is_before || !goes_back;
}

/* The text of a statement, also of one that SQL has prepared before; NULL if
 * that is not known. */
static const char *
text_of(const struct session_setup *setup, const struct recorded_run *r)
{
    return rerun_is_execute(r)
               ? session_setup_prepared(setup, statement_start(r->text))
               : r->text;
}

/* Whether a step can be run again. */
static bool
can_run(const struct evaluation *e, const struct session_setup *setup,
        uint32_t txn, const struct recorded_step *s)
{
    const struct recorded_act *act = &e->a->acts.at[txn - 1];
    const struct recorded_run *r = s->run;
    const char *text = text_of(setup, r);
    const bool reads = tell_begins(r->tag, "SELECT");
    const bool changes =
        tell_begins(r->tag, "UPDATE") || tell_begins(r->tag, "DELETE") ||
        ((tell_begins(r->tag, "INSERT") || tell_begins(r->tag, "MERGE")) &&
         !e->has_sequences);
    return s->may_miss && !s->has_left_out && !e->names_lost &&
           (reads || changes) && r->text[0] && !r->error[0] &&
           !r->is_suspended && sees_nothing_undone(act, s) && text &&
           !is_open(e, text) && snapshot_of(e->a, txn, s) &&
           (!is_weak(act) || !has_targets(s) ||
            snapshot_was_kept(e->a, txn, s)) &&
           !is_open(e, r->text) && !has_open_value(e, r);
}

/* --- one statement ---------------------------------------------------------*/

/* An INSERT whose plan has no scan reads nothing but what its constraints
 * check. */
static bool
is_plain_insert(struct evaluation *e, const struct recorded_step *s)
{
    struct result_rows r = {0};
    struct buf sql = {0};
    const struct recorded_run *run = s->run;
    if (!tell_begins(run->tag, "INSERT") || !run->text[0] || run->error[0] ||
        has_targets(s))
        return false;
    for (size_t i = 0; i < e->words.n; i++)
        if (words_has(run->text, e->words.at[i]))
            return false;
    // Values do not decide which tables are read.
    buf_printf(&sql, "explain %s", e->execute.at);
    bool ok = evaluation_query(e, e->enter.at, NULL) &&
              evaluation_query(e, sql.at, &r) && r.n;
    if (ok)
        ok = evaluation_query(e, "rollback to assay_run; release assay_run",
                              NULL);
    for (size_t i = 0; ok && i < r.n; i++) {
        const char *line = result_rows_get(&r, i, 0);
        line += strspn(line, " ->");
        ok = tell_begins(line, "Insert on ") || tell_begins(line, "Result") ||
             tell_begins(line, "Values Scan") ||
             tell_begins(line, "Function Scan") ||
             tell_begins(line, "Conflict ") ||
             // with RETURNING our policies are in the plan: their snapshot
             tell_begins(line, "InitPlan ") || tell_begins(line, "SubPlan ") ||
             tell_begins(line, "One-Time Filter: ");
    }
    buf_free(&sql);
    result_rows_free(&r);
    return ok;
}

/* Whether the prepared statement names no table or view of users, and calls
 * neither a function of theirs nor one that runs a text as a statement. */
static bool
names_no_table(struct evaluation *e, const struct session_setup *setup,
               const struct recorded_step *s)
{
    static const char *const running[] = {
        "query_to_xml*",  "table_to_xml*", "schema_to_xml*", "database_to_xml*",
        "cursor_to_xml*", "ts_stat",       "ts_rewrite"};
    const char *text = text_of(setup, s->run);
    bool calls = s->n > 0 || e->names_table || !text;
    for (size_t i = 0; !calls && i < e->words.n; i++)
        calls = words_has(text, e->words.at[i]);
    for (size_t i = 0; !calls && i < sizeof running / sizeof running[0]; i++)
        calls = words_has(text, running[i]);
    return !calls;
}

/* --- cursors ---------------------------------------------------------------*/

/* The DECLARE of the cursor that a step fetches from, and what else is fetched
 * from it: one read, in the snapshot of the DECLARE. */
static struct recorded_step *
find_cursor(struct evaluation *e, struct recorded_act *act,
            const struct recorded_step *s, u32_vec *fetched)
{
    struct arena *arena = &e->a->arena;
    const char *name = statement_cursor(s->run->text, arena);
    struct recorded_step *declared = NULL;
    bool is_mine = false;
    for (uint32_t i = 0; *name && i < act->steps.n; i++) {
        struct recorded_step *t = &act->steps.at[i];
        if (strcmp(statement_cursor(t->run->text, arena), name) != 0)
            continue;
        if (strcmp(t->run->tag, "DECLARE CURSOR") == 0) {
            if (is_mine)
                break;
            declared = t;
            vec_clear(fetched);
        } else if (tell_begins(t->run->tag, "FETCH") ||
                   tell_begins(t->run->tag, "MOVE")) {
            is_mine |= t == s;
            vec_push(fetched, i);
        }
    }
    return is_mine ? declared : NULL;
}

/* What was reported of a cursor becomes that of its DECLARE.  found_rows.h has
 * moved the reads. */
static void
gather(struct evaluation *e, const struct recorded_act *act,
       struct recorded_step *declared, const u32_vec *fetched)
{
    size_t n = 0;
    for (size_t i = 0; i < fetched->n; i++)
        n += act->steps.at[fetched->at[i]].n;
    declared->told =
        arena_alloc(&e->a->arena, (n + 1) * sizeof *declared->told);
    declared->n = 0;
    for (size_t i = 0; i < fetched->n; i++) {
        const struct recorded_step *t = &act->steps.at[fetched->at[i]];
        for (size_t k = 0; k < t->n; k++)
            declared->told[declared->n++] = t->told[k];
        declared->snapshot =
            declared->snapshot ? declared->snapshot : t->snapshot;
        declared->level = declared->level ? declared->level : t->level;
    }
}

static bool
evaluate_cursor(struct evaluation *e, const struct session_setup *setup,
                uint32_t txn, struct recorded_step *s)
{
    struct recorded_act *act = &e->a->acts.at[txn - 1];
    u32_vec fetched = {0};
    struct recorded_step *declared = find_cursor(e, act, s, &fetched);
    bool ok = declared && !declared->run->n_values &&
              sees_nothing_undone(act, s) && !is_open(e, declared->run->text);
    ok = ok && !e->a->watch->lost.n; // which tables it names is not asked
    if (ok) {
        gather(e, act, declared, &fetched);
        rerun_prepare_cursor(e, setup, act, declared, &fetched);
        const char *snapshot = snapshot_of(e->a, txn, declared);
        ok = snapshot && !has_targets(declared) &&
             missed_rows(e, txn, declared, snapshot);
        if (!ok)
            vec_clear(&declared->missed);
    }
    for (size_t i = 0; ok && i < fetched.n; i++)
        act->steps.at[fetched.at[i]].may_miss = false;
    vec_free(&fetched);
    return ok;
}

/* --- statements ------------------------------------------------------------*/

static bool
evaluate_statement(struct evaluation *e, const struct session_setup *setup,
                   uint32_t txn, struct recorded_step *s)
{
    if (!rerun_prepare(e, setup, s->run))
        return false;
    if (names_no_table(e, setup, s) || is_plain_insert(e, s) ||
        (can_run(e, setup, txn, s) &&
         missed_rows(e, txn, s, snapshot_of(e->a, txn, s))))
        return true;
    vec_clear(&s->missed);
    return false;
}

static void
evaluate(struct evaluation *e, const struct session_setup *setup, uint32_t txn,
         struct recorded_step *s)
{
    struct recorded_act *act = &e->a->acts.at[txn - 1];
    if (setup->is_unknown || !s->may_miss || act->status != TXN_COMMITTED ||
        !missed_rows_can_go_on(e) || act->txn->as_superuser ||
        !s->run->text[0] || !evaluation_query(e, "savepoint assay_state", NULL))
        return;
    const bool fetches =
        tell_begins(s->run->tag, "FETCH") || tell_begins(s->run->tag, "MOVE");
    if (fetches ? evaluate_cursor(e, setup, txn, s)
                : evaluate_statement(e, setup, txn, s))
        s->may_miss = false;
    evaluation_query(
        e, "rollback to assay_state; release assay_state; deallocate all",
        NULL);
}

/* All statements of a session, in the settings that each of them had. */
static void
evaluate_session(struct evaluation *e, uint32_t first, uint32_t last)
{
    struct session_setup setup;
    session_setup_open(&setup, e->a, e->a->acts.at[first].session);
    for (uint32_t i = first; i <= last; i++) {
        struct recorded_act *act = &e->a->acts.at[i];
        for (size_t k = 0; k < act->steps.n; k++) {
            evaluate(e, &setup, i + 1, &act->steps.at[k]);
            session_setup_add(&setup, act->steps.at[k].run);
        }
        session_setup_end(&setup, act->txn->end == TXN_END_COMMIT);
    }
    session_setup_close(&setup);
}

/* --- all of them -----------------------------------------------------------*/

/* The names of functions and views of users. */
static bool
read_words(struct evaluation *e)
{
    static const char sql[] =
        "select proname from pg_proc p join pg_namespace n on n.oid = "
        "pronamespace join pg_language l on l.oid = prolang where nspname !~ "
        "'^(pg_|assay(_s[0-9]+)?$)' and nspname <> 'information_schema' union "
        "select "
        "relname from pg_class c join pg_namespace n on n.oid = relnamespace "
        "where relkind in ('v', 'm', 'f') and nspname !~ '^pg_' and nspname "
        "not "
        "in ('information_schema', 'assay')";
    struct result_rows r = {0};
    const bool ok = evaluation_query(e, sql, &r);
    for (size_t i = 0; ok && i < r.n; i++) {
        const char *word = result_rows_get(&r, i, 0);
        vec_push(&e->words, arena_copy(&e->a->arena, word, strlen(word)));
    }
    result_rows_free(&r);
    return ok;
}

/* A sequence keeps what was taken from it, also after a rollback.  So an
 * INSERT, which may evaluate defaults, is run again only where there is none.
 */
static bool
find_sequences(struct evaluation *e)
{
    struct result_rows r = {0};
    const bool ok = evaluation_query(
        e, "select exists (select 1 from pg_class where relkind = 'S')", &r);
    e->has_sequences = !ok || *result_rows_get(&r, 0, 0) != 'f';
    result_rows_free(&r);
    return ok;
}

/* Whether statements can be run again: by a superuser, on tables that are known
 * whole. */
static bool
can_evaluate(struct evaluation *e)
{
    struct result_rows r = {0};
    const bool ok =
        evaluation_query(e, "select current_setting('is_superuser') = 'on'",
                         &r) &&
        *result_rows_get(&r, 0, 0) == 't' && !e->a->watch->unwatched.n;
    result_rows_free(&r);
    return ok;
}

bool
what_if(struct assembly *a, struct err *err)
{
    struct evaluation e = {.a = a, .c = a->admin};
    (void)err;
    for (uint32_t i = 0; i < a->versions.n; i++) {
        a->versions.at[i].row = assembly_row(a, i);
        vec_push(&e.there, 0);
    }
    if (can_evaluate(&e) && read_words(&e) && find_sequences(&e) &&
        evaluation_query(&e,
                         "begin isolation level read committed; set local "
                         "session_replication_role = replica; set local "
                         "lock_timeout = '1s'",
                         NULL)) {
        for (uint32_t i = 0, n; i < a->acts.n; i = n) {
            for (n = i + 1; n < a->acts.n; n++)
                if (a->acts.at[n].session != a->acts.at[i].session)
                    break;
            evaluate_session(&e, i, n - 1);
        }
        evaluation_query(&e, "rollback; select pg_advisory_unlock_all()", NULL);
    }
    strings_free(&e.physical);
    vec_free(&e.version_of);
    vec_free(&e.there);
    vec_free(&e.words);
    buf_free(&e.notices);
    buf_free(&e.enter);
    buf_free(&e.execute);
    return true;
}

/* what_if.c -- see what_if.h.
 *
 * A statement depends on a row that it did not find if it would have answered
 * otherwise, had the row been in another state.  So the statement is run again
 * in the state of its own snapshot with that one row replaced.  Nothing is
 * parsed: joins, aggregates, subqueries and limits are alike.
 *
 * The states are made of the application's own tables, in one transaction that
 * is rolled back at the end.  Which versions a snapshot shows follows from the
 * snapshot, as the server reported it, and from who wrote and replaced each
 * version, as triggers reported it.  Invariants:
 *   (1) first the statement runs unchanged, twice.  Unless it finds exactly the
 *       versions that were recorded and answers the same both times, nothing is
 *       claimed: it depends on the time, on chance, or on a setting;
 *   (2) a row is put into the states that transactions left which overlap the
 *       statement's own, or which overlap one that does.  Others are ordered
 *       by time;
 *   (3) a statement that cannot be run again stays recorded in part.
 *
 * SPDX-License-Identifier: MIT */
#include "record/what_if.h"

#include "base/ascii.h"
#include "record/evaluation.h"

#include <string.h>

enum {
    MOST_WHATS_IF = 20000,  // runs of statements, for a recording
    MOST_CHANGES = 100000,  // rows that are put into other states
    MOST_CANDIDATES = 2000, // of a statement
};

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
    "system_user",  "pg_*",
    "dblink*",      "txid_*",
    "nextval",      "setval",
    "lastval",      "currval",
    "xmin",         "xmax",
    "cmin",         "cmax",
    "ctid",         "tableoid",
    "lo_*",         "tablesample",
    "age(",         "inet_*",
    "version(",     "default",
    "set_config",
};

static bool
is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c >= '0' && c <= '9') || c == '_' || (unsigned char)c >= 0x80;
}

/* Whether a text has a word, in any case. */
static bool
has_word(const char *text, const char *word)
{
    const size_t n = strcspn(word, "*(");
    for (const char *at = text; *at; at++) {
        if ((at > text && is_letter(at[-1])) ||
            ascii_compare_n(at, word, n) != 0)
            continue;
        const char *after = at + n;
        if (word[n] == '*' || (!word[n] && !is_letter(*after)))
            return true;
        if (word[n] == '(' && after[strspn(after, " \t\r\n")] == '(')
            return true;
    }
    return false;
}

static bool
is_open(const struct evaluation *e, const char *text)
{
    for (size_t i = 0; i < sizeof open_words / sizeof open_words[0]; i++)
        if (has_word(text, open_words[i]))
            return true;
    for (size_t i = 0; i < e->words.n; i++)
        if (has_word(text, e->words.at[i]))
            return true;
    return false;
}

/* A SET of something that decides no answer. */
static bool
is_harmless_set(const char *text)
{
    static const char *const names[] = {
        "set transaction",        "set session characteristics",
        "set application_name",   "set statement_timeout",
        "set lock_timeout",       "set client_min_messages",
        "set extra_float_digits", "set local statement_timeout",
        "set local lock_timeout"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (ascii_compare_n(text, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

/* Whether the settings of a session are those that it began with. */
static bool
has_own_settings(const struct recorded_session *s)
{
    for (size_t i = 0; i < s->parameters.n; i++)
        if (strcmp(s->parameters.at[i].name, "options") == 0)
            return true;
    for (size_t i = 0; i < s->txns.n; i++)
        for (size_t k = 0; k < s->txns.at[i].runs.n; k++) {
            const struct recorded_run *r = s->txns.at[i].runs.at[k];
            if (strcmp(r->tag, "SET") == 0 && !is_harmless_set(r->text))
                return true;
        }
    return false;
}

static bool
has_binary(const struct recorded_run *r)
{
    for (size_t i = 0; i < r->n_values; i++)
        if (r->values[i].is_binary ||
            (r->values[i].at && strlen(r->values[i].at) != r->values[i].n))
            return true;
    return false;
}

static bool
has_open_value(const struct evaluation *e, const struct recorded_run *r)
{
    for (size_t i = 0; i < r->n_values; i++)
        if (r->values[i].at && is_open(e, r->values[i].at))
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

/* The snapshot of a step: its own, or that of its transaction. */
static const char *
snapshot_of(const struct recorded_act *act, const struct recorded_step *s)
{
    if (s->snapshot)
        return s->snapshot;
    for (size_t i = 0; !is_weak(act) && i < act->steps.n; i++)
        if (act->steps.at[i].snapshot)
            return act->steps.at[i].snapshot;
    return NULL;
}

/* Whether a step can be run again. */
static bool
can_run(const struct evaluation *e, const struct recorded_act *act,
        const struct recorded_step *s)
{
    const struct recorded_run *r = s->run;
    const bool reads = tell_begins(r->tag, "SELECT");
    const bool changes = tell_begins(r->tag, "UPDATE") ||
                         tell_begins(r->tag, "DELETE") ||
                         (tell_begins(r->tag, "INSERT") && !e->has_sequences);
    return s->may_miss && (reads || changes) && r->text[0] && !r->error[0] &&
           !r->is_suspended && !has_binary(r) && !act->has_undone &&
           snapshot_of(act, s) && !(is_weak(act) && has_targets(s)) &&
           !is_open(e, r->text) && !has_open_value(e, r);
}

/* --- one statement ---------------------------------------------------------*/

/* "prepare assay_what_if (types) as ...", and how to execute it. */
static bool
prepare(struct evaluation *e, const struct recorded_act *act,
        const struct recorded_run *r)
{
    struct buf sql = {0};
    struct result_rows types = {0};
    bool ok = true;
    buf_clear(&e->enter);
    buf_text(&e->enter, "savepoint assay_run; set local role ");
    watched_put_name(&e->enter, *act->session->role ? act->session->role
                                                    : act->session->user);
    for (size_t i = 0; i < act->session->parameters.n; i++) {
        const struct session_parameter *p = &act->session->parameters.at[i];
        if (strcmp(p->name, "client_encoding") == 0)
            continue;
        buf_text(&e->enter, "; set local ");
        watched_put_name(&e->enter, p->name);
        buf_text(&e->enter, " = ");
        watched_put_literal(&e->enter, p->value);
    }
    buf_text(&e->enter, "; set local jit = off; set local assay.record = '1'");
    buf_clear(&e->execute);
    buf_text(&e->execute, "execute assay_what_if");
    buf_text(&sql, "prepare assay_what_if");
    for (size_t i = 0; ok && i < r->n_values; i++) {
        struct buf ask = {0};
        buf_printf(&ask, "select format_type(%u, null)",
                   i < r->n_types && r->types[i] ? r->types[i] : 705);
        ok = evaluation_query(e, ask.at, &types);
        buf_free(&ask);
        buf_printf(&sql, "%s%s", i ? ", " : " (",
                   result_rows_get(&types, 0, 0));
        buf_text(&e->execute, i ? ", " : " (");
        if (r->values[i].at)
            watched_put_literal(&e->execute, r->values[i].at);
        else
            buf_text(&e->execute, "null");
    }
    buf_text(&e->execute, r->n_values ? ")" : "");
    buf_printf(&sql, "%s as %s\n", r->n_values ? ")" : "", r->text);
    ok = ok && evaluation_query(e, sql.at, NULL);
    buf_free(&sql);
    result_rows_free(&types);
    return ok;
}

/* Whether the statement found what was recorded (1). */
static bool
finds_recorded(const struct evaluation *e, const struct recorded_step *s,
               const struct what_if_answer *a)
{
    u32_vec recorded = {0};
    for (size_t i = 0; i < s->n; i++) {
        const struct told_fact *t = &s->told[i];
        if (t->kind == TOLD_SEEN && !tell_is_proposed(t->version))
            vec_push(&recorded,
                     strings_add(&e->a->names, t->version, strlen(t->version)));
    }
    evaluation_sort(&recorded);
    const bool same =
        a->is_known && recorded.n == a->found.n &&
        (!recorded.n || memcmp(recorded.at, a->found.at,
                               recorded.n * sizeof *recorded.at) == 0);
    vec_free(&recorded);
    return same;
}

/* The time of a transaction and of all that overlap it. */
struct neighbourhood {
    double began, ended;
};

static bool
overlaps(const struct recorded_act *a, double began, double ended)
{
    return a->txn->began <= ended && began <= a->txn->ended;
}

static struct neighbourhood
neighbourhood_of(const struct assembly *a, const struct recorded_act *x)
{
    struct neighbourhood n = {x->txn->began, x->txn->ended};
    for (size_t i = 0; i < a->acts.n; i++) {
        const struct recorded_act *y = &a->acts.at[i];
        if (!overlaps(y, x->txn->began, x->txn->ended))
            continue;
        n.began = y->txn->began < n.began ? y->txn->began : n.began;
        n.ended = y->txn->ended > n.ended ? y->txn->ended : n.ended;
    }
    return n;
}

/* A row in another state. */
struct candidate {
    uint32_t base;    // the version that the statement saw, or WATCHED_NONE
    uint32_t instead; // the version that is put there, or WATCHED_NONE
};

typedef VEC(struct candidate) candidate_vec;

static bool
is_read(const struct recorded_step *s, uint32_t version)
{
    for (size_t i = 0; i < s->reads.n; i++)
        if (s->reads.at[i] == version)
            return true;
    for (size_t i = 0; i < s->missed.n; i++)
        if (s->missed.at[i].version == version)
            return true;
    return false;
}

/* The version of a row that a step saw, or WATCHED_NONE. */
static uint32_t
find_base(const struct evaluation *e, uint32_t row, uint32_t txn,
          const struct recorded_step *s, const char *snapshot)
{
    for (uint32_t i = 0; i < e->a->versions.n; i++)
        if (e->a->versions.at[i].row == row &&
            evaluation_sees(e, i, txn, s, snapshot))
            return i;
    return WATCHED_NONE;
}

static void
add_candidate(const struct recorded_step *s, candidate_vec *all, uint32_t base,
              uint32_t instead)
{
    if (base == instead || (base != WATCHED_NONE && is_read(s, base)))
        return;
    for (size_t i = 0; i < all->n; i++)
        if (all->at[i].base == base && all->at[i].instead == instead)
            return;
    vec_push(all, ((struct candidate){base, instead}));
}

/* States that a transaction made or replaced: the versions it wrote, those it
 * removed, and absence before an insert or after a delete. */
static void
add_candidates(const struct evaluation *e, uint32_t other, uint32_t txn,
               const struct recorded_step *s, const char *snapshot,
               candidate_vec *all)
{
    for (uint32_t i = 0; i < e->a->versions.n; i++) {
        const struct recorded_version *v = &e->a->versions.at[i];
        const bool is_made = v->maker == other && !v->is_undone;
        const bool is_removed = v->remover == other;
        if (!is_made && !is_removed)
            continue;
        const uint32_t base = find_base(e, v->row, txn, s, snapshot);
        add_candidate(s, all, base, i);
        if ((is_made && v->row == i) || (is_removed && v->is_deleted))
            add_candidate(s, all, base, WATCHED_NONE);
    }
}

/* Replace one row, run the statement, and put the row back.  *differs tells
 * whether the answer is another one; false if the state cannot be made. */
static bool
try_candidate(struct evaluation *e, const struct candidate *c,
              const struct what_if_answer *usual, struct what_if_answer *other,
              bool *differs)
{
    const uint32_t before =
        c->instead == WATCHED_NONE ? 0 : e->there.at[c->instead];
    bool ok =
        evaluation_query(e, "savepoint assay_row", NULL) &&
        (c->base == WATCHED_NONE || evaluation_take_out(e, c->base)) &&
        (c->instead == WATCHED_NONE || evaluation_put_in(e, c->instead)) &&
        evaluation_run(e, other);
    *differs = ok && (usual->text.n != other->text.n ||
                      memcmp(usual->text.at, other->text.at, usual->text.n));
    ok =
        evaluation_query(e, "rollback to assay_row; release assay_row", NULL) &&
        ok;
    if (c->instead != WATCHED_NONE)
        e->there.at[c->instead] = before;
    return ok;
}

static bool
try_candidates(struct evaluation *e, struct recorded_step *s,
               const candidate_vec *all, const struct what_if_answer *usual)
{
    struct what_if_answer other = {0};
    bool ok = all->n <= MOST_CANDIDATES;
    for (size_t i = 0; ok && i < all->n; i++) {
        const struct candidate *c = &all->at[i];
        bool differs;
        if (c->base != WATCHED_NONE && is_read(s, c->base))
            continue; // another state of the row has shown it
        ok = e->a->whats_if < MOST_WHATS_IF && e->changes < MOST_CHANGES &&
             try_candidate(e, c, usual, &other, &differs);
        if (ok && differs)
            vec_push(&s->missed,
                     ((struct missed_row){c->base != WATCHED_NONE ? c->base
                                                                  : c->instead,
                                          c->base == WATCHED_NONE}));
    }
    buf_free(&other.text);
    vec_free(&other.found);
    return ok;
}

/* Evaluate a statement in the state that it saw. */
static bool
evaluate_state(struct evaluation *e, uint32_t txn, struct recorded_step *s)
{
    struct recorded_act *act = &e->a->acts.at[txn - 1];
    const char *snapshot = snapshot_of(act, s);
    struct what_if_answer usual = {0}, again = {0};
    candidate_vec all = {0};
    bool ok = evaluation_make_state(e, txn, s, snapshot) &&
              evaluation_run(e, &usual) && usual.is_ok &&
              finds_recorded(e, s, &usual) && evaluation_run(e, &again) &&
              usual.text.n == again.text.n &&
              memcmp(usual.text.at, again.text.at, usual.text.n) == 0;
    const struct neighbourhood near = neighbourhood_of(e->a, act); // (2)
    for (uint32_t i = 1; ok && i <= e->a->acts.n; i++) {
        const struct recorded_act *other = &e->a->acts.at[i - 1];
        if (i != txn && other->xid && other->status == TXN_COMMITTED &&
            overlaps(other, near.began, near.ended))
            add_candidates(e, i, txn, s, snapshot, &all);
    }
    ok = ok && try_candidates(e, s, &all, &usual);
    vec_free(&all);
    buf_free(&usual.text);
    vec_free(&usual.found);
    buf_free(&again.text);
    vec_free(&again.found);
    return ok;
}

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
        if (has_word(run->text, e->words.at[i]))
            return false;
    // Values do not decide which tables are read.
    buf_printf(&sql, "explain %s", e->execute.at);
    bool ok = evaluation_query(e, sql.at, &r) && r.n;
    for (size_t i = 0; ok && i < r.n; i++) {
        const char *line = result_rows_get(&r, i, 0);
        line += strspn(line, " ->");
        ok = tell_begins(line, "Insert on ") || tell_begins(line, "Result") ||
             tell_begins(line, "Values Scan") || tell_begins(line, "Conflict ");
    }
    buf_free(&sql);
    result_rows_free(&r);
    return ok;
}

/* Whether the prepared statement names no table or view of users: the server
 * has locked those that it names.  Nor may it call a function of theirs, or one
 * that runs a text as a statement. */
static bool
names_no_table(struct evaluation *e, const struct recorded_step *s)
{
    static const char *const running[] = {
        "query_to_xml*",  "table_to_xml*", "schema_to_xml*", "database_to_xml*",
        "cursor_to_xml*", "ts_stat",       "ts_rewrite"};
    struct result_rows r = {0};
    bool calls = s->n > 0;
    for (size_t i = 0; i < e->words.n; i++)
        calls |= has_word(s->run->text, e->words.at[i]);
    for (size_t i = 0; i < sizeof running / sizeof running[0]; i++)
        calls |= has_word(s->run->text, running[i]);
    const bool ok =
        !calls &&
        evaluation_query(
            e,
            "select count(*) from pg_locks where pid = pg_backend_pid() and "
            "locktype = 'relation' and relation >= 16384",
            &r);
    const bool none = ok && strcmp(result_rows_get(&r, 0, 0), "0") == 0;
    result_rows_free(&r);
    return none;
}

static void
evaluate(struct evaluation *e, uint32_t txn, struct recorded_step *s)
{
    struct recorded_act *act = &e->a->acts.at[txn - 1];
    if (!s->may_miss || act->status != TXN_COMMITTED ||
        e->a->whats_if >= MOST_WHATS_IF || e->changes >= MOST_CHANGES ||
        act->txn->as_superuser || !s->run->text[0] || has_binary(s->run) ||
        !evaluation_query(e, "savepoint assay_state", NULL))
        return;
    if (prepare(e, act, s->run)) {
        if (names_no_table(e, s) || is_plain_insert(e, s) ||
            (can_run(e, act, s) && evaluate_state(e, txn, s)))
            s->may_miss = false;
        else
            vec_clear(&s->missed);
    }
    evaluation_query(
        e, "rollback to assay_state; release assay_state; deallocate all",
        NULL);
}

/* --- all of them -----------------------------------------------------------*/

/* The names of functions and views of users. */
static bool
read_words(struct evaluation *e)
{
    static const char sql[] =
        "select proname from pg_proc p join pg_namespace n on n.oid = "
        "pronamespace join pg_language l on l.oid = prolang where nspname !~ "
        "'^pg_' and nspname not in ('information_schema', 'assay') union "
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

/* Whether statements can be run again: by a superuser, for roles without
 * settings of their own, on tables that are known whole. */
static bool
can_evaluate(struct evaluation *e)
{
    struct result_rows r = {0};
    const bool ok =
        evaluation_query(
            e,
            "select current_setting('is_superuser') = 'on' and not exists "
            "(select 1 from pg_db_role_setting where setrole <> 0)",
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
                         "session_replication_role = replica",
                         NULL)) {
        for (uint32_t i = 0; i < a->acts.n; i++)
            for (size_t k = 0; k < a->acts.at[i].steps.n; k++)
                if (!has_own_settings(a->acts.at[i].session))
                    evaluate(&e, i + 1, &a->acts.at[i].steps.at[k]);
        evaluation_query(&e, "rollback", NULL);
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

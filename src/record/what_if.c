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

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum {
    MOST_WHATS_IF = 20000,  // runs of statements, for a recording
    MOST_CHANGES = 100000,  // rows that are put into other states
    MOST_CANDIDATES = 2000, // of a statement
};

struct evaluation {
    struct assembly *a;
    struct connection *c;
    struct strings physical; // names of rows that were put in
    u32_vec version_of;      // by number of these: 1 + the version, or 0
    u32_vec there;           // by version: 1 + its number in 'physical', or 0
    text_vec words;          // that make a statement depend on more than rows
    struct buf notices;
    struct buf enter, execute; // SQL: become the user; run the statement
    size_t changes;
};

/* What a statement answers: rows and writes, sorted. */
struct answer {
    struct buf text;
    u32_vec found; // versions, sorted
    bool is_ok;    // the statement did not fail
    bool is_known; // every row that it found is a version
};

static bool
query(struct evaluation *e, const char *sql, struct result_rows *out)
{
    return e->c->driver->query(e->c, sql, out) == OUTCOME_OK;
}

/* --- which statements ------------------------------------------------------*/

// Statements with these words depend on more than rows, or act on more than
// rows; '*' stands for more letters, '(' for a call.  So do those that name
// functions and views of users.
static const char *const open_words[] = {
    "now",         "current_*",  "localtime*", "transaction_timestamp",
    "clock_*",     "statement_timestamp", "timeofday", "today", "tomorrow",
    "yesterday",   "random*",    "setseed",    "gen_random_*", "uuid_*",
    "user",        "session_user", "system_user", "pg_*",     "dblink*",
    "txid_*",      "nextval",    "setval",     "lastval",     "currval",
    "xmin",        "xmax",       "cmin",       "cmax",        "ctid",
    "tableoid",    "lo_*",       "tablesample", "age(",       "inet_*",
    "version(",    "default",    "set_config",
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
        if ((at > text && is_letter(at[-1])) || strncasecmp(at, word, n) != 0)
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
        "set transaction", "set session characteristics",
        "set application_name", "set statement_timeout", "set lock_timeout",
        "set client_min_messages", "set extra_float_digits",
        "set local statement_timeout", "set local lock_timeout"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strncasecmp(text, names[i], strlen(names[i])) == 0)
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
            const struct run *r = s->txns.at[i].runs.at[k];
            if (strcmp(r->tag, "SET") == 0 && !is_harmless_set(r->text))
                return true;
        }
    return false;
}

static bool
begins(const char *text, const char *word)
{
    return strncmp(text, word, strlen(word)) == 0;
}

static bool
has_binary(const struct run *r)
{
    for (size_t i = 0; i < r->n_values; i++)
        if (r->values[i].is_binary ||
            (r->values[i].at && strlen(r->values[i].at) != r->values[i].n))
            return true;
    return false;
}

static bool
has_open_value(const struct evaluation *e, const struct run *r)
{
    for (size_t i = 0; i < r->n_values; i++)
        if (r->values[i].at && is_open(e, r->values[i].at))
            return true;
    return false;
}

/* Whether rows were reported as targets of a lock or of a change. */
static bool
has_targets(const struct step *s)
{
    for (size_t i = 0; i < s->n; i++)
        if (s->told[i].kind == TOLD_SEEN && s->told[i].letter != 's')
            return true;
    return false;
}

static bool
is_weak(const struct act *act)
{
    for (size_t i = 0; i < act->steps.n; i++)
        if (act->steps.at[i].level)
            return begins(act->steps.at[i].level, "read ");
    return true;
}

/* The snapshot of a step: its own, or that of its transaction. */
static const char *
snapshot_of(const struct act *act, const struct step *s)
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
can_run(const struct evaluation *e, const struct act *act,
        const struct step *s)
{
    const struct run *r = s->run;
    const bool reads = begins(r->tag, "SELECT");
    const bool changes = begins(r->tag, "UPDATE") || begins(r->tag, "DELETE");
    return s->may_miss && (reads || changes) && r->text[0] && !r->error[0] &&
           !r->is_suspended && !has_binary(r) && !act->has_undone &&
           snapshot_of(act, s) && !(is_weak(act) && has_targets(s)) &&
           !is_open(e, r->text) && !has_open_value(e, r);
}

/* --- states ----------------------------------------------------------------*/

static bool
sees(const struct evaluation *e, const char *snapshot, uint32_t txn)
{
    const struct act *act = &e->a->acts.at[txn - 1];
    return act->status == TXN_COMMITTED && act->xid &&
           told_sees(snapshot, act->xid);
}

/* Whether a step of a transaction sees a version. */
static bool
is_visible(const struct evaluation *e, uint32_t version, uint32_t txn,
           const struct step *s, const char *snapshot)
{
    const struct recorded_version *v = &e->a->versions.at[version];
    const bool is_made =
        v->maker == txn ? v->made_by < s->number && !v->is_undone
        : v->maker      ? !v->is_undone && sees(e, snapshot, v->maker)
                        : v->is_initial;
    const bool is_removed =
        v->remover == txn ? v->removed_by < s->number
                          : v->remover && sees(e, snapshot, v->remover);
    return is_made && !is_removed;
}

/* The name that the row of a version has in the database now. */
static const char *
name_now(const struct evaluation *e, uint32_t version)
{
    const uint32_t n = e->there.at[version];
    return n ? strings_get(&e->physical, n - 1).text
             : strings_get(&e->a->names, version).text;
}

static bool
take_out(struct evaluation *e, uint32_t version)
{
    const struct recorded_version *v = &e->a->versions.at[version];
    const char *name = name_now(e, version);
    const char *open = strchr(name, '('), *close = strchr(name, ')');
    struct buf sql = {0};
    buf_printf(&sql, "delete from only %s where ctid = '%.*s'",
               e->a->watch->watched.tables.at[v->table].name,
               (int)(close + 1 - open), open);
    const bool ok = query(e, sql.at, NULL) && e->c->changed == 1;
    buf_free(&sql);
    e->changes++;
    return ok;
}

static bool
put_in(struct evaluation *e, uint32_t version)
{
    const struct recorded_version *v = &e->a->versions.at[version];
    const char *table = e->a->watch->watched.tables.at[v->table].name;
    struct buf sql = {0};
    struct result_rows r = {0};
    if (!v->values || begins(v->values, WATCHED_INEXACT))
        return false;
    buf_printf(&sql,
               "insert into %s overriding system value select * from "
               "jsonb_populate_record(null::%s, ",
               table, table);
    watched_put_literal(&sql, v->values);
    buf_text(&sql, "::jsonb) returning concat(tableoid::int8, ':', ctid, '/', "
                   "xmin)");
    const bool ok = query(e, sql.at, &r) && r.n == 1;
    if (ok) {
        const char *name = result_rows_get(&r, 0, 0);
        const uint32_t id = strings_add(&e->physical, name, strlen(name));
        while (e->version_of.n <= id)
            vec_push(&e->version_of, 0);
        e->version_of.at[id] = version + 1;
        e->there.at[version] = id + 1;
    }
    buf_free(&sql);
    result_rows_free(&r);
    e->changes++;
    return ok;
}

/* Whether a version is in the tables as they are. */
static bool
is_last(const struct evaluation *e, uint32_t version)
{
    const struct recorded_version *v = &e->a->versions.at[version];
    const bool is_made =
        v->maker ? !v->is_undone &&
                       e->a->acts.at[v->maker - 1].status == TXN_COMMITTED
                 : v->is_initial;
    return is_made && !v->remover;
}

/* Turn the tables into the state that a step saw. */
static bool
make_state(struct evaluation *e, uint32_t txn, const struct step *s,
           const char *snapshot)
{
    bool ok = true;
    memset(e->there.at, 0, e->there.n * sizeof *e->there.at);
    for (uint32_t i = 0; ok && i < e->a->versions.n; i++)
        if (is_last(e, i) && !is_visible(e, i, txn, s, snapshot))
            ok = take_out(e, i);
    for (uint32_t i = 0; ok && i < e->a->versions.n; i++)
        if (!is_last(e, i) && is_visible(e, i, txn, s, snapshot))
            ok = put_in(e, i);
    return ok;
}

/* --- answers ---------------------------------------------------------------*/

static int
compare_texts(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static int
compare_numbers(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

/* The version that a report names, in the tables as they are now. */
static bool
find_version(struct evaluation *e, const char *name, uint32_t *out)
{
    size_t before = e->physical.all.n;
    uint32_t id = strings_add(&e->physical, name, strlen(name));
    if (id < before && id < e->version_of.n && e->version_of.at[id] != 0) {
        *out = e->version_of.at[id] - 1;
        return true;
    }
    before = e->a->names.all.n;
    id = strings_add(&e->a->names, name, strlen(name));
    *out = id;
    return id < e->a->versions.n;
}

/* What was reported: rows found, and values written. */
static void
take_reports(struct evaluation *e, struct answer *out, text_vec *lines,
             struct arena *arena)
{
    for (size_t at = 0, n; at < e->notices.n; at += n + 1) {
        struct told t;
        n = strlen(e->notices.at + at);
        told_read(&t, e->notices.at + at, arena);
        if (t.kind == TOLD_SEEN && !told_is_proposed(t.version)) {
            uint32_t version = 0;
            out->is_known &= find_version(e, t.version, &version);
            vec_push(&out->found, version);
        } else if (t.kind == TOLD_WRITE) {
            struct buf line = {0};
            buf_printf(&line, "%u %c %s %s", t.oid, t.letter,
                       t.before.values ? t.before.values : "",
                       t.after.values ? t.after.values : "");
            vec_push(lines, arena_copy(arena, line.at, line.n));
            buf_free(&line);
        }
    }
}

static void
take_rows(const struct result_rows *r, text_vec *lines, struct arena *arena)
{
    for (size_t i = 0; i < r->n; i++) {
        struct buf line = {0};
        for (size_t k = 0; k < r->width; k++)
            buf_printf(&line, "%s%s\x1f",
                       result_rows_is_null(r, i, k) ? "-" : "+",
                       result_rows_get(r, i, k));
        vec_push(lines, arena_copy(arena, line.n ? line.at : "", line.n));
        buf_free(&line);
    }
}

/* Sort, and leave out repetitions. */
static void
sort_found(u32_vec *found)
{
    size_t n = 0;
    if (found->n)
        qsort(found->at, found->n, sizeof *found->at, compare_numbers);
    for (size_t i = 0; i < found->n; i++)
        if (!n || found->at[n - 1] != found->at[i])
            found->at[n++] = found->at[i];
    found->n = n;
}

/* Run the prepared statement as its user, and take everything back. */
static bool
run_again(struct evaluation *e, struct answer *out)
{
    struct result_rows r = {0};
    struct arena arena = {0};
    text_vec lines = {0};
    buf_clear(&out->text);
    vec_clear(&out->found);
    buf_clear(&e->notices);
    out->is_known = true;
    if (!query(e, e->enter.at, NULL))
        return false;
    e->c->notices = &e->notices;
    out->is_ok = query(e, e->execute.at, &r);
    e->c->notices = NULL;
    take_reports(e, out, &lines, &arena);
    if (out->is_ok)
        take_rows(&r, &lines, &arena);
    if (lines.n)
        qsort(lines.at, lines.n, sizeof *lines.at, compare_texts);
    for (size_t i = 0; i < lines.n; i++)
        buf_printf(&out->text, "%s\n", lines.at[i]);
    buf_printf(&out->text, "%s", out->is_ok ? "" : "failed");
    sort_found(&out->found);
    result_rows_free(&r);
    vec_free(&lines);
    arena_free(&arena);
    e->a->whats_if++;
    return query(e, "rollback to assay_run; release assay_run", NULL);
}

/* --- one statement ---------------------------------------------------------*/

/* "prepare assay_what_if (types) as ...", and how to execute it. */
static bool
prepare(struct evaluation *e, const struct act *act, const struct run *r)
{
    struct buf sql = {0};
    struct result_rows types = {0};
    bool ok = true;
    buf_clear(&e->enter);
    buf_text(&e->enter, "savepoint assay_run; set local role ");
    watched_put_name(&e->enter, act->session->user);
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
        ok = query(e, ask.at, &types);
        buf_free(&ask);
        buf_printf(&sql, "%s%s", i ? ", " : " (", result_rows_get(&types, 0, 0));
        buf_text(&e->execute, i ? ", " : " (");
        if (r->values[i].at)
            watched_put_literal(&e->execute, r->values[i].at);
        else
            buf_text(&e->execute, "null");
    }
    buf_text(&e->execute, r->n_values ? ")" : "");
    buf_printf(&sql, "%s as %s\n", r->n_values ? ")" : "", r->text);
    ok = ok && query(e, sql.at, NULL);
    buf_free(&sql);
    result_rows_free(&types);
    return ok;
}

/* Whether the statement found what was recorded (1). */
static bool
finds_recorded(const struct evaluation *e, const struct step *s,
               const struct answer *a)
{
    u32_vec recorded = {0};
    for (size_t i = 0; i < s->n; i++) {
        const struct told *t = &s->told[i];
        if (t->kind == TOLD_SEEN && !told_is_proposed(t->version))
            vec_push(&recorded, strings_add(&e->a->names, t->version,
                                            strlen(t->version)));
    }
    sort_found(&recorded);
    const bool same = a->is_known && recorded.n == a->found.n &&
                      (!recorded.n ||
                       memcmp(recorded.at, a->found.at,
                              recorded.n * sizeof *recorded.at) == 0);
    vec_free(&recorded);
    return same;
}

/* The time of a transaction and of all that overlap it. */
struct neighbourhood {
    double began, ended;
};

static bool
overlaps(const struct act *a, double began, double ended)
{
    return a->txn->began <= ended && began <= a->txn->ended;
}

static struct neighbourhood
neighbourhood_of(const struct assembly *a, const struct act *x)
{
    struct neighbourhood n = {x->txn->began, x->txn->ended};
    for (size_t i = 0; i < a->acts.n; i++) {
        const struct act *y = &a->acts.at[i];
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
is_read(const struct step *s, uint32_t version)
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
          const struct step *s, const char *snapshot)
{
    for (uint32_t i = 0; i < e->a->versions.n; i++)
        if (e->a->versions.at[i].row == row &&
            is_visible(e, i, txn, s, snapshot))
            return i;
    return WATCHED_NONE;
}

static void
add_candidate(const struct step *s, candidate_vec *all, uint32_t base,
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
               const struct step *s, const char *snapshot, candidate_vec *all)
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
              const struct answer *usual, struct answer *other, bool *differs)
{
    const uint32_t before =
        c->instead == WATCHED_NONE ? 0 : e->there.at[c->instead];
    bool ok = query(e, "savepoint assay_row", NULL) &&
              (c->base == WATCHED_NONE || take_out(e, c->base)) &&
              (c->instead == WATCHED_NONE || put_in(e, c->instead)) &&
              run_again(e, other);
    *differs = ok && (usual->text.n != other->text.n ||
                      memcmp(usual->text.at, other->text.at, usual->text.n));
    ok = query(e, "rollback to assay_row; release assay_row", NULL) && ok;
    if (c->instead != WATCHED_NONE)
        e->there.at[c->instead] = before;
    return ok;
}

static bool
try_candidates(struct evaluation *e, struct step *s, const candidate_vec *all,
               const struct answer *usual)
{
    struct answer other = {0};
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
                     ((struct missed_row){
                         c->base != WATCHED_NONE ? c->base : c->instead,
                         c->base == WATCHED_NONE}));
    }
    buf_free(&other.text);
    vec_free(&other.found);
    return ok;
}

/* Evaluate a statement in the state that it saw. */
static bool
evaluate_state(struct evaluation *e, uint32_t txn, struct step *s)
{
    struct act *act = &e->a->acts.at[txn - 1];
    const char *snapshot = snapshot_of(act, s);
    struct answer usual = {0}, again = {0};
    candidate_vec all = {0};
    bool ok = make_state(e, txn, s, snapshot) && run_again(e, &usual) &&
              usual.is_ok && finds_recorded(e, s, &usual) &&
              run_again(e, &again) && usual.text.n == again.text.n &&
              memcmp(usual.text.at, again.text.at, usual.text.n) == 0;
    const struct neighbourhood near = neighbourhood_of(e->a, act); // (2)
    for (uint32_t i = 1; ok && i <= e->a->acts.n; i++) {
        const struct act *other = &e->a->acts.at[i - 1];
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
is_plain_insert(struct evaluation *e, const struct step *s)
{
    struct result_rows r = {0};
    struct buf sql = {0};
    const struct run *run = s->run;
    if (!begins(run->tag, "INSERT") || !run->text[0] || run->error[0] ||
        has_targets(s))
        return false;
    for (size_t i = 0; i < e->words.n; i++)
        if (has_word(run->text, e->words.at[i]))
            return false;
    // Values do not decide which tables are read.
    buf_printf(&sql, "explain %s", e->execute.at);
    bool ok = query(e, sql.at, &r) && r.n;
    for (size_t i = 0; ok && i < r.n; i++) {
        const char *line = result_rows_get(&r, i, 0);
        line += strspn(line, " ->");
        ok = begins(line, "Insert on ") || begins(line, "Result") ||
             begins(line, "Values Scan") || begins(line, "Conflict ");
    }
    buf_free(&sql);
    result_rows_free(&r);
    return ok;
}

static void
evaluate(struct evaluation *e, uint32_t txn, struct step *s)
{
    struct act *act = &e->a->acts.at[txn - 1];
    if (!s->may_miss || act->status != TXN_COMMITTED ||
        e->a->whats_if >= MOST_WHATS_IF || e->changes >= MOST_CHANGES ||
        act->txn->as_superuser || !s->run->text[0] || has_binary(s->run) ||
        !query(e, "savepoint assay_state", NULL))
        return;
    if (prepare(e, act, s->run)) {
        if (is_plain_insert(e, s) ||
            (can_run(e, act, s) && evaluate_state(e, txn, s)))
            s->may_miss = false;
        else
            vec_clear(&s->missed);
    }
    query(e, "rollback to assay_state; release assay_state; deallocate all",
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
        "'^pg_' and nspname not in ('information_schema', 'assay') union select "
        "relname from pg_class c join pg_namespace n on n.oid = relnamespace "
        "where relkind in ('v', 'm', 'f') and nspname !~ '^pg_' and nspname not "
        "in ('information_schema', 'assay')";
    struct result_rows r = {0};
    const bool ok = query(e, sql, &r);
    for (size_t i = 0; ok && i < r.n; i++) {
        const char *word = result_rows_get(&r, i, 0);
        vec_push(&e->words, arena_copy(&e->a->arena, word, strlen(word)));
    }
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
        query(e,
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
    if (can_evaluate(&e) && read_words(&e) &&
        query(&e, "begin isolation level read committed; set local "
                  "session_replication_role = replica",
              NULL)) {
        for (uint32_t i = 0; i < a->acts.n; i++)
            for (size_t k = 0; k < a->acts.at[i].steps.n; k++)
                if (!has_own_settings(a->acts.at[i].session))
                    evaluate(&e, i + 1, &a->acts.at[i].steps.at[k]);
        query(&e, "rollback", NULL);
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

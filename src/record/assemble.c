/* assemble.c -- see assemble.h.
 *
 * What was read and written becomes notes in the form of src/spec/row, which
 * knows keys, constraints and the format.
 *
 * SPDX-License-Identifier: MIT */
#define _GNU_SOURCE // strcasestr
#include "record/assemble.h"

#include "record/found_rows.h"
#include "record/meta.h"
#include "record/quiet.h"
#include "record/statement_text.h"
#include "record/what_if.h"
#include "record/words.h"
#include "spec/row/row_history.h"

#include <stdio.h>
#include <string.h>

/* --- notes -----------------------------------------------------------------*/

static void
note_version(const struct assembly *a, row_note_vec *out,
             struct recorded_step *s, enum row_note_kind kind, uint32_t version,
             uint32_t number, struct row_note as)
{
    const struct recorded_version *v = &a->versions.at[version];
    vec_push(out,
             ((struct row_note){
                 .kind = kind,
                 .statement = number,
                 .table = v->table,
                 .by = &s->by,
                 .step = as.step,
                 .lock = as.lock,
                 .before = {strings_get(&a->names, version).text, v->values}}));
}

/* Whether a note tells of a write that was undone. */
static bool
is_undone_note(struct assembly *a, const struct recorded_step *s,
               const struct row_note *n)
{
    (void)a;
    for (size_t i = 0; i < s->n; i++) {
        const struct told_fact *t = &s->told[i];
        const bool is_it =
            t->kind == TOLD_WRITE && t->letter != 'P' &&
            (n->after.name
                 ? t->after.name && strcmp(t->after.name, n->after.name) == 0
                 : t->before.name && !t->after.name && n->before.name &&
                       strcmp(t->before.name, n->before.name) == 0);
        if (is_it)
            return tell_is_undone(t);
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
tells_conflicts(const struct assembly *a, struct recorded_act *act,
                const struct recorded_step *s)
{
    size_t proposed = 0, written = 0, undone = 0;
    uint32_t oid = 0;
    bool one_table = true;
    for (size_t i = 0; i < s->n; i++) {
        const struct told_fact *t = &s->told[i];
        if (t->kind != TOLD_WRITE)
            continue;
        one_table &= !oid || oid == t->oid;
        oid = t->oid;
        proposed += t->letter == 'P';
        written += t->letter != 'P';
        undone += tell_is_undone(t);
    }
    if (!proposed || (!undone && proposed <= written))
        return true;
    const bool is_sure = !undone && one_table &&
                         tell_begins(s->run->tag, "INSERT") &&
                         !names_function(a, s->run->text);
    const struct watched_table *t =
        &a->watch->watched.tables.at[assembly_table(a, oid)];
    if (!is_sure || !t->keys.n || t->has_other_unique || t->has_own_triggers)
        assembly_leave_out(act, "which row was in the way of an insert");
    return is_sure;
}

/* How a statement locks the rows that it changes or selects to be locked. */
static enum row_lock
lock_of(const struct recorded_run *run)
{
    if (tell_begins(run->tag, "UPDATE"))
        return ROW_LOCK_NO_KEY_UPDATE;
    if (!tell_begins(run->tag, "SELECT"))
        return ROW_LOCK_UPDATE;
    return words_has(run->text, "key share")       ? ROW_LOCK_KEY_SHARE
           : words_has(run->text, "for share")     ? ROW_LOCK_SHARE
           : words_has(run->text, "no key update") ? ROW_LOCK_NO_KEY_UPDATE
                                                   : ROW_LOCK_UPDATE;
}

/* The writes of a step, in the form of src/spec/row. */
static bool
note_writes(struct assembly *a, struct recorded_act *act,
            struct recorded_step *s, struct notes *notes, uint32_t *number,
            struct row_note as)
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
        const bool undone =
            act->has_undone && row_note_is_change(n) && is_undone_note(a, s, n);
        if (i > first && undone != out->at[i - 1].is_undone)
            ++*number;
        n->is_undone = undone;
        n->step = as.step;
        n->lock = as.lock;
        n->statement = *number;
    }
    buf_free(&told);
    return ok ||
           assembly_refuse(a, "a trigger's message is not understood", "");
}

static void
leave_out_missed(struct assembly *a, struct recorded_act *act)
{
    for (size_t i = 0; i < act->steps.n; i++) {
        const char *text = act->steps.at[i].run->text;
        if (!act->steps.at[i].may_miss)
            continue;
        assembly_leave_out(act, ASSEMBLY_MISSED);
        strings_add(&a->missing, text, strlen(text));
    }
}

/* Whether a transaction has a statement that can read rows. */
static bool
can_read(const struct recorded_act *act)
{
    for (size_t i = 0; i < act->steps.n; i++)
        if (act->steps.at[i].n || !quiet_run(act->steps.at[i].run))
            return true;
    return false;
}

static void
leave_out_tables(struct assembly *a, struct recorded_act *act)
{
    if (!can_read(act))
        return;
    if (act->txn->as_superuser)
        assembly_leave_out(act, "what a superuser read");
    if (a->watch->unwatched.n) {
        struct buf what = {0};
        buf_printf(&what, "what was read of tables that are not watched: %s",
                   a->watch->unwatched.at);
        assembly_leave_out(act, arena_copy(&a->arena, what.at, what.n));
        buf_free(&what);
    }
    for (size_t i = 0; i < act->steps.n; i++)
        for (size_t k = 0; k < act->steps.at[i].n; k++) {
            const struct told_fact *t = &act->steps.at[i].told[k];
            const uint32_t table = t->kind == TOLD_WRITE
                                       ? assembly_table(a, t->oid)
                                       : WATCHED_NONE;
            if (table != WATCHED_NONE &&
                a->watch->watched.tables.at[table].part)
                assembly_leave_out(act,
                                   a->watch->watched.tables.at[table].part);
        }
}

static bool
note_act(struct assembly *a, struct recorded_act *act, struct notes *notes,
         uint32_t *number)
{
    vec_push(&notes->txns, ((struct noted_txn){.status = act->status,
                                               .began = act->txn->began,
                                               .ended = act->txn->ended}));
    row_note_vec *out = &vec_top(&notes->txns).rows;
    bool ok = true;
    uint32_t texts = 0; // as meta_of counts them
    for (size_t i = 0; ok && i < act->steps.n; i++) {
        struct recorded_step *s = &act->steps.at[i];
        texts += s->run->text[0] != 0;
        const struct row_note sees = {.step = texts};
        const struct row_note locks = {.step = texts, .lock = lock_of(s->run)};
        ++*number;
        for (size_t k = 0; k < s->reads.n; k++)
            note_version(a, out, s, ROW_NOTE_READ, s->reads.at[k], *number,
                         s->locked.at[k] ? locks : sees);
        for (size_t k = 0; k < s->missed.n; k++)
            note_version(a, out, s,
                         s->missed.at[k].is_absent ? ROW_NOTE_ABSENT
                                                   : ROW_NOTE_READ,
                         s->missed.at[k].version, *number, sees);
        if (s->reads.n || s->missed.n)
            ++*number;
        ok = note_writes(a, act, s, notes, number, locks);
    }
    if (act->status == TXN_ABORTED) { // nothing depends on its reads
        vec_clear(&act->partial);
    } else {
        leave_out_missed(a, act);
        leave_out_tables(a, act);
    }
    struct noted_txn *txn = &vec_top(&notes->txns);
    txn->meta = meta_of(act, &a->arena);
    txn->has_parts = true;
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
        vec_push(sessions,
                 ((struct spec_history_session){
                     s->name ? s->name : arena_copy(&a->arena, name, (size_t)n),
                     notes}));
        for (size_t k = 0; ok && k < s->txns.n; k++)
            ok = note_act(a, &a->acts.at[at++], notes, &number);
    }
    return ok;
}

/* Whether a session has another role than ours after a statement: what it is
 * denied then, it would be denied anyway. */
static bool
has_other_role(const struct recorded_act *act, const struct recorded_run *run,
               bool before)
{
    if (!statement_changes_role(run->text))
        return before && strcmp(run->tag, "ROLLBACK") != 0 &&
               act->txn->end != TXN_END_ABORT;
    return strcmp(run->tag, "SET") == 0 && run->is_whole &&
           !words_has(run->text, "reset") && !words_has(run->text, "none") &&
           !words_has(run->text, "local") && !words_has(run->text, "default");
}

/* Count a statement that failed because its session is no superuser. */
static void
count_denied(const struct recorded_act *act, const struct recorded_run *run,
             bool has_other_role, struct assembled *out)
{
    static const char denied[] = "42501 ";
    if (!*act->session->role || has_other_role ||
        !tell_begins(run->error, denied))
        return;
    if (!out->denied++)
        snprintf(out->denial, sizeof out->denial, "%.190s",
                 run->error + strlen(denied));
}

/* List what is not recorded, for people. */
static void
list_partial(struct assembly *a, struct assembled *out)
{
    struct strings reasons = {0};
    for (size_t i = 0; i < a->acts.n; i++)
        for (size_t k = 0; k < a->acts.at[i].partial.n; k++) {
            const char *why = a->acts.at[i].partial.at[k];
            const size_t before = reasons.all.n;
            strings_add(&reasons, why, strlen(why));
            if (reasons.all.n > before && strcmp(why, ASSEMBLY_MISSED) != 0)
                buf_add(&out->left_out, why, strlen(why) + 1);
        }
    for (uint32_t i = 0; i < a->missing.all.n; i++) {
        buf_printf(&out->left_out, ASSEMBLY_MISSED ": %s",
                   strings_get(&a->missing, i).text);
        buf_char(&out->left_out, 0);
    }
    strings_free(&reasons);
}

static void
count(struct assembly *a, struct assembled *out)
{
    out->whats_if = a->whats_if;
    list_partial(a, out);
    bool is_other = false;
    for (size_t i = 0; i < a->acts.n; i++) {
        const struct recorded_act *act = &a->acts.at[i];
        bool has_rows = false;
        is_other &= i > 0 && act->session == a->acts.at[i - 1].session;
        for (size_t k = 0; k < act->steps.n; k++) {
            const struct recorded_run *run = act->steps.at[k].run;
            has_rows |= act->steps.at[k].n || act->steps.at[k].missed.n;
            count_denied(act, run, is_other, out);
            is_other = has_other_role(act, run, is_other);
        }
        out->txns += has_rows || act->partial.n;
        out->partial += act->partial.n > 0;
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
            ok = assembly_refuse(a, h.refusal, "");
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

bool
assemble(const char *raw, struct record_watch *watch, const char *path,
         bool at_once, struct assembled *out, struct err *err)
{
    struct transcript transcript;
    *out = (struct assembled){0};
    if (!transcript_read(raw, &transcript, err))
        return false;
    struct assembly a = {.watch = watch,
                         .admin = watch->admin,
                         .transcript = &transcript,
                         .at_once = at_once};
    bool ok =
        watch_read_end(watch, transcript.beginning, &transcript.tables, err) &&
        assembly_add(&a) && assembly_decide_outcomes(&a) &&
        assembly_read_states(&a, err);
    if (ok) {
        found_rows(&a);
        ok = what_if(&a, err) && write_history(&a, path, out, err);
    }
    if (!ok && a.refusal[0])
        err_set(err, ERR_FEATURE, "not a history: %s", a.refusal);
    assembly_free(&a);
    transcript_free(&transcript);
    return ok;
}

/* row_history.c -- see row_history.h.
 *
 * SPDX-License-Identifier: MIT */
#include "spec/row/row_history.h"

#include "collect/journal.h"
#include "format/jsonl/jsonl_record.h"

#include <stdio.h>
#include <string.h>

struct writer {
    struct row_history *history;
    struct row_versions versions;
    bool *is_used; // by table: a session read or wrote it
    struct journal journal;
    struct buf line;
    size_t ops;
};

/* --- collecting ------------------------------------------------------------*/

static void
collect_note(struct writer *w, const struct row_note *n)
{
    struct row_versions *v = &w->versions;
    w->is_used[n->table] = true;
    uint32_t before = WATCHED_NONE;
    if (n->kind == ROW_NOTE_QUERY)
        row_versions_condition(v, n->query);
    if (n->before.name)
        before = row_versions_add(v, n->table, &n->before);
    if (!n->after.name)
        return;
    const uint32_t after = row_versions_add(v, n->table, &n->after);
    v->all.at[after].is_written = true;
    if (n->kind == ROW_NOTE_UPDATE)
        v->all.at[after].row = v->all.at[before].row;
}

static void
collect_state(struct writer *w, const struct row_state *s, bool is_initial)
{
    for (size_t i = 0; i < s->rows.n; i++) {
        const struct row_note *n = &s->rows.at[i];
        const uint32_t id =
            row_versions_add(&w->versions, n->table, &n->before);
        if (is_initial)
            w->versions.all.at[id].is_initial = true;
    }
}

static bool
refuse(struct writer *w, const char *what, const char *name)
{
    struct row_history *h = w->history;
    if (!h->refusal[0])
        snprintf(h->refusal, sizeof h->refusal, "%.120s%.100s", what, name);
    return false;
}

/* Every version must be one of the setup or of a noted statement.  Of a large
 * table the rows of the setup were not listed.  Conditions are evaluated again
 * on the values, so these must be exact. */
static bool
check_versions(struct writer *w)
{
    for (size_t i = 0; i < w->versions.all.n; i++) {
        struct row_version *v = &w->versions.all.at[i];
        if (strcmp(v->values, WATCHED_INEXACT) == 0)
            return refuse(w,
                          "a value that JSON does not keep exactly, in table ",
                          w->history->watched->tables.at[v->table].name);
        if (v->is_initial || v->is_written)
            continue;
        if (!w->history->initial->is_large[v->table])
            return refuse(w,
                          "a change that no recorded statement made, in table ",
                          w->history->watched->tables.at[v->table].name);
        v->is_initial = true;
    }
    return true;
}

static bool
collect(struct writer *w)
{
    const struct row_history *h = w->history;
    collect_state(w, h->initial, true);
    bool any = false;
    for (size_t i = 0; i < h->sessions_n; i++) {
        const struct notes *notes = h->sessions[i].notes;
        for (size_t t = 0; t < notes->txns.n; t++)
            for (size_t k = 0; k < notes->txns.at[t].rows.n; k++) {
                collect_note(w, &notes->txns.at[t].rows.at[k]);
                any = true;
            }
    }
    collect_state(w, h->final, false);
    if (!any)
        return refuse(w, "none of its statements reads or writes a row", "");
    if (!check_versions(w))
        return false;
    return row_versions_ask(&w->versions) || refuse(w, w->versions.refusal, "");
}

/* --- operations ------------------------------------------------------------*/

static void
put_row(struct writer *w, uint32_t version)
{
    const struct row_version *v = &w->versions.all.at[version];
    const struct watched_table *t = &w->history->watched->tables.at[v->table];
    buf_char(&w->line, '[');
    buf_json(&w->line, t->name, strlen(t->name));
    if (t->keys.n)
        buf_printf(&w->line, ",%s]", v->key);
    else
        buf_printf(&w->line, ",%u]", v->row + 1);
}

static void
begin_op(struct writer *w, const char *kind)
{
    if (w->ops++)
        buf_char(&w->line, ',');
    buf_printf(&w->line, "[\"%s\",", kind);
}

/* "row, values, {"ver": n}" of what was read. */
static void
put_read(struct writer *w, uint32_t version)
{
    put_row(w, version);
    buf_printf(&w->line, ",%s,{\"ver\":%u}", w->versions.all.at[version].shown,
               version);
}

/* The same of what is there from now on, with the conditions it satisfies. */
static void
put_written(struct writer *w, uint32_t version)
{
    const struct row_version *v = &w->versions.all.at[version];
    put_row(w, version);
    buf_printf(&w->line, ",%s,{\"ver\":%u,\"satisfies\":[", v->shown, version);
    size_t n = 0;
    for (size_t i = 0; i < w->versions.conditions.n; i++) {
        const struct row_condition_text *c = &w->versions.conditions.at[i];
        if (c->table != v->table || !c->holds[version])
            continue;
        if (n++)
            buf_char(&w->line, ',');
        buf_json(&w->line, c->text, strlen(c->text));
    }
    buf_text(&w->line, "]}");
}

static uint32_t
id_of(struct writer *w, uint32_t table, const struct row_seen *seen)
{
    return row_versions_add(&w->versions, table, seen);
}

static void
write_read(struct writer *w, uint32_t version)
{
    begin_op(w, "r");
    put_read(w, version);
    buf_char(&w->line, ']');
}

/* A condition and what it found.  A statement that locks may have waited for a
 * row that it found, and then have seen a later version of it than of the rows
 * that it did not find: their reads come first. */
static void
write_query(struct writer *w, const struct row_note *q)
{
    const uint32_t condition = row_versions_condition(&w->versions, q->query);
    const char *table = w->history->watched->tables.at[q->table].name;
    begin_op(w, "q");
    buf_text(&w->line, "{\"table\":");
    buf_json(&w->line, table, strlen(table));
    if (condition == WATCHED_NONE) {
        buf_text(&w->line, ",\"where\":\"TRUE\"},[");
    } else {
        buf_text(&w->line, ",\"id\":");
        buf_json(&w->line, q->query->condition, strlen(q->query->condition));
        buf_text(&w->line, "},[");
    }
    for (size_t i = 0; i < q->found; i++) {
        const uint32_t version = id_of(w, q->table, &q[1 + i].before);
        buf_text(&w->line, i ? ",[" : "[");
        if (q->query->locks) {
            put_row(w, version);
            buf_text(&w->line, ",{}");
        } else {
            put_read(w, version);
        }
        buf_char(&w->line, ']');
        if (condition != WATCHED_NONE &&
            !w->versions.conditions.at[condition].holds[version])
            refuse(w, "a row was found that does not satisfy: ",
                   q->query->condition);
    }
    buf_text(&w->line, "]]");
    const bool reads = q->query->locks && !q->query->is_blind;
    for (size_t i = 0; reads && i < q->found; i++)
        write_read(w, id_of(w, q->table, &q[1 + i].before));
}

static bool
is_same_row(const struct writer *w, uint32_t a, uint32_t b)
{
    const struct row_version *x = &w->versions.all.at[a],
                             *y = &w->versions.all.at[b];
    if (x->table != y->table)
        return false;
    return w->history->watched->tables.at[x->table].keys.n
               ? strcmp(x->key, y->key) == 0
               : x->row == y->row;
}

static void
write_insert(struct writer *w, uint32_t version, bool reads_absence)
{
    if (reads_absence) {
        begin_op(w, "r");
        put_row(w, version);
        buf_char(&w->line, ']');
    }
    begin_op(w, "i");
    put_written(w, version);
    buf_char(&w->line, ']');
}

static void
write_delete(struct writer *w, uint32_t version)
{
    begin_op(w, "d");
    put_row(w, version);
    buf_char(&w->line, ']');
}

/* A row that an insert was about to add: if no row with its key was added or
 * updated by the statement, there was one already. */
static void
write_conflict(struct writer *w, const struct row_note *p,
               const struct row_note *notes, size_t n)
{
    const uint32_t version = id_of(w, p->table, &p->after);
    const struct watched_table *t = &w->history->watched->tables.at[p->table];
    bool is_there = t->keys.n && !t->has_other_unique && !t->has_own_triggers;
    for (size_t i = 0; is_there && i < n; i++) {
        const struct row_note *o = &notes[i];
        if (o->statement == p->statement && o->kind == ROW_NOTE_INSERT)
            is_there = !is_same_row(w, version, id_of(w, o->table, &o->after));
        else if (o->statement == p->statement && o->kind == ROW_NOTE_UPDATE)
            is_there = !is_same_row(w, version, id_of(w, o->table, &o->before));
    }
    if (!is_there)
        return;
    begin_op(w, "r");
    put_row(w, version);
    buf_text(&w->line, ",{}]");
}

/* What a statement wrote.  The versions it replaced were read by its query, if
 * it has one. */
static void
write_change(struct writer *w, const struct row_note *n, bool is_read,
             bool moves)
{
    uint32_t before = WATCHED_NONE, after = WATCHED_NONE;
    if (n->before.name)
        before = id_of(w, n->table, &n->before);
    if (n->after.name)
        after = id_of(w, n->table, &n->after);
    if (before != WATCHED_NONE && !is_read)
        write_read(w, before);
    const bool has_key = w->history->watched->tables.at[n->table].keys.n;
    if (n->kind == ROW_NOTE_INSERT) {
        write_insert(w, after, has_key && !moves);
    } else if (n->kind == ROW_NOTE_DELETE) {
        write_delete(w, before);
    } else if (is_same_row(w, before, after)) {
        begin_op(w, "u");
        put_written(w, after);
        buf_char(&w->line, ']');
    } else {
        write_delete(w, before);
        write_insert(w, after, false);
    }
}

/* Whether a statement removes keys, so that one which it adds may have been
 * there before it. */
static bool
moves_keys(struct writer *w, const struct row_note *notes, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (notes[i].kind == ROW_NOTE_DELETE ||
            (notes[i].kind == ROW_NOTE_UPDATE &&
             !is_same_row(w, id_of(w, notes[i].table, &notes[i].before),
                          id_of(w, notes[i].table, &notes[i].after))))
            return true;
    return false;
}

/* The notes of one statement. */
static void
write_statement(struct writer *w, const struct row_note *notes, size_t n)
{
    uint32_t queried = WATCHED_NONE;
    const bool moves = moves_keys(w, notes, n);
    for (size_t i = 0; i < n; i++)
        switch (notes[i].kind) {
        case ROW_NOTE_QUERY:
            write_query(w, &notes[i]);
            queried = notes[i].table;
            i += notes[i].found;
            break;
        case ROW_NOTE_READ:
            write_read(w, id_of(w, notes[i].table, &notes[i].before));
            break;
        case ROW_NOTE_PROPOSE:
            break; // below: it may be told before the row is there
        default:
            write_change(w, &notes[i], notes[i].table == queried, moves);
        }
    for (size_t i = 0; i < n; i++)
        if (notes[i].kind == ROW_NOTE_PROPOSE)
            write_conflict(w, &notes[i], notes, n);
}

/* --- lines -----------------------------------------------------------------*/

static void
begin_txn(struct writer *w, const char *session)
{
    buf_clear(&w->line);
    w->ops = 0;
    buf_text(&w->line, "{\"session\":");
    buf_json(&w->line, session, strlen(session));
    buf_text(&w->line, ",\"ops\":[");
}

static bool
end_txn(struct writer *w, enum txn_status status, double began, double ended,
        struct err *err)
{
    const double zero = w->history->initial->began;
    buf_char(&w->line, ']');
    jsonl_put_status(&w->line, status);
    jsonl_put_times(&w->line, (int64_t)((began - zero) * 1e9),
                    (int64_t)((ended - zero) * 1e9));
    jsonl_put_meta_and_end(&w->line, "", 0);
    return w->history->refusal[0] ||
           journal_add(&w->journal, w->line.at, w->line.n, err);
}

static bool
write_initial(struct writer *w, struct err *err)
{
    size_t n = 0;
    buf_clear(&w->line);
    buf_text(&w->line, "{\"initial\":{\"rows\":[");
    for (uint32_t i = 0; i < w->versions.all.n; i++) {
        if (!w->versions.all.at[i].is_initial ||
            !w->is_used[w->versions.all.at[i].table])
            continue;
        buf_text(&w->line, n++ ? ",[" : "[");
        put_written(w, i);
        buf_char(&w->line, ']');
    }
    buf_text(&w->line, "]}}\n");
    return journal_add(&w->journal, w->line.at, w->line.n, err);
}

static bool
write_session(struct writer *w, const struct spec_history_session *s,
              struct err *err)
{
    bool ok = true;
    for (size_t t = 0; ok && t < s->notes->txns.n; t++) {
        const struct noted_txn *txn = &s->notes->txns.at[t];
        if (!txn->rows.n)
            continue;
        begin_txn(w, s->name);
        for (size_t i = 0, end; i < txn->rows.n; i = end) {
            end = i + 1;
            while (end < txn->rows.n &&
                   txn->rows.at[end].statement == txn->rows.at[i].statement)
                end++;
            write_statement(w, &txn->rows.at[i], end - i);
        }
        ok = end_txn(w, txn->status, txn->began, txn->ended, err);
    }
    return ok;
}

/* All tables that sessions used, in one transaction. */
static bool
write_final(struct writer *w, struct err *err)
{
    const struct row_state *s = w->history->final;
    begin_txn(w, "final state");
    for (uint32_t t = 0; t < w->history->watched->tables.n; t++) {
        const char *name = w->history->watched->tables.at[t].name;
        if (!w->is_used[t] || w->history->initial->is_large[t] ||
            s->is_large[t])
            continue;
        begin_op(w, "q");
        buf_text(&w->line, "{\"table\":");
        buf_json(&w->line, name, strlen(name));
        buf_text(&w->line, ",\"where\":\"TRUE\"},[");
        size_t n = 0;
        for (size_t i = 0; i < s->rows.n; i++) {
            if (s->rows.at[i].table != t)
                continue;
            buf_text(&w->line, n++ ? ",[" : "[");
            put_read(w, id_of(w, t, &s->rows.at[i].before));
            buf_char(&w->line, ']');
        }
        buf_text(&w->line, "]]");
    }
    return end_txn(w, TXN_COMMITTED, s->began, s->ended, err);
}

bool
row_history_write(struct row_history *h, const char *path, struct err *err)
{
    struct writer w = {
        .history = h,
        .versions = {.watched = h->watched, .connection = h->connection}};
    w.is_used = arena_alloc(&w.versions.arena, h->watched->tables.n + 1);
    memset(w.is_used, 0, h->watched->tables.n + 1);
    bool ok = true;
    if (collect(&w)) {
        ok = journal_open(&w.journal, path, err);
        if (ok) {
            ok = write_initial(&w, err);
            for (size_t i = 0; ok && i < h->sessions_n; i++)
                ok = write_session(&w, &h->sessions[i], err);
            ok = ok && write_final(&w, err);
            ok = journal_close(&w.journal, err) && ok;
        }
    }
    buf_free(&w.line);
    row_versions_free(&w.versions);
    return ok;
}

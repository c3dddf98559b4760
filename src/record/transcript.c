/* transcript.c -- see transcript.h.
 *
 * A session has a queue of requests that the server still has to answer.
 * Invariants:
 *   (1) the head of the queue is what the next answer is about;
 *   (2) after an error every request up to the next Sync is unanswered, also
 *       those that the client sends later;
 *   (3) a portal belongs to the run of its first Execute: parts that are
 *       fetched later are of the same snapshot;
 *   (4) the server says whether a session is a superuser before a Ready only.
 *       So what follows a change of the role in the same batch counts as read
 *       by a superuser.
 *
 * SPDX-License-Identifier: MIT */
#include "record/transcript.h"

#include "base/memory/mem.h"
#include "record/raw_log.h"
#include "record/statement_text.h"
#include "record/wire.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct statement {
    const char *name, *text;
    const uint32_t *types;
    size_t n_types;
};

struct portal {
    const char *name;
    const struct statement *statement;
    const struct bound_value *values;
    size_t n_values;
    struct recorded_run *run; // of its first Execute, or NULL
    double bound;
};

/* A request: the letter of the client's message and what it names. */
struct request {
    char letter;
    double time;
    const char *text;            // Q
    struct statement *statement; // P
    struct portal *portal;       // B
    const char *name;            // E, C: of a portal; D: ""
    char what;                   // C, D: 'S' or 'P'
};

struct talk {
    struct transcript *transcript;
    struct recorded_session *session;
    VEC(struct request) queue;
    size_t head;
    VEC(struct statement *) statements;
    VEC(struct portal *) portals;
    struct recorded_run *run; // under way, or NULL
    size_t part;              // of a Q
    bool is_skipping;         // up to the next Sync (2)
    bool is_open;             // the last transaction has not ended
    bool has_failed;          // its last statement failed
    bool is_superuser;
    bool may_be_other; // its role may have changed since the last Ready (4)
    bool is_closed;
};

/* --- runs and transactions -------------------------------------------------*/

static struct recorded_txn *
open_txn(struct talk *t, double time)
{
    if (!t->is_open) {
        vec_push(&t->session->txns, ((struct recorded_txn){.began = time}));
        t->is_open = true;
        t->has_failed = false;
    }
    struct recorded_txn *txn = &vec_top(&t->session->txns);
    txn->as_superuser |= t->is_superuser || t->may_be_other;
    txn->application = t->session->application;
    return txn;
}

static void
end_txn(struct talk *t, enum txn_end end, double time)
{
    if (!t->is_open)
        return;
    struct recorded_txn *txn = &vec_top(&t->session->txns);
    txn->end = end;
    txn->ended = time;
    t->is_open = false;
}

static struct recorded_run *
new_run(struct talk *t, double time)
{
    struct recorded_run *run = arena_alloc(&t->transcript->arena, sizeof *run);
    *run = (struct recorded_run){
        .tag = "", .error = "", .text = "", .began = time, .is_whole = true};
    vec_push(&open_txn(t, time)->runs, run);
    return run;
}

static struct portal *
find_portal(struct talk *t, const char *name)
{
    for (size_t i = t->portals.n; i-- > 0;)
        if (strcmp(t->portals.at[i]->name, name) == 0)
            return t->portals.at[i];
    return NULL;
}

static struct statement *
find_statement(struct talk *t, const char *name)
{
    for (size_t i = t->statements.n; i-- > 0;)
        if (strcmp(t->statements.at[i]->name, name) == 0)
            return t->statements.at[i];
    return NULL;
}

/* A name means what was made last. */
static void
keep_statement(struct talk *t, struct statement *s)
{
    for (size_t i = 0; i < t->statements.n; i++)
        if (strcmp(t->statements.at[i]->name, s->name) == 0) {
            t->statements.at[i] = s;
            return;
        }
    vec_push(&t->statements, s);
}

static void
keep_portal(struct talk *t, struct portal *p)
{
    for (size_t i = 0; i < t->portals.n; i++)
        if (strcmp(t->portals.at[i]->name, p->name) == 0) {
            t->portals.at[i] = p;
            return;
        }
    vec_push(&t->portals, p);
}

/* The run of an Execute (3). */
static struct recorded_run *
run_portal(struct talk *t, const struct request *r)
{
    struct portal *p = find_portal(t, r->name);
    if (p && p->run)
        return p->run;
    struct recorded_run *run = new_run(t, p ? p->bound : r->time);
    if (!p)
        return run; // a cursor that SQL declared
    p->run = run;
    run->values = p->values;
    run->n_values = p->n_values;
    if (p->statement) {
        run->text = p->statement->text;
        run->types = p->statement->types;
        run->n_types = p->statement->n_types;
    }
    return run;
}

static struct request *
head(struct talk *t)
{
    return t->head < t->queue.n ? &t->queue.at[t->head] : NULL;
}

static void
pop(struct talk *t)
{
    t->run = NULL;
    t->part = 0;
    if (t->head < t->queue.n && ++t->head == t->queue.n)
        t->queue.n = t->head = 0;
}

/* The run that the answer which now comes is about. */
static struct recorded_run *
current(struct talk *t, double time)
{
    const struct request *r = head(t);
    if (t->run)
        return t->run;
    if (r && r->letter == 'Q') {
        t->run = new_run(t, r->time);
        t->run->text = statement_text(r->text, t->part++, &t->transcript->arena,
                                      &t->run->is_whole);
    } else if (r && r->letter == 'E') {
        t->run = run_portal(t, r);
    } else { // a commit by Sync, or a function that a Bind calls
        t->run = new_run(t, r ? r->time : time);
    }
    return t->run;
}

/* --- requests --------------------------------------------------------------*/

static const char *
copy(struct talk *t, const char *text)
{
    return arena_copy(&t->transcript->arena, text, strlen(text));
}

static struct statement *
read_parse(struct talk *t, struct wire_body b)
{
    struct arena *arena = &t->transcript->arena;
    struct statement *s = arena_alloc(arena, sizeof *s);
    *s = (struct statement){.name = copy(t, wire_text(&b))};
    s->text = copy(t, wire_text(&b));
    const size_t n = wire_u16(&b);
    uint32_t *types = arena_alloc(arena, (n + 1) * sizeof *types);
    for (size_t i = 0; i < n && !b.is_short; i++)
        types[s->n_types++] = wire_u32(&b);
    s->types = types;
    return s;
}

static struct portal *
read_bind(struct talk *t, struct wire_body b, double time)
{
    struct arena *arena = &t->transcript->arena;
    struct portal *p = arena_alloc(arena, sizeof *p);
    *p = (struct portal){.name = copy(t, wire_text(&b)), .bound = time};
    p->statement = find_statement(t, wire_text(&b));
    const size_t n_formats = wire_u16(&b);
    const char *formats = wire_bytes(&b, 2 * n_formats);
    const size_t n = wire_u16(&b);
    struct bound_value *values = arena_alloc(arena, (n + 1) * sizeof *values);
    for (size_t i = 0; i < n && !b.is_short; i++) {
        const uint32_t size = wire_u32(&b);
        const char *at = size == UINT32_MAX ? NULL : wire_bytes(&b, size);
        const size_t f = n_formats == 1 ? 0 : i;
        values[p->n_values++] = (struct bound_value){
            .at = at ? arena_copy(arena, at, size) : NULL,
            .n = at ? size : 0,
            .is_binary = formats && f < n_formats && formats[2 * f + 1]};
    }
    p->values = values;
    return p;
}

static void
take_request(struct talk *t, const struct raw_entry *e)
{
    struct wire_body b = {e->body, e->body + e->n, false};
    struct request r = {.letter = e->letter, .time = e->time, .name = ""};
    if (!strchr("QPBDECSF", e->letter))
        return;
    if (e->letter == 'S')
        t->is_skipping = false;
    if (t->is_skipping)
        return;
    switch (e->letter) {
    case 'Q':
        r.text = copy(t, wire_text(&b));
        break;
    case 'P':
        r.statement = read_parse(t, b);
        keep_statement(t, r.statement); // a Bind may follow at once
        break;
    case 'B':
        r.portal = read_bind(t, b, e->time);
        break;
    case 'E':
        r.name = copy(t, wire_text(&b));
        break;
    case 'C':
    case 'D':
        r.what = (char)wire_u8(&b);
        r.name = copy(t, wire_text(&b));
        break;
    default:
        break;
    }
    vec_push(&t->queue, r);
}

/* --- answers ---------------------------------------------------------------*/

static void
end_run(struct talk *t, struct recorded_run *run, const struct raw_entry *e)
{
    run->ended = e->time;
    run->is_suspended = false;
    if (statement_changes_role(run->text))
        t->may_be_other = true;
    if (t->may_be_other && t->is_open && strcmp(e->body, "SET") != 0)
        vec_top(&t->session->txns).as_superuser = true;
    if (e->letter == 'C') {
        run->tag = copy(t, e->body);
        if (strcmp(run->tag, "COMMIT") == 0)
            end_txn(t, TXN_END_COMMIT, e->time);
        else if (strcmp(run->tag, "PREPARE TRANSACTION") == 0)
            end_txn(t, TXN_END_PREPARED, e->time);
        else if (strcmp(run->tag, "ROLLBACK") == 0 &&
                 !statement_goes_back(run->text))
            end_txn(t, TXN_END_ABORT, e->time);
        else if (strcmp(run->tag, "ROLLBACK") == 0)
            t->has_failed = false;
    }
    t->run = NULL;
}

static void
take_error(struct talk *t, const struct raw_entry *e)
{
    const struct request *r = head(t);
    struct recorded_run *run = current(t, e->time);
    run->error = copy(t, e->body);
    run->ended = e->time;
    t->run = NULL;
    t->has_failed = true;
    if (!r || r->letter == 'Q' || r->letter == 'F')
        return;
    while (head(t) && head(t)->letter != 'S') // (2)
        pop(t);
    t->is_skipping = !head(t);
}

static void
take_ready(struct talk *t, const struct raw_entry *e)
{
    // What comes after a failed COMMIT is 'I', too.
    if (e->body[0] == 'I')
        end_txn(t, t->has_failed ? TXN_END_ABORT : TXN_END_COMMIT, e->time);
    t->is_skipping = t->may_be_other = false;
    const struct request *r = head(t);
    if (r && strchr("SQF", r->letter))
        pop(t);
}

/* COPY from a client ends the requests behind it: the server ignores every
 * Sync that comes while it reads data. */
static void
take_copy_in(struct talk *t)
{
    const struct request *r = head(t);
    if (!r || r->letter != 'E')
        return;
    size_t kept = t->head + 1;
    for (size_t i = t->head + 1; i < t->queue.n; i++)
        if (t->queue.at[i].letter != 'S')
            t->queue.at[kept++] = t->queue.at[i];
    t->queue.n = kept;
}

static void
take_status(struct talk *t, const struct raw_entry *e)
{
    struct wire_body b = {e->body, e->body + e->n, false};
    const char *name = wire_text(&b), *value = wire_text(&b);
    if (strcmp(name, "is_superuser") == 0)
        t->is_superuser = strcmp(value, "on") == 0;
    if (strcmp(name, "application_name") == 0 && *value)
        t->session->application = copy(t, value);
    if (t->is_open)
        vec_top(&t->session->txns).as_superuser |= t->is_superuser;
}

static void
take_answer(struct talk *t, const struct raw_entry *e)
{
    const struct request *r = head(t);
    const char letter = r ? r->letter : 0;
    switch (e->letter) {
    case '1':
        if (letter == 'P')
            pop(t);
        break;
    case '2':
        if (letter == 'B') {
            keep_portal(t, r->portal);
            pop(t);
        }
        break;
    case '3':
        if (letter == 'C')
            pop(t);
        break;
    case 'T':
    case 'n':
        if (letter == 'D')
            pop(t);
        break;
    case 'N':
        vec_push(&current(t, e->time)->told, copy(t, e->body));
        table_reports_take(&t->transcript->tables, e->body,
                           &t->transcript->arena);
        break;
    case 'C':
        end_run(t, current(t, e->time), e);
        if (letter == 'E')
            pop(t);
        break;
    case 'I':
        end_run(t, current(t, e->time), e);
        if (letter == 'E')
            pop(t);
        break;
    case 's':
        current(t, e->time)->is_suspended = true;
        t->run->ended = e->time;
        if (letter == 'E')
            pop(t);
        break;
    case 'E':
        take_error(t, e);
        break;
    case 'G':
    case 'W':
        take_copy_in(t);
        break;
    case 'Z':
        take_ready(t, e);
        break;
    case 'S':
        take_status(t, e);
        break;
    default:
        break;
    }
}

/* A statement that is under way when the connection ends may have committed:
 * a COMMIT, or one outside of a transaction block. */
static void
take_closed(struct talk *t, const struct raw_entry *e)
{
    const bool is_busy = t->head < t->queue.n;
    if (is_busy)
        open_txn(t, head(t)->time);
    end_txn(t, is_busy ? TXN_END_LOST_MID : TXN_END_LOST, e->time);
    t->is_closed = true;
}

/* --- the log ---------------------------------------------------------------*/

typedef VEC(struct talk *) talk_vec;

static struct talk *
find_talk(talk_vec *talks, uint32_t number, struct transcript *out)
{
    while (talks->n <= number)
        vec_push(talks, NULL);
    if (talks->at[number])
        return talks->at[number];
    struct talk *t = mem_calloc(1, sizeof *t);
    struct recorded_session *s = mem_calloc(1, sizeof *s);
    s->number = number;
    s->user = s->application = s->pid = s->role = "";
    t->session = s;
    t->transcript = out;
    vec_push(&out->sessions, s);
    talks->at[number] = t;
    return t;
}

static void
read_parameters(struct talk *t, struct wire_body b)
{
    for (const char *name; *(name = wire_text(&b));) {
        const struct session_parameter p = {copy(t, name),
                                            copy(t, wire_text(&b))};
        if (strcmp(name, "user") == 0)
            t->session->user = p.value;
        else if (strcmp(name, "application_name") == 0)
            t->session->application = p.value;
        else if (strcmp(name, "name") == 0) // no client can send this one
            t->session->name = p.value;
        else if (strcmp(name, "database") != 0)
            vec_push(&t->session->parameters, p);
    }
}

static void
take_note(struct talk *t, const struct raw_entry *e)
{
    struct wire_body b = {e->body, e->body + e->n, false};
    if (e->letter == 'O') {
        read_parameters(t, b);
    } else if (e->letter == 'R') {
        t->session->role = copy(t, e->body);
    } else if (e->letter == 'K') {
        t->session->pid = copy(t, e->body);
    } else if (e->letter == 'X') {
        take_closed(t, e);
    }
}

static void
free_talk(struct talk *t)
{
    vec_free(&t->queue);
    vec_free(&t->statements);
    vec_free(&t->portals);
    mem_free(t);
}

bool
transcript_read(const char *path, struct transcript *out, struct err *err)
{
    struct raw_reader r;
    struct raw_entry e = {0};
    talk_vec talks = {0};
    *out = (struct transcript){.beginning = ""};
    if (!raw_reader_open(&r, path, err))
        return false;
    while (raw_reader_next(&r, &e)) {
        if (!e.connection) {
            out->beginning = arena_copy(&out->arena, e.body, e.n);
            table_reports_begin(&out->tables, out->beginning, &out->arena);
            continue;
        }
        struct talk *t = find_talk(&talks, e.connection, out);
        if (e.from == RAW_NOTE)
            take_note(t, &e);
        else if (e.from == RAW_CLIENT)
            take_request(t, &e);
        else
            take_answer(t, &e);
    }
    for (size_t i = 0; i < talks.n; i++) {
        if (!talks.at[i])
            continue;
        if (!talks.at[i]->is_closed) // the recorder was killed
            take_closed(talks.at[i], &e);
        free_talk(talks.at[i]);
    }
    vec_free(&talks);
    raw_reader_close(&r);
    return true;
}

void
transcript_free(struct transcript *t)
{
    for (size_t i = 0; i < t->sessions.n; i++) {
        struct recorded_session *s = t->sessions.at[i];
        for (size_t k = 0; k < s->txns.n; k++) {
            struct recorded_txn *txn = &s->txns.at[k];
            for (size_t j = 0; j < txn->runs.n; j++)
                vec_free(&txn->runs.at[j]->told);
            vec_free(&txn->runs);
        }
        vec_free(&s->txns);
        vec_free(&s->parameters);
        mem_free(s);
    }
    vec_free(&t->sessions);
    table_reports_free(&t->tables);
    arena_free(&t->arena);
}

/* outcome.c -- see outcome.h.
 *
 * SPDX-License-Identifier: MIT */

#include "campaign/outcome.h"

#include "base/json.h"
#include "campaign/directory.h"
#include "campaign/json_value.h"
#include "campaign/shape.h"

#include <assert.h>
#include <signal.h>
#include <sys/wait.h>

enum { MOST_LEADS = 40, MOST_TEXT = 6000 };

static const char *
copy(struct run_outcome *o, const char *text)
{
    return arena_copy(&o->arena, text, strlen(text));
}

static bool
has_text(const char *text)
{
    return text && *text;
}

void
outcome_plain(const char *message, struct buf *out)
{
    for (const char *at = message; *at; at++) {
        const bool is_digit = *at >= '0' && *at <= '9';
        if (!is_digit)
            buf_char(out, *at);
        else if (at == message || at[-1] < '0' || at[-1] > '9')
            buf_char(out, '#');
    }
}

void
outcome_signature(const struct campaign_finding *f, struct buf *out)
{
    buf_printf(out, "%s(%s: %s)", f->kind, f->tables, f->shape);
}

/* --- what a run left -------------------------------------------------------*/

static bool
has_kind(const struct run_outcome *o, const char *kind)
{
    for (size_t i = 0; i < o->findings.n; i++)
        if (strcmp(o->findings.at[i].kind, kind) == 0)
            return true;
    return false;
}

/* The tables of the keys in a cycle: "acct/1" is a row of acct. */
static const char *
tables_of_cycle(struct run_outcome *o, const struct json_value *v,
                uint32_t anomaly)
{
    struct anomaly_shape shape = {0};
    const uint32_t cycle = value_member(v, anomaly, "cycle");
    for (uint32_t i = value_first(v, cycle); i != VALUE_NONE;
         i = value_next(v, cycle, i)) {
        const char *key = value_text_of(v, i, "key", &o->arena);
        const size_t n = strcspn(key, "/");
        if (key[n])
            shape_table(&shape, key, n);
    }
    struct buf text = {0};
    shape_tables(&shape, &text);
    const char *tables = copy(o, text.n ? text.at : "");
    buf_free(&text);
    shape_free(&shape);
    return tables;
}

/* Tables and shape of the first anomaly, from its reduced history. */
static void
take_shape(struct run_outcome *o, struct campaign_finding *f)
{
    struct anomaly_shape shape = {0};
    struct buf name = {0}, text = {0};
    buf_printf(&name, "%s/reduced.jsonl", o->kept);
    if (has_text(o->kept) && directory_read(name.at, &text) && text.n) {
        shape_read(&shape, text.at, text.n);
        buf_clear(&text);
        shape_tables(&shape, &text);
        f->tables = copy(o, text.n ? text.at : "");
        buf_clear(&text);
        shape_transactions(&shape, &text);
        f->shape = copy(o, text.n ? text.at : "");
    }
    buf_free(&name);
    buf_free(&text);
    shape_free(&shape);
}

static void
take_anomalies(struct run_outcome *o, const struct json_value *v,
               uint32_t result)
{
    const uint32_t all = value_member(v, result, "anomalies");
    bool is_first = o->findings.n == 0;
    for (uint32_t i = value_first(v, all); i != VALUE_NONE;
         i = value_next(v, all, i)) {
        const uint32_t txns = value_member(v, i, "transactions");
        struct campaign_finding f = {
            .level = value_text_of(v, result, "level", &o->arena),
            .kind = value_text_of(v, i, "name", &o->arena),
            .shape = "",
            .title = value_text_of(v, i, "title", &o->arena)};
        if (has_kind(o, f.kind))
            continue;
        const char *text = value_text_of(v, i, "text", &o->arena);
        f.text = strlen(text) <= MOST_TEXT
                     ? text
                     : arena_copy(&o->arena, text, MOST_TEXT);
        f.tables = tables_of_cycle(o, v, i);
        for (uint32_t t = value_first(v, txns); t != VALUE_NONE;
             t = value_next(v, txns, t))
            f.transactions++;
        // The reduced history is that of the first one.
        if (is_first)
            take_shape(o, &f);
        is_first = false;
        vec_push(&o->findings, f);
    }
}

/* Errors of the server that are no matter of isolation. */
static void
take_server_findings(struct run_outcome *o, const struct json_value *v,
                     uint32_t run)
{
    const uint32_t all = value_member(v, run, "findings");
    for (uint32_t i = value_first(v, all); i != VALUE_NONE;
         i = value_next(v, all, i)) {
        struct buf kind = {0}, shape = {0}, title = {0};
        const char *name = value_text_of(v, i, "name", &o->arena);
        const char *code = value_text_of(v, i, "code", &o->arena);
        const char *message = value_text_of(v, i, "message", &o->arena);
        buf_text(&kind, *name ? name : "finding");
        for (size_t k = 0; k < kind.n; k++)
            if (kind.at[k] == ' ')
                kind.at[k] = '-';
        buf_printf(&shape, "%s ", code);
        outcome_plain(message, &shape);
        buf_printf(&title, "%s: %s", name, message);
        const struct campaign_finding f = {
            .level = "",
            .kind = copy(o, kind.at),
            .tables = "",
            .shape = copy(o, shape.at),
            .title = copy(o, title.at),
            .text = value_text_of(v, i, "statement", &o->arena)};
        vec_push(&o->findings, f);
        buf_free(&kind);
        buf_free(&shape);
        buf_free(&title);
    }
}

/* The verdict of a level: the worst one, where there are several scripts. */
static void
take_level(struct run_outcome *o, const struct json_value *v, uint32_t result)
{
    const struct level_outcome new = {
        .level = value_text_of(v, result, "level", &o->arena),
        .verdict = value_text_of(v, result, "verdict", &o->arena)};
    size_t i = 0;
    while (i < o->levels.n && strcmp(o->levels.at[i].level, new.level) != 0)
        i++;
    if (i == o->levels.n)
        vec_push(&o->levels, new);
    else if (strcmp(o->levels.at[i].verdict, "violated") != 0 &&
             strcmp(new.verdict, "ok") != 0)
        o->levels.at[i].verdict = new.verdict;
}

/* One object: of a run, or of one interleaving of a specification. */
static void
take_object(struct run_outcome *o, const struct json_value *v)
{
    const uint32_t results = value_member(v, 0, "results");
    const uint32_t run = value_member(v, 0, "run");
    const uint32_t power = value_member(v, 0, "power");
    if (run != VALUE_NONE)
        o->database = value_text_of(v, run, "database", &o->arena);
    o->results += value_first(v, results) != VALUE_NONE;
    // Interleavings have no facts of a run; those that take part committed.
    o->committed +=
        (uint64_t)(run != VALUE_NONE ? value_number_of(v, run, "committed")
                                     : value_number_of(v, 0, "transactions"));
    o->aborted += (uint64_t)value_number_of(v, run, "aborted");
    o->unknown += (uint64_t)value_number_of(v, run, "unknown");
    o->pairs += (uint64_t)value_number_of(v, power, "overlapping_pairs");
    o->conflicts += (uint64_t)value_number_of(v, power, "conflicting_pairs");
    for (uint32_t i = value_first(v, results); i != VALUE_NONE;
         i = value_next(v, results, i)) {
        const char *reason = value_text_of(v, i, "reason", &o->arena);
        take_level(o, v, i);
        take_anomalies(o, v, i);
        if (*reason)
            o->message = reason;
    }
    take_server_findings(o, v, run);
}

/* The results, one object per line. */
static void
take_json(struct run_outcome *o, const char *path)
{
    struct buf text = {0};
    const bool is_there = directory_read(path, &text) && text.n;
    for (const char *at = is_there ? text.at : ""; *at;) {
        const size_t n = strcspn(at, "\n");
        struct json_value v = {0};
        if (value_read(&v, at, n))
            take_object(o, &v);
        value_free(&v);
        at += n + (at[n] == '\n');
    }
    buf_free(&text);
}

/* The lines that the run printed beside its result are leads; the last one of
 * a run that failed says why. */
static void
take_log(struct run_outcome *o, const char *log)
{
    struct buf text = {0};
    const bool is_there = directory_read(log, &text) && text.n;
    for (char *at = is_there ? text.at : text.at + text.n; at && *at;) {
        const size_t n = strcspn(at, "\n");
        const bool is_last = !at[n];
        at[n] = 0;
        // Progress is no message, nor is where the run was kept.
        if (n && *at != ' ' && strncmp(at, "starting ", 9) != 0 &&
            strncmp(at, "kept in ", 8) != 0) {
            struct buf shown = {0};
            buf_shown(&shown, at);
            o->message = copy(o, shown.at);
            buf_free(&shown);
            if (o->leads.n < MOST_LEADS)
                vec_push(&o->leads, o->message);
        }
        at += n + !is_last;
    }
    buf_free(&text);
}

/* This program must not fail, whatever the database does. */
static void
take_failure(struct run_outcome *o, int status)
{
    struct buf shape = {0};
    buf_printf(&shape, "signal %d ", WTERMSIG(status));
    outcome_plain(o->message, &shape);
    const struct campaign_finding f = {.level = "",
                                       .kind = "assay-failed",
                                       .tables = "",
                                       .shape = copy(o, shape.at),
                                       .title = o->message,
                                       .text = ""};
    vec_push(&o->findings, f);
    buf_free(&shape);
}

bool
outcome_is_interrupted(const struct outcome_source *s)
{
    struct buf text = {0};
    const int by = WIFSIGNALED(s->status) ? WTERMSIG(s->status) : 0;
    bool is = by == SIGTERM || by == SIGINT || by == SIGHUP || by == SIGKILL;
    if (directory_read(s->log, &text) && text.n)
        is |= strstr(text.at, OUTCOME_INTERRUPTED) != NULL;
    buf_free(&text);
    return is && !s->is_late;
}

void
outcome_take(const struct outcome_source *s, struct run_outcome *out)
{
    static const char *const verdicts[] = {"held", "violated", "refused",
                                           "unknown"};
    *out = (struct run_outcome){.database = "", .message = "", .worker = ""};
    out->kept = copy(out, s->kept);
    take_json(out, s->json);
    take_log(out, s->log);
    const int status = WIFEXITED(s->status) ? WEXITSTATUS(s->status) : -1;
    out->verdict = s->is_late   ? "late"
                   : status < 0 ? "violated"
                   : status < 4 ? verdicts[status]
                                : "refused";
    if (!s->is_late && WIFSIGNALED(s->status))
        take_failure(out, s->status);
    if (status == 1 && !out->findings.n) {
        const struct campaign_finding f = {.level = "",
                                           .kind = "unexplained",
                                           .tables = "",
                                           .shape = "",
                                           .title = out->message,
                                           .text = ""};
        vec_push(&out->findings, f);
    }
    // A run that checked nothing has shown nothing.
    if (status == 0 && !out->results) {
        out->verdict = "unknown";
        out->message = "the run ended well and left no result";
        vec_push(&out->leads, out->message);
    }
}

/* --- the line of a run -----------------------------------------------------*/

static void
put_words(struct buf *out, const char *name, const outcome_words *words)
{
    json_array(out, name);
    for (size_t i = 0; i < words->n; i++)
        json_text(out, NULL, words->at[i]);
    json_array_end(out);
}

void
outcome_put(const struct run_outcome *o, struct buf *out)
{
    json_object(out, NULL);
    json_text(out, "verdict", o->verdict);
    put_words(out, "command", &o->command);
    json_u64(out, "claim", o->claim);
    json_text(out, "worker", o->worker);
    json_fixed(out, "seconds", o->seconds, 3);
    json_text(out, "database", o->database);
    json_u64(out, "committed", o->committed);
    json_u64(out, "aborted", o->aborted);
    json_u64(out, "unknown", o->unknown);
    json_u64(out, "pairs", o->pairs);
    json_u64(out, "conflicts", o->conflicts);
    json_text(out, "message", o->message);
    json_text(out, "kept", o->kept);
    json_array(out, "levels");
    for (size_t i = 0; i < o->levels.n; i++) {
        json_object(out, NULL);
        json_text(out, "level", o->levels.at[i].level);
        json_text(out, "verdict", o->levels.at[i].verdict);
        json_object_end(out);
    }
    json_array_end(out);
    json_array(out, "findings");
    for (size_t i = 0; i < o->findings.n; i++) {
        const struct campaign_finding *f = &o->findings.at[i];
        json_object(out, NULL);
        json_text(out, "level", f->level);
        json_text(out, "kind", f->kind);
        json_text(out, "tables", f->tables);
        json_text(out, "shape", f->shape);
        json_text(out, "title", f->title);
        json_text(out, "text", f->text);
        json_u64(out, "transactions", f->transactions);
        json_object_end(out);
    }
    json_array_end(out);
    put_words(out, "leads", &o->leads);
    json_object_end(out);
    buf_char(out, '\n');
}

static void
read_words(const struct json_value *v, uint32_t in, struct arena *arena,
           outcome_words *out)
{
    for (uint32_t i = value_first(v, in); i != VALUE_NONE;
         i = value_next(v, in, i))
        vec_push(out, value_text(v, i, arena));
}

void
outcome_read_words(const char *text, size_t n, struct arena *arena,
                   outcome_words *out)
{
    struct json_value v = {0};
    if (value_read(&v, text, n))
        read_words(&v, 0, arena, out);
    value_free(&v);
}

bool
outcome_read(const char *text, size_t n, struct run_outcome *out)
{
    struct json_value v = {0};
    *out = (struct run_outcome){0};
    if (!value_read(&v, text, n)) {
        value_free(&v);
        return false;
    }
    struct arena *a = &out->arena;
    const uint32_t findings = value_member(&v, 0, "findings");
    const uint32_t levels = value_member(&v, 0, "levels");
    out->verdict = value_text_of(&v, 0, "verdict", a);
    out->claim = (unsigned)value_number_of(&v, 0, "claim");
    out->worker = value_text_of(&v, 0, "worker", a);
    out->seconds = value_number_of(&v, 0, "seconds");
    out->database = value_text_of(&v, 0, "database", a);
    out->committed = (uint64_t)value_number_of(&v, 0, "committed");
    out->aborted = (uint64_t)value_number_of(&v, 0, "aborted");
    out->unknown = (uint64_t)value_number_of(&v, 0, "unknown");
    out->pairs = (uint64_t)value_number_of(&v, 0, "pairs");
    out->conflicts = (uint64_t)value_number_of(&v, 0, "conflicts");
    out->message = value_text_of(&v, 0, "message", a);
    out->kept = value_text_of(&v, 0, "kept", a);
    read_words(&v, value_member(&v, 0, "command"), a, &out->command);
    read_words(&v, value_member(&v, 0, "leads"), a, &out->leads);
    for (uint32_t i = value_first(&v, levels); i != VALUE_NONE;
         i = value_next(&v, levels, i))
        vec_push(&out->levels,
                 ((struct level_outcome){
                     .level = value_text_of(&v, i, "level", a),
                     .verdict = value_text_of(&v, i, "verdict", a)}));
    for (uint32_t i = value_first(&v, findings); i != VALUE_NONE;
         i = value_next(&v, findings, i)) {
        const struct campaign_finding f = {
            .level = value_text_of(&v, i, "level", a),
            .kind = value_text_of(&v, i, "kind", a),
            .tables = value_text_of(&v, i, "tables", a),
            .shape = value_text_of(&v, i, "shape", a),
            .title = value_text_of(&v, i, "title", a),
            .text = value_text_of(&v, i, "text", a),
            .transactions = (uint64_t)value_number_of(&v, i, "transactions")};
        vec_push(&out->findings, f);
    }
    value_free(&v);
    return *out->verdict;
}

void
outcome_free(struct run_outcome *o)
{
    vec_free(&o->command);
    vec_free(&o->levels);
    vec_free(&o->findings);
    vec_free(&o->leads);
    arena_free(&o->arena);
}

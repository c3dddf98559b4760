/* spec_run.c -- see spec_run.h.
 *
 * SPDX-License-Identifier: MIT */
#include "pipeline/spec_run.h"

#include "driver/sql/sql.h"
#include "record/scripted.h"
#include "spec/interleave.h"
#include "spec/notes.h"
#include "spec/row/row_setup.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum {
    MOST_INTERLEAVINGS = 5000,
    STEP_LIMIT = 20, // seconds
};

#define PATIENCE 0.15 // seconds after which a step counts as waiting

struct run {
    const struct spec_run_options *options;
    struct spec_run_tally *tally;
    struct script *script;
    struct database *db;
    const struct spec_recorder *recorder; // NULL: text
};

/* "r1 w2 c1 c2", as in a permutation. */
static void
show_order(const struct spec *s, const u32_vec *order, struct buf *out)
{
    buf_clear(out);
    for (size_t i = 0; i < order->n; i++)
        buf_printf(out, "%s%s", i ? " " : "", s->steps.at[order->at[i]].name);
}

/* A statement that is not understood spoils the interleaving.  It is reported
 * once, not for each interleaving that has it. */
static void
refuse(struct run *r, uint32_t refusal, struct spec_run_result *out)
{
    out->end = SPEC_RUN_REFUSED;
    if (!r->script->refusals.at[refusal].is_reported)
        script_error(r->script, refusal, &out->err);
    r->script->refusals.at[refusal].is_reported = true;
}

static bool
interleave(struct run *r, const u32_vec *order, struct spec_run_result *out,
           struct err *err)
{
    const struct interleave_options o = {
        .patience = PATIENCE, .limit = STEP_LIMIT, .recorder = r->recorder};
    struct interleaved interleaved;
    const uint32_t refusal = script_refuses(r->script, order);
    if (refusal != SCRIPT_UNDERSTOOD) {
        refuse(r, refusal, out);
        return true;
    }
    out->path = r->options->recording->path.at;
    if (!interleave_run(r->script, r->db, order, &o, out->path, &interleaved,
                        err))
        return false;
    findings_join(&r->tally->findings, &interleaved.findings);
    r->tally->failed += interleaved.failed;
    if (interleaved.failed)
        memcpy(r->tally->failure, interleaved.failure,
               sizeof r->tally->failure);
    if (strcmp(interleaved.refusal, NOTES_EMPTY) == 0) {
        out->end = SPEC_RUN_EMPTY;
    } else if (interleaved.refusal[0]) {
        out->end = SPEC_RUN_REFUSED;
        err_set(&out->err, ERR_FEATURE, "%s: not checked: %s", out->name,
                interleaved.refusal);
        err_in_file(&out->err, r->script->spec->file);
    } else {
        out->end =
            interleaved.is_possible ? SPEC_RUN_RECORDED : SPEC_RUN_IMPOSSIBLE;
        struct err part = {0};
        while (interleaved.is_possible &&
               script_takes_part(r->script, order, &part)) {
            r->options->left_out(r->options->self, &part);
            part = (struct err){0};
        }
    }
    return true;
}

/* What the recorder leaves out, with the file. */
static void
leave_out(void *self, const struct err *what)
{
    const struct run *r = self;
    struct err err = *what;
    err_in_file(&err, r->script->spec->file);
    r->options->left_out(r->options->self, &err);
}

static void
count(struct spec_run_tally *t, enum spec_run_end end)
{
    t->recorded += end == SPEC_RUN_RECORDED;
    t->impossible += end == SPEC_RUN_IMPOSSIBLE;
    t->empty += end == SPEC_RUN_EMPTY;
    t->refused += end == SPEC_RUN_REFUSED;
}

static bool
interleave_all(struct run *r, struct err *err)
{
    const struct spec_run_options *o = r->options;
    const struct spec *s = r->script->spec;
    const size_t n = spec_count(s, MOST_INTERLEAVINGS + 1);
    if (n > MOST_INTERLEAVINGS)
        return err_set(err, ERR_USAGE,
                       "%s has more than %d interleavings, expected "
                       "permutations that say which ones to play",
                       s->file, MOST_INTERLEAVINGS);
    bool ok = true;
    u32_vec order = {0};
    struct buf name = {0};
    for (size_t i = 0; ok && i < n && spec_next(s, i, &order); i++) {
        show_order(s, &order, &name);
        if (n > 1)
            history_file_number(o->recording, i + 1);
        struct spec_run_result result = {.name = name.at};
        ok = interleave(r, &order, &result, err);
        if (!ok)
            break;
        count(r->tally, result.end);
        o->visit(o->self, &result);
    }
    vec_free(&order);
    buf_free(&name);
    return ok;
}

/* Statements as they are. */
static bool
play_verbatim(struct run *run, const struct spec *s,
              const struct watched *watched, struct err *err)
{
    struct buf text = {0};
    struct scripted *recorder;
    script_put_text(s, &text);
    const struct scripted_options so = {
        .db = run->db, .text = text.at, .self = run, .left_out = leave_out};
    bool ok = scripted_open(&so, &recorder, err);
    if (ok) {
        run->recorder = scripted_recorder(recorder);
        script_read_verbatim(s, flavour_of(sql_product(run->db->driver)),
                             watched, run->script);
        ok = interleave_all(run, err);
        script_free(run->script);
        scripted_close(recorder);
    }
    buf_free(&text);
    return ok;
}

static bool
run_on(const struct spec_run_options *o, const struct spec *s,
       struct database *db, struct spec_run_tally *tally, struct err *err)
{
    enum recorder_kind recorder;
    if (!db->driver->sql)
        return err_set(err, ERR_USAGE,
                       "--spec needs a database that speaks SQL, not %s",
                       o->target);
    if (!recorder_choose(db, o->recorder, &recorder, err))
        return false;
    if (o->opened)
        o->opened(o->self, db->note);
    struct script script;
    struct watched watched = {0};
    struct run run = {
        .options = o, .tally = tally, .script = &script, .db = db};
    const bool is_verbatim = recorder == RECORDER_POLICY;
    const bool records_rows = is_verbatim || row_setup_records(db);
    if (records_rows && !row_setup_read(s, db, &watched, err))
        return false;
    bool ok;
    if (is_verbatim) {
        ok = play_verbatim(&run, s, &watched, err);
    } else {
        script_read(s, flavour_of(sql_product(db->driver)),
                    records_rows ? &watched : NULL, &script);
        ok = interleave_all(&run, err);
        script_free(&script);
    }
    watched_free(&watched);
    return ok;
}

bool
spec_run(const struct spec_run_options *o, struct spec_run_tally *tally,
         struct err *err)
{
    assert(o->visit && o->recording);
    *tally = (struct spec_run_tally){0};
    struct spec s;
    struct database db;
    if (!spec_read(o->spec, &s, err))
        return false;
    bool ok = database_open(o->target, o->isolation, &o->setups, &db, err);
    if (ok) {
        ok = run_on(o, &s, &db, tally, err);
        database_close(&db);
    }
    spec_free(&s);
    return ok;
}

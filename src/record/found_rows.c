/* found_rows.c -- see found_rows.h.
 *
 * What a statement read are the versions that policies reported.  At READ
 * COMMITTED a statement may wait for a row and look at it again, in a later
 * state.  Then:
 *   (1) a target of an UPDATE or DELETE counts only if a trigger reports it as
 *       the old version: others were looked at again and did not match;
 *   (2) if a statement that locks rows reports two versions of a row, only the
 *       later ones count, and the rest is not recorded;
 *   (3) what FETCH reports is of the snapshot of its cursor.  It counts at the
 *       place of DECLARE, at all levels: the transaction may have written
 * since.
 *
 * SPDX-License-Identifier: MIT */
#include "record/found_rows.h"

#include "record/statement_text.h"

#include <string.h>

static bool
is_change(const struct recorded_run *run)
{
    return tell_begins(run->tag, "UPDATE") || tell_begins(run->tag, "DELETE") ||
           tell_begins(run->tag, "INSERT") || tell_begins(run->tag, "MERGE");
}

static bool
is_weak(const struct recorded_step *s)
{
    return !s->level || tell_begins(s->level, "read ");
}

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
read_reports(struct assembly *a, const struct recorded_step *s, report_vec *out)
{
    for (size_t i = 0; i < s->n; i++) {
        const struct told_fact *t = &s->told[i];
        if (t->kind != TOLD_SEEN || tell_is_proposed(t->version))
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
has_targets(const struct recorded_step *s)
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
find_reads(struct assembly *a, uint32_t txn, struct recorded_step *s)
{
    struct recorded_act *act = &a->acts.at[txn - 1];
    const bool weak = is_weak(s), changes = is_change(s->run);
    report_vec reports = {0};
    read_reports(a, s, &reports);
    s->looked_again = looked_again(&reports);
    const bool again = weak && !changes && has_targets(s) && s->looked_again;
    if (again)
        assembly_leave_out(act, "what a statement read that waited for a row");
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
        if (v->values) {
            vec_push(&s->reads, r->version);
            vec_push(&s->locked, v->target_of == s->number);
        } else
            assembly_leave_out(act,
                               "a row whose values are not known any more");
    }
    vec_free(&reports);
}

/* The cursor that a step reads from: the one that FETCH and MOVE name, or at a
 * COMMIT, which completes cursors with hold, the only one. */
static struct recorded_step *
find_declared(struct assembly *a, struct recorded_act *act,
              const struct recorded_step *s)
{
    const bool commits = strcmp(s->run->tag, "COMMIT") == 0;
    const char *name = statement_cursor(s->run->text, &a->arena);
    struct recorded_step *declared = NULL;
    for (size_t i = 0; i < act->steps.n && &act->steps.at[i] != s; i++) {
        struct recorded_step *t = &act->steps.at[i];
        if (strcmp(t->run->tag, "DECLARE CURSOR") != 0)
            continue;
        if (commits && declared)
            return NULL;
        if (commits ||
            strcmp(statement_cursor(t->run->text, &a->arena), name) == 0)
            declared = t;
    }
    return declared;
}

/* Move what was read from a cursor to its DECLARE (3). */
static void
move_fetched(struct assembly *a, struct recorded_act *act,
             struct recorded_step *s)
{
    static const char *const tags[] = {"FETCH", "MOVE", "COMMIT"};
    bool fetches = false;
    for (size_t i = 0; i < sizeof tags / sizeof tags[0]; i++)
        fetches |= tell_begins(s->run->tag, tags[i]);
    if (!fetches || !s->reads.n)
        return;
    struct recorded_step *declared = find_declared(a, act, s);
    if (declared)
        for (size_t i = 0; i < s->reads.n; i++) {
            vec_push(&declared->reads, s->reads.at[i]);
            vec_push(&declared->locked, s->locked.at[i]);
        }
    else
        assembly_leave_out(act, "what was read from a cursor");
    vec_clear(&s->reads);
    vec_clear(&s->locked);
}

void
found_rows(struct assembly *a)
{
    for (uint32_t i = 0; i < a->acts.n; i++) {
        struct recorded_act *act = &a->acts.at[i];
        for (size_t k = 0; k < act->steps.n; k++) {
            struct recorded_step *s = &act->steps.at[k];
            if (s->run->error[0] && s->n)
                assembly_leave_out(act, "what a statement read that failed");
            else
                find_reads(a, i + 1, s);
        }
        for (size_t k = 0; k < act->steps.n; k++)
            move_fetched(a, act, &act->steps.at[k]);
    }
}

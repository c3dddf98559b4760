/* record.c -- see record.h.
 *
 * SPDX-License-Identifier: MIT */
#include "prove/robust/anomaly/record.h"

#include "check/check.h"
#include "history/builder/builder.h"
#include "prove/robust/anomaly/recording.h"

#include <string.h>

static struct atom
name_of(struct recording *r, struct builder *b, uint32_t cell)
{
    const struct string s = strings_get(&r->names, cell);
    return builder_text(b, ATOM_OTHER, s.text, s.len);
}

static struct atom
value_of(struct recording *r, struct builder *b, uint32_t cell,
         uint32_t version)
{
    const char *text = r->cells.at[cell].value[version];
    return text ? builder_text(b, ATOM_OTHER, text, strlen(text)) : atom_nil();
}

static bool
begin(struct builder *b, const char *name, txn_id *t, struct err *err)
{
    const struct atom atom = builder_text(b, ATOM_STRING, name, strlen(name));
    if (!builder_txn(b, builder_session(b, atom), t, err))
        return false;
    builder_name(b, *t, atom);
    return true;
}

/* Write the version of every cell that the members use. */
static bool
write_version(struct recording *r, struct builder *b, txn_id t,
              uint32_t version, struct err *err)
{
    bool ok = true;
    for (uint32_t i = 0; ok && i < r->cells.n; i++)
        if (r->cells.at[i].is_used && r->cells.at[i].value[version])
            ok = builder_write(b, t, name_of(r, b, i),
                               value_of(r, b, i, version), err);
    return ok;
}

static bool
write_member(struct recording *r, struct builder *b, uint32_t member,
             struct err *err)
{
    struct buf name = {0};
    txn_id t;
    buf_printf(&name, "T%u", member + 1);
    bool ok = begin(b, name.at, &t, err);
    buf_free(&name);
    for (size_t i = 0; ok && i < r->reads[member].n; i++) {
        const struct version_read *x = &r->reads[member].at[i];
        ok = builder_read(b, t, name_of(r, b, x->cell),
                          value_of(r, b, x->cell, x->version), err);
    }
    return ok && write_version(r, b, t, member, err);
}

/* Everybody has committed; what is there now? */
static bool
write_end(struct recording *r, struct builder *b, struct err *err)
{
    txn_id t;
    bool ok = begin(b, "end", &t, err);
    for (uint32_t i = 0; ok && i < r->cells.n; i++) {
        const uint32_t last = recording_version(r, i, (1u << r->f->n) - 1);
        if (last != INITIAL)
            ok = builder_read(b, t, name_of(r, b, i), value_of(r, b, i, last),
                              err);
    }
    return ok;
}

static bool
write_all(struct recording *r, struct builder *b, struct err *err)
{
    txn_id t;
    bool ok =
        begin(b, "setup", &t, err) && write_version(r, b, t, INITIAL, err);
    for (uint32_t i = 0; ok && i < r->f->n; i++)
        ok = write_member(r, b, i, err);
    return ok && write_end(r, b, err);
}

/* "end" comes after every member that wrote: it reads something of each, and
 * where all that one wrote was overwritten, that it has committed. */
static void
mark_commits(struct recording *r)
{
    const uint32_t all = (1u << r->f->n) - 1;
    for (uint32_t m = 0; m < r->f->n; m++) {
        bool writes = false, left = false;
        for (uint32_t i = 0; i < r->cells.n; i++) {
            writes = writes || r->cells.at[i].value[m];
            left = left || recording_version(r, i, all) == m;
        }
        if (!writes || left)
            continue;
        struct buf name = {0};
        buf_printf(&name, "commit of T%u", m + 1);
        const uint32_t cell = recording_cell(r, &name);
        r->cells.at[cell].value[m] = "done";
    }
}

static void
mark_used(struct recording *r)
{
    for (uint32_t i = 0; i < r->f->n; i++)
        for (size_t k = 0; k < r->reads[i].n; k++)
            r->cells.at[r->reads[i].at[k].cell].is_used = true;
    for (uint32_t i = 0; i < r->cells.n; i++)
        for (uint32_t v = 0; v < r->f->n; v++)
            if (r->cells.at[i].value[v])
                r->cells.at[i].is_used = true;
}

static void
free_recording(struct recording *r)
{
    for (uint32_t t = 0; t < r->p->tables.n; t++)
        vec_free(&r->rows[t]);
    mem_free(r->rows);
    for (uint32_t i = 0; i < INTERLEAVING_MOST; i++)
        vec_free(&r->reads[i]);
    vec_free(&r->cells);
    strings_free(&r->names);
    arena_free(&r->arena);
}

bool
record_history(const struct finding *f, struct history *out, struct err *err)
{
    assert(f->kind == FINDING_ANOMALY || f->interleaving.n == f->n);
    struct recording r = {.f = f, .e = &f->interleaving};
    r.p = r.e->program;
    r.rows = mem_calloc(r.p->tables.n + 1, sizeof *r.rows);
    recording_add_initial(&r);
    for (uint32_t i = 0; i < f->n; i++)
        recording_add_writes(&r, i);
    for (uint32_t i = 0; i < f->n; i++)
        recording_add_reads(&r, i);
    mark_commits(&r);
    mark_used(&r);
    struct builder *b = builder_new(atom_nil());
    bool ok = write_all(&r, b, err);
    if (ok)
        ok = builder_finish(b, out, err);
    else
        builder_free(b);
    free_recording(&r);
    return ok;
}

bool
record_check(const struct finding *f, bool *allowed, bool *serializable,
             struct err *err)
{
    struct history h;
    struct check check;
    *allowed = *serializable = false;
    if (!record_history(f, &h, err))
        return false;
    const struct check_options options = {
        .levels = isolation_shared(f->isolation) | level_bit(LEVEL_TARGET),
        .threads = 1,
        .verify = true,
        .strong = strong_defaults};
    const bool ok = check_history(&h, &options, &check, err);
    if (ok) {
        *allowed = *serializable = true;
        for (size_t i = 0; i < check.results.n; i++) {
            const struct level_result *r = &check.results.at[i];
            const enum verdict verdict = r->certificate.verdict;
            if (r->level == LEVEL_TARGET)
                *serializable = verdict != VERDICT_VIOLATED;
            else
                *allowed = *allowed && verdict == VERDICT_OK;
        }
        check_free(&check);
    }
    history_free(&h);
    return ok;
}

/* invariants.c -- whether programs keep what is said of the data; see proof.h.
 *
 * One step is enough: a program that starts where all invariants hold must
 * leave this one true.  The rows that would break it are slots, so every table
 * of the invariant has as many more slots as the invariant has rows.
 *
 * SPDX-License-Identifier: MIT */
#include "prove/robust/proof/proof.h"

#include "prove/robust/proof/one_run.h"
#include "prove/robust/symbolic/runs.h"

/* Whether some rows break the invariant after the run. */
static term
broken(struct symbolic *s, const struct contents *before,
       const struct contents *after, const void *property)
{
    (void)before;
    const struct invariant *inv = property;
    struct terms *t = s->terms;
    struct sym_run none = {.aborts = t->no, .uncertain = t->no};
    struct sym_runner r = {.s = s, .t = t, .run = &none, .live = t->yes};
    uint32_t *at = mem_calloc(inv->n_sources + 1, sizeof *at);
    r.bound = mem_calloc(inv->n_sources + 1, sizeof *r.bound);
    term any = t->no;
    bool more = true;
    while (more) {
        term alive = t->yes;
        for (uint32_t i = 0; i < inv->n_sources; i++) {
            const struct cell_row *row =
                &after->rows[inv->source_tables[i]][at[i]];
            r.bound[i] = row->columns;
            alive = term_and(t, alive, row->alive);
        }
        const struct symbol then = sym_evaluate(&r, inv->then);
        any = term_or(t, any,
                      term_and(t, term_and(t, alive, sym_holds(&r, inv->given)),
                               term_not(t, term_or(t, then.null, then.value))));
        uint32_t i = 0;
        while (i < inv->n_sources && ++at[i] == s->slots[inv->source_tables[i]])
            at[i++] = 0;
        more = i < inv->n_sources;
    }
    mem_free(r.bound);
    mem_free(at);
    return any;
}

/* Whether the function keeps the invariant, for certain. */
static bool
keeps(const struct program *p, const struct function *f,
      const struct invariant *inv, const struct search_limits *limits,
      bool *kept, struct err *err)
{
    uint32_t *more_slots = mem_calloc(p->tables.n + 1, sizeof *more_slots);
    for (uint32_t i = 0; i < inv->n_sources; i++)
        more_slots[inv->source_tables[i]]++;
    struct buf what = {0};
    buf_printf(&what, "%s breaks the invariant in line %u", f->name, inv->line);
    const struct one_run question = {.function = f,
                                     .more_slots = more_slots,
                                     .violated = broken,
                                     .property = inv,
                                     .what = what.at};
    const bool ok = one_run_never(p, &question, limits, kept, err);
    buf_free(&what);
    mem_free(more_slots);
    return ok;
}

bool
proof_check_invariants(const struct program *p,
                       const struct search_limits *limits, struct err *err)
{
    for (size_t i = 0; i < p->invariants.n; i++)
        for (size_t j = 0; j < p->functions.n; j++) {
            const struct invariant *inv = &p->invariants.at[i];
            bool kept;
            if (!keeps(p, p->functions.at[j], inv, limits, &kept, err))
                return false;
            if (kept)
                continue;
            err_set(err, ERR_SYNTAX,
                    "the invariant is not kept by %s, or that cannot be shown",
                    p->functions.at[j]->name);
            err_at_line(err, inv->line, 0);
            return err_in_file(err, inv->file);
        }
    return true;
}

/* invariants.c -- whether programs keep what is said of the data; see proof.h.
 *
 * One step is enough: a program that starts where all invariants hold must
 * leave this one true.  The rows that would break it are slots, so every table
 * of the invariant has as many more slots as the invariant has rows.
 *
 * SPDX-License-Identifier: MIT */
#include "robust/proof/proof.h"

#include "robust/proof/footprint.h"
#include "robust/symbolic/runs.h"

/* Whether some rows break the invariant. */
static term
broken(struct symbolic *s, const struct contents *c,
       const struct invariant *inv)
{
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
            const struct cell_row *row = &c->rows[inv->source_tables[i]][at[i]];
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

static void
keep_query(struct proof_log *log, const char *query, const struct function *f,
           const struct invariant *inv)
{
    struct buf what = {0};
    buf_printf(&what, "%s breaks the invariant in line %u", f->name, inv->line);
    proof_log_add(log, query, what.at);
    buf_free(&what);
}

/* Whether the function keeps the invariant, for certain. */
static bool
keeps(const struct program *p, const struct function *f,
      const struct invariant *inv, const struct search_limits *limits,
      bool *kept, struct err *err)
{
    struct terms terms;
    struct symbolic s;
    struct footprint footprint;
    if (!terms_init(&terms, err))
        return false;
    symbolic_init(&s, &terms, p, 0);
    s.abstract = true;
    footprint_init(&footprint, p, f);
    for (uint32_t i = 0; i < p->tables.n; i++)
        s.slots[i] = footprint.lookups[i];
    for (uint32_t i = 0; i < inv->n_sources; i++)
        s.slots[inv->source_tables[i]]++;
    struct contents before;
    struct sym_run run;
    contents_init(&s, &before);
    sym_instance(&s, &run, f);
    const struct sym_views views = {.before = &before};
    sym_execute(&s, &run, &views, NULL);
    term_assert(&terms, term_not(&terms, run.aborts));
    const struct contents after = contents_after(&s, &before, &run, terms.yes);
    term_assert(&terms, broken(&s, &after, inv));
    struct buf query = {0};
    if (limits->log) // the solver rewrites what it has checked
        buf_text(&query, terms_text(&terms));
    *kept = !footprint.unbounded &&
            terms_check(&terms, limits->seconds) == ANSWER_NO;
    if (*kept && limits->log)
        keep_query(limits->log, query.at, f, inv);
    buf_free(&query);
    sym_run_free(&run);
    footprint_free(&footprint);
    symbolic_free(&s);
    terms_free(&terms);
    return true;
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

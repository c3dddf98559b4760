/* one_run.c -- see one_run.h.
 *
 * SPDX-License-Identifier: MIT */
#include "prove/robust/proof/one_run.h"

#include "prove/robust/proof/footprint.h"
#include "prove/robust/symbolic/runs.h"

/* Whether the solver excludes the violation; what it was asked is logged. */
static bool
excluded(struct symbolic *s, const struct one_run *question,
         const struct search_limits *limits)
{
    struct terms *terms = s->terms;
    struct contents before;
    struct sym_run run;
    contents_init(s, &before);
    sym_instance(s, &run, question->function);
    const struct sym_views views = {.before = &before};
    sym_execute(s, &run, &views, NULL);
    term_assert(terms, term_not(terms, run.aborts));
    const struct contents after = contents_after(s, &before, &run, terms->yes);
    term_assert(terms,
                question->violated(s, &before, &after, question->property));
    struct buf query = {0};
    if (limits->log) // the solver rewrites what it has checked
        buf_text(&query, terms_text(terms));
    const bool never = terms_check(terms, limits->seconds) == ANSWER_NO;
    if (never && limits->log)
        proof_log_add(limits->log, query.at, question->what);
    buf_free(&query);
    sym_run_free(&run);
    return never;
}

bool
one_run_never(const struct program *p, const struct one_run *question,
              const struct search_limits *limits, bool *never, struct err *err)
{
    struct terms terms;
    struct symbolic s;
    struct footprint footprint;
    assert(question->function && question->violated && question->what);
    if (!terms_init(&terms, program_has_fractions(p), err))
        return false;
    symbolic_init(&s, &terms, p, 0);
    s.abstract = true;
    footprint_init(&footprint, p, question->function);
    for (uint32_t i = 0; i < p->tables.n; i++)
        s.slots[i] = footprint.lookups[i] + question->more_slots[i];
    *never = excluded(&s, question, limits);
    footprint_free(&footprint);
    symbolic_free(&s);
    terms_free(&terms);
    return true;
}

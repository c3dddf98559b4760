/* predict_level.c -- see predict_level.h.
 *
 * SPDX-License-Identifier: MIT */
#include "pipeline/predict_level.h"

#include "check/check.h"
#include "history/partial.h"
#include "level/names.h"
#include "report/predict/predict_sides.h"

#include <assert.h>

enum { EXPLAIN_SECONDS = 5, CONTEXT = 40 };

void
predict_level_init(struct predict_level *l,
                   const struct predict_result *history,
                   const struct predict_options *options)
{
    *l = (struct predict_level){
        .options = *options,
        .prediction = {.answer = PREDICT_UNKNOWN, .is_cut_short = true},
        .result = *history};
    l->result.options = &l->options;
    l->result.prediction = &l->prediction;
    l->result.validated = &l->validated;
    l->result.answer = PREDICT_UNKNOWN;
}

bool
predict_level_search(struct predict_level *l, const struct history *h,
                     struct err *err)
{
    struct prediction *const p = &l->prediction;    // executions point into it
    assert(l->result.prediction == &l->prediction); // (1)
    partial_tell(h, l->result.gaps, sizeof l->result.gaps);
    if (!predict(h, &l->options, p, err))
        return false;
    l->result.answer = p->answer;
    l->checks = mem_calloc(p->found.n + 1, sizeof *l->checks);
    l->explanations = mem_calloc(p->found.n + 1, sizeof *l->explanations);
    l->result.checks = l->checks;
    l->result.explanations = l->explanations;
    return true;
}

bool
predict_level_explain(struct predict_level *l, size_t i, unsigned threads,
                      struct err *err)
{
    const struct predicted *p = &l->prediction.found.at[i];
    const struct check_options options = {.levels = level_bit(LEVEL_TARGET),
                                          .threads = threads,
                                          .strong = strong_defaults};
    const struct explain_options how = {.most = 1,
                                        .work = EXPLAIN_SECONDS * BUDGET_SECOND,
                                        .context = CONTEXT,
                                        .threads = threads,
                                        .strong = strong_defaults};
    assert(i < l->prediction.found.n);
    const bool ok =
        check_history(&p->history, &options, &l->checks[i], err) &&
        explain_result(&p->history, &l->checks[i], &l->checks[i].results.at[0],
                       &how, &l->explanations[i], err);
    predict_sides_mark(p, &l->explanations[i], &l->marks);
    return ok;
}

void
predict_level_show(const struct predict_level *l, bool json, struct report *to)
{
    const struct predict_result *r = &l->result;
    const bool is_found = r->answer == PREDICT_FOUND;
    for (size_t i = 0; to->format && is_found && i < l->prediction.found.n; i++)
        predict_sides_report(to, r, i);
    if (to->format)
        return;
    if (json)
        predict_show_json(r, &to->out);
    else
        predict_show_text(r, &to->style, &to->out);
}

void
predict_level_free(struct predict_level *l)
{
    for (size_t i = 0; l->checks && i < l->prediction.found.n; i++) {
        explanation_free(&l->explanations[i]);
        check_free(&l->checks[i]);
    }
    mem_free(l->checks);
    mem_free(l->explanations);
    arena_free(&l->marks);
    prediction_free(&l->prediction);
}

bool
predict_level_parse(const char *levels, level_set *out, struct err *err)
{
    if (!level_parse_list(levels, true, out, err))
        return false;
    if (*out & LEVEL_SET_ALL)
        *out = PREDICT_LEVELS;
    return !(*out & ~PREDICT_LEVELS) ||
           err_set(err, ERR_USAGE,
                   "predict takes the levels rc, ra, cc, pc, psi and si, "
                   "not '%s'",
                   levels);
}

enum predict_answer
predict_level_worse(enum predict_answer a, enum predict_answer b)
{
    return a == PREDICT_FOUND || b == PREDICT_FOUND ? PREDICT_FOUND
           : a == PREDICT_NONE && b == PREDICT_NONE ? PREDICT_NONE
                                                    : PREDICT_UNKNOWN;
}

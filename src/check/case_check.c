/* case_check.c -- check one combination of authors: a copy of the history in
 * which each open element has the author that the combination names.
 *
 * SPDX-License-Identifier: MIT */
#include "check/case_near.h"
#include "check/case_search.h"
#include "history/builder/rebuild.h"

#include <stdio.h>

bool
case_is_out_of_budget(const struct case_search *s)
{
    return (s->options.work && s->work >= s->options.work) ||
           (s->options.until && limit_reached(s->options.until));
}

bool
case_check(struct case_search *s, enum level level, const u32_vec *seen,
           uint64_t work, struct err *err)
{
    struct history copy;
    struct check c;
    assert(seen->n == s->h->authors.n);
    certificate_free(&s->last.certificate);
    s->last = (struct level_result){.level = level, .by = level};
    if (case_is_out_of_budget(s)) {
        snprintf(s->last.reason, sizeof s->last.reason, CASES_NOT_ALL);
        return true;
    }
    if (!history_rebuild_with_authors(s->h, seen->at, &copy, err))
        return false;
    struct check_options o = s->options;
    o.levels = level_bit(level);
    o.work = o.work ? o.work - s->work : 0;
    if (work && (!o.work || work < o.work))
        o.work = work;
    const bool ok = check_history(&copy, &o, &c, err);
    if (ok) {
        assert(c.results.n == 1 && c.results.at[0].level == level);
        s->last = c.results.at[0];
        c.results.at[0].certificate = (struct certificate){0};
        s->work += s->last.work + copy.n_ops;
        if (s->near)
            case_near(s->h, &copy, &s->last.certificate, s->near);
        check_free(&c);
    }
    history_free(&copy);
    return ok;
}

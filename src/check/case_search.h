/* case_search.h -- one level of a history with open authors.
 *
 * SPDX-License-Identifier: MIT */
#ifndef CHECK_CASE_SEARCH_H
#define CHECK_CASE_SEARCH_H

#include "check/check.h"

// The reason of 'unknown' when a budget or a limit ends the search.
#define CASES_NOT_ALL "not all combinations of authors were tried"

typedef VEC(struct certificate) case_vec;

struct case_search {
    const struct history *h;
    struct check_options options; // limits and verification are the caller's
    uint64_t work;                // steps of a budget so far
    struct level_result last;     // of the copy that was checked last
    uint8_t *near; // by row, where not NULL: what that depends on (case_near.h)
};

/* What was found. */
struct case_result {
    enum verdict verdict;
    u32_vec seen;     // OK: the authors with whom the level holds
    case_vec leaves;  // VIOLATED: of the tree of cases (certificate.h)
    char reason[256]; // UNKNOWN
};

/* Whether a budget or a limit has ended the search. */
bool case_is_out_of_budget(const struct case_search *s);

/* Check the copy with these authors at the level, in at most 'work' steps of a
 * budget (0 = no limit); the result is in s->last, and the caller takes the
 * certificate from there (case_check.c). */
bool case_check(struct case_search *s, enum level level, const u32_vec *seen,
                uint64_t work, struct err *err);

/* Look for authors with whom the level holds, beginning with those in 'seen',
 * until some do or none are left. */
bool case_search(struct case_search *s, enum level level, const u32_vec *seen,
                 struct case_result *out, struct err *err);

void case_result_free(struct case_result *r);

#endif

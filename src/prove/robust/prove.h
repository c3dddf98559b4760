/* prove.h -- whether programs stay serializable at a level.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PROVE_ROBUST_PROVE_H
#define PROVE_ROBUST_PROVE_H

#include "prove/robust/search/search.h"

// A result that is all zero claims nothing.
enum prove_verdict { PROVE_UNKNOWN, PROVE_PROVED, PROVE_ANOMALY };

struct prove_result {
    enum prove_verdict verdict;
    struct finding finding; // of an anomaly
    char reason[400];       // of 'unknown'
    char assumes[200];      // of 'proved': "data without NaN"; "": nothing
    uint32_t proof_queries;
    double seconds;
};

/* Decide; the result is to be freed in any case.
 *
 *   error  ERR_FEATURE where Z3 is not there; ERR_SYNTAX where an invariant
 *          that the program states is not kept */
bool prove_level(const struct program *p, const struct level_choice *isolation,
                 const struct search_limits *limits, struct prove_result *out,
                 struct err *err);
/* Look for an anomaly in one sequence of functions, whose names are separated
 * by commas: the first is interrupted at rc, the last delayed at other levels.
 *
 *   error  ERR_USAGE for a name that is no function, or too many of them */
bool prove_sequence(const struct program *p,
                    const struct level_choice *isolation, const char *names,
                    const struct search_limits *limits,
                    struct prove_result *out, struct err *err);
/* Look for the distinct anomalies: those of other functions, or of other
 * statements.  'unknown' where there is none.  The findings are to be freed. */
bool prove_each(const struct program *p, const struct level_choice *isolation,
                const struct search_limits *limits, struct findings *each,
                struct prove_result *out, struct err *err);
/* The result of a level whose limit was reached: unknown. */
void prove_give_up(struct prove_result *out, const struct limit_stop *stop);
void prove_free(struct prove_result *r);

/* The level of a name: those of 'assay levels' from rc to ser, and ec for
 * read atomic, which it is where there are no sessions. */
bool prove_parse_level(const char *text, size_t len, enum level *out,
                       struct err *err);

#endif

/* prove.h -- what 'assay prove' shows besides verdicts.
 *
 * SPDX-License-Identifier: MIT */
#ifndef CLI_PROVE_PROVE_H
#define CLI_PROVE_PROVE_H

#include "cli/cli.h"
#include "cli/isolation.h"
#include "robust/prove.h"

/* Show the weakest levels, for all functions and for each; 'files' is the name
 * of the program.  Returns the exit status. */
int prove_show_weakest(const struct options *o, const struct program *p,
                       const struct search_limits *limits, const char *files);

/* Show repairs of a program that is not proved, after its verdict. */
bool prove_show_repairs(const struct options *o, const struct program *p,
                        const struct level_choice *levels,
                        const struct search_limits *limits, struct buf *out,
                        struct err *err);

/* The same where the limit was reached before there were any. */
void prove_show_no_repairs(const struct options *o,
                           const struct limit_stop *stop, struct buf *out);

/* Write the queries of a proof, numbered, into the directory of --smt. */
bool prove_write_queries(const struct options *o,
                         const struct level_choice *levels,
                         const struct prove_result *r,
                         const struct proof_log *log, struct err *err);

#endif

/* tally.h -- the results of a campaign, added up.
 *
 * The tally depends on the results alone: not on the order in which they came,
 * on the workers, or on the directory's name.
 *
 * SPDX-License-Identifier: MIT */
#ifndef CAMPAIGN_TALLY_H
#define CAMPAIGN_TALLY_H

#include "campaign/directory.h"
#include "campaign/known.h"

// Verdicts, in the order of reports.
enum {
    TALLY_HELD,
    TALLY_VIOLATED, // or with another finding
    TALLY_UNKNOWN,
    TALLY_REFUSED, // by 'assay test': the run did not take place
    TALLY_LATE,    // ended for lack of time
    TALLY_VERDICTS
};

extern const char *const tally_verdicts[TALLY_VERDICTS];

/* A target, a level and a workload. */
struct tally_cell {
    const char *target, *level, *workload;
    uint64_t runs[TALLY_VERDICTS], committed, pairs, conflicts;
    double seconds;
};

/* A finding of a signature on a target at a level. */
struct tally_finding {
    const char *target, *level, *signature;
    struct campaign_finding smallest; // of the run with the fewest transactions
    size_t run;                       // that one
    const char *command, *kept, *script; // "": there is none
    uint64_t runs, of;                   // with it, of those that took place
    const char *known;                   // the reason; NULL: it is new
};

/* What runs did not check, or could not do. */
struct tally_lead {
    const char *text;    // without numbers
    const char *example; // as one run said it
    uint64_t runs;
    size_t run; // the first
    const char *command;
};

/* Texts are in the arena. */
struct tally {
    size_t planned, done;
    uint64_t runs[TALLY_VERDICTS], committed, pairs;
    uint64_t repeated; // runs that were claimed again after a worker ended
    VEC(struct tally_cell) cells;       // sorted
    VEC(struct tally_finding) findings; // new ones first, then by size
    VEC(struct tally_lead) leads;       // most runs first
    VEC(const char *) unseen; // rows of known findings that no run showed
    uint64_t unreadable;      // files of results
    size_t new_findings;
    struct arena arena;
};

/* Add up the results that are there. */
void tally_read(const struct directory *d, const struct known *known,
                struct tally *out);
void tally_free(struct tally *t);

/* Whether no run of a cell took place. */
bool tally_is_untested(const struct tally_cell *c);

/* The exit status: 1 for a new finding, 2 if every run was refused, 3 if runs
 * are left, late or unknown, or if a cell was not tested, otherwise 0. */
int tally_status(const struct tally *t);

/* From where to where the rate of k in n lies, with 95 % confidence (Wilson
 * 1927). */
void tally_interval(uint64_t k, uint64_t n, double *low, double *high);

#endif

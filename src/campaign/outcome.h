/* outcome.h -- the outcome of a run: a few facts, small enough for millions.
 *
 * They are read from what 'assay test' leaves: its result as JSON, its exit
 * status, its messages, and what it keeps of a violation.  The result of a run
 * is one line of JSON, whose members the code of outcome_put lists.
 *
 * The signature of a finding is its kind, its tables and the shape of its
 * transactions: "read+update|delete" are two transactions, one of which reads
 * and updates, the other one deletes.  Digits in names become #, so that
 * findings in generated schemas are the same.
 *
 * SPDX-License-Identifier: MIT */
#ifndef CAMPAIGN_OUTCOME_H
#define CAMPAIGN_OUTCOME_H

#include "base/buf.h"
#include "base/container/vec.h"
#include "base/memory/arena.h"

struct campaign_finding {
    const char *level;  // that it violates first; "" where it violates none
    const char *kind;   // "lost-update", "server-crashed", "assay-failed"
    const char *tables; // separated by commas; "" where there are none
    const char *shape;  // "" where it is not known
    const char *title;  // one line
    const char *text;   // the explanation
    uint64_t transactions;
};

/* What 'assay test' prints on stderr if a signal ended the workload early. */
#define OUTCOME_INTERRUPTED "interrupted: the run ended early"

typedef VEC(const char *) outcome_words;

/* What a run found of a level: "ok", "violated", "unknown". */
struct level_outcome {
    const char *level, *verdict;
};

/* Texts are in the arena.  All-zero is empty. */
struct run_outcome {
    const char *verdict;  // "held", "violated", "unknown", "refused", "late"
    const char *database; // as it describes itself, or ""
    const char *message;  // the last one, where it was refused or unknown
    const char *kept;     // the directory of what was found, or ""
    uint64_t committed, aborted, unknown, pairs, conflicts;
    uint64_t results; // objects that were read, of the run or of a script
    double seconds;
    unsigned claim;
    const char *worker;
    outcome_words command; // words of 'assay test'
    VEC(struct level_outcome) levels;
    VEC(struct campaign_finding) findings;
    outcome_words leads; // what the run did not check, one line each
    struct arena arena;
};

struct outcome_source {
    const char *json, *log; // files that the run wrote
    const char *kept;       // the directory of what it kept, or ""
    int status;             // of waitpid
    bool is_late;           // it was ended
};

/* Read what a run left. */
void outcome_take(const struct outcome_source *s, struct run_outcome *out);

/* Whether a signal ended the run early, so that it has to be repeated. */
bool outcome_is_interrupted(const struct outcome_source *s);

/* Append the line of a run. */
void outcome_put(const struct run_outcome *o, struct buf *out);

/* Read that line; false if it is none. */
bool outcome_read(const char *text, size_t n, struct run_outcome *out);
void outcome_free(struct run_outcome *o);

/* Read the words of a run (plan.h). */
void outcome_read_words(const char *text, size_t n, struct arena *arena,
                        outcome_words *out);

/* Append the signature of a finding. */
void outcome_signature(const struct campaign_finding *f, struct buf *out);

/* Append a message without what differs from run to run: numbers and names in
 * quotes. */
void outcome_plain(const char *message, struct buf *out);

#endif

/* audit.h -- from a recorded test suite to the races of its endpoints.
 *
 * The suite runs once, through the recording proxy.  Then: what could its
 * requests do at once on this database?  Each prediction is tried on a copy of
 * the database, and for each a smallest repair is looked for.
 *
 * SPDX-License-Identifier: MIT */
#ifndef AUDIT_AUDIT_H
#define AUDIT_AUDIT_H

#include "audit/trial.h"

#include <signal.h>

struct audit_options {
    const char *target;    // postgresql://...
    const char *tables;    // to record; NULL: all
    const char *reset;     // a command that restores the state, or NULL
    const char *directory; // for the history and the page
    const struct database_level *on;
    const char *const *command; // the test suite; ends with NULL
    unsigned threads;
    const volatile sig_atomic_t *stop;

    /* A phase begins: "recording". */
    void (*phase)(void *self, const char *phase);
    void *self;
};

/* One step of a schedule, as the page shows it. */
struct audit_step {
    uint32_t column; // of 'names'
    const char *sql;
    const char *sees; // of a changed read: what it sees instead; or NULL
};

/* Predictions about the same endpoints. */
struct audit_finding {
    const char *kind;      // "lost update"
    const char *table;     // of the row that is read too early
    const char *endpoints; // "leave and book", or "leave, twice"
    const char *sentence;  // what goes wrong
    const char *repair;    // what to change
    bool is_checked;       // with the repair nothing is predicted of them
    bool is_open;          // on a condition
    enum trial_outcome outcome;
    const char *why;         // it diverged; or ""
    size_t others;           // predictions that are not shown
    VEC(const char *) names; // of the transactions: one column each
    VEC(struct audit_step) steps;
};

struct audit {
    VEC(struct audit_finding) findings; // shown ones first
    size_t txns, endpoints, partial, shown, prevented;
    size_t rolled_back; // transactions that are not in txns
    int status;         // of the command, as waitpid says
    bool is_cut;        // a limit ended the search
    bool is_serial;     // the database allows nothing else
    bool is_untested;   // no two transactions that could conflict
    struct arena arena;
};

/* Do all of it, and write DIR/run.jsonl and DIR/index.html.  Fails where there
 * is no history, or one that is not serializable itself. */
bool audit_run(const struct audit_options *o, struct audit *out,
               struct err *err);
void audit_free(struct audit *a);

/* Why the suite tested nothing; "" if it did. */
const char *audit_untested(const struct audit *a);

/* page.c: the findings as one page for a browser. */
void audit_page(const struct audit *a, const struct audit_options *o,
                struct buf *out);

#endif

/* origin.h -- how a history came about, where this program recorded it: the
 * database, what was asked of it, and how the run went.
 *
 * SPDX-License-Identifier: MIT */
#ifndef REPORT_ORIGIN_H
#define REPORT_ORIGIN_H

#include "base/buf.h"

#include <stdbool.h>
#include <stdint.h>

/* Why transactions did not commit. */
struct report_failure {
    bool is_unknown; // else they were aborted
    const char *code, *message;
    uint64_t n;
};

/* What was done to a server. */
struct report_fault {
    const char *kind;    // "kill"
    size_t node;         // from 1
    double began, ended; // seconds since the run began
};

/* What findings ask for as the exit status. */
enum { FINDING_DEFECT = 1, FINDING_NOT_RUN = 2 };

/* Errors that say something about the server, not about a level. */
struct report_finding {
    const char *name, *advice; // "server crashed"
    int status;                // one of the two above
    uint64_t n;
    const char *code, *message, *statement; // of the first
};

/* From when to when, in seconds since the run began. */
struct report_span {
    double began, ended;
};

/* A statement that ran beside the workload. */
struct report_nemesis {
    const char *statement; // with its time, as it was given
    uint64_t runs, failures;
    const struct report_span *times; // of the first runs
    size_t n_times;                  // at most 'runs'
    const char *message;             // of the first failure
};

/* Texts are borrowed and may hold any bytes; none is NULL. */
struct report_origin {
    const char *database;        // "PostgreSQL 15.18", or the target
    const char *note;            // all that the database says it is
    const char *isolation;       // requested, "repeatable read"; "": none
    const char *isolation_found; // as the server calls it; "": not known
    const char *settings;        // "fsync = on", one per line
    const char *setup;           // SQL for the sessions; ""
    const char *workload;
    uint64_t nodes; // of the database
    uint64_t sessions, keys, seed;
    double seconds;
    uint64_t committed, aborted, unknown, reconnects;
    uint64_t operations, writes; // of all transactions; the others are reads
    const struct report_failure *failures; // their sum: aborted + unknown
    size_t n_failures;
    const struct report_fault *faults;
    size_t n_faults;
    const struct report_nemesis *nemesis;
    size_t n_nemesis;
    const struct report_finding *findings;
    size_t n_findings;
};

/* Append what was run and how it went: lines for a terminal, the member "run"
 * of a JSON object, a section of a page. */
void origin_text(const struct report_origin *o, struct buf *out);
void origin_json(const struct report_origin *o, struct buf *out);
void origin_html(const struct report_origin *o, struct buf *out);

/* Append a finding on one line, and all of them for a terminal. */
void origin_finding(const struct report_finding *f, struct buf *out);
void origin_findings(const struct report_origin *o, struct buf *out);

/* Append an isolation level in capital letters. */
void origin_isolation(const char *name, struct buf *out);

#endif

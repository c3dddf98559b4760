/* inspection.h -- one history from a file to reports: read, check, verify,
 * explain, show.
 *
 * This is what 'assay check' and 'assay report' do with each of their files,
 * and 'assay test' with what it has recorded.  Nothing here prints or looks at
 * a command line.  Reports are appended to by the caller's sinks (report.h);
 * everything else comes back as a result.
 *
 *     struct inspection_options o = inspection_defaults();
 *     o.check.levels = 1u << LEVEL_SER;
 *     ok = inspection_run(&o, "history.jsonl", NULL, &result, &err);
 *
 * The user's limits hold in every phase.  A limit that is reached never loses a
 * verdict: what came before it stands.  Where there are limits, the work runs
 * in a child process (base/limits/limit.h), which the caller does not see,
 * except that no other thread may run meanwhile.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PIPELINE_INSPECTION_H
#define PIPELINE_INSPECTION_H

#include "check/check.h"
#include "explain/explain.h"
#include "format/format.h"
#include "history/summary.h"
#include "report/report.h"

/* What is known about one history. */
struct inspection {
    const char *path;            // what reports call the history
    const struct format *format; // NULL: a limit was reached while reading
    struct history history;
    struct summary summary;
    struct check check;
    struct explanation *explanations; // one for each of check.results
    bool *explained;                  // likewise: whether it is there already
    struct check others;              // levels not asked for; may be empty
    struct partial partial;           // what was not recorded
    struct overlap overlap;           // where options->power asks for it
    struct timeline timeline;         // of a recording; may be empty
    double load_seconds;              // of CPU time
    double began;                     // on the clock of time_now()
};

/* Callbacks, each of which may be NULL. */
struct inspection_observer {
    void *self;
    /* A phase, "reading", begins and ends.  Not called where there are limits:
     * what observes may need a thread. */
    void (*begin)(void *self, const char *phase, const char *path);
    void (*end)(void *self);
    /* What check/check.h tells, from several threads, and "explaining".
     * 'level' is not called where there are limits. */
    void (*level)(void *self, enum level level, const char *phase);
    /* A level is decided.  'final': its row of i->check.results and that of
     * i->explanations are what reports will show. */
    void (*decided)(void *self, const struct inspection *i,
                    const struct level_result *r, bool final);
    /* Everything is done; called before the inspection is freed. */
    void (*done)(void *self, const struct inspection *i);
};

struct inspection_options {
    const char *format; // of the input, or "auto"
    const char *name;   // what to call the history; NULL: its path
    const char *file;   // where it is found later; NULL: under its name
    bool session_order;
    bool explain;          // violated levels
    bool full_summary;     // more than sizes, for an HTML report
    bool all_levels;       // decide those not asked for, too, for the answer
    bool lines;            // find out where transactions are, for SARIF
    bool power;            // count what could have gone wrong, for the reports
    bool require_complete; // what is recorded in part is 'unknown', not 'ok'
    bool require_power;    // a weak test is 'unknown', not 'ok'; with 'power'
    const struct report_origin *origin; // of a recording; or NULL
    struct check_options check;
    struct explain_options explaining;

    struct report *reports; // that the result is added to
    size_t n_reports;
    const char *certificate;             // where to write it, or NULL
    const char *reduced;                 // likewise, the reduced history
    const struct format *reduced_format; // of 'reduced'
    struct inspection_observer observer;
};

/* Everything on, no levels, no limits, one thread. */
struct inspection_options inspection_defaults(void);

struct inspection_result {
    // The worst: violated, then unknown, then ok.
    enum verdict verdict;
    struct buf notes; // for people, a line each; the caller frees it
};

/* Inspect the history in a file.  'name' is what to call it, NULL: its path.
 * Fails where it cannot be read or checked, or a file cannot be written. */
bool inspection_run(const struct inspection_options *o, const char *path,
                    const char *name, struct inspection_result *out,
                    struct err *err);

/* The first half, for callers that use the results themselves: read, check,
 * verify, explain. */
bool inspection_read(const struct inspection_options *o, const char *path,
                     struct inspection *out, struct err *err);
void inspection_free(struct inspection *i);

/* The same for a history that is there already, with its format and summary,
 * in *out, where nothing else is set.  On failure the caller frees it.
 *
 *   require  no limits are set; o->name is */
bool inspection_decide(const struct inspection_options *o,
                       struct inspection *out, struct err *err);

/* Add the result to a report. */
void inspection_show(const struct inspection_options *o,
                     const struct inspection *i, struct report *to);

/* The worst verdict of all levels; what holds is 'unknown' where the options
 * require more than the history shows. */
enum verdict inspection_verdict(const struct inspection_options *o,
                                const struct inspection *i);

/* Whether the levels that held had few chances to fail (report/power.h); the
 * options asked for 'power'. */
bool inspection_is_weak(const struct inspection *i);

/* The second half: add it to the reports, write the files that the options
 * name, and free it. */
bool inspection_finish(const struct inspection_options *o, struct inspection *i,
                       struct inspection_result *out, struct err *err);

#endif

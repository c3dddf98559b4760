/* assay.h -- check from inside a program whether transactions were isolated.
 *
 * Record what transactions read and wrote, or load a history.  Check it against
 * isolation levels.  Then print the story or go through the anomalies.
 *
 *     assay *a = assay_new();
 *     assay_recorder *rec = assay_recorder_new(a);
 *     ... on each thread:
 *     assay_session *s = assay_session_open(rec, "worker 7");
 *     assay_begin(s);
 *     assay_read_int(s, "x", 1);        // what the database returned
 *     assay_write_int(s, "x", 2);
 *     assay_end(s, ASSAY_COMMITTED);
 *     ...
 *     assay_history *h = assay_recorder_finish(rec);
 *     assay_result *r = assay_check(a, h, "si");
 *     if (assay_verdict(r) != ASSAY_HOLDS)
 *         puts(r ? assay_result_text(r, "text", NULL) : assay_error());
 *
 * Rules for every function
 *
 * Names.      Functions and types begin with assay_, constants with ASSAY_.
 *             The library exports nothing else.
 * Handles.    All types are opaque.  Each handle has one function that frees
 *             it and accepts NULL.  Handles may be freed in any order.  A
 *             session belongs to its recorder, an anomaly to its result or
 *             prediction.
 * Strings.    UTF-8 with a zero byte at the end.  Arguments are copied.  A
 *             const char * that is returned belongs to the handle and is valid
 *             until the handle is freed, or as its comment says.
 * Errors.     Functions that make a handle return NULL, others a negative
 *             assay_status.  assay_error() then has the message of this
 *             thread.  A violation is not an error.  Calls on a session never
 *             fail: assay_recorder_finish reports the first error.
 * NULL.       A function that takes a handle accepts NULL: it does nothing, or
 *             returns NULL, 0 or ASSAY_E_USAGE.  A chain of calls needs one
 *             test at its end.
 * Threads.    Different handles: any threads, without locks.  One handle: one
 *             thread at a time.  There are four exceptions.  Any number of
 *             threads may use one assay for calls that make handles, check one
 *             history, open sessions of one recorder, and call assay_cancel.
 *             Set options and callbacks before other threads use the assay.
 *             The library starts threads only if ASSAY_THREADS is above 1.
 * The process. No signals, no fork, no exit, no output, no environment, no
 *             locale, and no files other than those named in a call.  Running
 *             out of memory is an error value.
 * Callbacks.  Called on the thread of the call, or on a thread of the library,
 *             one at a time.  They must return: no longjmp, no exception.  They
 *             may call assay_cancel and nothing else.
 * Versions.   Semantic.  Within a major version functions and numbers are only
 *             added, verdicts change only where they were wrong, and JSON only
 *             gets more members.  The shared library is libassay.so.1; symbols
 *             carry the version in which they appeared: ASSAY_1.0, ASSAY_1.1,
 * ...
 *
 * SPDX-License-Identifier: MIT */
#ifndef ASSAY_ASSAY_H
#define ASSAY_ASSAY_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifndef ASSAY_API
#if defined __GNUC__
#define ASSAY_API __attribute__((visibility("default")))
#else
#define ASSAY_API
#endif
#endif

/* --- version ---------------------------------------------------------------*/

#define ASSAY_API_VERSION 10200 /* major * 10000 + minor * 100 + patch */

/* The version of the interface of the library that runs.  It may be newer than
 * this header. */
ASSAY_API int assay_version(void);
/* The version of the program that the library belongs to: "0.1.0". */
ASSAY_API const char *assay_version_text(void);

/* Whether this library can do something: "threads", "gzip", "zstd".  1 or 0. */
ASSAY_API int assay_has(const char *feature);

/* --- numbers ---------------------------------------------------------------*/

typedef enum assay_status {
    ASSAY_OK = 0,
    ASSAY_E_USAGE = -1,     /* the call is wrong: a bug of the caller */
    ASSAY_E_SYNTAX = -2,    /* the input does not have its format */
    ASSAY_E_IO = -3,        /* the system refused */
    ASSAY_E_MEMORY = -4,    /* the system has no more memory */
    ASSAY_E_LIMIT = -5,     /* a limit of the caller was reached */
    ASSAY_E_CANCELLED = -6, /* assay_cancel, or the progress callback */
    ASSAY_E_CAPACITY = -7,  /* more than the library can number */
    ASSAY_E_FEATURE = -8,   /* this library or format cannot do it */
    ASSAY_E_INTERNAL = -9   /* a bug in the library; there is no verdict */
} assay_status;

typedef enum assay_verdict_t { /* the exit statuses of the program */
                               ASSAY_HOLDS = 0,
                               ASSAY_VIOLATED = 1,
                               ASSAY_UNKNOWN = 3
} assay_verdict_t;

typedef enum assay_answer_t { /* of predictions; likewise.  Since 1.2 */
                              ASSAY_NONE_PREDICTED = 0,
                              ASSAY_PREDICTED = 1,
                              ASSAY_PREDICTION_UNKNOWN = 3
} assay_answer_t;

typedef enum assay_outcome {
    ASSAY_COMMITTED = 0,
    ASSAY_ABORTED = 1,
    ASSAY_INDETERMINATE = 2 /* no answer: it may have committed or not */
} assay_outcome;

typedef enum assay_option {
    ASSAY_TIMEOUT_MS = 1,    /* of each call; 0 = none (default) */
    ASSAY_MEMORY = 2,        /* bytes in use by each call; 0 = no limit */
    ASSAY_THREADS = 3,       /* 1 (default) to 64 */
    ASSAY_VERIFY = 4,        /* check certificates independently; default 1 */
    ASSAY_EXPLAIN = 5,       /* anomalies per violated level; default 5 */
    ASSAY_SESSION_ORDER = 6, /* 0: sessions give no order; default 1.  For
                                histories that are made afterwards */
    ASSAY_WORK = 7,          /* steps per level, 0 = no end (default): a limit
                                with the same verdict on every machine */
    ASSAY_CLOCK = 8,         /* 0: sessions take no times; default 1.  For
                                recorders that are made afterwards */
    ASSAY_COMPLETE = 9       /* 1: where transactions were recorded in part,
                                assay_verdict is 'unknown' instead of 'holds';
                                default 0.  Since 1.1 */
} assay_option;

/* --- the library, configured -----------------------------------------------*/

typedef struct assay assay;
typedef struct assay_recorder assay_recorder;
typedef struct assay_session assay_session;
typedef struct assay_history assay_history;
typedef struct assay_result assay_result;
typedef struct assay_anomaly assay_anomaly;
typedef struct assay_prediction assay_prediction; /* since 1.2 */

ASSAY_API assay *assay_new(void);
ASSAY_API void assay_free(assay *a);

/* An option.  ASSAY_E_USAGE: unknown or out of range. */
ASSAY_API assay_status assay_set(assay *a, assay_option o, int64_t value);
ASSAY_API int64_t assay_get(const assay *a, assay_option o);

/* Called when a phase begins: "reading", "deciding", "verifying", "explaining".
 * Any result but 0 cancels the call. */
typedef int assay_progress(void *self, const char *phase);
ASSAY_API void assay_set_progress(assay *a, assay_progress *p, void *self);

/* Make the calls with a end soon with ASSAY_E_CANCELLED: those in progress on
 * other threads, and those to come until assay_uncancel.  Safe in a signal
 * handler. */
ASSAY_API void assay_cancel(assay *a);
ASSAY_API void assay_uncancel(assay *a);

/* The last error on this thread: "h.jsonl:3:14: found ']', expected a value".
 * "" where the last call succeeded.  Valid until the next call on this
 * thread that can fail. */
ASSAY_API const char *assay_error(void);
ASSAY_API assay_status assay_error_status(void);
ASSAY_API uint64_t assay_error_line(void);   /* from 1; 0 = not known */
ASSAY_API uint64_t assay_error_column(void); /* likewise */

/* --- levels ----------------------------------------------------------------*/

/* The short names, weakest first: "rc", "ra", "cc", "pc", "psi", "si", "ser",
 * "strict-si", "strict-ser".  NULL beyond the last. */
ASSAY_API const char *assay_level_name(size_t i);

/* The short name for any name of a level ("snapshot-isolation", "SER"), or
 * NULL. */
ASSAY_API const char *assay_level_find(const char *name);
ASSAY_API const char *assay_level_title(const char *name);
ASSAY_API const char *assay_level_meaning(const char *name);

/* Whether 'stronger' implies 'weaker': 1, 0, or ASSAY_E_USAGE. */
ASSAY_API int assay_level_implies(const char *stronger, const char *weaker);

/* --- recording -------------------------------------------------------------*/

/* A recorder collects what sessions do.  A session is a connection, or whatever
 * runs one transaction after another.  It belongs to one thread at a time.  Its
 * calls take no lock and no system call except the clock. */
ASSAY_API assay_recorder *assay_recorder_new(assay *a);
ASSAY_API void assay_recorder_free(assay_recorder *r);

/* Open a session.  NULL: it is called "s1", "s2", ...  Two sessions must not
 * have the same name. */
ASSAY_API assay_session *assay_session_open(assay_recorder *r,
                                            const char *name);

/* Begin before the first byte goes to the database, and end after the answer to
 * COMMIT has arrived.  Then the times suit the strict levels.  A transaction
 * that never ends, or whose session begins another one, is indeterminate.  The
 * functions with a time take nanoseconds on any one clock instead: use them for
 * all transactions of a recorder, or for none. */
ASSAY_API void assay_begin(assay_session *s);
ASSAY_API void assay_begin_at(assay_session *s, int64_t nanoseconds);
ASSAY_API void assay_end(assay_session *s, assay_outcome o);
ASSAY_API void assay_end_at(assay_session *s, assay_outcome o,
                            int64_t nanoseconds);

/* The name of the current transaction, for explanations. */
ASSAY_API void assay_name(assay_session *s, const char *name);
/* A JSON object that explanations show with it. */
ASSAY_API void assay_meta(assay_session *s, const char *json);

/* Registers: what the database returned, and what was sent to it. */
ASSAY_API void assay_read_int(assay_session *s, const char *key, int64_t value);
ASSAY_API void assay_read_text(assay_session *s, const char *key,
                               const char *value);
/* The key had no value: its initial state. */
ASSAY_API void assay_read_nil(assay_session *s, const char *key);
ASSAY_API void assay_write_int(assay_session *s, const char *key,
                               int64_t value);
ASSAY_API void assay_write_text(assay_session *s, const char *key,
                                const char *value);

/* Lists: an element appended, and the n elements that a read returned. */
ASSAY_API void assay_append_int(assay_session *s, const char *key,
                                int64_t element);
ASSAY_API void assay_read_list_int(assay_session *s, const char *key,
                                   const int64_t *elements, size_t n);

/* The current transaction read more than is recorded, for example "which rows
 * the statement did not find".  A violation that is found stands; what holds,
 * holds as far as it was recorded.  Call it once for each kind of gap.  Since
 * 1.1. */
ASSAY_API void assay_partial(assay_session *s, const char *what);

/* An operation in the notation of the format jsonl, for rows and conditions:
 * ["q",{"table":"t","where":"v > 5"},[]] */
ASSAY_API void assay_op_json(assay_session *s, const char *op);

/* The history.  Frees the recorder and its sessions, also on failure.  No
 * session may be in use. */
ASSAY_API assay_history *assay_recorder_finish(assay_recorder *r);

/* --- histories -------------------------------------------------------------*/

/* 'format' is a name that 'assay formats' lists, or NULL: by the contents. */
ASSAY_API assay_history *assay_load(assay *a, const char *path,
                                    const char *format);
ASSAY_API assay_history *assay_parse(assay *a, const void *bytes, size_t n,
                                     const char *format);
ASSAY_API void assay_history_free(assay_history *h);

/* What reports call the history; at first its path, or "history". */
ASSAY_API assay_status assay_history_set_name(assay_history *h,
                                              const char *name);

/* Write the history.  A file is written completely or not at all. */
ASSAY_API assay_status assay_save(const assay_history *h, const char *path,
                                  const char *format);

ASSAY_API uint64_t assay_sessions(const assay_history *h);
ASSAY_API uint64_t assay_transactions(const assay_history *h);
ASSAY_API uint64_t assay_operations(const assay_history *h);
ASSAY_API uint64_t assay_fingerprint(const assay_history *h);

/* --- checking --------------------------------------------------------------*/

/* Decide levels: "si", "si,ser", "all".  NULL: bad usage, no memory, or
 * cancelled; with no history, the error of the call before stays.  Where a
 * limit is reached, the result has the verdicts that were reached before, and
 * the other levels are unknown. */
ASSAY_API assay_result *assay_check(assay *a, const assay_history *h,
                                    const char *levels);
ASSAY_API void assay_result_free(assay_result *r);

/* The worst verdict: violated, then unknown, then holds.  ASSAY_UNKNOWN for
 * NULL: a call that failed is never taken for 'holds'. */
ASSAY_API assay_verdict_t assay_verdict(const assay_result *r);

/* How many transactions were recorded in part; aborted ones do not count.
 * Where it is not 0, a level that holds does so as far as it was recorded, as
 * the text of the result says.  ASSAY_COMPLETE makes it 'unknown'.  Since
 * 1.1. */
ASSAY_API uint64_t assay_result_partial(const assay_result *r);

/* One row per level, weakest first. */
ASSAY_API size_t assay_result_levels(const assay_result *r);
ASSAY_API const char *assay_result_level(const assay_result *r, size_t row);
ASSAY_API assay_verdict_t assay_result_verdict(const assay_result *r,
                                               size_t row);
/* Why the verdict is unknown; "" where it is not. */
ASSAY_API const char *assay_result_reason(const assay_result *r, size_t row);

/* What the reader of the history noted, one line each; "" for nothing. */
ASSAY_API const char *assay_result_notes(const assay_result *r);

/* The whole result: "text", "markdown", "json", "html", "svg", "dot", "junit"
 * or "sarif".  Valid until the next call for r with this format. */
ASSAY_API const char *assay_result_text(assay_result *r, const char *format,
                                        size_t *len);
ASSAY_API assay_status assay_result_save(assay_result *r, const char *format,
                                         const char *path);

/* The certificate of a row, as 'assay certify' reads it.  Valid until the next
 * call for r. */
ASSAY_API const char *assay_certificate(assay_result *r, size_t row,
                                        size_t *len);

/* Check a certificate without the engines that made it.  ASSAY_E_SYNTAX: it
 * does not show its claim; assay_error says why. */
ASSAY_API assay_status assay_certify(assay *a, const assay_history *h,
                                     const char *certificate, size_t len);

/* --- anomalies -------------------------------------------------------------*/

ASSAY_API size_t assay_anomalies(const assay_result *r, size_t row);
ASSAY_API const assay_anomaly *assay_anomaly_at(const assay_result *r,
                                                size_t row, size_t i);
ASSAY_API const char *assay_anomaly_name(const assay_anomaly *x);
ASSAY_API const char *assay_anomaly_adya(const assay_anomaly *x);
ASSAY_API const char *assay_anomaly_headline(const assay_anomaly *x);
ASSAY_API const char *assay_anomaly_story(const assay_anomaly *x);
ASSAY_API const char *assay_anomaly_advice(const assay_anomaly *x);

/* Its transactions and their operations: "r(x, 5)".  The meta object may be
 * NULL. */
ASSAY_API size_t assay_anomaly_txns(const assay_anomaly *x);
ASSAY_API const char *assay_anomaly_txn(const assay_anomaly *x, size_t t);
ASSAY_API const char *assay_anomaly_session(const assay_anomaly *x, size_t t);
ASSAY_API const char *assay_anomaly_meta(const assay_anomaly *x, size_t t);
ASSAY_API size_t assay_anomaly_ops(const assay_anomaly *x, size_t t);
ASSAY_API const char *assay_anomaly_op(const assay_anomaly *x, size_t t,
                                       size_t op);

/* Its dependencies: "so", "wr", "ww", "rw" or "time" from one transaction to
 * another.  The key is NULL for so and time.  The pointers may be NULL. */
ASSAY_API size_t assay_anomaly_edges(const assay_anomaly *x);
ASSAY_API const char *assay_anomaly_edge(const assay_anomaly *x, size_t i,
                                         size_t *from, size_t *to,
                                         const char **key, const char **why);

/* The transactions of the anomaly alone, as a text in the format jsonl, for a
 * test of their own.  Valid until the next call for r. */
ASSAY_API const char *assay_anomaly_history(assay_result *r, size_t row,
                                            size_t i, size_t *len);

/* --- predicting: since 1.2 ---------------------------------------------------
 */

/* Look for executions that the same program could also have had at a level, and
 * that no serial order explains: what could go wrong, from a run that went
 * well.  Levels: "si", "rc,si", "all" for rc, ra, cc, pc, psi and si; or a
 * database at one of its own, "postgresql:rc", as 'assay predict --on' lists
 * them.  Up to 'most' different predictions for each level, the simplest first;
 * 0 is 1.
 *
 * NULL: bad usage, a history that is not serializable itself, no memory, or
 * cancelled; with no history, the error of the call before stays.  A level at
 * which a limit is reached is unknown. */
ASSAY_API assay_prediction *assay_predict(assay *a, const assay_history *h,
                                          const char *levels, size_t most);
ASSAY_API void assay_prediction_free(assay_prediction *p);

/* Of all levels: predicted, then unknown, then none.  Unknown for NULL; and
 * with ASSAY_COMPLETE, where transactions were recorded in part, instead of
 * none. */
ASSAY_API assay_answer_t assay_answer(const assay_prediction *p);

/* One row per level, weakest first. */
ASSAY_API size_t assay_prediction_levels(const assay_prediction *p);
ASSAY_API const char *assay_prediction_level(const assay_prediction *p,
                                             size_t row);
ASSAY_API assay_answer_t assay_prediction_answer(const assay_prediction *p,
                                                 size_t row);

/* The predictions of a row: how many, and the anomaly of each; NULL where a
 * limit was reached before it was explained. */
ASSAY_API size_t assay_predictions(const assay_prediction *p, size_t row);
ASSAY_API const assay_anomaly *
assay_predicted_anomaly(const assay_prediction *p, size_t row, size_t i);

/* The predicted execution, as a text in the format jsonl.  Valid until the next
 * call for p. */
ASSAY_API const char *assay_predicted_history(assay_prediction *p, size_t row,
                                              size_t i, size_t *len);

/* All predictions: "text", "json", or side by side with what was observed:
 * "markdown", "html", "svg" or "dot".  Valid until the next call for p with
 * this format. */
ASSAY_API const char *assay_prediction_text(assay_prediction *p,
                                            const char *format, size_t *len);

#ifdef __cplusplus
}
#endif
#endif

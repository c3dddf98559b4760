/* handle.h -- what is behind the handles of assay.h.
 *
 * Every call that reads, checks or writes runs in a context (context.h) with
 * the options of its assay: the limits, the cancellation and the progress.
 * What it leaves allocated belongs to a handle; what it had allocated when it
 * was abandoned is gone.  Invariants:
 *   (1) nothing that may allocate with mem_alloc is called outside of
 *       handle_run: there, running out of memory would end the program;
 *   (2) an assay and a history are counted; who needs one holds a reference;
 *   (3) every function that can fail sets the error of the thread, or clears
 *       it.
 *
 * SPDX-License-Identifier: MIT */
#ifndef API_HANDLE_H
#define API_HANDLE_H

#include "assay/assay.h"
#include "base/err.h"
#include "base/limits/context.h"
#include "history/history.h"

#include <pthread.h>
#include <stdatomic.h>

enum { HANDLE_OPTIONS = ASSAY_COMPLETE + 1 };

struct assay {
    atomic_uint references;
    atomic_bool cancelled;
    int64_t options[HANDLE_OPTIONS];
    assay_progress *progress; // NULL: no callback
    void *progress_self;
    pthread_mutex_t lock; // of calls of 'progress'
};

struct format;

struct assay_history {
    atomic_uint references;
    struct assay *a;
    struct history h;
    const struct format *format;
    char *name; // for reports
};

/* Zeroed memory for a handle, NULL with an error where there is none. */
void *handle_alloc(size_t size);

/* A copy of a text, likewise. */
char *handle_copy(const char *text);

struct assay *handle_keep(struct assay *a);
struct assay_history *handle_keep_history(const struct assay_history *h);

/* A history handle for what was read, or NULL with an error.  Takes h over. */
struct assay_history *handle_history(struct assay *a, struct history *h,
                                     const struct format *format,
                                     const char *name);

/* --- errors of this thread -------------------------------------------------*/

void handle_clear_error(void);

/* Set the error; return its status. */
assay_status handle_fail(assay_status status, const char *message);
assay_status handle_fail_err(const struct err *err);
assay_status handle_fail_stop(const struct limit_stop *stop);

/* --- calls -----------------------------------------------------------------*/

/* A context with the options of a; 'limited': with its limits. */
void handle_context(struct assay *a, bool limited, struct context *c);

/* Run work(self) in such a context, with its limits.  'err', which belongs to
 * the work, becomes the error of the thread. */
assay_status handle_run(struct assay *a, void (*work)(void *self), void *self,
                        struct err *err);

/* A phase begins; abandons the work if the caller's function says so. */
void handle_tell(struct assay *a, const char *phase);

/* The path, which never means stdin or stdout. */
const char *handle_path(const char *path);

#endif

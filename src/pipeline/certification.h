/* certification.h -- check a certificate against its history.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PIPELINE_CERTIFICATION_H
#define PIPELINE_CERTIFICATION_H

#include "base/err.h"
#include "history/history.h"
#include "level/level.h"

/* What a certificate claims, and whether it proves the claim. */
struct certification {
    enum level level;
    const char *boundary; // of a prediction; NULL: a verdict about a level
    const char *verdict;  // "ok", "violated", "unknown"; "none"
    bool is_empty;        // 'unknown' claims nothing
    struct err flaw;      // why it proves nothing; no error: it does
};

/* Read the certificate and check it.
 *
 *   error  a file that cannot be read, or is no certificate for the history */
bool certification_run(const char *path, const struct history *h,
                       struct certification *out, struct err *err);

/* The same for the text of a certificate. */
bool certification_of_text(const char *text, size_t n, const struct history *h,
                           struct certification *out, struct err *err);

/* Whether the file at a path is the order of a stream, which is checked in one
 * pass: the history need not fit into memory. */
bool certification_is_of_stream(const char *path);

/* Check the order of a stream. 'format' is "jsonl", "text" or "auto". */
bool certification_run_stream(const char *path, const char *history,
                              const char *format, struct certification *out,
                              struct err *err);

#endif

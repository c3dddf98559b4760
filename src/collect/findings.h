/* findings.h -- errors of a run that say something about the server.
 *
 * A run whose statements were refused, or whose server crashed, must not look
 * like one that tested the server and found nothing.  Findings are collected
 * while the sessions run, one row for each class of errors
 * (driver/server_error.h), with the first statement and message.
 *
 * SPDX-License-Identifier: MIT */
#ifndef COLLECT_FINDINGS_H
#define COLLECT_FINDINGS_H

#include "driver/server_error.h"

struct run_finding {
    uint64_t n; // failures; 0: none of this class
    char code[DRIVER_CODE];
    char message[256]; // of the first one, as are the others
    char statement[200];
};

/* By class. */
struct run_findings {
    struct run_finding at[SERVER_ERRORS];
};

/* Count the last failure of a connection, if its class is a finding. */
void findings_count(struct run_findings *f, const struct connection *c);

/* Add a finding that no statement has met. */
void findings_add(struct run_findings *f, enum server_error error,
                  const char *code, const char *message, const char *statement);

/* Add up what several sessions have met. */
void findings_join(struct run_findings *f, const struct run_findings *more);

#endif

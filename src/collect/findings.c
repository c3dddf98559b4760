/* findings.c -- see findings.h.
 *
 * SPDX-License-Identifier: MIT */
#include "collect/findings.h"

#include <stdio.h>

void
findings_add(struct run_findings *f, enum server_error error, const char *code,
             const char *message, const char *statement)
{
    struct run_finding *to = &f->at[error];
    if (to->n++)
        return;
    snprintf(to->code, sizeof to->code, "%s", code);
    snprintf(to->message, sizeof to->message, "%s", message);
    snprintf(to->statement, sizeof to->statement, "%s", statement);
}

void
findings_join(struct run_findings *f, const struct run_findings *more)
{
    for (int e = 0; e < SERVER_ERRORS; e++) {
        const uint64_t n = f->at[e].n;
        if (!n)
            f->at[e] = more->at[e];
        else
            f->at[e].n = n + more->at[e].n;
    }
}

void
findings_count(struct run_findings *f, const struct connection *c)
{
    const enum server_error error = server_error_of(c);
    if (server_findings[error].name)
        findings_add(f, error, c->code, c->message, c->statement);
}

/* server_error.h -- the meaning of an error, by its code.
 *
 * A driver reports the code and the message of a failure.  One table says what
 * they mean, for all databases: whether a refused statement had no effect for
 * sure, and whether the failure is a finding about the server or the workload.
 *
 * SPDX-License-Identifier: MIT */
#ifndef DRIVER_SERVER_ERROR_H
#define DRIVER_SERVER_ERROR_H

#include "driver/driver.h"

enum server_error {
    SERVER_ERROR_OTHER,      // not classified
    SERVER_ERROR_REFUSED,    // by a constraint, or a value: it had no effect
    SERVER_ERROR_SYNTAX,     // not understood, or names what is not there
    SERVER_ERROR_PERMISSION, // not allowed to this user
    SERVER_ERROR_INTERNAL,   // a bug, as the server itself says
    SERVER_ERROR_VANISHED,   // a row that no statement deletes was not found
    SERVER_ERROR_CRASH,      // a process of the server died
    SERVER_ERROR_DAMAGE,     // stored data are damaged
    SERVER_ERRORS
};

/* A class of errors as a finding. */
struct server_finding {
    const char *name;   // "server crashed"; NULL: the class is no finding
    int status;         // exit status: 1 = a defect of the server, 2 = the
                        // workload does not run
    const char *advice; // one sentence
};

extern const struct server_finding server_findings[SERVER_ERRORS];

/* The class of the last failure of a connection. */
enum server_error server_error_of(const struct connection *c);

/* The same for a code and a message of the driver with that scheme. */
enum server_error server_error_find(const char *scheme, const char *code,
                                    const char *message);

/* Whether a transaction that ended with this refused statement, its commit or
 * the statement that is all of it, had no effect for sure. */
bool server_error_is_refusal(const struct connection *c);

#endif

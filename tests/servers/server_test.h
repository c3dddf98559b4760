/* server_test.h -- what the tests that start servers share.
 *
 * A test binary starts its server once; where the server's programs are not
 * installed all tests are skipped.  A signal must not leave a server behind,
 * so those that end a program are caught and turn into an early end.
 *
 * SPDX-License-Identifier: MIT */
#ifndef TEST_SERVERS_SERVER_TEST_H
#define TEST_SERVERS_SERVER_TEST_H

#include "test.h"
#include "trial.h"

#include "server/server.h"

/* Start a server; false, with the TAP line that says so, where it cannot. */
static inline bool
start_or_skip(const char *what, struct servers *s)
{
    struct err err = {0};
    if (servers_start(what, s, &err))
        return true;
    char text[640];
    err_format(&err, text, sizeof text);
    printf("1..0 # SKIP %s\n", text);
    return false;
}

#endif

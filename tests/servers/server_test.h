/* server_test.h -- what the tests that start servers share.
 *
 * A test binary starts its server once.  Where the server's programs are not
 * installed all tests are skipped; where they are and do not start, that is a
 * failure.
 *
 * SPDX-License-Identifier: MIT */
#ifndef TEST_SERVERS_SERVER_TEST_H
#define TEST_SERVERS_SERVER_TEST_H

#include "expect.h"

#include "server/server.h"

/* Start a server; false where it is not installed, and where it does not
 * start, which prints its log and fails the test. */
static inline bool
start_server(const char *what, struct servers *s)
{
    struct err err = {0};
    char line[1024];
    if (servers_start(what, NULL, s, &err))
        return true;
    err_format(&err, line, sizeof line);
    printf("# %s\n", line);
    if (err.kind == ERR_FEATURE) {
        SKIP("the server is not installed");
        return false;
    }
    CHECK(!"the server starts");
    FILE *log = err.file[0] ? fopen(err.file, "r") : NULL;
    while (log && fgets(line, sizeof line, log))
        printf("# %s", line);
    if (log)
        fclose(log);
    return false;
}

/* The same for a binary that has one server: where it returns false the
 * result has been told already. */
static inline bool
start_or_skip(const char *what, struct servers *s)
{
    test_ok = true;
    test_skipped = NULL;
    if (start_server(what, s))
        return true;
    if (test_skipped)
        printf("1..0 # SKIP %s\n", test_skipped);
    else
        printf("not ok 1 - %s starts\n1..1\n", what);
    return false;
}

/* Every application is serializable on a server that is asked to be. */
static inline void
expect_of_applications(const char *url)
{
    for (size_t i = 0; app_list[i]; i++)
        expect(&(struct expectation){
            .trial = {.target = url,
                      .app = app_list[i]->name,
                      .isolation = ISOLATION_SERIALIZABLE,
                      .transactions = 150},
            .holds = LEVEL_BIT(LEVEL_SER),
            .commits = 20,
        });
}

#endif

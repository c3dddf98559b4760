/* ask.h -- ask a server something, with a limit on its answers.
 *
 * A server that starts may accept a connection and never answer, and one that
 * is frozen does so too.  So another thread asks, and when the time is up its
 * connection is cut.
 *
 * SPDX-License-Identifier: MIT */
#ifndef SERVER_ASK_H
#define SERVER_ASK_H

#include "driver/driver.h"

#include <signal.h>

/* A question to a server, on its own connection. */
typedef bool server_question(struct connection *c, struct err *err);

/* Connect to 'url' and ask; a question of NULL asks only what every connection
 * asks.  Fails if the connection or the question does, if all of it takes more
 * than 'patience' seconds, and when *interrupted, if not NULL, becomes true. */
bool server_ask(const char *url, server_question *question, double patience,
                const volatile sig_atomic_t *interrupted, struct err *err);

#endif

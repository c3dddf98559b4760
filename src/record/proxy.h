/* proxy.h -- passes the bytes between clients and a PostgreSQL server, and logs
 * what was asked and answered.
 *
 * It listens on loopback only.  It changes two things: the first message of a
 * client gets settings more (assay.record, jit, and for a superuser a role),
 * and messages of the server that our policies and triggers raised are taken
 * out.  It never adds a statement.  Messages of authentication are passed and
 * never kept.
 *
 * SPDX-License-Identifier: MIT */
#ifndef RECORD_PROXY_H
#define RECORD_PROXY_H

#include "base/err.h"
#include "record/raw_log.h"

#include <signal.h>
#include <sys/types.h>

struct proxy;

struct proxy_options {
    const char *host, *port; // of the server; a host with '/' is a directory
    const char *database;
    struct raw_log *log;
    size_t *others; // counts connections to other databases, which are passed
                    // and not recorded
    const volatile sig_atomic_t *stop;

    /* Whether a user can be recorded; if not, why.  See watch_admits. */
    bool (*admits)(void *self, const char *user, char *role, char *why,
                   size_t room);
    void *self;
};

/* Listen at "[ADDRESS:]PORT"; port 0 takes a free one. */
bool proxy_open(const struct proxy_options *o, const char *listen,
                struct proxy **out, struct err *err);

const char *proxy_host(const struct proxy *p);
unsigned proxy_port(const struct proxy *p);

/* Serve clients until *stop is set or, if 'command' is not 0, until that child
 * has ended; *status is then what waitpid says.  Clients that are still there
 * get 'patience' seconds to end. */
bool proxy_serve(struct proxy *p, pid_t command, int *status, double patience,
                 struct err *err);

void proxy_close(struct proxy *p);

#endif

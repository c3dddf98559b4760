/* ask.c -- see ask.h.
 *
 * To open the database connects, too.  Drivers limit that themselves, to
 * seconds.
 *
 * SPDX-License-Identifier: MIT */
#include "server/ask.h"

#include "base/time.h"

#include <pthread.h>
#include <string.h>

#define SHORTLY 0.002 // seconds between looks at the clock

struct asker {
    struct database db;
    server_question *question;
    bool ok;
    struct err err;
    atomic_bool is_over;
};

static void *
ask(void *arg)
{
    struct asker *a = arg;
    struct connection *c;
    a->ok = a->db.driver->connect(&a->db, 0, 0, &c, &a->err);
    if (a->ok) {
        a->ok = !a->question || a->question(c, &a->err);
        a->db.driver->disconnect(c);
    }
    atomic_store(&a->is_over, true);
    return NULL;
}

/* Wait for the answer; false if the connection had to be cut. */
static bool
await(struct asker *a, double until, const volatile sig_atomic_t *interrupted)
{
    while (!atomic_load(&a->is_over)) {
        if (time_now() > until || (interrupted && *interrupted)) {
            sockets_cut(&a->db.sockets);
            return false;
        }
        time_pause(SHORTLY);
    }
    return true;
}

bool
server_ask(const char *url, server_question *question, double patience,
           const volatile sig_atomic_t *interrupted, struct err *err)
{
    const double until = time_now() + patience;
    struct asker a = {.question = question};
    pthread_t thread;
    if (!database_open(url, ISOLATION_UNCHANGED, NULL, &a.db, err))
        return false;
    const int status = pthread_create(&thread, NULL, ask, &a);
    if (status != 0) {
        err_set(err, ERR_IO, "cannot start a thread: %s", strerror(status));
    } else {
        const bool is_answered = await(&a, until, interrupted);
        pthread_join(thread, NULL);
        if (!is_answered)
            err_set(err, ERR_IO, "no answer within %.0f seconds", patience);
        else if (!a.ok)
            *err = a.err;
        a.ok = a.ok && is_answered;
    }
    database_close(&a.db);
    return status == 0 && a.ok;
}

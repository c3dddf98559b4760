/* sockets.h -- the sockets of the connections of a database, so that another
 * thread can cut them off.
 *
 * A thread that waits for an answer of a server that is frozen waits for ever.
 * When its socket is shut down, the client library finds the connection lost.
 *
 * SPDX-License-Identifier: MIT */
#ifndef DRIVER_SOCKETS_H
#define DRIVER_SOCKETS_H

#include "base/container/vec.h"
#include "base/err.h"

#include <pthread.h>
#include <stdbool.h>

struct sockets {
    pthread_mutex_t lock; // for the other fields
    VEC(int) open;
    bool are_cut; // for good, those too that are added later
};

void sockets_init(struct sockets *s);
void sockets_free(struct sockets *s);

/* A connection begins, and is about to close its socket. */
void sockets_add(struct sockets *s, int socket);
void sockets_remove(struct sockets *s, int socket);

/* Shut all of them down.  How many there were. */
size_t sockets_cut(struct sockets *s);

/* Whether they are; then err says so. */
bool sockets_are_cut(struct sockets *s, struct err *err);

#endif

/* sockets.c -- see sockets.h.
 *
 * A socket is removed before it is closed, and shut down with the lock held, so
 * it is never that of another connection with the same number.
 *
 * SPDX-License-Identifier: MIT */
#include "driver/sockets.h"

#include <sys/socket.h>

void
sockets_init(struct sockets *s)
{
    *s = (struct sockets){0};
    pthread_mutex_init(&s->lock, NULL);
}

void
sockets_free(struct sockets *s)
{
    pthread_mutex_destroy(&s->lock);
    vec_free(&s->open);
}

void
sockets_add(struct sockets *s, int socket)
{
    pthread_mutex_lock(&s->lock);
    vec_push(&s->open, socket);
    if (s->are_cut)
        shutdown(socket, SHUT_RDWR);
    pthread_mutex_unlock(&s->lock);
}

void
sockets_remove(struct sockets *s, int socket)
{
    pthread_mutex_lock(&s->lock);
    for (size_t i = 0; i < s->open.n; i++)
        if (s->open.at[i] == socket) {
            s->open.at[i] = vec_top(&s->open);
            s->open.n--;
            break;
        }
    pthread_mutex_unlock(&s->lock);
}

size_t
sockets_cut(struct sockets *s)
{
    pthread_mutex_lock(&s->lock);
    const size_t n = s->open.n;
    s->are_cut = true;
    for (size_t i = 0; i < n; i++)
        shutdown(s->open.at[i], SHUT_RDWR);
    pthread_mutex_unlock(&s->lock);
    return n;
}

bool
sockets_are_cut(struct sockets *s, struct err *err)
{
    pthread_mutex_lock(&s->lock);
    const bool are = s->are_cut;
    pthread_mutex_unlock(&s->lock);
    return are && !err_set(err, ERR_IO, "the server has stopped answering");
}

/* proxy.c -- see proxy.h.
 *
 * One thread, one poll.  Each connection is two ends, one to the client and one
 * to the server.  An end has bytes that arrived and are not understood yet, and
 * bytes that are to be sent.  Invariants:
 *   (1) the log has an entry before the bytes of its message are sent: all
 *       ends are read, then the log is flushed, then all ends are written;
 *   (2) an end whose peer has more than MOST_WAITING bytes to send is not read.
 *
 * SPDX-License-Identifier: MIT */
#include "record/proxy.h"

#include "base/container/vec.h"
#include "base/memory/mem.h"
#include "base/time.h"
#include "record/proxy_link.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    MOST_WAITING = 1 << 20, // bytes to be sent, above which nothing is read
    BLOCK = 1 << 16,        // bytes that are read at once
    TICK = 50,              // milliseconds between looks at the command
};

struct proxy {
    struct proxy_options options;
    int listener;
    char host[64];
    unsigned port;
    VEC(struct proxy_link *) links;
    VEC(struct pollfd) polls;
    uint32_t numbers;
};

/* --- sockets ---------------------------------------------------------------*/

static bool
fail(struct err *err, const char *what)
{
    return err_set(err, ERR_IO, "%s: %s", what, strerror(errno));
}

/* Split "[ADDRESS:]PORT". */
static bool
read_address(struct proxy *p, const char *text, struct err *err)
{
    const char *colon = strrchr(text, ':');
    const char *port = colon ? colon + 1 : text;
    char *end;
    snprintf(p->host, sizeof p->host, "%.*s", colon ? (int)(colon - text) : 9,
             colon ? text : "127.0.0.1");
    if (strcmp(p->host, "localhost") == 0)
        snprintf(p->host, sizeof p->host, "127.0.0.1");
    const unsigned long n = strtoul(port, &end, 10);
    if (!*port || *end || n > 65535)
        return err_set(err, ERR_USAGE,
                       "--listen '%s', expected PORT or ADDRESS:PORT", text);
    if (strncmp(p->host, "127.", 4) != 0)
        return err_set(err, ERR_USAGE,
                       "--listen '%s', expected an address of loopback, such "
                       "as 127.0.0.1: what passes is not encrypted",
                       text);
    p->port = (unsigned)n;
    return true;
}

static bool
listen_at(struct proxy *p, struct err *err)
{
    const int on = 1;
    struct sockaddr_in a = {.sin_family = AF_INET,
                            .sin_port = htons((uint16_t)p->port)};
    socklen_t n = sizeof a;
    if (inet_pton(AF_INET, p->host, &a.sin_addr) != 1)
        return err_set(err, ERR_USAGE, "--listen: '%s' is no address", p->host);
    p->listener = socket(AF_INET, SOCK_STREAM, 0);
    if (p->listener < 0)
        return fail(err, "cannot listen");
    setsockopt(p->listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(p->listener, (struct sockaddr *)&a, sizeof a) != 0 ||
        listen(p->listener, 128) != 0 ||
        getsockname(p->listener, (struct sockaddr *)&a, &n) != 0)
        return fail(err, "cannot listen");
    proxy_link_make_quick(p->listener);
    p->port = ntohs(a.sin_port);
    return true;
}

bool
proxy_open(const struct proxy_options *o, const char *listen,
           struct proxy **out, struct err *err)
{
    struct proxy *p = mem_calloc(1, sizeof *p);
    p->options = *o;
    p->listener = -1;
    if (read_address(p, listen, err) && listen_at(p, err)) {
        *out = p;
        return true;
    }
    proxy_close(p);
    return false;
}

const char *
proxy_host(const struct proxy *p)
{
    return p->host;
}

unsigned
proxy_port(const struct proxy *p)
{
    return p->port;
}

/* --- connections -----------------------------------------------------------*/

static void
accept_clients(struct proxy *p)
{
    for (;;) {
        const int fd = accept(p->listener, NULL, NULL);
        if (fd < 0)
            return;
        proxy_link_make_quick(fd);
        struct proxy_link *l = mem_calloc(1, sizeof *l);
        l->number = ++p->numbers;
        l->client.fd = fd;
        l->server.fd = -1;
        vec_push(&p->links, l);
    }
}
/* --- reading and writing ---------------------------------------------------*/

static void
receive(struct link_end *e)
{
    char block[BLOCK];
    const ssize_t n = recv(e->fd, block, sizeof block, 0);
    if (n > 0)
        buf_add(&e->in, block, (size_t)n);
    else if (n == 0 || (errno != EAGAIN && errno != EINTR))
        e->is_over = true;
}

static void
send_some(struct link_end *e)
{
    if (e->fd < 0 || !e->out.n)
        return;
    const ssize_t n = send(e->fd, e->out.at, e->out.n, MSG_NOSIGNAL);
    if (n > 0)
        proxy_link_drop(&e->out, (size_t)n);
    else if (errno != EAGAIN && errno != EINTR)
        proxy_link_close_end(e);
}

/* After a client has gone, what the server still answers is logged: it tells
 * how transactions ended.  After the server has gone, the client gets what is
 * there. */
static void
end_link(struct proxy *p, struct proxy_link *l)
{
    if (l->client.is_over && l->client.fd >= 0 && l->server.fd >= 0) {
        if (!l->server.out.n)
            shutdown(l->server.fd, SHUT_WR);
        buf_clear(&l->client.out);
    }
    if (l->server.is_over && l->server.fd >= 0)
        proxy_link_close_end(&l->server);
    if (l->server.fd < 0 && (l->has_begun || l->client.is_over)) {
        proxy_link_note_closed(&p->options, l);
        if (!l->client.out.n)
            proxy_link_close_end(&l->client);
    }
}

static void
add_poll(struct proxy *p, const struct link_end *e, const struct link_end *peer)
{
    struct pollfd f = {.fd = e->fd};
    if (!e->is_over && peer->out.n < MOST_WAITING)
        f.events |= POLLIN;
    if (e->out.n)
        f.events |= POLLOUT;
    if (!f.events)
        f.fd = -1;
    vec_push(&p->polls, f);
}

static void
serve_once(struct proxy *p, bool accepts)
{
    vec_clear(&p->polls);
    vec_push(&p->polls, ((struct pollfd){.fd = accepts ? p->listener : -1,
                                         .events = POLLIN}));
    for (size_t i = 0; i < p->links.n; i++) {
        add_poll(p, &p->links.at[i]->client, &p->links.at[i]->server);
        add_poll(p, &p->links.at[i]->server, &p->links.at[i]->client);
    }
    const size_t n = p->links.n;
    if (poll(p->polls.at, (nfds_t)p->polls.n, TICK) <= 0)
        return;
    for (size_t i = 0; i < n; i++) {
        struct proxy_link *l = p->links.at[i];
        const short client = p->polls.at[1 + 2 * i].revents;
        const short server = p->polls.at[2 + 2 * i].revents;
        if (client & (POLLIN | POLLHUP | POLLERR) && !l->client.is_over)
            receive(&l->client);
        if (server & (POLLIN | POLLHUP | POLLERR) && !l->server.is_over)
            receive(&l->server);
        if (client || server)
            proxy_link_understand(&p->options, l);
    }
    if (p->polls.at[0].revents)
        accept_clients(p);
}

/* Write what waits (1), and forget connections that are over. */
static bool
write_all(struct proxy *p, struct err *err)
{
    if (!raw_log_flush(p->options.log, err))
        return false;
    size_t kept = 0;
    for (size_t i = 0; i < p->links.n; i++) {
        struct proxy_link *l = p->links.at[i];
        send_some(&l->client);
        send_some(&l->server);
        end_link(p, l);
        if (l->client.fd < 0 && l->server.fd < 0) {
            proxy_link_note_closed(&p->options, l);
            proxy_link_free(l);
        } else {
            p->links.at[kept++] = l;
        }
    }
    p->links.n = kept;
    return true;
}

bool
proxy_serve(struct proxy *p, pid_t command, int *status, double patience,
            struct err *err)
{
    double deadline = 0;
    bool ok = true, has_ended = false, is_ending = false;
    *status = 0;
    while (ok) {
        if (command && !has_ended &&
            waitpid(command, status, WNOHANG) == command)
            has_ended = true;
        if (!is_ending && (has_ended || *p->options.stop)) {
            is_ending = true;
            deadline = time_now() + patience;
        }
        if (is_ending && (!p->links.n || time_now() >= deadline))
            break;
        serve_once(p, !is_ending);
        ok = write_all(p, err);
    }
    for (size_t i = 0; i < p->links.n; i++) {
        proxy_link_note_closed(&p->options, p->links.at[i]);
        proxy_link_free(p->links.at[i]);
    }
    p->links.n = 0;
    return raw_log_flush(p->options.log, err) && ok;
}

void
proxy_close(struct proxy *p)
{
    if (p->listener >= 0)
        close(p->listener);
    vec_free(&p->links);
    vec_free(&p->polls);
    mem_free(p);
}

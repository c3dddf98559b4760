/* proxy.c -- see proxy.h.
 *
 * One thread, one poll.  Each connection is two ends, one to the client and one
 * to the server.  An end has bytes that arrived and are not understood yet, and
 * bytes that are to be sent.  Invariants:
 *   (1) the log has an entry before the bytes of its message are sent: all
 *       ends are read, then the log is flushed, then all ends are written;
 *   (2) an end whose peer has more than MOST_WAITING bytes to send is not read;
 *   (3) only messages whose content is logged are held until they are complete;
 *       all others pass in the pieces in which they arrive.
 *
 * SPDX-License-Identifier: MIT */
#include "record/proxy.h"

#include "base/container/vec.h"
#include "base/memory/mem.h"
#include "base/time.h"
#include "record/wire.h"

#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    MOST_WAITING = 1 << 20,   // bytes to be sent, above which nothing is read
    MOST_MESSAGE = 256 << 20, // bytes of a message that is held
    MOST_FIRST = 10000,       // bytes of a first message, as in the server
    BLOCK = 1 << 16,          // bytes that are read at once
    TICK = 50,                // milliseconds between looks at the command
};

struct end {
    int fd; // -1: closed
    struct buf in, out;
    size_t done;  // bytes of 'in' that are understood
    size_t pass;  // bytes of a message that are passed as they come
    bool is_over; // nothing more arrives
};

struct link {
    uint32_t number;
    struct end client, server;
    bool has_begun; // the first message was passed on
    bool is_cancel; // it only cancels another session's statement
    bool is_closed; // the log says so
};

struct proxy {
    struct proxy_options options;
    int listener;
    char host[64];
    unsigned port;
    VEC(struct link *) links;
    VEC(struct pollfd) polls;
    uint32_t numbers;
};

/* --- sockets ---------------------------------------------------------------*/

static bool
fail(struct err *err, const char *what)
{
    return err_set(err, ERR_IO, "%s: %s", what, strerror(errno));
}

static void
make_quick(int fd)
{
    const int on = 1;
    fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
    fcntl(fd, F_SETFD, FD_CLOEXEC);
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

static int
connect_unix(const struct proxy_options *o)
{
    struct sockaddr_un a = {.sun_family = AF_UNIX};
    const int n = snprintf(a.sun_path, sizeof a.sun_path, "%s/.s.PGSQL.%s",
                           o->host, o->port);
    if (n < 0 || (size_t)n >= sizeof a.sun_path)
        return -1;
    const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    if (fd >= 0 && connect(fd, (struct sockaddr *)&a, sizeof a) == 0)
        return fd;
    if (fd >= 0)
        close(fd);
    return -1;
}

static int
connect_server(const struct proxy_options *o)
{
    if (o->host[0] == '/')
        return connect_unix(o);
    const struct addrinfo hints = {.ai_family = AF_UNSPEC,
                                   .ai_socktype = SOCK_STREAM};
    struct addrinfo *all = NULL;
    int fd = -1;
    if (getaddrinfo(o->host, o->port, &hints, &all) != 0)
        return -1;
    for (struct addrinfo *a = all; a && fd < 0; a = a->ai_next) {
        fd = socket(a->ai_family, a->ai_socktype, a->ai_protocol);
        if (fd >= 0 && connect(fd, a->ai_addr, a->ai_addrlen) != 0) {
            close(fd);
            fd = -1;
        }
    }
    freeaddrinfo(all);
    return fd;
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
    make_quick(p->listener);
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
close_end(struct end *e)
{
    if (e->fd >= 0)
        close(e->fd);
    e->fd = -1;
    e->is_over = true;
    e->done = 0;
    buf_clear(&e->in);
    buf_clear(&e->out);
}

static void
free_link(struct link *l)
{
    close_end(&l->client);
    close_end(&l->server);
    buf_free(&l->client.in);
    buf_free(&l->client.out);
    buf_free(&l->server.in);
    buf_free(&l->server.out);
    mem_free(l);
}

static void
note(struct proxy *p, const struct link *l, char from, char letter,
     const char *body, size_t n)
{
    raw_log_add(p->options.log, l->number, from, letter, body, n);
}

static void
note_closed(struct proxy *p, struct link *l)
{
    if (l->has_begun && !l->is_cancel && !l->is_closed)
        note(p, l, RAW_NOTE, 'X', "", 0);
    l->is_closed = true;
}

/* Drop the first n bytes of those that arrived. */
static void
drop(struct buf *b, size_t n)
{
    assert(n <= b->n);
    if (n && b->n > n)
        memmove(b->at, b->at + n, b->n - n);
    b->n -= n;
}

static void
accept_clients(struct proxy *p)
{
    for (;;) {
        const int fd = accept(p->listener, NULL, NULL);
        if (fd < 0)
            return;
        make_quick(fd);
        struct link *l = mem_calloc(1, sizeof *l);
        l->number = ++p->numbers;
        l->client.fd = fd;
        l->server.fd = -1;
        vec_push(&p->links, l);
    }
}

/* --- the first message -----------------------------------------------------*/

/* End a connection with a message of our own. */
static void
refuse(struct link *l, const char *why)
{
    buf_clear(&l->client.in);
    l->client.done = 0;
    wire_put_fatal(&l->client.out, why);
    l->client.is_over = l->server.is_over = true;
}

static const char *
parameter(struct wire_body b, const char *name)
{
    for (const char *key; *(key = wire_text(&b));) {
        const char *value = wire_text(&b);
        if (strcmp(key, name) == 0)
            return value;
    }
    return NULL;
}

/* Whether a session can be recorded; if not, refuse it. */
static bool
admit(struct proxy *p, struct link *l, struct wire_body parameters)
{
    const struct proxy_options *o = &p->options;
    char why[400];
    const char *user = parameter(parameters, "user");
    const char *database = parameter(parameters, "database");
    const char *replication = parameter(parameters, "replication");
    if (!user) {
        refuse(l, "assay record: the first message names no user");
        return false;
    }
    if (replication && strcmp(replication, "false") != 0) {
        refuse(l, "assay record: a replication connection is not recorded; "
                  "connect it to the server itself");
        return false;
    }
    if (strcmp(database ? database : user, o->database) != 0) {
        snprintf(why, sizeof why,
                 "assay record: records database %s, not %s", o->database,
                 database ? database : user);
        refuse(l, why);
        return false;
    }
    if (!o->admits(o->self, user, why, sizeof why)) {
        refuse(l, why);
        return false;
    }
    return true;
}

static void
note_open(struct proxy *p, struct link *l, struct wire_body parameters)
{
    note(p, l, RAW_NOTE, 'O', parameters.at,
         (size_t)(parameters.end - parameters.at));
}

/* The settings of a session that is recorded.  The cost of a policy makes
 * every statement worth compiling, so compiling is off. */
static const char settings[] = "assay.record\0001\0jit\0off";

/* The message, with our settings behind its own. */
static void
pass_first(struct link *l, const char *message, size_t n)
{
    struct buf m = {0};
    buf_add(&m, message, n - 1); // without the last zero byte
    buf_add(&m, settings, sizeof settings);
    buf_char(&m, 0);
    const uint32_t length = (uint32_t)m.n;
    for (size_t i = 0; i < 4; i++)
        m.at[i] = (char)(length >> (24 - 8 * i));
    buf_add(&l->server.out, m.at, m.n);
    buf_free(&m);
}

static void
begin_session(struct proxy *p, struct link *l, const char *message, size_t n)
{
    const struct wire_body parameters = {message + WIRE_FIRST, message + n,
                                         false};
    if (!admit(p, l, parameters))
        return;
    l->server.fd = connect_server(&p->options);
    if (l->server.fd < 0) {
        refuse(l, "assay record: cannot connect to the server");
        return;
    }
    make_quick(l->server.fd);
    l->has_begun = true;
    note_open(p, l, parameters);
    pass_first(l, message, n);
}

static void
begin_cancel(struct proxy *p, struct link *l, const char *message, size_t n)
{
    l->server.fd = connect_server(&p->options);
    if (l->server.fd < 0) {
        close_end(&l->client);
        return;
    }
    make_quick(l->server.fd);
    l->has_begun = l->is_cancel = true;
    buf_add(&l->server.out, message, n);
}

/* The first messages of a client; false if one is not complete yet. */
static bool
read_first(struct proxy *p, struct link *l)
{
    struct buf *in = &l->client.in;
    if (in->n < WIRE_FIRST)
        return false;
    const uint32_t n = wire_u32_at(in->at);
    const enum wire_first kind = wire_first_kind(wire_u32_at(in->at + 4));
    if (n < WIRE_FIRST || n > MOST_FIRST || kind == WIRE_OTHER) {
        refuse(l, "assay record: expected PostgreSQL's protocol, version 3");
        return false;
    }
    if (in->n < n)
        return false;
    if (kind == WIRE_ENCRYPT)
        buf_char(&l->client.out, 'N');
    else if (kind == WIRE_CANCEL)
        begin_cancel(p, l, in->at, n);
    else
        begin_session(p, l, in->at, n);
    if (in->n >= n)
        drop(in, n);
    return true;
}

/* --- messages --------------------------------------------------------------*/

enum keep {
    KEEP_NOTHING,
    KEEP_LETTER,
    KEEP_BODY,
};

/* What the log keeps of a client's message: never what authenticates ('p'),
 * nor the data of COPY ('d'). */
static enum keep
keep_of_client(char letter)
{
    return strchr("QPBDEC", letter)  ? KEEP_BODY
           : strchr("SFcfX", letter) ? KEEP_LETTER
                                     : KEEP_NOTHING;
}

/* The same of the server's: neither rows ('D') nor authentication ('R'). */
static enum keep
keep_of_server(char letter)
{
    return strchr("CEZNKS", letter)         ? KEEP_BODY
           : strchr("123sItTnGHWV", letter) ? KEEP_LETTER
                                            : KEEP_NOTHING;
}

static bool
names_password(const char *text, size_t n)
{
    static const char word[] = "password";
    for (size_t i = 0; i + sizeof word - 1 <= n; i++)
        if (strncasecmp(text + i, word, sizeof word - 1) == 0)
            return true;
    return false;
}

static void
note_client(struct proxy *p, struct link *l, char letter, const char *body,
            size_t n)
{
    static const char hidden[] = "(a statement that names a password)";
    if (letter == 'Q' && names_password(body, n)) {
        note(p, l, RAW_CLIENT, letter, hidden, sizeof hidden);
    } else if (letter == 'P' && names_password(body, n)) {
        struct buf b = {0}; // the name, the text, and no types
        buf_text(&b, body);
        buf_char(&b, 0);
        buf_add(&b, hidden, sizeof hidden);
        buf_add(&b, "\0", 2);
        note(p, l, RAW_CLIENT, letter, b.at, b.n);
        buf_free(&b);
    } else {
        note(p, l, RAW_CLIENT, letter, body, n);
    }
}

/* Note a message of the server; whether it is one of ours, which the client
 * does not get. */
static bool
note_server(struct proxy *p, struct link *l, char letter, const char *body,
            size_t n)
{
    const struct wire_body b = {body, body + n, false};
    if (letter == 'N') {
        const char *message = wire_field(b, 'M');
        const char *detail = wire_field(b, 'D');
        if (!message || !detail || strcmp(message, "assay") != 0)
            return false;
        note(p, l, RAW_SERVER, 'N', detail, strlen(detail));
        return true;
    }
    if (letter == 'K' && n >= 4) { // without the key that cancels
        char pid[16];
        const int k = snprintf(pid, sizeof pid, "%u", wire_u32_at(body));
        note(p, l, RAW_NOTE, 'K', pid, (size_t)k);
    } else if (letter == 'E') {
        const char *code = wire_field(b, 'C'), *text = wire_field(b, 'M');
        struct buf e = {0};
        buf_printf(&e, "%s %s", code ? code : "", text ? text : "");
        note(p, l, RAW_SERVER, 'E', e.at, e.n);
        buf_free(&e);
    } else if (letter != 'K') {
        note(p, l, RAW_SERVER, letter, body, n);
    }
    return false;
}

/* Pass bytes of a message that is under way. */
static void
pass_on(struct end *from, struct end *to)
{
    const size_t there = from->in.n - from->done;
    const size_t n = from->pass < there ? from->pass : there;
    buf_add(&to->out, from->in.at + from->done, n);
    from->done += n;
    from->pass -= n;
}

/* Understand the next message that arrived at an end; false if there is none
 * that is complete. */
static bool
read_message(struct proxy *p, struct link *l, struct end *from, struct end *to)
{
    const bool is_client = from == &l->client;
    if (from->pass) {
        pass_on(from, to);
        return from->in.n > from->done;
    }
    const size_t there = from->in.n - from->done;
    const char *at = from->in.at + from->done;
    if (there < WIRE_HEADER)
        return false;
    const char letter = at[0];
    const size_t n = (size_t)wire_u32_at(at + 1) + 1;
    const enum keep keep =
        is_client ? keep_of_client(letter) : keep_of_server(letter);
    if (n < WIRE_HEADER || (keep == KEEP_BODY && n > MOST_MESSAGE)) {
        refuse(l, "assay record: a message is too large to be recorded");
        from->done = from->in.n;
        return false;
    }
    if (keep == KEEP_BODY && there < n)
        return false;
    const char *body = at + WIRE_HEADER;
    bool is_ours = false;
    if (keep == KEEP_LETTER)
        note(p, l, is_client ? RAW_CLIENT : RAW_SERVER, letter, "", 0);
    else if (keep == KEEP_BODY && is_client)
        note_client(p, l, letter, body, n - WIRE_HEADER);
    else if (keep == KEEP_BODY)
        is_ours = note_server(p, l, letter, body, n - WIRE_HEADER);
    if (is_ours) {
        from->done += n;
    } else {
        from->pass = n;
        pass_on(from, to);
    }
    return true;
}

/* Understand all messages that arrived at an end. */
static void
read_messages(struct proxy *p, struct link *l, struct end *from, struct end *to)
{
    if (l->is_cancel) {
        from->pass = SIZE_MAX;
        pass_on(from, to);
    }
    while (!l->is_cancel && read_message(p, l, from, to))
        continue;
    drop(&from->in, from->done);
    from->done = 0;
}

static void
understand(struct proxy *p, struct link *l)
{
    while (!l->has_begun && !l->client.is_over && read_first(p, l))
        continue;
    if (!l->has_begun)
        return;
    read_messages(p, l, &l->client, &l->server);
    read_messages(p, l, &l->server, &l->client);
}

/* --- reading and writing ---------------------------------------------------*/

static void
receive(struct end *e)
{
    char block[BLOCK];
    const ssize_t n = recv(e->fd, block, sizeof block, 0);
    if (n > 0)
        buf_add(&e->in, block, (size_t)n);
    else if (n == 0 || (errno != EAGAIN && errno != EINTR))
        e->is_over = true;
}

static void
send_some(struct end *e)
{
    if (e->fd < 0 || !e->out.n)
        return;
    const ssize_t n = send(e->fd, e->out.at, e->out.n, MSG_NOSIGNAL);
    if (n > 0)
        drop(&e->out, (size_t)n);
    else if (errno != EAGAIN && errno != EINTR)
        close_end(e);
}

/* After a client has gone, what the server still answers is logged: it tells
 * how transactions ended.  After the server has gone, the client gets what is
 * there. */
static void
end_link(struct proxy *p, struct link *l)
{
    if (l->client.is_over && l->client.fd >= 0 && l->server.fd >= 0) {
        if (!l->server.out.n)
            shutdown(l->server.fd, SHUT_WR);
        buf_clear(&l->client.out);
    }
    if (l->server.is_over && l->server.fd >= 0)
        close_end(&l->server);
    if (l->server.fd < 0 && (l->has_begun || l->client.is_over)) {
        note_closed(p, l);
        if (!l->client.out.n)
            close_end(&l->client);
    }
}

static void
add_poll(struct proxy *p, const struct end *e, const struct end *peer)
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
        struct link *l = p->links.at[i];
        const short client = p->polls.at[1 + 2 * i].revents;
        const short server = p->polls.at[2 + 2 * i].revents;
        if (client & (POLLIN | POLLHUP | POLLERR) && !l->client.is_over)
            receive(&l->client);
        if (server & (POLLIN | POLLHUP | POLLERR) && !l->server.is_over)
            receive(&l->server);
        if (client || server)
            understand(p, l);
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
        struct link *l = p->links.at[i];
        send_some(&l->client);
        send_some(&l->server);
        end_link(p, l);
        if (l->client.fd < 0 && l->server.fd < 0) {
            note_closed(p, l);
            free_link(l);
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
    bool ok = true, has_ended = false;
    *status = 0;
    while (ok) {
        if (command && !has_ended &&
            waitpid(command, status, WNOHANG) == command)
            has_ended = true;
        if (!deadline && (has_ended || *p->options.stop))
            deadline = time_now() + patience;
        if (deadline && (!p->links.n || time_now() >= deadline))
            break;
        serve_once(p, !deadline);
        ok = write_all(p, err);
    }
    for (size_t i = 0; i < p->links.n; i++) {
        note_closed(p, p->links.at[i]);
        free_link(p->links.at[i]);
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

/* proxy_link.c -- see proxy_link.h.
 *
 * SPDX-License-Identifier: MIT */
#include "record/proxy_link.h"

#include "base/ascii.h"
#include "base/memory/mem.h"
#include "record/plain_role.h"
#include "record/wire.h"

#include <assert.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum {
    MOST_MESSAGE = 256 << 20, // bytes of a message that is held
    MOST_FIRST = 10000,       // bytes of a first message, as in the server
};

void
proxy_link_make_quick(int fd)
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

void
proxy_link_close_end(struct link_end *e)
{
    if (e->fd >= 0)
        close(e->fd);
    e->fd = -1;
    e->is_over = true;
    e->done = 0;
    buf_clear(&e->in);
    buf_clear(&e->out);
}

void
proxy_link_free(struct proxy_link *l)
{
    proxy_link_close_end(&l->client);
    proxy_link_close_end(&l->server);
    buf_free(&l->client.in);
    buf_free(&l->client.out);
    buf_free(&l->server.in);
    buf_free(&l->server.out);
    mem_free(l);
}

static void
note(const struct proxy_options *o, const struct proxy_link *l, char from,
     char letter, const char *body, size_t n)
{
    raw_log_add(o->log, l->number, from, letter, body, n);
}

void
proxy_link_note_closed(const struct proxy_options *o, struct proxy_link *l)
{
    if (l->has_begun && !l->passes_only && !l->is_closed)
        note(o, l, RAW_NOTE, 'X', "", 0);
    l->is_closed = true;
}

/* Drop the first n bytes of those that arrived. */
void
proxy_link_drop(struct buf *b, size_t n)
{
    assert(n <= b->n);
    if (n && b->n > n)
        memmove(b->at, b->at + n, b->n - n);
    b->n -= n;
}

/* --- the first message -----------------------------------------------------*/

/* End a connection with a message of our own. */
static void
refuse(struct proxy_link *l, const char *why)
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

/* Whether a session can be recorded; if not, refuse it.  'role' gets the role
 * that it is to have, or "". */
static bool
admit(const struct proxy_options *o, struct proxy_link *l,
      struct wire_body parameters, char *role)
{
    char why[400];
    const char *user = parameter(parameters, "user");
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
    if (!o->admits(o->self, user, role, why, sizeof why)) {
        refuse(l, why);
        return false;
    }
    return true;
}

static void
note_open(const struct proxy_options *o, struct proxy_link *l,
          struct wire_body parameters, const char *role)
{
    note(o, l, RAW_NOTE, 'O', parameters.at,
         (size_t)(parameters.end - parameters.at));
    if (*role)
        note(o, l, RAW_NOTE, 'R', role, strlen(role));
}

/* The settings of a session that is recorded.  The cost of a policy makes
 * every statement worth compiling, so compiling is off. */
static const char settings[] = "assay.record\0001\0jit\0off";

/* The message, with our settings behind its own. */
static void
pass_first(struct proxy_link *l, const char *message, size_t n,
           const char *role)
{
    struct buf m = {0};
    buf_add(&m, message, n - 1); // without the last zero byte
    buf_add(&m, settings, sizeof settings);
    if (*role) {
        buf_add(&m, "role", sizeof "role");
        buf_add(&m, role, strlen(role) + 1);
    }
    buf_char(&m, 0);
    const uint32_t length = (uint32_t)m.n;
    for (size_t i = 0; i < 4; i++)
        m.at[i] = (char)(length >> (24 - 8 * i));
    buf_add(&l->server.out, m.at, m.n);
    buf_free(&m);
}

/* Pass a connection that is not recorded. */
static void
begin_other(const struct proxy_options *o, struct proxy_link *l,
            const char *message, size_t n)
{
    l->server.fd = connect_server(o);
    if (l->server.fd < 0) {
        proxy_link_close_end(&l->client);
        return;
    }
    proxy_link_make_quick(l->server.fd);
    l->has_begun = l->passes_only = true;
    buf_add(&l->server.out, message, n);
}

/* Whether a session is of another database. */
static bool
is_elsewhere(const struct proxy_options *o, struct wire_body parameters)
{
    const char *user = parameter(parameters, "user");
    const char *database = parameter(parameters, "database");
    database = database && *database ? database : user;
    return database && strcmp(database, o->database) != 0;
}

static void
begin_session(const struct proxy_options *o, struct proxy_link *l,
              const char *message, size_t n)
{
    const struct wire_body parameters = {message + WIRE_FIRST, message + n,
                                         false};
    char role[PLAIN_ROLE_NAME];
    if (is_elsewhere(o, parameters)) {
        ++*o->others;
        begin_other(o, l, message, n);
        return;
    }
    if (!admit(o, l, parameters, role))
        return;
    l->server.fd = connect_server(o);
    if (l->server.fd < 0) {
        refuse(l, "assay record: cannot connect to the server");
        return;
    }
    proxy_link_make_quick(l->server.fd);
    l->has_begun = true;
    note_open(o, l, parameters, role);
    pass_first(l, message, n, role);
}

/* The first messages of a client; false if one is not complete yet. */
static bool
read_first(const struct proxy_options *o, struct proxy_link *l)
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
        begin_other(o, l, in->at, n);
    else
        begin_session(o, l, in->at, n);
    if (in->n >= n)
        proxy_link_drop(in, n);
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
        if (ascii_compare_n(text + i, word, sizeof word - 1) == 0)
            return true;
    return false;
}

static void
note_client(const struct proxy_options *o, struct proxy_link *l, char letter,
            const char *body, size_t n)
{
    static const char hidden[] = "(a statement that names a password)";
    if (letter == 'Q' && names_password(body, n)) {
        note(o, l, RAW_CLIENT, letter, hidden, sizeof hidden);
    } else if (letter == 'P' && names_password(body, n)) {
        struct buf b = {0}; // the name, the text, and no types
        buf_text(&b, body);
        buf_char(&b, 0);
        buf_add(&b, hidden, sizeof hidden);
        buf_add(&b, "\0", 2);
        note(o, l, RAW_CLIENT, letter, b.at, b.n);
        buf_free(&b);
    } else {
        note(o, l, RAW_CLIENT, letter, body, n);
    }
}

/* Note a message of the server; whether it is one of ours, which the client
 * does not get. */
static bool
note_server(const struct proxy_options *o, struct proxy_link *l, char letter,
            const char *body, size_t n)
{
    const struct wire_body b = {body, body + n, false};
    if (letter == 'N') {
        const char *message = wire_field(b, 'M');
        const char *detail = wire_field(b, 'D');
        if (!message || !detail || strcmp(message, "assay") != 0)
            return false;
        note(o, l, RAW_SERVER, 'N', detail, strlen(detail));
        return true;
    }
    if (letter == 'K' && n >= 4) { // without the key that cancels
        char pid[16];
        const int k = snprintf(pid, sizeof pid, "%u", wire_u32_at(body));
        note(o, l, RAW_NOTE, 'K', pid, (size_t)k);
    } else if (letter == 'E') {
        const char *code = wire_field(b, 'C'), *text = wire_field(b, 'M');
        struct buf e = {0};
        buf_printf(&e, "%s %s", code ? code : "", text ? text : "");
        note(o, l, RAW_SERVER, 'E', e.at, e.n);
        buf_free(&e);
    } else if (letter != 'K') {
        note(o, l, RAW_SERVER, letter, body, n);
    }
    return false;
}

/* Pass bytes of a message that is under way. */
static void
pass_on(struct link_end *from, struct link_end *to)
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
read_message(const struct proxy_options *o, struct proxy_link *l,
             struct link_end *from, struct link_end *to)
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
        note(o, l, is_client ? RAW_CLIENT : RAW_SERVER, letter, "", 0);
    else if (keep == KEEP_BODY && is_client)
        note_client(o, l, letter, body, n - WIRE_HEADER);
    else if (keep == KEEP_BODY)
        is_ours = note_server(o, l, letter, body, n - WIRE_HEADER);
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
read_messages(const struct proxy_options *o, struct proxy_link *l,
              struct link_end *from, struct link_end *to)
{
    if (l->passes_only) {
        from->pass = SIZE_MAX;
        pass_on(from, to);
    }
    while (!l->passes_only && read_message(o, l, from, to))
        continue;
    proxy_link_drop(&from->in, from->done);
    from->done = 0;
}

void
proxy_link_understand(const struct proxy_options *o, struct proxy_link *l)
{
    while (!l->has_begun && !l->client.is_over && read_first(o, l))
        continue;
    if (!l->has_begun)
        return;
    read_messages(o, l, &l->client, &l->server);
    read_messages(o, l, &l->server, &l->client);
}

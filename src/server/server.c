/* server.c -- see server.h.
 *
 * All files are in the temporary directory, which belongs to the server's user
 * and is closed to others.  Only the logs of a server that does not start are
 * copied out of it, into a file that must not exist before.
 *
 * SPDX-License-Identifier: MIT */
#define _DEFAULT_SOURCE // getentropy
#include "server/server.h"

#include "base/buf.h"
#include "base/limits/limit.h"
#include "base/print.h"
#include "driver/driver.h"
#include "server/ask.h"
#include "server/kinds.h"
#include "server/process.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <pwd.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

// Seconds.  Build machines can be very slow.
enum {
    START_PATIENCE = 180, // for a server to start, and for each tool
    ANSWER_PATIENCE = 10, // for each answer meanwhile
    STOP_PATIENCE = 30
};

// Below the ports that kernels assign to clients: a client could take a port
// before the server does.
enum { FIRST_PORT = 10000, PORTS = 20000 };

const struct server_kind *const server_kinds[] = {
    &server_postgresql, &server_standby, &server_sync,
    &server_mariadb,    &server_galera,  NULL,
};

/* --- text and files --------------------------------------------------------*/

__attribute__((format(printf, 2, 0))) static char *
compose(struct servers *s, const char *format, va_list args)
{
    assert(format);
    va_list again;
    va_copy(again, args);
    const size_t n = print_args(NULL, 0, format, args);
    char *text = arena_alloc(&s->arena, n + 1);
    print_args(text, n + 1, format, again);
    va_end(again);
    return text;
}

const char *
servers_text(struct servers *s, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const char *text = compose(s, format, args);
    va_end(args);
    return text;
}

static bool
is_free(uint16_t port)
{
    const struct sockaddr_in address = {.sin_family = AF_INET,
                                        .sin_port = htons(port),
                                        .sin_addr.s_addr =
                                            htonl(INADDR_LOOPBACK)};
    const int fd = socket(AF_INET, SOCK_STREAM, 0);
    const bool ok = fd >= 0 && bind(fd, (const struct sockaddr *)&address,
                                    sizeof address) == 0;
    if (fd >= 0)
        close(fd);
    return ok;
}

uint16_t
servers_port(struct servers *s)
{
    for (uint32_t i = 0; i < PORTS; i++) {
        s->port = (s->port + 1) % PORTS;
        if (is_free((uint16_t)(FIRST_PORT + s->port)))
            return (uint16_t)(FIRST_PORT + s->port);
    }
    return 0;
}

/* Make the kind's user the owner of 'path', if this program is root. */
static bool
give_away(const struct servers *s, const char *path, struct err *err)
{
    if (geteuid() != 0 || !s->kind->user)
        return true;
    const struct passwd *owner = getpwnam(s->kind->user);
    if (!owner)
        return err_set(err, ERR_IO,
                       "the user '%s' to run a server as does not exist",
                       s->kind->user);
    return lchown(path, owner->pw_uid, owner->pw_gid) == 0 ||
           err_set(err, ERR_IO, "cannot give '%s' to %s: %s", path,
                   s->kind->user, strerror(errno));
}

const char *
servers_directory(struct servers *s, const char *name)
{
    struct err ignored = {0};
    const char *path = servers_text(s, "%s/%s", s->root, name);
    mkdir(path, 0700);
    give_away(s, path, &ignored); // if this fails, the server reports it
    return path;
}

/* Write a new file; it is an error if the file exists. */
static FILE *
create_file(const char *path)
{
    const int fd =
        open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    return fd < 0 ? NULL : fdopen(fd, "w");
}

const char *
servers_file(struct servers *s, const char *name, const char *text,
             struct err *err)
{
    const char *path = servers_text(s, "%s/%s", s->root, name);
    FILE *file = create_file(path);
    bool ok = file && fputs(text, file) >= 0;
    ok = (!file || fclose(file) == 0) && ok;
    if (!ok)
        err_set(err, ERR_IO, "cannot write '%s': %s", path, strerror(errno));
    return ok && give_away(s, path, err) ? path : NULL;
}

/* --- nodes -----------------------------------------------------------------*/

struct node *
servers_add(struct servers *s, const char *name)
{
    vec_push(&s->nodes, (struct node){0});
    struct node *n = &vec_top(&s->nodes);
    n->directory = servers_directory(s, name);
    n->log = servers_text(s, "%s/%s.log", s->root, name);
    n->port = servers_port(s);
    return n;
}

void
node_word(struct servers *s, struct node *n, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vec_push(&n->argv, compose(s, format, args));
    va_end(args);
}

static void
drop_lifeline(struct node *n)
{
    if (n->lifeline)
        close(n->lifeline);
    n->lifeline = 0;
}

static bool
spawn(struct servers *s, struct node *n, struct err *err)
{
    VEC(const char *) argv = {0};
    for (size_t i = 0; i < n->argv.n; i++)
        vec_push(&argv, n->argv.at[i]);
    vec_push(&argv, NULL);
    const struct command_line c = {.argv = argv.at,
                                   .directory = n->directory,
                                   .log = n->log,
                                   .path = s->root,
                                   .user = s->kind->user,
                                   .guard = &s->guard,
                                   .lifeline = &n->lifeline};
    drop_lifeline(n);
    const bool ok = process_start(&c, &n->pid, err);
    vec_free(&argv);
    return ok;
}

/* --- starting and stopping -------------------------------------------------*/

static bool
can_connect(const struct servers *s, const char *url)
{
    struct err ignored = {0};
    const double patience = s->patience > 0 && s->patience < ANSWER_PATIENCE
                                ? s->patience
                                : ANSWER_PATIENCE;
    return server_ask(url, NULL, patience, s->interrupted, &ignored);
}

/* Whether the user has interrupted the program; then err is set. */
static bool
is_interrupted(const struct servers *s, struct err *err)
{
    return s->interrupted && *s->interrupted &&
           !err_set(err, ERR_IO, "interrupted");
}

bool
node_start(struct servers *s, struct node *n, const char *url, struct err *err)
{
    const double until =
        time_now() + (s->patience > 0 ? s->patience : START_PATIENCE);
    char line[256];
    n->url = url;
    if (!spawn(s, n, err))
        return false;
    while (!can_connect(s, url)) {
        const bool is_late = time_now() > until;
        if (is_interrupted(s, err))
            return false;
        time_pause(0.05);
        const bool has_ended = process_has_ended(n->pid);
        if (has_ended) {
            guard_remove(&s->guard, n->pid);
            n->pid = 0;
        }
        // A killed server can leave processes that keep the next one from
        // starting for a while.  The first start is not tried again.
        if (is_late || (has_ended && !n->has_run)) {
            process_last_line(n->log, line, sizeof line);
            return err_set(err, ERR_IO, "'%s' %s: %s", n->argv.at[0],
                           has_ended ? "ended" : "does not answer", line);
        }
        if (!has_ended)
            continue;
        time_pause(0.2);
        if (!spawn(s, n, err))
            return false;
    }
    n->has_run = true;
    if (s->kind->has_started)
        s->kind->has_started(s, n);
    return true;
}

void
node_stop(struct servers *s, struct node *n, int signal)
{
    if (n->pid <= 0)
        return;
    kill(n->pid, SIGCONT);
    process_stop(n->pid, signal, STOP_PATIENCE);
    guard_remove(&s->guard, n->pid);
    n->pid = 0;
}

size_t
servers_died(struct servers *s)
{
    size_t n = 0;
    for (size_t i = 0; i < s->nodes.n; i++) {
        struct node *node = &s->nodes.at[i];
        if (node->pid <= 0 || !process_has_ended(node->pid))
            continue;
        guard_remove(&s->guard, node->pid);
        node->pid = 0;
        n++;
    }
    return n;
}

bool
node_end(struct servers *s, struct node *n, struct err *err)
{
    const double until = time_now() + STOP_PATIENCE;
    struct pollfd life = {.fd = n->lifeline, .events = POLLIN};
    node_stop(s, n, SIGKILL);
    // The end of the pipe closes when the last process has ended.
    while (n->lifeline && poll(&life, 1, 10) <= 0) {
        if (is_interrupted(s, err))
            return false;
        if (time_now() > until)
            return err_set(err, ERR_IO,
                           "processes of a server that was killed go on");
    }
    return true;
}

bool
servers_run(struct servers *s, const char *const *argv, const char *variable,
            struct err *err)
{
    const struct command_line c = {.argv = argv,
                                   .directory = s->root,
                                   .log =
                                       servers_text(s, "%s/tools.log", s->root),
                                   .variable = variable,
                                   .user = s->kind->user,
                                   .guard = &s->guard,
                                   .patience = START_PATIENCE};
    return process_run(&c, s->interrupted, err);
}

/* --- logs ------------------------------------------------------------------*/

static void
copy_log(const char *from, FILE *to)
{
    char line[1024];
    FILE *file = fopen(from, "r");
    while (file && fgets(line, sizeof line, file))
        fputs(line, to);
    if (file)
        fclose(file);
}

bool
servers_blame(struct servers *s, struct err *err)
{
    if (!s->root || err->kind != ERR_IO || is_interrupted(s, err))
        return false;
    const char *path = servers_text(s, "%s.log", s->root);
    FILE *file = create_file(path);
    if (!file)
        return false;
    copy_log(servers_text(s, "%s/tools.log", s->root), file);
    for (size_t i = 0; i < s->nodes.n; i++)
        copy_log(s->nodes.at[i].log, file);
    return fclose(file) == 0 && err_in_file(err, path);
}

/* --- all of them -----------------------------------------------------------*/

/* Whether a text is the version of a release: "14.3", "9.6.24". */
static bool
is_version(const char *text)
{
    enum { LONGEST = 12 };
    const size_t n = strlen(text);
    return n >= 1 && n <= LONGEST && strspn(text, "0123456789.") == n &&
           text[0] != '.' && text[n - 1] != '.' && !strstr(text, "..") &&
           (strchr(text, '.') || n == 2);
}

/* Whether a text is "name=value&name=value". */
static bool
are_settings(const char *text)
{
    for (;;) {
        const size_t n = strcspn(text, "&"), name = strcspn(text, "=&");
        const size_t plain =
            strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789_.-");
        if (!name || plain != name || text[name] != '=')
            return false;
        if (!text[n])
            return true;
        text += n + 1;
    }
}

/* Parse what follows a kind's name: nothing, "@14.3", ":3" or ":/prefix", and
 * then perhaps "?name=value". */
static bool
parse_suffix(const struct server_kind *k, const char *suffix, size_t *count)
{
    char text[512];
    const char *question = strchr(suffix, '?');
    const size_t n = question ? (size_t)(question - suffix) : strlen(suffix);
    *count = k->nodes ? k->nodes : SERVER_NODES;
    if ((question && !are_settings(question + 1)) || n >= sizeof text)
        return false;
    memcpy(text, suffix, n);
    text[n] = 0;
    suffix = text;
    if (!*suffix)
        return true;
    if (*suffix == '@')
        return k->has_releases && is_version(suffix + 1);
    if (suffix[1] == '/')
        return suffix[2] != 0;
    char *end;
    *count = strtoul(suffix + 1, &end, 10);
    return !k->nodes && !*end && *count >= 1 && *count <= 9;
}

bool
servers_kind(const char *what, const struct server_kind **kind, size_t *count,
             struct err *err)
{
    const size_t n = strcspn(what, ":@?");
    for (size_t i = 0; server_kinds[i]; i++) {
        const struct server_kind *k = server_kinds[i];
        if (strlen(k->name) != n || memcmp(k->name, what, n) != 0)
            continue;
        *kind = k;
        return parse_suffix(k, what + n, count) ||
               err_set(err, ERR_USAGE,
                       "cannot start '%s'; expected %s%s%s, :/PREFIX, or "
                       "settings as in ?name=value&name=value",
                       what, k->name, k->nodes ? "" : ":N, with N from 1 to 9",
                       k->has_releases ? " or a release, as in postgresql@14.3"
                                       : "");
    }
    return err_set(err, ERR_USAGE,
                   "cannot start '%s'; expected postgresql, postgresql@14.3, "
                   "postgresql+standby, postgresql+sync, mariadb or galera:N",
                   what);
}

/* A random password. */
static bool
draw_password(struct servers *s, struct err *err)
{
    unsigned char bytes[16];
    if (getentropy(bytes, sizeof bytes) != 0)
        return err_set(err, ERR_IO, "cannot make a random password: %s",
                       strerror(errno));
    struct buf text = {0};
    for (size_t i = 0; i < sizeof bytes; i++)
        buf_printf(&text, "%02x", bytes[i]);
    s->password = arena_copy(&s->arena, text.at, text.n);
    buf_free(&text);
    return true;
}

bool
servers_count(const char *what, size_t *nodes, struct err *err)
{
    const struct server_kind *kind;
    return servers_kind(what, &kind, nodes, err);
}

/* Note what a name that was parsed says besides the kind. */
static void
take_suffix(struct servers *s, const char *what)
{
    const size_t n = strcspn(what, "?");
    const char *text = arena_copy(&s->arena, what, n);
    const char *colon = strstr(text, ":/"), *sign = strchr(text, '@');
    s->prefix = colon ? colon + 1 : NULL;
    s->version = sign && !colon ? sign + 1 : NULL;
    for (const char *at = what[n] ? what + n + 1 : ""; *at;) {
        const size_t length = strcspn(at, "&");
        vec_push(&s->settings, arena_copy(&s->arena, at, length));
        at += length + (at[length] == '&');
    }
}

const char *
servers_installed(struct servers *s, const char *const *folders,
                  const char *name, struct err *err)
{
    assert(s->prefix);
    for (size_t i = 0; folders[i]; i++) {
        const char *path =
            servers_text(s, "%s/%s/%s", s->prefix, folders[i], name);
        if (access(path, X_OK) == 0)
            return path;
    }
    err_set(err, ERR_USAGE, "cannot find the program '%s' below '%s'", name,
            s->prefix);
    return NULL;
}

bool
servers_start(const char *what, const volatile sig_atomic_t *interrupted,
              struct servers *s, struct err *err)
{
    size_t count = 1;
    *s = (struct servers){.interrupted = interrupted};
    // Two programs that start at the same time should try different ports.
    s->port = (uint32_t)((uint64_t)getpid() * 7919 % PORTS);
    if (!servers_kind(what, &s->kind, &count, err) ||
        !driver_is_built(s->kind->scheme, err))
        return false;
    take_suffix(s, what);
    if (guard_start(&s->guard, &s->arena, &s->root, err) &&
        give_away(s, s->root, err) && draw_password(s, err) &&
        s->kind->start(s, count, err))
        return true;
    servers_blame(s, err);
    servers_stop(s);
    return false;
}

void
servers_stop(struct servers *s)
{
    // A standby stops before its primary.
    for (size_t i = s->nodes.n; i--;)
        if (i != s->primary)
            node_stop(s, &s->nodes.at[i], s->kind->stop_signal);
    for (size_t i = 0; i < s->nodes.n; i++) {
        node_stop(s, &s->nodes.at[i], s->kind->stop_signal);
        drop_lifeline(&s->nodes.at[i]);
        vec_free(&s->nodes.at[i].argv);
    }
    guard_end(&s->guard);
    vec_free(&s->nodes);
    vec_free(&s->settings);
    arena_free(&s->arena);
    *s = (struct servers){0};
}

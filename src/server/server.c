/* server.c -- see server.h.
 *
 * Servers must not outlive this program, however it ends.  A shell, the guard,
 * is told the id of each process that starts or ends, through a pipe; when the
 * pipe closes, which the system does for the dead too, it ends what still runs
 * and removes the directory.
 *
 * SPDX-License-Identifier: MIT */
#include "server/server.h"

#include "base/buf.h"
#include "base/limit.h"
#include "driver/driver.h"
#include "server/kinds.h"
#include "server/process.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pwd.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

// Seconds.  Machines that build software can be slower than one expects.
enum { START_PATIENCE = 180, STOP_PATIENCE = 30 };

// Below those that systems hand out to clients: one of them could take a port
// before the server does.
enum { FIRST_PORT = 10000, PORTS = 20000 };

const struct server_kind *const server_kinds[] = {
    &server_postgresql, &server_standby, &server_mariadb, &server_galera, NULL,
};

/* --- small things ----------------------------------------------------------*/

__attribute__((format(printf, 2, 0))) static char *
compose(struct servers *s, const char *format, va_list args)
{
    char text[1024];
    const int n = vsnprintf(text, sizeof text, format, args);
    assert(n >= 0 && (size_t)n < sizeof text);
    return arena_copy(&s->arena, text, (size_t)n);
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

const char *
servers_directory(struct servers *s, const char *name)
{
    const char *path = servers_text(s, "%s/%s", s->root, name);
    mkdir(path, 0700);
    const struct passwd *owner =
        s->kind->user && geteuid() == 0 ? getpwnam(s->kind->user) : NULL;
    if (owner && chown(path, owner->pw_uid, owner->pw_gid) != 0)
        return path; // the server will say so
    return path;
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

/* Tell the guard that a process runs ('+') or has ended ('-'). */
static void
tell_guard(const struct servers *s, char what, pid_t pid)
{
    char line[32];
    const int n = snprintf(line, sizeof line, "%c %ld\n", what, (long)pid);
    if (write(s->to_guard, line, (size_t)n) != n)
        return; // without a guard there is nobody to tell
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
                                   .user = s->kind->user};
    const bool ok = process_start(&c, &n->pid, err);
    vec_free(&argv);
    if (ok)
        tell_guard(s, '+', n->pid);
    return ok;
}

/* --- starting and stopping -------------------------------------------------*/

static bool
can_connect(const char *url)
{
    struct err err = {0};
    struct database db;
    if (!database_open(url, ISOLATION_UNCHANGED, NULL, &db, &err))
        return false;
    struct connection *c;
    const bool ok = db.driver->connect(&db, 0, 0, &c, &err);
    if (ok)
        db.driver->disconnect(c);
    database_close(&db);
    return ok;
}

bool
servers_interrupted(const struct servers *s, struct err *err)
{
    return s->interrupted && *s->interrupted &&
           !err_set(err, ERR_IO, "interrupted");
}

bool
node_start(struct servers *s, struct node *n, const char *url, struct err *err)
{
    const double until = time_now() + START_PATIENCE;
    char line[256];
    n->url = url;
    if (!spawn(s, n, err))
        return false;
    while (!can_connect(url)) {
        const bool is_late = time_now() > until;
        if (servers_interrupted(s, err))
            return false;
        time_pause(0.05);
        const bool has_ended = process_has_ended(n->pid);
        if (has_ended) {
            tell_guard(s, '-', n->pid);
            n->pid = 0;
        }
        // A server that was killed can leave processes behind that keep the
        // next one from starting for a while; the first one has no excuse.
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
    return true;
}

void
node_stop(struct servers *s, struct node *n, int signal)
{
    if (n->pid <= 0)
        return;
    kill(n->pid, SIGCONT);
    process_stop(n->pid, signal, STOP_PATIENCE);
    tell_guard(s, '-', n->pid);
    n->pid = 0;
}

bool
servers_run(struct servers *s, const char *const *argv, struct err *err)
{
    const struct command_line c = {.argv = argv,
                                   .directory = s->root,
                                   .log =
                                       servers_text(s, "%s/tools.log", s->root),
                                   .user = s->kind->user};
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
    if (!s->root || err->kind != ERR_IO || servers_interrupted(s, err))
        return false;
    const char *path = servers_text(s, "%s.log", s->root);
    FILE *file = fopen(path, "w");
    if (!file)
        return false;
    copy_log(servers_text(s, "%s/tools.log", s->root), file);
    for (size_t i = 0; i < s->nodes.n; i++)
        copy_log(s->nodes.at[i].log, file);
    return fclose(file) == 0 && err_in_file(err, path);
}

/* --- all of them -----------------------------------------------------------*/

static bool
find_kind(const char *what, const struct server_kind **kind, size_t *count,
          struct err *err)
{
    const size_t n = strcspn(what, ":");
    for (size_t i = 0; server_kinds[i]; i++) {
        const struct server_kind *k = server_kinds[i];
        if (strlen(k->name) != n || memcmp(k->name, what, n) != 0)
            continue;
        char *end = NULL;
        *kind = k;
        *count = what[n]    ? strtoul(what + n + 1, &end, 10)
                 : k->nodes ? k->nodes
                            : 3;
        if (!end || (!k->nodes && !*end && *count >= 1 && *count <= 9))
            return true;
        return err_set(err, ERR_USAGE, "cannot start '%s'; expected %s%s", what,
                       k->name, k->nodes ? "" : ":N, with N from 1 to 9");
    }
    return err_set(err, ERR_USAGE,
                   "cannot start '%s'; expected postgresql, "
                   "postgresql+standby, mariadb or galera:N",
                   what);
}

static bool
make_root(struct servers *s, struct err *err)
{
    const char *parent = getenv("TMPDIR");
    struct buf name = {0};
    buf_printf(&name, "%s/assay-XXXXXX", parent && *parent ? parent : "/tmp");
    const bool ok = mkdtemp(name.at) && chmod(name.at, 0755) == 0;
    if (ok)
        s->root = arena_copy(&s->arena, name.at, name.n);
    else
        err_set(err, ERR_IO, "cannot make a temporary directory: %s",
                strerror(errno));
    buf_free(&name);
    // Tools of another user write their log there.
    const char *log = ok ? servers_text(s, "%s/tools.log", s->root) : NULL;
    FILE *file = ok ? fopen(log, "w") : NULL;
    return (file && fclose(file) == 0 && chmod(log, 0666) == 0) ||
           err_set(err, ERR_IO, "cannot write '%s': %s", ok ? log : "",
                   strerror(errno));
}

static bool
start_guard(struct servers *s, struct err *err)
{
    static const char script[] =
        "alive=\n"
        "while read -r what pid; do\n"
        "    case $what in\n"
        "    +) alive=\"$alive $pid\" ;;\n"
        "    -) left=\n"
        "       for p in $alive; do [ $p = $pid ] || left=\"$left $p\"; done\n"
        "       alive=$left ;;\n"
        "    esac\n"
        "done\n"
        "[ -z \"$alive\" ] || kill -9 $alive\n"
        "rm -rf \"$1\"\n";
    const char *const argv[] = {"/bin/sh", "-c",    script,
                                "guard",   s->root, NULL};
    int ends[2];
    if (pipe(ends) != 0)
        return err_set(err, ERR_IO, "cannot make a pipe: %s", strerror(errno));
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    const struct command_line c = {
        .argv = argv, .directory = "/", .log = "/dev/null", .input = ends[0]};
    const bool ok = process_start(&c, &s->guard, err);
    close(ends[0]);
    s->to_guard = ends[1];
    return ok;
}

bool
servers_count(const char *what, size_t *nodes, struct err *err)
{
    const struct server_kind *kind;
    return find_kind(what, &kind, nodes, err);
}

bool
servers_start(const char *what, const volatile sig_atomic_t *interrupted,
              struct servers *s, struct err *err)
{
    size_t count = 1;
    *s = (struct servers){.interrupted = interrupted};
    // Two programs that start at once should not try the same ports.
    s->port = (uint32_t)((uint64_t)getpid() * 7919 % PORTS);
    if (!find_kind(what, &s->kind, &count, err) ||
        !driver_is_built(s->kind->scheme, err))
        return false;
    if (make_root(s, err) && start_guard(s, err) &&
        s->kind->start(s, count, err))
        return true;
    servers_blame(s, err);
    servers_stop(s);
    return false;
}

void
servers_stop(struct servers *s)
{
    // The last to come goes first: a standby before what it follows.
    for (size_t i = s->nodes.n; i--;) {
        node_stop(s, &s->nodes.at[i], s->kind->stop_signal);
        vec_free(&s->nodes.at[i].argv);
    }
    if (s->guard > 0) {
        close(s->to_guard);
        while (!process_has_ended(s->guard))
            time_pause(0.01);
    }
    vec_free(&s->nodes);
    arena_free(&s->arena);
    *s = (struct servers){0};
}

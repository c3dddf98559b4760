/* test_strangers.c -- servers let nobody else in.
 *
 * Another user of the machine tries the files, the sockets and TCP; where this
 * test runs as root it becomes such a user.
 *
 * SPDX-License-Identifier: MIT */
#define _DEFAULT_SOURCE // setgroups
#include "server_test.h"

#include "base/limits/limit.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

/* --- another user ----------------------------------------------------------*/

static bool
can_connect(const char *url)
{
    struct database db;
    struct err err = {0};
    const bool ok = database_open(url, ISOLATION_UNCHANGED, NULL, &db, &err);
    if (ok) {
        printf("# got in by %s\n", url);
        database_close(&db);
    }
    return ok;
}

/* Whether names that such servers usually have get in without a password, or
 * with one that is easy to guess. */
static bool
gets_in_by_tcp(const struct servers *s)
{
    static const char *const users[] = {
        "assay@",   "root@",        "postgres@",  "mysql@",      "nobody@",
        "mariadb@", "assay:assay@", "root:root@", "root:assay@", ""};
    const size_t tries = sizeof users / sizeof users[0];
    bool in = false;
    for (size_t k = 0; k < s->nodes.n * tries; k++) {
        const struct node *n = &s->nodes.at[k / tries];
        const size_t i = k % tries;
        struct buf url = {0};
        const char *database =
            strcmp(s->kind->scheme, "mariadb") ? "postgres" : "";
        buf_printf(&url, "%s://%s127.0.0.1:%u/%s", s->kind->scheme, users[i],
                   (unsigned)n->port, database);
        in |= can_connect(url.at);
        buf_free(&url);
    }
    return in;
}

static bool
gets_in_by_socket(const struct servers *s)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const int n = snprintf(address.sun_path, sizeof address.sun_path,
                           "%s/server.sock", s->nodes.at[0].directory);
    const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    const bool in =
        n < (int)sizeof address.sun_path && fd >= 0 &&
        connect(fd, (const struct sockaddr *)&address, sizeof address) == 0;
    close(fd);
    return in;
}

static bool
can_look_inside(const struct servers *s)
{
    DIR *dir = opendir(s->root);
    if (dir)
        closedir(dir);
    bool can = dir;
    for (size_t i = 0; i < s->nodes.n; i++)
        can |= access(s->nodes.at[i].log, R_OK) == 0 ||
               access(s->nodes.at[i].directory, X_OK) == 0;
    return can;
}

static bool
become_nobody(void)
{
    const struct passwd *nobody = getpwnam("nobody");
    return nobody && setgroups(0, NULL) == 0 && setgid(nobody->pw_gid) == 0 &&
           setuid(nobody->pw_uid) == 0;
}

/* What a stranger can do, as bits. */
static int
try_everything(const struct servers *s)
{
    return 1 * gets_in_by_tcp(s) | 2 * gets_in_by_socket(s) |
           4 * can_look_inside(s);
}

static void
strangers_stay_outside(const struct servers *s)
{
    CHECK(!gets_in_by_tcp(s));
    CHECK(can_connect(s->url));
    if (geteuid() != 0)
        return;
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0)
        _exit(become_nobody() ? try_everything(s) : 64);
    int status = 0;
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    printf("# as nobody: %d\n", WEXITSTATUS(status));
}

/* --- what the server is ----------------------------------------------------*/

/* A line of /proc/PID/status, behind its name. */
static void
read_status(pid_t pid, const char *name, char *out, size_t room)
{
    char path[64], line[256];
    snprintf(path, sizeof path, "/proc/%ld/status", (long)pid);
    FILE *file = fopen(path, "r");
    snprintf(out, room, "?");
    while (file && fgets(line, sizeof line, file))
        if (strncmp(line, name, strlen(name)) == 0)
            snprintf(out, room, "%s", line + strlen(name));
    if (file)
        fclose(file);
}

static void
the_server_has_no_rights_of_root(const struct servers *s, size_t node)
{
    char ids[200], groups[200];
    unsigned real = 0, effective = 0, group = 1;
    read_status(s->nodes.at[node].pid, "Uid:", ids, sizeof ids);
    read_status(s->nodes.at[node].pid, "Groups:", groups, sizeof groups);
    CHECK(sscanf(ids, "%u %u", &real, &effective) == 2);
    CHECK(real != 0 && effective != 0);
    if (geteuid() != 0)
        return;
    const struct passwd *user = getpwnam(s->kind->user);
    CHECK(user && user->pw_uid == real);
    // Of the groups that it belongs to beside its own, none.
    unsigned more;
    CHECK(sscanf(groups, "%u %u", &group, &more) == 1);
    CHECK(user && group == user->pw_gid);
    CHECK(strchr(groups, ' ') == NULL ||
          strtoul(strchr(groups, ' '), NULL, 10) == 0);
}

/* No password stands where other users can read it. */
static void
the_command_line_tells_no_password(const struct servers *s)
{
    for (size_t i = 0; i < s->nodes.n; i++)
        for (size_t k = 0; k < s->nodes.at[i].argv.n; k++)
            CHECK(!strstr(s->nodes.at[i].argv.at[k], s->password));
    CHECK(strlen(s->password) == 32);
}

static void
expect_closed(const char *what)
{
    const struct fault failover = {.kind = FAULT_FAILOVER};
    struct servers s;
    struct err err = {0};
    if (!start_server(what, &s))
        return;
    CHECK(!s.kind->fails_over || servers_fault(&s, &failover, &err));
    strangers_stay_outside(&s);
    for (size_t i = 0; i < s.nodes.n; i++)
        the_server_has_no_rights_of_root(&s, i);
    the_command_line_tells_no_password(&s);
    servers_stop(&s);
}

static void
nobody_else_gets_into_postgresql(void)
{
    expect_closed("postgresql");
}

static void
nobody_else_gets_into_servers_after_a_failover(void)
{
    expect_closed("postgresql+sync");
}

static void
nobody_else_gets_into_mariadb(void)
{
    expect_closed("mariadb");
}

/* Whether a connection to a port by TLS comes about; 'more' for openssl. */
static bool
is_answered(const char *address, const char *more)
{
    struct buf command = {0};
    buf_printf(&command,
               "echo | openssl s_client -tls1_2 -brief %s -connect %s 2>&1 | "
               "grep -q 'CONNECTION ESTABLISHED'",
               more, address);
    const bool is = system(command.at) == 0;
    buf_free(&command);
    return is;
}

/* A node of a cluster answers those only who have its key. */
static void
nobody_else_joins_a_cluster(void)
{
    static const char name[] = "listen_addr=ssl://";
    struct servers s;
    char address[32] = "";
    struct buf key = {0};
    if (!start_server("galera:1", &s))
        return;
    for (size_t k = 0; k < s.nodes.at[0].argv.n; k++) {
        const char *at = strstr(s.nodes.at[0].argv.at[k], name);
        if (at)
            snprintf(address, sizeof address, "%.*s",
                     (int)strcspn(at + strlen(name), ";"), at + strlen(name));
    }
    buf_printf(&key, "-key %s/key.pem -cert %s/certificate.pem", s.root,
               s.root);
    CHECK(!is_answered(address, ""));
    CHECK(is_answered(address, key.at));
    buf_free(&key);
    servers_stop(&s);
}

/* --- where things go -------------------------------------------------------*/

static void
a_long_name_for_temporary_files_is_an_error(void)
{
    struct buf name = {0};
    struct servers s;
    struct err err = {0};
    buf_text(&name, "/tmp/assay-long-XXXXXX");
    CHECK(mkdtemp(name.at));
    const size_t first = name.n;
    while (name.n < 1000) {
        buf_printf(&name, "/%0200d", 0);
        CHECK(mkdir(name.at, 0755) == 0);
    }
    setenv("TMPDIR", name.at, 1);
    CHECK(!servers_start("postgresql", NULL, &s, &err));
    unsetenv("TMPDIR");
    if (err.kind == ERR_FEATURE)
        SKIP("the server is not installed");
    else
        CHECK(strstr(err.text, "expected at most 300 for servers; set TMPDIR"));
    for (; name.n >= first; name.at[name.n] = 0) {
        CHECK(rmdir(name.at) == 0);
        while (name.n >= first && name.at[--name.n] != '/')
            continue;
    }
    buf_free(&name);
}

/* A file with that text, which is a program where asked for. */
static void
write_file(const char *path, const char *text, bool is_program)
{
    FILE *file = fopen(path, "w");
    CHECK(file && fputs(text, file) >= 0 && fclose(file) == 0);
    CHECK(chmod(path, is_program ? 0755 : 0666) == 0);
}

/* The log of a server that does not start is copied beside its directory,
 * where somebody may have prepared a link to a file of ours. */
static void
a_log_does_not_follow_a_link(void)
{
    char place[] = "/tmp/assay-link-XXXXXX";
    struct buf path = {0}, victim = {0}, script = {0};
    struct err err = {0};
    struct servers s;
    char line[64] = "";
    const char *before = getenv("PATH");
    CHECK(mkdtemp(place) && chmod(place, 0777) == 0);
    buf_printf(&victim, "%s/victim", place);
    buf_printf(&path, "%s/initdb", place);
    buf_printf(&script, "#!/bin/sh\nln -s %s \"$(pwd).log\"\nexit 1\n",
               victim.at);
    write_file(victim.at, "precious", false);
    write_file(path.at, script.at, true);
    buf_clear(&path);
    buf_printf(&path, "%s:%s", place, before ? before : "/bin");
    char *saved = strdup(before ? before : "/bin");
    setenv("PATH", path.at, 1);
    setenv("TMPDIR", place, 1);
    CHECK(!servers_start("postgresql", NULL, &s, &err));
    unsetenv("TMPDIR");
    setenv("PATH", saved, 1);
    FILE *file = fopen(victim.at, "r");
    CHECK(file && fgets(line, sizeof line, file));
    CHECK_TEXT(line, "precious");
    if (file)
        fclose(file);
    buf_clear(&script);
    buf_printf(&script, "rm -r %s", place);
    CHECK(system(script.at) == 0);
    free(saved);
    buf_free(&path);
    buf_free(&victim);
    buf_free(&script);
}

int
main(void)
{
    RUN(nobody_else_gets_into_postgresql);
    RUN(nobody_else_gets_into_servers_after_a_failover);
    RUN(nobody_else_gets_into_mariadb);
    RUN(nobody_else_joins_a_cluster);
    RUN(a_long_name_for_temporary_files_is_an_error);
    RUN(a_log_does_not_follow_a_link);
    return test_end();
}

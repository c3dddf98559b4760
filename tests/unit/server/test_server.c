/* test_server.c -- processes, the guard, and faults, without a database.
 *
 * A "server" is a shell that sleeps.  The built-in store, which always answers,
 * stands for its address; an SQLite file in a directory that does not exist
 * for a server that never answers.
 *
 * SPDX-License-Identifier: MIT */
#include "server/server.h"

#include "base/buf.h"
#include "base/memory/mem.h"
#include "base/time.h"
#include "driver/driver.h"
#include "server/ask.h"
#include "server/process.h"
#include "test.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define ANSWERS "store:ser"
#define NEVER_ANSWERS "sqlite:/nowhere/at/all/x.db"

static bool
exists(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0;
}

static bool
is_alive(pid_t pid)
{
    return kill(pid, 0) == 0;
}

/* Wait, for some seconds at most, until a process of another parent is gone. */
static bool
is_gone_soon(pid_t pid)
{
    for (int i = 0; i < 1000 && is_alive(pid); i++)
        time_pause(0.01);
    return !is_alive(pid);
}

static void
write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    CHECK(file && fputs(text, file) >= 0 && fclose(file) == 0);
}

static const char *
in_directory(struct arena *arena, const char *directory, const char *name)
{
    struct buf path = {0};
    buf_printf(&path, "%s/%s", directory, name);
    const char *copy = arena_copy(arena, path.at, path.n);
    buf_free(&path);
    return copy;
}

/* --- processes ------------------------------------------------------------ */

static bool
run_shell(const char *directory, const char *script, const char *variable,
          const volatile sig_atomic_t *interrupted, struct err *err)
{
    struct arena arena = {0};
    const char *const argv[] = {"/bin/sh", "-c", script, NULL};
    const struct command_line c = {
        .argv = argv,
        .directory = directory,
        .path = "/first/in/path",
        .variable = variable,
        .log = in_directory(&arena, directory, "tool.log")};
    *err = (struct err){0};
    const bool ok = process_run(&c, interrupted, err);
    arena_free(&arena);
    return ok;
}

static void
a_tool_that_fails_is_quoted(void)
{
    struct guard g = {0};
    struct arena arena = {0};
    const char *root;
    struct err err = {0};
    CHECK(guard_start(&g, &arena, &root, &err));
    CHECK(run_shell(root, "test \"$PWD\" != / && test -z \"$(cat)\"", NULL,
                    NULL, &err));
    CHECK(run_shell(root,
                    "test \"$WHAT\" = it && case $PATH in /first/*) ;; "
                    "*) false;; esac",
                    "WHAT=it", NULL, &err));
    CHECK(!run_shell(root, "exit 3", NULL, NULL, &err));
    CHECK_TEXT(err.text, "'/bin/sh' failed: its log is empty");
    CHECK(!run_shell(root, "echo first; echo the reason >&2; exit 1", NULL,
                     NULL, &err));
    CHECK_TEXT(err.text, "'/bin/sh' failed: the reason");
    const volatile sig_atomic_t interrupted = 1;
    CHECK(!run_shell(root, "sleep 60", NULL, &interrupted, &err));
    CHECK_TEXT(err.text, "interrupted");
    const char *const slow[] = {"/bin/sleep", "60", NULL};
    const struct command_line c = {
        .argv = slow, .directory = "/", .log = "/dev/null", .patience = 0.1};
    err = (struct err){0};
    CHECK(!process_run(&c, NULL, &err));
    CHECK_TEXT(err.text, "'/bin/sleep' does not end: its log is empty");
    guard_end(&g);
    arena_free(&arena);
}

static void
a_program_that_cannot_run_is_an_error(void)
{
    const char *const argv[] = {"/nowhere/program", NULL};
    const struct command_line c = {
        .argv = argv, .directory = "/", .log = "/dev/null"};
    struct err err = {0};
    CHECK(!process_run(&c, NULL, &err));
    CHECK(err.kind == ERR_IO);
    if (geteuid() != 0)
        return;
    struct command_line as = c;
    as.user = "nobody-of-that-name";
    err = (struct err){0};
    CHECK(!process_run(&as, NULL, &err));
    CHECK_TEXT(err.text,
               "the user 'nobody-of-that-name' to run it as does not exist");
}

static void
a_process_that_ignores_a_signal_is_killed(void)
{
    const char *const argv[] = {
        "/bin/sh", "-c", "trap '' TERM; while :; do sleep 0.1; done", NULL};
    const struct command_line c = {
        .argv = argv, .directory = "/", .log = "/dev/null"};
    struct err err = {0};
    pid_t pid;
    CHECK(process_start(&c, &pid, &err));
    CHECK(!process_has_ended(pid));
    process_stop(pid, SIGTERM, 0.1);
    CHECK(!is_alive(pid));
}

static void
programs_are_found_in_path_and_then_by_pattern(void)
{
    const char *const none[] = {NULL};
    const char *const places[] = {"/nowhere", "/bi[n]", NULL};
    char *found = process_find("sh", none);
    CHECK(found && access(found, X_OK) == 0);
    mem_free(found);
    CHECK(!process_find("no-program-of-this-name", none));
    char *path = getenv("PATH");
    struct buf kept = {0};
    buf_text(&kept, path ? path : "");
    setenv("PATH", "/nowhere", 1);
    found = process_find("sh", places);
    CHECK(found && strcmp(found, "/bin/sh") == 0);
    mem_free(found);
    setenv("PATH", kept.at, 1);
    buf_free(&kept);
}

/* --- the guard ------------------------------------------------------------ */

static void
the_guard_cleans_up_when_this_program_dies(void)
{
    int ids[2];
    struct {
        pid_t server;
        char root[200];
    } told = {0};
    CHECK(pipe(ids) == 0);
    const pid_t child = fork();
    if (child == 0) {
        struct guard g = {0};
        struct arena arena = {0};
        const char *root = "";
        struct err err = {0};
        const char *const argv[] = {"/bin/sleep", "60", NULL};
        const struct command_line c = {
            .argv = argv, .directory = "/", .log = "/dev/null", .guard = &g};
        close(ids[0]);
        if (guard_start(&g, &arena, &root, &err) &&
            process_start(&c, &told.server, &err)) {
            snprintf(told.root, sizeof told.root, "%s", root);
            if (write(ids[1], &told, sizeof told) != (ssize_t)sizeof told)
                _exit(1);
        }
        kill(getpid(), SIGKILL);
    }
    close(ids[1]);
    CHECK(read(ids[0], &told, sizeof told) == (ssize_t)sizeof told);
    close(ids[0]);
    waitpid(child, NULL, 0);
    CHECK(told.server > 0 && is_gone_soon(told.server));
    for (int i = 0; i < 1000 && exists(told.root); i++)
        time_pause(0.01);
    CHECK(told.root[0] && !exists(told.root));
}

static void
a_bad_temporary_directory_is_an_error(void)
{
    char *given = getenv("TMPDIR");
    struct buf kept = {0};
    buf_text(&kept, given ? given : "");
    struct guard g = {0};
    struct arena arena = {0};
    const char *root;
    struct err err = {0};
    setenv("TMPDIR", "/nowhere", 1);
    CHECK(!guard_start(&g, &arena, &root, &err));
    CHECK_TEXT(err.text, "the temporary directory '/nowhere': No such file or "
                         "directory");
    if (given)
        setenv("TMPDIR", kept.at, 1);
    else
        unsetenv("TMPDIR");
    buf_free(&kept);
    arena_free(&arena);
}

/* --- servers -------------------------------------------------------------- */

static const struct server_kind sleeper = {
    .name = "sleeper", .scheme = "store", .nodes = 1, .stop_signal = SIGTERM};

/* A node that runs a shell script. */
static struct node *
add_node(struct servers *s, const char *script)
{
    struct err err = {0};
    *s = (struct servers){.kind = &sleeper};
    CHECK(guard_start(&s->guard, &s->arena, &s->root, &err));
    struct node *n = servers_add(s, "node");
    CHECK(n->port > 0 && exists(n->directory));
    node_word(s, n, "/bin/%s", "sh");
    node_word(s, n, "-c");
    node_word(s, n, "%s", script);
    return n;
}

static void
a_server_survives_its_faults(void)
{
    struct servers s;
    struct err err = {0};
    struct node *n = add_node(&s, "exec sleep 60");
    CHECK(node_start(&s, n, ANSWERS, &err) && n->has_run);
    pid_t before = n->pid;
    const enum fault_kind kinds[] = {FAULT_KILL, FAULT_RESTART};
    for (size_t i = 0; i < 2; i++) {
        const struct fault f = {.kind = kinds[i]};
        CHECK(servers_fault(&s, &f, &err));
        CHECK(n->pid > 0 && n->pid != before && !is_alive(before));
        before = n->pid;
    }
    const struct fault stop = {.kind = FAULT_STOP};
    CHECK(servers_fault(&s, &stop, &err) && is_alive(before));
    const struct fault none = {.kind = FAULTS};
    CHECK(!servers_fault(&s, &none, &err));
    const char *root = in_directory(&s.arena, s.root, "");
    struct buf kept = {0};
    buf_text(&kept, root);
    servers_stop(&s);
    CHECK(!is_alive(before) && !exists(kept.at));
    buf_free(&kept);
}

static void
a_server_that_ends_at_once_leaves_its_log(void)
{
    struct servers s;
    struct err err = {0};
    struct node *n = add_node(&s, "echo no space left; exit 1");
    CHECK(!node_start(&s, n, NEVER_ANSWERS, &err));
    CHECK_TEXT(err.text, "'/bin/sh' ended: no space left");
    CHECK(!servers_blame(&s, &err));
    CHECK(strstr(err.file, ".log"));
    struct buf log = {0};
    buf_printf(&log, "%s.log", s.root);
    CHECK(exists(log.at));
    CHECK(unlink(log.at) == 0);
    buf_free(&log);
    servers_stop(&s);
}

/* Take connections for PostgreSQL, and never answer a statement. */
static void
stay_silent(int listener)
{
    static const char welcome[] = "R\0\0\0\10\0\0\0\0Z\0\0\0\5I";
    char request[1024];
    for (;;) {
        const int fd = accept(listener, NULL, NULL);
        if (fd < 0 || read(fd, request, sizeof request) <= 0 ||
            write(fd, welcome, sizeof welcome - 1) < 0)
            _exit(1);
    }
}

static void
a_server_that_does_not_answer_does_not_start(void)
{
    struct servers s;
    struct err err = {0};
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t room = sizeof address;
    if (!driver_is_built("postgresql", &err)) {
        SKIP("there is no driver");
        return;
    }
    const int listener = socket(AF_INET, SOCK_STREAM, 0);
    CHECK(bind(listener, (const struct sockaddr *)&address, room) == 0 &&
          listen(listener, 8) == 0 &&
          getsockname(listener, (struct sockaddr *)&address, &room) == 0);
    fflush(stdout);
    const pid_t silent = fork();
    if (silent == 0)
        stay_silent(listener);
    struct node *n = add_node(&s, "echo one moment; exec sleep 60");
    s.patience = 1;
    const double began = time_now();
    CHECK(!node_start(&s, n,
                      servers_text(&s,
                                   "postgresql://x@127.0.0.1:%u/x?sslmode="
                                   "disable&gssencmode=disable",
                                   (unsigned)ntohs(address.sin_port)),
                      &err));
    CHECK_TEXT(err.text, "'/bin/sh' does not answer: one moment");
    CHECK(time_now() - began < 30);
    // Nor does an interrupt wait for an answer.
    const volatile sig_atomic_t interrupted = 1;
    err = (struct err){0};
    CHECK(!server_ask(n->url, NULL, 60, &interrupted, &err));
    CHECK(time_now() - began < 30);
    servers_stop(&s);
    kill(silent, SIGKILL);
    waitpid(silent, NULL, 0);
    close(listener);
}

/* Processes of a server that was killed may go on for a while. */
static void
a_server_has_ended_when_its_last_process_has(void)
{
    struct servers s;
    struct err err = {0};
    struct node *n =
        add_node(&s, "(sleep 1; echo last) & echo first; exec sleep 60");
    CHECK(node_start(&s, n, ANSWERS, &err));
    char line[32] = "";
    for (int i = 0; i < 1000 && strcmp(line, "first") != 0; i++) {
        time_pause(0.01);
        process_last_line(n->log, line, sizeof line);
    }
    CHECK(node_end(&s, n, &err) && n->pid == 0);
    process_last_line(n->log, line, sizeof line);
    CHECK_TEXT(line, "last");
    CHECK(node_start(&s, n, ANSWERS, &err));
    servers_stop(&s);
}

static void
an_interrupt_ends_the_start(void)
{
    struct servers s;
    struct err err = {0};
    struct node *n = add_node(&s, "exec sleep 60");
    const volatile sig_atomic_t interrupted = 1;
    s.interrupted = &interrupted;
    CHECK(!node_start(&s, n, NEVER_ANSWERS, &err));
    CHECK_TEXT(err.text, "interrupted");
    CHECK(!servers_blame(&s, &err));
    servers_stop(&s);
}

static void
files_of_a_server_are_private_and_new(void)
{
    struct servers s;
    struct err err = {0};
    struct stat st;
    add_node(&s, "");
    const char *path = servers_file(&s, "settings", "a = 1\n", &err);
    CHECK(path && stat(path, &st) == 0 && (st.st_mode & 0777) == 0600);
    CHECK(!servers_file(&s, "settings", "a = 2\n", &err));
    CHECK(err.kind == ERR_IO);
    err = (struct err){0};
    const char *const argv[] = {"/bin/cat", path, NULL};
    CHECK(servers_run(&s, argv, NULL, &err));
    char line[32];
    process_last_line(in_directory(&s.arena, s.root, "tools.log"), line,
                      sizeof line);
    CHECK_TEXT(line, "a = 1");
    write_file(path, "no line end");
    process_last_line(path, line, sizeof line);
    CHECK_TEXT(line, "no line end");
    servers_stop(&s);
}

/* --- names ---------------------------------------------------------------- */

static void
names_say_how_many_nodes_there_are(void)
{
    const struct {
        const char *name;
        size_t nodes; // 0: it is refused
    } rows[] = {{"postgresql", 1},
                {"postgresql+standby", 2},
                {"postgresql+sync", 2},
                {"postgresql+sync:2", 0},
                {"galera", 3},
                {"galera:5", 5},
                {"galera:0", 0},
                {"galera:10", 0},
                {"galera:", 0},
                {"mariadb:2", 0},
                {"oracle", 0},
                {"postgresql@14.3", 1},
                {"postgresql@14", 1},
                {"postgresql@", 0},
                {"postgresql@1", 0},
                {"postgresql@140", 0},
                {"postgresql:/opt/p", 1},
                {"postgresql:/", 0},
                {"postgresql:opt", 0},
                {"mariadb:/opt/m?a_b=1&c.d=x y", 1},
                {"mariadb?", 0},
                {"mariadb?a", 0},
                {"mariadb?=1", 0},
                {"mariadb?a=1&", 0},
                {"mariadb?A=1", 0},
                {"galera:3?a=1", 3},
                {"galera:/opt/m", 3},
                {"postgresql+standby?a=1", 2},
                {"postgresql@14.3?fsync=on", 1},
                {"postgresql@14..3", 0},
                {"postgresql+standby@14.3", 0},
                {"mariadb@10.11", 0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        size_t nodes = 0;
        struct err err = {0};
        const bool ok = servers_count(rows[i].name, &nodes, &err);
        CHECK(ok == (rows[i].nodes > 0));
        CHECK(!ok || nodes == rows[i].nodes);
        CHECK(ok || err.kind == ERR_USAGE);
    }
    struct servers s;
    struct err err = {0};
    CHECK(!servers_start("oracle", NULL, &s, &err));
}

static void
faults_have_a_kind_a_node_and_a_time(void)
{
    fault_vec faults = {0};
    struct err err = {0};
    CHECK(faults_parse("kill@2,stop:3@4.5,disconnect@0,restart:1@10000ms", 3,
                       &faults, &err));
    CHECK(faults.n == 4 && faults.at[0].kind == FAULT_KILL &&
          faults.at[0].node == 0 && faults.at[0].time.seconds == 2);
    CHECK(faults.at[1].kind == FAULT_STOP && faults.at[1].node == 2 &&
          faults.at[1].time.seconds == 4.5);
    CHECK(faults.at[2].kind == FAULT_DISCONNECT &&
          faults.at[3].kind == FAULT_RESTART &&
          faults.at[3].time.seconds == 10);
    CHECK(!faults.at[0].time.repeats);
    vec_clear(&faults);
    CHECK(faults_parse("kill@every:0.5s,stop@2s", 1, &faults, &err));
    CHECK(faults.at[0].time.repeats && faults.at[0].time.every == 0.5 &&
          faults.at[0].time.seconds == 0.5);
    CHECK(!faults.at[1].time.repeats && faults.at[1].time.seconds == 2);
    const char *const wrong[] = {
        "kill@every:", "kill@every:0", "kill@nan", "kill@inf", "kill@ 1",
        "kill@1ss",    "kill@every2",  "kill",     "kill@",    "kill@-1",
        "kill:0@1",    "kill:4@1",     "burn@1",   "@1",       "kill@1x",
        "kill:x@1",    "kill@1,",      "ki@1"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        err = (struct err){0};
        const bool ok = faults_parse(wrong[i], 3, &faults, &err);
        // A comma at the end adds nothing.
        CHECK(ok == (strcmp(wrong[i], "kill@1,") == 0));
        CHECK(ok || err.kind == ERR_USAGE);
    }
    vec_free(&faults);
}

static void
a_failover_needs_somebody_to_take_over(void)
{
    const struct {
        const char *fault, *server;
        bool ok;
    } rows[] = {{"failover@3", "postgresql+standby", true},
                {"failover@every:4", "postgresql+sync", true},
                {"failover@3", "galera:3", true},
                {"failover:2@3", "galera:3", true},
                {"kill@1,failover@3", "postgresql", false},
                {"failover@3", "mariadb", false},
                {"failover@3", "galera:2", false},
                {"failover:1@3", "postgresql+standby", false},
                {"kill:2@1,stop@1", "postgresql+standby", true}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        fault_vec faults = {0};
        struct err err = {0};
        CHECK(faults_parse(rows[i].fault, 3, &faults, &err));
        CHECK(faults_expect(&faults, rows[i].server, &err) == rows[i].ok);
        CHECK(rows[i].ok || err.kind == ERR_USAGE);
        vec_free(&faults);
    }
    const struct servers s = {.primary = 1};
    CHECK(servers_fault_node(&s, &(struct fault){.kind = FAULT_FAILOVER}) == 1);
    CHECK(servers_fault_node(&s, &(struct fault){.kind = FAULT_FAILOVER,
                                                 .node = 2,
                                                 .has_node = true}) == 2);
    CHECK(servers_fault_node(&s, &(struct fault){.kind = FAULT_KILL}) == 0);
}

int
main(void)
{
    RUN(a_tool_that_fails_is_quoted);
    RUN(a_program_that_cannot_run_is_an_error);
    RUN(a_process_that_ignores_a_signal_is_killed);
    RUN(programs_are_found_in_path_and_then_by_pattern);
    RUN(the_guard_cleans_up_when_this_program_dies);
    RUN(a_bad_temporary_directory_is_an_error);
    RUN(a_server_survives_its_faults);
    RUN(a_server_that_ends_at_once_leaves_its_log);
    RUN(a_server_that_does_not_answer_does_not_start);
    RUN(a_server_has_ended_when_its_last_process_has);
    RUN(an_interrupt_ends_the_start);
    RUN(files_of_a_server_are_private_and_new);
    RUN(names_say_how_many_nodes_there_are);
    RUN(faults_have_a_kind_a_node_and_a_time);
    RUN(a_failover_needs_somebody_to_take_over);
    return test_end();
}

/* server_test.h -- what the tests that start servers share.
 *
 * A test binary starts its server once.  Where the server's programs are not
 * installed all tests are skipped; where they are and do not start, that is a
 * failure.
 *
 * SPDX-License-Identifier: MIT */
#ifndef TEST_SERVERS_SERVER_TEST_H
#define TEST_SERVERS_SERVER_TEST_H

#include "expect.h"

#include "base/time.h"
#include "driver/driver.h"
#include "server/server.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* How many entries a directory has. */
static inline size_t
count_entries(const char *path)
{
    size_t n = 0;
    DIR *dir = opendir(path);
    while (dir && readdir(dir))
        n++;
    if (dir)
        closedir(dir);
    return n < 2 ? 0 : n - 2;
}

/* How many processes name a path in their command line. */
static inline size_t
count_processes(const char *path)
{
    size_t n = 0;
    DIR *proc = opendir("/proc");
    for (struct dirent *e; proc && (e = readdir(proc));) {
        char name[300], line[4096];
        snprintf(name, sizeof name, "/proc/%s/cmdline", e->d_name);
        const int fd = strtol(e->d_name, NULL, 10) ? open(name, O_RDONLY) : -1;
        const ssize_t got = fd < 0 ? 0 : read(fd, line, sizeof line - 1);
        for (ssize_t i = 0; i < got; i++)
            line[i] = line[i] ? line[i] : ' ';
        line[got > 0 ? got : 0] = 0;
        n += strstr(line, path) != NULL;
        if (fd >= 0)
            close(fd);
    }
    if (proc)
        closedir(proc);
    return n;
}

/* Kill a program that has the other end of a pipe, which it hands to whatever
 * it starts: when all of that has ended, nothing is left in a directory, and
 * nothing runs that is from there.
 *
 * The pipe is waited for because a guard that has been forked and has not begun
 * yet shows neither in the directory nor by its command line. */
static inline void
kill_and_expect_nothing(pid_t program, int life, const char *place)
{
    enum { PATIENCE = 60000 }; // milliseconds
    struct pollfd end = {.fd = life, .events = POLLIN};
    CHECK(kill(program, SIGKILL) == 0 && waitpid(program, NULL, 0) == program);
    CHECK(poll(&end, 1, PATIENCE) == 1 && end.revents == POLLHUP);
    close(life);
    CHECK(count_entries(place) == 0);
    CHECK(count_processes(place) == 0);
}

/* The root of the repository. */
static inline const char *
root(void)
{
    const char *path = getenv("SOURCE_ROOT");
    return path ? path : ".";
}

/* Append the content of a file; false if there is none. */
static inline bool
get_file(const char *path, struct buf *out)
{
    FILE *file = fopen(path, "rb");
    char piece[4096];
    size_t n;
    while (file && (n = fread(piece, 1, sizeof piece, file)) > 0)
        buf_add(out, piece, n);
    if (file)
        fclose(file);
    return out->n > 0;
}

/* Start a server; false where it is not installed, and where it does not
 * start, which prints its log and fails the test. */
static inline bool
start_server(const char *what, struct servers *s)
{
    struct err err = {0};
    char line[1024];
    if (servers_start(what, NULL, s, &err))
        return true;
    err_format(&err, line, sizeof line);
    printf("# %s\n", line);
    if (err.kind == ERR_FEATURE) {
        SKIP("the server is not installed");
        return false;
    }
    CHECK(!"the server starts");
    FILE *log = err.file[0] ? fopen(err.file, "r") : NULL;
    while (log && fgets(line, sizeof line, log))
        printf("# %s", line);
    if (log)
        fclose(log);
    return false;
}

/* The same for a binary that has one server: where it returns false the
 * result has been told already. */
static inline bool
start_or_skip(const char *what, struct servers *s)
{
    test_ok = true;
    test_skipped = NULL;
    if (start_server(what, s))
        return true;
    if (test_skipped)
        printf("1..0 # SKIP %s\n", test_skipped);
    else
        printf("not ok 1 - %s starts\n1..1\n", what);
    return false;
}

/* Every application is serializable on a server that is asked to be. */
static inline void
expect_of_applications(const char *url)
{
    for (size_t i = 0; app_list[i]; i++)
        expect(&(struct expectation){
            .trial = {.target = url,
                      .app = app_list[i]->name,
                      .isolation = ISOLATION_SERIALIZABLE,
                      .transactions = 150},
            .holds = LEVEL_BIT(LEVEL_SER),
            .commits = 20,
        });
}

/* A table of somebody else that has one of our names is refused, and stays as
 * it is. */
static inline void
expect_to_leave_foreign_tables(const char *url)
{
    struct database db;
    struct connection *c;
    struct err err = {0};
    CHECK(database_open(url, ISOLATION_UNCHANGED, NULL, &db, &err));
    CHECK(db.driver->connect(&db, 0, 0, &c, &err));
    CHECK(db.driver->query(c, "create table assay_kv (precious bigint)",
                           NULL) == OUTCOME_OK);
    CHECK(db.driver->query(c, "insert into assay_kv values (7)", NULL) ==
          OUTCOME_OK);
    struct trial_result result = {0};
    CHECK(!trial_record(&(struct trial){.target = url}, "/dev/null", &result));
    CHECK(strstr(result.text,
                 "assay_kv exists and was not made by this program"));
    struct result_rows rows = {0};
    CHECK(db.driver->query(c, "select precious from assay_kv", &rows) ==
          OUTCOME_OK);
    CHECK(rows.n == 1 && strcmp(result_rows_get(&rows, 0, 0), "7") == 0);
    result_rows_free(&rows);
    CHECK(db.driver->query(c, "drop table assay_kv", NULL) == OUTCOME_OK);
    db.driver->disconnect(c);
    database_close(&db);
}

/* A run in a database where another one has its tables is refused, and does not
 * remove them; after the end of that one it is not. */
static inline void
expect_one_run_at_a_time(const char *url)
{
    struct database first, second;
    struct err err = {0};
    CHECK(database_open(url, ISOLATION_UNCHANGED, NULL, &first, &err));
    CHECK(database_open(url, ISOLATION_UNCHANGED, NULL, &second, &err));
    CHECK(first.driver->load(&first, 2, KEYS_REGISTERS, &err));
    CHECK(!second.driver->load(&second, 2, KEYS_LISTS, &err));
    CHECK(strstr(err.text, "another run has its tables in this database"));
    err = (struct err){0};
    CHECK(second.driver->unload(&second, &err));
    CHECK(first.driver->unload(&first, &err));
    CHECK(second.driver->load(&second, 2, KEYS_LISTS, &err));
    CHECK(second.driver->unload(&second, &err));
    CHECK_TEXT(err.text, "");
    database_close(&first);
    database_close(&second);
}

#endif

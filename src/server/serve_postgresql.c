/* serve_postgresql.c -- a PostgreSQL server, alone or with a standby.
 *
 * The standby is made with pg_basebackup, follows the primary, and accepts
 * reads.  Commits wait for it only if it is to be synchronous.
 *
 * A failover kills the primary and promotes the standby.  Before the promotion
 * the last process of the primary has to end: those that served clients outlive
 * the first process for a moment, and would let a client go on with a server
 * that is no longer the primary.  Then all clients are led to the promoted
 * server, and the killed one is made again as its standby.  No client goes
 * back: it could miss there what it has seen.
 *
 * Nothing is forced to disk, because commits have to survive a crash of the
 * process, not of the machine.  There are no sockets in the file system.  TCP
 * needs a password, which is on no command line, because other users can read
 * those.
 *
 * SPDX-License-Identifier: MIT */
#include "driver/driver.h"
#include "driver/sql/sql.h"
#include "server/ask.h"
#include "server/kinds.h"
#include "server/postgresql_release.h"
#include "server/process.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/shm.h>
#include <sys/stat.h>

// Under this name a standby connects, so it is the one to wait for.
#define SYNCHRONOUS "synchronous_standby_names=walreceiver"

static const char *const places[] = {"/usr/lib/postgresql/*/bin",
                                     "/usr/pgsql-*/bin", NULL};

static const char *
find_tool(struct servers *s, const char *name, struct err *err)
{
    static const char *const folders[] = {"bin", NULL};
    if (s->prefix)
        return servers_installed(s, folders, name, err);
    if (s->version) {
        const char *bin = postgresql_release(s, err);
        return bin ? servers_text(s, "%s/%s", bin, name) : NULL;
    }
    char *found = process_find(name, places);
    if (!found) {
        err_set(err, ERR_FEATURE,
                "cannot find '%s'; is the package postgresql installed?", name);
        return NULL;
    }
    const char *path = servers_text(s, "%s", found);
    mem_free(found);
    return path;
}

/* Let the system remove the server's block of shared memory when its last
 * process has ended, however that happens; a server that is killed would leave
 * it.  Its number is in a file of the server's user, so it has to be that
 * user's. */
static void
release_shared_memory(struct servers *s, const struct node *n)
{
    enum { LINE = 7 }; // a key and the number
    char line[256];
    struct stat st;
    struct shmid_ds block;
    FILE *file = fopen(servers_text(s, "%s/postmaster.pid", n->directory), "r");
    for (int i = 1; file && fgets(line, sizeof line, file); i++) {
        char *key_end, *end;
        strtoul(line, &key_end, 10);
        const int id = (int)strtol(key_end, &end, 10);
        if (i == LINE && end != key_end && fstat(fileno(file), &st) == 0 &&
            shmctl(id, IPC_STAT, &block) == 0 &&
            block.shm_perm.cuid == st.st_uid)
            shmctl(id, IPC_RMID, NULL);
    }
    if (file)
        fclose(file);
}

static bool
start_node(struct servers *s, struct node *n, struct err *err)
{
    const char *postgres = find_tool(s, "postgres", err);
    if (!postgres)
        return false;
    const char *const settings[] = {
        "listen_addresses=127.0.0.1",
        "unix_socket_directories=",
        "fsync=off",
        "max_connections=200",
        "max_prepared_transactions=50",
        "max_wal_senders=4",
        "hot_standby=on",
        "shared_buffers=64MB",
        "dynamic_shared_memory_type=mmap", // in files that are removed
        "deadlock_timeout=50ms",
    };
    node_word(s, n, "%s", postgres);
    node_word(s, n, "-D");
    node_word(s, n, "%s", n->directory);
    node_word(s, n, "-p");
    node_word(s, n, "%u", (unsigned)n->port);
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++) {
        node_word(s, n, "-c");
        node_word(s, n, "%s", settings[i]);
    }
    for (size_t i = 0; i < s->settings.n; i++) {
        node_word(s, n, "-c");
        node_word(s, n, "%s", s->settings.at[i]);
    }
    if (s->kind->is_synchronous) {
        node_word(s, n, "-c");
        node_word(s, n, SYNCHRONOUS);
    }
    return node_start(s, n,
                      servers_text(s,
                                   "postgresql://assay:%s@127.0.0.1:%u/"
                                   "postgres",
                                   s->password, (unsigned)n->port),
                      err);
}

static bool
start_primary(struct servers *s, size_t count, struct err *err)
{
    (void)count;
    const char *initdb = find_tool(s, "initdb", err);
    if (!initdb)
        return false;
    const char *secret = servers_file(s, "password", s->password, err);
    if (!secret)
        return false;
    struct node *n = servers_add(s, "primary");
    const char *const argv[] = {initdb,
                                "-D",
                                n->directory,
                                "-U",
                                "assay",
                                "-A",
                                "scram-sha-256",
                                servers_text(s, "--pwfile=%s", secret),
                                "-E",
                                "UTF8",
                                "-N",
                                "--locale=C",
                                NULL};
    if (!servers_run(s, argv, NULL, err) || !start_node(s, n, err))
        return false;
    s->url = n->url;
    return true;
}

/* --- standbys --------------------------------------------------------------*/

/* Copy the primary into the directory of a node, so that it will follow. */
static bool
copy_primary(struct servers *s, const struct node *n, struct err *err)
{
    const char *basebackup = find_tool(s, "pg_basebackup", err);
    if (!basebackup)
        return false;
    const unsigned primary = s->nodes.at[s->primary].port;
    const char *const argv[] = {basebackup,
                                "-D",
                                n->directory,
                                "-h",
                                "127.0.0.1",
                                "-p",
                                servers_text(s, "%u", primary),
                                "-U",
                                "assay",
                                "-R",
                                "-c",
                                "fast",
                                "--no-sync",
                                NULL};
    const char *variable = servers_text(s, "PGPASSFILE=%s/pgpass", s->root);
    return servers_run(s, argv, variable, err);
}

static bool
start_with_standby(struct servers *s, size_t count, struct err *err)
{
    const char *secret = servers_text(s, "*:*:*:assay:%s\n", s->password);
    if (!start_primary(s, count, err) ||
        !servers_file(s, "pgpass", secret, err))
        return false;
    struct node *n = servers_add(s, "standby");
    if (!copy_primary(s, n, err) || !start_node(s, n, err))
        return false;
    s->url = servers_text(
        s, "postgresql://assay:%s@127.0.0.1:%u,127.0.0.1:%u/postgres",
        s->password, (unsigned)s->nodes.at[0].port, (unsigned)n->port);
    return true;
}

/* --- failover --------------------------------------------------------------*/

enum { PROMOTION_PATIENCE = 90 }; // seconds

/* Promote the standby; true when it takes writes. */
static bool
promote(struct connection *c, struct err *err)
{
    struct result_rows rows = {0};
    bool ok = sql_must(c, "select pg_promote(true, 60)::int", &rows, err);
    if (ok && strcmp(result_rows_get(&rows, 0, 0), "1") != 0)
        ok = err_set(err, ERR_IO, "the standby was not promoted in time");
    result_rows_free(&rows);
    return ok;
}

/* Make a node that was killed again, as a standby. */
static bool
make_again(struct servers *s, struct node *n, struct err *err)
{
    const char *const argv[] = {"/bin/rm", "-rf", n->directory, NULL};
    return servers_run(s, argv, NULL, err) && copy_primary(s, n, err) &&
           node_start(s, n, n->url, err);
}

static bool
fail_over(struct servers *s, size_t primary, struct err *err)
{
    const size_t standby = 1 - primary;
    struct node *n = &s->nodes.at[primary];
    if (!s->nodes.at[standby].pid)
        return err_set(err, ERR_IO, "there is no standby that could take over");
    if (!node_end(s, n, err) ||
        !server_ask(s->nodes.at[standby].url, promote, PROMOTION_PATIENCE,
                    s->interrupted, err))
        return false;
    s->primary = standby;
    for (size_t i = 0; s->clients && i < s->nodes.n; i++)
        database_lead(s->clients, i, standby);
    return make_again(s, n, err);
}

const struct server_kind server_postgresql = {
    .name = "postgresql",
    .help = "a PostgreSQL server; postgresql@14.3: that release, with npm",
    .nodes = 1,
    .has_releases = true,
    .scheme = "postgresql",
    .stop_signal = SIGINT, // a fast shutdown, which does not wait for clients
    .user = "postgres",
    .start = start_primary,
    .has_started = release_shared_memory,
};

const struct server_kind server_standby = {
    .name = "postgresql+standby",
    .help = "a PostgreSQL server and a standby that serves reads",
    .nodes = 2,
    .scheme = "postgresql",
    .stop_signal = SIGINT,
    .fails_over = 2,
    .user = "postgres",
    .start = start_with_standby,
    .has_started = release_shared_memory,
    .fail_over = fail_over,
};

const struct server_kind server_sync = {
    .name = "postgresql+sync",
    .help = "the same, and commits wait for the standby",
    .nodes = 2,
    .scheme = "postgresql",
    .stop_signal = SIGINT,
    .is_synchronous = true,
    .fails_over = 2,
    .user = "postgres",
    .start = start_with_standby,
    .has_started = release_shared_memory,
    .fail_over = fail_over,
};

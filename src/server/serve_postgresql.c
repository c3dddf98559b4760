/* serve_postgresql.c -- a PostgreSQL server, alone or with a standby.
 *
 * The standby is made with pg_basebackup, follows the primary asynchronously,
 * and accepts reads.  Nothing is forced to disk, because commits have to
 * survive a crash of the process, not of the machine.  There are no sockets in
 * the file system.  TCP needs a password, which is on no command line, because
 * other users can read those.
 *
 * SPDX-License-Identifier: MIT */
#include "server/kinds.h"
#include "server/postgresql_release.h"
#include "server/process.h"

#include <signal.h>

static const char *const places[] = {"/usr/lib/postgresql/*/bin",
                                     "/usr/pgsql-*/bin", NULL};

static const char *
find_tool(struct servers *s, const char *name, struct err *err)
{
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

static bool
start_with_standby(struct servers *s, size_t count, struct err *err)
{
    if (!start_primary(s, count, err))
        return false;
    const char *basebackup = find_tool(s, "pg_basebackup", err);
    if (!basebackup)
        return false;
    const char *secret = servers_file(
        s, "pgpass", servers_text(s, "*:*:*:assay:%s\n", s->password), err);
    if (!secret)
        return false;
    const unsigned primary = s->nodes.at[0].port;
    struct node *n = servers_add(s, "standby");
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
    const char *variable = servers_text(s, "PGPASSFILE=%s", secret);
    if (!servers_run(s, argv, variable, err) || !start_node(s, n, err))
        return false;
    s->url = servers_text(
        s, "postgresql://assay:%s@127.0.0.1:%u,127.0.0.1:%u/postgres",
        s->password, primary, (unsigned)n->port);
    return true;
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
};

const struct server_kind server_standby = {
    .name = "postgresql+standby",
    .help = "a PostgreSQL server and a standby that serves reads",
    .nodes = 2,
    .scheme = "postgresql",
    .stop_signal = SIGINT,
    .user = "postgres",
    .start = start_with_standby,
};

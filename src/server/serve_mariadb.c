/* serve_mariadb.c -- a MariaDB server, or a Galera cluster of them.
 *
 * The log is written at each commit but not forced to disk: commits have to
 * survive a crash of the process, not of the machine.
 *
 * The installation has one user, 'assay', which connects by TCP with a
 * password.  The password is on no command line, because other users can read
 * those.  There is no root and no anonymous user.  The server always makes a
 * socket; it is in the data directory.
 *
 * Each process has its own directory for temporary files.  A server that starts
 * removes leftover temporary files, and would remove those of other servers.
 *
 * A node that joins a cluster gets a copy of the data from another node.  The
 * scripts of MariaDB need rsync or a backup tool, and more ports.  Here all
 * nodes share a file system, so our own script, written into the temporary
 * directory, copies the files.  It finds the joiner's directory by a link that
 * is named after the joiner's port.
 *
 * SPDX-License-Identifier: MIT */
#include "driver/driver.h"
#include "driver/sql/sql.h"
#include "server/kinds.h"
#include "server/process.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const places[] = {"/usr/sbin", "/usr/bin", "/usr/libexec",
                                     NULL};

static const char *
find_tool(struct servers *s, const char *name, struct err *err)
{
    static const char *const folders[] = {"bin", "sbin", "scripts", NULL};
    // OpenSSL is not a part of the server.
    if (s->prefix && strcmp(name, "openssl") != 0)
        return servers_installed(s, folders, name, err);
    char *found = process_find(name, places);
    if (!found) {
        err_set(err, ERR_FEATURE,
                "cannot find '%s'; are the packages mariadb-server and, for "
                "Galera, openssl installed?",
                name);
        return NULL;
    }
    const char *path = servers_text(s, "%s", found);
    mem_free(found);
    return path;
}

#define USERS_SCRIPT                                                           \
    "delete from mysql.global_priv where user <> 'mariadb.sys';\n"             \
    "flush privileges;\n"                                                      \
    "create user assay@'127.0.0.1' identified by '%s';\n"                      \
    "grant all on *.* to assay@'127.0.0.1' with grant option;\n"               \
    "create database assay;\n"

static bool
install(struct servers *s, const struct node *n, struct err *err)
{
    const char *tool = find_tool(s, "mariadb-install-db", err);
    if (!tool)
        return false;
    const char *users = servers_file(
        s, "users.sql", servers_text(s, USERS_SCRIPT, s->password), err);
    if (!users)
        return false;
    const char *const argv[] = {
        tool,
        "--no-defaults",
        servers_text(s, "--datadir=%s", n->directory),
        "--auth-root-authentication-method=normal",
        "--skip-test-db",
        servers_text(s, "--tmpdir=%s", servers_directory(s, "scratch")),
        servers_text(s, "--extra-file=%s", users),
        NULL};
    return servers_run(s, argv, NULL, err);
}

/* The arguments that every node's command line begins with. */
static bool
common_words(struct servers *s, struct node *n, const char *name,
             struct err *err)
{
    const char *mariadbd = find_tool(s, "mariadbd", err);
    if (!mariadbd)
        return false;
    node_word(s, n, "%s", mariadbd);
    node_word(s, n, "--no-defaults");
    node_word(s, n, "--datadir=%s", n->directory);
    node_word(s, n, "--socket=server.sock"); // short, in the data directory
    node_word(s, n, "--pid-file=%s/%s.pid", s->root, name);
    node_word(s, n, "--tmpdir=%s",
              servers_directory(s, servers_text(s, "%s.tmp", name)));
    node_word(s, n, "--port=%u", (unsigned)n->port);
    node_word(s, n, "--bind-address=127.0.0.1");
    node_word(s, n, "--skip-name-resolve");
    node_word(s, n, "--max-connections=200");
    node_word(s, n, "--innodb-buffer-pool-size=64M");
    node_word(s, n, "--innodb-log-file-size=16M");
    node_word(s, n, "--innodb-flush-log-at-trx-commit=2");
    for (size_t i = 0; i < s->settings.n; i++)
        node_word(s, n, "--%s", s->settings.at[i]);
    return true;
}

static const char *
node_url(struct servers *s, const struct node *n)
{
    return servers_text(s, "mariadb://assay:%s@127.0.0.1:%u/assay", s->password,
                        (unsigned)n->port);
}

static bool
start_alone(struct servers *s, size_t count, struct err *err)
{
    (void)count;
    struct node *n = servers_add(s, "server");
    if (!install(s, n, err) || !common_words(s, n, "server", err) ||
        !node_start(s, n, node_url(s, n), err))
        return false;
    s->url = n->url;
    return true;
}

/* --- Galera ----------------------------------------------------------------*/

// The server calls this as wsrep_sst_copy, on both sides, with a role.  What it
// prints and the files that it waits for are the protocol of the server.
static const char transfer_script[] =
    "#!/bin/sh\n"
    "# Copy the data of one node to another on the same machine.\n"
    "root=$(dirname \"$0\")\n"
    "role= address= data= position= bypass=\n"
    "while [ $# -gt 0 ]; do\n"
    "    case $1 in\n"
    "    --role) role=$2; shift ;;\n"
    "    --address) address=$2; shift ;;\n"
    "    --datadir) data=$2; shift ;;\n"
    "    --gtid) position=$2; shift ;;\n"
    "    --bypass) bypass=yes ;;\n"
    "    --mysqld-args) break ;;\n"
    "    esac\n"
    "    shift\n"
    "done\n"
    "await() {\n"
    "    tries=0\n"
    "    until [ -s \"$1\" ]; do\n"
    "        tries=$((tries + 1))\n"
    "        [ $tries -lt 1800 ] || exit 32\n"
    "        sleep 0.1\n"
    "    done\n"
    "}\n"
    "port=${address%%/*}\n"
    "port=${port##*:}\n"
    "done=$root/received-$port\n"
    "if [ \"$role\" = joiner ]; then\n"
    "    rm -f \"$done\"\n"
    "    echo \"ready $address/copy\"\n"
    "    await \"$done\"\n"
    "    cat \"$done\"\n"
    "    exit 0\n"
    "fi\n"
    "if [ -z \"$bypass\" ]; then\n"
    "    rm -f \"$data/tables_flushed\"\n"
    "    echo 'flush tables'\n"
    "    await \"$data/tables_flushed\"\n"
    "    position=$(cat \"$data/tables_flushed\")\n"
    "    target=$root/node-$port\n"
    "    rm -rf \"$target\"/*\n"
    "    (cd \"$data\" && tar cf - --exclude=galera.cache \\\n"
    "        --exclude=gvwstate.dat --exclude=grastate.dat \\\n"
    "        --exclude=tables_flushed .) | (cd \"$target\" && tar xf -)\n"
    "    echo continue\n"
    "fi\n"
    "echo \"$position\" >\"$done.new\"\n"
    "mv \"$done.new\" \"$done\"\n"
    "echo \"done $position\"\n";

static bool
write_script(struct servers *s, struct err *err)
{
    const char *path = servers_file(s, "wsrep_sst_copy", transfer_script, err);
    return path && (chmod(path, 0700) == 0 ||
                    err_set(err, ERR_IO, "cannot make '%s' a program", path));
}

struct ports {
    unsigned group, receive, transfer; // replication, catching up, copying
};

/* Make a key and a self-signed certificate.  The nodes of a cluster accept only
 * nodes that have the same certificate. */
static bool
make_key(struct servers *s, struct err *err)
{
    const char *openssl = find_tool(s, "openssl", err);
    if (!openssl)
        return false;
    const char *const argv[] = {
        openssl,    "req",
        "-x509",    "-newkey",
        "rsa:2048", "-nodes",
        "-days",    "7",
        "-subj",    "/CN=assay",
        "-keyout",  servers_text(s, "%s/key.pem", s->root),
        "-out",     servers_text(s, "%s/certificate.pem", s->root),
        NULL};
    return servers_run(s, argv, NULL, err);
}

static void
galera_words(struct servers *s, struct node *n, const char *name,
             const char *provider, const struct ports *p, const char *cluster)
{
    node_word(s, n, "--binlog-format=ROW");
    node_word(s, n, "--default-storage-engine=InnoDB");
    node_word(s, n, "--innodb-autoinc-lock-mode=2");
    // A deadlock between local and replicated transactions may not be
    // visible to other connections.
    node_word(s, n, "--innodb-lock-wait-timeout=5");
    node_word(s, n, "--wsrep-on=ON");
    node_word(s, n, "--wsrep-provider=%s", provider);
    node_word(s, n, "--wsrep-cluster-name=assay");
    node_word(s, n, "--wsrep-node-name=%s", name);
    node_word(s, n, "--wsrep-node-address=127.0.0.1:%u", p->group);
    node_word(s, n, "--wsrep-cluster-address=gcomm://%s", cluster);
    node_word(s, n, "--wsrep-sst-method=copy");
    node_word(s, n, "--wsrep-sst-receive-address=127.0.0.1:%u", p->transfer);
    node_word(s, n,
              "--wsrep-provider-options=base_port=%u;"
              "gmcast.listen_addr=ssl://127.0.0.1:%u;"
              "ist.recv_addr=ssl://127.0.0.1:%u;gcache.size=32M;"
              "socket.ssl_key=%s/key.pem;socket.ssl_cert=%s/certificate.pem;"
              "socket.ssl_ca=%s/certificate.pem",
              p->group, p->group, p->receive, s->root, s->root, s->root);
}

static bool
link_directory(struct servers *s, const struct node *n, unsigned port,
               struct err *err)
{
    const char *link = servers_text(s, "%s/node-%u", s->root, port);
    return symlink(n->directory, link) == 0 ||
           err_set(err, ERR_IO, "cannot make the link '%s'", link);
}

static const char *
find_provider(struct servers *s, struct err *err)
{
    static const char *const libraries[] = {"/usr/lib/galera",
                                            "/usr/lib64/galera-4", NULL};
    char *found = process_find("libgalera_smm.so", libraries);
    if (!found) {
        err_set(err, ERR_FEATURE,
                "cannot find Galera; is the package galera-4 installed?");
        return NULL;
    }
    const char *path = servers_text(s, "%s", found);
    mem_free(found);
    return path;
}

static bool
start_member(struct servers *s, size_t i, const char *provider,
             const struct ports *p, const char *cluster, struct err *err)
{
    const char *name = servers_text(s, "node%zu", i + 1);
    struct node *n = servers_add(s, name);
    if ((i == 0 && !install(s, n, err)) || !common_words(s, n, name, err) ||
        !link_directory(s, n, p->transfer, err))
        return false;
    galera_words(s, n, name, provider, p, cluster);
    // Only the first start of the first node makes a new cluster; after a
    // restart it joins the others.
    if (i == 0)
        node_word(s, n, "--wsrep-new-cluster");
    if (!node_start(s, n, node_url(s, n), err))
        return false;
    if (i == 0)
        n->argv.n--;
    return true;
}

static bool
start_cluster(struct servers *s, size_t count, struct err *err)
{
    struct ports ports[9];
    struct buf cluster = {0}, url = {0};
    const char *provider = find_provider(s, err);
    bool ok = provider && write_script(s, err) && make_key(s, err);
    for (size_t i = 0; i < count; i++) {
        ports[i] =
            (struct ports){servers_port(s), servers_port(s), servers_port(s)};
        buf_printf(&cluster, "%s127.0.0.1:%u", i ? "," : "", ports[i].group);
    }
    buf_printf(&url, "mariadb://assay:%s@", s->password);
    for (size_t i = 0; ok && i < count; i++) {
        ok = start_member(s, i, provider, &ports[i], cluster.at, err);
        buf_printf(&url, "%s127.0.0.1:%u", i ? "," : "",
                   (unsigned)vec_top(&s->nodes).port);
    }
    s->url = servers_text(s, "%s/assay", url.at);
    buf_free(&cluster);
    buf_free(&url);
    return ok;
}

/* Let the clients of a node go on with the next one until it is back. */
static bool
fail_over(struct servers *s, size_t node, struct err *err)
{
    struct node *n = &s->nodes.at[node];
    node_stop(s, n, SIGKILL);
    if (s->clients)
        database_lead(s->clients, node, (node + 1) % s->nodes.n);
    if (!node_start(s, n, n->url, err))
        return false;
    if (s->clients)
        database_lead(s->clients, node, SIZE_MAX);
    return true;
}

const struct server_kind server_mariadb = {
    .name = "mariadb",
    .help = "a MariaDB server",
    .nodes = 1,
    .scheme = "mariadb",
    .stop_signal = SIGTERM,
    .user = "mysql",
    .start = start_alone,
};

const struct server_kind server_galera = {
    .name = "galera",
    .help = "a Galera cluster of N MariaDB servers",
    .scheme = "mariadb",
    .stop_signal = SIGTERM,
    .fails_over = 3, // of two nodes, one alone is no majority
    .user = "mysql",
    .start = start_cluster,
    .fail_over = fail_over,
};

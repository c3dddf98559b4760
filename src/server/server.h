/* server.h -- database servers for one run: installed in a temporary directory,
 * on loopback, and removed afterwards.
 *
 * Other users have no access.  The directory with all sockets and files is
 * closed to them, TCP connections need a random password, and if this program
 * runs as root, the servers run as another user.
 *
 * SPDX-License-Identifier: MIT */
#ifndef SERVER_SERVER_H
#define SERVER_SERVER_H

#include "base/container/vec.h"
#include "base/err.h"
#include "base/memory/arena.h"
#include "server/guard.h"

#include <signal.h>
#include <sys/types.h>

/* One process, and how to start it again. */
struct node {
    pid_t pid;    // 0 while it does not run
    bool has_run; // it has answered before
    uint16_t port;
    int lifeline; // closes when its last process has ended; 0: none
    const char *directory, *log;
    const char *url; // the URL of this node alone
    VEC(const char *) argv;
};

struct database;
struct server_kind;

struct servers {
    const struct server_kind *kind;
    struct arena arena;
    const char *root;    // the temporary directory
    const char *version; // the release of the programs; NULL: as installed
    const char *prefix;  // where the programs were installed; NULL: anywhere
    VEC(const char *) settings; // "name=value", of all nodes
    const char *password;       // of the user 'assay' on all nodes
    const char *url;            // the URL of all nodes together
    VEC(struct node) nodes;
    size_t primary;           // the node that is it, of a primary and a standby
    struct database *clients; // to be led by a failover, or NULL
    struct guard guard;       // cleans up when this program dies
    uint32_t port;            // the last port that was assigned
    double patience;          // seconds for a node to start; 0: three minutes
    // A flag that a signal handler sets to interrupt the start; or NULL.
    const volatile sig_atomic_t *interrupted;
};

enum { SERVER_NODES = 3 }; // the default for kinds with any number of nodes

/* A kind of server that can be started. */
struct server_kind {
    const char *name, *help;
    const char *scheme;  // the scheme of its driver
    size_t nodes;        // 0: any number, as in "galera:3"
    bool has_releases;   // any of them, as in "postgresql@14.3"
    int stop_signal;     // the signal for an orderly shutdown
    bool is_synchronous; // commits wait for the standby
    size_t fails_over;   // the least number of nodes for that; 0: it does not
    const char *user;    // the user it runs as, if this program is root
    /* Make and start all nodes; on failure the caller cleans up. */
    bool (*start)(struct servers *s, size_t count, struct err *err);
    /* Called when a node has started, again too; or NULL. */
    void (*has_started)(struct servers *s, const struct node *n);
    /* Kill a node and let its clients go on with another one, and then make it
     * serve again; NULL if 'fails_over' is 0. */
    bool (*fail_over)(struct servers *s, size_t node, struct err *err);
};

extern const struct server_kind *const server_kinds[]; // ends with NULL

/* How many nodes a name stands for: "postgresql", "postgresql@14.3",
 * "postgresql@17" (its newest release), "postgresql+standby", "mariadb",
 * "galera:3"; with programs below a prefix "postgresql:/opt/pg"; with settings
 * "mariadb?innodb_flush_method=fsync&sync_binlog=1".  Fails for any other. */
bool servers_count(const char *what, size_t *nodes, struct err *err);

/* The same, and the kind. */
bool servers_kind(const char *what, const struct server_kind **kind,
                  size_t *nodes, struct err *err);

/* Start the named servers.  On success s->url is the URL to connect to.  Fails
 * with ERR_FEATURE if the programs are not installed or this build has no
 * driver for them; with ERR_IO, and the name of a file with all logs, if the
 * servers do not start. */
bool servers_start(const char *what, const volatile sig_atomic_t *interrupted,
                   struct servers *s, struct err *err);

/* For the kinds: a program in one of the folders below s->prefix; the list ends
 * with NULL. */
const char *servers_installed(struct servers *s, const char *const *folders,
                              const char *name, struct err *err);

/* Stop everything and remove the directory. */
void servers_stop(struct servers *s);

/* --- faults -----------------------------------------------------------------
 *
 * After each fault the server serves again. */
enum fault_kind {
    FAULT_KILL,       // kill the server, and start it again
    FAULT_STOP,       // freeze it for a second
    FAULT_DISCONNECT, // close all connections of clients
    FAULT_RESTART,    // shut it down in order, and start it again
    FAULT_FAILOVER,   // kill it, and let another node take over
    FAULTS
};

/* When something is done, in seconds from the start of the run. */
struct fault_time {
    double seconds; // the first time
    bool repeats;   // and again
    double every;   // seconds after the last time ended
};

/* Parse "2", "2.5s" or "every:3s", of n characters. */
bool fault_time_parse(const char *text, size_t n, struct fault_time *out);

struct fault {
    enum fault_kind kind;
    size_t node;   // from 0
    bool has_node; // it was given
    struct fault_time time;
};

extern const char *const fault_names[FAULTS]; // "kill"

typedef VEC(struct fault) fault_vec;

/* Parse "kill@2,stop:3@every:4.5s": kind, node (default: the first, and for a
 * failover the primary), and time. */
bool faults_parse(const char *text, size_t nodes, fault_vec *out,
                  struct err *err);

/* Fail if the named servers, as in servers_count, cannot have these faults. */
bool faults_expect(const fault_vec *faults, const char *what, struct err *err);

/* The node that a fault would be inflicted on now. */
size_t servers_fault_node(const struct servers *s, const struct fault *f);

/* Inject the fault and wait until the server serves again. */
bool servers_fault(struct servers *s, const struct fault *f, struct err *err);

/* How many processes of servers have ended, although they were not stopped.
 * They count once. */
size_t servers_died(struct servers *s);

/* --- for the kinds ---------------------------------------------------------*/

/* Make a directory in the temporary one that the kind's user owns. */
const char *servers_directory(struct servers *s, const char *name);

/* Add a node with its own directory and a free port. */
struct node *servers_add(struct servers *s, const char *name);

/* Append an argument to a node's command line, formatted as by printf. */
__attribute__((format(printf, 3, 4))) void
node_word(struct servers *s, struct node *n, const char *format, ...);

/* Start the process of a node and wait until 'url' can be connected to. */
bool node_start(struct servers *s, struct node *n, const char *url,
                struct err *err);

/* Stop the process of a node, if it runs, with that signal. */
void node_stop(struct servers *s, struct node *n, int signal);

/* Kill a node, and wait until its last process has ended. */
bool node_end(struct servers *s, struct node *n, struct err *err);

/* Run a tool to its end as the kind's user; 'variable' as in command_line. */
bool servers_run(struct servers *s, const char *const *argv,
                 const char *variable, struct err *err);

/* Make a file in the temporary directory that only the kind's user can read.
 * NULL if that fails. */
const char *servers_file(struct servers *s, const char *name, const char *text,
                         struct err *err);

__attribute__((format(printf, 2, 3))) const char *
servers_text(struct servers *s, const char *format, ...);

/* Copy the logs to a file that is kept, and name it in err; return false. */
bool servers_blame(struct servers *s, struct err *err);

/* A free port on loopback; 0 if there is none. */
uint16_t servers_port(struct servers *s);

#endif

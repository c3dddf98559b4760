/* process.h -- programs that this one starts: tools that end by themselves,
 * and servers that are supervised by their process id.
 *
 * SPDX-License-Identifier: MIT */
#ifndef SERVER_PROCESS_H
#define SERVER_PROCESS_H

#include "base/err.h"

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

struct guard;

struct command_line {
    const char *const *argv;   // ends in NULL; argv[0] is a path
    const char *directory;     // to run in
    const char *log;           // a file that stdout and stderr are added to
    const char *path;          // in front of PATH, or NULL
    const char *variable;      // NAME=VALUE for its environment, or NULL
    const char *user;          // to become, where this program runs as root
    const struct guard *guard; // is notified of it first, or NULL
    int input;                 // what it reads, or 0 for nothing
    int output;                // what it writes to instead of the log, or 0
};

/* Start a program in a session of its own, out of the terminal's reach.  With a
 * user it has the groups of that user alone.  With a guard it does not begin
 * before the guard knows of it. */
bool process_start(const struct command_line *c, pid_t *out, struct err *err);

/* Run a program to its end; fail where it fails, with the last line of its
 * log, and end it where *interrupted, if not NULL, becomes true. */
bool process_run(const struct command_line *c,
                 const volatile sig_atomic_t *interrupted, struct err *err);

/* Whether the process has ended; then its id must not be used any more. */
bool process_has_ended(pid_t pid);

/* Ask a process to end with that signal, wait, and after 'patience' seconds
 * end it the hard way. */
void process_stop(pid_t pid, int signal, double patience);

/* Look for a program in PATH and then in the places given, each a pattern as
 * for the shell, of which the last match is taken.  NULL where it is nowhere;
 * else the caller frees it with mem_free. */
char *process_find(const char *name, const char *const *patterns);

/* The last line of a file, for messages; at most room - 1 bytes. */
void process_last_line(const char *path, char *out, size_t room);

#endif

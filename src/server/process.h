/* process.h -- programs that this one starts: tools, which end by themselves,
 * and servers, which are supervised by their process id.
 *
 * SPDX-License-Identifier: MIT */
#ifndef SERVER_PROCESS_H
#define SERVER_PROCESS_H

#include "base/container/vec.h"
#include "base/err.h"

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

struct guard;

struct command_line {
    const char *const *argv;   // ends with NULL; argv[0] is a path
    const char *directory;     // working directory
    const char *log;           // stdout and stderr are appended to this file
    const char *path;          // put at the front of PATH, or NULL
    const char *variable;      // NAME=VALUE for its environment, or NULL
    const char *user;          // to run as, if this program runs as root
    const struct guard *guard; // informed before the program begins, or NULL
    int input;                 // its stdin, or 0 for nothing
    int output;                // its stdout instead of the log, or 0
    double patience;           // seconds for process_run; 0: any time
    // If not NULL: the end of a pipe that closes when the program and all that
    // it has started have ended; the caller closes it.
    int *lifeline;
};

/* Start a program in its own session, so that it gets no signals from the
 * terminal.  With a user it has only the groups of that user.  With a guard it
 * does not begin before the guard knows it. */
bool process_start(const struct command_line *c, pid_t *out, struct err *err);

/* Run a program to its end.  If it fails, the error has the last line of its
 * log.  If 'interrupted' is not NULL and *interrupted becomes true, or when its
 * time is up, end it. */
bool process_run(const struct command_line *c,
                 const volatile sig_atomic_t *interrupted, struct err *err);

/* Whether the process has ended; then its id must not be used again. */
bool process_has_ended(pid_t pid);

/* Send a process that signal, wait until it ends, and kill it after 'patience'
 * seconds. */
void process_stop(pid_t pid, int signal, double patience);

typedef VEC(pid_t) pid_vec;

/* Append the children of a process, where the system lists them in /proc. */
void process_children(pid_t parent, pid_vec *out);

/* Look for a program in PATH and then in the places given.  A place is a shell
 * pattern, of which the last match is taken.  NULL if there is none; otherwise
 * the caller frees the path with mem_free. */
char *process_find(const char *name, const char *const *patterns);

/* The last line of a file, for messages; at most room - 1 bytes. */
void process_last_line(const char *path, char *out, size_t room);

#endif

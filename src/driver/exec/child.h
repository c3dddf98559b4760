/* child.h -- a program that answers requests, one line each.
 *
 * Threads of many sessions talk to one child at once.  Each has a place of its
 * own, whose number is in the request and in the answer, and at most one
 * request at a time is on its way for a place; answers come in any order.
 *
 * SPDX-License-Identifier: MIT */
#ifndef DRIVER_EXEC_CHILD_H
#define DRIVER_EXEC_CHILD_H

#include "base/buf.h"
#include "base/err.h"

struct child;

/* Start 'command' with the shell.  It reads requests from standard input and
 * writes answers to standard output.  Its standard error is this program's, and
 * lines of its standard output that do not begin with '{' go there too. */
bool child_start(const char *command, struct child **out, struct err *err);

/* Close its input, wait a little for its end, and then kill it with all that
 * it has started. */
void child_stop(struct child *c);

/* The number of a place that nobody uses; the first is 0. */
uint32_t child_take_place(struct child *c);
void child_leave_place(struct child *c, uint32_t place);

/* Send a request, a line without its end, and wait for the answer to this
 * place.  Fails where the child has ended, does not answer for long, or writes
 * a line that is no answer; from then on the child is of no use, and every
 * request fails. */
bool child_ask(struct child *c, uint32_t place, const struct buf *request,
               struct buf *answer, struct err *err);

/* Whether every further request would fail. */
bool child_is_broken(struct child *c);

#endif

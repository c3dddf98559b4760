/* exec_link.h -- requests of a session to a program, and what they come to.
 *
 * SPDX-License-Identifier: MIT */
#ifndef DRIVER_EXEC_EXEC_LINK_H
#define DRIVER_EXEC_EXEC_LINK_H

#include "base/json.h"
#include "driver/driver.h"
#include "driver/exec/child.h"
#include "driver/exec/json_line.h"

struct exec_link {
    struct connection base;
    struct child *child;
    uint32_t place;
    struct buf request, answer;
    struct json_line json; // of 'answer'
};

/* Begin a request in place of what 'out' holds; the caller adds members. */
void exec_request_begin(struct buf *out, uint32_t place, const char *verb);

/* End the request, send it, and read the answer; false where there is none. */
bool exec_exchange(struct child *child, uint32_t place, struct buf *request,
                   struct buf *answer, struct json_line *json, struct err *err);

/* Whether an entry of an answer is true. */
bool exec_is_true(const struct json_line *json, const char *name);

/* Ask what stands in c->request.  The answer is in c->json where it is OK. */
enum outcome exec_ask(struct exec_link *c);

/* Run a statement where the program takes SQL: 'query' of a driver. */
enum outcome exec_query(struct connection *base, const char *sql,
                        struct result_rows *out);

#endif

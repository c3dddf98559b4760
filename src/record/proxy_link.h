/* proxy_link.h -- one connection through the proxy: what its messages mean.
 *
 * Only messages whose content is logged are held until they are complete; all
 * others pass in the pieces in which they arrive.
 *
 * SPDX-License-Identifier: MIT */
#ifndef RECORD_PROXY_LINK_H
#define RECORD_PROXY_LINK_H

#include "record/proxy.h"

struct link_end {
    int fd; // -1: closed
    struct buf in, out;
    size_t done;  // bytes of 'in' that are understood
    size_t pass;  // bytes of a message that are passed as they come
    bool is_over; // nothing more arrives
};

struct proxy_link {
    uint32_t number;
    struct link_end client, server;
    bool has_begun; // the first message was passed on
    // It cancels another session's statement, or is of another database.
    bool passes_only;
    bool is_closed; // the log says so
};

/* Understand what arrived, log it, and put it where it is to be sent. */
void proxy_link_understand(const struct proxy_options *o, struct proxy_link *l);

/* Note in the log, once, that the connection is closed. */
void proxy_link_note_closed(const struct proxy_options *o,
                            struct proxy_link *l);

/* Drop the first n bytes. */
void proxy_link_drop(struct buf *b, size_t n);

/* Calls on the socket return at once, and send at once. */
void proxy_link_make_quick(int fd);

void proxy_link_close_end(struct link_end *e);
void proxy_link_free(struct proxy_link *l);

#endif

/* wire.h -- the messages of PostgreSQL's protocol, version 3.
 *
 * A message is a letter, its length with the length's own four bytes, and a
 * body.  The first message of a client has no letter.  Nothing here reads or
 * writes a socket.
 *
 * SPDX-License-Identifier: MIT */
#ifndef RECORD_WIRE_H
#define RECORD_WIRE_H

#include "base/buf.h"

#include <stdbool.h>

enum { WIRE_HEADER = 5, WIRE_FIRST = 8 };

enum wire_first {
    WIRE_SESSION, // a StartupMessage
    WIRE_ENCRYPT, // SSLRequest or GSSENCRequest
    WIRE_CANCEL,
    WIRE_OTHER,
};

/* The fields of a body, read one after the other.  Reading behind the end
 * gives 0 or "" and sets 'is_short'. */
struct wire_body {
    const char *at, *end;
    bool is_short;
};

uint32_t wire_u32_at(const char *at);
uint16_t wire_u16(struct wire_body *b);
uint32_t wire_u32(struct wire_body *b);
uint8_t wire_u8(struct wire_body *b);
const char *wire_text(struct wire_body *b);
const char *wire_bytes(struct wire_body *b, size_t n);

/* What the first message of a client asks for, by the code in its header. */
enum wire_first wire_first_kind(uint32_t code);

/* A field of an ErrorResponse or NoticeResponse, by its letter, or NULL. */
const char *wire_field(struct wire_body body, char letter);

/* Append a message; an ErrorResponse that ends a connection. */
void wire_put(struct buf *out, char letter, const char *body, size_t n);
void wire_put_fatal(struct buf *out, const char *message);

#endif

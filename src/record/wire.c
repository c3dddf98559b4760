/* wire.c -- see wire.h.
 *
 * SPDX-License-Identifier: MIT */
#include "record/wire.h"

#include <string.h>

uint32_t
wire_u32_at(const char *at)
{
    const unsigned char *b = (const unsigned char *)at;
    return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 |
           b[3];
}

const char *
wire_bytes(struct wire_body *b, size_t n)
{
    const char *at = b->at;
    if ((size_t)(b->end - b->at) < n) {
        b->is_short = true;
        b->at = b->end;
        return NULL;
    }
    b->at += n;
    return at;
}

uint8_t
wire_u8(struct wire_body *b)
{
    const char *at = wire_bytes(b, 1);
    return at ? (uint8_t)*at : 0;
}

uint16_t
wire_u16(struct wire_body *b)
{
    const unsigned char *at = (const unsigned char *)wire_bytes(b, 2);
    return at ? (uint16_t)(at[0] << 8 | at[1]) : 0;
}

uint32_t
wire_u32(struct wire_body *b)
{
    const char *at = wire_bytes(b, 4);
    return at ? wire_u32_at(at) : 0;
}

const char *
wire_text(struct wire_body *b)
{
    const char *end = memchr(b->at, 0, (size_t)(b->end - b->at));
    const char *text = b->at;
    if (!end) {
        b->is_short = true;
        b->at = b->end;
        return "";
    }
    b->at = end + 1;
    return text;
}

enum wire_first
wire_first_kind(uint32_t code)
{
    static const struct {
        uint32_t code;
        enum wire_first kind;
    } kinds[] = {{80877103, WIRE_ENCRYPT},
                 {80877104, WIRE_ENCRYPT},
                 {80877102, WIRE_CANCEL}};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (kinds[i].code == code)
            return kinds[i].kind;
    return code >> 16 == 3 ? WIRE_SESSION : WIRE_OTHER;
}

const char *
wire_field(struct wire_body body, char letter)
{
    for (char c; (c = (char)wire_u8(&body)) != 0;) {
        const char *text = wire_text(&body);
        if (c == letter && !body.is_short)
            return text;
    }
    return NULL;
}

void
wire_put(struct buf *out, char letter, const char *body, size_t n)
{
    const uint32_t length = (uint32_t)n + 4;
    const char header[] = {letter, (char)(length >> 24), (char)(length >> 16),
                           (char)(length >> 8), (char)length};
    buf_add(out, header, sizeof header);
    buf_add(out, body, n);
}

void
wire_put_fatal(struct buf *out, const char *message)
{
    struct buf body = {0};
    buf_add(&body, "SFATAL", 7);
    buf_add(&body, "VFATAL", 7);
    buf_add(&body, "C28000", 7);
    buf_char(&body, 'M');
    buf_add(&body, message, strlen(message) + 1);
    buf_char(&body, 0);
    wire_put(out, 'E', body.at, body.n);
    buf_free(&body);
}

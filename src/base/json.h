/* json.h -- the writer of JSON: commas, quotes and escapes are its work.
 *
 *     json_object(out, NULL);
 *     json_text(out, "level", "si");
 *     json_array(out, "lines");
 *     json_u64(out, NULL, 7);
 *     json_array_end(out);
 *     json_object_end(out);               gives {"level":"si","lines":[7]}
 *
 * A value has the name of its member, or NULL in an array and at the top.
 *
 *   (1) The writer keeps no state.  A value ends in a quote, a letter, a digit
 *       or a closing bracket, and nothing else does, so the last byte of the
 *       text decides whether a comma is due.  Hence a caller can cut a text
 * back, or add a value that other code wrote. (2) No comma is due in an empty
 * text and at the beginning of a line.  Where text was taken out of the buffer
 * in between, json_break says so. (3) Numbers are the same in every locale.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include "base/buf.h"

#include <stdbool.h>

/* Write what comes before a value: a comma if one is due, and the name. */
void json_key(struct buf *out, const char *name);

void json_object(struct buf *out, const char *name);
void json_object_end(struct buf *out);
void json_end_line(struct buf *out); // an object on its own line
void json_array(struct buf *out, const char *name);
void json_array_end(struct buf *out);

void json_text(struct buf *out, const char *name, const char *text);
void json_bytes(struct buf *out, const char *name, const char *text, size_t n);
__attribute__((format(printf, 3, 4))) void
json_printf(struct buf *out, const char *name, const char *format, ...);
void json_u64(struct buf *out, const char *name, uint64_t x);
void json_i64(struct buf *out, const char *name, int64_t x);
void json_bool(struct buf *out, const char *name, bool is_true);
void json_null(struct buf *out, const char *name);

/* A number with that many decimals, or with up to nine significant digits;
 * null if it is not finite. */
void json_fixed(struct buf *out, const char *name, double x, int decimals);
void json_real(struct buf *out, const char *name, double x);

/* A value that is JSON already; without a name also members of an object. */
void json_raw(struct buf *out, const char *name, const char *json, size_t n);

/* Begin a line inside an array whose other elements may have been taken out of
 * the buffer. */
void json_break(struct buf *out, bool is_first);

#endif

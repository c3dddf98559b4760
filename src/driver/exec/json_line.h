/* json_line.h -- one line of JSON, an object, by the names of its entries.
 *
 * SPDX-License-Identifier: MIT */
#ifndef DRIVER_EXEC_JSON_LINE_H
#define DRIVER_EXEC_JSON_LINE_H

#include "base/buf.h"
#include "format/form/form.h"

/* All-zero is empty. */
struct json_line {
    struct forms forms;
};

/* Read a line of n bytes, which must stay while the result is used. */
bool json_line_read(struct json_line *j, const char *line, size_t n,
                    struct err *err);
void json_line_free(struct json_line *j);

/* The value of an entry of the object, or NULL. */
const struct form *json_line_get(const struct json_line *j, const char *name);

/* The text of an entry that is a string, cut to fit; "" where it is none. */
void json_line_text(const struct json_line *j, const char *name, char *out,
                    size_t room);

#endif

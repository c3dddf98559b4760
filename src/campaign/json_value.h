/* json_value.h -- JSON that this program wrote, by the names of its members.
 *
 *     value_text(&v, value_member(&v, 0, "level"), &out)
 *
 * A value is the index of a form (format/form/form.h); 0 is the whole text, and
 * VALUE_NONE is what is not there.
 *
 * SPDX-License-Identifier: MIT */
#ifndef CAMPAIGN_JSON_VALUE_H
#define CAMPAIGN_JSON_VALUE_H

#include "format/form/form.h"

#define VALUE_NONE UINT32_MAX

/* All-zero is empty. */
struct json_value {
    struct forms forms;
};

/* Read one JSON value.  The text must stay while the result is used. */
bool value_read(struct json_value *v, const char *text, size_t n);
void value_free(struct json_value *v);

/* A member of an object, and the first element of an array. */
uint32_t value_member(const struct json_value *v, uint32_t in,
                      const char *name);
uint32_t value_first(const struct json_value *v, uint32_t in);

/* The element after 'at' in the array 'in'. */
uint32_t value_next(const struct json_value *v, uint32_t in, uint32_t at);

/* A number, 0 where there is none; a string, "" likewise, of the arena. */
double value_number(const struct json_value *v, uint32_t at);
const char *value_text(const struct json_value *v, uint32_t at,
                       struct arena *arena);

/* The member of an object as a number or a string. */
double value_number_of(const struct json_value *v, uint32_t in,
                       const char *name);
const char *value_text_of(const struct json_value *v, uint32_t in,
                          const char *name, struct arena *arena);

#endif

/* output_format.c -- see output_format.h.
 *
 * SPDX-License-Identifier: MIT */
#include "cli/output_format.h"

#include <string.h>

static bool
has_suffix(const char *text, const char *suffix)
{
    const size_t n = strlen(text), m = strlen(suffix);
    return m && n > m && strcmp(text + n - m, suffix) == 0;
}

bool
output_format_choose(const char *name, const char *path,
                     const struct format **out, struct err *err)
{
    if (name) {
        *out = format_find(name);
        return *out ||
               err_set(err, ERR_USAGE,
                       "unknown format '%s'; 'assay formats' lists them", name);
    }
    for (size_t i = 0; format_table[i]; i++)
        if (format_table[i]->write &&
            has_suffix(path, format_table[i]->suffix)) {
            *out = format_table[i];
            return true;
        }
    // x.dbcop is written as dbcop, although its usual suffix is another one.
    const char *dot = strrchr(path, '.');
    *out = dot && !strchr(dot, '/') ? format_find(dot + 1) : NULL;
    if (!*out || !(*out)->write)
        *out = format_find("jsonl");
    return true;
}

/* lower.c -- positions, and what lowering shares; see lower.h.
 *
 * SPDX-License-Identifier: MIT */
#include "program/lower/lower.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void
lower_free(struct lower *l)
{
    vec_free(&l->visible);
    vec_free(&l->variables);
    vec_free(&l->sources);
    vec_free(&l->inputs);
    vec_free(&l->aggregates);
}

uint32_t
lower_line(const struct lower *l, int location)
{
    uint32_t line = l->line;
    for (int i = 0; i < location && l->text[i]; i++)
        line += l->text[i] == '\n';
    return line;
}

bool
lower_fail(struct lower *l, int location, const char *format, ...)
{
    char text[sizeof l->err->text];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    err_set(l->err, ERR_SYNTAX, "%s", text);
    uint64_t column = 0;
    if (l->exact && location >= 0) {
        column = 1;
        for (int i = 0; i < location && l->text[i]; i++)
            column = l->text[i] == '\n' ? 1 : column + 1;
    }
    err_at_line(l->err, lower_line(l, location), column);
    return err_in_file(l->err, l->file);
}

const char *
lower_last_name(PgQuery__Node *const *names, size_t n)
{
    assert(n > 0);
    const PgQuery__Node *last = names[n - 1];
    return NODE_IS(last, STRING) ? last->string->sval : "";
}

/* The types whose values are integers, booleans and texts here.  Moments and
 * amounts of money are whole numbers of something. */
enum value_type
lower_type_of_name(const char *name, bool *serial)
{
    static const struct {
        const char *name;
        enum value_type type;
        bool serial;
    } types[] = {
        {"int2", TYPE_INTEGER, false},
        {"int4", TYPE_INTEGER, false},
        {"int8", TYPE_INTEGER, false},
        {"int", TYPE_INTEGER, false},
        {"integer", TYPE_INTEGER, false},
        {"bigint", TYPE_INTEGER, false},
        {"smallint", TYPE_INTEGER, false},
        {"numeric", TYPE_INTEGER, false},
        {"decimal", TYPE_INTEGER, false},
        {"date", TYPE_INTEGER, false},
        {"timestamp", TYPE_INTEGER, false},
        {"timestamptz", TYPE_INTEGER, false},
        {"serial", TYPE_INTEGER, true},
        {"bigserial", TYPE_INTEGER, true},
        {"serial4", TYPE_INTEGER, true},
        {"serial8", TYPE_INTEGER, true},
        {"bool", TYPE_BOOLEAN, false},
        {"boolean", TYPE_BOOLEAN, false},
        {"text", TYPE_TEXT, false},
        {"varchar", TYPE_TEXT, false},
        {"bpchar", TYPE_TEXT, false},
        {"char", TYPE_TEXT, false},
        {"uuid", TYPE_TEXT, false},
    };
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (strcmp(name, types[i].name) == 0) {
            if (serial)
                *serial = types[i].serial;
            return types[i].type;
        }
    }
    return TYPE_UNKNOWN;
}

enum value_type
lower_type(struct lower *l, const PgQuery__TypeName *type, bool *serial)
{
    const char *name = lower_last_name(type->names, type->n_names);
    const enum value_type found = lower_type_of_name(name, serial);
    if (type->n_array_bounds || type->setof)
        lower_fail(l, type->location, "type %s[] is no scalar", name);
    else if (found != TYPE_UNKNOWN)
        return found;
    else
        lower_fail(l, type->location,
                   "type %s, expected integers, booleans or texts", name);
    return TYPE_UNKNOWN;
}

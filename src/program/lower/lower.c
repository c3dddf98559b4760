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
lower_type_of_name(const char *name, bool *serial, enum number_kind *number)
{
    static const struct {
        const char *name;
        enum value_type type;
        bool serial;
        enum number_kind number;
    } types[] = {
        {"int2", TYPE_INTEGER, false, NUMBER_INTEGER},
        {"int4", TYPE_INTEGER, false, NUMBER_INTEGER},
        {"int8", TYPE_INTEGER, false, NUMBER_BIGINT},
        {"int", TYPE_INTEGER, false, NUMBER_INTEGER},
        {"integer", TYPE_INTEGER, false, NUMBER_INTEGER},
        {"bigint", TYPE_INTEGER, false, NUMBER_BIGINT},
        {"smallint", TYPE_INTEGER, false, NUMBER_INTEGER},
        {"numeric", TYPE_INTEGER, false, NUMBER_NUMERIC},
        {"decimal", TYPE_INTEGER, false, NUMBER_NUMERIC},
        {"date", TYPE_INTEGER, false, NUMBER_INTEGER},
        {"timestamp", TYPE_INTEGER, false, NUMBER_INTEGER},
        {"timestamptz", TYPE_INTEGER, false, NUMBER_INTEGER},
        {"serial", TYPE_INTEGER, true, NUMBER_INTEGER},
        {"bigserial", TYPE_INTEGER, true, NUMBER_BIGINT},
        {"serial4", TYPE_INTEGER, true, NUMBER_INTEGER},
        {"serial8", TYPE_INTEGER, true, NUMBER_BIGINT},
        {"bool", TYPE_BOOLEAN, false, NUMBER_INTEGER},
        {"boolean", TYPE_BOOLEAN, false, NUMBER_INTEGER},
        {"text", TYPE_TEXT, false, NUMBER_INTEGER},
        {"varchar", TYPE_TEXT, false, NUMBER_INTEGER},
        {"bpchar", TYPE_TEXT, false, NUMBER_INTEGER},
        {"char", TYPE_TEXT, false, NUMBER_INTEGER},
        {"uuid", TYPE_TEXT, false, NUMBER_INTEGER},
    };
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (strcmp(name, types[i].name) == 0) {
            if (serial)
                *serial = types[i].serial;
            if (number)
                *number = types[i].number;
            return types[i].type;
        }
    }
    return TYPE_UNKNOWN;
}

enum value_type
lower_type(struct lower *l, const PgQuery__TypeName *type, bool *serial,
           enum number_kind *number)
{
    const char *name = lower_last_name(type->names, type->n_names);
    const enum value_type found = lower_type_of_name(name, serial, number);
    l->padded = l->padded || !strcmp(name, "bpchar") || !strcmp(name, "char");
    if (type->n_array_bounds || type->setof)
        lower_fail(l, type->location, "type %s[] is no scalar", name);
    else if (found != TYPE_UNKNOWN)
        return found;
    else
        lower_fail(l, type->location,
                   "type %s, expected integers, booleans or texts", name);
    return TYPE_UNKNOWN;
}

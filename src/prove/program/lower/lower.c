/* lower.c -- positions, and what lowering shares; see lower.h.
 *
 * SPDX-License-Identifier: MIT */
#include "prove/program/lower/lower.h"

#include "base/print.h"

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
    vec_free(&l->constraints);
    vec_free(&l->renamed);
    vec_free(&l->indexes);
    vec_free(&l->not_valid);
    vec_free(&l->not_valid_of);
    vec_free(&l->types);
    vec_free(&l->functions);
    vec_free(&l->outs);
    vec_free(&l->made);
    vec_free(&l->views);
    vec_free(&l->records);
    vec_free(&l->before);
    vec_free(&l->after);
}

uint32_t
lower_line(const struct lower *l, int location)
{
    uint32_t line = l->line;
    for (int i = l->counted; i < location && l->text[i]; i++)
        line += l->text[i] == '\n';
    return line;
}

bool
lower_fail(struct lower *l, int location, const char *format, ...)
{
    char text[sizeof l->err->text];
    va_list args;
    va_start(args, format);
    print_args(text, sizeof text, format, args);
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

bool
lower_defines_function(const struct lower *l, const char *name)
{
    for (size_t i = 0; i < l->functions.n; i++)
        if (strcmp(l->functions.at[i], name) == 0)
            return true;
    return false;
}

const char *
lower_last_name(PgQuery__Node *const *names, size_t n)
{
    assert(n > 0);
    const PgQuery__Node *last = names[n - 1];
    return NODE_IS(last, STRING) ? last->string->sval : "";
}

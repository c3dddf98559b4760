/* completions.c -- see completions.h.
 *
 * SPDX-License-Identifier: MIT */
#include "cli/completions/completions.h"

#include <assert.h>
#include <string.h>

bool
completions_has(const struct command *c, const struct option *o)
{
    return (o->commands & c->bit) && !(o->commands & FOR_MEASURING);
}

const char *
completions_no(const struct option *o)
{
    return o->kind == OPTION_FLAG && o->initial ? "no-" : "";
}

void
completions_help(const struct option *o, struct buf *out)
{
    buf_text(out, *completions_no(o) ? "do not " : "");
    buf_text(out, o->help);
}

bool
completions_is_list(const struct option *o)
{
    assert(o->argument || !o->choices);
    return o->choices && o->argument[strlen(o->argument) - 1] == 'S';
}

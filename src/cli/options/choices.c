/* choices.c -- see choices.h.
 *
 * SPDX-License-Identifier: MIT */
#include "cli/options/choices.h"

#include "campaign/executor.h"
#include "cli/options/options.h"

void
choices_commands(struct buf *out)
{
    for (const struct command *c = command_table; c->name; c++)
        choices_add(out, c->name);
}

void
choices_sweeps(struct buf *out)
{
    choices_add(out, "levels workloads seeds");
}

void
choices_shells(struct buf *out)
{
    choices_add(out, "bash zsh fish");
}
void
choices_executors(struct buf *out)
{
    for (const struct executor *e = executor_table; e->name; e++)
        choices_add(out, e->name);
}

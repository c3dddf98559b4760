/* cmd_completions.c -- assay completions: the script for a shell.
 *
 * SPDX-License-Identifier: MIT */
#include "cli/cli.h"
#include "cli/completions/completions.h"

#include <string.h>

int
cmd_completions(const struct options *o)
{
    static const struct {
        const char *name;
        void (*print)(struct buf *out);
    } shells[] = {{"bash", completions_bash},
                  {"zsh", completions_zsh},
                  {"fish", completions_fish}};

    const char *wanted = o->paths.n == 1 ? o->paths.at[0] : "";
    for (size_t i = 0; i < sizeof shells / sizeof *shells; i++)
        if (strcmp(shells[i].name, wanted) == 0) {
            struct buf out = {0};
            shells[i].print(&out);
            cli_emit(&out);
            buf_free(&out);
            return EXIT_HOLDS;
        }
    return cli_usage_error("completions needs one of bash, zsh, fish");
}

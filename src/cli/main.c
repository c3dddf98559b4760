/* main.c -- assay: find the command, parse its options, run it.
 *
 * SPDX-License-Identifier: MIT */
#include "base/command_line.h"
#include "base/memory/heap.h"
#include "base/spelling.h"
#include "cli/cli.h"
#include "cli/paths.h"
#include "version.h"

#include <errno.h>
#include <string.h>

/* Options such as --version before, or instead of, a command. */
static const struct command *
find_alias(const char *word)
{
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)
        return command_find("help");
    return command_find(word);
}

static int
refuse_command(const char *word)
{
    struct spelling s = spelling_of(word, strlen(word));
    for (const struct command *c = command_table; c->name; c++)
        spelling_try(&s, c->name, c->name);
    if (s.best)
        return cli_usage_error("unknown command '%s'; did you mean '%s'?", word,
                               s.best);
    return cli_usage_error("unknown command '%s'; 'assay help' lists them",
                           word);
}

/* Run a command, under the limits if they apply to the whole command. */
static int
run_command(const struct command *command, const struct options *o)
{
    const struct limits limits = {o->timeout, (size_t)o->memory};
    if (!(command->bit & CMD_LIMITED) || !limits_set(&limits))
        return command->run(o);
    struct limit_stop stop;
    if (limit_try(&limits, 0, NULL, &stop)) {
        const int status = command->run(o);
        fflush(stdout);
        limit_end();
        return status;
    }
    struct buf reason = {0};
    limit_show(&stop, &reason);
    fprintf(stderr, "assay: unknown: %s\n", reason.at);
    buf_free(&reason);
    if (command->bit & (CMD_CONVERT | CMD_GEN))
        format_discard(o->output);
    return EXIT_UNKNOWN;
}

static int
run(int n, char *const words[])
{
    if (n >= 1 &&
        (strcmp(words[0], "--version") == 0 || strcmp(words[0], "-V") == 0)) {
        printf("assay %s\n", ASSAY_VERSION);
        return EXIT_HOLDS;
    }
    if (n < 1) {
        struct buf text = {0};
        cmd_help_show(NULL, &text);
        fwrite(text.at, 1, text.n, stderr);
        buf_free(&text);
        return EXIT_ERROR;
    }
    const struct command *command = find_alias(words[0]);
    if (!command)
        return refuse_command(words[0]);
    struct options options;
    struct err err = {0};
    struct buf line = {0};
    int status;
    if (!options_parse(n - 1, words + 1, command, &options, &err)) {
        status = cli_report_error(&err);
    } else if (options.help) {
        struct buf text = {0};
        cmd_help_show(command, &text);
        cli_emit_text(&text);
        buf_free(&text);
        status = EXIT_HOLDS;
    } else if ((command->bit & CMD_MANY) && !options.stream &&
               !paths_expand(&options, &err)) {
        status = cli_report_error(&err);
    } else {
        command_line_show(n, words, &line);
        options.command = line.at;
        status = run_command(command, &options);
    }
    buf_free(&line);
    options_free(&options);
    return status;
}

int
main(int argc, char *argv[])
{
    heap_tune();
    int status = run(argc - 1, argv + 1);
    // If a result cannot be written, that is an error for any verdict.
    if (fflush(stdout) != 0 || ferror(stdout)) {
        if (status != EXIT_ERROR) // otherwise it is reported already
            fprintf(stderr, "stdout: cannot write: %s\n", strerror(errno));
        status = EXIT_ERROR;
    }
    return status;
}

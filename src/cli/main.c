/* main.c -- assay: one program, one table of commands.
 *
 * SPDX-License-Identifier: MIT */
#include "base/memory/heap.h"
#include "cli/cli.h"
#include "cli/command_line.h"
#include "cli/paths.h"
#include "version.h"

#include <errno.h>
#include <string.h>

// clang-format off
const struct command command_table[] = {
    {"check", CMD_CHECK, "[-l LEVELS] HISTORY...",
     "decide whether histories satisfy isolation levels",
     "Prints a verdict line per history and level, and explains each violation.",
     NULL, cmd_check},
    {"test", CMD_TEST, "[TARGET] [-l LEVELS]",
     "run a workload on a database, check its history, and explain",
     "TARGET is sqlite:PATH, postgresql://HOST/DATABASE, mariadb://HOST/DATABASE, "
     "duckdb:PATH, firebird:PATH, exec:COMMAND, a program that you write for a database of your own, or "
     "store:LEVEL, a store built into this program that is exactly as consistent as "
     "LEVEL. Without one, an embedded SQLite database in a temporary directory is "
     "tested; with --start, a server that is started for the run. Tables named assay_... "
     "are made for the run and removed at its end; other tables are not touched.",
     choices_targets, cmd_test},
    {"collect", CMD_COLLECT, "TARGET -o FILE",
     "run a workload on a database and record its history",
     "The first half of 'assay test': TARGET and options are the same. What a transaction "
     "did is in FILE before its commit is sent, so the history is valid even if the run "
     "is killed; FILE then lacks its last line.",
     choices_targets, cmd_collect},
    {"predict", CMD_PREDICT, "[-l LEVELS] TRACE...",
     "find anomalies that the same program could have shown",
     "From one observed execution, finds executions that the program could also have had "
     "under a level and that no serial order explains: some transactions read what another "
     "writer wrote, and everything before them is as observed. Exits 1 if there is one, 0 "
     "if there is none, 3 if a limit was reached first. TRACE is a history in any format "
     "whose reads have one writer each.",
     NULL, cmd_predict},
    {"prove", CMD_PROVE, "-l LEVELS PROGRAM.sql...",
     "prove that SQL programs stay serializable at a level, or show an anomaly",
     "The programs are functions in PL/pgSQL or SQL, each of which is a transaction, with the "
     "tables that they use. An anomaly is shown with its transactions, their arguments, the "
     "initial rows, every statement, and what each serial order would have given instead. "
     "Exits 0 if all levels are proved, 1 if there is an anomaly, 3 if neither is known.",
     NULL, cmd_prove},
    {"report", CMD_REPORT, "[-l LEVELS] -o DIR HISTORY...",
     "check histories and write the results as a page for a browser",
     "DIR/index.html is one self-contained file. 'assay check --report DIR' "
     "writes the same page in addition to the verdicts.",
     NULL, cmd_report},
    {"certify", CMD_CERTIFY, "HISTORY CERTIFICATE",
     "check a certificate with independent code",
     "CERTIFICATE is a file that 'assay check --certificate' or 'assay predict "
     "--certificate' wrote for HISTORY. "
     "Exits 0 if it proves the verdict that it states, 1 if it does not, 3 if its "
     "verdict is unknown, so that there is nothing to prove.",
     NULL, cmd_certify},
    {"stats", CMD_STATS, "HISTORY...",
     "print sizes, keys, values and the mix of operations", NULL, NULL, cmd_stats},
    {"show", CMD_SHOW, "HISTORY TRANSACTION...|session:NAME...",
     "print transactions or sessions in readable form",
     "A transaction is given by its id in the input, or as s<session>/<position>. "
     "Each external read is shown with the transaction that it read from.",
     NULL, cmd_show},
    {"convert", CMD_CONVERT, "HISTORY -o FILE",
     "write a history in another format",
     "What the other format cannot hold is an error, never a silent loss, except "
     "for names, times and metadata, about which a note is printed.",
     NULL, cmd_convert},
    {"gen", CMD_GEN, "-o FILE",
     "make a synthetic history, optionally with an anomaly",
     "Simulates a key-value store under concurrent sessions. The history satisfies "
     "the level given with -l (ser, si or pc), unless --inject puts an anomaly into it.",
     NULL, cmd_gen},
    {"levels", CMD_LEVELS, "", "list the isolation levels", NULL, NULL, cmd_levels},
    {"formats", CMD_FORMATS, "", "list the file formats", NULL, NULL, cmd_formats},
    {"help", CMD_HELP, "[COMMAND]", "explain a command", NULL, choices_commands, cmd_help},
    {"completions", CMD_COMPLETIONS, "bash|zsh|fish",
     "print completions for a shell", NULL, choices_shells, cmd_completions},
    {"manpage", CMD_MANPAGE, "", "print the man page", NULL, NULL, cmd_manpage},
    {0},
};
// clang-format on

const struct command *
command_find(const char *name)
{
    for (const struct command *c = command_table; c->name; c++)
        if (strcmp(c->name, name) == 0)
            return c;
    return NULL;
}

/* Options such as --version before, or instead of, a command. */
static const struct command *
find_alias(const char *word)
{
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)
        return command_find("help");
    return command_find(word);
}

/* Run a command, under the limits if they apply to the whole command. */
static int
run_command(const struct command *command, const struct options *o)
{
    const struct limits limits = {o->timeout, (size_t)o->memory};
    if (!(command->bit & CMD_LIMITED) || !limits_set(&limits))
        return command->run(o);
    struct limit_stop stop;
    // Predict itself ends at the limit, and shows what it has found.
    const double more = command->bit & CMD_PREDICT ? -0.1 * o->timeout : 0;
    if (limit_try(&limits, more, NULL, &stop)) {
        const int status = command->run(o);
        fflush(stdout);
        limit_kept();
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
        return cli_usage_error("unknown command '%s'; 'assay help' lists them",
                               words[0]);
    struct options options;
    struct err err = {0};
    struct buf line = {0};
    int status;
    if (!options_parse(n - 1, words + 1, command, &options, &err)) {
        status = cli_report_error(&err);
    } else if (options.help) {
        struct buf text = {0};
        cmd_help_show(command, &text);
        cli_emit(&text);
        buf_free(&text);
        status = EXIT_HOLDS;
    } else if ((command->bit & CMD_MANY) && !paths_expand(&options, &err)) {
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

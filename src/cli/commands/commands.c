/* commands.c -- the table of commands; see options.h.
 *
 * The table makes help, man pages and completions.
 *
 * SPDX-License-Identifier: MIT */
#include "cli/cli.h"

#include <string.h>

// clang-format off
const struct command command_table[] = {
    {.name = "check", .bit = CMD_CHECK, .run = cmd_check,
     .arguments = "[-l LEVELS] HISTORY...",
     .help = "decide whether histories satisfy isolation levels",
     .details =
     "Prints a verdict line per history and level, and explains each violation. HISTORY is a "
     "file, a directory of histories, or - for standard input. With -l all, the answer ends "
     "with what held, what that means for an application, and what to do.",
     .examples =
     "assay check history.jsonl\n"
     "is it serializable?\n"
     "assay check -l all --report page runs/\n"
     "every level, for all histories in a directory, with a page to look at\n"
     "assay check -l si --timeout 30s --memory 2G --junit results.xml log.edn\n"
     "within limits, with a file for CI\n"
     "zcat old.txt.gz | assay check -f text -\n"
     "from a pipe\n"
     "assay check --stream -l cc,si shards/\n"
     "one file per client machine, in bounded memory\n",
     .see_also = "test report certify levels formats"},
    {.name = "test", .bit = CMD_TEST, .run = cmd_test,
     .arguments = "[TARGET] [-l LEVELS]",
     .help = "run a workload on a database, check its history, and explain",
     .details =
     "Without TARGET, an embedded SQLite database in a temporary directory is "
     "tested; with --start, a server that is started for the run. Tables named assay_... "
     "are made for the run and removed at its end; other tables are not touched. A run in "
     "which a level is violated is kept under assay-runs.",
     .examples =
     "assay test postgresql://localhost/test -i repeatable-read -l si\n"
     "does REPEATABLE READ give snapshot isolation?\n"
     "assay test --start mariadb -i repeatable-read -w update --keys 4\n"
     "on a separate server\n"
     "assay test --start galera:3 --fault kill:2@5s --time 20s --pause 1ms\n"
     "a cluster, one node of which is killed\n"
     "assay test store:si -w skew --keys 4\n"
     "see write skew without a database\n",
     .see_also = "collect check predict",
     .words = choices_targets},
    {.name = "campaign", .bit = CMD_CAMPAIGN, .run = cmd_campaign,
     .arguments = "DIR [PLAN] | report DIR",
     .help = "run many tests, on any number of machines, and report what they found",
     .details =
     "PLAN lists axes, one per line: an option of 'assay test' and its values, as in "
     "'workload = update | random' or 'seed = 1..20'; 'target' is an axis, too. Each combination is "
     "one run. DIR holds the runs, who has taken them, and their results: any number of workers "
     "share it, also by NFS, and what a worker that has ended did not finish is run again. "
     "Without PLAN, the campaign in DIR continues. 'campaign report DIR' shows what is there. "
     "Exits 1 if a finding is new, 3 if runs are left or unknown, and 0 if all findings are known.",
     .examples =
     "assay campaign night plan.txt --draw 10000 --budget 8h --workers 4\n"
     "random draws for a night\n"
     "assay campaign night --executor slurm --workers 64\n"
     "continue it on a cluster, as a job array\n"
     "assay campaign report night --known known.txt --junit night.xml\n"
     "fail only for new findings\n",
     .see_also = "test check"},
    {.name = "collect", .bit = CMD_COLLECT, .run = cmd_collect,
     .arguments = "TARGET -o FILE",
     .help = "run a workload on a database and record its history",
     .details =
     "The first half of 'assay test': TARGET and options are the same. What a transaction "
     "did is in FILE before its commit is sent, so the history is valid even if the run "
     "is killed; FILE then lacks its last line.",
     .examples =
     "assay collect sqlite: -w smallbank --txns 2k -o bank.jsonl\n"
     "record an application\n",
     .see_also = "test check",
     .words = choices_targets},
    {.name = "record", .bit = CMD_RECORD, .run = cmd_record,
     .arguments = "--to URL --listen PORT -o FILE [-- COMMAND...]",
     .help = "record an application on PostgreSQL, as it is",
     .details =
     "The application connects to PORT instead of the database. The database itself reports "
     "which rows each statement finds and writes, by policies and triggers that are removed "
     "at the end. With COMMAND, PGHOST, PGPORT, PGDATABASE and DATABASE_URL are set for it, recording "
     "ends with it, and its exit status is passed on; otherwise recording ends with an interrupt. "
     "Exits 3 if transactions are recorded in part. For test databases: plans change, and other "
     "clients must not write meanwhile.",
     .examples =
     "assay record --to postgresql://localhost/shop --listen 6543 -o run.jsonl\n"
     "until ^C, what clients of port 6543 do; then 'assay check run.jsonl'\n"
     "assay record --to postgresql://localhost/shop --clean\n"
     "after a recording that was killed\n",
     .see_also = "check test",
     .words = NULL},
    {.name = "predict", .bit = CMD_PREDICT, .run = cmd_predict,
     .arguments = "[-l LEVELS] TRACE...",
     .help = "find anomalies that the same program could have shown",
     .details =
     "From one observed execution, finds executions that the program could also have had "
     "under a level and that no serial order explains: some transactions read what another "
     "writer wrote, and everything before them is as observed. Exits 1 if there is one, 0 "
     "if there is none, 3 if a limit was reached first. TRACE is a history in any format "
     "whose reads have one writer each.",
     .examples =
     "assay predict -l si,rc history.jsonl\n"
     "what could go wrong at weaker levels?\n"
     "assay predict -l si --all --predicted found history.jsonl\n"
     "every anomaly, each as a separate history\n",
     .see_also = "test prove check"},
    {.name = "prove", .bit = CMD_PROVE, .run = cmd_prove,
     .arguments = "-l LEVELS PROGRAM.sql...",
     .help = "prove that SQL programs stay serializable at a level, or show an anomaly",
     .details =
     "The programs are functions in PL/pgSQL or SQL, each of which is a transaction, with the "
     "tables that they use. An anomaly is shown with its transactions, their arguments, the "
     "initial rows, every statement, and what each serial order would have given instead. "
     "Exits 0 if all levels are proved, 1 if there is an anomaly, 3 if neither is known.",
     .examples =
     "assay prove -l si,rc bank.sql\n"
     "is REPEATABLE READ enough for these functions? READ COMMITTED?\n"
     "assay prove --weakest bank.sql\n"
     "which level is enough for each function?\n"
     "assay prove -l rc --repair bank.sql\n"
     "what is the smallest change that makes it so?\n",
     .see_also = "predict check"},
    {.name = "report", .bit = CMD_REPORT, .run = cmd_report,
     .arguments = "[-l LEVELS] -o DIR HISTORY...",
     .help = "check histories and write the results as a page for a browser",
     .details =
     "DIR/index.html is one self-contained file. 'assay check --report DIR' "
     "writes the same page in addition to the verdicts.",
     .examples = "assay report -l all -o page history.jsonl\n"
                 "then open page/index.html\n",
     .see_also = "check"},
    {.name = "certify", .bit = CMD_CERTIFY, .run = cmd_certify,
     .arguments = "HISTORY CERTIFICATE",
     .help = "check a certificate with independent code",
     .details =
     "CERTIFICATE is a file that 'assay check --certificate' or 'assay predict "
     "--certificate' wrote for HISTORY. "
     "Exits 0 if it proves the verdict that it states, 1 if it does not, 3 if its "
     "verdict is unknown, so that there is nothing to prove.",
     .examples = "assay certify history.jsonl proof.txt\n"
                 "after 'assay check --certificate proof.txt history.jsonl'\n",
     .see_also = "check predict"},
    {.name = "stats", .bit = CMD_STATS, .run = cmd_stats,
     .arguments = "HISTORY...",
     .help = "print sizes, keys, values and the mix of operations",
     .details =
     "With --power, also what the history can show: how many transactions overlapped in "
     "conflict, and how often each anomaly could have occurred.",
     .examples = "assay stats --power history.jsonl\n"
                 "would this run have shown an anomaly?\n",
     .see_also = "show lint check"},
    {.name = "follow", .bit = CMD_FOLLOW, .run = cmd_follow,
     .arguments = "[-l LEVEL] FILE|DIR|-",
     .help = "check a history while it is written",
     .details =
     "Reads jsonl as a recorder writes it: a file that grows, a directory of such files (one per "
     "client machine), a pipe, or - for standard input. Explains each violation when it is found, "
     "and goes on. Ends at the end of a pipe, when all recordings are complete, or with ^C, with "
     "a verdict about what was read. Memory is that of the keys and of a window of transactions. "
     "A violation is reported provided that no value is written to a key twice.",
     .examples = "assay follow -l si history.jsonl\n"
                 "beside a soak test that writes this file\n"
                 "./recorder | assay follow --json -\n"
                 "from a pipe, with results for machines\n",
     .see_also = "check test collect"},
    {.name = "lint", .bit = CMD_LINT, .run = cmd_lint,
     .arguments = "HISTORY...",
     .help = "find mistakes of a recorder in the history that it wrote",
     .details =
     "Reports reads without a writer by table, sessions whose transactions overlap, clocks that "
     "differ, sessions that continue after an unknown outcome, and weaknesses of the test: "
     "repeated values, unknown outcomes, tables that are only read or only written. "
     "Exits 1 if the recorder probably made a mistake, 0 otherwise.",
     .examples = "assay lint history.jsonl\n"
                 "is the recording correct, before you believe a violation?\n",
     .see_also = "check stats show"},
    {.name = "show", .bit = CMD_SHOW, .run = cmd_show,
     .arguments = "HISTORY TRANSACTION...|session:NAME...",
     .help = "print transactions or sessions in readable form",
     .details =
     "A transaction is given by its id in the input, or as s<session>/<position>. "
     "Each external read is shown with the transaction that it read from.",
     .examples = "assay show history.jsonl s4/29 session:alice\n"
                 "one transaction, and all of a session\n",
     .see_also = "stats check"},
    {.name = "convert", .bit = CMD_CONVERT, .run = cmd_convert,
     .arguments = "HISTORY -o FILE",
     .help = "write a history in another format",
     .details =
     "What the other format cannot hold is an error, never a silent loss, except "
     "for names, times and metadata, about which a note is printed.",
     .examples = "assay convert history.edn -o history.jsonl\n"
                 "the suffix chooses the format\n"
                 "assay convert history.jsonl --renumber -t text -o history.txt\n"
                 "for a tool that knows numbers only\n",
     .see_also = "formats gen"},
    {.name = "gen", .bit = CMD_GEN, .run = cmd_gen,
     .arguments = "-o FILE",
     .help = "make a synthetic history, optionally with an anomaly",
     .details =
     "Simulates a key-value store under concurrent sessions. The history satisfies "
     "the level given with -l (ser, si or pc), unless --inject puts an anomaly into it.",
     .examples = "assay gen --txns 100k --keys 1k -o history.txt\n"
                 "a large serializable history\n"
                 "assay gen --inject lost-update -o wrong.jsonl\n"
                 "one that is not\n",
     .see_also = "check convert"},
    {.name = "distinguish", .bit = CMD_DISTINGUISH, .run = cmd_distinguish,
     .arguments = "ALLOWS FORBIDS",
     .help = "find the smallest history that one level allows and another one forbids",
     .details =
     "Tries all histories of registers by size: fewest operations first, then fewest "
     "transactions. So no smaller history separates the two levels. The history is then "
     "checked and explained as by 'assay check'. Exits 0 if there is one, 1 if the first "
     "level implies the second, 3 if there is none up to --max-ops.",
     .examples = "assay distinguish si ser\n"
                 "what does SERIALIZABLE forbid that snapshot isolation allows?\n"
                 "assay distinguish pc psi --report page\n"
                 "with a picture\n",
     .see_also = "levels check gen",
     .words = choices_levels},
    {.name = "levels", .bit = CMD_LEVELS, .run = cmd_levels, .arguments = "",
     .help = "list the isolation levels", .see_also = "distinguish check"},
    {.name = "formats", .bit = CMD_FORMATS, .run = cmd_formats, .arguments = "",
     .help = "list the file formats", .see_also = "convert"},
    {.name = "help", .bit = CMD_HELP, .run = cmd_help,
     .arguments = "[COMMAND]", .help = "explain a command",
     .words = choices_commands},
    {.name = "completions", .bit = CMD_COMPLETIONS, .run = cmd_completions,
     .arguments = "bash|zsh|fish", .help = "print completions for a shell",
     .examples = "source <(assay completions bash)\n"
                 "for this shell; 'make install' does it for all\n",
     .words = choices_shells},
    {.name = "manpage", .bit = CMD_MANPAGE, .run = cmd_manpage,
     .arguments = "[COMMAND]", .help = "print the man page, or that of a command",
     .examples = "assay manpage check | man -l -\n"
                 "read it before it is installed\n",
     .words = choices_commands},
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

bool
command_takes_numbers(const struct command *c)
{
    for (const struct option *o = option_table; o->name; o++)
        if ((o->commands & c->bit) && o->kind >= OPTION_NUMBER &&
            o->kind <= OPTION_SHARE)
            return true;
    return false;
}

/* cli.h -- what the commands share.
 *
 * Results go to stdout, everything else to stderr.
 *
 * SPDX-License-Identifier: MIT */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include "base/buf.h"
#include "base/err.h"
#include "base/limits/limit.h"
#include "cli/options/options.h"
#include "cli/progress.h"
#include "format/format.h"

// Exit statuses; of several inputs the worst counts (cli_exit_worse).
enum { EXIT_HOLDS = 0, EXIT_VIOLATED = 1, EXIT_ERROR = 2, EXIT_UNKNOWN = 3 };

int cli_exit_worse(int a, int b);

/* Print an error: "assay: ..." for usage, otherwise "file:line:column: ...". */
int cli_report_error(const struct err *err);

/* Fail with a usage error. */
__attribute__((format(printf, 1, 2))) int cli_usage_error(const char *format,
                                                          ...);

/* Print notes, one per line, after the path if that is not NULL. */
void cli_show_notes(const char *path, const struct buf *notes);

/* Read a history according to the options and print the notes of its reader;
 * on failure print the error. */
bool cli_load(const struct options *o, const char *path, struct history *h,
              const struct format **format);

/* Show progress of what is done with 'subject', unless there are limits: they
 * are kept by processes, which do without threads. */
struct progress *cli_progress(const struct options *o, const char *what,
                              const char *subject);

/* The same of writing o->output; not where a terminal shows what is written. */
struct progress *cli_write_progress(const struct options *o);

unsigned cli_thread_count(const struct options *o);

/* Print text from outside with all control characters escaped.
 */
void cli_print_shown(FILE *out, const char *text);

/* Write the buffer to stdout and empty it. */
void cli_emit(struct buf *b);

/* The same for text that a person reads: on a terminal, long lines are broken.
 */
void cli_emit_text(struct buf *b);

bool cli_colour_on_stdout(void);

/* The width of the terminal on that descriptor: COLUMNS, or what the terminal
 * says, or 80; 0: it is no terminal. */
size_t cli_width(int fd);

int cmd_collect(const struct options *o);
int cmd_campaign(const struct options *o);
int cmd_certify(const struct options *o);
int cmd_check(const struct options *o);
int cmd_completions(const struct options *o);
int cmd_convert(const struct options *o);
int cmd_distinguish(const struct options *o);
int cmd_formats(const struct options *o);
int cmd_gen(const struct options *o);
int cmd_help(const struct options *o);
int cmd_levels(const struct options *o);
int cmd_follow(const struct options *o);
int cmd_lint(const struct options *o);
int cmd_manpage(const struct options *o);
int cmd_predict(const struct options *o);

/* The same for a history that was just recorded on the target, at the levels of
 * --predict.  'name' is its name in messages.  Predictions are added to the
 * page, if there is one. */
struct report;
int cmd_predict_recorded(const struct options *o, const char *path,
                         const char *name, const char *target,
                         struct report *page);

int cmd_prove(const struct options *o);
int cmd_record(const struct options *o);
int cmd_report(const struct options *o);
int cmd_show(const struct options *o);
int cmd_stats(const struct options *o);
int cmd_test(const struct options *o);

/* 'test' with --sweep, and with --shrink. */
int cmd_sweep(const struct options *o);
int cmd_shrink(const struct options *o);

/* The help of one command, or of the program for NULL. */
void cmd_help_show(const struct command *command, struct buf *out);

/* The command that the argument of 'help' or 'manpage' names, NULL where there
 * is none.  False, with a message, where no command has that name. */
bool cmd_help_argument(const struct options *o, const struct command **out);

/* The options of the engine for strong levels. */
void cmd_help_show_solver(struct buf *out);

#endif

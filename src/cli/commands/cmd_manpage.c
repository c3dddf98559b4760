/* cmd_manpage.c -- assay manpage: the man pages, from the tables.
 *
 * assay(1) has what is true of every command: levels, formats, exit status.
 * Each command has its own page with its options, their words and
 * examples.
 *
 * SPDX-License-Identifier: MIT */
#include "cli/cli.h"
#include "cli/completions/completions.h"
#include "pipeline/test_run.h"
#include "version.h"

#include <string.h>

/* Append n bytes of text for roff: hyphens are minus signs, and a leading dot
 * is no request. */
static void
put_some(struct buf *out, const char *text, size_t n)
{
    if (n && (*text == '.' || *text == '\''))
        buf_text(out, "\\&");
    for (size_t i = 0; i < n; i++)
        if (text[i] == '-')
            buf_text(out, "\\-");
        else if (text[i] == '\\')
            buf_text(out, "\\e");
        else
            buf_char(out, text[i]);
}

static void
put(struct buf *out, const char *text)
{
    put_some(out, text, strlen(text));
}

/* Names in bold, with their meanings below. */
static void
put_item(struct buf *out, const char *name, const char *meaning)
{
    buf_text(out, ".TP\n\\fB");
    put(out, name);
    buf_text(out, "\\fR\n");
    put(out, meaning);
    buf_char(out, '\n');
}

static void
put_option(struct buf *out, const struct option *o)
{
    struct buf text = {0};
    buf_text(out, ".TP\n");
    if (o->letter)
        buf_printf(out, "\\fB\\-%c\\fR, ", o->letter);
    buf_text(out, "\\fB\\-\\-");
    put(out, completions_no(o));
    put(out, o->name);
    buf_text(out, "\\fR");
    if (o->kind == OPTION_OUTPUT)
        buf_printf(out, "[=\\fI%s\\fR]", o->argument);
    else if (o->argument)
        buf_printf(out, " \\fI%s\\fR", o->argument);
    buf_text(out, "\n");
    completions_help(o, &text);
    if (o->initial && !*completions_no(o))
        buf_printf(&text, " (default: %s)", o->initial);
    put(out, text.at);
    buf_char(out, '\n');
    if (o->choices) {
        buf_clear(&text);
        o->choices(&text);
        buf_printf(out, ".br\n%s: \\fB",
                   completions_is_list(o) ? "Some of" : "One of");
        put(out, text.at);
        buf_text(out, "\\fR\n");
    }
    buf_free(&text);
}

static void
put_examples(struct buf *out, const char *text)
{
    buf_text(out, ".SH EXAMPLES\n");
    while (*text) {
        const size_t n = strcspn(text, "\n");
        const size_t m = strcspn(text + n + 1, "\n");
        buf_text(out, ".TP\n\\fB");
        put_some(out, text, n);
        buf_text(out, "\\fR\n");
        put_some(out, text + n + 1, m);
        buf_char(out, '\n');
        text += n + m + 2;
    }
}

static void
put_exit_status(struct buf *out)
{
    buf_text(out, ".SH EXIT STATUS\n");
    put_item(out, "0", "the level holds, or nothing was found");
    put_item(out, "1", "violated, or an anomaly was found");
    put_item(out, "2",
             "bad usage or bad input: one line on standard error, with the "
             "position in the input");
    put_item(out, "3", "unknown: a limit that the user set was reached");
    buf_text(out,
             ".PP\nFor several inputs the worst status counts: 2, 1, 3, 0.\n");
}

static void
put_see_also(struct buf *out, const struct command *c)
{
    buf_text(out, ".SH SEE ALSO\n.BR assay (1)");
    for (const char *at = c->see_also ? c->see_also : ""; *at;) {
        const size_t n = strcspn(at, " ");
        buf_text(out, ",\n.BR assay\\-");
        buf_add(out, at, n);
        buf_text(out, " (1)");
        at += n + (at[n] == ' ');
    }
    buf_char(out, '\n');
}

static void
put_command_page(struct buf *out, const struct command *c)
{
    buf_text(out, ".TH ASSAY\\-");
    for (const char *p = c->name; *p; p++)
        buf_char(out, (char)(*p - 'a' + 'A'));
    buf_printf(out, " 1 \"\" \"assay %s\"\n.SH NAME\nassay\\-%s \\- ",
               ASSAY_VERSION, c->name);
    put(out, c->help);
    buf_printf(out, "\n.SH SYNOPSIS\n\\fBassay %s\\fR [\\fIOPTION\\fR]... ",
               c->name);
    put(out, c->arguments);
    buf_text(out, "\n.SH DESCRIPTION\n");
    put(out, c->details ? c->details : c->help);
    buf_text(out, c->details ? "\n" : ".\n");
    if (c->words == choices_targets) {
        buf_text(out, ".SH TARGETS\n");
        for (size_t i = 0; driver_table[i]; i++)
            put_item(out, driver_table[i]->form, driver_table[i]->help);
    }
    buf_text(out, ".SH OPTIONS\n");
    for (const struct option *o = option_table; o->name; o++)
        if (completions_has(c, o))
            put_option(out, o);
    if (command_takes_numbers(c))
        buf_text(out, ".PP\n" COMMAND_UNITS "\n");
    if (c->examples)
        put_examples(out, c->examples);
    put_exit_status(out);
    put_see_also(out, c);
}

static void
put_program_page(struct buf *out)
{
    buf_printf(out, ".TH ASSAY 1 \"\" \"assay %s\"\n", ASSAY_VERSION);
    buf_text(out,
             ".SH NAME\nassay \\- check transaction isolation\n"
             ".SH SYNOPSIS\n.B assay\n.I COMMAND\n[\\fIOPTION\\fR]... "
             "[\\fIARGUMENT\\fR]...\n"
             ".SH DESCRIPTION\nAssay checks recorded histories of transactions "
             "against isolation levels and explains what went wrong.\n"
             "Results go to standard output, everything else to standard "
             "error.\nA history is a file, a directory of histories, or "
             "\\- for standard input.\n"
             ".SH COMMANDS\nEach has its own page, such as "
             "\\fBassay\\-check\\fR(1).\n");
    for (const struct command *c = command_table; c->name; c++)
        put_item(out, c->name, c->help);
    buf_text(out, ".SH LEVELS\n");
    for (int l = 0; l < LEVELS; l++) {
        struct buf names = {0};
        buf_printf(&names, "%s, %s", level_table[l].brief, level_table[l].name);
        put_item(out, names.at, level_table[l].meaning);
        buf_free(&names);
    }
    buf_text(out, ".SH FORMATS\n");
    for (size_t i = 0; format_table[i]; i++)
        put_item(out, format_table[i]->name, format_table[i]->help);
    put_examples(out, command_find("check")->examples);
    put_exit_status(out);
    buf_text(out, ".SH ENVIRONMENT\n");
    put_item(out, "NO_COLOR", "if set, output is never coloured");
    buf_text(out, ".SH SEE ALSO\n");
    for (const struct command *c = command_table; c->name; c++)
        buf_printf(out, ".BR assay\\-%s (1)%s\n", c->name,
                   c[1].name ? "," : "");
}

int
cmd_manpage(const struct options *o)
{
    const struct command *command;
    if (!cmd_help_argument(o, &command))
        return EXIT_ERROR;
    struct buf out = {0};
    if (command)
        put_command_page(&out, command);
    else
        put_program_page(&out);
    cli_emit(&out);
    buf_free(&out);
    return EXIT_HOLDS;
}

/* cmd_help.c -- help, and lists of levels and formats, from the tables.
 *
 * SPDX-License-Identifier: MIT */
#include "base/json.h"
#include "base/limits/tuning.h"
#include "check/ladder/strategies.h"
#include "cli/cli.h"
#include "cli/completions/completions.h"
#include "level/names.h"
#include "pipeline/test_run.h"
#include "version.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

/* How wide lines are, and where explanations of options begin.  In a narrow
 * terminal they stand below the options. */
struct layout {
    size_t width, column;
};

static struct layout
find_layout(void)
{
    enum { USUAL = 80, MOST = 100, NARROW = 70 };
    const size_t columns = cli_width(STDOUT_FILENO);
    const size_t width = !columns ? USUAL : columns < MOST ? columns : MOST;
    return (struct layout){width, width < NARROW ? 8 : 31};
}

/* Append words in lines that begin at a column. */
static void
wrap(struct buf *out, size_t width, size_t *column, size_t left,
     const char *text)
{
    while (*text) {
        const size_t n = strcspn(text, " ");
        if (*column > left && *column + 1 + n > width) {
            buf_printf(out, "\n%*s", (int)left, "");
            *column = left;
        } else if (*column > left) {
            buf_char(out, ' ');
            ++*column;
        }
        buf_add(out, text, n);
        *column += n;
        text += n + (text[n] == ' ');
    }
}

static void
show_option(const struct option *o, struct buf *out)
{
    const struct layout l = find_layout();
    char left[64], initial[64];
    const bool off = o->kind == OPTION_FLAG && o->initial;
    snprintf(left, sizeof left, "%c%c%s --%s%s%s%s%s", o->letter ? '-' : ' ',
             o->letter ? o->letter : ' ', o->letter ? "," : " ",
             off ? "no-" : "", o->name,
             o->kind == OPTION_OUTPUT ? "[="
             : o->argument            ? " "
                                      : "",
             o->argument ? o->argument : "",
             o->kind == OPTION_OUTPUT ? "]" : "");
    buf_printf(out, "  %-*s", (int)l.column - 2, left);
    size_t column = strlen(left) + 2;
    if (column >= l.column)
        buf_printf(out, "\n%*s", (int)l.column, "");
    column = l.column;
    wrap(out, l.width, &column, l.column, off ? "do not" : "");
    wrap(out, l.width, &column, l.column, o->help);
    if (o->initial && !off) {
        snprintf(initial, sizeof initial, "(default: %s)", o->initial);
        wrap(out, l.width, &column, l.column, initial);
    }
    if (o->choices) {
        struct buf words = {0};
        o->choices(&words);
        buf_printf(out, "\n%*s", (int)l.column, "");
        column = l.column;
        wrap(out, l.width, &column, l.column,
             completions_is_list(o) ? "some of:" : "one of:");
        wrap(out, l.width, &column, l.column, words.at);
        buf_free(&words);
    }
    buf_char(out, '\n');
}

static void
show_targets(struct buf *out)
{
    const struct layout l = find_layout();
    buf_text(out, "\ntargets:\n");
    for (size_t i = 0; driver_table[i]; i++) {
        const struct driver *d = driver_table[i];
        const size_t n = strlen(d->form);
        buf_printf(out, "  %-*s", (int)l.column - 2, d->form);
        if (n + 2 >= l.column)
            buf_printf(out, "\n%*s", (int)l.column, "");
        size_t column = l.column;
        wrap(out, l.width, &column, l.column, d->help);
        buf_char(out, '\n');
    }
}

/* Each example is a line with a command, and one that says what it does. */
static void
show_examples(const char *text, struct buf *out)
{
    buf_text(out, "\nexamples:\n");
    for (bool is_command = true; *text; is_command = !is_command) {
        const size_t n = strcspn(text, "\n");
        buf_text(out, is_command ? "  " : "      ");
        buf_add(out, text, n + 1);
        text += n + 1;
    }
}

void
cmd_help_show(const struct command *command, struct buf *out)
{
    if (!command) {
        buf_text(out, "assay checks transaction isolation.\n\n"
                      "usage: assay COMMAND [OPTION]... [ARGUMENT]...\n\n");
        for (const struct command *c = command_table; c->name; c++)
            buf_printf(out, "  %-12s %s\n", c->name, c->help);
        buf_text(out,
                 "\n'assay help COMMAND' explains a command.\n"
                 "exit status: 0 the level holds, 1 violated, 2 bad usage or "
                 "input, 3 unknown\n");
        return;
    }
    buf_printf(out, "usage: assay %s [OPTION]... %s\n\n%s\n", command->name,
               command->arguments, command->help);
    if (command->details) {
        size_t column = 0;
        buf_char(out, '\n');
        wrap(out, find_layout().width, &column, 0, command->details);
        buf_char(out, '\n');
    }
    buf_text(out, "\noptions:\n");
    for (const struct option *o = option_table; o->name; o++)
        if ((o->commands & command->bit) && !(o->commands & FOR_MEASURING))
            show_option(o, out);
    if (command_takes_numbers(command))
        buf_text(out, "\n" COMMAND_UNITS "\n");
    if (command->words == choices_targets)
        show_targets(out);
    if (command->examples)
        show_examples(command->examples, out);
}

void
cmd_help_show_solver(struct buf *out)
{
    buf_text(out, "Strategies and techniques can be switched off, to measure "
                  "their effect.  No verdict\ndepends on it.\n\n");
    for (const struct option *o = option_table; o->name; o++)
        if (o->commands & FOR_MEASURING)
            show_option(o, out);
    buf_text(out, "\nStrategies, in the order of their attempts; 'check --log' "
                  "traces them:\n\n");
    for (size_t i = 0; i < strategy_count; i++)
        buf_printf(out, "  %-16s %s%s\n", strategy_table[i].name,
                   strategy_table[i].idea,
                   strategy_table[i].vital ? " (always on)" : "");
    buf_text(out, "\nTechniques:\n\n");
    for (size_t i = 0; i < technique_count; i++)
        buf_printf(out, "  %-16s %s\n", technique_table[i].name,
                   technique_table[i].idea);
    buf_text(out, "\nNumbers, with the section of bench/run that measures a "
                  "change:\n\n");
    for (size_t i = 0; i < tuning_count; i++) {
        const struct tuning_row *r = &tuning_table[i];
        buf_printf(out, " %c%-26s %10" PRId64 "  %s (%s)\n",
                   strong_is_tunable(r->name) ? '*' : ' ', r->name, r->number,
                   r->meaning, r->bench);
    }
}

bool
cmd_help_argument(const struct options *o, const struct command **out)
{
    *out = o->paths.n ? command_find(o->paths.at[0]) : NULL;
    if (o->paths.n && !*out)
        cli_usage_error("unknown command '%s'; 'assay help' lists them",
                        o->paths.at[0]);
    return *out || !o->paths.n;
}

int
cmd_help(const struct options *o)
{
    const struct command *command;
    if (!cmd_help_argument(o, &command))
        return EXIT_ERROR;
    struct buf text = {0};
    cmd_help_show(command, &text);
    cli_emit_text(&text);
    buf_free(&text);
    return EXIT_HOLDS;
}

/* --- lists -----------------------------------------------------------------
 */

static const char *const fits[] = {
    [FIT_SAME] = "same",
    [FIT_WITHOUT_SESSIONS] = "without-session-order",
    [FIT_CLOSEST] = "closest",
};

static void
levels_json(struct buf *out)
{
    for (int l = 0; l < LEVELS; l++) {
        json_object(out, NULL);
        json_text(out, "level", level_table[l].brief);
        json_text(out, "name", level_table[l].name);
        json_text(out, "aliases", level_table[l].aliases);
        json_text(out, "meaning", level_table[l].meaning);
        json_end_line(out);
    }
    for (const struct level_name *n = level_names; n->name; n++) {
        json_object(out, NULL);
        json_text(out, "other_name", n->name);
        json_text(out, "whose", n->whose);
        json_text(out, "level", level_table[n->level].brief);
        json_text(out, "fit", fits[n->fit]);
        json_text(out, "note", n->note);
        json_end_line(out);
    }
}

static void
show_other_name(const struct level_name *n, struct buf *out)
{
    static const char *const words[] = {
        [FIT_SAME] = "the same as",
        [FIT_WITHOUT_SESSIONS] = "without session order,",
        [FIT_CLOSEST] = "closest is",
    };
    buf_printf(out, "%-34s %-11s %s %s%s%s\n", n->name, n->whose, words[n->fit],
               level_table[n->level].brief, *n->note ? ": " : "", n->note);
}

int
cmd_levels(const struct options *o)
{
    struct buf out = {0};
    if (o->json) {
        levels_json(&out);
    } else {
        for (int l = 0; l < LEVELS; l++) {
            const struct level_info *info = &level_table[l];
            buf_printf(&out, "%-11s %-20s %s\n", info->brief, info->name,
                       info->meaning);
            if (*info->aliases)
                buf_printf(&out, "%-32s also: %s\n", "", info->aliases);
        }
        buf_text(&out, "\nEvery level respects session order; "
                       "--no-session-order ignores it.  Other names:\n\n");
        for (const struct level_name *n = level_names; n->name; n++)
            show_other_name(n, &out);
    }
    o->json ? cli_emit(&out) : cli_emit_text(&out);
    buf_free(&out);
    return EXIT_HOLDS;
}

static void
format_json(const struct format *f, struct buf *out)
{
    json_object(out, NULL);
    json_text(out, "format", f->name);
    json_text(out, "suffix", f->suffix);
    json_bool(out, "writes", f->write != NULL);
    json_text(out, "help", f->help);
    json_end_line(out);
}

int
cmd_formats(const struct options *o)
{
    struct buf out = {0};
    for (size_t i = 0; format_table[i]; i++) {
        const struct format *f = format_table[i];
        if (o->json)
            format_json(f, &out);
        else
            buf_printf(&out, "%-7s %-10s %-11s %s\n", f->name, f->suffix,
                       f->write ? "read, write" : "read", f->help);
    }
    if (!o->json)
        buf_text(&out, "\nEvery format may be compressed with gzip or zstd.\n");
    o->json ? cli_emit(&out) : cli_emit_text(&out);
    buf_free(&out);
    return EXIT_HOLDS;
}

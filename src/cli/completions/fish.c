/* fish.c -- completions for fish.
 *
 * SPDX-License-Identifier: MIT */
#include "cli/completions/completions.h"

static const char head[] =
    "# fish completion for assay\n"
    "\n"
    "# Whether the command is this one.\n"
    "function __assay_is\n"
    "    set -l words (commandline -opc)\n"
    "    test (count $words) -gt 1; and test $words[2] = $argv[1]\n"
    "end\n"
    "\n"
    "function __assay_needs_command\n"
    "    test (count (commandline -opc)) -eq 1\n"
    "end\n"
    "\n"
    "# Each of these words after what was given up to the last comma.\n"
    "function __assay_list\n"
    "    set -l value (string replace -r -- '^(--[a-z-]+=|-[a-z])' '' "
    "(commandline -ct))\n"
    "    set -l kept (string match -r -- '^.*,' $value)\n"
    "    for word in $argv\n"
    "        echo \"$kept$word\"\n"
    "    end\n"
    "end\n"
    "\n";

static void
put_text(struct buf *out, const char *text)
{
    buf_char(out, '\'');
    for (; *text; text++) {
        if (*text == '\'' || *text == '\\')
            buf_char(out, '\\');
        buf_char(out, *text);
    }
    buf_char(out, '\'');
}

static void
put_option(struct buf *out, const struct command *c, const struct option *o)
{
    struct buf help = {0};
    completions_help(o, &help);
    buf_printf(out, "complete -c assay -n '__assay_is %s' -l %s%s", c->name,
               completions_no(o), o->name);
    if (o->letter)
        buf_printf(out, " -s %c", o->letter);
    if (o->choices) {
        struct buf words = {0};
        o->choices(&words);
        buf_printf(out,
                   completions_is_list(o) ? " -x -a '(__assay_list %s)'"
                                          : " -x -a '%s'",
                   words.at);
        buf_free(&words);
    } else if (o->argument && o->kind != OPTION_OUTPUT)
        buf_text(out, " -r");
    buf_text(out, " -d ");
    put_text(out, help.at);
    buf_char(out, '\n');
    buf_free(&help);
}

/* Its arguments: words, files or nothing. */
static void
put_arguments(struct buf *out, const struct command *c)
{
    if (*c->arguments && !c->words)
        return;
    buf_printf(out, "complete -c assay -n '__assay_is %s' -f", c->name);
    if (c->words) {
        struct buf words = {0};
        c->words(&words);
        buf_text(out, " -a ");
        put_text(out, words.at);
        buf_free(&words);
    }
    buf_char(out, '\n');
}

void
completions_fish(struct buf *out)
{
    buf_text(out, head);
    for (const struct command *c = command_table; c->name; c++) {
        buf_printf(out,
                   "complete -c assay -n __assay_needs_command -f -a %s -d ",
                   c->name);
        put_text(out, c->help);
        buf_char(out, '\n');
    }
    for (const struct command *c = command_table; c->name; c++) {
        put_arguments(out, c);
        for (const struct option *o = option_table; o->name; o++)
            if (completions_has(c, o))
                put_option(out, c, o);
    }
}

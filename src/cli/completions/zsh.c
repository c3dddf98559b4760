/* zsh.c -- completions for zsh, by its _arguments.
 *
 * SPDX-License-Identifier: MIT */
#include "cli/completions/completions.h"

#include <string.h>

/* Escape text for the single quotes and brackets of _arguments. */
static void
put_text(struct buf *out, const char *text)
{
    for (; *text; text++) {
        if (*text == '\'')
            buf_text(out, "'\\''");
        else if (strchr("[]:\\", *text))
            buf_printf(out, "\\%c", *text);
        else
            buf_char(out, *text);
    }
}

/* What completes the value of an option: words, words with commas between
 * them, or files. */
static void
put_value(const struct option *o, struct buf *out)
{
    if (!o->argument)
        return;
    if (o->kind == OPTION_OUTPUT) {
        buf_printf(out, "::%s:_files", o->argument);
        return;
    }
    buf_printf(out, ":%s:", o->argument);
    if (o->choices) {
        struct buf words = {0};
        const bool list = completions_is_list(o);
        o->choices(&words);
        buf_text(out, list ? "_sequence compadd - " : "(");
        put_text(out, words.at);
        buf_text(out, list ? "" : ")");
        buf_free(&words);
    } else if (strcmp(o->argument, "FILE") == 0) {
        buf_text(out, "_files");
    } else if (strcmp(o->argument, "DIR") == 0) {
        buf_text(out, "_files -/");
    }
}

static void
put_option(const struct option *o, struct buf *out)
{
    struct buf help = {0};
    completions_help(o, &help);
    for (int letter = o->letter ? 1 : 0; letter >= 0; letter--) {
        buf_text(out, " \\\n            '");
        if (letter)
            buf_printf(out, "-%c", o->letter);
        else
            buf_printf(out, "--%s%s", completions_no(o), o->name);
        // '--json=FILE' has its value in the same word; others may have it in
        // the next.
        if (!letter && o->kind == OPTION_OUTPUT)
            buf_text(out, "=-");
        else if (!letter && o->argument)
            buf_char(out, '=');
        buf_char(out, '[');
        put_text(out, help.at);
        buf_char(out, ']');
        put_value(o, out);
        buf_char(out, '\'');
    }
    buf_free(&help);
}

static void
put_command(const struct command *c, struct buf *out)
{
    buf_printf(out, "    %s)\n        _arguments -s", c->name);
    for (const struct option *o = option_table; o->name; o++)
        if (completions_has(c, o))
            put_option(o, out);
    if (c->words)
        buf_printf(out, " \\\n            '*:argument:_assay_%s'", c->name);
    else if (*c->arguments)
        buf_text(out, " \\\n            '*:file:_files'");
    buf_text(out, ";;\n");
}

/* A function for the words that a command takes. */
static void
put_words(const struct command *c, struct buf *out)
{
    struct buf words = {0};
    c->words(&words);
    buf_printf(out, "_assay_%s() {\n", c->name);
    // A word that ends in a colon or slash goes on.
    buf_printf(out,
               "    local -a words=(%s)\n"
               "    compadd -S '' -- ${(M)words:#*[:/]}\n"
               "    compadd -- ${words:#*[:/]}\n}\n",
               words.at);
    buf_free(&words);
}

void
completions_zsh(struct buf *out)
{
    buf_text(out, "#compdef assay\n");
    for (const struct command *c = command_table; c->name; c++)
        if (c->words)
            put_words(c, out);
    buf_text(out, "_assay() {\n    local -a commands\n"
                  "    commands=(\n");
    for (const struct command *c = command_table; c->name; c++) {
        buf_printf(out, "        '%s:", c->name);
        put_text(out, c->help);
        buf_text(out, "'\n");
    }
    buf_text(out, "    )\n    if (( CURRENT == 2 )); then\n"
                  "        _describe command commands\n        return\n"
                  "    fi\n"
                  "    local command=$words[2]\n"
                  "    shift words\n    (( CURRENT-- ))\n"
                  "    case $command in\n");
    for (const struct command *c = command_table; c->name; c++)
        put_command(c, out);
    buf_text(out, "    esac\n}\n"
                  "if [ \"$funcstack[1]\" = _assay ]; then\n"
                  "    _assay \"$@\"\nelse\n    compdef _assay assay\nfi\n");
}

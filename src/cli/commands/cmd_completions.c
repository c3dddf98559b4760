/* cmd_completions.c -- completions for bash, zsh and fish from the tables.
 *
 * SPDX-License-Identifier: MIT */
#include "cli/cli.h"

#include <string.h>

static void
add_words(struct buf *out, const struct command *c)
{
    for (const struct option *o = option_table; o->name; o++) {
        if (!(o->commands & c->bit))
            continue;
        const bool off = o->kind == OPTION_FLAG && o->initial;
        buf_printf(out, "%s--%s%s", out->at[out->n - 1] != '"' ? " " : "",
                   off ? "no-" : "", o->name);
    }
}

/* The words that an option takes; no shell needs quotes for them. */
static void
add_choices(struct buf *out, const struct option *o)
{
    struct buf words = {0};
    o->choices(&words);
    buf_text(out, words.at);
    buf_free(&words);
}

static void
bash(struct buf *out)
{
    buf_text(out, "# bash completion for assay\n_assay() {\n"
                  "    local cur=${COMP_WORDS[COMP_CWORD]} "
                  "prev=${COMP_WORDS[COMP_CWORD-1]} words=\n"
                  "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n        words=\"");
    for (const struct command *c = command_table; c->name; c++)
        buf_printf(out, "%s%s", c == command_table ? "" : " ", c->name);
    buf_text(out, "\"\n        COMPREPLY=($(compgen -W \"$words\" -- "
                  "\"$cur\"))\n        return\n    fi\n"
                  "    case $prev in\n");
    for (const struct option *o = option_table; o->name; o++) {
        if (!o->choices)
            continue;
        buf_text(out, "    ");
        if (o->letter)
            buf_printf(out, "-%c|", o->letter);
        buf_printf(out, "--%s) COMPREPLY=($(compgen -W \"", o->name);
        add_choices(out, o);
        buf_text(out, "\" -- \"$cur\")); return;;\n");
    }
    buf_text(out, "    esac\n    case ${COMP_WORDS[1]} in\n");
    for (const struct command *c = command_table; c->name; c++) {
        buf_printf(out, "    %s) words=\"", c->name);
        add_words(out, c);
        buf_text(out, "\";;\n");
    }
    buf_text(out,
             "    esac\n    if [[ $cur == -* ]]; then\n"
             "        COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
             "    else\n        COMPREPLY=($(compgen -f -- \"$cur\"))\n    fi\n"
             "}\ncomplete -o filenames -F _assay assay\n");
}

/* Escape text for the single quotes and brackets of zsh's _arguments. */
static void
zsh_text(struct buf *out, const char *text)
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

static void
zsh_option(struct buf *out, const struct option *o)
{
    const bool off = o->kind == OPTION_FLAG && o->initial;
    for (int letter = o->letter ? 1 : 0; letter >= 0; letter--) {
        buf_text(out, " \\\n            '");
        if (letter)
            buf_printf(out, "-%c[", o->letter);
        else
            buf_printf(out, "--%s%s[", off ? "no-" : "", o->name);
        zsh_text(out, o->help);
        buf_char(out, ']');
        if (o->argument && o->kind != OPTION_OUTPUT)
            buf_printf(out, ":%s:", o->argument);
        if (o->choices) {
            buf_char(out, '(');
            add_choices(out, o);
            buf_char(out, ')');
        } else if (o->argument && o->kind != OPTION_OUTPUT &&
                   strcmp(o->argument, "FILE") == 0) {
            buf_text(out, "_files");
        }
        buf_char(out, '\'');
    }
}

static void
zsh(struct buf *out)
{
    buf_text(out, "#compdef assay\n_assay() {\n    local -a commands\n"
                  "    commands=(\n");
    for (const struct command *c = command_table; c->name; c++) {
        buf_printf(out, "        '%s:", c->name);
        zsh_text(out, c->help);
        buf_text(out, "'\n");
    }
    buf_text(out, "    )\n    if (( CURRENT == 2 )); then\n"
                  "        _describe command commands\n        return\n"
                  "    fi\n    case $words[2] in\n");
    for (const struct command *c = command_table; c->name; c++) {
        buf_printf(out, "    %s)\n        _arguments -s", c->name);
        for (const struct option *o = option_table; o->name; o++)
            if (o->commands & c->bit)
                zsh_option(out, o);
        buf_text(out, " \\\n            '*:file:_files';;\n");
    }
    buf_text(out, "    esac\n}\n_assay \"$@\"\n");
}

static void
fish_text(struct buf *out, const char *text)
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
fish_option(struct buf *out, const struct command *c, const struct option *o)
{
    const bool off = o->kind == OPTION_FLAG && o->initial;
    buf_printf(out,
               "complete -c assay -n '__fish_seen_subcommand_from %s' -l %s%s",
               c->name, off ? "no-" : "", o->name);
    if (o->letter)
        buf_printf(out, " -s %c", o->letter);
    if (o->choices) {
        buf_text(out, " -x -a '");
        add_choices(out, o);
        buf_char(out, '\'');
    } else if (o->argument && o->kind != OPTION_OUTPUT)
        buf_text(out, " -r");
    buf_text(out, " -d ");
    fish_text(out, o->help);
    buf_char(out, '\n');
}

static void
fish(struct buf *out)
{
    buf_text(out, "# fish completion for assay\n");
    for (const struct command *c = command_table; c->name; c++) {
        buf_printf(out,
                   "complete -c assay -n __fish_use_subcommand -f -a %s "
                   "-d ",
                   c->name);
        fish_text(out, c->help);
        buf_char(out, '\n');
    }
    for (const struct command *c = command_table; c->name; c++)
        for (const struct option *o = option_table; o->name; o++)
            if (o->commands & c->bit)
                fish_option(out, c, o);
}

int
cmd_completions(const struct options *o)
{
    static const struct {
        const char *name;
        void (*print)(struct buf *out);
    } shells[] = {{"bash", bash}, {"zsh", zsh}, {"fish", fish}};

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

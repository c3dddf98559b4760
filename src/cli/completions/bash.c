/* bash.c -- completions for bash.
 *
 * Bash breaks words at ':' and '=', so 'store:s' arrives as three words, and an
 * answer replaces the last of them only.  The function therefore looks at the
 * line itself, and takes away from its answers what bash keeps.
 *
 * SPDX-License-Identifier: MIT */
#include "cli/completions/completions.h"

static const char head[] =
    "# bash completion for assay\n"
    "\n"
    "# Offer words that begin like the current one, which is $full.  After a\n"
    "# comma or an equals sign, the last part of it counts.\n"
    "_assay_words() {\n"
    "    local value=${full#\"$option\"} kept\n"
    "    if [[ $1 == list && $value == *,* ]]; then\n"
    "        kept=${value%,*},\n"
    "    fi\n"
    "    COMPREPLY=($(compgen -P \"$kept\" -W \"$2\" -- "
    "\"${value#\"$kept\"}\"))\n"
    "    if [[ $value == *:* ]]; then\n"
    "        COMPREPLY=(\"${COMPREPLY[@]#\"${value%\"${value##*:}\"}\"}\")\n"
    "    fi\n"
    "    if [[ ${#COMPREPLY[@]} -eq 1 && $COMPREPLY == *[:/] ]]; then\n"
    "        compopt -o nospace 2>/dev/null\n"
    "    fi\n"
    "}\n"
    "\n"
    "_assay() {\n"
    "    local line=${COMP_LINE:0:COMP_POINT} cur=${COMP_WORDS[COMP_CWORD]}\n"
    "    local full=${line##*[[:space:]]} prev option= i\n"
    "    local command=${COMP_WORDS[1]}\n"
    "    line=${line%\"$full\"}\n"
    "    line=${line%\"${line##*[![:space:]]}\"}\n"
    "    prev=${line##*[[:space:]]}\n"
    "    COMPREPLY=()\n"
    "    if [[ $full == --*=* ]]; then\n"
    "        option=${full%%=*}=\n"
    "        prev=${option%=}\n"
    "    fi\n"
    "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n";

static const char tail[] = "    esac\n"
                           "    if [[ $cur == = ]]; then\n"
                           "        cur=\n"
                           "    fi\n"
                           "    if [[ ${#COMPREPLY[@]} -eq 0 ]]; then\n"
                           "        compopt -o filenames 2>/dev/null\n"
                           "        COMPREPLY=($(compgen -f -- \"$cur\"))\n"
                           "    fi\n"
                           "}\n"
                           "complete -F _assay assay\n";

/* The words after an option of this command. */
static void
put_values(const struct command *c, struct buf *out)
{
    buf_text(out, "        case $prev in\n");
    for (const struct option *o = option_table; o->name; o++) {
        if (!completions_has(c, o) || !o->choices)
            continue;
        buf_text(out, "        ");
        if (o->letter)
            buf_printf(out, "-%c|", o->letter);
        struct buf words = {0};
        o->choices(&words);
        buf_printf(out, "--%s) _assay_words %s \"%s\"; return;;\n", o->name,
                   completions_is_list(o) ? "list" : "one", words.at);
        buf_free(&words);
    }
    buf_text(out, "        esac\n");
}

static void
put_command(const struct command *c, struct buf *out)
{
    buf_printf(out, "    %s)\n", c->name);
    put_values(c, out);
    buf_text(out, "        if [[ $full == -* && -z $option ]]; then\n"
                  "            _assay_words one \"");
    const char *blank = "";
    for (const struct option *o = option_table; o->name; o++)
        if (completions_has(c, o)) {
            buf_printf(out, "%s--%s%s", blank, completions_no(o), o->name);
            blank = " ";
        }
    buf_text(out, "\"\n            return\n        fi\n");
    if (c->words) {
        struct buf words = {0};
        c->words(&words);
        buf_printf(out,
                   "        if [[ -z $option ]]; then\n"
                   "            _assay_words one \"%s\"\n        fi\n",
                   words.at);
        buf_free(&words);
    }
    buf_text(out, "        ;;\n");
}

void
completions_bash(struct buf *out)
{
    struct buf commands = {0};
    choices_commands(&commands);
    buf_text(out, head);
    buf_printf(out,
               "        _assay_words one \"%s\"\n        return\n    fi\n"
               "    case $command in\n",
               commands.at);
    buf_free(&commands);
    for (const struct command *c = command_table; c->name; c++)
        put_command(c, out);
    buf_text(out, tail);
}

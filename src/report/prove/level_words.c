/* level_words.c -- see level_words.h.
 *
 * SPDX-License-Identifier: MIT */
#include "report/prove/level_words.h"

#include <string.h>

const char *
level_words_brief(enum level l)
{
    const char *own = level_table[l].prove;
    return own ? own : level_table[l].brief;
}

void
level_words_show(const struct level_choice *i, const struct program *p,
                 struct buf *out)
{
    buf_text(out, i->innodb ? "my-rr"
                  : i->own  ? i->name
                            : level_table[i->common].name);
    for (uint32_t f = 0; i->levels && f < i->functions; f++)
        if (i->levels[f] != i->common)
            buf_printf(out, ", %s at %s", p->functions.at[f]->name,
                       level_words_brief(i->levels[f]));
    for (uint32_t f = 0; i->pairs && f < i->functions; f++)
        for (uint32_t g = f; g < i->functions; g++)
            if (isolation_is_paired(i, f, g))
                buf_printf(out, ", %s beside no %s", p->functions.at[f]->name,
                           p->functions.at[g]->name);
}

static void
json_pairs(const struct level_choice *i, const struct program *p,
           struct buf *out)
{
    const char *separator = "";
    buf_text(out, ",\"serializable\":[");
    for (uint32_t f = 0; f < i->functions; f++)
        for (uint32_t g = f; g < i->functions; g++) {
            if (!isolation_is_paired(i, f, g))
                continue;
            const char *const a = p->functions.at[f]->name;
            const char *const b = p->functions.at[g]->name;
            buf_printf(out, "%s[", separator);
            buf_json(out, a, strlen(a));
            buf_char(out, ',');
            buf_json(out, b, strlen(b));
            buf_char(out, ']');
            separator = ",";
        }
    buf_char(out, ']');
}

void
level_words_json(const struct level_choice *i, const struct program *p,
                 struct buf *out)
{
    const char *const name = i->innodb ? "my-rr"
                             : i->own  ? i->name
                                       : level_table[i->common].brief;
    buf_text(out, "\"level\":");
    buf_json(out, name, strlen(name));
    if (i->pairs)
        json_pairs(i, p, out);
    if (!isolation_is_mixed(i))
        return;
    buf_text(out, ",\"levels\":{");
    for (uint32_t f = 0; f < i->functions; f++) {
        buf_text(out, f ? "," : "");
        buf_json(out, p->functions.at[f]->name,
                 strlen(p->functions.at[f]->name));
        buf_printf(out, ":\"%s\"", level_words_brief(i->levels[f]));
    }
    buf_char(out, '}');
}

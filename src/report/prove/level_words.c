/* level_words.c -- see level_words.h.
 *
 * SPDX-License-Identifier: MIT */
#include "report/prove/level_words.h"

#include "base/json.h"

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
put_pairs(const struct level_choice *i, const struct program *p,
          struct buf *out)
{
    json_array(out, "serializable");
    for (uint32_t f = 0; f < i->functions; f++)
        for (uint32_t g = f; g < i->functions; g++) {
            if (!isolation_is_paired(i, f, g))
                continue;
            json_array(out, NULL);
            json_text(out, NULL, p->functions.at[f]->name);
            json_text(out, NULL, p->functions.at[g]->name);
            json_array_end(out);
        }
    json_array_end(out);
}

void
level_words_json(const struct level_choice *i, const struct program *p,
                 struct buf *out)
{
    json_text(out, "level",
              i->innodb ? "my-rr"
              : i->own  ? i->name
                        : level_table[i->common].brief);
    if (i->pairs)
        put_pairs(i, p, out);
    if (!isolation_is_mixed(i))
        return;
    json_object(out, "levels");
    for (uint32_t f = 0; f < i->functions; f++)
        json_text(out, p->functions.at[f]->name,
                  level_words_brief(i->levels[f]));
    json_object_end(out);
}

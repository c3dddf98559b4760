/* prove_level.c -- the names of levels that programs are looked at, and a level
 * that was given up; see prove.h.
 *
 * SPDX-License-Identifier: MIT */
#include "prove/robust/prove.h"

#include <stdio.h>
#include <string.h>

void
prove_give_up(struct prove_result *out, const struct limit_stop *stop)
{
    struct buf reason = {0};
    limit_show(stop, &reason);
    *out = (struct prove_result){.verdict = PROVE_UNKNOWN,
                                 .seconds = stop->seconds};
    snprintf(out->reason, sizeof out->reason, "%s", reason.at);
    assert(out->reason[0]); // an unknown verdict says why
    buf_free(&reason);
}

/* Levels that prove calls by another name. */
static bool
parse_own_name(const char *text, size_t len, enum level *out)
{
    for (enum level l = 0; l < LEVELS; l++) {
        const char *name = level_table[l].prove;
        if (name && strlen(name) == len && memcmp(text, name, len) == 0) {
            *out = l;
            return true;
        }
    }
    return false;
}

bool
prove_parse_level(const char *text, size_t len, enum level *out,
                  struct err *err)
{
    char quoted[ERR_QUOTE_ROOM];
    if (!parse_own_name(text, len, out) &&
        (!level_parse(text, len, out) ||
         !level_is_used_by(*out, USED_BY_PROVE)))
        return err_set(err, ERR_USAGE,
                       "'%s' is no level for prove, expected rc, ec, cc, pc, "
                       "psi, si, ser or my-rr",
                       err_quote(quoted, sizeof quoted, text, len));
    return true;
}

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
    buf_free(&reason);
}

bool
prove_parse_level(const char *text, size_t len, enum level *out,
                  struct err *err)
{
    char quoted[ERR_QUOTE_ROOM];
    if (len == 2 && memcmp(text, "ec", 2) == 0)
        *out = LEVEL_RA;
    else if (!level_parse(text, len, out) || *out < LEVEL_RC ||
             *out > LEVEL_SER)
        return err_set(err, ERR_USAGE,
                       "'%s' is no level for prove, expected rc, ec, cc, pc, "
                       "psi, si, ser or my-rr",
                       err_quote(quoted, sizeof quoted, text, len));
    return true;
}

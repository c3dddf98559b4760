/* reason.c -- see reason.h.
 *
 * SPDX-License-Identifier: MIT */
#include "check/reason.h"

#include "history/partial.h"

#include <stdio.h>

void
reason_gaps(const struct history *h, struct check *c)
{
    for (size_t i = 0; h->txn_partial && i < c->results.n; i++)
        if (c->results.at[i].certificate.verdict == VERDICT_OK)
            partial_tell(h, c->results.at[i].reason,
                         sizeof c->results.at[i].reason);
}

void
reason_limits(struct check *c)
{
    for (size_t i = 0; i < c->results.n; i++) {
        struct level_result *r = &c->results.at[i];
        if (r->certificate.verdict != VERDICT_UNKNOWN || !r->stop.kind)
            continue;
        struct buf reason = {0};
        limit_show(&r->stop, &reason);
        snprintf(r->reason, sizeof r->reason, "%s", reason.at);
        buf_free(&reason);
    }
}

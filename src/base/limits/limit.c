/* limit.c -- limits as values and in words; see limit.h.
 *
 * SPDX-License-Identifier: MIT */
#include "base/limits/limit.h"

#include "base/memory/mem.h"

#include <inttypes.h>

bool
limit_reached(const struct limit *limit)
{
    return (limit->memory && mem_in_use() > limit->memory) ||
           (limit->deadline > 0 && time_now() > limit->deadline);
}

static void
show_bytes(size_t bytes, struct buf *out)
{
    static const char *const units[] = {" bytes", "k", "M", "G", "T"};
    size_t unit = 0;
    while (unit < 4 && bytes && bytes % 1024 == 0) {
        bytes /= 1024;
        unit++;
    }
    buf_printf(out, "%zu%s", bytes, units[unit]);
}

void
limit_show(const struct limit_stop *stop, struct buf *out)
{
    switch (stop->kind) {
    case LIMIT_NONE:
        break;
    case LIMIT_TIME:
        buf_printf(out, "the time limit of %g s was reached", stop->seconds);
        break;
    case LIMIT_MEMORY:
        buf_text(out, "the memory limit of ");
        show_bytes(stop->bytes, out);
        buf_text(out, " was reached");
        break;
    case LIMIT_SYSTEM:
        buf_text(out, "the system had no more memory");
        break;
    case LIMIT_CANCELLED:
        buf_text(out, "the work was cancelled");
        break;
    case LIMIT_CAPACITY:
        buf_printf(out, "more than %" PRIu64 " %s were needed", stop->most,
                   stop->what);
        break;
    }
    if (stop->phase)
        buf_printf(out, " while %s", stop->phase);
}

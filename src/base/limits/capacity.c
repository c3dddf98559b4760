/* capacity.c -- see capacity.h.
 *
 * SPDX-License-Identifier: MIT */
#include "base/limits/capacity.h"

#include "base/limits/context.h"
#include "base/print.h"

#include <inttypes.h>
#include <string.h>

const char *
capacity_name(enum capacity c)
{
#define CAPACITY_WHAT(name, most, what) [CAPACITY_##name] = (what),
    static const char *const names[CAPACITIES] = {
        CAPACITY_TABLE(CAPACITY_WHAT)};
#undef CAPACITY_WHAT
    return names[c];
}

void
capacity_exceeded(enum capacity c)
{
    context_stop(LIMIT_CAPACITY, capacity_name(c), capacity_most[c]);
    char message[160];
    print_text(message, sizeof message,
               "assay: more than %" PRIu64 " %s: this program cannot number so "
               "many\n",
               capacity_most[c], capacity_name(c));
    limit_end_program(message);
}

uint32_t
capacity_epoch(uint32_t epoch, uint32_t *stamps, size_t n)
{
    if (capacity_holds(CAPACITY_EPOCHS, (uint64_t)epoch + 1))
        return epoch + 1;
    memset(stamps, 0, n * sizeof *stamps);
    return 1;
}

/* cobra.h -- what the reader and the writer of 'cobra' share.
 *
 * SPDX-License-Identifier: MIT */
#ifndef FORMAT_CHECKERS_COBRA_H
#define FORMAT_CHECKERS_COBRA_H

#include "format/format.h"

// Identifiers with a special meaning.
#define COBRA_INIT UINT64_C(0xbebeebee)      // the initial state
#define COBRA_NULL UINT64_C(0xdeadbeef)      // an absent row, also initial
#define COBRA_UNIVERSAL UINT64_C(0xabddefee) // the id of all writes

static inline bool
cobra_is_initial(uint64_t write_id)
{
    return write_id == COBRA_INIT || write_id == COBRA_NULL;
}

bool cobra_holds(const struct history *h, struct err *err);
bool cobra_write(const struct history *h, struct output *out, struct err *err);

#endif

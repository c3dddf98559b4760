/* range.h -- which random histories a model test looks at.
 *
 * SPDX-License-Identifier: MIT */
#ifndef MODEL_RANGE_H
#define MODEL_RANGE_H

#include <stdint.h>
#include <stdlib.h>

/* Take "COUNT SEED" from the command line, as far as they are given. */
static inline void
take_range(int argc, char **argv, uint64_t *count, uint64_t *first_seed)
{
    if (argc > 1)
        *count = strtoull(argv[1], NULL, 10);
    if (argc > 2)
        *first_seed = strtoull(argv[2], NULL, 10);
}

#endif

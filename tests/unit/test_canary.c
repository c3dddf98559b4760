/* test_canary.c -- proves that the harness can fail.
 *
 * SPDX-License-Identifier: MIT */
#include "test.h"

#include <stdlib.h>

static void
one_is_two(void)
{
    CHECK(1 == 2);
}

int
main(int argc, char *argv[])
{
    if (argc > 1 && strcmp(argv[1], "crash") == 0)
        abort();
    RUN(one_is_two);
    return test_end();
}

/* jump.c -- see jump.h.
 *
 * SPDX-License-Identifier: MIT */
#include "base/limits/jump.h"

#include <setjmp.h>

struct jump {
    jmp_buf at;
};

bool
jump_run(void (*work)(void *self, struct jump *to), void *self)
{
    struct jump to;
    if (setjmp(to.at) != 0)
        return false;
    work(self, &to);
    return true;
}

void
jump_leave(struct jump *to)
{
    longjmp(to->at, 1);
}

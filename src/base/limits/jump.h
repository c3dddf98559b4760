/* jump.h -- leave a piece of work from anywhere inside of it.
 *
 * jump.c does it with longjmp.  Where a machine has none, as WebAssembly, the
 * host provides both functions (bindings/node/wasm/host.c).
 *
 * SPDX-License-Identifier: MIT */
#ifndef BASE_LIMITS_JUMP_H
#define BASE_LIMITS_JUMP_H

#include <stdbool.h>

/* Where to go; it lives on the stack of jump_run. */
struct jump;

/* Run work(self, to).  False: jump_leave(to) ended it. */
bool jump_run(void (*work)(void *self, struct jump *to), void *self);

/* End the work of the innermost jump_run of this thread, which 'to' is of. */
_Noreturn void jump_leave(struct jump *to);

#endif

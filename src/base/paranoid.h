/* paranoid.h -- checks that are too slow for every build.
 *
 * Ordinary assertions cost a comparison.  A function x_check validates a whole
 * structure, slowly and obviously.  PARANOID calls one where the structure has
 * just changed; only a build with -Dparanoid=true does (tools/test runs the
 * model tests in one).
 *
 * SPDX-License-Identifier: MIT */
#ifndef BASE_PARANOID_H
#define BASE_PARANOID_H

#ifdef ASSAY_PARANOID
#define PARANOID(call) (call)
#else
#define PARANOID(call) ((void)0)
#endif

/* What x_check functions assert with: also in builds without assertions. */
#define ENSURE(condition)                                                      \
    ((condition) ? (void)0 : paranoid_failed(__FILE__, __LINE__, #condition))

_Noreturn void paranoid_failed(const char *file, int line, const char *what);

// Structures larger than this are not worth a quadratic check.
enum { PARANOID_SIZE = 128 };

#endif

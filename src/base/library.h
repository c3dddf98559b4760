/* library.h -- shared libraries that are loaded when they are first needed.
 *
 * Most runs need no database, no compression and no second solver; linking
 * these and all that they depend on would make starting take ten times as
 * long.  So only their headers are used, and a table of the functions is
 * filled in at run time:
 *
 *     #define CALLS(F) F(PQexec) F(PQclear)
 *     static struct { CALLS(LIBRARY_MEMBER) } pq;
 *     static const char *const calls[] = {CALLS(LIBRARY_NAME)};
 *     ...
 *     library_load("libpq.so.5", calls, LIBRARY_LENGTH(calls), &pq, err)
 *     pq.PQexec(...)
 *
 * Such a table never changes once it is filled in, and it is filled in before
 * any thread uses it.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BASE_LIBRARY_H
#define BASE_LIBRARY_H

#include "base/err.h"

#include <stddef.h>

#define LIBRARY_MEMBER(f) __typeof__(&f) f;
#define LIBRARY_NAME(f) #f,
#define LIBRARY_LENGTH(names) (sizeof(names) / sizeof *(names))

/* Fill in a table of n functions, which are a struct of pointers in the order
 * of their names, from a library.  It stays loaded.
 *
 *   error  ERR_FEATURE where the library or a function of it is not there */
bool library_load(const char *file, const char *const *names, size_t n,
                  void *table, struct err *err);

#endif

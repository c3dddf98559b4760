/* row_dialect.c -- see row_dialect.h.
 *
 * SPDX-License-Identifier: MIT */
#include "spec/row/row_dialect.h"

#include <string.h>

static const struct row_dialect *const dialects[] = {
    &row_dialect_postgresql, &row_dialect_sqlite, &row_dialect_mariadb};

const struct row_dialect *
row_dialect_of(const char *scheme)
{
    assert(scheme);
    for (size_t i = 0; i < sizeof dialects / sizeof dialects[0]; i++)
        if (strcmp(dialects[i]->scheme, scheme) == 0)
            return dialects[i];
    return NULL;
}

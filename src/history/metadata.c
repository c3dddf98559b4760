/* metadata.c -- see metadata.h.
 *
 * SPDX-License-Identifier: MIT */
#include "history/metadata.h"

#include <string.h>

const char *
metadata_find(const char *json, const char *name)
{
    const size_t n = strlen(name);
    for (const char *at = json; (at = strstr(at, name)); at++) {
        if (at == json || at[-1] != '"' || at[n] != '"' || at[n + 1] != ':')
            continue;
        at += n + 2;
        return at + strspn(at, " ");
    }
    return 0;
}

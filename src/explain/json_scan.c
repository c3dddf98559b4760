/* json_scan.c -- see json_scan.h.
 *
 * SPDX-License-Identifier: MIT */
#include "explain/json_scan.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

const char *
json_scan_blank(const char *at)
{
    return at + strspn(at, " \t\r\n");
}

const char *
json_scan_string(const char *at)
{
    assert(*at == '"');
    for (at++; *at && *at != '"'; at++)
        at += *at == '\\' && at[1];
    return at + (*at == '"');
}

const char *
json_scan_value(const char *at)
{
    size_t depth = 0;
    do {
        if (*at == '"') {
            at = json_scan_string(at);
            continue;
        }
        depth += *at == '[' || *at == '{';
        depth -= depth && (*at == ']' || *at == '}');
        at += *at != 0;
    } while (*at && (depth || !strchr(",]}", *at)));
    return at;
}

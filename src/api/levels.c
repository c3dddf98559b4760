/* levels.c -- the isolation levels by name; see assay.h.
 *
 * SPDX-License-Identifier: MIT */
#include "assay/assay.h"
#include "level/level.h"

#include <string.h>

static bool
find(const char *name, enum level *out)
{
    return name && level_parse(name, strlen(name), out) && *out >= LEVEL_RC;
}

const char *
assay_level_name(size_t i)
{
    return i < LEVELS - LEVEL_RC ? level_table[LEVEL_RC + i].brief : NULL;
}

const char *
assay_level_find(const char *name)
{
    enum level l;
    return find(name, &l) ? level_table[l].brief : NULL;
}

const char *
assay_level_title(const char *name)
{
    enum level l;
    return find(name, &l) ? level_table[l].title : NULL;
}

const char *
assay_level_meaning(const char *name)
{
    enum level l;
    return find(name, &l) ? level_table[l].meaning : NULL;
}

int
assay_level_implies(const char *stronger, const char *weaker)
{
    enum level s, w;
    if (!find(stronger, &s) || !find(weaker, &w))
        return ASSAY_E_USAGE;
    return level_implied(s) >> w & 1;
}

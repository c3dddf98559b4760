/* print_name.c -- names as SQL text.
 *
 * A name needs quotes unless it has small letters, digits and '_' only, and is
 * no word that PostgreSQL keeps for itself.
 *
 * SPDX-License-Identifier: MIT */
#include "prove/execute/print/print.h"

#include "base/ascii.h"

#include <string.h>

static bool
is_reserved(const char *name)
{
    static const char words[] =
        " all analyse analyze and any array as asc asymmetric authorization"
        " binary both case cast check collate collation column concurrently"
        " constraint create cross current_catalog current_date current_role"
        " current_schema current_time current_timestamp current_user default"
        " deferrable desc distinct do else end except false fetch for foreign"
        " freeze from full grant group having ilike in initially inner"
        " intersect into is isnull join lateral leading left like limit"
        " localtime localtimestamp natural not notnull null offset on only or"
        " order outer overlaps placing primary references returning right"
        " select session_user similar some symmetric table tablesample then to"
        " trailing true union unique user using variadic verbose when where"
        " window with ";
    const size_t n = strlen(name);
    for (const char *at = words; (at = strstr(at, name)); at++)
        if (at[-1] == ' ' && at[n] == ' ')
            return true;
    return false;
}

void
print_name(struct buf *out, const char *name)
{
    assert(*name);
    bool plain = !ascii_is_digit(*name) && !is_reserved(name);
    for (const char *c = name; plain && *c; c++)
        plain =
            (*c >= 'a' && *c <= 'z') || (*c >= '0' && *c <= '9') || *c == '_';
    if (plain) {
        buf_text(out, name);
        return;
    }
    buf_char(out, '"');
    for (const char *c = name; *c; c++) {
        if (*c == '"')
            buf_char(out, '"');
        buf_char(out, *c);
    }
    buf_char(out, '"');
}

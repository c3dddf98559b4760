/* tell.c -- see tell.h.
 *
 * SPDX-License-Identifier: MIT */
#include "record/tell.h"

#include <stdlib.h>
#include <string.h>

/* Cut a piece off a text, up to a character; NULL if there is none left. */
static char *
cut(char **at, char c)
{
    char *piece = *at, *end = piece ? strchr(piece, c) : NULL;
    if (end)
        *end = 0;
    *at = end ? end + 1 : NULL;
    return piece;
}

static uint32_t
number(const char *text)
{
    return text ? (uint32_t)strtoull(text, NULL, 10) : 0;
}

static void
read_scan(struct told_fact *out, char *at)
{
    out->oid = number(cut(&at, ' '));
    out->snapshot = cut(&at, ' ');
    out->level = at;
    if (out->snapshot && out->level)
        out->kind = TOLD_SCAN;
}

static void
read_seen(struct told_fact *out, char *at)
{
    out->oid = number(at);
    out->version = at;
    if (strchr(at, '/'))
        out->kind = TOLD_SEEN;
}

static void
read_write(struct told_fact *out, char *at, struct arena *arena)
{
    char *first = cut(&at, '\n');
    if (!at)
        return;
    out->lines = arena_copy(arena, at, strlen(at));
    out->oid = number(cut(&first, ' '));
    const char *xid = cut(&first, ' ');
    out->xid = xid ? strtoull(xid, NULL, 10) : 0;
    out->subxid = number(cut(&first, ' '));
    out->level = first;
    const char *letter = cut(&at, '\n');
    out->letter = *letter;
    struct row_seen *seen = strchr("UD", *letter) ? &out->before : &out->after;
    for (; at; seen = &out->after) {
        seen->name = cut(&at, '\n');
        seen->values = cut(&at, '\n');
        if (!seen->values)
            return;
    }
    if (out->level)
        out->kind = TOLD_WRITE;
}

static void
read_table(struct told_fact *out, char *at)
{
    out->oid = number(cut(&at, ' '));
    out->node = cut(&at, ' ');
    out->shape = cut(&at, ' ');
    const char *letter = cut(&at, ' ');
    out->name = at;
    if (!at)
        return;
    out->letter = *letter;
    out->kind = TOLD_TABLE;
}

void
tell_read(struct told_fact *out, const char *text, struct arena *arena)
{
    char *at = arena_copy(arena, text, strlen(text));
    *out = (struct told_fact){.kind = TOLD_OTHER};
    if (!*at || at[1] != ' ')
        return;
    if (*at == 'g') {
        read_scan(out, at + 2);
    } else if (*at == 'w') {
        read_write(out, at + 2, arena);
    } else if (*at == 't') {
        read_table(out, at + 2);
    } else if (strchr("sud", *at)) {
        out->letter = *at;
        read_seen(out, at + 2);
    }
}

bool
tell_is_proposed(const char *version)
{
    return strstr(version, "(4294967295,") != NULL;
}

uint32_t
tell_xmin(const char *version)
{
    const char *slash = strrchr(version, '/');
    return slash ? number(slash + 1) : 0;
}

bool
tell_sees(const char *snapshot, uint64_t xid)
{
    char *at;
    const uint64_t low = strtoull(snapshot, &at, 10);
    if (xid < low)
        return true;
    const uint64_t high = strtoull(at + (*at == ':'), &at, 10);
    if (xid >= high)
        return false;
    while (*at == ':' || *at == ',') {
        if (strtoull(at + 1, &at, 10) == xid)
            return false;
    }
    return true;
}

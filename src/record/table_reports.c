/* table_reports.c -- see table_reports.h.
 *
 * SPDX-License-Identifier: MIT */
#include "record/table_reports.h"

#include "record/tell.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct table_report *
table_reports_find(const struct table_reports *t, uint32_t oid)
{
    for (size_t i = 0; i < t->all.n; i++)
        if (t->all.at[i].oid == oid)
            return &t->all.at[i];
    return NULL;
}

static struct table_report *
add(struct table_reports *t, uint32_t oid)
{
    struct table_report *found = table_reports_find(t, oid);
    if (found)
        return found;
    vec_push(
        &t->all,
        ((struct table_report){
            .oid = oid, .root = oid, .node = "", .shape = "", .name = ""}));
    return &vec_top(&t->all);
}

static void
set(struct table_report *t, const char *node, const char *shape,
    const char *name)
{
    t->node = node;
    t->shape = shape;
    t->name = name;
    vec_push(&t->nodes, node);
}

/* "table OID NODE SHAPE NAME" or "part OID ROOT NODE SHAPE NAME" */
void
table_reports_begin(struct table_reports *t, const char *beginning,
                    struct arena *arena)
{
    char *at = arena_copy(arena, beginning, strlen(beginning));
    for (char *line = at; *line;) {
        char *end = line + strcspn(line, "\n");
        const bool is_last = !*end;
        *end = 0;
        const bool is_part = tell_begins(line, "part ");
        if (is_part || tell_begins(line, "table ")) {
            char *word[4] = {0}, *rest = strchr(line, ' ') + 1;
            for (size_t i = 0; i < (is_part ? 4 : 3) && rest; i++) {
                word[i] = rest;
                rest = strchr(rest, ' ');
                if (rest)
                    *rest++ = 0;
            }
            if (rest) {
                struct table_report *n =
                    add(t, (uint32_t)strtoul(word[0], NULL, 10));
                set(n, word[is_part ? 2 : 1], word[is_part ? 3 : 2], rest);
                if (is_part)
                    n->root = (uint32_t)strtoul(word[1], NULL, 10);
            }
        }
        line = is_last ? end : end + 1;
    }
}

/* The object id in a message about rows, or 0. */
static uint32_t
oid_of(const char *message)
{
    return strchr("gsudw", *message) && message[1] == ' '
               ? (uint32_t)strtoul(message + 2, NULL, 10)
               : 0;
}

bool
table_report_has_shape(const struct table_report *t, const char *shape)
{
    const size_t n = strcspn(shape, "-");
    return strcspn(t->shape, "-") == n && strncmp(t->shape, shape, n) == 0;
}

static void
take_table(struct table_reports *all, const struct told_fact *f)
{
    struct table_report *t = add(all, f->oid);
    if (t->has_rows && f->letter == 'm') {
        t->has_changed |= !table_report_has_shape(t, f->shape) ||
                          strcmp(t->node, f->node) != 0;
        t->has_new_keys |= strcmp(t->shape, f->shape) != 0;
    }
    set(t, f->node, f->shape, f->name);
}

void
table_reports_take(struct table_reports *t, const char *message,
                   struct arena *arena)
{
    if (tell_begins(message, "t ")) {
        struct told_fact f;
        tell_read(&f, message, arena);
        if (f.kind == TOLD_TABLE)
            take_table(t, &f);
        return;
    }
    struct table_report *table = table_reports_find(t, oid_of(message));
    struct table_report *root =
        table ? table_reports_find(t, table->root) : NULL;
    if (table && *message != 'g')
        table->has_rows = true;
    if (root && *message != 'g')
        root->has_rows = true;
}

bool
table_report_had(const struct table_report *t, const char *node)
{
    for (size_t i = 0; i < t->nodes.n; i++)
        if (strcmp(t->nodes.at[i], node) == 0)
            return true;
    return false;
}

void
table_reports_free(struct table_reports *t)
{
    for (size_t i = 0; i < t->all.n; i++)
        vec_free(&t->all.at[i].nodes);
    vec_free(&t->all);
}

/* json_line.c -- see json_line.h.
 *
 * SPDX-License-Identifier: MIT */
#include "driver/exec/json_line.h"

#include <stdio.h>

bool
json_line_read(struct json_line *j, const char *line, size_t n, struct err *err)
{
    const struct input in = {.name = "", .data = line, .size = n};
    struct scan scan;
    scan_init(&scan, &in, err);
    bool ok = form_read_json(&scan, &j->forms);
    while (ok && scan.at < scan.end && strchr(" \t\r", *scan.at))
        scan.at++;
    if (ok && (j->forms.at[0].kind != FORM_MAP || scan.at < scan.end))
        ok = scan_unexpected(&scan, scan.at, "one JSON object");
    scan_free(&scan);
    return ok;
}

void
json_line_free(struct json_line *j)
{
    forms_free(&j->forms);
}

const struct form *
json_line_get(const struct json_line *j, const char *name)
{
    const struct forms *f = &j->forms;
    assert(f->n && f->at[0].kind == FORM_MAP);
    for (uint32_t i = form_first(0); i < form_end(f, 0);) {
        const uint32_t value = form_next(f, i);
        if (span_is(f->at[i].text, name))
            return &f->at[value];
        i = form_next(f, value);
    }
    return NULL;
}

void
json_line_text(const struct json_line *j, const char *name, char *out,
               size_t room)
{
    const struct form *f = json_line_get(j, name);
    if (f && f->kind == FORM_STRING)
        snprintf(out, room, "%.*s", (int)(f->text.n < room ? f->text.n : room),
                 f->text.at);
    else
        snprintf(out, room, "%s", "");
}

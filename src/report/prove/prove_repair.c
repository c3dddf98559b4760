/* prove_repair.c -- assay prove --repair: changes that provably suffice.
 *
 * SPDX-License-Identifier: MIT */
#include "base/json.h"
#include "prove/program/assumptions.h"
#include "report/prove/prove_report.h"

static const char *const kinds[] = {
    [REPAIR_LOCK] = "lock",     [REPAIR_PROMOTE] = "promote",
    [REPAIR_UNIQUE] = "unique", [REPAIR_FOREIGN] = "foreign-key",
    [REPAIR_GUARD] = "guard",   [REPAIR_LEVEL] = "level",
};

static void
show_text(const struct program *p, const struct repair *r, enum repair_by by,
          struct buf *out)
{
    const char *const what = by == REPAIR_BY_LEVELS ? "levels" : "changes";
    struct buf assumes = {0};
    program_assumptions(p, &assumes);
    if (r->found)
        buf_printf(out, "  Proved with these %s%s%s:\n", what,
                   assumes.n ? ", for " : "", assumes.n ? assumes.at : "");
    else
        buf_printf(out, "  No %s are proved to suffice: %s\n", what,
                   r->why_not);
    for (size_t i = 0; r->found && i < r->sites.n; i++)
        if (r->chosen[i]) {
            buf_text(out, "    ");
            repair_site_show(p, &r->sites.at[i], out);
            buf_char(out, '\n');
        }
    buf_free(&assumes);
}

static void
show_json(const struct program *p, const struct repair *r, enum repair_by by,
          struct buf *out)
{
    json_object(out, NULL);
    json_text(out, "by", by == REPAIR_BY_LEVELS ? "levels" : "changes");
    json_bool(out, "proved", r->found);
    json_array(out, "changes");
    for (size_t i = 0; r->found && i < r->sites.n; i++) {
        const struct repair_site *s = &r->sites.at[i];
        struct buf text = {0};
        if (!r->chosen[i])
            continue;
        repair_site_show(p, s, &text);
        json_object(out, NULL);
        json_text(out, "kind", kinds[s->kind]);
        if (s->statement)
            json_u64(out, "line", s->statement->line);
        json_text(out, "text", text.at);
        json_object_end(out);
        buf_free(&text);
    }
    json_array_end(out);
    json_object_end(out);
}

void
prove_report_repair(const struct program *p, const struct repair *r,
                    enum repair_by by, bool json, struct buf *out)
{
    (json ? show_json : show_text)(p, r, by, out);
}

void
prove_report_no_repair(const struct limit_stop *stop, bool json,
                       struct buf *out)
{
    struct buf why = {0};
    limit_show(stop, &why);
    if (json) {
        json_array(out, "repairs");
        json_array_end(out);
        json_text(out, "repairs_reason", why.at);
    } else {
        buf_printf(out, "  No changes are proved to suffice: %s\n", why.at);
    }
    buf_free(&why);
}

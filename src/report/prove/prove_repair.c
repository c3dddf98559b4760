/* prove_repair.c -- assay prove --repair: changes that provably suffice.
 *
 * SPDX-License-Identifier: MIT */
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
    const char *separator = "";
    buf_printf(out, "{\"by\":\"%s\",\"proved\":%s,\"changes\":[",
               by == REPAIR_BY_LEVELS ? "levels" : "changes",
               r->found ? "true" : "false");
    for (size_t i = 0; r->found && i < r->sites.n; i++) {
        const struct repair_site *s = &r->sites.at[i];
        struct buf text = {0};
        if (!r->chosen[i])
            continue;
        repair_site_show(p, s, &text);
        buf_printf(out, "%s{\"kind\":\"%s\"", separator, kinds[s->kind]);
        if (s->statement)
            buf_printf(out, ",\"line\":%u", s->statement->line);
        buf_text(out, ",\"text\":");
        buf_json(out, text.at, text.n);
        buf_char(out, '}');
        buf_free(&text);
        separator = ",";
    }
    buf_text(out, "]}");
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
        buf_text(out, ",\"repairs\":[],\"repairs_reason\":");
        buf_json(out, why.at, why.n);
    } else {
        buf_printf(out, "  No changes are proved to suffice: %s\n", why.at);
    }
    buf_free(&why);
}

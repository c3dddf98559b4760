/* cmd_lint.c -- assay lint: mistakes of a recorder.
 *
 * SPDX-License-Identifier: MIT */
#include "base/json.h"
#include "base/limits/context.h"
#include "cli/cli.h"
#include "history/lint.h"

static void
show_text(struct buf *out, const char *path, const struct lint *l)
{
    for (size_t i = 0; i < l->findings.n; i++) {
        const struct lint_finding *f = &l->findings.at[i];
        const struct lint_rule *rule = &lint_rules[f->kind];
        buf_shown(out, path);
        buf_printf(out, ": %s: %s: %s\n", rule->is_mistake ? "mistake" : "weak",
                   rule->name, f->text.at);
        for (size_t e = 0; e < LINT_EXAMPLES && f->examples[e].n; e++)
            buf_printf(out, "    %s\n", f->examples[e].at);
        buf_printf(out, "  %s\n", rule->advice);
    }
    if (!l->findings.n) {
        buf_shown(out, path);
        buf_text(out, ": no trace of a mistake in the recording\n");
    }
}

static void
show_finding(struct buf *out, const struct lint_finding *f)
{
    const struct lint_rule *rule = &lint_rules[f->kind];
    json_object(out, NULL);
    json_text(out, "rule", rule->name);
    json_bool(out, "mistake", rule->is_mistake);
    json_u64(out, "count", f->n);
    if (f->table.n)
        json_bytes(out, "table", f->table.at, f->table.n);
    json_bytes(out, "text", f->text.at, f->text.n);
    json_array(out, "examples");
    for (size_t e = 0; e < LINT_EXAMPLES && f->examples[e].n; e++)
        json_bytes(out, NULL, f->examples[e].at, f->examples[e].n);
    json_array_end(out);
    json_text(out, "advice", rule->advice);
    json_object_end(out);
}

static void
show_json(struct buf *out, const char *path, const struct lint *l)
{
    json_object(out, NULL);
    json_text(out, "history", path);
    json_array(out, "findings");
    for (size_t i = 0; i < l->findings.n; i++)
        show_finding(out, &l->findings.at[i]);
    json_array_end(out);
    json_end_line(out);
}

static bool
has_mistake(const struct lint *l)
{
    for (size_t i = 0; i < l->findings.n; i++)
        if (lint_rules[l->findings.at[i].kind].is_mistake)
            return true;
    return false;
}

int
cmd_lint(const struct options *o)
{
    if (!o->paths.n)
        return cli_usage_error("lint needs a history");
    int status = EXIT_HOLDS;
    struct buf out = {0};
    for (size_t i = 0; i < o->paths.n; i++) {
        struct history h;
        const struct format *format;
        struct lint lint;
        if (!cli_load(o, o->paths.at[i], &h, &format)) {
            status = EXIT_ERROR;
            continue;
        }
        context_phase("linting");
        lint_history(&h, &lint);
        (o->json ? show_json : show_text)(&out, o->paths.at[i], &lint);
        if (has_mistake(&lint))
            status = cli_exit_worse(status, EXIT_VIOLATED);
        o->json ? cli_emit(&out) : cli_emit_text(&out);
        lint_free(&lint);
        history_free(&h);
    }
    buf_free(&out);
    return status;
}

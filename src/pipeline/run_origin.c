/* run_origin.c -- see run_origin.h.
 *
 * SPDX-License-Identifier: MIT */
#include "pipeline/run_origin.h"

#include <assert.h>
#include <string.h>

enum { EXIT_NOT_RUN = 2 };

static const char *
text_of(const struct buf *b)
{
    return b->n ? b->at : "";
}

/* "PostgreSQL 15.18" of "PostgreSQL 15.18 (Debian), 1 node". */
static void
add_name(const char *note, struct buf *out)
{
    size_t n = strcspn(note, ",(");
    while (n && note[n - 1] == ' ')
        n--;
    buf_add(out, note, n);
}

/* What was requested; of a mix all, separated by commas. */
static void
add_isolation(const struct test_run_options *o, struct buf *out)
{
    for (size_t i = 0; i < o->mix.n; i++)
        buf_printf(out, "%s%s", i ? ", " : "",
                   driver_isolation_names[o->mix.at[i]]);
    if (!o->mix.n)
        buf_text(out, driver_isolation_names[o->isolation]);
}

/* SQL for the sessions; of several texts all, separated by bars. */
static void
add_setups(const struct session_setups *s, struct buf *out)
{
    for (size_t i = 0; i < s->n; i++)
        buf_printf(out, "%s%s", i ? " | " : "", s->at[i]);
}

/* Whether refused statements make the run worthless: most transactions failed
 * so, nothing was written, or a kind of statement never succeeded. */
static bool
does_not_run(const struct collect_stats *s, uint64_t refused)
{
    const uint64_t all = s->committed + s->aborted + s->unknown;
    bool is_never = false;
    for (int i = 0; i < STEP_KINDS; i++)
        is_never |= s->steps_refused[i] && !s->steps_done[i];
    return is_never || !s->writers || 2 * refused >= all;
}

static bool
is_finding(const struct test_run *t, enum server_error error)
{
    const uint64_t n = t->stats.findings.at[error].n;
    if (!n || !server_findings[error].name)
        return false;
    if (error == SERVER_ERROR_CRASH || error == SERVER_ERROR_VANISHED)
        return !t->faults.n; // else it may be ours
    return server_findings[error].status != EXIT_NOT_RUN ||
           does_not_run(&t->stats, n);
}

/* Those that end the run with the highest status are last in the table, and
 * come first here: a crash explains refused statements. */
static size_t
fill_findings(const struct test_run *t, struct report_finding *out)
{
    size_t n = 0;
    for (int e = SERVER_ERRORS - 1; e >= 0; e--) {
        const struct run_finding *f = &t->stats.findings.at[e];
        if (is_finding(t, (enum server_error)e))
            out[n++] = (struct report_finding){server_findings[e].name,
                                               server_findings[e].advice,
                                               server_findings[e].status,
                                               f->n,
                                               f->code,
                                               f->message,
                                               f->statement};
    }
    return n;
}

int
run_origin_status(const struct run_origin *r)
{
    return r->origin.n_findings ? r->origin.findings[0].status : 0;
}

void
run_origin_fill(const struct test_run *t, const char *workload,
                struct run_origin *out)
{
    const struct collect_stats *s = &t->stats;
    const struct workload_shape *shape = &t->options.collect.shape;
    const bool is_store = strncmp(t->target, "store:", 6) == 0;
    *out = (struct run_origin){0};
    assert(s->n_failures <= COLLECT_CODES);
    add_isolation(&t->options, &out->isolation);
    add_setups(&t->options.setups, &out->setup);
    if (is_store || !*t->note)
        buf_text(&out->database, t->name);
    else
        add_name(t->note, &out->database);
    for (size_t i = 0; i < s->n_failures; i++)
        out->failures[i] =
            (struct report_failure){.is_unknown = s->failures[i].is_unknown,
                                    .code = s->failures[i].code,
                                    .message = s->failures[i].message,
                                    .n = s->failures[i].n};
    for (size_t i = 0; i < t->nemesis.statements.n; i++) {
        const struct nemesis_statement *n = &t->nemesis.statements.at[i];
        vec_push(&out->nemesis,
                 ((struct report_nemesis){.statement = t->options.nemesis[i],
                                          .runs = n->runs,
                                          .failures = n->failures,
                                          .times = n->times.at,
                                          .n_times = n->times.n,
                                          .message = n->message}));
    }
    out->origin = (struct report_origin){
        .database = text_of(&out->database),
        .note = t->note,
        .isolation = is_store ? "" : text_of(&out->isolation),
        // Each session of a mix reads back its own.
        .isolation_found = t->options.mix.n ? "" : text_of(&t->facts.isolation),
        .settings = text_of(&t->facts.settings),
        .setup = text_of(&out->setup),
        .workload = workload,
        .nodes = t->nodes,
        .sessions = shape->sessions,
        .keys = shape->kind ? workload_keys(shape) : shape->keys,
        .seed = shape->seed,
        .seconds = s->seconds,
        .committed = s->committed,
        .aborted = s->aborted,
        .unknown = s->unknown,
        .operations = s->operations,
        .writes = s->writes,
        .reconnects = s->reconnects,
        .failures = out->failures,
        .n_failures = s->n_failures,
        .faults = t->inflicted.at,
        .n_faults = t->inflicted.n,
        .nemesis = out->nemesis.at,
        .n_nemesis = out->nemesis.n,
        .findings = out->findings,
        .n_findings = fill_findings(t, out->findings)};
}

void
run_origin_free(struct run_origin *r)
{
    buf_free(&r->database);
    buf_free(&r->isolation);
    buf_free(&r->setup);
    vec_free(&r->nemesis);
}

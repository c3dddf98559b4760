/* tally.c -- see tally.h.
 *
 * SPDX-License-Identifier: MIT */
#include "campaign/tally.h"

#include "base/command_line.h"
#include "base/container/hash.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

const char *const tally_verdicts[TALLY_VERDICTS] = {
    "held", "violated", "unknown", "refused", "late"};

static const char *
copy(struct tally *t, const char *text)
{
    return arena_copy(&t->arena, text, strlen(text));
}

/* A name from outside, as it may be shown. */
static const char *
copy_shown(struct tally *t, const char *text)
{
    struct buf hidden = {0}, shown = {0};
    command_line_hide(text, &hidden);
    buf_shown(&shown, hidden.n ? hidden.at : "");
    const char *at = copy(t, shown.n ? shown.at : "");
    buf_free(&hidden);
    buf_free(&shown);
    return at;
}

/* --- words of a run --------------------------------------------------------*/

/* The value of an option among the words; NULL if it is not there. */
static const char *
option_of(const struct run_outcome *o, const char *name)
{
    const size_t n = strlen(name);
    for (size_t i = 0; i < o->command.n; i++) {
        const char *word = o->command.at[i];
        if (strncmp(word, "--", 2) != 0 || strncmp(word + 2, name, n) != 0)
            continue;
        if (word[2 + n] == '=')
            return word + 3 + n;
        if (!word[2 + n] && i + 1 < o->command.n)
            return o->command.at[i + 1];
    }
    return NULL;
}

/* The target with what decides what it promises. */
static const char *
name_target(struct tally *t, const struct run_outcome *o)
{
    static const char *const promises[] = {"isolation", "setup"};
    const char *start = option_of(o, "start");
    struct buf name = {0};
    if (start)
        buf_printf(&name, "start=%s", start);
    else if (o->command.n && o->command.at[0][0] != '-')
        buf_text(&name, o->command.at[0]); // the plan puts it there
    else
        buf_text(&name, "sqlite:");
    for (size_t i = 0; i < sizeof promises / sizeof *promises; i++) {
        const char *value = option_of(o, promises[i]);
        if (value)
            buf_printf(&name, " %s=%s", promises[i], value);
    }
    const char *shown = copy_shown(t, name.at);
    buf_free(&name);
    return shown;
}

/* The command line, for a shell. */
static const char *
name_command(struct tally *t, const struct run_outcome *o)
{
    struct buf line = {0};
    buf_text(&line, "assay test");
    for (size_t i = 0; i < o->command.n; i++) {
        buf_char(&line, ' ');
        command_line_put(o->command.at[i], &line);
    }
    const char *text = copy(t, line.at);
    buf_free(&line);
    return text;
}

/* --- adding up -------------------------------------------------------------*/

static struct tally_cell *
find_cell(struct tally *t, const char *target, const char *level,
          const char *workload)
{
    for (size_t i = 0; i < t->cells.n; i++) {
        struct tally_cell *c = &t->cells.at[i];
        if (strcmp(c->target, target) == 0 && strcmp(c->level, level) == 0 &&
            strcmp(c->workload, workload) == 0)
            return c;
    }
    const struct tally_cell new = {
        .target = target, .level = level, .workload = workload};
    vec_push(&t->cells, new);
    return &vec_top(&t->cells);
}

static int
verdict_of(const struct run_outcome *o)
{
    for (int i = 0; i < TALLY_VERDICTS; i++)
        if (strcmp(o->verdict, tally_verdicts[i]) == 0)
            return i;
    return TALLY_REFUSED;
}

/* Take this run as the example of the finding. */
static void
take_example(struct tally *t, struct tally_finding *to,
             const struct campaign_finding *f, size_t run,
             const struct run_outcome *o)
{
    to->run = run;
    to->command = name_command(t, o);
    to->kept = copy(t, o->kept);
    to->smallest = (struct campaign_finding){.level = to->level,
                                             .kind = copy(t, f->kind),
                                             .tables = copy(t, f->tables),
                                             .shape = copy(t, f->shape),
                                             .title = copy(t, f->title),
                                             .text = copy(t, f->text),
                                             .transactions = f->transactions};
}

static void
add_finding(struct tally *t, const char *target, const char *level,
            const struct campaign_finding *f, size_t run,
            const struct run_outcome *o)
{
    struct buf signature = {0};
    struct tally_finding *to = NULL;
    outcome_signature(f, &signature);
    for (size_t i = 0; i < t->findings.n && !to; i++) {
        struct tally_finding *known = &t->findings.at[i];
        if (strcmp(known->signature, signature.at) == 0 &&
            strcmp(known->target, target) == 0 &&
            strcmp(known->level, level) == 0)
            to = known;
    }
    if (!to) {
        const struct tally_finding new = {.target = target,
                                          .level = level,
                                          .signature = copy(t, signature.at)};
        vec_push(&t->findings, new);
        to = &vec_top(&t->findings);
    }
    to->runs++;
    // Runs come in order: of several smallest ones the first stays.
    if (to->runs == 1 || f->transactions < to->smallest.transactions)
        take_example(t, to, f, run, o);
    buf_free(&signature);
}

static void
add_lead(struct tally *t, const char *message, size_t run,
         const struct run_outcome *o)
{
    struct buf plain = {0};
    outcome_plain(message, &plain);
    const char *text = plain.n ? plain.at : "";
    size_t i = 0;
    while (i < t->leads.n && strcmp(t->leads.at[i].text, text) != 0)
        i++;
    if (i == t->leads.n) {
        const struct tally_lead new = {.text = copy(t, text),
                                       .example = copy(t, message),
                                       .run = run,
                                       .command = name_command(t, o)};
        vec_push(&t->leads, new);
    }
    t->leads.at[i].runs++;
    buf_free(&plain);
}

/* Each message counts once a run. */
static bool
is_repeated(const struct run_outcome *o, size_t lead)
{
    for (size_t i = 0; i < lead; i++)
        if (strcmp(o->leads.at[i], o->leads.at[lead]) == 0)
            return true;
    return false;
}

/* Add a run to the cell of a level. */
static void
add_to_cell(struct tally *t, const struct run_outcome *o, const char *target,
            const char *level, const char *workload, int verdict)
{
    struct tally_cell *cell = find_cell(t, target, level, workload);
    cell->runs[verdict]++;
    cell->committed += o->committed;
    cell->pairs += o->pairs;
    cell->conflicts += o->conflicts;
    cell->seconds += o->seconds;
}

/* A run that checked several levels is in the cells of all of them. */
static void
add_to_cells(struct tally *t, const struct run_outcome *o, const char *target,
             const char *level, int verdict)
{
    const char *workload = option_of(o, "workload");
    const char *spec = option_of(o, "spec");
    workload = spec ? spec : workload ? workload : "mixed";
    workload = copy_shown(t, workload);
    if (o->levels.n < 2)
        add_to_cell(t, o, target, level, workload, verdict);
    for (size_t i = 0; o->levels.n > 1 && i < o->levels.n; i++) {
        const char *is = o->levels.at[i].verdict;
        add_to_cell(t, o, target, copy_shown(t, o->levels.at[i].level),
                    workload,
                    strcmp(is, "ok") == 0         ? TALLY_HELD
                    : strcmp(is, "violated") == 0 ? TALLY_VIOLATED
                                                  : TALLY_UNKNOWN);
    }
}

static void
add_outcome(struct tally *t, size_t run, const struct run_outcome *o)
{
    const char *option = option_of(o, "level");
    const char *target = name_target(t, o);
    const char *level = copy_shown(t, option ? option : "ser");
    const int verdict = verdict_of(o);
    add_to_cells(t, o, target, level, verdict);
    t->runs[verdict]++;
    t->committed += o->committed;
    t->pairs += o->pairs;
    t->repeated += o->claim > 1;
    t->done++;
    for (size_t i = 0; i < o->findings.n; i++) {
        const struct campaign_finding *f = &o->findings.at[i];
        const bool has_own = o->levels.n > 1 && *f->level;
        add_finding(t, target, has_own ? copy_shown(t, f->level) : level, f,
                    run, o);
    }
    for (size_t i = 0; i < o->leads.n; i++)
        if (!is_repeated(o, i))
            add_lead(t, o->leads.at[i], run, o);
    if (verdict == TALLY_UNKNOWN && !o->leads.n)
        add_lead(t, o->message, run, o);
}

/* --- order -----------------------------------------------------------------*/

static int
compare_cells(const void *a, const void *b)
{
    const struct tally_cell *x = a, *y = b;
    int c = strcmp(x->target, y->target);
    c = c ? c : strcmp(x->level, y->level);
    return c ? c : strcmp(x->workload, y->workload);
}

static int
compare_numbers(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

/* New ones, then those that are easy to understand, then the frequent ones. */
static int
compare_findings(const void *a, const void *b)
{
    const struct tally_finding *x = a, *y = b;
    int c = (x->known != NULL) - (y->known != NULL);
    c = c ? c
          : compare_numbers(x->smallest.transactions, y->smallest.transactions);
    c = c ? c : compare_numbers(y->runs, x->runs);
    c = c ? c : strcmp(x->target, y->target);
    c = c ? c : strcmp(x->level, y->level);
    return c ? c : strcmp(x->signature, y->signature);
}

static int
compare_leads(const void *a, const void *b)
{
    const struct tally_lead *x = a, *y = b;
    const int c = compare_numbers(y->runs, x->runs);
    return c ? c : strcmp(x->text, y->text);
}

/* --- the whole -------------------------------------------------------------*/

/* The script that a worker found (worker.c), or "". */
static const char *
find_script(struct tally *t, const struct directory *d, const char *signature)
{
    struct buf name = {0}, text = {0};
    buf_printf(&name, "%s/scripts/%016" PRIx64, d->path,
               hash_bytes(signature, strlen(signature)));
    const bool is_there = directory_read(name.at, &text) && text.n;
    const char *script = is_there ? copy(t, text.at) : "";
    buf_free(&name);
    buf_free(&text);
    return script;
}

static void
complete_finding(struct tally *t, const struct directory *d,
                 const struct known *known, struct tally_finding *f)
{
    const char *reason = known_reason(known, f->target, f->level, &f->smallest);
    for (size_t i = 0; i < t->cells.n; i++) {
        const struct tally_cell *c = &t->cells.at[i];
        if (strcmp(c->target, f->target) == 0 &&
            strcmp(c->level, f->level) == 0)
            f->of += c->runs[TALLY_HELD] + c->runs[TALLY_VIOLATED] +
                     c->runs[TALLY_UNKNOWN];
    }
    f->known = reason ? copy(t, reason) : NULL;
    f->script = find_script(t, d, f->signature);
    t->new_findings += !f->known;
}

/* Known findings of the user's about what was tested here, which no run
 * showed. */
static void
find_unseen(struct tally *t, const struct known *known)
{
    for (size_t i = known->stock; i < known->rows.n; i++) {
        const struct known_finding *k = &known->rows.at[i];
        bool is_here = false, is_seen = false;
        for (size_t c = 0; !is_here && c < t->cells.n; c++)
            is_here =
                known_is_about(k, t->cells.at[c].target, t->cells.at[c].level);
        for (size_t f = 0; !is_seen && f < t->findings.n; f++)
            is_seen = known_matches(k, t->findings.at[f].target,
                                    t->findings.at[f].level,
                                    &t->findings.at[f].smallest);
        if (!is_here || is_seen)
            continue;
        struct buf line = {0};
        known_put(k, &line);
        vec_push(&t->unseen, copy(t, line.at));
        buf_free(&line);
    }
}

void
tally_read(const struct directory *d, const struct known *known,
           struct tally *out)
{
    struct buf name = {0}, text = {0};
    *out = (struct tally){.planned = directory_runs(d)};
    for (size_t run = 1; run <= out->planned; run++) {
        struct run_outcome o;
        directory_name(d, "results", run, 0, &name);
        if (!directory_read(name.at, &text))
            continue;
        if (outcome_read(text.n ? text.at : "", text.n, &o))
            add_outcome(out, run, &o);
        else
            out->unreadable++;
        outcome_free(&o);
    }
    for (size_t i = 0; i < out->findings.n; i++)
        complete_finding(out, d, known, &out->findings.at[i]);
    find_unseen(out, known);
    if (out->cells.n)
        qsort(out->cells.at, out->cells.n, sizeof *out->cells.at,
              compare_cells);
    if (out->findings.n)
        qsort(out->findings.at, out->findings.n, sizeof *out->findings.at,
              compare_findings);
    if (out->leads.n)
        qsort(out->leads.at, out->leads.n, sizeof *out->leads.at,
              compare_leads);
    buf_free(&name);
    buf_free(&text);
    assert(out->done <= out->planned);
}

void
tally_free(struct tally *t)
{
    vec_free(&t->cells);
    vec_free(&t->findings);
    vec_free(&t->leads);
    vec_free(&t->unseen);
    arena_free(&t->arena);
}

bool
tally_is_untested(const struct tally_cell *c)
{
    return !c->runs[TALLY_HELD] && !c->runs[TALLY_VIOLATED] &&
           !c->runs[TALLY_UNKNOWN];
}

int
tally_status(const struct tally *t)
{
    bool is_open =
        t->done < t->planned || t->runs[TALLY_UNKNOWN] || t->runs[TALLY_LATE];
    for (size_t i = 0; i < t->cells.n; i++)
        is_open |= tally_is_untested(&t->cells.at[i]);
    if (t->new_findings)
        return 1;
    if (t->done && t->runs[TALLY_REFUSED] == t->done)
        return 2;
    return is_open ? 3 : 0;
}

void
tally_interval(uint64_t k, uint64_t n, double *low, double *high)
{
    const double z = 1.959964; // 97.5 % of the normal distribution
    assert(k <= n);
    *low = 0;
    *high = 1;
    if (!n)
        return;
    const double p = (double)k / (double)n, m = (double)n;
    const double centre = p + z * z / (2 * m);
    const double spread = z * sqrt(p * (1 - p) / m + z * z / (4 * m * m));
    const double scale = 1 + z * z / m;
    *low = k ? (centre - spread) / scale : 0;
    *high = k < n ? (centre + spread) / scale : 1;
}

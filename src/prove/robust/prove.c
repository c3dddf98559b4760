/* prove.c -- see prove.h.
 *
 * SPDX-License-Identifier: MIT */
#include "prove/robust/prove.h"

#include "prove/program/assumptions.h"
#include "prove/robust/anomaly/story.h"
#include "prove/robust/proof/proof.h"

#include <stdio.h>
#include <string.h>

/* The cycle that was not excluded, and a loop that may be the reason. */
static void
say_cycle(const struct program *p, const struct robust_proof *proof,
          const char *name, char *out, size_t room)
{
    int n = snprintf(
        out, room, "a cycle of %s, %s%s%s%s is not excluded", name,
        p->functions.at[proof->x]->name, proof->end == PROOF_LONG ? " .. " : "",
        proof->y == UINT32_MAX || proof->end == PROOF_LONG ? "" : ", ",
        proof->y == UINT32_MAX ? "" : p->functions.at[proof->y]->name);
    if (proof->what && n > 0 && (size_t)n < room)
        snprintf(out + n, room - (size_t)n,
                 " (%s runs line %u any number of times)", proof->what,
                 proof->line);
}

/* Why there is no proof. */
static void
say_why(const struct program *p, const struct robust_proof *proof, char *out,
        size_t room)
{
    const char *const name = p->functions.n && proof->p < p->functions.n
                                 ? p->functions.at[proof->p]->name
                                 : "";
    if (proof->end == PROOF_UNABLE && !proof->line)
        snprintf(out, room, "there are no proofs for this level");
    else if (proof->end == PROOF_UNABLE)
        snprintf(out, room, "%s has %s in line %u, which proofs do not handle",
                 name, proof->what, proof->line);
    else
        say_cycle(p, proof, name, out, room);
}

static void
say_unknown(const struct program *p, const struct robust_proof *proof,
            struct prove_result *out, const struct search_limits *limits)
{
    const struct finding *f = &out->finding;
    char why[300];
    out->verdict = PROVE_UNKNOWN;
    say_why(p, proof, why, sizeof why);
    if (limit_reached(&limits->all))
        snprintf(out->reason, sizeof out->reason,
                 "a limit was reached after %u sequences", f->sequences);
    else if (f->kind == FINDING_UNKNOWN)
        snprintf(out->reason, sizeof out->reason,
                 "%s; the solver gave up on %u of %u sequences", why,
                 f->gave_up, f->sequences);
    else
        snprintf(
            out->reason, sizeof out->reason,
            "%s; no anomaly found among %u transactions and %u rows a table",
            why, limits->members, limits->slots);
}

/* A proof is about all functions; without those that are not understood it is
 * none.  An anomaly of the others is one all the same. */
static void
say_refused(const struct program *p, struct prove_result *out)
{
    const struct function_refusal *r = &p->refused.at[0];
    struct buf text = {0};
    buf_printf(&text, "function %s is not understood", r->function);
    if (p->refused.n > 1)
        buf_printf(&text, " (and %zu more)", p->refused.n - 1);
    buf_printf(&text, ": line %u: %s; %s", r->line, r->reason,
               out->verdict == PROVE_PROVED ? "the other functions are proved"
                                            : out->reason);
    snprintf(out->reason, sizeof out->reason, "%s", text.at);
    buf_free(&text);
    out->verdict = PROVE_UNKNOWN;
}

/* Put the special values that the proof does not cover into the result. */
static void
say_assumptions(const struct program *p, struct prove_result *out)
{
    struct buf text = {0};
    program_assumptions(p, &text);
    assert(text.n < sizeof out->assumes);
    if (text.n)
        memcpy(out->assumes, text.at, text.n + 1);
    buf_free(&text);
}

/* Look first where the proof got stuck. */
static bool
search_candidate(const struct anomaly_search *search,
                 const struct robust_proof *proof, struct finding *out,
                 struct err *err)
{
    const struct program *p = search->program;
    const enum shape shape = isolation_shape(search->isolation, proof->p);
    const struct function *functions[3];
    const bool three = proof->y != UINT32_MAX;
    const uint32_t n = three ? 3 : 2;
    const uint32_t others = shape == SHAPE_INTERRUPTED ? 1 : 0;
    if (n > search->limits->members)
        return true;
    functions[others ? 0 : n - 1] = p->functions.at[proof->p];
    functions[others] = p->functions.at[proof->x];
    if (three)
        functions[others + 1] = p->functions.at[proof->y];
    return search_sequence(search, shape, functions, n, 2, out, err);
}

/* Whether it is enough to look at one function that is delayed or interrupted.
 */
static bool
has_delay(const struct program *p, const struct level_choice *isolation)
{
    for (uint32_t i = 0; i < p->functions.n; i++)
        if (isolation_shape(isolation, i) == SHAPE_VISIBLE)
            return false;
    return true;
}

static bool
is_serializable(const struct level_choice *i)
{
    return !i->own && level_is_serial(isolation_of(i, 0)) &&
           !isolation_is_mixed(i);
}

bool
prove_level(const struct program *p, const struct level_choice *isolation,
            const struct search_limits *limits, struct prove_result *out,
            struct err *err)
{
    const double start = time_now();
    const struct anomaly_search search = {p, isolation, limits, NULL};
    memset(out, 0, sizeof *out);
    bool ok = true;
    struct robust_proof proof = {.end = PROOF_UNABLE};
    ok = proof_check_invariants(p, limits, err);
    if (ok && !is_serializable(isolation) && !isolation->innodb)
        ok = (has_delay(p, isolation) ? proof_try : proof_try_paths)(
            p, isolation, limits, &proof, err);
    out->proof_queries = proof.queries;
    if (ok && (is_serializable(isolation) || proof.end == PROOF_DONE))
        out->verdict = PROVE_PROVED;
    if (ok && proof.end == PROOF_DONE)
        say_assumptions(p, out);
    limit_phase("searching");
    if (ok && proof.end == PROOF_CANDIDATE && has_delay(p, isolation))
        ok = search_candidate(&search, &proof, &out->finding, err);
    if (ok && out->verdict != PROVE_PROVED) {
        if (out->finding.kind != FINDING_ANOMALY)
            ok = search_all(p, isolation, limits, &out->finding, err);
        if (ok && out->finding.kind == FINDING_ANOMALY)
            out->verdict = PROVE_ANOMALY;
        else
            say_unknown(p, &proof, out, limits);
    }
    if (ok && p->refused.n && out->verdict != PROVE_ANOMALY &&
        !is_serializable(isolation))
        say_refused(p, out);
    out->seconds = time_now() - start;
    assert(ok || out->verdict != PROVE_PROVED);
    assert((out->verdict == PROVE_ANOMALY) ==
           (ok && out->finding.kind == FINDING_ANOMALY));
    assert(!ok || out->verdict != PROVE_UNKNOWN || out->reason[0]);
    return ok;
}

/* Drop anomalies that another tells as well. */
static void
keep_distinct(struct findings *each)
{
    size_t n = 0;
    struct story *stories = mem_calloc(each->all.n + 1, sizeof *stories);
    for (size_t i = 0; i < each->all.n; i++) {
        bool is_new = true;
        story_init(&stories[n], each->all.at[i]);
        for (size_t j = 0; is_new && j < n; j++)
            is_new = !story_same(&stories[j], &stories[n]);
        if (is_new) {
            each->all.at[n++] = each->all.at[i];
            continue;
        }
        story_free(&stories[n]);
        finding_free(each->all.at[i]);
        mem_free(each->all.at[i]);
    }
    for (size_t i = 0; i < n; i++)
        story_free(&stories[i]);
    each->all.n = n;
    mem_free(stories);
}

bool
prove_each(const struct program *p, const struct level_choice *isolation,
           const struct search_limits *limits, struct findings *each,
           struct prove_result *out, struct err *err)
{
    const double start = time_now();
    memset(out, 0, sizeof *out);
    bool ok = proof_check_invariants(p, limits, err) &&
              search_each(p, isolation, limits, each, &out->finding, err);
    keep_distinct(each);
    out->verdict = each->all.n ? PROVE_ANOMALY : PROVE_UNKNOWN;
    for (size_t i = 0; i < each->all.n; i++)
        assert(each->all.at[i]->kind == FINDING_ANOMALY);
    out->seconds = time_now() - start;
    return ok;
}

/* The functions of a list of names. */
static bool
find_functions(const struct program *p, const char *names,
               const struct function **out, uint32_t *n, struct err *err)
{
    *n = 0;
    for (const char *at = names;; at++) {
        const size_t len = strcspn(at, ",");
        char name[200], quoted[ERR_QUOTE_ROOM];
        snprintf(name, sizeof name, "%.*s", (int)len, at);
        const uint32_t f = program_find_function(p, name);
        if (f == UINT32_MAX)
            return err_set(err, ERR_USAGE, "'%s' is no function of the program",
                           err_quote(quoted, sizeof quoted, at, len));
        if (*n == INTERLEAVING_MOST)
            return err_set(err, ERR_USAGE, "more than %d functions",
                           INTERLEAVING_MOST);
        out[(*n)++] = p->functions.at[f];
        at += len;
        if (!*at)
            break;
    }
    return *n >= 2 || err_set(err, ERR_USAGE,
                              "a sequence of one function, expected two or "
                              "more");
}

bool
prove_sequence(const struct program *p, const struct level_choice *isolation,
               const char *names, const struct search_limits *limits,
               struct prove_result *out, struct err *err)
{
    const double start = time_now();
    const struct anomaly_search search = {p, isolation, limits, NULL};
    const struct function *functions[INTERLEAVING_MOST];
    uint32_t n;
    memset(out, 0, sizeof *out);
    if (!find_functions(p, names, functions, &n, err))
        return false;
    if (is_serializable(isolation)) {
        out->verdict = PROVE_PROVED;
        return true;
    }
    bool ok = proof_check_invariants(p, limits, err);
    const enum shape first =
        isolation_shape(isolation, program_number(p, functions[0]));
    const enum shape last =
        isolation_shape(isolation, program_number(p, functions[n - 1]));
    for (uint32_t slots = 2; ok && slots <= limits->slots; slots++) {
        if (first == SHAPE_INTERRUPTED)
            ok = search_sequence(&search, first, functions, n, slots,
                                 &out->finding, err);
        if (out->finding.kind == FINDING_ANOMALY)
            break;
        if (ok && last != SHAPE_INTERRUPTED)
            ok = search_sequence(&search, last, functions, n, slots,
                                 &out->finding, err);
        if (out->finding.kind == FINDING_ANOMALY)
            break;
    }
    out->verdict =
        out->finding.kind == FINDING_ANOMALY ? PROVE_ANOMALY : PROVE_UNKNOWN;
    if (out->finding.gave_up)
        snprintf(out->reason, sizeof out->reason,
                 "the solver gave up on this sequence");
    else
        snprintf(out->reason, sizeof out->reason,
                 "no anomaly of this sequence with %u rows a table",
                 limits->slots);
    assert(out->verdict == PROVE_ANOMALY || out->reason[0]);
    out->seconds = time_now() - start;
    return ok;
}

void
prove_free(struct prove_result *r)
{
    finding_free(&r->finding);
}

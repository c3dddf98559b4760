/* prove.c -- see prove.h.
 *
 * SPDX-License-Identifier: MIT */
#include "robust/prove.h"

#include "robust/proof.h"

#include <stdio.h>
#include <string.h>

/* Why there is no proof. */
static void
say_why(const struct program *p, const struct proof *proof, char *out,
        size_t room)
{
    const char *const name = p->functions.n && proof->p < p->functions.n
                                 ? p->functions.at[proof->p]->name
                                 : "";
    if (proof->end == PROOF_UNABLE && proof->line)
        snprintf(out, room, "%s has %s in line %u, which proofs do not handle",
                 name, proof->what, proof->line);
    else if (proof->end == PROOF_UNABLE)
        snprintf(out, room, "there are no proofs for this level");
    else
        snprintf(out, room, "a cycle of %s, %s%s%s%s is not excluded", name,
                 p->functions.at[proof->x]->name,
                 proof->end == PROOF_LONG ? " .. " : "",
                 proof->y == UINT32_MAX || proof->end == PROOF_LONG ? "" : ", ",
                 proof->y == UINT32_MAX ? "" : p->functions.at[proof->y]->name);
}

static void
say_unknown(const struct program *p, const struct proof *proof,
            struct prove_result *out, const struct search_limits *limits)
{
    const struct finding *f = &out->finding;
    char why[200];
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
        snprintf(out->reason, sizeof out->reason,
                 "%s; no anomaly among %u transactions and %u rows a table",
                 why, limits->members, limits->slots);
}

/* Look first where the proof got stuck. */
static bool
search_candidate(const struct program *p, enum level level,
                 const struct proof *proof, const struct search_limits *limits,
                 struct finding *out, struct err *err)
{
    const struct function *functions[3];
    const bool three = proof->y != UINT32_MAX;
    const uint32_t n = three ? 3 : 2, others = level == LEVEL_RC ? 1 : 0;
    if (n > limits->members)
        return true;
    functions[level == LEVEL_RC ? 0 : n - 1] = p->functions.at[proof->p];
    functions[others] = p->functions.at[proof->x];
    if (three)
        functions[others + 1] = p->functions.at[proof->y];
    return search_sequence(p, level, functions, n, 2, limits, out, err);
}

bool
prove_level(const struct program *p, enum level level,
            const struct search_limits *limits, struct prove_result *out,
            struct err *err)
{
    const double start = time_now();
    memset(out, 0, sizeof *out);
    out->level = level;
    bool ok = true;
    struct proof proof = {.end = PROOF_UNABLE};
    ok = proof_check_invariants(p, limits->seconds, err);
    if (ok && (level == LEVEL_SI || level == LEVEL_PC || level == LEVEL_RC))
        ok = proof_try(p, level, limits->seconds, &limits->all, &proof, err);
    out->proof_queries = proof.queries;
    if (ok && proof.end == PROOF_CANDIDATE)
        ok = search_candidate(p, level, &proof, limits, &out->finding, err);
    if (ok && level != LEVEL_SER && proof.end != PROOF_DONE) {
        if (out->finding.kind != FINDING_ANOMALY)
            ok = search_all(p, level, limits, &out->finding, err);
        if (ok && out->finding.kind == FINDING_ANOMALY)
            out->verdict = PROVE_ANOMALY;
        else
            say_unknown(p, &proof, out, limits);
    }
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
prove_sequence(const struct program *p, enum level level, const char *names,
               const struct search_limits *limits, struct prove_result *out,
               struct err *err)
{
    const double start = time_now();
    const struct function *functions[INTERLEAVING_MOST];
    uint32_t n;
    memset(out, 0, sizeof *out);
    out->level = level;
    if (!find_functions(p, names, functions, &n, err))
        return false;
    if (level == LEVEL_SER)
        return true;
    bool ok = proof_check_invariants(p, limits->seconds, err);
    for (uint32_t slots = 2;
         ok && out->finding.kind != FINDING_ANOMALY && slots <= limits->slots;
         slots++)
        ok = search_sequence(p, level, functions, n, slots, limits,
                             &out->finding, err);
    out->verdict =
        out->finding.kind == FINDING_ANOMALY ? PROVE_ANOMALY : PROVE_UNKNOWN;
    snprintf(out->reason, sizeof out->reason,
             "no anomaly of this sequence with %u rows a table", limits->slots);
    out->seconds = time_now() - start;
    return ok;
}

void
prove_free(struct prove_result *r)
{
    finding_free(&r->finding);
}

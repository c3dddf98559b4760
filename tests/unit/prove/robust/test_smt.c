/* test_smt.c -- the queries of a proof, read back by a solver that knows
 * nothing but their text.
 *
 * SPDX-License-Identifier: MIT */
#include "test.h"

#include "base/library.h"
#include "prove/program/read.h"
#include "prove/robust/prove.h"

#include <stdlib.h>
#include <z3.h>

// clang-format off
#define CALLS(F) F(Z3_mk_config) F(Z3_del_config) F(Z3_mk_context) \
    F(Z3_del_context) F(Z3_eval_smtlib2_string)
// clang-format on
static struct {
    CALLS(LIBRARY_MEMBER)
} z3;
static const char *const calls[] = {CALLS(LIBRARY_NAME)};

/* What the solver says to a script. */
static void
answer(const char *script, char *out, size_t room)
{
    const Z3_config config = z3.Z3_mk_config();
    const Z3_context context = z3.Z3_mk_context(config);
    z3.Z3_del_config(config);
    snprintf(out, room, "%s", z3.Z3_eval_smtlib2_string(context, script));
    z3.Z3_del_context(context);
}

/* The script without its last assertion, and without what it says the answer
 * is. */
static void
weaken(const struct buf *script, struct buf *out)
{
    static const char status[] = "(set-info :status unsat)\n";
    const char *first = strstr(script->at, status), *last = script->at;
    CHECK(first != NULL);
    first = first ? first + sizeof status - 1 : script->at;
    for (const char *at = script->at; (at = strstr(at, "\n(assert")); at++)
        last = at + 1;
    buf_add(out, first, (size_t)(last - first));
    buf_text(out, "(check-sat)\n");
}

static void
repeat(const char *name, enum level level, size_t least)
{
    const char *root = getenv("SOURCE_ROOT");
    char path[1000];
    struct program p = {0};
    struct err err = {0};
    struct prove_result r;
    struct proof_log log = {{0}};
    const struct level_choice levels = {.common = level};
    const struct search_limits limits = {
        .members = 2, .slots = 2, .seconds = 60, .log = &log};
    size_t weaker = 0;
    snprintf(path, sizeof path, "%s/examples/programs/%s.sql",
             root ? root : ".", name);
    CHECK(program_read(&p, (const char *const[]){path}, 1, &err));
    CHECK(prove_level(&p, &levels, &limits, &r, &err));
    CHECK(r.verdict == PROVE_PROVED);
    CHECK(log.queries.n >= least);
    for (size_t i = 0; i < log.queries.n; i++) {
        char said[200];
        struct buf less = {0};
        answer(log.queries.at[i].at, said, sizeof said);
        CHECK_TEXT(said, "unsat\n");
        weaken(&log.queries.at[i], &less);
        answer(less.at, said, sizeof said);
        weaker += strcmp(said, "sat\n") == 0;
        buf_free(&less);
    }
    printf("# %s at %s: %zu queries, %zu of them sat without the last line\n",
           name, level_table[level].brief, log.queries.n, weaker);
    CHECK(weaker > 0);
    prove_free(&r);
    proof_log_free(&log);
    program_free(&p);
}

static void
queries_of_proofs_can_be_repeated(void)
{
    struct err err = {0};
    CHECK(library_load("libz3.so.4", calls, LIBRARY_LENGTH(calls), &z3, &err));
    repeat("bank", LEVEL_SI, 1);
    repeat("bank", LEVEL_PSI, 2);
    repeat("job_queue", LEVEL_SI, 3);
    repeat("set_value", LEVEL_RC, 3);
}

int
main(void)
{
    RUN(queries_of_proofs_can_be_repeated);
    return test_end();
}

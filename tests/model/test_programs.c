/* test_programs.c -- proofs and searches against trial, on random programs.
 *
 *     test_programs [COUNT [SEED]]
 *
 * makes COUNT random SQL programs from SEED on, and looks at each at si and
 * rc: what is proved has no anomaly among thousands of random executions of
 * two and three transactions, and where the search finds none among two
 * transactions, neither do they.  An anomaly that the search finds needs no
 * test: it has happened.  A failure names its seed.
 *
 * SPDX-License-Identifier: MIT */
#include "brute_programs.h"
#include "range.h"
#include "test.h"

#include "base/buf.h"
#include "program/read.h"
#include "robust/proof.h"
#include "robust/search.h"

static uint64_t first_seed = 1;
static uint64_t programs = 12;
enum { TRIES = 3000 };

static struct {
    uint32_t proved, anomalies, open, mismatches, queries;
} seen[LEVELS];

static const char *
pick(struct random *r, const char *const *all, size_t n)
{
    return all[random_below(r, n)];
}
#define PICK(r, ...)                                                           \
    pick(r, (const char *const[]){__VA_ARGS__},                                \
         sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *))

static void
random_read(struct random *r, struct buf *out)
{
    const char *table = PICK(r, "t", "u");
    switch (random_below(r, 5)) {
    case 0:
    case 1:
        buf_printf(out, "  SELECT v INTO a FROM %s WHERE k = %s%s;\n", table,
                   PICK(r, "p", "p", "q", "1"),
                   PICK(r, "", "", "", " FOR UPDATE", " FOR SHARE"));
        break;
    case 2:
        buf_printf(out, "  SELECT %s INTO a FROM %s WHERE v %s;\n",
                   PICK(r, "count(*)", "sum(v)", "max(v)", "min(k)"), table,
                   PICK(r, "> 0", "= q", "< 2", "<> p"));
        break;
    case 3:
        buf_printf(out,
                   "  SELECT v INTO a FROM %s WHERE v > %s ORDER BY k%s LIMIT "
                   "1%s;\n",
                   table, PICK(r, "0", "p"), PICK(r, "", " DESC"),
                   PICK(r, "", " FOR UPDATE"));
        break;
    default:
        buf_printf(out,
                   "  IF EXISTS (SELECT 1 FROM %s WHERE v = %s) THEN a := 1; "
                   "END IF;\n",
                   table, PICK(r, "q", "a", "1"));
    }
}

static void
random_write(struct random *r, struct buf *out)
{
    const char *table = PICK(r, "t", "u");
    switch (random_below(r, 6)) {
    case 0:
    case 1:
    case 2:
        buf_printf(
            out, "  UPDATE %s SET v = %s WHERE %s;\n", table,
            PICK(r, "v + 1", "coalesce(a, 0)", "coalesce(a, 0) + 1", "q", "0"),
            PICK(r, "k = p", "k = p", "k = q", "v = q", "v > 0",
                 "k = p AND v > 0"));
        break;
    case 3:
        buf_printf(out, "  INSERT INTO %s VALUES (%s, %s)%s;\n", table,
                   PICK(r, "p", "q", "greatest(p, 1)"),
                   PICK(r, "q", "coalesce(a, 1)", "0"),
                   PICK(r, "", " ON CONFLICT (k) DO NOTHING",
                        " ON CONFLICT (k) DO UPDATE SET v = excluded.v"));
        break;
    default:
        buf_printf(out, "  DELETE FROM %s WHERE %s;\n", table,
                   PICK(r, "k = p", "k = q", "v = q", "v > 1"));
    }
}

static void
random_statement(struct random *r, struct buf *out)
{
    const bool guarded = random_below(r, 4) == 0;
    if (guarded)
        buf_printf(out, "  IF %s THEN\n",
                   PICK(r, "a > 0", "a IS NULL", "FOUND", "p < q"));
    if (random_below(r, 2))
        random_write(r, out);
    else
        random_read(r, out);
    if (guarded)
        buf_text(out, "  END IF;\n");
}

static void
random_program(struct random *r, struct buf *out)
{
    buf_printf(out,
               "CREATE TABLE t (k int PRIMARY KEY, v int NOT NULL%s);\n"
               "CREATE TABLE u (k int PRIMARY KEY%s, v int NOT NULL%s);\n",
               PICK(r, "", "", " CHECK (v < 3)", " UNIQUE"),
               PICK(r, "", "", "", " REFERENCES t (k)"),
               PICK(r, "", "", " UNIQUE"));
    const uint64_t n = 1 + random_below(r, 2);
    for (uint64_t f = 0; f < n; f++) {
        buf_printf(out,
                   "CREATE FUNCTION f%d(p int, q int) RETURNS int LANGUAGE "
                   "plpgsql STRICT AS $$\nDECLARE a int;\nBEGIN\n",
                   (int)f);
        const uint64_t statements = 1 + random_below(r, 3);
        for (uint64_t i = 0; i < statements; i++)
            random_statement(r, out);
        buf_printf(out, "  RETURN %s;\nEND $$;\n", PICK(r, "a", "a", "0"));
    }
}

static void
look_at(const struct program *p, enum level level, uint64_t seed,
        struct random *r)
{
    struct err err = {0};
    struct proof proof;
    struct finding finding;
    const struct limit none = {0};
    const struct search_limits limits = {2, 2, 20, none};
    CHECK(proof_try(p, level, 20, &none, &proof, &err));
    CHECK(search_all(p, level, &limits, &finding, &err));
    const uint32_t bad2 = brute_programs(p, level, 2, TRIES, r);
    const uint32_t bad3 = brute_programs(p, level, 3, TRIES, r);
    if (proof.end == PROOF_DONE &&
        (bad2 || bad3 || finding.kind == FINDING_ANOMALY)) {
        CHECK(!"proved, and there is an anomaly");
        printf("# seed %llu, %s: %u and %u anomalies\n",
               (unsigned long long)seed, level_table[level].brief, bad2, bad3);
    }
    if (finding.kind == FINDING_NONE && bad2) {
        CHECK(!"the search missed an anomaly");
        printf("# seed %llu, %s: %u anomalies\n", (unsigned long long)seed,
               level_table[level].brief, bad2);
    }
    seen[level].mismatches += finding.mismatches;
    if (finding.mismatches && programs < 40)
        printf("# seed %llu, %s: %u models did not happen\n",
               (unsigned long long)seed, level_table[level].brief,
               finding.mismatches);
    seen[level].queries += finding.queries;
    seen[level].proved += proof.end == PROOF_DONE;
    seen[level].anomalies += finding.kind == FINDING_ANOMALY;
    seen[level].open +=
        proof.end != PROOF_DONE && finding.kind != FINDING_ANOMALY;
    finding_free(&finding);
}

static void
proofs_and_searches_agree_with_trial(void)
{
    for (uint64_t seed = first_seed; seed < first_seed + programs; seed++) {
        struct random r;
        struct buf text = {0};
        struct program p = {0};
        struct err err = {0};
        random_seed(&r, seed);
        random_program(&r, &text);
        const bool read = program_read_text(&p, "random.sql", text.at, &err);
        CHECK(read);
        if (!read)
            printf("# seed %llu: line %llu: %s\n", (unsigned long long)seed,
                   (unsigned long long)err.line, err.text);
        for (int i = 0; read && i < 2; i++)
            look_at(&p, i ? LEVEL_RC : LEVEL_SI, seed, &r);
        if (programs == 1)
            printf("%s", text.at);
        program_free(&p);
        buf_free(&text);
    }
    for (int i = 0; i < 2; i++) {
        const enum level l = i ? LEVEL_RC : LEVEL_SI;
        printf("# %s: %u proved, %u with an anomaly, %u open; %u of %u models "
               "did not happen\n",
               level_table[l].brief, seen[l].proved, seen[l].anomalies,
               seen[l].open, seen[l].mismatches, seen[l].queries);
    }
    // At si the symbols and the interpreter agree on everything; at rc symbols
    // know of fewer locks.
    CHECK(seen[LEVEL_SI].mismatches == 0);
}

int
main(int argc, char **argv)
{
    take_range(argc, argv, &programs, &first_seed);
    RUN(proofs_and_searches_agree_with_trial);
    return test_end();
}

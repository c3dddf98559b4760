/* test_specs.c -- Hermitage, automated: the interleavings in examples/specs
 * on two servers and SQLite.
 *
 * SPDX-License-Identifier: MIT */
#include "server_test.h"

#include "spec/interleave.h"
#include "spec/row/row_setup.h"

#include <stdlib.h>
#include <unistd.h>

struct spec_fact {
    const char *spec;
    enum driver_isolation isolation;
    enum level level;
    bool violated;
    enum anomaly_kind told; // where violated
};

#define NONE ANOMALY_KINDS

// clang-format off
static const struct spec_fact of_postgresql[] = {
    {"dirty-write", ISOLATION_READ_COMMITTED, LEVEL_RC, false, NONE},
    {"aborted-read", ISOLATION_READ_UNCOMMITTED, LEVEL_RC, false, NONE},
    {"intermediate-read", ISOLATION_READ_COMMITTED, LEVEL_RC, false, NONE},
    {"circular-flow", ISOLATION_READ_COMMITTED, LEVEL_RC, false, NONE},
    {"read-skew", ISOLATION_READ_COMMITTED, LEVEL_RC, false, NONE},
    {"read-skew", ISOLATION_READ_COMMITTED, LEVEL_RA, true, ANOMALY_READ_SKEW},
    {"read-skew", ISOLATION_REPEATABLE_READ, LEVEL_SI, false, NONE},
    {"lost-update", ISOLATION_READ_COMMITTED, LEVEL_SI, true, ANOMALY_LOST_UPDATE},
    {"lost-update", ISOLATION_REPEATABLE_READ, LEVEL_SI, false, NONE},
    {"write-skew", ISOLATION_REPEATABLE_READ, LEVEL_SI, false, NONE},
    {"write-skew", ISOLATION_REPEATABLE_READ, LEVEL_SER, true, ANOMALY_WRITE_SKEW},
    {"write-skew", ISOLATION_SERIALIZABLE, LEVEL_SER, false, NONE},
    {"read-only-anomaly", ISOLATION_REPEATABLE_READ, LEVEL_SI, false, NONE},
    {"read-only-anomaly", ISOLATION_REPEATABLE_READ, LEVEL_SER, true, ANOMALY_READ_ONLY},
    {"read-only-anomaly", ISOLATION_SERIALIZABLE, LEVEL_SER, false, NONE},
    {"own-write", ISOLATION_READ_COMMITTED, LEVEL_RC, false, NONE},
    {"half-seen", ISOLATION_REPEATABLE_READ, LEVEL_SI, false, NONE},
    {"lost-to-delete", ISOLATION_REPEATABLE_READ, LEVEL_SI, false, NONE},
    {"phantom-of-update", ISOLATION_REPEATABLE_READ, LEVEL_SI, false, NONE},
    {"phantom-read", ISOLATION_READ_COMMITTED, LEVEL_RC, false, NONE},
    {"phantom-read", ISOLATION_READ_COMMITTED, LEVEL_SI, true, ANOMALY_PHANTOM_READ},
    {"phantom-read", ISOLATION_REPEATABLE_READ, LEVEL_SI, false, NONE},
    {"phantom", ISOLATION_REPEATABLE_READ, LEVEL_SI, false, NONE},
    {"phantom", ISOLATION_REPEATABLE_READ, LEVEL_SER, true, ANOMALY_PHANTOM},
    {"phantom", ISOLATION_SERIALIZABLE, LEVEL_SER, false, NONE},
};

static const struct spec_fact of_mariadb[] = {
    {"dirty-write", ISOLATION_READ_COMMITTED, LEVEL_RC, false, NONE},
    {"aborted-read", ISOLATION_READ_UNCOMMITTED, LEVEL_RC, true, ANOMALY_ABORTED},
    {"aborted-read", ISOLATION_READ_COMMITTED, LEVEL_RC, false, NONE},
    {"intermediate-read", ISOLATION_READ_UNCOMMITTED, LEVEL_RC, true, ANOMALY_NOT_LATEST},
    {"circular-flow", ISOLATION_READ_UNCOMMITTED, LEVEL_RC, true, ANOMALY_CIRCULAR},
    {"read-skew", ISOLATION_REPEATABLE_READ, LEVEL_SI, false, NONE},
    {"lost-update", ISOLATION_REPEATABLE_READ, LEVEL_SI, true, ANOMALY_LOST_UPDATE},
    {"write-skew", ISOLATION_REPEATABLE_READ, LEVEL_SER, true, ANOMALY_WRITE_SKEW},
    {"write-skew", ISOLATION_SERIALIZABLE, LEVEL_SER, false, NONE},
    {"own-write", ISOLATION_REPEATABLE_READ, LEVEL_RC, true, ANOMALY_NOT_OWN},
    {"half-seen", ISOLATION_REPEATABLE_READ, LEVEL_SI, true, ANOMALY_FRACTURED},
    {"phantom-of-update", ISOLATION_REPEATABLE_READ, LEVEL_SI, true, ANOMALY_PHANTOM_READ},
    {"read-only-anomaly", ISOLATION_REPEATABLE_READ, LEVEL_SER, true, ANOMALY_READ_ONLY},
    {"phantom-read", ISOLATION_READ_COMMITTED, LEVEL_RC, false, NONE},
    {"phantom-read", ISOLATION_READ_COMMITTED, LEVEL_SI, true, ANOMALY_PHANTOM_READ},
    {"phantom-read", ISOLATION_REPEATABLE_READ, LEVEL_SI, false, NONE},
    {"phantom", ISOLATION_REPEATABLE_READ, LEVEL_SI, false, NONE},
    {"phantom", ISOLATION_REPEATABLE_READ, LEVEL_SER, true, ANOMALY_PHANTOM},
    {"phantom", ISOLATION_SERIALIZABLE, LEVEL_SER, false, NONE},
};

static const struct spec_fact of_sqlite[] = {
    {"dirty-write", ISOLATION_UNCHANGED, LEVEL_SER, false, NONE},
    {"lost-update", ISOLATION_UNCHANGED, LEVEL_SER, false, NONE},
    {"write-skew", ISOLATION_UNCHANGED, LEVEL_SER, false, NONE},
    {"read-only-anomaly", ISOLATION_UNCHANGED, LEVEL_SER, false, NONE},
    {"phantom-read", ISOLATION_UNCHANGED, LEVEL_SER, false, NONE},
    {"phantom", ISOLATION_UNCHANGED, LEVEL_SER, false, NONE},
};
// clang-format on

/* Play all interleavings of a specification; the result of the last. */
static bool
interleave(const char *target, const struct spec_fact *e,
           struct trial_result *out)
{
    const char *root = getenv("SOURCE_ROOT");
    char path[] = "/tmp/assay-spec-XXXXXX", file[512];
    struct err err = {0};
    struct spec spec;
    struct database db;
    u32_vec order = {0};
    snprintf(file, sizeof file, "%s/examples/specs/%s.spec", root ? root : ".",
             e->spec);
    const int fd = mkstemp(path);
    bool ok = fd >= 0 && close(fd) == 0 && spec_read(file, &spec, &err);
    if (ok) {
        struct script script = {0};
        struct watched watched = {0};
        bool has_rows = false;
        ok = database_open(target, e->isolation, NULL, &db, &err);
        if (ok) {
            has_rows = row_setup_records(&db);
            ok = !has_rows || row_setup_read(&spec, &db, &watched, &err);
        }
        if (ok)
            script_read(&spec, flavour_of(db.driver->scheme),
                        has_rows ? &watched : NULL, &script);
        for (size_t i = 0; ok && i < spec_count(&spec, 1000); i++) {
            const struct interleave_options o = {.patience = 0.3, .limit = 20};
            struct interleaved interleaved;
            *out = (struct trial_result){0};
            ok = spec_next(&spec, i, &order) &&
                 script_refuses(&script, &order) == SCRIPT_UNDERSTOOD &&
                 interleave_run(&script, &db, &order, &o, path, &interleaved,
                                &err) &&
                 interleaved.is_possible && !interleaved.refusal[0] &&
                 trial_check(path, LEVEL_BIT(e->level), out);
        }
        script_free(&script);
        watched_free(&watched);
        if (err.kind == ERR_NONE)
            database_close(&db);
        spec_free(&spec);
    }
    if (!ok)
        printf("# %s: %s\n", e->spec, err.text);
    unlink(path);
    vec_free(&order);
    return ok;
}

static void
check_all(const char *target, const struct spec_fact *table, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const struct spec_fact *e = &table[i];
        struct trial_result r = {0};
        CHECK(interleave(target, e, &r));
        printf("# %s, %s: %s\n", e->spec, driver_isolation_names[e->isolation],
               r.text);
        CHECK(r.verdict[e->level] ==
              (e->violated ? VERDICT_VIOLATED : VERDICT_OK));
        CHECK(!e->violated || trial_told(&r, e->told));
    }
}

#define CHECK_ALL(target, table)                                               \
    check_all((target), (table), sizeof(table) / sizeof *(table))

static void
on_server(const char *what, const struct spec_fact *table, size_t n)
{
    struct servers servers;
    if (!start_server(what, &servers))
        return;
    check_all(servers.url, table, n);
    servers_stop(&servers);
}

static void
postgresql_does_what_hermitage_says(void)
{
    on_server("postgresql", of_postgresql,
              sizeof of_postgresql / sizeof *of_postgresql);
}

static void
mariadb_does_what_hermitage_says(void)
{
    on_server("mariadb", of_mariadb, sizeof of_mariadb / sizeof *of_mariadb);
}

static void
sqlite_is_serializable(void)
{
    if (can_open("sqlite:"))
        CHECK_ALL("sqlite:", of_sqlite);
}

int
main(void)
{
    RUN(sqlite_is_serializable);
    RUN(postgresql_does_what_hermitage_says);
    RUN(mariadb_does_what_hermitage_says);
    return test_end();
}

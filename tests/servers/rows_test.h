/* rows_test.h -- specifications that are played on a server and recorded as
 * rows.
 *
 * SPDX-License-Identifier: MIT */
#ifndef TEST_SERVERS_ROWS_TEST_H
#define TEST_SERVERS_ROWS_TEST_H

#include "server_test.h"

#include "spec/interleave.h"
#include "spec/row/row_setup.h"

/* A table whose last column has this type. */
#define TABLE_T(type)                                                          \
    "create table t (id int primary key, v int, s " type "); insert into t "   \
    "values (1, 10, 'a'), (2, 20, 'b')"
#define DROP "drop table t"
#define SERIAL "begin isolation level serializable"
#define SNAPSHOT "begin isolation level repeatable read"

/* A specification on a database.  Do not move it: the script points into it. */
struct rows_play {
    struct database *db;
    char path[32]; // of the history
    struct spec spec;
    struct watched watched;
    struct script script;
    u32_vec order; // the interleaving played last
};

static inline void
rows_open(struct rows_play *p, struct database *db, const char *text)
{
    struct err err = {0};
    *p = (struct rows_play){.db = db, .path = "/tmp/assay-rows-XXXXXX"};
    const int fd = mkstemp(p->path);
    CHECK(fd >= 0 && close(fd) == 0);
    CHECK(spec_parse(text, strlen(text), &p->spec, &err));
    CHECK(row_setup_read(&p->spec, db, &p->watched, &err));
    CHECK_TEXT(err.text, "");
    script_read(&p->spec, flavour_of(db->driver->scheme), &p->watched,
                &p->script);
}

static inline void
rows_close(struct rows_play *p)
{
    unlink(p->path);
    vec_free(&p->order);
    script_free(&p->script);
    watched_free(&p->watched);
    spec_free(&p->spec);
}

/* Play the interleaving with this number.  If there is no history of it,
 * done->refusal says why. */
static inline void
rows_run(struct rows_play *p, size_t number, struct interleaved *done)
{
    const struct interleave_options o = {.patience = 0.3, .limit = 20};
    struct err err = {0};
    *done = (struct interleaved){0};
    CHECK(spec_next(&p->spec, number, &p->order));
    const uint32_t refusal = script_refuses(&p->script, &p->order);
    if (refusal != SCRIPT_UNDERSTOOD) {
        snprintf(done->refusal, sizeof done->refusal, "%s",
                 p->script.refusals.at[refusal].text);
        return;
    }
    CHECK(
        interleave_run(&p->script, p->db, &p->order, &o, p->path, done, &err));
    CHECK_TEXT(err.text, "");
    CHECK(done->is_possible);
}

/* Play both interleavings of a text, which two transactions commit in.  The
 * first one is serializable, the second one is not; both are at the levels in
 * 'holds'.  Nothing is left out where is_whole is set. */
static inline void
rows_expect(struct database *db, const char *name, const char *text,
            bool is_whole, level_set holds)
{
    struct rows_play p;
    rows_open(&p, db, text);
    for (size_t i = 0; i < 2; i++) {
        struct interleaved done;
        struct trial_result r = {0};
        struct err part = {0};
        rows_run(&p, i, &done);
        CHECK_TEXT(done.refusal, "");
        CHECK(done.is_possible && !done.failed && done.committed == 2);
        const bool is_part = script_takes_part(&p.script, &p.order, &part);
        CHECK(!is_part || !is_whole);
        if (is_part)
            printf("# %s: %s\n", name, part.text);
        CHECK(trial_check(p.path, LEVEL_BIT(LEVEL_SER) | holds, &r));
        printf("# %s: %s\n", name, r.text);
        for (int l = 0; l < LEVELS; l++)
            CHECK(!(holds >> l & 1) || r.verdict[l] == VERDICT_OK);
        CHECK(r.verdict[LEVEL_SER] == (i ? VERDICT_VIOLATED : VERDICT_OK));
    }
    rows_close(&p);
}

/* Play the first interleaving of a text; it is serializable, or there is no
 * history of it, which 'refusal' is about.  Part of a statement may be left
 * out. */
static inline void
rows_expect_silence(struct database *db, const char *text, const char *refusal,
                    struct err *part)
{
    struct rows_play p;
    struct interleaved done;
    struct trial_result r = {0};
    rows_open(&p, db, text);
    rows_run(&p, 0, &done);
    CHECK_TEXT(done.refusal, refusal);
    CHECK(done.is_possible);
    script_takes_part(&p.script, &p.order, part);
    if (!done.refusal[0]) {
        CHECK(trial_check(p.path, LEVEL_BIT(LEVEL_SER), &r));
        CHECK(r.verdict[LEVEL_SER] == VERDICT_OK);
    }
    rows_close(&p);
}

/* Run a test on a server of its own, where rows are recorded there. */
static inline void
rows_on_server(const char *server,
               void (*test)(struct database *db, const char *url))
{
    struct servers servers;
    struct database db;
    struct err err = {0};
    if (!start_server(server, &servers))
        return;
    CHECK(database_open(servers.url, ISOLATION_UNCHANGED, NULL, &db, &err));
    if (row_setup_records(&db))
        test(&db, servers.url);
    database_close(&db);
    servers_stop(&servers);
}

#endif

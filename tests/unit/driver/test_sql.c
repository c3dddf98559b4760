/* test_sql.c -- SQL against databases that are not as they should be.
 *
 * Rows are deleted behind the driver's back, tables of our names belong to
 * others, and a fake server gives answers that no query asked for.
 *
 * SPDX-License-Identifier: MIT */
#include "test.h"

#include "driver/driver.h"
#include "driver/sql/sql.h"

/* --- statements ------------------------------------------------------------*/

/* The statements of a text, each in brackets. */
static void
split(const char *text, unsigned lexis, struct buf *out)
{
    buf_clear(out);
    while (*text) {
        bool is_blank;
        const size_t n = sql_statement(text, lexis, &is_blank);
        if (!is_blank)
            buf_printf(out, "[%.*s]", (int)n, text);
        text += n + (text[n] == ';');
    }
}

static void
semicolons_in_quotes_and_comments_end_no_statement(void)
{
    enum {
        LITE = LEXIS_BRACKETS,
        POSTGRES = LEXIS_DOLLARS | LEXIS_NESTING,
        MARIA = LEXIS_BACKSLASHES | LEXIS_HASHES
    };
    static const struct {
        unsigned lexis;
        const char *text, *expected;
    } rows[] = {
        {LITE, "a;b", "[a][b]"},
        {LITE, " ; \n;a ;; ", "[a ]"},
        {LITE, "a ';' ;b", "[a ';' ][b]"},
        {LITE, "a ''';';b", "[a ''';'][b]"},
        {LITE, "a \";\";b", "[a \";\"][b]"},
        {LITE, "a `;`;b", "[a `;`][b]"},
        {LITE, "a [;];b", "[a [;]][b]"},
        {POSTGRES, "a [1];b]", "[a [1]][b]]"},
        {LITE, "a -- ;'\n;b", "[a -- ;'\n][b]"},
        {LITE, "-- only this;", ""},
        {LITE, "a /* ; */;b", "[a /* ; */][b]"},
        {LITE, "a /* /* ; */;b", "[a /* /* ; */][b]"},
        {POSTGRES, "a /* /* ; */ ; */;b", "[a /* /* ; */ ; */][b]"},
        {LITE, "a '\\';b", "[a '\\'][b]"},
        {MARIA, "a '\\';';b", "[a '\\';'][b]"},
        {POSTGRES, "a '\\';b", "[a '\\'][b]"},
        {POSTGRES, "a E'\\';';b", "[a E'\\';'][b]"},
        {POSTGRES, "a e'''\\';';b", "[a e'''\\';'][b]"},
        {POSTGRES, "table'\\';b", "[table'\\'][b]"},
        {MARIA, "a # ;\n;b", "[a # ;\n][b]"},
        {POSTGRES, "a # b;c", "[a # b][c]"},
        {MARIA, "a 5--1;b", "[a 5--1][b]"},
        {MARIA, "a -- ;\n;b", "[a -- ;\n][b]"},
        {POSTGRES, "a $$;$$;b", "[a $$;$$][b]"},
        {POSTGRES, "a $x$;$$;$x$;b", "[a $x$;$$;$x$][b]"},
        {POSTGRES, "a $1;b$1", "[a $1][b$1]"},
        {POSTGRES, "a$b;c$b", "[a$b][c$b]"},
        {LITE, "a $$;$$", "[a $$][$$]"},
        {LITE, "a ';b", "[a ';b]"},
        {POSTGRES, "a $$;b", "[a $$;b]"},
        {LITE, "a /* ;b", "[a /* ;b]"},
    };
    struct buf found = {0};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        split(rows[i].text, rows[i].lexis, &found);
        CHECK_TEXT(found.n ? found.at : "", rows[i].expected);
    }
    buf_free(&found);
}

static void
lists_are_understood_or_refused(void)
{
    static const struct {
        const char *text;
        bool is_list;
        size_t n;
    } rows[] = {
        {"", true, 0},          {"{}", true, 0},
        {",1", true, 1},        {",1,-2,3", true, 3},
        {"1,2", true, 2},       {"{1,2}", true, 2},
        {"{1,NULL}", false, 0}, {"1,", false, 0},
        {",", false, 0},        {"{1", false, 0},
        {"{1}x", false, 0},     {"x", false, 0},
        {"1;2", false, 0},      {",99999999999999999999", false, 0},
    };
    int_vec list = {0};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        CHECK(sql_int_list_parse(rows[i].text, &list) == rows[i].is_list);
        CHECK(!rows[i].is_list || list.n == rows[i].n);
    }
    vec_free(&list);
}

/* --- SQLite ----------------------------------------------------------------*/

static struct database db;
static const struct driver *d;
static struct connection *a;

static bool
open_sqlite(void)
{
    struct err err = {0};
    if (!driver_is_built("sqlite", &err)) {
        SKIP("this build leaves SQLite out");
        return false;
    }
    CHECK(database_open("sqlite:", ISOLATION_UNCHANGED, NULL, &db, &err));
    d = db.driver;
    CHECK(d->connect(&db, 0, 0, &a, &err));
    return true;
}

static void
close_sqlite(void)
{
    d->disconnect(a);
    database_close(&db);
}

static void
run(const char *sql)
{
    CHECK(d->query(a, sql, NULL) == OUTCOME_OK);
}

static bool
exists(const char *table)
{
    struct buf sql = {0};
    buf_printf(&sql, "select 1 from %s", table);
    const bool ok = d->query(a, sql.at, NULL) == OUTCOME_OK;
    buf_free(&sql);
    return ok;
}

static void
a_missing_row_reads_as_nothing_and_cannot_be_written(void)
{
    struct err err = {0};
    struct driver_read r;
    int_vec list = {0};
    bool missing = false;
    if (!open_sqlite())
        return;
    CHECK(d->load(&db, 3, KEYS_REGISTERS, &err));
    CHECK(d->load(&db, 3, KEYS_LISTS, &err));
    CHECK(d->write(a, 1, 7, &missing) == OUTCOME_OK && !missing);
    // To write what is there already is a write all the same.
    CHECK(d->write(a, 1, 7, &missing) == OUTCOME_OK && !missing);
    CHECK(d->append(a, 1, 7, &missing) == OUTCOME_OK && !missing);
    run("delete from assay_kv where v = 7");
    run("delete from assay_list where v = ',7'");
    CHECK(d->read(a, 1, &r) == OUTCOME_OK && !r.has_value);
    CHECK(d->write(a, 1, 8, &missing) == OUTCOME_OK && missing);
    CHECK(d->read_list(a, 1, &list) == OUTCOME_OK && list.n == 0);
    CHECK(d->append(a, 1, 8, &missing) == OUTCOME_OK && missing);
    CHECK(d->read(a, 1, &r) == OUTCOME_OK && !r.has_value);
    vec_free(&list);
    close_sqlite();
}

static void
a_missing_row_of_a_table_of_cells_is_no_different(void)
{
    static const char *const columns[] = {"v"};
    static const int64_t initial[] = {5};
    const struct table_shape shape = {.name = "account",
                                      .columns = columns,
                                      .initial = initial,
                                      .n_columns = 1,
                                      .rows = 2,
                                      .has_authors = true};
    const struct cell_place there = {&shape, 1, 0}, added = {&shape, 2, 0};
    struct err err = {0};
    struct driver_read r;
    bool missing = false;
    if (!open_sqlite())
        return;
    CHECK(d->load_table(&db, &shape, &err));
    CHECK(d->read_cell(a, &there, &r) == OUTCOME_OK && r.value == 5);
    run("delete from assay_account");
    CHECK(d->read_cell(a, &there, &r) == OUTCOME_OK && !r.has_value);
    CHECK(d->write_cell(a, &there, 6, 1, &missing) == OUTCOME_OK && missing);
    CHECK(d->write_cell(a, &added, 6, 1, &missing) == OUTCOME_OK && !missing);
    CHECK(d->read_cell(a, &added, &r) == OUTCOME_OK && r.author == 1);
    close_sqlite();
}

static void
answers_that_are_no_integers_are_refused(void)
{
    struct err err = {0};
    struct driver_read r;
    int_vec list = {0};
    if (!open_sqlite())
        return;
    CHECK(d->load(&db, 3, KEYS_REGISTERS, &err));
    CHECK(d->load(&db, 3, KEYS_LISTS, &err));
    run("update assay_kv set v = 'seven'");
    run("update assay_list set v = ',1,x'");
    CHECK(d->read(a, 1, &r) == OUTCOME_FAILED);
    CHECK_TEXT(a->message, "found 'seven', expected an integer");
    CHECK(d->read_list(a, 1, &list) == OUTCOME_FAILED);
    CHECK_TEXT(a->message, "found ',1,x', expected a list of integers");
    // Two rows of one key are no answer either.
    run("drop table assay_kv");
    run("create view assay_kv as select 1 as assay_key, 1 as v union all "
        "select 1, 2");
    CHECK(d->read(a, 1, &r) == OUTCOME_FAILED);
    vec_free(&list);
    close_sqlite();
}

static void
tables_are_removed_at_the_end(void)
{
    struct err err = {0};
    if (!open_sqlite())
        return;
    CHECK(d->load(&db, 3, KEYS_REGISTERS, &err));
    CHECK(d->load(&db, 3, KEYS_LISTS, &err));
    CHECK(exists("assay_kv") && exists("assay_list"));
    // What is left of a run that was killed is made anew.
    CHECK(d->load(&db, 3, KEYS_REGISTERS, &err));
    CHECK(d->unload(&db, &err));
    CHECK(!exists("assay_kv") && !exists("assay_list"));
    CHECK(d->unload(&db, &err));
    close_sqlite();
}

static void
a_row_is_found_in_each_way(void)
{
    struct err err = {0};
    struct driver_read r;
    bool missing;
    int_vec list = {0};
    if (!open_sqlite())
        return;
    db.index = "btree";
    CHECK(d->load(&db, 5, KEYS_REGISTERS, &err));
    CHECK(d->load(&db, 5, KEYS_LISTS, &err));
    for (int i = 0; i < ACCESSES; i++) {
        a->access = (enum driver_access)i;
        CHECK(d->write(a, 3, 70 + i, &missing) == OUTCOME_OK && !missing);
        CHECK(d->read(a, 3, &r) == OUTCOME_OK && r.value == 70 + i);
        CHECK(d->read(a, 2, &r) == OUTCOME_OK && !r.has_value);
        CHECK(d->append(a, 3, i, &missing) == OUTCOME_OK && !missing);
        CHECK(d->read_list(a, 3, &list) == OUTCOME_OK &&
              list.n == (size_t)i + 1);
    }
    // An index that lies is noticed by those who use it.
    run("update assay_kv set assay_alt = 9 where assay_key = 3");
    for (int i = 0; i < ACCESSES; i++) {
        a->access = (enum driver_access)i;
        CHECK(d->read(a, 3, &r) == OUTCOME_OK &&
              r.has_value == (i != ACCESS_INDEX));
    }
    db.index = "hash";
    CHECK(!d->load(&db, 5, KEYS_REGISTERS, &err) && err.kind == ERR_USAGE);
    vec_free(&list);
    close_sqlite();
}

static void
ways_have_names(void)
{
    unsigned set;
    CHECK(driver_access_parse("scan", &set) && set == 1u << ACCESS_SCAN);
    CHECK(driver_access_parse("key,range,key", &set) &&
          set == (1u << ACCESS_KEY | 1u << ACCESS_RANGE));
    CHECK(!driver_access_parse("", &set) && !driver_access_parse("key,", &set));
    CHECK(!driver_access_parse("keys", &set) &&
          !driver_access_parse("ke", &set));
}

static void
tables_of_others_are_left_alone(void)
{
    struct err err = {0};
    if (!open_sqlite())
        return;
    run("create table assay_kv (k integer, v integer)");
    run("insert into assay_kv values (1, 42)");
    CHECK(!d->load(&db, 3, KEYS_REGISTERS, &err));
    CHECK(err.kind == ERR_IO);
    CHECK(strstr(err.text, "assay_kv exists and was not made by this program"));
    err = (struct err){0};
    CHECK(d->unload(&db, &err));
    CHECK(exists("assay_kv"));
    close_sqlite();
}

/* --- a fake server ---------------------------------------------------------*/

/* What it answers to every statement. */
static size_t fake_rows, fake_width;
static const char *fake_text; // of every cell; NULL: no value

static enum outcome
answer(struct connection *c, const char *sql, struct result_rows *out)
{
    (void)sql;
    c->changed = 0;
    if (!out)
        return OUTCOME_OK;
    result_rows_clear(out);
    out->n = fake_rows;
    out->width = fake_width;
    for (size_t i = 0; i < fake_rows * fake_width; i++)
        if (fake_text)
            result_rows_add(out, fake_text, strlen(fake_text));
        else
            result_rows_add(out, NULL, 0);
    return OUTCOME_OK;
}

static void
hang_up(struct connection *c)
{
    (void)c;
}

static const struct dialect fake_dialect = {
    .set_isolation = "set %s",
    .get_isolation = "get",
    .is_read_only = "is",
    .append = "append %s",
    .append_to_array = "append %s",
    .upsert = "or",
};

static const struct driver fake = {.scheme = "fake",
                                   .sql = &fake_dialect,
                                   .query = answer,
                                   .disconnect = hang_up};

/* Everything that a session may ask of a server; nothing may crash. */
static void
ask_everything(bool has_authors)
{
    static const char *const columns[] = {"v"};
    const struct table_shape shape = {.name = "t",
                                      .columns = columns,
                                      .n_columns = 1,
                                      .rows = 1,
                                      .has_authors = has_authors};
    const struct cell_place place = {&shape, 0, 0};
    struct database fake_db = {.driver = &fake,
                               .isolation = ISOLATION_SERIALIZABLE};
    struct connection c = {.driver = &fake, .database = &fake_db}, *same;
    struct err err = {0};
    struct driver_read r;
    int_vec list = {0};
    bool missing;
    CHECK(!sql_prepare(&c, &same, &err));
    const bool is_odd = fake_rows > 1 || (fake_rows && fake_width != 1);
    CHECK((sql_read(&c, 1, &r) == OUTCOME_OK) == !is_odd);
    CHECK((sql_read_list(&c, 1, &list) == OUTCOME_OK) == !is_odd);
    CHECK(sql_write(&c, 1, 2, &missing) == OUTCOME_OK && missing);
    CHECK(sql_append(&c, 1, 2, &missing) == OUTCOME_OK && missing);
    const enum outcome outcome = sql_read_cell(&c, &place, &r);
    CHECK(fake_rows || (outcome == OUTCOME_OK && !r.has_value));
    CHECK(fake_rows != 1 || fake_width == (has_authors ? 2u : 1u) ||
          outcome == OUTCOME_FAILED);
    CHECK(sql_write_cell(&c, &place, 1, 2, &missing) == OUTCOME_OK && missing);
    vec_free(&list);
}

static void
odd_answers_crash_nothing(void)
{
    static const char *const texts[] = {NULL, "7"};
    for (size_t t = 0; t < 2; t++)
        for (fake_rows = 0; fake_rows < 3; fake_rows++)
            for (fake_width = 0; fake_width < 4; fake_width++) {
                fake_text = texts[t];
                ask_everything(false);
                ask_everything(true);
            }
}

int
main(void)
{
    RUN(semicolons_in_quotes_and_comments_end_no_statement);
    RUN(lists_are_understood_or_refused);
    RUN(a_missing_row_reads_as_nothing_and_cannot_be_written);
    RUN(a_missing_row_of_a_table_of_cells_is_no_different);
    RUN(answers_that_are_no_integers_are_refused);
    RUN(tables_are_removed_at_the_end);
    RUN(a_row_is_found_in_each_way);
    RUN(ways_have_names);
    RUN(tables_of_others_are_left_alone);
    RUN(odd_answers_crash_nothing);
    return test_end();
}

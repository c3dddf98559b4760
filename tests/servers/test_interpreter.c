/* test_interpreter.c -- the interpreter of programs does what PostgreSQL does.
 *
 *     test_servers_interpreter [COUNT [SEED]] | PATH...
 *
 * Each function of tests/servers/statements, and COUNT random programs, are
 * called with random arguments on random rows, by the interpreter and by a
 * server: both commit or both fail, with the same result and the same tables
 * afterwards.  A call that the interpreter leaves open is not compared.
 *
 * SPDX-License-Identifier: MIT */
#include "server_test.h"

#include "random_program.h"

#include "base/limits/limit.h"
#include "prove/execute/print/print.h"
#include "prove/execute/run/run.h"
#include "prove/program/read.h"

#include <glob.h>
#include <stdlib.h>

enum { ROWS = 3, CALLS = 10, TRIES = 50 };

static struct servers servers;
static struct database db;
static struct connection *server;
static struct random chance;
static uint64_t compared, committed, left_open;

typedef VEC(char *) lines;

/* --- random data ----------------------------------------------------------*/

static struct datum
random_value(const struct program *p, enum value_type type, bool not_null)
{
    if (!not_null && random_below(&chance, 5) == 0)
        return (struct datum){0, true, false};
    int64_t n = (int64_t)random_below(&chance, 9) - 3;
    if (type == TYPE_BOOLEAN)
        n = n & 1;
    if (type == TYPE_TEXT)
        n = (int64_t)random_below(&chance, p->texts.all.n);
    return (struct datum){n, false, false};
}

static void
random_rows(const struct program *p, uint32_t table, struct dataset *out)
{
    const struct table *t = &p->tables.at[table];
    for (uint64_t n = random_below(&chance, ROWS + 1); n-- > 0;) {
        struct datum row[64];
        for (uint32_t c = 0; c < t->n_columns; c++)
            row[c] =
                random_value(p, t->columns[c].type, t->columns[c].not_null);
        if (t->hidden_key)
            row[t->n_columns - 1] = (struct datum){(int64_t)n, false, false};
        if (dataset_find(out, table, row) == SIZE_MAX)
            dataset_insert(out, table, row);
    }
}

/* A state that the constraints allow, table by table; a table for which no
 * rows turn up stays empty. */
static void
random_state(const struct program *p, struct dataset *out)
{
    struct dataset next;
    dataset_init(out, p);
    for (uint32_t t = 0; t < p->tables.n; t++)
        for (int i = 0; i < TRIES; i++) {
            dataset_init(&next, p);
            dataset_copy(&next, out);
            random_rows(p, t, &next);
            const bool legal = dataset_is_legal(&next);
            if (legal)
                dataset_copy(out, &next);
            dataset_free(&next);
            if (legal)
                break;
        }
}

/* --- as text --------------------------------------------------------------*/

/* What stands between the quotes of DATE '2000-01-02'. */
static void
write_moment(const struct program *p, enum value_type type, struct datum d,
             struct buf *out)
{
    struct buf text = {0};
    print_value(&text, p, type, d);
    const char *quote = strchr(text.at, '\'');
    CHECK(quote != NULL);
    if (quote)
        buf_printf(out, "%.*s", (int)strcspn(quote + 1, "'"), quote + 1);
    buf_free(&text);
}

static void
write_value(const struct program *p, enum value_type type, struct datum d,
            struct buf *out)
{
    if (d.null)
        buf_text(out, "NULL");
    else if (type == TYPE_BOOLEAN)
        buf_char(out, d.number ? 't' : 'f');
    else if (type == TYPE_TEXT)
        buf_printf(out, "%s", strings_get(&p->texts, (uint32_t)d.number).text);
    else if (type == TYPE_DATE || type == TYPE_TIMESTAMP)
        write_moment(p, type, d, out);
    else
        buf_printf(out, "%lld", (long long)d.number);
}

/* In quotes, which are doubled inside. */
static void
write_literal(const struct program *p, enum value_type type, struct datum d,
              struct buf *out)
{
    struct buf text = {0};
    write_value(p, type, d, &text);
    if (!d.null)
        buf_char(out, '\'');
    for (size_t i = 0; i < text.n; i++) {
        if (text.at[i] == '\'')
            buf_char(out, '\'');
        buf_char(out, text.at[i]);
    }
    if (!d.null)
        buf_char(out, '\'');
    buf_free(&text);
}

static void
write_inserts(const struct dataset *s, struct buf *out)
{
    for (uint32_t i = 0; i < s->program->tables.n; i++) {
        const struct table *t = &s->program->tables.at[i];
        if (!s->tables[i].n)
            continue;
        buf_text(out, "INSERT INTO ");
        print_name(out, t->name);
        buf_text(out, " VALUES");
        for (size_t j = 0; j < s->tables[i].n; j++) {
            const struct datum *row = dataset_row(s, i, j);
            buf_text(out, j ? ", (" : " (");
            for (uint32_t c = 0; c < t->n_columns - t->hidden_key; c++) {
                if (c)
                    buf_text(out, ", ");
                write_literal(s->program, t->columns[c].type, row[c], out);
            }
            buf_char(out, ')');
        }
        buf_text(out, "; ");
    }
}

static void
write_call(const struct program *p, const struct instance *t, struct buf *out)
{
    buf_text(out, "SELECT * FROM ");
    print_name(out, t->function->name);
    buf_char(out, '(');
    for (uint32_t i = 0; i < t->function->n_parameters; i++) {
        if (i)
            buf_text(out, ", ");
        write_literal(p, t->function->variables[i].type, t->arguments[i], out);
    }
    buf_char(out, ')');
}

static int
compare_lines(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* One line a row, sorted, and empty the list. */
static void
write_lines(lines *rows, const char *title, struct buf *out)
{
    if (rows->n)
        qsort(rows->at, rows->n, sizeof *rows->at, compare_lines);
    for (size_t i = 0; i < rows->n; i++) {
        buf_printf(out, "%s: %s\n", title, rows->at[i]);
        mem_free(rows->at[i]);
    }
    vec_free(rows);
}

static void
add_line(lines *rows, struct buf *line)
{
    char *copy = mem_alloc(line->n + 1, 1);
    memcpy(copy, line->at ? line->at : "", line->n + 1);
    vec_push(rows, copy);
    buf_free(line);
}

/* --- the two runs ---------------------------------------------------------*/

/* Cells of an observation as a line. */
static void
add_cells(const struct program *p, const struct run *run,
          const struct target *targets, uint32_t n, size_t first, lines *rows)
{
    struct buf line = {0};
    for (uint32_t c = 0; c < n; c++) {
        if (c)
            buf_text(&line, " ");
        write_value(p, targets[c].value->type, run->values.at[first + c],
                    &line);
    }
    if (n == 1 && strcmp(line.at, "NULL") == 0)
        buf_free(&line);
    else
        add_line(rows, &line);
}

/* What the function gives: of a set its rows, else the value.  In SQL that is
 * the first row of the last statement, which is seen in two observations where
 * it is a query: whether there is one, and the row. */
static void
write_result(const struct program *p, const struct instance *t,
             const struct run *run, struct buf *out)
{
    lines rows = {0};
    const struct block *body = &t->function->body;
    const struct statement *end = body->at[body->n - 1];
    size_t seen = 0;
    for (size_t i = 0; i < run->observations.n; i++) {
        const struct observation *o = &run->observations.at[i];
        const struct statement *s = o->statement;
        if (s->kind == STATEMENT_RETURN && s->value) {
            const struct target value = {NULL, s->value};
            add_cells(p, run, &value, 1, o->first, &rows);
        } else if (s->kind == STATEMENT_ROWS) {
            for (size_t j = 0; j < o->n; j += s->query->n_targets)
                add_cells(p, run, s->query->targets, s->query->n_targets,
                          o->first + j, &rows);
        } else if (s == end && s->n_returning && !s->n_into && !seen++) {
            add_cells(p, run, s->returning, s->n_returning, o->first, &rows);
        } else if (s == end && s->kind == STATEMENT_SELECT && !s->hidden &&
                   seen++ == 1) {
            add_cells(p, run, s->query->targets, s->query->n_targets, o->first,
                      &rows);
        }
    }
    write_lines(&rows, "result", out);
}

static void
run_here(const struct program *p, const struct instance *t,
         const struct dataset *state, struct run *run, struct buf *out)
{
    run_on(p, t, state, run);
    if (run->end != RUN_COMMITS) {
        buf_text(out, "fails\n");
        return;
    }
    write_result(p, t, run, out);
    struct dataset end;
    dataset_init(&end, p);
    dataset_copy(&end, state);
    changes_apply(&run->changes, &end);
    for (uint32_t i = 0; i < p->tables.n; i++) {
        const struct table *table = &p->tables.at[i];
        lines rows = {0};
        for (size_t j = 0; j < end.tables[i].n; j++) {
            struct buf line = {0};
            for (uint32_t c = 0; c < table->n_columns - table->hidden_key;
                 c++) {
                if (c)
                    buf_text(&line, " ");
                write_value(p, table->columns[c].type,
                            dataset_row(&end, i, j)[c], &line);
            }
            add_line(&rows, &line);
        }
        write_lines(&rows, table->name, out);
    }
    dataset_free(&end);
}

/* Rows of the server as lines; nothing for a NULL alone, which is what a
 * function without a result gives. */
static void
write_answer(const struct result_rows *rows, const char *title, struct buf *out)
{
    lines all = {0};
    const bool result = strcmp(title, "result") == 0;
    for (size_t i = 0; i < rows->n; i++) {
        struct buf line = {0};
        for (size_t c = 0; c < rows->width; c++)
            buf_printf(&line, "%s%s", c ? " " : "",
                       result_rows_is_null(rows, i, c)
                           ? "NULL"
                           : result_rows_get(rows, i, c));
        if (result && rows->width == 1 &&
            (line.n == 0 || strcmp(line.at, "NULL") == 0))
            buf_free(&line);
        else
            add_line(&all, &line);
    }
    write_lines(&all, title, out);
}

static void
run_there(const struct program *p, const char *inserts, const char *call,
          struct buf *out)
{
    struct result_rows rows = {0};
    struct buf begin = {0};
    buf_printf(&begin, "BEGIN; %s", inserts);
    const bool ready =
        server->driver->query(server, begin.at, NULL) == OUTCOME_OK;
    CHECK(ready);
    if (!ready)
        printf("# %s: %s\n", begin.at, server->message);
    buf_free(&begin);
    if (server->driver->query(server, call, &rows) != OUTCOME_OK) {
        buf_text(out, "fails\n");
    } else {
        write_answer(&rows, "result", out);
        for (uint32_t i = 0; i < p->tables.n; i++) {
            struct buf sql = {0};
            buf_text(&sql, "SELECT * FROM ");
            print_name(&sql, p->tables.at[i].name);
            CHECK(server->driver->query(server, sql.at, &rows) == OUTCOME_OK);
            buf_free(&sql);
            write_answer(&rows, p->tables.at[i].name, out);
        }
    }
    char message[256];
    snprintf(message, sizeof message, "%s", server->message);
    server->driver->query(server, "ROLLBACK", NULL);
    snprintf(server->message, sizeof server->message, "%s", message);
    result_rows_free(&rows);
}

/* One call, here and there. */
static void
compare_call(const struct program *p, const struct function *f)
{
    struct datum arguments[64], inputs[64 * 8];
    struct dataset state;
    struct run run = {0};
    struct buf here = {0}, there = {0}, inserts = {0}, call = {0};
    random_state(p, &state);
    for (uint32_t i = 0; i < f->n_parameters; i++)
        arguments[i] = random_value(p, f->variables[i].type, f->strict);
    for (int64_t i = 0; i < 64 * 8; i++)
        inputs[i] = (struct datum){1000 + i, false, false};
    const struct instance t = {f, arguments, inputs, 8};
    buf_text(&inserts, "");
    write_inserts(&state, &inserts);
    write_call(p, &t, &call);
    run_here(p, &t, &state, &run, &here);
    if (run.end == RUN_UNCERTAIN) {
        left_open++;
    } else {
        run_there(p, inserts.at ? inserts.at : "", call.at, &there);
        const char *mine = here.at ? here.at : "";
        const char *theirs = there.at ? there.at : "";
        const bool same = strcmp(mine, theirs) == 0;
        const bool first = test_ok;
        CHECK(same);
        if (!same && first)
            printf("# %s%s\n# here:\n%s# there (%s):\n%s\n", inserts.at,
                   call.at, mine, server->message, theirs);
        compared++;
        committed += run.end == RUN_COMMITS;
    }
    dataset_free(&state);
    run_free(&run);
    buf_free(&here);
    buf_free(&there);
    buf_free(&inserts);
    buf_free(&call);
}

/* Load the program into a schema of its own and call its functions. */
static void
compare_program(const char *name, const char *text, int calls)
{
    struct program p = {0};
    struct err err = {0};
    char message[1024] = "";
    struct buf load = {0};
    buf_printf(&load,
               "DROP SCHEMA IF EXISTS here CASCADE; CREATE SCHEMA here;"
               " SET search_path = here; %s",
               text);
    if (!program_read_text(&p, name, text, &err))
        err_format(&err, message, sizeof message);
    CHECK_TEXT(message, "");
    // Texts that no statement has.
    strings_add(&p.texts, "etc", 3);
    const bool loaded =
        server->driver->query(server, load.at, NULL) == OUTCOME_OK;
    CHECK(loaded);
    if (!loaded)
        printf("# %s: %s\n", name, server->message);
    for (size_t i = 0; loaded && !*message && i < p.functions.n; i++)
        for (int j = 0; j < calls; j++)
            compare_call(&p, p.functions.at[i]);
    if (!test_ok)
        printf("# in %s\n", name);
    buf_free(&load);
    program_free(&p);
}

static void
compare_file(const char *path)
{
    struct buf text = {0};
    CHECK(get_file(path, &text));
    if (text.n)
        compare_program(path, text.at, CALLS);
    buf_free(&text);
}

static void
statements_do_here_what_they_do_there(void)
{
    char pattern[1000];
    glob_t found;
    snprintf(pattern, sizeof pattern, "%s/tests/servers/statements/*.sql",
             root());
    CHECK(glob(pattern, 0, NULL, &found) == 0);
    for (size_t i = 0; i < found.gl_pathc; i++)
        compare_file(found.gl_pathv[i]);
    globfree(&found);
    CHECK(committed > compared / 4);
}

static uint64_t programs = 25, seed = 1;

static void
random_programs_do_here_what_they_do_there(void)
{
    for (uint64_t i = 0; i < programs; i++) {
        char name[40];
        struct buf text = {0};
        struct random r;
        snprintf(name, sizeof name, "random-%llu.sql",
                 (unsigned long long)(seed + i));
        random_seed(&r, seed + i);
        random_program(&r, &text);
        compare_program(name, text.at, 10);
        buf_free(&text);
    }
}

static const char *given;

static void
a_given_program_does_here_what_it_does_there(void)
{
    compare_file(given);
}

int
main(int argc, char **argv)
{
    struct err err = {0};
    char *end = NULL;
    if (!start_or_skip("postgresql", &servers))
        return test_failures != 0;
    const bool numbers =
        argc < 2 || (programs = strtoull(argv[1], &end, 10), !*end);
    if (numbers && argc > 2)
        seed = strtoull(argv[2], NULL, 10);
    random_seed(&chance, seed);
    if (!database_open(servers.url, ISOLATION_UNCHANGED, NULL, &db, &err) ||
        !db.driver->connect(&db, 0, 0, &server, &err)) {
        printf("not ok 1 - a connection\n1..1\n");
        servers_stop(&servers);
        return 1;
    }
    for (int i = 1; !numbers && i < argc; i++) {
        given = argv[i];
        RUN(a_given_program_does_here_what_it_does_there);
    }
    if (numbers) {
        RUN(statements_do_here_what_they_do_there);
        RUN(random_programs_do_here_what_they_do_there);
    }
    printf("# %llu calls compared, %llu committed, %llu left open\n",
           (unsigned long long)compared, (unsigned long long)committed,
           (unsigned long long)left_open);
    db.driver->disconnect(server);
    database_close(&db);
    servers_stop(&servers);
    return test_end();
}

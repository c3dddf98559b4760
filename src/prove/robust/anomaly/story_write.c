/* story_write.c -- a story as text, JSON and a script; see story.h.
 *
 * SPDX-License-Identifier: MIT */
#include "prove/robust/anomaly/story.h"

#include "base/json.h"
#include "prove/execute/print/print.h"

static void
write_initial(const struct story *s, struct buf *out)
{
    const struct finding *f = s->finding;
    const struct program *p = f->interleaving.program;
    bool any = false;
    for (uint32_t i = 0; i < p->tables.n; i++) {
        if (!f->initial.tables[i].n)
            continue;
        buf_printf(out, "    %s: ", p->tables.at[i].name);
        print_rows(out, &f->initial, i);
        buf_char(out, '\n');
        any = true;
    }
    if (!any)
        buf_text(out, "    all tables are empty\n");
}

static void
write_step(const struct story_step *step, struct buf *out)
{
    buf_printf(out, "    T%u  ", step->member + 1);
    switch (step->kind) {
    case STORY_SNAPSHOT:
        buf_text(out, "begins\n");
        return;
    case STORY_COMMIT:
        buf_text(out, "commits\n");
        return;
    case STORY_WAIT:
    case STORY_STATEMENT:
        break;
    }
    buf_printf(out, "line %u: %s", step->line,
               *step->sql ? step->sql : "returns");
    if (*step->seen)
        buf_printf(out, "%s %s", *step->sql ? " ->" : "", step->seen);
    buf_text(out, step->kind == STORY_WAIT ? " (waits)\n" : "\n");
}

static void
write_order(const struct story *s, const uint32_t *order, struct buf *out)
{
    for (uint32_t i = 0; i < s->finding->n; i++)
        buf_printf(out, "%sT%u", i ? ", " : "", order[i] + 1);
}

/* "T1 -rw-> T2: T1 reads account (1) in line 11, T2 changes it in line 15". */
static void
write_dependency(const struct story *s, const struct dependency *d,
                 struct buf *out)
{
    const struct program *p = s->finding->interleaving.program;
    buf_printf(out, "    T%u -%s-> T%u: T%u %s %s ", d->from + 1,
               dependency_names[d->kind], d->to + 1, d->from + 1,
               d->kind == DEPENDENCY_RW ? "reads" : "changes",
               p->tables.at[d->table].name);
    print_row(out, p, d->table, d->row, true);
    buf_printf(out, " in line %u, T%u %s it in line %u\n", d->from_line,
               d->to + 1, d->kind == DEPENDENCY_WR ? "reads" : "changes",
               d->to_line);
}

static void
write_cycle(const struct story *s, struct buf *out)
{
    if (!s->n_cycle)
        return;
    buf_text(out, "  Dependencies that form a cycle:\n");
    for (uint32_t i = 0; i < s->n_cycle; i++)
        write_dependency(s, &s->cycle[i], out);
    if (!s->is_hidden)
        return;
    buf_text(out, "  Nobody can observe this: the serial order ");
    write_order(s, s->same, out);
    buf_text(out, " gives the same results and the same rows\n");
}

void
story_text(const struct story *s, struct buf *out)
{
    const struct finding *f = s->finding;
    const struct program *p = f->interleaving.program;
    buf_text(out, "  Initially:\n");
    write_initial(s, out);
    buf_text(out, "  Transactions:\n");
    for (uint32_t i = 0; i < f->n; i++) {
        buf_printf(out, "    T%u = ", i + 1);
        print_call(out, p, &f->members[i]);
        bool first = true;
        for (uint32_t j = 0; f->shape == SHAPE_VISIBLE && j < i; j++)
            if (f->interleaving.visible[i] >> j & 1) {
                buf_printf(out, "%sT%u", first ? ", which sees " : ", ", j + 1);
                first = false;
            }
        buf_char(out, '\n');
    }
    buf_text(out, "  What happens:\n");
    for (size_t i = 0; i < s->steps.n; i++)
        write_step(&s->steps.at[i], out);
    if (s->edges.n)
        buf_text(out, "  What is read, and changed unseen:\n");
    for (size_t i = 0; i < s->edges.n; i++) {
        const struct story_edge *e = &s->edges.at[i];
        buf_printf(
            out, "    T%u reads %s in line %u; T%u changes it in line %u\n",
            e->from + 1, e->what, e->read_line, e->to + 1, e->write_line);
    }
    write_cycle(s, out);
    if (!s->is_hidden)
        buf_text(out, "  No serial order gives this:\n");
    for (size_t i = 0; i < s->orders.n; i++) {
        buf_text(out, "    ");
        write_order(s, s->orders.at[i].order, out);
        buf_printf(out, ": %s\n", s->orders.at[i].why);
    }
    if (s->orders_more)
        buf_printf(out, "    and %u more\n", s->orders_more);
}

/* --- JSON -----------------------------------------------------------------*/

static void
put_transactions(const struct story *s, struct buf *out)
{
    const struct finding *f = s->finding;
    json_array(out, "transactions");
    for (uint32_t i = 0; i < f->n; i++) {
        struct buf call = {0};
        const struct function *function = f->members[i].function;
        print_call(&call, f->interleaving.program, &f->members[i]);
        json_object(out, NULL);
        json_printf(out, "name", "T%u", i + 1);
        json_text(out, "function", function->name);
        json_text(out, "file", function->file);
        json_u64(out, "line", function->line);
        json_text(out, "call", call.at);
        json_object_end(out);
        buf_free(&call);
    }
    json_array_end(out);
}

static void
put_initial(const struct story *s, struct buf *out)
{
    const struct finding *f = s->finding;
    const struct program *p = f->interleaving.program;
    json_object(out, "initial");
    for (uint32_t i = 0; i < p->tables.n; i++) {
        struct buf rows = {0};
        if (!f->initial.tables[i].n)
            continue;
        print_rows(&rows, &f->initial, i);
        json_bytes(out, p->tables.at[i].name, rows.at, rows.n);
        buf_free(&rows);
    }
    json_object_end(out);
}

static void
put_order(const char *name, const struct story *s, const uint32_t *order,
          struct buf *out)
{
    json_array(out, name);
    for (uint32_t i = 0; i < s->finding->n; i++)
        json_printf(out, NULL, "T%u", order[i] + 1);
    json_array_end(out);
}

/* Begin an edge between two transactions. */
static void
begin_edge(uint32_t from, uint32_t to, const char *edge, struct buf *out)
{
    json_object(out, NULL);
    json_printf(out, "from", "T%u", from + 1);
    json_printf(out, "to", "T%u", to + 1);
    json_text(out, "edge", edge);
}

/* The cycle, and whether it can be observed. */
static void
put_cycle(const struct story *s, struct buf *out)
{
    const struct program *p = s->finding->interleaving.program;
    if (!s->n_cycle)
        return;
    json_array(out, "cycle");
    for (uint32_t i = 0; i < s->n_cycle; i++) {
        const struct dependency *d = &s->cycle[i];
        struct buf row = {0};
        buf_printf(&row, "%s ", p->tables.at[d->table].name);
        print_row(&row, p, d->table, d->row, true);
        begin_edge(d->from, d->to, dependency_names[d->kind], out);
        json_u64(out, "from_line", d->from_line);
        json_u64(out, "to_line", d->to_line);
        json_text(out, "row", row.at);
        json_object_end(out);
        buf_free(&row);
    }
    json_array_end(out);
    json_bool(out, "observable", !s->is_hidden);
    if (s->is_hidden)
        put_order("same_as", s, s->same, out);
}

static void
put_step(const struct story_step *step, struct buf *out)
{
    static const char *const kinds[] = {[STORY_SNAPSHOT] = "begin",
                                        [STORY_STATEMENT] = "statement",
                                        [STORY_WAIT] = "wait",
                                        [STORY_COMMIT] = "commit"};
    json_object(out, NULL);
    json_printf(out, "transaction", "T%u", step->member + 1);
    json_text(out, "kind", kinds[step->kind]);
    if (step->line)
        json_u64(out, "line", step->line);
    if (*step->sql)
        json_text(out, "sql", step->sql);
    if (*step->seen)
        json_text(out, "result", step->seen);
    json_object_end(out);
}

void
story_json(const struct story *s, struct buf *out)
{
    json_object(out, NULL);
    put_transactions(s, out);
    put_initial(s, out);
    json_array(out, "steps");
    for (size_t i = 0; i < s->steps.n; i++)
        put_step(&s->steps.at[i], out);
    json_array_end(out);
    json_array(out, "edges");
    for (size_t i = 0; i < s->edges.n; i++) {
        const struct story_edge *e = &s->edges.at[i];
        begin_edge(e->from, e->to, "rw", out);
        json_u64(out, "read_line", e->read_line);
        json_u64(out, "write_line", e->write_line);
        json_text(out, "row", e->what);
        json_object_end(out);
    }
    json_array_end(out);
    put_cycle(s, out);
    json_array(out, "serial");
    for (size_t i = 0; i < s->orders.n; i++) {
        json_object(out, NULL);
        put_order("order", s, s->orders.at[i].order, out);
        json_text(out, "differs", s->orders.at[i].why);
        json_object_end(out);
    }
    json_array_end(out);
    json_object_end(out);
}

/* --- a script for PostgreSQL -----------------------------------------------*/

/* One block a statement: MariaDB takes no more at once. */
static void
script_setup(const struct story *s, struct buf *out)
{
    const struct finding *f = s->finding;
    const struct program *p = f->interleaving.program;
    for (uint32_t i = 0; i < p->tables.n; i++) {
        buf_text(out, "setup { ");
        // MariaDB has no keys of texts without a length.
        print_table(out, p, i, f->isolation->innodb ? "varchar(200)" : "text");
        buf_text(out, "; }\n");
    }
    for (uint32_t i = 0; i < p->tables.n; i++) {
        if (!f->initial.tables[i].n)
            continue;
        buf_text(out, "setup { INSERT INTO ");
        print_name(out, p->tables.at[i].name);
        buf_text(out, " VALUES ");
        print_rows(out, &f->initial, i);
        buf_text(out, "; }\n");
    }
    buf_text(out, "teardown { DROP TABLE ");
    for (uint32_t i = (uint32_t)p->tables.n; i-- > 0;) {
        print_name(out, p->tables.at[i].name);
        buf_text(out, i ? ", " : "; }\n");
    }
}

/* How PostgreSQL calls the level of a member. */
static const char *
level_name(const struct finding *f, uint32_t member)
{
    const enum level l =
        isolation_of(f->isolation, program_number(f->interleaving.program,
                                                  f->members[member].function));
    // A function that is STABLE keeps its snapshot also at READ COMMITTED,
    // which its statements alone do not.
    const bool kept = f->members[member].function->snapshot;
    return l == LEVEL_SER          ? "SERIALIZABLE"
           : l == LEVEL_SI || kept ? "REPEATABLE READ"
                                   : "READ COMMITTED";
}

static bool
is_delayed(const struct finding *f, uint32_t member)
{
    return f->shape == SHAPE_DELAYED && member + 1 == f->n;
}

/* The steps of a session; false for what the script does not need. */
static bool
script_step(const struct story *s, size_t i, struct buf *out)
{
    const struct story_step *step = &s->steps.at[i];
    const struct finding *f = s->finding;
    if (step->kind == STORY_SNAPSHOT && f->isolation->innodb)
        buf_printf(out, "START TRANSACTION%s;",
                   is_delayed(f, step->member) ? " WITH CONSISTENT SNAPSHOT"
                                               : "");
    else if (step->kind == STORY_SNAPSHOT)
        buf_printf(out, "BEGIN ISOLATION LEVEL %s;%s",
                   level_name(f, step->member),
                   is_delayed(f, step->member) ? " SELECT 1;" : "");
    else if (step->kind == STORY_COMMIT)
        buf_text(out, "COMMIT;");
    else if (*step->sql)
        buf_printf(out, "%s;", step->sql);
    else
        return false;
    return true;
}

/* Names in quotes, as MariaDB has them: in accents. */
static void
use_accents(struct buf *text, size_t from)
{
    bool inside = false; // of a text
    for (size_t i = from; i < text->n; i++) {
        inside = inside != (text->at[i] == '\'');
        if (text->at[i] == '"' && !inside)
            text->at[i] = '`';
    }
}

void
story_script(const struct story *s, struct buf *out)
{
    const size_t start = out->n;
    const struct finding *f = s->finding;
    const struct program *p = f->interleaving.program;
    assert(f->shape != SHAPE_VISIBLE);
    for (uint32_t i = 0; i < f->n; i++) {
        buf_printf(out, "# T%u = ", i + 1);
        print_call(out, p, &f->members[i]);
        buf_char(out, '\n');
    }
    script_setup(s, out);
    for (uint32_t m = 0; m < f->n; m++) {
        buf_printf(out, "\nsession T%u\n", m + 1);
        for (size_t i = 0; i < s->steps.n; i++) {
            struct buf sql = {0};
            if (s->steps.at[i].member == m && script_step(s, i, &sql))
                buf_printf(out, "step s%zu { %s }\n", i + 1, sql.at);
            buf_free(&sql);
        }
    }
    buf_text(out, "\n# What the steps give:\n");
    for (size_t i = 0; i < s->steps.n; i++)
        if (*s->steps.at[i].sql && *s->steps.at[i].seen)
            buf_printf(out, "# s%zu -> %s\n", i + 1, s->steps.at[i].seen);
    buf_text(out, "permutation");
    for (size_t i = 0; i < s->steps.n; i++) {
        struct buf sql = {0};
        if (script_step(s, i, &sql))
            buf_printf(out, " s%zu", i + 1);
        buf_free(&sql);
    }
    buf_char(out, '\n');
    if (f->isolation->innodb)
        use_accents(out, start);
}

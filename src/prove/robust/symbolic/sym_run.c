/* sym_run.c -- statements on symbols; see symbolic.h.
 *
 * Control is one condition.  IF splits and joins it, RETURN makes it false,
 * EXIT and CONTINUE move it to the end of the loop or of the iteration.
 *
 * SPDX-License-Identifier: MIT */
#include "prove/robust/symbolic/runs.h"

#include "prove/program/access.h"
#include "prove/robust/proof/footprint.h"

#include <string.h>

static void run_block(struct sym_runner *r, const struct block *b);

void
sym_observe(struct sym_runner *r, const struct statement *s, term live,
            struct symbol value)
{
    const struct seen seen = {s, term_and(r->t, r->live, live), value};
    vec_push(&r->run->observations, seen);
}

void
sym_set(struct sym_runner *r, uint32_t variable, struct symbol value)
{
    r->variables[variable] =
        symbol_if(r->t, r->live, value, r->variables[variable]);
}

void
sym_set_found(struct sym_runner *r, term found)
{
    sym_set(r, function_found(r->function),
            (struct symbol){r->t->no, found, NULL});
}

static void
run_select(struct sym_runner *r, const struct statement *s)
{
    struct terms *t = r->t;
    struct sym_rows rows;
    sym_begin_query(r, s);
    sym_query(r, s->query, s->n_into > 0, &rows);
    const term found = sym_any(r, &rows);
    if (s->strict)
        sym_abort_if(r, term_or(t, term_not(t, found), rows.several));
    if (s->n_into)
        sym_uncertain_if(r, rows.tied);
    sym_observe(r, s, t->yes, (struct symbol){t->no, found, NULL});
    for (uint32_t i = 0; i < s->n_into; i++) {
        const struct symbol x = sym_first(r, &rows, i);
        if (!s->hidden)
            sym_observe(r, s, found, x);
        sym_set(r, s->into[i], x);
    }
    sym_set_found(r, found);
}

static void
observe_rows(struct sym_runner *r, const struct statement *s,
             const struct sym_rows *rows)
{
    for (uint32_t i = 0; i < rows->n; i++)
        for (uint32_t j = 0; j < rows->width; j++)
            sym_observe(r, s, rows->match[i], rows->cells[i * rows->width + j]);
}

static void
run_rows(struct sym_runner *r, const struct statement *s)
{
    struct sym_rows rows;
    sym_begin_query(r, s);
    sym_query(r, s->query, false, &rows);
    observe_rows(r, s, &rows);
    sym_set_found(r, sym_any(r, &rows));
}

void
sym_iterate(struct sym_runner *r, const struct statement *s, term enters,
            struct loop *loop)
{
    struct terms *t = r->t;
    const term before = r->live;
    struct loop *outer = r->loop;
    loop->continues = t->no;
    r->loop = loop;
    r->live = term_and(t, before, enters);
    const term entered = r->live;
    run_block(r, &s->body);
    r->loop = outer;
    r->live = term_or(t, r->live, loop->continues);
    r->live =
        r->live == entered
            ? before
            : term_or(t, r->live, term_and(t, before, term_not(t, enters)));
}

/* Rows come in the order of keys; another order is not followed. */
static bool
is_key_order(const struct sym_runner *r, const struct query *q)
{
    if (!q->n_order)
        return true;
    if (q->n_sources != 1)
        return false;
    const struct table *t =
        &r->s->program->tables.at[r->function->source_tables[q->sources[0]]];
    for (uint32_t i = 0; i < q->n_order; i++) {
        const struct expr *by = q->order[i].by;
        if (q->order[i].descending || by->kind != EXPR_COLUMN ||
            i >= t->primary.n || by->column != t->primary.at[i])
            return false;
    }
    return true;
}

void
sym_set_null(struct sym_runner *r, const struct statement *s)
{
    assert(s->kind == STATEMENT_FOR);
    for (uint32_t i = 0; i < s->n_into; i++) {
        const enum value_type type = r->function->variables[s->into[i]].type;
        const term none =
            type == TYPE_BOOLEAN ? r->t->no : term_number(r->t, 0);
        sym_set(r, s->into[i], (struct symbol){r->t->yes, none, NULL});
    }
}

static void
run_for(struct sym_runner *r, const struct statement *s)
{
    struct terms *t = r->t;
    struct sym_rows rows;
    struct loop loop = {t->no, t->no};
    sym_begin_query(r, s);
    sym_query(r, s->query, false, &rows);
    if (!is_key_order(r, s->query))
        sym_uncertain_if(r, rows.several);
    observe_rows(r, s, &rows);
    sym_set_null(r, s);
    for (uint32_t i = 0; i < rows.n; i++) {
        const term live = r->live;
        r->live = term_and(t, live, rows.match[i]);
        for (uint32_t j = 0; j < s->n_into; j++)
            sym_set(r, s->into[j], rows.cells[i * rows.width + j]);
        r->live = live;
        sym_iterate(r, s, rows.match[i], &loop);
    }
    r->live = term_or(t, r->live, loop.exits);
    sym_set_found(r, sym_any(r, &rows));
}

struct symbol
sym_evaluate_alone(struct sym_runner *r, const struct statement *s,
                   const struct expr *e)
{
    const bool reads = expr_has_query(e);
    if (reads)
        sym_begin(r, s, false);
    const struct symbol x = sym_evaluate(r, e);
    if (reads)
        sym_observe(r, s, r->t->yes, x);
    return x;
}

static void
run_range(struct sym_runner *r, const struct statement *s)
{
    struct terms *t = r->t;
    struct loop loop = {t->no, t->no};
    const struct symbol low = sym_evaluate_alone(r, s, s->low);
    const struct symbol high = sym_evaluate_alone(r, s, s->high);
    const struct symbol step =
        s->step ? sym_evaluate_alone(r, s, s->step)
                : (struct symbol){t->no, term_number(t, 1), NULL};
    sym_uncertain_if(
        r, term_or(t, symbol_opaque(t, low),
                   term_or(t, symbol_opaque(t, high), symbol_opaque(t, step))));
    sym_abort_if(r, term_or(t, term_or(t, low.null, high.null), step.null));
    sym_abort_if(r, term_less(t, step.value, term_number(t, 1)));
    term i = low.value;
    const term any = s->reverse ? term_at_most(t, high.value, i)
                                : term_at_most(t, i, high.value);
    for (uint32_t n = 0; n < r->s->loop_most; n++) {
        const term inside = s->reverse ? term_at_most(t, high.value, i)
                                       : term_at_most(t, i, high.value);
        const term live = r->live;
        r->live = term_and(t, live, inside);
        sym_set(r, s->variable, (struct symbol){t->no, i, NULL});
        r->live = live;
        sym_iterate(r, s, inside, &loop);
        i = s->reverse ? term_subtract(t, i, step.value)
                       : term_add(t, i, step.value);
    }
    sym_uncertain_if(r, s->reverse ? term_at_most(t, high.value, i)
                                   : term_at_most(t, i, high.value));
    r->live = term_or(t, r->live, loop.exits);
    sym_set_found(r, any);
}

static void
run_while(struct sym_runner *r, const struct statement *s)
{
    struct terms *t = r->t;
    struct loop loop = {t->no, t->no};
    term done = t->no;
    for (uint32_t n = 0; n < r->s->loop_most; n++) {
        const struct symbol x = s->value ? sym_evaluate_alone(r, s, s->value)
                                         : (struct symbol){t->no, t->yes, NULL};
        sym_uncertain_if(r, symbol_opaque(t, x));
        const term enters = term_and(t, term_not(t, x.null), x.value);
        done = term_or(t, done, term_and(t, r->live, term_not(t, enters)));
        r->live = term_and(t, r->live, enters);
        sym_iterate(r, s, t->yes, &loop);
    }
    sym_uncertain_if(r, t->yes); // it would go on
    r->live = term_or(t, done, loop.exits);
}

static void
run_if(struct sym_runner *r, const struct statement *s)
{
    struct terms *t = r->t;
    const struct symbol x = sym_evaluate_alone(r, s, s->value);
    sym_uncertain_if(r, symbol_opaque(t, x));
    const term yes = term_and(t, term_not(t, x.null), x.value);
    const term live = r->live;
    const term in_body = term_and(t, live, yes);
    const term in_other = term_and(t, live, term_not(t, yes));
    r->live = in_body;
    run_block(r, &s->body);
    const term after_body = r->live;
    r->live = in_other;
    run_block(r, &s->other);
    r->live = after_body == in_body && r->live == in_other
                  ? live
                  : term_or(t, after_body, r->live);
}

static void
run_statement(struct sym_runner *r, const struct statement *s)
{
    struct terms *t = r->t;
    if (r->s->abstract && statement_is_loop(s)) {
        sym_repeat(r, s);
        return;
    }
    switch (s->kind) {
    case STATEMENT_SELECT:
        run_select(r, s);
        break;
    case STATEMENT_ROWS:
        run_rows(r, s);
        break;
    case STATEMENT_UPDATE:
        sym_update(r, s);
        break;
    case STATEMENT_DELETE:
        sym_delete(r, s);
        break;
    case STATEMENT_INSERT:
        sym_insert(r, s);
        break;
    case STATEMENT_ASSIGN:
        sym_set(r, s->variable, sym_evaluate_alone(r, s, s->value));
        break;
    case STATEMENT_IF:
        run_if(r, s);
        break;
    case STATEMENT_FOR:
        run_for(r, s);
        break;
    case STATEMENT_RANGE:
        run_range(r, s);
        break;
    case STATEMENT_WHILE:
        run_while(r, s);
        break;
    case STATEMENT_EXIT:
        r->loop->exits = term_or(t, r->loop->exits, r->live);
        r->live = t->no;
        break;
    case STATEMENT_CONTINUE:
        r->loop->continues = term_or(t, r->loop->continues, r->live);
        r->live = t->no;
        break;
    case STATEMENT_RETURN:
        if (s->value) {
            if (expr_has_query(s->value))
                sym_begin(r, s, false);
            sym_observe(r, s, t->yes, sym_evaluate(r, s->value));
        }
        r->live = t->no;
        break;
    case STATEMENT_RAISE:
        sym_abort_if(r, t->yes);
        r->live = t->no;
        break;
    }
}

static void
run_block(struct sym_runner *r, const struct block *b)
{
    // Also where control cannot come: two runs of an instance are compared by
    // position.
    for (uint32_t i = 0; i < b->n; i++)
        run_statement(r, b->at[i]);
}

static void
new_effects(struct symbolic *s, struct sym_run *run)
{
    struct terms *t = s->terms;
    run->effects = arena_alloc(&s->arena, (s->program->tables.n + 1) *
                                              sizeof *run->effects);
    for (uint32_t i = 0; i < s->program->tables.n; i++) {
        const uint32_t width = s->program->tables.at[i].n_columns;
        run->effects[i] =
            arena_alloc(&s->arena, (s->slots[i] + 1) * sizeof **run->effects);
        for (uint32_t j = 0; j < s->slots[i]; j++) {
            struct effect *e = &run->effects[i][j];
            e->sets_alive = e->alive = e->locked = e->shared = e->refused =
                e->early = e->early_locked = e->early_shared = e->chosen =
                    e->fresh = t->no;
            e->sets = arena_alloc(&s->arena, width * sizeof *e->sets);
            e->columns = arena_alloc(&s->arena, width * sizeof *e->columns);
            e->moves = arena_alloc(&s->arena, width * sizeof *e->moves);
            for (uint32_t k = 0; k < width; k++) {
                const bool boolean =
                    s->program->tables.at[i].columns[k].type == TYPE_BOOLEAN;
                e->sets[k] = e->moves[k] = t->no;
                e->columns[k] = (struct symbol){
                    t->no, boolean ? t->no : term_number(t, 0), NULL};
            }
        }
    }
}

void
sym_instance(struct symbolic *s, struct sym_run *run, const struct function *f)
{
    memset(run, 0, sizeof *run);
    run->function = f;
    run->arguments =
        arena_alloc(&s->arena, (f->n_parameters + 1) * sizeof *run->arguments);
    for (uint32_t i = 0; i < f->n_parameters; i++)
        run->arguments[i] = symbol_fresh(s->terms, f->variables[i].name,
                                         f->variables[i].type, f->strict);
}

static void
init_variables(struct sym_runner *r)
{
    struct terms *t = r->t;
    const struct function *f = r->function;
    r->variables =
        arena_alloc(&r->s->arena, (f->n_variables + 1) * sizeof *r->variables);
    for (uint32_t i = 0; i < f->n_variables; i++)
        r->variables[i] =
            i < f->n_parameters ? r->run->arguments[i]
            : f->variables[i].initial
                ? sym_evaluate(r, f->variables[i].initial)
                : (struct symbol){t->yes,
                                  f->variables[i].type == TYPE_BOOLEAN
                                      ? t->no
                                      : term_number(t, 0),
                                  NULL};
}

void
sym_execute(struct symbolic *s, struct sym_run *run,
            const struct sym_views *views, const struct sym_run *same)
{
    struct terms *t = s->terms;
    const size_t n = s->program->tables.n;
    new_effects(s, run);
    run->aborts = run->uncertain = run->writes_rest = t->no;
    struct sym_runner r = {.s = s,
                           .t = t,
                           .function = run->function,
                           .run = run,
                           .views = views,
                           .same = same,
                           .live = t->yes,
                           .mixed = t->no,
                           .is_early = t->yes};
    struct footprint footprint;
    footprint_init(&footprint, s->program, run->function);
    r.scan_writes = footprint.scan_writes;
    r.bound = mem_calloc(run->function->n_sources + 1, sizeof *r.bound);
    r.view.rows = mem_calloc(n + 1, sizeof *r.view.rows);
    r.old.rows = mem_calloc(n + 1, sizeof *r.old.rows);
    init_variables(&r);
    run_block(&r, &run->function->body);
    assert(!s->abstract || !views->after ||
           run->steps.n == sym_steps(s->program, &run->function->body));
    const struct step commit = {NULL, t->yes};
    vec_push(&run->steps, commit);
    footprint_free(&footprint);
    mem_free(r.old.rows);
    mem_free(r.view.rows);
    mem_free(r.bound);
}

void
sym_run_free(struct sym_run *run)
{
    vec_free(&run->inputs);
    vec_free(&run->observations);
    vec_free(&run->steps);
    vec_free(&run->reads);
}

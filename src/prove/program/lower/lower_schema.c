/* lower_schema.c -- the statements of a schema that make neither tables nor
 * functions.
 *
 * Most have no bearing on what transactions read and write, and are listed as
 * skipped.  A trigger or a rule makes the writes that it is about writes that
 * are not modelled; a policy makes the table one with row-level security; a DO
 * block that alters tables makes those tables unknown.
 *
 * SPDX-License-Identifier: MIT */
#include "prove/program/lower/lower.h"

#include "base/ascii.h"
#include "base/memory/mem.h"

#include <string.h>

void
lower_skip(struct lower *l, const char *what, const char *name, int location)
{
    const struct skipped s = {what, program_copy(l->program, name), l->file,
                              lower_line(l, location)};
    vec_push(&l->program->skipped, s);
}

static struct table *
table_of(struct lower *l, const PgQuery__RangeVar *relation)
{
    const uint32_t at = relation ? lower_table_of(l, relation) : UINT32_MAX;
    return at == UINT32_MAX ? NULL : &l->program->tables.at[at];
}

/* --- triggers and rules ---------------------------------------------------*/

/* The table of a trigger, a rule or a policy. */
static struct table *
guarded_table(struct lower *l, const PgQuery__RangeVar *relation)
{
    struct table *t = table_of(l, relation);
    if (!t && relation)
        lower_ambiguous(l, relation);
    return t;
}

static void
note_trigger(struct lower *l, const PgQuery__CreateTrigStmt *trigger)
{
    enum { INSERT = 4, DELETE = 8, UPDATE = 16 }; // PostgreSQL's TRIGGER_TYPE_*
    static const int events[TABLE_WRITES] = {INSERT, UPDATE, DELETE};
    struct table *t = guarded_table(l, trigger->relation);
    if (t && lower_trigger(l, t, trigger))
        return;
    for (int w = 0; t && w < TABLE_WRITES; w++)
        if (trigger->events & events[w])
            lower_table_guard(l, t, (enum table_write)w, "trigger",
                              trigger->trigname);
    if (t)
        t->guarded_columns = UINT64_MAX;
}

static void
note_rule(struct lower *l, const PgQuery__RuleStmt *rule)
{
    struct table *t = guarded_table(l, rule->relation);
    for (int w = 0; t && w < TABLE_WRITES; w++)
        lower_table_guard(l, t, (enum table_write)w, "rule", rule->rulename);
    if (t)
        t->guarded_columns = UINT64_MAX;
    if (t && rule->event == PG_QUERY__CMD_TYPE__CMD_SELECT && !t->unknown)
        t->unknown = "a rule makes a view of it";
}

/* --- DO -------------------------------------------------------------------*/

/* Where a word stands in a text, as a word; NULL where it does not. */
static const char *
find_word(const char *text, const char *word)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz"
                                  "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
    const size_t n = strlen(word);
    for (const char *at = text; *at; at++)
        if (ascii_compare_n(at, word, n) == 0 &&
            (at == text || !strchr(letters, at[-1])) &&
            (!at[n] || !strchr(letters, at[n])))
            return at;
    return NULL;
}

static void
alter_all(struct lower *l, const char *why)
{
    for (size_t i = 0; i < l->program->tables.n; i++)
        if (!l->program->tables.at[i].unknown)
            l->program->tables.at[i].unknown = why;
}

/* Whether a text says that it alters tables. */
static bool
says_alter(const char *text)
{
    return find_word(text, "alter") || find_word(text, "trigger") ||
           find_word(text, "rule") || find_word(text, "unique") ||
           find_word(text, "drop") || find_word(text, "truncate");
}

/* Whether a text names a function of the files that may alter tables, itself or
 * by one that it calls: one that says so, or that runs SQL from a text. */
static bool
calls_alter(struct lower *l, const char *text)
{
    bool any = false;
    VEC(uint32_t) todo = {0};
    bool *seen = mem_calloc(l->made.n + 1, sizeof *seen);
    do {
        for (uint32_t i = 0; i < l->made.n; i++)
            if (!seen[i] && find_word(text, l->made.at[i].name)) {
                seen[i] = true;
                vec_push(&todo, i);
            }
        if (!todo.n)
            break;
        const struct made *made = &l->made.at[vec_top(&todo)];
        todo.n--;
        text = made->body ? made->body : "";
        any = any || says_alter(text) || find_word(text, "execute");
    } while (!any);
    vec_free(&todo);
    mem_free(seen);
    return any;
}

/* A statement that runs once, when the schema is made, and is none of it. */
static void
note_run(struct lower *l, const PgQuery__Node *node, const char *text)
{
    const PgQuery__RangeVar *written =
        NODE_IS(node, UPDATE_STMT)   ? node->update_stmt->relation
        : NODE_IS(node, INSERT_STMT) ? node->insert_stmt->relation
        : NODE_IS(node, DELETE_STMT) ? node->delete_stmt->relation
                                     : NULL;
    if (written && strncmp(written->relname, "pg_", 3) == 0)
        alter_all(l, "a statement of the files changes the catalog");
    const size_t n = strcspn(text, ";");
    char *copy = arena_copy(&l->program->arena, text, n);
    if ((NODE_IS(node, SELECT_STMT) || NODE_IS(node, CALL_STMT)) &&
        calls_alter(l, copy))
        alter_all(l, "a function that the files call may alter it");
}

/* A block that runs once, when the schema is made.  What it does to tables is
 * not followed. */
static void
note_do(struct lower *l, const PgQuery__DoStmt *block, int location)
{
    const char *text = "";
    for (size_t i = 0; i < block->n_args; i++)
        if (strcmp(block->args[i]->def_elem->defname, "as") == 0)
            text = block->args[i]->def_elem->arg->string->sval;
    const bool alters = says_alter(text);
    if (calls_alter(l, text))
        alter_all(l, "a function that the files call may alter it");
    if (find_word(text, "function") && find_word(text, "create") &&
        find_word(text, "replace"))
        l->hidden = "a function that a DO block makes";
    const bool dynamic = find_word(text, "execute") != NULL;
    for (size_t i = 0; alters && i < l->program->tables.n; i++) {
        struct table *t = &l->program->tables.at[i];
        if ((dynamic || find_word(text, t->name)) && !t->unknown)
            t->unknown = "a DO block alters it";
    }
    lower_skip(l, "DO", "", location);
}

/* --- all of them ----------------------------------------------------------*/

/* Name what is skipped.  'what' is the statement as SQL begins it. */
static void
skip_node(struct lower *l, const PgQuery__Node *node, int location)
{
    const char *text = l->text + location;
    size_t words = 0, n = 0;
    while (text[n] && text[n] != ';' && n < 60 && words < 4) {
        words += strchr(" \t\r\n", text[n]) != NULL;
        n++;
    }
    (void)node;
    char *copy = arena_copy(&l->program->arena, text, n);
    for (char *at = copy; *at; at++)
        if (strchr("\t\r\n", *at))
            *at = ' ';
    lower_skip(l, copy, "", location);
}

void
lower_schema(struct lower *l, const PgQuery__Node *node, int location)
{
    struct table *t = NULL;
    switch (node->node_case) {
    case PG_QUERY__NODE__NODE_CREATE_TRIG_STMT:
        note_trigger(l, node->create_trig_stmt);
        return;
    case PG_QUERY__NODE__NODE_RULE_STMT:
        note_rule(l, node->rule_stmt);
        return;
    case PG_QUERY__NODE__NODE_CREATE_POLICY_STMT:
        t = guarded_table(l, node->create_policy_stmt->table);
        if (t)
            t->secured = true;
        return;
    case PG_QUERY__NODE__NODE_DO_STMT:
        note_do(l, node->do_stmt, location);
        return;
    case PG_QUERY__NODE__NODE_ALTER_FUNCTION_STMT:
        lower_note_alter_function(l, node->alter_function_stmt);
        return;
    default:
        note_run(l, node, l->text + location);
        skip_node(l, node, location);
    }
}

bool
lower_is_cycle(PgQuery__Node *const *options, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const PgQuery__DefElem *o = options[i]->def_elem;
        if (strcmp(o->defname, "cycle") == 0 && NODE_IS(o->arg, BOOLEAN) &&
            o->arg->boolean->boolval)
            return true;
    }
    return false;
}

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

static void
note_trigger(struct lower *l, const PgQuery__CreateTrigStmt *trigger)
{
    enum { INSERT = 4, DELETE = 8, UPDATE = 16 }; // PostgreSQL's TRIGGER_TYPE_*
    static const int events[TABLE_WRITES] = {INSERT, UPDATE, DELETE};
    struct table *t = table_of(l, trigger->relation);
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
    struct table *t = table_of(l, rule->relation);
    for (int w = 0; t && w < TABLE_WRITES; w++)
        lower_table_guard(l, t, (enum table_write)w, "rule", rule->rulename);
    if (t)
        t->guarded_columns = UINT64_MAX;
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

/* A block that runs once, when the schema is made.  What it does to tables is
 * not followed. */
static void
note_do(struct lower *l, const PgQuery__DoStmt *block, int location)
{
    const char *text = "";
    for (size_t i = 0; i < block->n_args; i++)
        if (strcmp(block->args[i]->def_elem->defname, "as") == 0)
            text = block->args[i]->def_elem->arg->string->sval;
    const bool alters = find_word(text, "alter") ||
                        find_word(text, "trigger") || find_word(text, "rule") ||
                        find_word(text, "unique") || find_word(text, "drop");
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
        t = table_of(l, node->create_policy_stmt->table);
        if (t)
            t->secured = true;
        return;
    case PG_QUERY__NODE__NODE_DO_STMT:
        note_do(l, node->do_stmt, location);
        return;
    default:
        skip_node(l, node, location);
    }
}

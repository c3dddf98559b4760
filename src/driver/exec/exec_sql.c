/* exec_sql.c -- SQL through a program behind exec:.
 *
 *     {"session":0,"do":"sql","sql":"select 1, null"}
 *     {"ok":true,"rows":[["1",null]]}       or       {"ok":true,"changed":1}
 *
 * The texts "begin", "commit" and "rollback" are requests of their own, because
 * most interfaces have calls for them.
 *
 * SPDX-License-Identifier: MIT */
#include "driver/exec/exec_link.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static enum outcome
misunderstood(struct exec_link *c, const char *message)
{
    return outcome_set(&c->base, OUTCOME_LOST, "protocol", message);
}

/* Take the cells of one row. */
static bool
take_row(const struct forms *f, uint32_t row, struct result_rows *out)
{
    size_t width = 0;
    if (f->at[row].kind != FORM_VECTOR)
        return false;
    for (uint32_t i = form_first(row); i < form_end(f, row);
         i = form_next(f, i)) {
        const struct form *cell = &f->at[i];
        const bool is_text = cell->kind == FORM_STRING ||
                             cell->kind == FORM_INTEGER ||
                             cell->kind == FORM_NUMBER;
        if (!is_text && cell->kind != FORM_NIL)
            return false;
        result_rows_add(out, is_text ? cell->text.at : NULL, cell->text.n);
        width++;
    }
    const bool ok = !out->n || width == out->width;
    out->width = width;
    out->n++;
    return ok;
}

static enum outcome
take_rows(struct exec_link *c, struct result_rows *out)
{
    const struct forms *f = &c->json.forms;
    const struct form *rows = json_line_get(&c->json, "rows");
    if (!rows)
        return OUTCOME_OK;
    if (rows->kind != FORM_VECTOR)
        return misunderstood(c, "\"rows\" is not an array");
    const uint32_t at = (uint32_t)(rows - f->at);
    for (uint32_t i = form_first(at); i < form_end(f, at); i = form_next(f, i))
        if (!take_row(f, i, out))
            return misunderstood(c, "\"rows\" are not arrays of one length of "
                                    "strings, numbers and null");
    return OUTCOME_OK;
}

/* Keep the details of the notices of triggers that record changes. */
static bool
take_notices(struct exec_link *c)
{
    const struct forms *f = &c->json.forms;
    const struct form *list = json_line_get(&c->json, "notices");
    if (!list || !c->base.notices)
        return true;
    if (list->kind != FORM_VECTOR)
        return false;
    const uint32_t at = (uint32_t)(list - f->at);
    for (uint32_t i = form_first(at); i < form_end(f, at);
         i = form_next(f, i)) {
        if (f->at[i].kind != FORM_STRING)
            return false;
        buf_add(c->base.notices, f->at[i].text.at, f->at[i].text.n);
        buf_char(c->base.notices, 0);
    }
    return true;
}

enum outcome
exec_query(struct connection *base, const char *sql, struct result_rows *out)
{
    struct exec_link *c = (struct exec_link *)base;
    assert(c->child && base->driver->sql);
    const bool is_plain = strcmp(sql, "begin") == 0 ||
                          strcmp(sql, "commit") == 0 ||
                          strcmp(sql, "rollback") == 0;
    if (out)
        result_rows_clear(out);
    exec_request_begin(&c->request, c->place, is_plain ? sql : "sql");
    if (!is_plain)
        json_text(&c->request, "sql", sql);
    base->changed = 0;
    enum outcome outcome = exec_ask(c);
    if (outcome == OUTCOME_FAILED && strcmp(sql, "rollback") == 0)
        return OUTCOME_LOST; // the session would go on in the transaction
    if (outcome != OUTCOME_OK)
        return outcome_of(base, outcome, sql);
    const struct form *changed = json_line_get(&c->json, "changed");
    if (changed && changed->kind != FORM_INTEGER)
        outcome = misunderstood(c, "\"changed\" is not a number");
    else if (changed)
        base->changed = strtoull(changed->text.at, NULL, 10);
    if (outcome == OUTCOME_OK && !take_notices(c))
        outcome = misunderstood(c, "\"notices\" is not an array of strings");
    if (outcome == OUTCOME_OK && out)
        outcome = take_rows(c, out);
    return outcome_of(base, outcome, sql);
}

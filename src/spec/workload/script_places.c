/* script_places.c -- see script_places.h.
 *
 * SPDX-License-Identifier: MIT */
#include "spec/workload/script_places.h"

#include "base/json.h"

#include <string.h>

void
script_places_before(struct script_places *p, const struct notes *notes)
{
    p->txn = notes->txns.n - notes->is_open;
    p->rows = notes->is_open ? vec_top(&notes->txns).rows.n : 0;
}

/* How many statements of the transaction ran so far. */
static uint32_t
count_ran(const struct script_places *p, size_t txn)
{
    uint32_t n = 0;
    for (size_t i = 0; i < p->ran.n; i++)
        n += p->ran.at[i].txn == txn;
    return n;
}

void
script_places_after(struct script_places *p, struct notes *notes,
                    size_t command, bool locks)
{
    if (p->txn >= notes->txns.n)
        return; // no transaction began
    struct noted_txn *txn = &notes->txns.at[p->txn];
    vec_push(&p->ran, ((struct script_place){p->txn, command, locks}));
    const uint32_t number = count_ran(p, p->txn);
    for (size_t i = p->rows; i < txn->rows.n; i++)
        txn->rows.at[i].step = number;
}

/* Append the text on one line: white space outside of quotes is one blank. */
static void
put_statement(const char *text, size_t n, struct buf *out)
{
    char quote = 0;
    for (size_t i = 0; i < n; i++) {
        const bool is_blank = text[i] == ' ' || text[i] == '\t' ||
                              text[i] == '\n' || text[i] == '\r';
        if (quote ? text[i] == quote : text[i] == '\'' || text[i] == '"')
            quote = quote ? 0 : text[i];
        if (!is_blank || quote)
            buf_char(out, text[i]);
        else if (out->n && out->at[out->n - 1] != ' ')
            buf_char(out, ' ');
    }
}

static const char *
metadata(struct script_places *p, size_t txn,
         const struct pgbench_script *script)
{
    struct buf out = {0}, sql = {0};
    const char *slash = strrchr(script->read.path, '/');
    json_object(&out, NULL);
    json_text(&out, "script", slash ? slash + 1 : script->read.path);
    json_array(&out, "lines");
    for (size_t i = 0; i < p->ran.n; i++)
        if (p->ran.at[i].txn == txn)
            json_u64(&out, NULL,
                     script->read.commands.at[p->ran.at[i].command].line);
    json_array_end(&out);
    json_array(&out, "sql");
    for (size_t i = 0; i < p->ran.n; i++) {
        const struct pgbench_command *c =
            &script->read.commands.at[p->ran.at[i].command];
        if (p->ran.at[i].txn != txn)
            continue;
        buf_clear(&sql);
        put_statement(c->text, c->len, &sql);
        while (sql.n && sql.at[sql.n - 1] == ' ')
            sql.n--;
        json_bytes(&out, NULL, sql.n ? sql.at : "", sql.n);
    }
    json_array_end(&out);
    json_object_end(&out);
    const uint32_t id = strings_add(&p->texts, out.at, out.n);
    buf_free(&out);
    buf_free(&sql);
    return strings_get(&p->texts, id).text;
}

/* (1) */
static void
forget_numbers(const struct script_places *p, struct noted_txn *t, size_t txn)
{
    bool locks = false;
    for (size_t i = 0; i < p->ran.n; i++)
        locks |= p->ran.at[i].txn == txn && p->ran.at[i].locks;
    for (size_t i = 0; locks && i < t->rows.n; i++)
        t->rows.at[i].step = 0;
}

void
script_places_end(struct script_places *p, struct notes *notes, size_t first,
                  const struct pgbench_script *script)
{
    for (size_t i = first; i < notes->txns.n; i++)
        if (count_ran(p, i)) {
            notes->txns.at[i].meta = metadata(p, i, script);
            forget_numbers(p, &notes->txns.at[i], i);
        }
    vec_clear(&p->ran);
}

void
script_places_free(struct script_places *p)
{
    vec_free(&p->ran);
    strings_free(&p->texts);
}

/* row_book.c -- see row_book.h.
 *
 * SPDX-License-Identifier: MIT */
#include "spec/row/row_book.h"

#include "base/container/strings.h"
#include "spec/row/row_compare.h"
#include "spec/row/row_dialect.h"

#include <pthread.h>
#include <string.h>

struct page {
    uint32_t first; // the number of the first version
    bool is_repeated;
};

struct row_book {
    pthread_mutex_t lock;   // of what follows
    struct strings entries; // table, identity and values
    VEC(struct page) pages; // by entry
    uint32_t numbers;
};

struct row_book *
row_book_new(void)
{
    struct row_book *b = mem_calloc(1, sizeof *b);
    pthread_mutex_init(&b->lock, NULL);
    return b;
}

void
row_book_clear(struct row_book *b)
{
    strings_free(&b->entries);
    b->entries = (struct strings){0};
    vec_clear(&b->pages);
}

void
row_book_free(struct row_book *b)
{
    if (!b)
        return;
    row_book_clear(b);
    vec_free(&b->pages);
    pthread_mutex_destroy(&b->lock);
    mem_free(b);
}

/* The number of an entry; b->pages.n if it is new. */
static uint32_t
find_entry(struct row_book *b, uint32_t table, const char *identity,
           const char *values)
{
    struct buf text = {0};
    buf_printf(&text, "%u %s\n%s", table, identity, values);
    const uint32_t id = strings_add(&b->entries, text.at, text.n);
    buf_free(&text);
    return id;
}

uint32_t
row_book_add(struct row_book *b, uint32_t table, const char *identity,
             const char *values, bool *is_repeated)
{
    pthread_mutex_lock(&b->lock);
    const uint32_t number = ++b->numbers;
    const uint32_t id = find_entry(b, table, identity, values);
    if (id == b->pages.n)
        vec_push(&b->pages, ((struct page){.first = number}));
    struct page *page = &b->pages.at[id];
    *is_repeated = page->first && page->first != number;
    if (*is_repeated)
        page->is_repeated = true;
    else
        page->first = number;
    pthread_mutex_unlock(&b->lock);
    return number;
}

/* What the book has about a row; a first number of 0: nothing. */
static struct page
look_up(struct row_book *b, uint32_t table, const char *identity,
        const char *values)
{
    pthread_mutex_lock(&b->lock);
    const uint32_t id = find_entry(b, table, identity, values);
    if (id == b->pages.n)
        vec_push(&b->pages, ((struct page){.first = 0}));
    const struct page page = b->pages.at[id];
    pthread_mutex_unlock(&b->lock);
    return page;
}

/* The last of the repeated versions that the transaction sees; "" if it sees
 * none of them. */
static enum outcome
ask_log(const struct watched *w, struct connection *c, uint32_t table,
        const char *identity, const char *values, struct buf *name)
{
    struct result_rows rows = {0};
    struct buf sql = {0};
    w->dialect->compare->put_lookup(&sql, table, identity, values);
    const enum outcome outcome = c->driver->query(c, sql.at, &rows);
    buf_text(name, result_rows_get(&rows, 0, 0));
    result_rows_free(&rows);
    buf_free(&sql);
    return outcome;
}

enum outcome
row_book_name(const struct watched *w, struct connection *c, uint32_t table,
              const char *identity, const char *values, struct buf *name)
{
    const struct page page = look_up(w->book, table, identity, values);
    enum outcome outcome = OUTCOME_OK;
    buf_clear(name);
    if (page.is_repeated)
        outcome = ask_log(w, c, table, identity, values, name);
    if (!page.first)
        buf_printf(name, "unknown %u %s %s", table, identity, values);
    else if (!name->n)
        buf_printf(name, "%u", page.first);
    return outcome;
}

enum outcome
row_book_name_all(const struct watched *w, struct connection *c,
                  const uint32_t *tables, size_t n, struct result_rows *rows)
{
    struct result_rows named = {0};
    struct buf name = {0};
    enum outcome outcome = OUTCOME_OK;
    if (!w->book || !rows->n || rows->width != 2 * n)
        return OUTCOME_OK; // another shape is refused elsewhere
    named.width = rows->width;
    for (size_t i = 0; outcome == OUTCOME_OK && i < rows->n; i++) {
        named.n++;
        for (size_t k = 0; outcome == OUTCOME_OK && k < n; k++) {
            const bool is_absent = result_rows_is_null(rows, i, 2 * k);
            const char *identity = result_rows_get(rows, i, 2 * k);
            const char *values = result_rows_get(rows, i, 2 * k + 1);
            if (!is_absent)
                outcome =
                    row_book_name(w, c, tables[k], identity, values, &name);
            result_rows_add(&named, is_absent ? NULL : name.at,
                            is_absent ? 0 : name.n);
            result_rows_add(&named, values, strlen(values));
        }
    }
    buf_free(&name);
    result_rows_free(rows);
    *rows = named;
    return outcome;
}

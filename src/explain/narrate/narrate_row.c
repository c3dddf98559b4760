/* narrate_row.c -- two reads of one row that disagree; see narrate.h.
 *
 * SPDX-License-Identifier: MIT */
#include "explain/narrate/narrate.h"

#include "depend/reads.h"
#include "history/row/row_text.h"

void
narrate_written(struct narration *t, key_id k)
{
    assert(k < t->h->n_keys);
    narrate_key(t, history_key_is_row(t->h, k) ? t->h->key_rows[k].row : k);
}

void
narrate_search(struct narration *t, const char *condition)
{
    buf_text(&t->b, " when it asked for ");
    if (strcmp(condition, "TRUE") == 0)
        buf_text(&t->b, "all rows");
    else
        buf_shown(&t->b, condition);
}

/* Append what a read of a row saw: "did not find row t/7 when it asked for v >
 * 5", or "read t/7 = {"v":8}". */
static void
tell_read(struct narration *t, op_id op)
{
    const struct history *h = t->h;
    const char *condition = row_text_condition(h, op_key(h, op));
    if (!condition) {
        buf_text(&t->b, "read ");
        narrate_seen(t, op);
        return;
    }
    buf_text(&t->b, "did not find row ");
    narrate_key(t, h->key_rows[op_key(h, op)].row);
    narrate_search(t, condition);
}

static void
tell_both(struct narration *t, txn_id reader, op_id first, op_id second)
{
    assert(first < second);
    narrate_txn(t, reader);
    buf_char(&t->b, ' ');
    tell_read(t, first);
    buf_text(&t->b, ", and then ");
    tell_read(t, second);
}

void
narrate_phantom_read(struct narration *t, const struct dep *miss,
                     const struct dep *back)
{
    assert(miss->kind == EDGE_RW && back->kind == EDGE_WR);
    const bool older_first = miss->read < back->read;
    tell_both(t, miss->from, older_first ? miss->read : back->read,
              older_first ? back->read : miss->read);
    buf_text(&t->b, older_first ? ": the first is from before "
                                : ": the first is from after ");
    narrate_txn(t, miss->to);
    buf_text(&t->b, older_first ? " wrote the row, the second from after that"
                                : " wrote the row, the second from before");
}

/* List the transaction, and the writers of its reads that stand alone. */
static void
list_txns(struct narration *t, const struct row_contradiction *c,
          size_t context)
{
    const op_id reads[] = {c->first, c->second};
    u32_vec txns = {0};
    vec_push(&txns, c->txn);
    for (size_t i = 0; i < 2; i++) {
        txn_id only;
        const struct txn_range all = reads_writers(t->h, reads[i], &only);
        if (all.n == 1 && all.at[0] < t->h->n_txns)
            vec_push(&txns, all.at[0]);
    }
    narrate_few_txns(t, &txns, context);
    vec_free(&txns);
}

void
narrate_row_contradiction(struct narration *t,
                          const struct row_contradiction *c, size_t context)
{
    const struct history *h = t->h;
    struct anomaly *a = t->a;
    const key_id keys[] = {op_key(h, c->first), op_key(h, c->second)};
    a->kind = row_text_condition(h, keys[0]) || row_text_condition(h, keys[1])
                  ? ANOMALY_PHANTOM_READ
                  : ANOMALY_NON_REPEATABLE;
    a->edges_in_words = "";
    for (int l = 0; l < LEVELS; l++)
        if (level_repeats_reads((enum level)l) &&
            level_set_has(level_untimed() | level_bit(a->level), (enum level)l))
            a->violated |= level_bit((enum level)l);
    a->holds &= ~a->violated;
    a->also = anomaly_table[a->kind].elle;
    list_txns(t, c, context);
    narrate_headline(t, &h->key_rows[keys[0]].row, 1);
    tell_both(t, c->txn, c->first, c->second);
    buf_text(&t->b, ": no version of the row fits both");
    a->story = narrate_keep(t);
    const char *const steps[] = {
        a->story,
        "From read atomic on, a transaction sees one version of a row until it "
        "changes the row itself",
        "So no order of the transactions explains these two reads, whichever "
        "transactions wrote what they saw",
    };
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        vec_push(&a->steps, ((struct anomaly_step){steps[i], 0, ANOMALY_NONE}));
}

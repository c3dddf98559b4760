/* narrate_argument.c -- see narrate_argument.h.
 *
 * SPDX-License-Identifier: MIT */
#include "explain/narrate/narrate_argument.h"

void
narrate_argument_push(struct narrate_argument *s, uint32_t depth, uint32_t edge)
{
    const char *text = narrate_keep(s->t);
    vec_push(&s->t->a->steps, ((struct anomaly_step){text, depth, edge}));
}

/* The number of the sentence that answered a question; 0 where none did. */
static uint32_t
sentence_of(const struct narrate_argument *s, answer_id a)
{
    if (a == ID_NONE)
        return 0;
    const struct question *q =
        &s->m->questions.at[s->m->answers.at[a].question];
    for (size_t i = s->r->steps.n; i-- > 0;) {
        const struct refute_step *step = &s->r->steps.at[i];
        if (step->answer >= q->first && step->answer < q->first + q->n &&
            step->answer != a && s->number_of[i])
            return s->number_of[i];
    }
    return 0;
}

void
narrate_argument_steps(struct narrate_argument *s, const struct dep *d)
{
    uint32_t said = 0;
    for (int i = 0; i < 2; i++) {
        const uint32_t n = sentence_of(s, d->needs[i]);
        if (!n || n == said)
            continue;
        buf_printf(&s->t->b, said ? ", %u" : " (%u", n);
        said = n;
    }
    buf_text(&s->t->b, said ? ")" : "");
}

void
narrate_argument_number(struct narrate_argument *s, answer_id a)
{
    const uint32_t n = sentence_of(s, a);
    if (n)
        buf_printf(&s->t->b, " (%u)", n);
}

void
narrate_argument_clauses(struct narrate_argument *s, const struct dep *d,
                         size_t n, answer_id assumed)
{
    bool first = true;
    for (size_t i = 0; i < n; i++) {
        // What was assumed has just been said.
        if (d[i].kind == EDGE_WW && d[i].needs[0] == assumed)
            continue;
        buf_text(&s->t->b, first ? "" : "; ");
        narrate_clause(s->t, &d[i]);
        narrate_argument_steps(s, &d[i]);
        first = false;
    }
}

void
narrate_argument_rejected(struct narrate_argument *s,
                          const struct refute_step *step, txn_id late,
                          txn_id early)
{
    struct narration *t = s->t;
    const struct dep *d = &s->r->cycles.at[step->first];
    if (step->n == 2)
        for (int i = 0; i < 2; i++) {
            const struct dep *other = &d[1 - i];
            if (d[i].kind != EDGE_WW || d[i].from != late)
                continue;
            if (other->kind == EDGE_WR) {
                narrate_txn(t, late);
                buf_text(&t->b, " read ");
                narrate_seen(t, other->read);
                buf_text(&t->b, " from it");
                return;
            }
            if (other->kind == EDGE_SO) {
                buf_text(&t->b, "it is earlier in the same session");
                return;
            }
            if (other->kind == EDGE_RW) {
                buf_text(&t->b, "had ");
                narrate_txn(t, late);
                buf_text(&t->b, " been first, ");
                narrate_txn(t, early);
                buf_text(&t->b, " could not have read ");
                narrate_seen(t, other->read);
                narrate_argument_steps(s, other);
                return;
            }
        }
    buf_text(&t->b, "the other way round there is a cycle: ");
    narrate_argument_clauses(s, d, step->n, step->answer);
}

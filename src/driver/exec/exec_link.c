/* exec_link.c -- see exec_link.h.
 *
 * SPDX-License-Identifier: MIT */
#include "driver/exec/exec_link.h"

#include <string.h>

void
exec_request_begin(struct buf *out, uint32_t place, const char *verb)
{
    buf_clear(out);
    json_object(out, NULL);
    json_u64(out, "session", place);
    json_text(out, "do", verb);
}

/* Say which request had no answer. */
static bool
name_request(const struct buf *request, struct err *err)
{
    struct json_line json = {0};
    struct err ignored = {0};
    char verb[24] = "";
    if (json_line_read(&json, request->at, request->n, &ignored))
        json_line_text(&json, "do", verb, sizeof verb);
    json_line_free(&json);
    struct err named = {0};
    err_set(&named, err->kind, "%s, before it answered \"%s\"", err->text,
            verb);
    *err = named;
    return false;
}

bool
exec_exchange(struct child *child, uint32_t place, struct buf *request,
              struct buf *answer, struct json_line *json, struct err *err)
{
    json_object_end(request);
    if (!child_ask(child, place, request, answer, err))
        return name_request(request, err);
    return json_line_read(json, answer->at, answer->n, err);
}

bool
exec_is_true(const struct json_line *json, const char *name)
{
    const struct form *f = json_line_get(json, name);
    return f && f->kind == FORM_TRUE;
}

static enum outcome
read_outcome(struct exec_link *c)
{
    static const struct {
        const char *word;
        enum outcome outcome;
    } words[] = {{"aborted", OUTCOME_ABORTED},
                 {"failed", OUTCOME_FAILED},
                 {"lost", OUTCOME_LOST}};
    char word[16], code[sizeof c->base.code], message[sizeof c->base.message];
    if (exec_is_true(&c->json, "ok") && !json_line_get(&c->json, "outcome"))
        return OUTCOME_OK;
    if (exec_is_true(&c->json, "ok"))
        return outcome_set(&c->base, OUTCOME_LOST, "protocol",
                           "the answer has both \"ok\":true and an "
                           "\"outcome\"");
    json_line_text(&c->json, "outcome", word, sizeof word);
    json_line_text(&c->json, "code", code, sizeof code);
    json_line_text(&c->json, "message", message, sizeof message);
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcmp(word, words[i].word) == 0)
            return outcome_set(&c->base, words[i].outcome,
                               *code ? code : words[i].word, message);
    return outcome_set(&c->base, OUTCOME_LOST, "protocol",
                       "the answer has neither \"ok\":true nor an \"outcome\" "
                       "that is aborted, failed or lost");
}

enum outcome
exec_ask(struct exec_link *c)
{
    struct err err = {0};
    const enum outcome outcome =
        exec_exchange(c->child, c->place, &c->request, &c->answer, &c->json,
                      &err)
            ? read_outcome(c)
            : outcome_set(&c->base, OUTCOME_LOST,
                          err.kind == ERR_SYNTAX ? "protocol" : "lost",
                          err.text);
    return outcome_of(&c->base, outcome, c->request.at);
}

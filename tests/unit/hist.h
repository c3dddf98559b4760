/* hist.h -- small histories for tests, written as text.
 *
 *     struct history h;
 *     hist(&h, "[x:=1] [x==1 y:=2]  ---  [y==2 x==?]!");
 *     ...
 *     history_free(&h);
 *
 * doc/formats/hist.md has the whole format.  In short: '---' opens the next
 * session, brackets hold a transaction, ':=' writes, '==' reads, '?' is the
 * initial state, '!' behind a bracket aborts and '?' leaves it open; 't1[...]'
 * names a transaction, '[...]@3..7' says when it ran; 'l+=1' and 'l==[1 2]'
 * append to and read a list.
 *
 * SPDX-License-Identifier: MIT */
#ifndef TEST_HIST_H
#define TEST_HIST_H

#include "format/format.h"
#include "format/readers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Make h the history that the text says; a mistake in it ends the test. */
static inline void
hist(struct history *h, const char *text)
{
    struct input in = {.name = "hist", .data = text, .size = strlen(text)};
    struct err err = {0};
    struct builder *b = builder_new(atom_nil());
    const bool ok = format_hist.read(&in, b, &err);
    if (ok && builder_finish(b, h, &err))
        return;
    char message[1024];
    err_format(&err, message, sizeof message);
    fprintf(stderr, "hist: %s\nin: %s\n", message, text);
    abort();
}

#endif

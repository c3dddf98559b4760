/* edn_token.h -- the tokens of EDN: white space, words, numbers, characters.
 *
 * SPDX-License-Identifier: MIT */
#ifndef FORMAT_FORM_EDN_TOKEN_H
#define FORMAT_FORM_EDN_TOKEN_H

#include "format/form/form.h"

/* Move over EDN's white space and comments. */
void edn_space(struct scan *s);

/* Whether the text may stand behind a colon as a keyword. */
bool edn_is_keyword(const char *text, size_t len);

/* Move over the symbol, keyword or number at s->at. */
bool edn_read_token(struct scan *s, struct span *out);

/* Read a keyword, a symbol, a number, nil, true or false. */
bool edn_read_word(struct scan *s, struct forms *f);

/* Read a character, where a backslash stands. */
bool edn_read_character(struct scan *s, struct forms *f);

#endif

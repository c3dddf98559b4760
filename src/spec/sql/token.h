/* token.h -- the tokens of SQL, and a cursor over them.
 *
 * Only what every database reads in the same way becomes a token that the
 * parser accepts.  The rest (escaped strings, dollar quotes, executable
 * comments, parameters) becomes TOKEN_OTHER, which the parser refuses.
 *
 * SPDX-License-Identifier: MIT */
#ifndef SPEC_SQL_TOKEN_H
#define SPEC_SQL_TOKEN_H

#include "base/container/vec.h"
#include "base/memory/arena.h"
#include "spec/sql/flavour.h"

enum token_kind {
    TOKEN_END,
    TOKEN_WORD,
    TOKEN_QUOTED, // an identifier in quotes
    TOKEN_STRING,
    TOKEN_NUMBER,
    TOKEN_SYMBOL, // one character
    TOKEN_OTHER,
};

struct token {
    enum token_kind kind;
    const char *at; // in the text
    size_t n;
};

typedef VEC(struct token) token_vec;
typedef VEC(const char *) text_vec;

/* The tokens of a text, comments left out; the last one is TOKEN_END. */
void tokens_read(const char *text, const struct flavour *flavour,
                 token_vec *out);

/* Why a text was not understood, and where in it. */
struct refusal {
    const char *at; // NULL: it was understood
    char text[200];
};

/* A cursor over the tokens of one statement. */
struct parser {
    const struct token *at, *end;
    const struct flavour *flavour;
    struct arena *arena;
    struct refusal refusal;
};

/* The next token; its kind is TOKEN_END after the last one. */
struct token parser_next(const struct parser *p);

/* Whether the next token is this word, in any case, or this symbol. */
bool parser_sees(const struct parser *p, const char *text);

/* If it is, skip it and return true. */
bool parser_take(struct parser *p, const char *text);

/* Skip the next token. */
void parser_skip(struct parser *p);

/* Refuse because the next token is not what was expected, unless there is a
 * refusal already; return false. */
bool parser_expected(struct parser *p, const char *what);

/* Whether no token is left; if one is, refuse in the same way. */
bool parser_ends(struct parser *p, const char *expected);

/* The same for any other reason. */
__attribute__((format(printf, 2, 3))) bool
parser_refuse(struct parser *p, const char *format, ...);

/* Copies in the arena: a token in lower case; the text from one token up to,
 * but not including, another. */
const char *parser_lower(struct parser *p, struct token t);
const char *parser_text(struct parser *p, const struct token *from,
                        const struct token *to);

/* Skip a name, "table" or "schema.table", and return it normalised. */
bool parser_take_name(struct parser *p, const char **out);

/* Skip to after the parenthesis that closes the one just taken. */
void parser_skip_parentheses(struct parser *p);

#endif

/* axioms.c -- see axioms.h.
 *
 * SPDX-License-Identifier: MIT */
#include "prove/execute/axioms.h"

#include <assert.h>
#include <string.h>

/* --- reading --------------------------------------------------------------*/

struct scanner {
    const char *text;
    size_t len, at;
    size_t line_start;
    uint64_t line;
    struct axioms *out;
    struct err *err;
    // The formula that is read.
    char names[AXIOM_VARIABLES][32];
    uint32_t n_names, depth;
};

static bool
is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/* The length of the word or sign at the place; 0 at the end of the line. */
static size_t
peek(struct scanner *s)
{
    while (s->at < s->len && (s->text[s->at] == ' ' || s->text[s->at] == '\t' ||
                              s->text[s->at] == '\r'))
        s->at++;
    if (s->at == s->len || s->text[s->at] == '\n' || s->text[s->at] == '#')
        return 0;
    size_t n = 0;
    while (s->at + n < s->len &&
           (is_letter(s->text[s->at + n]) ||
            (n && s->text[s->at + n] >= '0' && s->text[s->at + n] <= '9')))
        n++;
    if (n)
        return n;
    return s->at + 1 < s->len && memcmp(s->text + s->at, "=>", 2) == 0 ? 2 : 1;
}

static bool
fail(struct scanner *s, const char *expected)
{
    char quoted[ERR_QUOTE_ROOM];
    const size_t n = peek(s);
    if (n)
        err_set(s->err, ERR_SYNTAX, "'%s', expected %s",
                err_quote(quoted, sizeof quoted, s->text + s->at, n), expected);
    else
        err_set(s->err, ERR_SYNTAX, "end of line, expected %s", expected);
    return err_at_line(s->err, s->line, s->at - s->line_start + 1);
}

static bool
is_next(struct scanner *s, const char *word)
{
    const size_t n = peek(s);
    return n == strlen(word) && memcmp(s->text + s->at, word, n) == 0;
}

static bool
take(struct scanner *s, const char *word)
{
    if (!is_next(s, word))
        return false;
    s->at += strlen(word);
    return true;
}

static uint32_t
add_node(struct scanner *s, enum axiom_kind kind, uint32_t a, uint32_t b)
{
    const struct axiom_node node = {.kind = kind, .arg = {a, b}};
    vec_push(&s->out->nodes, node);
    return (uint32_t)s->out->nodes.n - 1;
}

static bool
read_variable(struct scanner *s, uint32_t *out)
{
    const size_t n = peek(s);
    if (!n || !is_letter(s->text[s->at]) || n >= sizeof s->names[0])
        return fail(s, "the name of a transaction");
    for (*out = 0; *out < s->n_names; ++*out)
        if (strlen(s->names[*out]) == n &&
            memcmp(s->names[*out], s->text + s->at, n) == 0)
            break;
    if (*out == AXIOM_VARIABLES)
        return fail(s, "at most four transactions in a formula");
    if (*out == s->n_names) {
        memcpy(s->names[*out], s->text + s->at, n);
        s->names[s->n_names++][n] = '\0';
    }
    s->at += n;
    return true;
}

static bool read_formula(struct scanner *s, uint32_t *out);

/* vis(a, b) or a = b. */
static bool
read_relation(struct scanner *s, uint32_t *out)
{
    static const struct {
        const char *name;
        enum axiom_kind kind;
    } relations[] = {{"vis", AXIOM_VIS},
                     {"ar", AXIOM_AR},
                     {"so", AXIOM_SO},
                     {"conflict", AXIOM_CONFLICT},
                     {"ww", AXIOM_WW}};
    enum axiom_kind kind = AXIOM_SAME;
    uint32_t x, y;
    for (size_t i = 0; i < sizeof relations / sizeof *relations; i++)
        if (is_next(s, relations[i].name))
            kind = relations[i].kind;
    if (kind != AXIOM_SAME)
        s->at += peek(s);
    if (kind != AXIOM_SAME && !take(s, "("))
        return fail(s, "'('");
    if (!read_variable(s, &x))
        return false;
    if (!take(s, kind == AXIOM_SAME ? "=" : ","))
        return fail(s, kind == AXIOM_SAME ? "'=' or one of vis, ar, so, "
                                            "conflict and ww before it"
                                          : "','");
    if (!read_variable(s, &y))
        return false;
    if (kind != AXIOM_SAME && !take(s, ")"))
        return fail(s, "')'");
    *out = add_node(s, kind, 0, 0);
    s->out->nodes.at[*out].x = x;
    s->out->nodes.at[*out].y = y;
    return true;
}

static bool
read_factor(struct scanner *s, uint32_t *out)
{
    if (s->depth == AXIOM_DEPTH)
        return fail(s, "a formula that is less deep");
    s->depth++;
    bool ok = true;
    if (take(s, "not")) {
        ok = read_factor(s, out);
        *out = ok ? add_node(s, AXIOM_NOT, *out, 0) : 0;
    } else if (take(s, "(")) {
        ok = read_formula(s, out) && (take(s, ")") || fail(s, "')'"));
    } else if (take(s, "true")) {
        *out = add_node(s, AXIOM_TRUE, 0, 0);
    } else if (take(s, "false")) {
        *out = add_node(s, AXIOM_NOT, add_node(s, AXIOM_TRUE, 0, 0), 0);
    } else if (peek(s)) {
        ok = read_relation(s, out);
    } else {
        ok = fail(s, "a formula");
    }
    s->depth--;
    return ok;
}

/* Factors joined by one word. */
static bool
read_joined(struct scanner *s, const char *word, enum axiom_kind kind,
            bool (*part)(struct scanner *, uint32_t *), uint32_t *out)
{
    uint32_t other;
    if (!part(s, out))
        return false;
    while (take(s, word)) {
        if (!part(s, &other))
            return false;
        *out = add_node(s, kind, *out, other);
    }
    return true;
}

static bool
read_and(struct scanner *s, uint32_t *out)
{
    return read_joined(s, "and", AXIOM_AND, read_factor, out);
}

static bool
read_or(struct scanner *s, uint32_t *out)
{
    return read_joined(s, "or", AXIOM_OR, read_and, out);
}

static bool
read_formula(struct scanner *s, uint32_t *out)
{
    uint32_t parts[AXIOM_DEPTH], n = 0;
    do {
        if (n == AXIOM_DEPTH)
            return fail(s, "fewer '=>'");
        if (!read_or(s, &parts[n++]))
            return false;
    } while (take(s, "=>"));
    *out = parts[n - 1];
    for (uint32_t i = n - 1; i-- > 0;)
        *out = add_node(s, AXIOM_IMPLIES, parts[i], *out);
    return true;
}

bool
axioms_parse(const char *text, size_t len, struct axioms *out, struct err *err)
{
    struct scanner s = {
        .text = text, .len = len, .line = 1, .out = out, .err = err};
    memset(out, 0, sizeof *out);
    for (; s.at < len; s.line++) {
        struct axiom a;
        s.line_start = s.at;
        s.n_names = 0;
        if (peek(&s)) {
            if (!read_formula(&s, &a.root))
                return false;
            if (peek(&s))
                return fail(&s, "'and', 'or', '=>' or the end of the line");
            a.variables = s.n_names;
            vec_push(&out->all, a);
        }
        while (s.at < len && text[s.at] != '\n')
            s.at++;
        s.at++;
    }
    return out->all.n || err_set(err, ERR_SYNTAX, "no formula, expected one");
}

void
axioms_free(struct axioms *a)
{
    vec_free(&a->nodes);
    vec_free(&a->all);
}

/* --- what they say --------------------------------------------------------*/

static bool
holds(const struct axioms *a, uint32_t node, const struct axiom_world *w,
      const uint32_t *choice)
{
    const struct axiom_node *n = &a->nodes.at[node];
    const uint32_t x = choice[n->x], y = choice[n->y];
    switch (n->kind) {
    case AXIOM_TRUE:
        return true;
    case AXIOM_VIS:
        return w->vis[y] >> x & 1;
    case AXIOM_AR:
        return x < y;
    case AXIOM_SO:
        return w->so[y] >> x & 1;
    case AXIOM_CONFLICT:
        return x != y && w->conflict[y] >> x & 1;
    case AXIOM_WW:
        return x != y && w->ww[y] >> x & 1;
    case AXIOM_SAME:
        return x == y;
    case AXIOM_NOT:
        return !holds(a, n->arg[0], w, choice);
    case AXIOM_AND:
        return holds(a, n->arg[0], w, choice) && holds(a, n->arg[1], w, choice);
    case AXIOM_OR:
        return holds(a, n->arg[0], w, choice) || holds(a, n->arg[1], w, choice);
    case AXIOM_IMPLIES:
        return !holds(a, n->arg[0], w, choice) ||
               holds(a, n->arg[1], w, choice);
    }
    return false;
}

bool
axiom_next(const struct axiom *a, uint32_t members,
           uint32_t choice[AXIOM_VARIABLES])
{
    uint32_t i = 0;
    while (i < a->variables && ++choice[i] == members)
        choice[i++] = 0;
    return i < a->variables;
}

bool
axioms_hold(const struct axioms *a, const struct axiom_world *w)
{
    for (size_t i = 0; i < a->all.n; i++) {
        uint32_t choice[AXIOM_VARIABLES] = {0};
        do
            if (!holds(a, a->all.at[i].root, w, choice))
                return false;
        while (axiom_next(&a->all.at[i], w->n, choice));
    }
    return true;
}

bool
axioms_mind_conflicts(const struct axioms *a)
{
    // Two members that conflict and do not see each other: in a session or
    // not, and whether or not the first would fail because of the second.  That
    // they write one column is not certain.
    for (uint32_t i = 0; i < 4; i++) {
        const uint32_t vis[2] = {0}, so[2] = {0, i & 1};
        const uint32_t conflict[2] = {i >> 1 & 1 ? 2 : 0, 1};
        const uint32_t ww[2] = {0};
        const struct axiom_world w = {2, vis, so, conflict, ww};
        if (axioms_hold(a, &w))
            return false;
    }
    return true;
}

/* script.c -- see script.h.
 *
 * SPDX-License-Identifier: MIT */
#include "program/script.h"

#include "base/buf.h"
#include "base/vec.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { NAME_ROOM = 64 };

enum command_kind {
    COMMAND_SQL,
    COMMAND_BEGIN,
    COMMAND_COMMIT,
    COMMAND_ROLLBACK,
    COMMAND_SET,
    COMMAND_IF,
    COMMAND_ELIF,
    COMMAND_ELSE,
    COMMAND_ENDIF,
    COMMAND_NOTHING, // \sleep and the like
};

struct command {
    enum command_kind kind;
    uint32_t line;
    const char *text; // SQL without its end, or what stands behind the word
    size_t len;
    char name[NAME_ROOM]; // SET: the variable
    bool gset;            // SQL: the row goes into variables
    char prefix[NAME_ROOM];
    bool random; // SET: drawn from a range
};

struct script {
    struct arena *arena;
    const char *path, *text, *at;
    uint32_t line; // of 'at'
    VEC(struct command) commands;
    struct buf out;
    uint32_t out_line;
    uint32_t branches;    // \if around the command that is put
    size_t first, number; // of the transaction, and of the command, that is put
    struct err *err;
};

__attribute__((format(printf, 3, 4))) static bool
fail(struct script *s, uint32_t line, const char *format, ...)
{
    va_list args;
    char text[200];
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    err_set(s->err, ERR_SYNTAX, "%s", text);
    err_at_line(s->err, line, 0);
    return err_in_file(s->err, s->path);
}

static bool
is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static bool
begins_with(const char *text, const char *word)
{
    const size_t n = strlen(word);
    return strncasecmp(text, word, n) == 0 && !is_word(text[n]);
}

/* Behind white space and comments. */
static const char *
skip_blank(const char *at, uint32_t *line)
{
    for (;; at++) {
        if (at[0] == '-' && at[1] == '-')
            while (*at && *at != '\n')
                at++;
        if (!*at || !isspace((unsigned char)*at))
            return at;
        *line += *at == '\n';
    }
}

bool
script_is(const char *text)
{
    static const char *const words[] = {"begin",  "start",  "select", "with",
                                        "insert", "update", "delete"};
    uint32_t line = 1;
    const char *at = skip_blank(text, &line);
    bool is = *at == '\\';
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        is = is || begins_with(at, words[i]);
    return is;
}

/* --- commands -------------------------------------------------------------*/

/* Behind a quoted text, a comment or one character. */
static const char *
skip_token(const char *at)
{
    if (at[0] == '\'' || at[0] == '"') {
        const char *end = strchr(at + 1, *at);
        return end ? end + 1 : at + strlen(at);
    }
    if (at[0] == '-' && at[1] == '-') {
        const char *end = strchr(at, '\n');
        return end ? end : at + strlen(at);
    }
    return at + 1;
}

static size_t
word_length(const char *at)
{
    size_t n = 0;
    while (is_word(at[n]))
        n++;
    return n;
}

static bool
take_name(struct script *s, const char **at, char out[NAME_ROOM])
{
    const size_t n = word_length(*at);
    if (!n || n >= NAME_ROOM)
        return fail(s, s->line, "a name of %zu letters, expected 1 to %d", n,
                    NAME_ROOM - 1);
    memcpy(out, *at, n);
    out[n] = '\0';
    *at += n;
    return true;
}

static const struct {
    const char *word;
    enum command_kind kind;
} words[] = {
    {"set", COMMAND_SET},
    {"if", COMMAND_IF},
    {"elif", COMMAND_ELIF},
    {"else", COMMAND_ELSE},
    {"endif", COMMAND_ENDIF},
    {"sleep", COMMAND_NOTHING},
    {"startpipeline", COMMAND_NOTHING},
    {"syncpipeline", COMMAND_NOTHING},
    {"endpipeline", COMMAND_NOTHING},
};

/* A line that begins with a backslash. */
static bool
read_meta(struct script *s)
{
    const char *at = s->at + 1;
    struct command c = {.kind = COMMAND_SQL, .line = s->line};
    const size_t n = word_length(at);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i].word) == n && memcmp(at, words[i].word, n) == 0)
            c.kind = words[i].kind;
    if (c.kind == COMMAND_SQL)
        return fail(s, s->line, "\\%.*s is not supported", (int)n, at);
    at += n;
    while (*at == ' ' || *at == '\t')
        at++;
    if (c.kind == COMMAND_SET) {
        if (!take_name(s, &at, c.name))
            return false;
        while (*at == ' ' || *at == '\t')
            at++;
        c.random = strncmp(at, "random", 6) == 0;
    }
    c.text = at;
    while (*at && *at != '\n')
        at += at[0] == '\\' && at[1] == '\n' ? (s->line++, 2) : 1;
    c.len = (size_t)(at - c.text);
    s->at = at;
    vec_push(&s->commands, c);
    return true;
}

static enum command_kind
kind_of_sql(const char *text)
{
    if (begins_with(text, "begin") || begins_with(text, "start"))
        return COMMAND_BEGIN;
    if (begins_with(text, "commit") || begins_with(text, "end"))
        return COMMAND_COMMIT;
    return begins_with(text, "rollback") || begins_with(text, "abort")
               ? COMMAND_ROLLBACK
               : COMMAND_SQL;
}

/* A statement up to its semicolon, or to \gset. */
static bool
read_sql(struct script *s)
{
    struct command c = {
        .kind = kind_of_sql(s->at), .line = s->line, .text = s->at};
    const char *at = s->at;
    while (*at && *at != ';' && *at != '\\') {
        const char *next = skip_token(at);
        for (; at < next; at++)
            s->line += *at == '\n';
    }
    c.len = (size_t)(at - c.text);
    if (*at == ';') {
        at++;
    } else if (strncmp(at, "\\gset", 5) == 0 && !is_word(at[5])) {
        c.gset = true;
        at += 5;
        while (*at == ' ' || *at == '\t')
            at++;
        if (is_word(*at) && !take_name(s, &at, c.prefix))
            return false;
    } else if (*at) {
        return fail(s, s->line,
                    "a backslash in a statement, expected ';' or "
                    "\\gset");
    } else {
        return fail(s, c.line, "a statement without ';'");
    }
    s->at = at;
    vec_push(&s->commands, c);
    return true;
}

static bool
read_commands(struct script *s)
{
    for (;;) {
        s->at = skip_blank(s->at, &s->line);
        if (!*s->at)
            return true;
        if (*s->at == ';')
            s->at++;
        else if (!(*s->at == '\\' ? read_meta(s) : read_sql(s)))
            return false;
    }
}

/* --- variables ------------------------------------------------------------*/

/* The next ":name" in a text, or NULL; what stands before it is skipped. */
static const char *
next_variable(const char *at, const char *end)
{
    while (at < end) {
        if (at[0] == ':' && at[1] == ':')
            at += 2;
        else if (at[0] == ':' && is_word(at[1]))
            return at;
        else
            at = skip_token(at);
    }
    return NULL;
}

/* Whether \gset of the command may set the variable: its targets have the word.
 * Where that is not a column of its result, lowering says so. */
static bool
provides(const struct command *c, const char *name, size_t n)
{
    const size_t prefix = strlen(c->prefix);
    if (!c->gset || n <= prefix || memcmp(name, c->prefix, prefix) != 0)
        return false;
    const char *end = c->text + c->len;
    for (const char *at = c->text; at < end; at++)
        if (is_word(*at)) {
            const size_t len = word_length(at);
            if (begins_with(at, "from"))
                return false;
            if (len == n - prefix && memcmp(at, name + prefix, len) == 0)
                return true;
            at += len - 1;
        }
    return false;
}

/* The last command from 'first' on and before 'number' whose \gset sets the
 * variable; SIZE_MAX where there is none. */
static size_t
provider(const struct script *s, size_t first, size_t number, const char *name,
         size_t n)
{
    for (size_t i = number; i-- > first;)
        if (provides(&s->commands.at[i], name, n))
            return i;
    return SIZE_MAX;
}

static void
put_variable(struct script *s, const char *name, size_t n)
{
    const size_t from = provider(s, s->first, s->number, name, n);
    if (from == SIZE_MAX) {
        buf_printf(&s->out, "\":%.*s\"", (int)n, name);
        return;
    }
    const size_t prefix = strlen(s->commands.at[from].prefix);
    buf_printf(&s->out, "gset%zu.%.*s", from, (int)(n - prefix), name + prefix);
}

/* Copy a text, with variables as quoted names. */
static void
put(struct script *s, const char *text, size_t len)
{
    const char *end = text + len, *at = text;
    while (at < end) {
        const char *variable = next_variable(at, end);
        const char *stop = variable ? variable : end;
        for (; at < stop; at++) {
            buf_char(&s->out, at[0] == '\\' && at[1] == '\n' ? ' ' : *at);
            s->out_line += *at == '\n';
        }
        if (!variable)
            return;
        const size_t n = word_length(at + 1);
        put_variable(s, at + 1, n);
        at += 1 + n;
    }
}

static void
go_to_line(struct script *s, uint32_t line)
{
    for (; s->out_line < line; s->out_line++)
        buf_char(&s->out, '\n');
}

/* --- functions ------------------------------------------------------------*/

/* A transaction: commands first to last, and those before it that set what it
 * uses. */
struct transaction {
    size_t first, last;
    VEC(const char *) parameters; // names of variables
    VEC(const char *) assigned;
    bool *needed; // of commands before 'first'
};

static bool
has(const char *const *names, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

/* Whether the command sets the variable. */
static bool
sets(const struct command *c, const char *name)
{
    return c->kind == COMMAND_SET && strcmp(c->name, name) == 0;
}

static void
add_variable(struct script *s, struct transaction *t, const char *name)
{
    bool random = false, assigned = false;
    for (size_t i = 0; i <= t->last; i++) {
        random = random ||
                 (sets(&s->commands.at[i], name) && s->commands.at[i].random);
        assigned = assigned || (sets(&s->commands.at[i], name) &&
                                !s->commands.at[i].random);
    }
    if (assigned && !random) {
        if (!has(t->assigned.at, t->assigned.n, name))
            vec_push(&t->assigned, name);
    } else if (!has(t->parameters.at, t->parameters.n, name)) {
        vec_push(&t->parameters, name);
    }
}

/* Note the variables that a command uses. */
static void
add_variables(struct script *s, struct transaction *t, size_t number)
{
    const struct command *c = &s->commands.at[number];
    const char *end = c->text + c->len;
    for (const char *at = c->text; (at = next_variable(at, end)) != NULL;
         at++) {
        const size_t n = word_length(at + 1);
        if (provider(s, t->first, number, at + 1, n) == SIZE_MAX)
            add_variable(s, t, arena_copy(s->arena, at + 1, n));
    }
    if (c->kind == COMMAND_SET)
        add_variable(s, t, c->name);
}

static bool
check_variable(struct script *s, const struct transaction *t, const char *name)
{
    uint32_t times = 0;
    bool random = false;
    for (size_t i = 0; i < s->commands.n; i++) {
        const struct command *c = &s->commands.at[i];
        times += sets(c, name);
        random = random || (sets(c, name) && c->random);
        if ((i < t->first || i > t->last) && !times &&
            provides(c, name, strlen(name)))
            return fail(s, c->line,
                        "\\gset for another transaction ('%s') is not "
                        "supported",
                        name);
    }
    if (random && times > 1)
        return fail(s, s->commands.at[t->first].line,
                    "variable '%s' is set more than once, also at random, "
                    "which is not supported",
                    name);
    return true;
}

/* "IF x < low OR x > high THEN RAISE": a range as it is drawn from. */
static bool
put_range(struct script *s, const struct command *c)
{
    const char *open = memchr(c->text, '(', c->len);
    const char *end = c->text + c->len, *at = open ? open + 1 : end;
    const char *comma[2] = {NULL, NULL};
    uint32_t depth = 0, n = 0;
    for (; at < end && !(*at == ')' && !depth); at++) {
        depth += *at == '(';
        depth -= *at == ')';
        if (*at == ',' && !depth && n < 2)
            comma[n++] = at;
    }
    const char *rest = at < end ? at + 1 : end;
    while (rest < end && isspace((unsigned char)*rest))
        rest++;
    if (!open || at == end || !n || rest < end)
        return fail(s, c->line,
                    "\\set %s, expected random(LOW, HIGH) and nothing else, or "
                    "no random value",
                    c->name);
    buf_printf(&s->out, " IF \":%s\" < ", c->name);
    put(s, open + 1, (size_t)(comma[0] - open) - 1);
    buf_printf(&s->out, " OR \":%s\" > ", c->name);
    put(s, comma[0] + 1, (size_t)((n > 1 ? comma[1] : at) - comma[0]) - 1);
    buf_text(&s->out, " THEN RAISE EXCEPTION 'range'; END IF;");
    return true;
}

static bool
put_set(struct script *s, const struct command *c)
{
    if (c->random)
        return put_range(s, c);
    buf_printf(&s->out, " \":%s\" := ", c->name);
    put(s, c->text, c->len);
    buf_char(&s->out, ';');
    return true;
}

static bool
put_sql(struct script *s, const struct command *c)
{
    const bool reads =
        begins_with(c->text, "select") || begins_with(c->text, "with");
    if (reads && !c->gset)
        buf_text(&s->out, "RETURN QUERY ");
    put(s, c->text, c->len);
    if (c->gset)
        buf_printf(&s->out, " INTO STRICT gset%zu", s->number);
    buf_char(&s->out, ';');
    if (c->gset && (!reads || memchr(c->text, '*', c->len)))
        return fail(s, c->line,
                    "\\gset behind something else than a query of columns");
    return !c->gset || !s->branches ||
           fail(s, c->line, "\\gset inside of \\if is not supported");
}

static bool
put_command(struct script *s, size_t number)
{
    const struct command *c = &s->commands.at[number];
    s->number = number;
    go_to_line(s, c->line);
    switch (c->kind) {
    case COMMAND_SQL:
        return put_sql(s, c);
    case COMMAND_SET:
        return put_set(s, c);
    case COMMAND_ROLLBACK:
        buf_text(&s->out, "RAISE EXCEPTION 'rollback';");
        return true;
    case COMMAND_IF:
    case COMMAND_ELIF:
        s->branches += c->kind == COMMAND_IF;
        buf_text(&s->out, c->kind == COMMAND_IF ? "IF " : "ELSIF ");
        put(s, c->text, c->len);
        buf_text(&s->out, " THEN ");
        return true;
    case COMMAND_ELSE:
        buf_text(&s->out, "ELSE ");
        return true;
    case COMMAND_ENDIF:
        s->branches -= s->branches > 0;
        buf_text(&s->out, "END IF;");
        return true;
    case COMMAND_BEGIN:
    case COMMAND_COMMIT:
    case COMMAND_NOTHING:
        break;
    }
    return true;
}

/* The name of the script without folders and suffix, and the number of the
 * transaction where there are several. */
static void
put_name(struct script *s, size_t number, size_t all)
{
    const char *slash = strrchr(s->path, '/');
    const char *name = slash ? slash + 1 : s->path;
    buf_char(&s->out, '"');
    for (size_t i = 0; name[i] && name[i] != '.'; i++)
        buf_char(&s->out, name[i] == '"' ? '_' : name[i]);
    if (all > 1)
        buf_printf(&s->out, "_%zu", number + 1);
    buf_char(&s->out, '"');
}

/* What the transaction needs of the commands before it. */
static void
find_needs(struct script *s, struct transaction *t)
{
    t->needed = arena_alloc(s->arena, (s->commands.n + 1) * sizeof *t->needed);
    memset(t->needed, 0, (s->commands.n + 1) * sizeof *t->needed);
    for (size_t i = t->first; i <= t->last; i++)
        add_variables(s, t, i);
    for (size_t i = t->first; i-- > 0;) {
        const struct command *c = &s->commands.at[i];
        if (c->kind != COMMAND_SET ||
            !(has(t->parameters.at, t->parameters.n, c->name) ||
              has(t->assigned.at, t->assigned.n, c->name)))
            continue;
        t->needed[i] = true;
        add_variables(s, t, i);
    }
}

static bool
put_transaction(struct script *s, struct transaction *t, size_t number,
                size_t all)
{
    find_needs(s, t);
    s->first = s->number = t->first;
    go_to_line(s, s->commands.at[t->first].line);
    buf_text(&s->out, "CREATE FUNCTION ");
    put_name(s, number, all);
    buf_char(&s->out, '(');
    for (size_t i = 0; i < t->parameters.n; i++) {
        if (!check_variable(s, t, t->parameters.at[i]))
            return false;
        buf_printf(&s->out, "%s\":%s\" bigint", i ? ", " : "",
                   t->parameters.at[i]);
    }
    buf_text(&s->out, ") RETURNS SETOF record LANGUAGE plpgsql STRICT AS "
                      "$script$ DECLARE");
    for (size_t i = 0; i < t->assigned.n; i++)
        buf_printf(&s->out, " \":%s\" bigint;", t->assigned.at[i]);
    for (size_t i = t->first; i <= t->last; i++)
        if (s->commands.at[i].gset)
            buf_printf(&s->out, " gset%zu record;", i);
    buf_text(&s->out, " BEGIN ");
    bool ok = true;
    for (size_t i = 0; ok && i < t->first; i++)
        ok = !t->needed[i] || put_set(s, &s->commands.at[i]);
    for (size_t i = t->first; ok && i <= t->last; i++)
        ok = put_command(s, i);
    buf_text(&s->out, " END $script$;");
    return ok;
}

/* Where transactions begin and end. */
static bool
find_transactions(struct script *s, struct transaction *all, size_t *n)
{
    bool inside = false;
    *n = 0;
    for (size_t i = 0; i < s->commands.n; i++) {
        const struct command *c = &s->commands.at[i];
        const bool ends =
            c->kind == COMMAND_COMMIT || c->kind == COMMAND_ROLLBACK;
        if (c->kind == COMMAND_BEGIN && inside)
            return fail(s, c->line, "BEGIN inside of a transaction");
        if (ends && !inside)
            return fail(s, c->line,
                        "the end of a transaction that did not "
                        "begin");
        if (c->kind >= COMMAND_IF && c->kind <= COMMAND_ENDIF && !inside)
            return fail(s, c->line,
                        "\\if outside of a transaction is not "
                        "supported");
        if (c->kind == COMMAND_BEGIN || (c->kind == COMMAND_SQL && !inside))
            all[(*n)++] = (struct transaction){.first = i, .last = i};
        inside = (inside || c->kind == COMMAND_BEGIN) && !ends;
        if (inside || ends)
            all[*n - 1].last = i;
    }
    if (inside)
        return fail(s, s->commands.at[all[*n - 1].first].line,
                    "BEGIN without COMMIT");
    return true;
}

const char *
script_functions(struct arena *arena, const char *path, const char *text,
                 struct err *err)
{
    struct script s = {.arena = arena,
                       .path = path,
                       .text = text,
                       .at = text,
                       .line = 1,
                       .out_line = 1,
                       .err = err};
    size_t n = 0;
    bool ok = read_commands(&s);
    struct transaction *all = mem_calloc(s.commands.n + 1, sizeof *all);
    ok = ok && find_transactions(&s, all, &n);
    for (size_t i = 0; ok && i < n; i++)
        ok = put_transaction(&s, &all[i], i, n);
    for (size_t i = 0; i < n; i++) {
        vec_free(&all[i].parameters);
        vec_free(&all[i].assigned);
    }
    const char *functions =
        ok ? arena_copy(arena, s.out.n ? s.out.at : "", s.out.n) : NULL;
    mem_free(all);
    vec_free(&s.commands);
    buf_free(&s.out);
    return functions;
}

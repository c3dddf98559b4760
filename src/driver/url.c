/* url.c -- see url.h.
 *
 * SPDX-License-Identifier: MIT */
#include "driver/url.h"

#include "base/buf.h"

#include <string.h>

static int
hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* A decoded copy of the bytes from 'at' up to 'end'. */
static const char *
decode(struct url *u, const char *at, const char *end)
{
    char *out = arena_alloc(&u->arena, (size_t)(end - at) + 1);
    char *to = out;
    while (at < end)
        if (*at == '%' && end - at > 2 && hex_digit(at[1]) >= 0 &&
            hex_digit(at[2]) >= 0) {
            *to++ = (char)(hex_digit(at[1]) * 16 + hex_digit(at[2]));
            at += 3;
        } else {
            *to++ = *at++;
        }
    *to = 0;
    return out;
}

/* The first of 'stops' from 'at' on, or 'end'. */
static const char *
find(const char *at, const char *end, const char *stops)
{
    while (at < end && !strchr(stops, *at))
        at++;
    return at;
}

static void
parse_host(struct url *u, const char *at, const char *end)
{
    // An IPv6 address has colons, and is in brackets.
    const char *close = *at == '[' ? find(at, end, "]") : at;
    const char *colon = find(close, end, ":");
    const bool bracketed = close > at && close < end;
    vec_push(&u->hosts,
             ((struct url_host){bracketed ? decode(u, at + 1, close)
                                          : decode(u, at, colon),
                                colon < end ? decode(u, colon + 1, end) : ""}));
}

static void
parse_authority(struct url *u, const char *at, const char *end)
{
    const char *sign = find(at, end, "@");
    if (sign < end) {
        const char *colon = find(at, sign, ":");
        u->user = decode(u, at, colon);
        if (colon < sign)
            u->password = decode(u, colon + 1, sign);
        at = sign + 1;
    }
    for (;;) {
        const char *comma = find(at, end, ",");
        parse_host(u, at, comma);
        if (comma == end)
            return;
        at = comma + 1;
    }
}

static bool
parse_parameters(struct url *u, const char *at, const char *end,
                 struct err *err)
{
    while (at < end) {
        const char *stop = find(at, end, "&");
        const char *equals = find(at, stop, "=");
        if (equals == stop || equals == at)
            return err_set(err, ERR_USAGE,
                           "'%s': expected name=value after the '?'", u->text);
        vec_push(&u->parameters,
                 ((struct url_parameter){decode(u, at, equals),
                                         decode(u, equals + 1, stop)}));
        at = stop < end ? stop + 1 : stop;
    }
    return true;
}

bool
url_parse(const char *text, struct url *out, struct err *err)
{
    *out = (struct url){.user = "", .password = "", .path = ""};
    out->text = arena_copy(&out->arena, text, strlen(text));
    const char *at = out->text, *end = at + strlen(at);
    const char *colon = find(at, end, ":/?");
    if (colon == end || *colon != ':' || colon == at)
        return err_set(err, ERR_USAGE,
                       "cannot parse target '%s'; expected something like "
                       "'sqlite:PATH' or 'postgresql://HOST/DATABASE'",
                       text);
    out->scheme = decode(out, at, colon);
    at = colon + 1;
    if (strcmp(out->scheme, "exec") == 0 || strcmp(out->scheme, "odbc") == 0) {
        out->path = at;
        return true;
    }
    if (end - at >= 2 && at[0] == '/' && at[1] == '/') {
        const char *slash = find(at + 2, end, "/?");
        out->has_hosts = true;
        parse_authority(out, at + 2, slash);
        at = slash < end && *slash == '/' ? slash + 1 : slash;
    }
    const char *question = find(at, end, "?");
    out->path = decode(out, at, question);
    return question == end || parse_parameters(out, question + 1, end, err);
}

void
url_free(struct url *u)
{
    vec_free(&u->hosts);
    vec_free(&u->parameters);
    arena_free(&u->arena);
}

const char *
url_get(const struct url *u, const char *name, const char *otherwise)
{
    for (size_t i = 0; i < u->parameters.n; i++)
        if (strcmp(u->parameters.at[i].name, name) == 0)
            return u->parameters.at[i].value;
    return otherwise;
}

bool
url_expect(const struct url *u, const char *const *known, struct err *err)
{
    for (size_t i = 0; i < u->parameters.n; i++) {
        size_t k = 0;
        while (known[k] && strcmp(known[k], u->parameters.at[i].name) != 0)
            k++;
        if (!known[k])
            return err_set(err, ERR_USAGE, "%s: unknown parameter '%s'",
                           u->scheme, u->parameters.at[i].name);
    }
    return true;
}

/* Append text with all characters encoded that have a meaning in a URL. */
static void
encode(struct buf *out, const char *text)
{
    for (; *text; text++)
        if (strchr("%@:/?#[],&= ", *text))
            buf_printf(out, "%%%02X", (unsigned char)*text);
        else
            buf_char(out, *text);
}

char *
url_of_host(const struct url *u, size_t i, struct arena *arena)
{
    struct buf out = {0};
    buf_printf(&out, "%s://", u->scheme);
    if (u->user[0]) {
        encode(&out, u->user);
        if (u->password[0]) {
            buf_char(&out, ':');
            encode(&out, u->password);
        }
        buf_char(&out, '@');
    }
    const struct url_host host = u->hosts.at[i];
    if (strchr(host.name, ':'))
        buf_printf(&out, "[%s]", host.name);
    else
        encode(&out, host.name);
    if (host.port[0])
        buf_printf(&out, ":%s", host.port);
    buf_char(&out, '/');
    encode(&out, u->path);
    for (size_t p = 0; p < u->parameters.n; p++) {
        buf_char(&out, p ? '&' : '?');
        encode(&out, u->parameters.at[p].name);
        buf_char(&out, '=');
        encode(&out, u->parameters.at[p].value);
    }
    char *text = arena_copy(arena, out.at, out.n);
    buf_free(&out);
    return text;
}

/* command_line.c -- see command_line.h.
 *
 * SPDX-License-Identifier: MIT */
#include "base/command_line.h"

#include "base/ascii.h"

#include <stdbool.h>
#include <string.h>

#define HIDDEN "***"

/* The password of an address, after the colon of user:password@ and before the
 * first slash.  NULL if there is none. */
static const char *
find_password(const char *address, const char **end)
{
    const char *host = strstr(address, "://");
    if (!host)
        return NULL;
    host += 3;
    // A password may contain an @, so the last one ends it.
    *end = NULL;
    for (const char *p = host; *p && *p != '/'; p++)
        if (*p == '@')
            *end = p;
    const char *colon = *end ? memchr(host, ':', (size_t)(*end - host)) : NULL;
    return colon ? colon + 1 : NULL;
}

/* The next value of a setting that is a password, or NULL. */
static const char *
find_setting(const char *word)
{
    static const char *const keys[] = {"password=", "pwd="};
    for (; *word; word++)
        for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
            if (ascii_compare_n(word, keys[i], strlen(keys[i])) == 0)
                return word + strlen(keys[i]);
    return NULL;
}

void
command_line_hide(const char *word, struct buf *out)
{
    const char *end, *password = find_password(word, &end);
    if (password) {
        buf_add(out, word, (size_t)(password - word));
        buf_text(out, HIDDEN);
        word = end;
    }
    for (const char *at; (at = find_setting(word));) {
        buf_add(out, word, (size_t)(at - word));
        buf_text(out, HIDDEN);
        word = at + strcspn(at, "&; ");
    }
    buf_text(out, word);
}

static bool
is_plain(const char *word)
{
    for (const char *p = word; *p; p++)
        if (!strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                    "0123456789_./:,=+@%-",
                    *p))
            return false;
    return *word;
}

static void
put_quoted(const char *word, struct buf *out)
{
    if (is_plain(word)) {
        buf_text(out, word);
        return;
    }
    buf_char(out, '\'');
    for (; *word; word++)
        if (*word == '\'')
            buf_text(out, "'\\''");
        else
            buf_char(out, *word);
    buf_char(out, '\'');
}

void
command_line_put(const char *word, struct buf *out)
{
    struct buf hidden = {0};
    command_line_hide(word, &hidden);
    put_quoted(hidden.n ? hidden.at : "", out);
    buf_free(&hidden);
}

void
command_line_show(int n, char *const words[], struct buf *out)
{
    buf_text(out, "assay");
    for (int i = 0; i < n; i++) {
        buf_char(out, ' ');
        command_line_put(words[i], out);
    }
}

/* command_line.c -- see command_line.h.
 *
 * SPDX-License-Identifier: MIT */
#include "cli/command_line.h"

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

static void
put_without_passwords(const char *word, struct buf *out)
{
    static const char key[] = "password=";
    const char *end, *password = find_password(word, &end);
    if (password) {
        buf_add(out, word, (size_t)(password - word));
        buf_text(out, HIDDEN);
        word = end;
    }
    for (const char *at; (at = strstr(word, key));) {
        at += strlen(key);
        buf_add(out, word, (size_t)(at - word));
        buf_text(out, HIDDEN);
        word = at + strcspn(at, "& ");
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
command_line_show(int n, char *const words[], struct buf *out)
{
    struct buf word = {0};
    buf_text(out, "assay");
    for (int i = 0; i < n; i++) {
        buf_clear(&word);
        put_without_passwords(words[i], &word);
        buf_char(out, ' ');
        put_quoted(word.n ? word.at : "", out);
    }
    buf_free(&word);
}

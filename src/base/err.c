/* err.c -- see err.h.
 *
 * SPDX-License-Identifier: MIT */
#include "base/err.h"

#include "base/print.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

bool
err_set(struct err *err, enum err_kind kind, const char *format, ...)
{
    if (err->kind != ERR_NONE)
        return false;
    err->kind = kind;
    va_list args;
    va_start(args, format);
    print_args(err->text, sizeof err->text, format, args);
    va_end(args);
    return false;
}

bool
err_at_line(struct err *err, uint64_t line, uint64_t column)
{
    if (!err->line && !err->has_byte) {
        err->line = line;
        err->column = column;
    }
    return false;
}

bool
err_at_byte(struct err *err, uint64_t byte)
{
    if (!err->line && !err->has_byte) {
        err->byte = byte;
        err->has_byte = true;
    }
    return false;
}

bool
err_in_file(struct err *err, const char *file)
{
    // Of a name that is too long both ends say more than one.
    enum { HEAD = 100 };
    const size_t n = strlen(file), room = sizeof err->file;
    if (!err->file[0] && n < room)
        memcpy(err->file, file, n + 1);
    else if (!err->file[0])
        print_text(err->file, room, "%.*s...%s", HEAD, file,
                   file + n - (room - HEAD - 4));
    return false;
}

size_t
err_format(const struct err *err, char *out, size_t room)
{
    char position[64] = "";
    if (err->line && err->column)
        print_text(position, sizeof position, "%" PRIu64 ":%" PRIu64 ": ",
                   err->line, err->column);
    else if (err->line)
        print_text(position, sizeof position, "%" PRIu64 ": ", err->line);
    else if (err->has_byte)
        print_text(position, sizeof position, "byte %" PRIu64 ": ", err->byte);
    const size_t n = print_text(out, room, "%s%s%s%s", err->file,
                                err->file[0] ? (err->line ? ":" : ": ") : "",
                                position, err->text);
    return n < room ? n : room - 1;
}

const char *
err_quote(char *out, size_t room, const char *text, size_t len)
{
    size_t n = 0;
    for (size_t i = 0; i < len; i++) {
        const unsigned char c = (unsigned char)text[i];
        char shown[8];
        const size_t k = c >= 0x20 && c < 0x7f
                             ? print_text(shown, sizeof shown, "%c", c)
                             : print_text(shown, sizeof shown, "\\x%02x", c);
        if (n + k + 4 > room) {
            memcpy(out + n, "...", 3);
            n += 3;
            break;
        }
        memcpy(out + n, shown, k);
        n += k;
    }
    out[n] = 0;
    return out;
}

/* cli.c -- see cli.h.
 *
 * SPDX-License-Identifier: MIT */
#include "cli/cli.h"
#include "base/limits/context.h"
#include "base/print.h"
#include "report/parts.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

int
cli_exit_worse(int a, int b)
{
    // Worst first: bad input, violated, unknown, satisfied.
    static const int rank[] = {[EXIT_HOLDS] = 0,
                               [EXIT_VIOLATED] = 2,
                               [EXIT_ERROR] = 3,
                               [EXIT_UNKNOWN] = 1};
    return rank[a] >= rank[b] ? a : b;
}

int
cli_report_error(const struct err *err)
{
    char text[sizeof err->file + sizeof err->text + 64];
    err_format(err, text, sizeof text);
    fflush(stdout);
    fputs(err->file[0] ? "" : "assay: ", stderr);
    cli_print_shown(stderr, text);
    fputc('\n', stderr);
    return EXIT_ERROR;
}

void
cli_print_shown(FILE *out, const char *text)
{
    struct buf shown = {0};
    buf_shown(&shown, text);
    if (shown.n)
        fwrite(shown.at, 1, shown.n, out);
    buf_free(&shown);
}

int
cli_usage_error(const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    print_args(text, sizeof text, format, args);
    va_end(args);
    struct err err = {0};
    err_set(&err, ERR_USAGE, "%s", text);
    return cli_report_error(&err);
}

unsigned
cli_thread_count(const struct options *o)
{
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    return o->threads       ? (unsigned)o->threads
           : processors > 1 ? (unsigned)processors
                            : 1;
}

void
cli_show_notes(const char *path, const struct buf *notes)
{
    for (const char *at = notes->n ? notes->at : ""; *at;) {
        const size_t n = strcspn(at, "\n");
        fputs("note: ", stderr);
        if (path) {
            cli_print_shown(stderr, path);
            fputs(": ", stderr);
        }
        fprintf(stderr, "%.*s\n", (int)n, at);
        at += n + (at[n] == '\n');
    }
}

struct progress *
cli_progress(const struct options *o, const char *what, const char *subject)
{
    const struct limits limits = {o->timeout, (size_t)o->memory};
    return progress_begin(o->quiet || limits_set(&limits), what, subject);
}

struct progress *
cli_write_progress(const struct options *o)
{
    const bool is_shown = strcmp(o->output, "-") == 0 && isatty(STDOUT_FILENO);
    return is_shown ? NULL : cli_progress(o, "writing", o->output);
}

bool
cli_load(const struct options *o, const char *path, struct history *h,
         const struct format **format)
{
    struct err err = {0};
    context_phase("reading");
    struct progress *progress = cli_progress(o, "reading", path);
    const bool ok =
        format_read(path, o->format, cli_thread_count(o), h, format, &err);
    progress_end(progress);
    if (ok) {
        cli_show_notes(path, &h->notes);
        return true;
    }
    cli_report_error(&err);
    return false;
}

void
cli_emit(struct buf *b)
{
    if (b->n)
        fwrite(b->at, 1, b->n, stdout);
    buf_clear(b);
}

void
cli_emit_text(struct buf *b)
{
    const size_t width = cli_width(STDOUT_FILENO);
    struct buf broken = {0};
    if (width && b->n) {
        part_wrap(b->at, width, &broken);
        cli_emit(&broken);
        buf_clear(b);
    }
    cli_emit(b);
    buf_free(&broken);
}

bool
cli_colour_on_stdout(void)
{
    const char *no_color = getenv("NO_COLOR");
    return isatty(STDOUT_FILENO) && !(no_color && *no_color);
}

size_t
cli_width(int fd)
{
    enum { LEAST = 40, USUAL = 80 };
    const char *columns = getenv("COLUMNS");
    long width = columns ? strtol(columns, NULL, 10) : 0;
    if (!isatty(fd))
        return 0;
    struct winsize size;
    if (width <= 0 && ioctl(fd, TIOCGWINSZ, &size) == 0)
        width = size.ws_col;
    if (width <= 0)
        return USUAL;
    return width >= LEAST ? (size_t)width : LEAST;
}

/* form_tag.c -- the canonical text of EDN's built-in tags; see form.h.
 *
 * Two notations of one moment, or of one UUID, are one value to Clojure, so
 * they have one canonical text: a moment in UTC, without trailing zeros in the
 * fraction, and a UUID in lower case with all of its digits.  A moment may stop
 * after any of its parts; a missing zone is UTC.
 *
 * A text that is neither keeps its own notation, and so does a moment that
 * leaves the years 0000 to 9999 in UTC: it is equal to itself alone.
 *
 * SPDX-License-Identifier: MIT */
#include "format/form/form.h"
#include "format/scan/decimal.h"

enum { DAY = 24 * 60 }; // minutes

/* The parts of a moment. */
struct moment {
    int64_t year, month, day, hour, minute, second;
    struct span fraction; // of a second: digits
    int64_t zone;         // minutes ahead of UTC
};

static bool
take_char(struct span *text, char c)
{
    if (!text->n || *text->at != c)
        return false;
    text->at++;
    text->n--;
    return true;
}

/* Take n digits as a number from 'least' to 'most'. */
static bool
take_number(struct span *text, size_t n, int64_t least, int64_t most,
            int64_t *out)
{
    if (text->n < n)
        return false;
    *out = 0;
    for (size_t i = 0; i < n; i++) {
        if (!is_digit(text->at[i]))
            return false;
        *out = *out * 10 + (text->at[i] - '0');
    }
    text->at += n;
    text->n -= n;
    return least <= *out && *out <= most;
}

static int64_t
days_of_month(int64_t year, int64_t month)
{
    const bool is_leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    const bool is_short = month == 4 || month == 6 || month == 9 || month == 11;
    return month == 2 ? 28 + is_leap : 31 - is_short;
}

static bool
take_fraction(struct span *text, struct span *out)
{
    *out = (struct span){text->at, 0};
    while (text->n && is_digit(*text->at)) {
        text->at++;
        text->n--;
        out->n++;
    }
    const bool is_there = out->n;
    while (out->n && out->at[out->n - 1] == '0')
        out->n--;
    return is_there;
}

static bool
take_zone(struct span *text, int64_t *out)
{
    int64_t hours, minutes;
    if (!text->n || take_char(text, 'Z'))
        return !text->n;
    const bool is_east = take_char(text, '+');
    if ((!is_east && !take_char(text, '-')) ||
        !take_number(text, 2, 0, 23, &hours) || !take_char(text, ':') ||
        !take_number(text, 2, 0, 59, &minutes))
        return false;
    *out = (hours * 60 + minutes) * (is_east ? 1 : -1);
    return !text->n;
}

/* Whether the next part of a moment follows, and not its zone. */
static bool
take_separator(struct span *text, char c)
{
    const bool is_zone = text->n == 6 && text->at[3] == ':' && c == '-';
    return !is_zone && take_char(text, c);
}

/* Parts follow each other, and any of them but the year may be missing with
 * all that follow it. */
static bool
take_parts(struct span *text, struct moment *m)
{
    const struct {
        char separator;
        int64_t least, most, *out;
    } parts[] = {{'-', 1, 12, &m->month},
                 {'-', 1, 31, &m->day},
                 {'T', 0, 23, &m->hour},
                 {':', 0, 59, &m->minute},
                 {':', 0, 59, &m->second}};
    if (!take_number(text, 4, 0, 9999, &m->year))
        return false;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (!take_separator(text, parts[i].separator))
            return m->day <= days_of_month(m->year, m->month);
        if (!take_number(text, 2, parts[i].least, parts[i].most, parts[i].out))
            return false;
    }
    return m->day <= days_of_month(m->year, m->month) &&
           (!take_char(text, '.') || take_fraction(text, &m->fraction));
}

/* Move a moment by less than a day to UTC; false if that leaves the years. */
static bool
move_to_utc(struct moment *m)
{
    int64_t minutes = m->hour * 60 + m->minute - m->zone;
    m->day += minutes < 0 ? -1 : minutes >= DAY;
    minutes += minutes < 0 ? DAY : minutes >= DAY ? -DAY : 0;
    m->hour = minutes / 60;
    m->minute = minutes % 60;
    if (m->day > days_of_month(m->year, m->month)) {
        m->day = 1;
        m->month++;
    } else if (!m->day) {
        m->month--;
        m->day = m->month ? days_of_month(m->year, m->month) : 31;
    }
    m->year += m->month > 12 ? 1 : m->month ? 0 : -1;
    m->month = m->month > 12 ? 1 : m->month ? m->month : 12;
    return m->year >= 0 && m->year <= 9999;
}

static bool
show_moment(struct span text, struct buf *out)
{
    struct moment m = {.month = 1, .day = 1};
    if (!take_parts(&text, &m) || !take_zone(&text, &m.zone) ||
        !move_to_utc(&m))
        return false;
    buf_printf(out, "\"%04d-%02d-%02dT%02d:%02d:%02d", (int)m.year,
               (int)m.month, (int)m.day, (int)m.hour, (int)m.minute,
               (int)m.second);
    if (m.fraction.n)
        buf_char(out, '.');
    buf_add(out, m.fraction.at, m.fraction.n);
    buf_text(out, "Z\"");
    return true;
}

static bool
is_hexadecimal(char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static bool
show_uuid(struct span text, struct buf *out)
{
    static const size_t groups[] = {8, 4, 4, 4, 12};
    const size_t start = out->n;
    buf_char(out, '"');
    for (size_t i = 0; i < 5; i++) {
        size_t n = 0;
        while (n < text.n && is_hexadecimal(text.at[n]))
            n++;
        if (!n || n > groups[i])
            break;
        for (size_t zeros = groups[i] - n; zeros; zeros--)
            buf_char(out, '0');
        for (size_t j = 0; j < n; j++)
            buf_char(out, text.at[j] >= 'A' && text.at[j] <= 'F'
                              ? (char)(text.at[j] - 'A' + 'a')
                              : text.at[j]);
        text.at += n;
        text.n -= n;
        buf_char(out, i < 4 ? '-' : '"');
        if (i < 4 && !take_char(&text, '-'))
            break;
        if (i == 4 && !text.n)
            return true;
    }
    out->n = start;
    return false;
}

bool
form_show_tagged_text(struct span tag, struct span text, struct buf *out)
{
    return span_is(tag, "inst")   ? show_moment(text, out)
           : span_is(tag, "uuid") ? show_uuid(text, out)
                                  : false;
}

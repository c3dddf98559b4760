/* scan_time.c -- see scan_time.h.
 *
 * SPDX-License-Identifier: MIT */
#include "format/scan/scan_time.h"

/* Take n digits at *at as a number from 'least' to 'most'. */
static bool
take_number(const char **at, const char *end, int n, int64_t least,
            int64_t most, int64_t *out)
{
    *out = 0;
    for (int i = 0; i < n; i++, ++*at) {
        if (*at == end || **at < '0' || **at > '9')
            return false;
        *out = *out * 10 + (**at - '0');
    }
    return least <= *out && *out <= most;
}

static bool
take_char(const char **at, const char *end, char c)
{
    const bool is_there = *at < end && **at == c;
    *at += is_there;
    return is_there;
}

/* Days since 1970-01-01.  Years begin in March here, so that the day that only
 * leap years have is their last one. */
static int64_t
count_days(int64_t year, int64_t month, int64_t day)
{
    year -= month <= 2;
    const int64_t era = year / 400, in_era = year - era * 400;
    const int64_t in_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    return era * 146097 + in_era * 365 + in_era / 4 - in_era / 100 + in_year -
           719468;
}

static int64_t
days_of_month(int64_t year, int64_t month)
{
    static const uint8_t days[] = {31, 28, 31, 30, 31, 30,
                                   31, 31, 30, 31, 30, 31};
    const bool is_leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    return days[month - 1] + (month == 2 && is_leap);
}

static bool
take_date(const char **at, const char *end, int64_t *days)
{
    int64_t year, month, day;
    if (!take_number(at, end, 4, 1678, 2261, &year) ||
        !take_char(at, end, '-') || !take_number(at, end, 2, 1, 12, &month) ||
        !take_char(at, end, '-') ||
        !take_number(at, end, 2, 1, days_of_month(year, month), &day))
        return false;
    *days = count_days(year, month, day);
    return true;
}

/* Digits after the point of a second, at most nine, as nanoseconds. */
static bool
take_fraction(const char **at, const char *end, int64_t *out)
{
    int64_t unit = 100000000;
    const char *begin = *at;
    for (*out = 0; *at < end && **at >= '0' && **at <= '9'; ++*at) {
        if (!unit)
            return false;
        *out += (**at - '0') * unit;
        unit /= 10;
    }
    return *at > begin;
}

/* Hours, minutes, and seconds if they are there, as nanoseconds.  A leap second
 * has no place in these: it would fall on the second that follows it, and what
 * ended in that would have ended before. */
static bool
take_clock(const char **at, const char *end, int64_t *out)
{
    int64_t hours, minutes, seconds = 0, fraction = 0;
    if (!take_number(at, end, 2, 0, 23, &hours) || !take_char(at, end, ':') ||
        !take_number(at, end, 2, 0, 59, &minutes))
        return false;
    if (take_char(at, end, ':')) {
        if (!take_number(at, end, 2, 0, 59, &seconds))
            return false;
        if (take_char(at, end, '.') && !take_fraction(at, end, &fraction))
            return false;
    }
    *out = ((hours * 60 + minutes) * 60 + seconds) * 1000000000 + fraction;
    return true;
}

/* The zone, as minutes before UTC. */
static bool
take_zone(const char **at, const char *end, int64_t *minutes,
          enum scan_clock *clock)
{
    int64_t h, m = 0;
    *minutes = 0;
    *clock = *at == end ? CLOCK_LOCAL : CLOCK_ZONE;
    if (*at == end || take_char(at, end, 'Z'))
        return true;
    const bool is_east = take_char(at, end, '+');
    if ((!is_east && !take_char(at, end, '-')) ||
        !take_number(at, end, 2, 0, 23, &h))
        return false;
    if ((take_char(at, end, ':') || *at < end) &&
        !take_number(at, end, 2, 0, 59, &m))
        return false;
    *minutes = (h * 60 + m) * (is_east ? 1 : -1);
    return true;
}

bool
scan_time_parse(struct span text, int64_t *out, enum scan_clock *clock)
{
    const char *at = text.at, *end = text.at + text.n;
    int64_t days, time, zone;
    if (!text.n || !take_date(&at, end, &days) ||
        (!take_char(&at, end, 'T') && !take_char(&at, end, ' ')) ||
        !take_clock(&at, end, &time) || !take_zone(&at, end, &zone, clock) ||
        at != end)
        return false;
    const int64_t second = 1000000000;
    *out = days * 86400 * second + time - zone * 60 * second;
    return true;
}

bool
scan_clock_agrees(enum scan_clock *clock, enum scan_clock found)
{
    assert(found != CLOCK_NONE);
    if (*clock == CLOCK_NONE)
        *clock = found;
    return *clock == found;
}

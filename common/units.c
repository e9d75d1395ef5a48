/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parses and formats times, sizes and rank lists. */
#define _GNU_SOURCE
#include "common/units.h"

#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct unit {
    const char *name;
    double factor;
};

static const double MAX_TIME_NS = 1e18, MAX_FACT_BYTES = 1e9;

static const struct unit time_units[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}, {NULL, 0}};

static const struct unit size_units[] = {
    {"", 1},
    {"B", 1},
    {"K", 1024},
    {"KiB", 1024},
    {"kB", 1e3},
    {"KB", 1e3},
    {"M", 1048576},
    {"MiB", 1048576},
    {"MB", 1e6},
    {"G", 1073741824},
    {"GiB", 1073741824},
    {"GB", 1e9},
    {"T", 1099511627776},
    {"TiB", 1099511627776},
    {"TB", 1e12},
    {NULL, 0}};

/* Sets the C locale for the thread and returns the thread's previous locale: numbers have a decimal point even if the tracer
 * runs inside an application with another locale. */
static locale_t begin_plain(locale_t *plain)
{
    *plain = newlocale(LC_ALL_MASK, "C", (locale_t)0); /* does not allocate in glibc */
    return uselocale(*plain);
}

static void end_plain(locale_t before, locale_t plain)
{
    (void)uselocale(before);
    if (plain)
        freelocale(plain);
}

static double to_number(const char *text, char **rest)
{
    locale_t plain;
    const locale_t before = begin_plain(&plain);
    const double number = strtod(text, rest);
    const int failed = errno;
    end_plain(before, plain);
    errno = failed;
    return number;
}

static void print_number(char *buf, size_t size, const char *format, int digits, double number, const char *after)
{
    locale_t plain;
    const locale_t before = begin_plain(&plain);
    snprintf(buf, size, format, digits, number, after);
    end_plain(before, plain);
}

/* Splits TEXT into a number and the rest, usually a unit. */
static int parse_number(const char *text, const char *what, double *number, char **rest,
                        struct mpg_error *err)
{
    errno = 0;
    *number = to_number(text, rest);
    if (*rest == text || errno == ERANGE || !isfinite(*number))
        return mpg_error_set(err, "'%s' is not a %s", text, what);
    return 0;
}

static const struct unit *find_unit(const struct unit *units, const char *name)
{
    while (units->name && strcmp(units->name, name) != 0)
        units++;
    return units->name ? units : NULL;
}

int mpg_units_parse_time(const char *text, double *time_ns, struct mpg_error *err)
{
    char *unit;
    double number;
    if (parse_number(text, "time", &number, &unit, err) < 0)
        return -1;
    const struct unit *u = find_unit(time_units, unit);
    if (!*unit && number != 0)
        return mpg_error_set(err, "'%s' has no unit: write %sns, %sus, %sms or %ss", text, text,
                             text, text, text);
    if (*unit && !u)
        return mpg_error_set(err, "'%s' is not a time (unknown unit '%s': ns, us, ms, s)", text,
                             unit);
    double value_ns = u ? number * u->factor : 0;
    if (!(fabs(value_ns) <= MAX_TIME_NS))
        return mpg_error_set(err, "'%s' is more than 31 years", text);
    *time_ns = value_ns;
    return 0;
}

int mpg_units_parse_size(const char *text, int64_t *size_bytes, struct mpg_error *err)
{
    char *unit;
    double number;
    if (parse_number(text, "size", &number, &unit, err) < 0)
        return -1;
    const struct unit *u = find_unit(size_units, unit);
    if (!u)
        return mpg_error_set(err, "'%s' is not a size (unknown unit '%s')", text, unit);
    double value = number * u->factor;
    if (!(fabs(value) <= 9e15) || value != floor(value))
        return mpg_error_set(err, "'%s' is not a whole number of bytes in range", text);
    *size_bytes = (int64_t)value;
    return 0;
}

int mpg_units_parse_int(const char *text, int64_t *value, struct mpg_error *err)
{
    char *end;
    errno = 0;
    long long number = strtoll(text, &end, 10);
    if (end == text || *end || errno == ERANGE)
        return mpg_error_set(err, "'%s' is not a whole number in range", text);
    *value = number;
    return 0;
}

int mpg_units_parse_real(const char *text, double *value, struct mpg_error *err)
{
    char *end;
    errno = 0;
    double number = to_number(text, &end);
    if (end == text || *end || errno == ERANGE || !isfinite(number))
        return mpg_error_set(err, "'%s' is not a number", text);
    *value = number;
    return 0;
}

int mpg_units_parse_range(const char *text, const char *what, uint64_t *first, uint64_t *last,
                          struct mpg_error *err)
{
    const char *second = text;
    char *end = NULL;
    uint64_t number[2];
    errno = 0;
    for (int i = 0; i < 2; i++) {
        number[i] = *second >= '0' && *second <= '9' ? strtoull(second, &end, 10) : (errno = EINVAL, 0);
        if (errno || (*end && (i > 0 || *end != '-')))
            return mpg_error_set(err, "'%s' is no range of %s like 0-20", text, what);
        second = *end ? end + 1 : text;
    }
    if (number[0] > number[1])
        return mpg_error_set(err, "'%s' is no range of %s like 0-20", text, what);
    *first = number[0];
    *last = number[1];
    return 0;
}

double mpg_units_of_time(double time_ns, const char **name)
{
    static const struct {
        double ns;
        const char *name;
    } units[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}, {1, "ns"}};
    size_t i = 0;
    while (i < 3 && fabs(time_ns) < units[i].ns)
        i++;
    *name = units[i].name;
    return units[i].ns;
}

char *mpg_units_format_time(char *buf, size_t size, double time_ns)
{
    const char *name;
    const double unit_ns = mpg_units_of_time(time_ns, &name);
    print_number(buf, size, "%.*g %s", unit_ns == 1e9 ? 5 : 4, time_ns / unit_ns, name);
    return buf;
}

char *mpg_units_format_size(char *buf, size_t size, int64_t size_bytes)
{
    static const char *const names[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    size_t i = 0;
    double value = (double)size_bytes;
    while (i + 1 < sizeof names / sizeof *names && fabs(value) >= 1024) {
        value /= 1024;
        i++;
    }
    print_number(buf, size, "%.*g %s", 4, value, names[i]);
    return buf;
}

char *mpg_units_format_fact(char *buf, size_t size, double value, int digits)
{
    print_number(buf, size, "%.*f%s", digits, value, "");
    return buf;
}

double mpg_units_parse_fact(const char *text, double otherwise)
{
    char plain[64], *end;
    if (!text || snprintf(plain, sizeof plain, "%s", text) >= (int)sizeof plain)
        return otherwise;
    char *comma = strchr(plain, ',');
    if (comma)
        *comma = '.';
    const double value = to_number(plain, &end);
    return end > plain && !*end && value >= 0 && value <= MAX_FACT_BYTES ? value : otherwise;
}

int mpg_rank_set_parse(const char *text, struct mpg_rank_set *set, struct mpg_error *err)
{
    struct mpg_rank_set result = {0};
    const char *p = text;
    for (;;) {
        char *end;
        errno = 0;
        long first = strtol(p, &end, 10), last = first;
        if (end == p || first < 0)
            goto bad;
        if (*end == '-') {
            p = end + 1;
            last = strtol(p, &end, 10);
            if (end == p)
                goto bad;
        }
        if (errno || last < first || last > INT32_MAX || (*end && *end != ','))
            goto bad;
        void *grown = realloc(result.ranges, (result.count + 1) * sizeof *result.ranges);
        if (!grown) {
            mpg_rank_set_clear(&result);
            return mpg_error_set(err, "out of memory");
        }
        result.ranges = grown;
        result.ranges[result.count].first = (int32_t)first;
        result.ranges[result.count++].last = (int32_t)last;
        if (!*end)
            break;
        p = end + 1;
    }
    *set = result;
    return 0;
bad:
    mpg_rank_set_clear(&result);
    return mpg_error_set(err, "'%s' is not a list of ranks like 0,4-7", text);
}

bool mpg_rank_set_contains(const struct mpg_rank_set *set, int32_t rank)
{
    if (set->count == 0)
        return true;
    for (size_t i = 0; i < set->count; i++)
        if (rank >= set->ranges[i].first && rank <= set->ranges[i].last)
            return true;
    return false;
}

void mpg_rank_set_clear(struct mpg_rank_set *set)
{
    free(set->ranges);
    set->ranges = NULL;
    set->count = 0;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of callsites: what calls cost by the place they were made from. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/units.h"
#include "trace/stat/stat.h"
#include "trace/stat/symbols.h"

static int compare_names(const void *a, const void *b)
{
    const struct stat_line *x = a, *y = b;
    return x->call != y->call ? (x->call > y->call) - (x->call < y->call)
                              : strcmp(x->places, y->places);
}

static int compare_times(const void *a, const void *b)
{
    const struct stat_line *x = a, *y = b;
    if (x->sum.time_ns != y->sum.time_ns)
        return x->sum.time_ns < y->sum.time_ns ? 1 : -1;
    return compare_names(a, b);
}

/* Joins lines of the same call and places; returns how many are left. */
static size_t join_lines(struct stat_line *lines, size_t n)
{
    size_t kept = 0;
    qsort(lines, n, sizeof *lines, compare_names);
    for (size_t i = 0; i < n; i++)
        if (kept && compare_names(&lines[kept - 1], &lines[i]) == 0) {
            mpg_stat_join(&lines[kept - 1].sum, &lines[i].sum);
            free(lines[i].places);
        } else
            lines[kept++] = lines[i];
    return kept;
}

static void print_line(const struct stat_line *l, int width)
{
    char name[64], time[32], least[32], most[32], sent[32], received[32];
    const char *place = l->places;
    snprintf(name, sizeof name, "%s%s", mpg_call_prefix(l->call), mpg_call_name(l->call));
    int before = printf("%-*s %10" PRIu64 " %10s %10s %10s %10s %10s  ", width, name,
                        l->sum.number,
                        mpg_units_format_time(time, sizeof time, l->sum.time_ns),
                        mpg_units_format_time(least, sizeof least, l->sum.least_ns),
                        mpg_units_format_time(most, sizeof most, l->sum.most_ns),
                        mpg_stat_bytes(sent, sizeof sent, l->sum.sent_bytes),
                        mpg_stat_bytes(received, sizeof received, l->sum.received_bytes));
    for (const char *end; (end = strchr(place, '\n')); place = end + 1)
        printf("%.*s\n%*s", (int)(end - place), place, before + 2, "");
    puts(place);
}

void mpg_stat_print_lines(const struct stat_line *lines, size_t n, size_t top)
{
    const size_t shown = top > 0 && top < n ? top : n;
    int width = 16;
    for (size_t i = 0; i < shown; i++) {
        int length = (int)strlen(mpg_call_name(lines[i].call)) + 4;
        width = length > width ? length : width;
    }
    printf("\n%-*s %10s %10s %10s %10s %10s %10s  %s\n", width, "call", "number", "time", "min",
           "max", "sent", "received", "from");
    for (size_t i = 0; i < shown; i++)
        print_line(&lines[i], width);
    mpg_stat_print_more(n, shown);
}

int64_t mpg_stat_make_lines(const struct stat_row *rows, size_t n, const struct stat_places *places,
                            struct mpg_symbols *symbols, int frames, struct stat_line **made,
                            struct mpg_error *err)
{
    struct stat_line *lines = calloc(n + 1, sizeof *lines);
    size_t count = 0;
    *made = NULL;
    if (!lines)
        return mpg_error_set(err, "out of memory");
    for (; count < n; count++) {
        char *name = mpg_stat_name_site(places, rows[count].site, symbols, frames, err);
        if (!name) {
            mpg_stat_free_lines(lines, count);
            return -1;
        }
        lines[count] = (struct stat_line){rows[count].call, name, rows[count].sum};
    }
    count = join_lines(lines, count);
    qsort(lines, count, sizeof *lines, compare_times);
    *made = lines;
    return (int64_t)count;
}

void mpg_stat_free_lines(struct stat_line *lines, size_t n)
{
    for (size_t i = 0; lines && i < n; i++)
        free(lines[i].places);
    free(lines);
}

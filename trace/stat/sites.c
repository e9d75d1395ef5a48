/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of callsites: what calls cost by the place they were made from. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/units.h"
#include "trace/stat/stat.h"
#include "trace/stat/symbols.h"

/* Calls of one kind whose places have the same names. */
struct line {
    enum mpg_call call;
    char *places; /* the lines of the last column, innermost first */
    struct stat_sum sum;
};

static int compare_names(const void *a, const void *b)
{
    const struct line *x = a, *y = b;
    return x->call != y->call ? (x->call > y->call) - (x->call < y->call)
                              : strcmp(x->places, y->places);
}

static int compare_times(const void *a, const void *b)
{
    const struct line *x = a, *y = b;
    if (x->sum.time_ns != y->sum.time_ns)
        return x->sum.time_ns < y->sum.time_ns ? 1 : -1;
    return compare_names(a, b);
}

/* Joins lines of the same call and places; returns how many are left. */
static size_t join_lines(struct line *lines, size_t n)
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

static void print_line(const struct line *l, int width)
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

static void print_lines(const struct line *lines, size_t n)
{
    int width = 16;
    for (size_t i = 0; i < n; i++) {
        int length = (int)strlen(mpg_call_name(lines[i].call)) + 4;
        width = length > width ? length : width;
    }
    printf("\n%-*s %10s %10s %10s %10s %10s %10s  %s\n", width, "call", "number", "time", "min",
           "max", "sent", "received", "from");
    for (size_t i = 0; i < n; i++)
        print_line(&lines[i], width);
}

int mpg_stat_print_sites(const struct stat_row *rows, size_t n, const struct stat_places *places,
                         struct mpg_symbols *symbols, int frames, struct mpg_error *err)
{
    struct line *lines = calloc(n + 1, sizeof *lines);
    int status = lines ? 0 : mpg_error_set(err, "out of memory");
    size_t made = 0;
    for (; status == 0 && made < n; made++) {
        char *name = mpg_stat_name_site(places, rows[made].site, symbols, frames, err);
        if (!name) {
            status = -1;
            break;
        }
        lines[made] = (struct line){rows[made].call, name, rows[made].sum};
    }
    if (status == 0) {
        made = join_lines(lines, made);
        qsort(lines, made, sizeof *lines, compare_times);
        print_lines(lines, made);
    }
    for (size_t i = 0; lines && i < made; i++)
        free(lines[i].places);
    free(lines);
    return status;
}

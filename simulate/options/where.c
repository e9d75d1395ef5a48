/* SPDX-License-Identifier: GPL-3.0-or-later */
/* --where, and what does not go with it. */
#include "simulate/options/arguments.h"

#include <string.h>

enum { DEFAULT_SEGMENTS = 20 };

/* Takes the word of LENGTH at TEXT. */
static int take_word(struct mpg_arguments *a, const char *text, size_t length, struct mpg_error *err)
{
    char word[16] = "";
    if (length < sizeof word)
        memcpy(word, text, length);
    const enum mpg_where_by by = mpg_where_by_name(word);
    if (by == MPG_WHERE_BYS)
        return mpg_error_set(err, "--where: '%.*s' is not call, callsite, region, rank or pair", (int)length, text);
    for (size_t i = 0; i < a->where_tables; i++)
        if (a->where_by[i] == by)
            return mpg_error_set(err, "--where: %s is there twice", word);
    a->where_by[a->where_tables++] = by;
    a->where_wanted.places = true;
    a->where_wanted.pairs = a->where_wanted.pairs || by == MPG_WHERE_BY_PAIR;
    return 0;
}

/* The path is that of times of one scenario. */
static int check_critical(struct mpg_arguments *a, struct mpg_error *err)
{
    const char *other = a->per_rank              ? "--per-rank"
                        : mpg_arguments_sweep(a) ? "several scenarios"
                                                 : NULL;
    if (a->given.segments && !a->critical_path)
        return mpg_error_set(err, "--segments says nothing without --critical-path");
    if (!a->given.segments)
        a->segments = DEFAULT_SEGMENTS;
    if (!a->critical_path)
        return 0;
    if (other)
        return mpg_error_set(err, "--critical-path and %s exclude each other", other);
    return a->predict ? 0 : mpg_error_set(err, "--critical-path is made of times, which --predict has");
}

int mpg_arguments_parse_where(struct mpg_arguments *a, struct mpg_error *err)
{
    if (check_critical(a, err) < 0)
        return -1;
    if (a->csv && !a->where && !a->target && !a->per_rank && !a->critical_path && !mpg_arguments_sweep(a))
        return mpg_error_set(err, "--csv is of a table: of --where, --critical-path, --per-rank, --target, --sweep, --tolerate or "
                                  "several --signature");
    if (a->csv && a->where && a->critical_path)
        return mpg_error_set(err, "--csv is of one table: --where or --critical-path");
    if (a->csv && a->per_rank && a->target)
        return mpg_error_set(err, "--csv and --per-rank exclude each other with --target, which has a table of its own");
    if (a->csv && a->json)
        return mpg_error_set(err, "--csv and --json exclude each other");
    if (!a->where)
        return 0;
    for (const char *p = a->where; p;) {
        const size_t length = strcspn(p, ",");
        if (take_word(a, p, length, err) < 0)
            return -1;
        p = p[length] ? p + length + 1 : NULL;
    }
    const char *other = a->per_rank              ? "--per-rank"
                        : mpg_arguments_sweep(a) ? "several scenarios"
                                                 : NULL;
    if (other)
        return mpg_error_set(err, "--where and %s exclude each other", other);
    return a->csv && a->where_tables > 1 ? mpg_error_set(err, "--csv is of one table: --where=%s",
                                                         mpg_where_by_word(a->where_by[0]))
                                         : 0;
}

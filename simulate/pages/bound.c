/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "simulate/pages/bound.h"

#include <stdlib.h>
#include <string.h>

enum { BINS = 256, QUANTILES = 101, ROWS = 1024, LIST = 64, TEXT = 600, OPPONENT_ROWS = 128 };

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static int set(json_t *object, const char *key, json_t *value, struct mpg_error *err)
{
    return json_object_set_new(object, key, value) < 0 ? mpg_error_set(err, "out of memory") : 0;
}

/* Run times of replicas in order, thinned. */
static int bound_replicas(json_t *answer, struct mpg_error *err)
{
    const json_t *replicas = json_object_get(answer, "replicas");
    const size_t n = json_array_size(replicas);
    double *run_ns = malloc((n + 1) * sizeof *run_ns);
    json_t *quantiles = json_array();
    if (!run_ns || !quantiles) {
        free(run_ns);
        json_decref(quantiles);
        return mpg_error_set(err, "out of memory");
    }
    for (size_t i = 0; i < n; i++)
        run_ns[i] = json_number_value(json_object_get(json_array_get(replicas, i), "run_time_ns"));
    qsort(run_ns, n, sizeof *run_ns, compare);
    const size_t kept = n < QUANTILES ? n : QUANTILES;
    for (size_t i = 0; i < kept; i++)
        json_array_append_new(quantiles, json_real(run_ns[kept > 1 ? i * (n - 1) / (kept - 1) : 0]));
    free(run_ns);
    json_object_del(answer, "replicas");
    return set(answer, "run_quantiles_ns", quantiles, err) < 0 ||
                   set(answer, "replica_number", json_integer((json_int_t)n), err) < 0
               ? -1
               : 0;
}

/* Means of the accounts of ranks FIRST to LAST. */
static json_t *mean_account(const json_t *ranks, size_t first, size_t last)
{
    json_t *mean = json_object(), *value;
    const char *key;
    json_object_foreach(json_object_get(json_array_get(ranks, first), "account"), key, value)
    {
        double sum = 0;
        for (size_t i = first; i <= last; i++)
            sum += json_number_value(json_object_get(json_object_get(json_array_get(ranks, i), "account"), key));
        json_object_set_new(mean, key, json_real(sum / (double)(last - first + 1)));
    }
    return mean;
}

static json_t *bin(const json_t *ranks, size_t first, size_t last)
{
    double sum = 0, worst_ns = 0;
    size_t worst = first;
    for (size_t i = first; i <= last; i++) {
        const json_t *delay = json_object_get(json_array_get(ranks, i), "delay_ns");
        const double median = json_number_value(json_object_get(delay, "median"));
        sum += median;
        if (i == first || median > worst_ns) {
            worst_ns = median;
            worst = i;
        }
    }
    return json_pack("{s:I, s:I, s:f, s:f, s:I, s:o}", "first", (json_int_t)first, "last", (json_int_t)last, "delay_ns",
                     sum / (double)(last - first + 1), "worst_ns", worst_ns, "worst_rank", (json_int_t)worst,
                     "account", mean_account(ranks, first, last));
}

static int bound_ranks(json_t *answer, struct mpg_error *err)
{
    const json_t *ranks = json_object_get(answer, "ranks");
    const size_t n = json_array_size(ranks), bins = n < BINS ? n : BINS;
    json_t *list = json_array();
    for (size_t i = 0; i < bins; i++)
        if (json_array_append_new(list, bin(ranks, i * n / bins, (i + 1) * n / bins - 1)) < 0) {
            json_decref(list);
            return mpg_error_set(err, "out of memory");
        }
    return set(answer, "ranks", list, err);
}

/* What a row of N has beside its values and run time. */
static void bound_row(json_t *row, size_t n)
{
    static const char *const spare[] = {"replicas_run_time_ns", "options", "attention", "assumptions"};
    for (size_t i = 0; i < sizeof spare / sizeof *spare; i++)
        json_object_del(row, spare[i]);
    if (n > OPPONENT_ROWS)
        json_object_del(row, "faster_than");
}

/* The first row's attention and assumptions are the table's. */
static int bound_rows(json_t *answer, struct mpg_error *err)
{
    const json_t *rows = json_object_get(answer, "rows"), *first = json_array_get(rows, 0);
    const size_t n = json_array_size(rows), kept = n < ROWS ? n : ROWS;
    json_t *list = json_array();
    if (first && (json_object_set(answer, "attention", json_object_get(first, "attention")) < 0 ||
                  json_object_set(answer, "assumptions", json_object_get(first, "assumptions")) < 0)) {
        json_decref(list);
        return mpg_error_set(err, "out of memory");
    }
    for (size_t i = 0; i < kept; i++) {
        json_t *row = json_array_get(rows, kept > 1 ? i * (n - 1) / (kept - 1) : 0);
        bound_row(row, n);
        json_array_append(list, row);
    }
    return set(answer, "rows", list, err) < 0 || set(answer, "rows_total", json_integer((json_int_t)n), err) < 0 ? -1 : 0;
}

/* Cut before the first character that does not fit as a whole. */
static void bound_text(json_t *text)
{
    const char *s = json_string_value(text);
    size_t length = TEXT;
    if (strlen(s) <= TEXT)
        return;
    while (length > 0 && ((unsigned char)s[length] & 0xC0) == 0x80)
        length--;
    char *copy = strndup(s, length);
    if (copy)
        json_string_set(text, copy);
    free(copy);
}

/* Lists and texts within VALUE, but for those that are bounded already. */
static void bound_lists(json_t *value, const char *name)
{
    static const char *const bounded[] = {"ranks", "run_quantiles_ns", "rows", "parameters"};
    const char *key;
    json_t *inner;
    size_t i, most = LIST;
    for (i = 0; i < sizeof bounded / sizeof *bounded; i++)
        if (name && strcmp(name, bounded[i]) == 0)
            most = ROWS;
    if (json_is_string(value))
        bound_text(value);
    while (json_array_size(value) > most)
        json_array_remove(value, json_array_size(value) - 1);
    json_array_foreach(value, i, inner)
        bound_lists(inner, NULL);
    json_object_foreach(value, key, inner)
        bound_lists(inner, key);
}

/* The largest rows of wait states are the first ones, unless they are ranks. */
static void bound_inner_rows(json_t *object)
{
    json_t *rows = json_object_get(object, "rows");
    while (json_array_size(rows) > LIST)
        json_array_remove(rows, json_array_size(rows) - 1);
}

static void bound_tables(json_t *object)
{
    json_t *table;
    size_t i;
    json_array_foreach(json_object_get(object, "tables"), i, table)
        bound_inner_rows(table);
}

int mpg_page_bound(json_t *answer, struct mpg_error *err)
{
    if (json_object_get(answer, "replicas") && json_is_array(json_object_get(answer, "replicas")) &&
        bound_replicas(answer, err) < 0)
        return -1;
    if (json_object_get(answer, "ranks") && bound_ranks(answer, err) < 0)
        return -1;
    if (json_object_get(answer, "rows") && bound_rows(answer, err) < 0)
        return -1;
    bound_inner_rows(json_object_get(answer, "waits"));
    bound_tables(json_object_get(answer, "where"));
    bound_tables(json_object_get(answer, "critical_path"));
    bound_lists(answer, NULL);
    return 0;
}

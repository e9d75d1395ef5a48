/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "simulate/pages/bound.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { BINS = 256, QUANTILES = 101, LIST = 64, TEXT = 600, OPPONENT_ROWS = 128 };

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* Replaces the run times of replicas by quantiles. */
static int bound_replicas(json_t *answer)
{
    const json_t *replicas = json_object_get(answer, "replicas");
    const size_t n = json_array_size(replicas), kept = n < QUANTILES ? n : QUANTILES;
    double *run_ns = malloc((n + 1) * sizeof *run_ns);
    json_t *quantiles = json_array();
    for (size_t i = 0; i < n && run_ns; i++)
        run_ns[i] = json_number_value(json_object_get(json_array_get(replicas, i), "run_time_ns"));
    if (run_ns)
        qsort(run_ns, n, sizeof *run_ns, compare);
    for (size_t i = 0; i < kept && run_ns; i++)
        json_array_append_new(quantiles, json_real(run_ns[kept > 1 ? i * (n - 1) / (kept - 1) : 0]));
    json_object_del(answer, "replicas");
    json_object_set_new(answer, "run_quantiles_ns", quantiles);
    json_object_set_new(answer, "replica_number", json_integer((json_int_t)n));
    free(run_ns);
    return run_ns ? 0 : -1;
}

/* Returns the mean of the accounts of ranks FIRST to LAST. */
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

static void bound_ranks(json_t *answer)
{
    const json_t *ranks = json_object_get(answer, "ranks");
    const size_t n = json_array_size(ranks), bins = n < BINS ? n : BINS;
    json_t *list = json_array();
    for (size_t i = 0; i < bins; i++)
        json_array_append_new(list, bin(ranks, i * n / bins, (i + 1) * n / bins - 1));
    json_object_set_new(answer, "ranks", list);
}

/* Returns the fields of a row that the page shows. OPPONENTS: also the row's number, comparison with the other rows, traced run
 * time and account. */
static json_t *compact_row(const json_t *row, bool opponents)
{
    static const char *const wanted[] = {"values", "slowdown_median", "row", "faster_than", "traced_run_time_ns",
                                         "mean_of_a_rank"};
    json_t *run = json_object_get(row, "run_time_ns");
    json_t *compact = json_pack("{s:{s:O, s:O}}", "run_time_ns", "median", json_object_get(run, "median"),
                                "median_confidence_95", json_object_get(run, "median_confidence_95"));
    for (size_t i = 0; i < (opponents ? 6 : 2); i++)
        if (json_object_get(row, wanted[i]))
            json_object_set(compact, wanted[i], json_object_get(row, wanted[i]));
    return compact;
}

/* Returns the notes called NAME of all ROWS, without duplicates. A note of only some rows is replaced by the text REST, once for
 * each topic; or, if REST is NULL, gets the number of rows with the note. */
static json_t *lines_of_all(const json_t *rows, const char *name, const char *rest)
{
    json_t *seen = json_object(), *reported = json_object(), *list = json_array(), *row, *line;
    const size_t n = json_array_size(rows);
    const char *key;
    size_t i, k;
    json_array_foreach(rows, i, row) json_array_foreach(json_object_get(row, name), k, line)
    {
        json_t *both = json_sprintf("%s\n%s", json_string_value(json_object_get(line, "topic")),
                                    json_string_value(json_object_get(line, "text")));
        json_t *known = json_object_get(seen, json_string_value(both));
        if (known)
            json_object_set_new(known, "rows", json_integer(json_integer_value(json_object_get(known, "rows")) + 1));
        else
            json_object_set_new(seen, json_string_value(both), json_pack("{s:O, s:I}", "line", line, "rows", (json_int_t)1));
        json_decref(both);
    }
    json_object_foreach(seen, key, row)
    {
        const json_int_t have = json_integer_value(json_object_get(row, "rows"));
        json_t *whole = json_object_get(row, "line"), *topic = json_object_get(whole, "topic");
        if (have == (json_int_t)n)
            json_array_append(list, whole);
        else if (!rest)
            json_array_append_new(list, json_pack("{s:O, s:o}", "topic", topic, "text",
                                                  json_sprintf("%s (%lld of %zu rows)",
                                                               json_string_value(json_object_get(whole, "text")),
                                                               (long long)have, n)));
        else if (!json_object_get(reported, json_string_value(topic))) {
            json_object_set(reported, json_string_value(topic), topic);
            json_array_append_new(list, json_pack("{s:O, s:s}", "topic", topic, "text", rest));
        }
    }
    json_decref(reported);
    json_decref(seen);
    return list;
}

/* Sets *MIN and *MAX to the indices of the rows with the shortest and the longest run time. */
static void extremes(const json_t *rows, size_t *min, size_t *max)
{
    const json_t *row;
    double low = 0, high = 0;
    size_t i;
    json_array_foreach(rows, i, row)
    {
        const double median = json_number_value(json_object_get(json_object_get(row, "run_time_ns"), "median"));
        if (i == 0 || median < low) {
            low = median;
            *min = i;
        }
        if (i == 0 || median > high) {
            high = median;
            *max = i;
        }
    }
}

/* Reduces the rows of a table. */
static void bound_rows(json_t *answer)
{
    const json_t *rows = json_object_get(answer, "rows");
    const size_t n = json_array_size(rows);
    json_t *list = json_array();
    for (size_t i = 0; i < n; i++)
        json_array_append_new(list, compact_row(json_array_get(rows, i), n <= OPPONENT_ROWS));
    json_object_set_new(answer, "attention", lines_of_all(rows, "attention", NULL));
    json_object_set_new(answer, "unreliable", lines_of_all(rows, "unreliable", NULL));
    json_object_set_new(answer, "assumptions", lines_of_all(rows, "assumptions", "differs from row to row (--json says how)"));
    json_object_set(answer, "traced_run_time_ns", json_object_get(json_array_get(rows, 0), "traced_run_time_ns"));
    json_object_set_new(answer, "rows", list);
    json_object_set_new(answer, "rows_total", json_integer((json_int_t)n));
}

void mpg_page_thin(json_t *answer)
{
    const json_t *rows = json_object_get(answer, "rows");
    const size_t n = json_array_size(rows);
    size_t min = 0, max = 0;
    json_t *list = json_array();
    extremes(rows, &min, &max);
    for (size_t i = 0; i < n; i++)
        if (i % 2 == 0 || i == min || i == max)
            json_array_append(list, json_array_get(rows, i));
    json_object_set_new(answer, "rows", list);
}

/* Cuts the text to the maximum length in a page, at the end of a character. */
static void bound_text(json_t *text)
{
    const char *s = json_string_value(text);
    size_t length = TEXT;
    if (strlen(s) <= TEXT)
        return;
    while (length > 0 && ((unsigned char)s[length] & 0xC0) == 0x80)
        length--;
    json_t *copy = json_stringn(s, length);
    json_string_set(text, json_string_value(copy));
    json_decref(copy);
}

/* Cuts the lists and texts within VALUE, which is the member NAME of an object (NULL: no member), except lists that are limited
 * already. */
static void bound_lists(json_t *value, const char *name)
{
    static const char *const bounded[] = {"ranks", "run_quantiles_ns", "rows", "parameters"};
    const char *key;
    json_t *inner;
    size_t i, max = LIST;
    if (json_is_string(value))
        bound_text(value);
    for (i = 0; i < sizeof bounded / sizeof *bounded; i++)
        if (name && strcmp(name, bounded[i]) == 0)
            max = SIZE_MAX;
    while (json_array_size(value) > max)
        json_array_remove(value, json_array_size(value) - 1);
    json_array_foreach(value, i, inner)
        bound_lists(inner, NULL);
    json_object_foreach(value, key, inner)
        bound_lists(inner, key);
}

/* Returns the time by which a row is sorted: of an account, a critical path, wait states or hypotheses. */
static double weight(const json_t *row)
{
    const json_t *time = json_object_get(row, "time_ns"), *run = json_object_get(row, "run_ns"),
                 *put_in = json_object_get(row, "injected_ns");
    const json_t *predicted = json_object_get(row, "predicted"), *alone = json_object_get(row, "alone");
    if (time)
        return json_number_value(time);
    if (run)
        return json_number_value(run);
    if (put_in)
        return json_number_value(put_in) + json_number_value(json_object_get(row, "propagated_ns"));
    if (predicted)
        return json_number_value(json_object_get(predicted, "wait_ns"));
    return fabs(json_number_value(json_object_get(json_object_get(alone, "change_ns"), "median")));
}

static int heavier(const void *a, const void *b)
{
    const double x = weight(*(json_t *const *)a), y = weight(*(json_t *const *)b);
    return x > y ? -1 : x < y;
}

/* Keeps the rows with the largest times in OBJECT's list NAME, sorted by time; NAME_total is the number of rows before. */
static int bound_heavy(json_t *object, const char *name)
{
    json_t *rows = json_object_get(object, name), *list = json_array(), *key = json_sprintf("%s_total", name);
    const size_t n = json_array_size(rows);
    const json_t **row = malloc((n + 1) * sizeof *row);
    const int status = row ? 0 : -1;
    for (size_t i = 0; i < n && row; i++)
        row[i] = json_array_get(rows, i);
    if (rows && row) {
        qsort(row, n, sizeof *row, heavier);
        for (size_t i = 0; i < n && i < LIST; i++)
            json_array_append(list, (json_t *)row[i]);
        json_object_set_new(object, json_string_value(key), json_integer((json_int_t)n));
        json_object_set(object, name, list);
    }
    free(row);
    json_decref(list);
    json_decref(key);
    return status;
}

static int bound_tables(json_t *object)
{
    json_t *table;
    size_t i;
    int status = 0;
    json_array_foreach(json_object_get(object, "tables"), i, table)
        status |= bound_heavy(table, "rows");
    return status;
}

int mpg_page_bound(json_t *answer)
{
    int status = json_is_array(json_object_get(answer, "replicas")) ? bound_replicas(answer) : 0;
    if (json_object_get(answer, "ranks"))
        bound_ranks(answer);
    if (json_object_get(answer, "rows"))
        bound_rows(answer);
    status |= bound_heavy(json_object_get(answer, "waits"), "rows") | bound_heavy(json_object_get(answer, "hypotheses"), "each") |
              bound_tables(json_object_get(answer, "where")) | bound_tables(json_object_get(answer, "critical_path"));
    bound_lists(answer, NULL);
    return status;
}

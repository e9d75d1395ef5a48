/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Collects compute rates, and times of collective operations and reductions: a list of values for each result (struct rates:
 * name, number of processes, size or core). */
#include "signature/make/collect_network.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct rates {
    char *name, *unit, *host; /* unit and host are NULL for collectives */
    int64_t together;         /* number of processes, or of cores that computed at once */
    int64_t which;            /* message size in bytes, or number of the core */
    size_t n, capacity;
    double *value;
    uint32_t *launch;         /* for each value the number of the file; files count as launches */
};

struct mpg_collect_rates {
    size_t n, files;
    struct rates *rates;
};

void mpg_collect_free_rates(struct mpg_collect_rates *list)
{
    if (!list)
        return;
    for (size_t i = 0; i < list->n; i++) {
        free(list->rates[i].launch);
        free(list->rates[i].value);
        free(list->rates[i].host);
        free(list->rates[i].unit);
        free(list->rates[i].name);
    }
    free(list->rates);
    free(list);
}

static int compare_text(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) : 0;
}

/* Compares two results by name, number of cores, host, and size or core. */
static int compare(const void *left, const void *right)
{
    const struct rates *a = left, *b = right;
    int order = compare_text(a->name, b->name);
    if (order == 0)
        order = (a->together > b->together) - (a->together < b->together);
    if (order == 0)
        order = compare_text(a->host, b->host);
    return order ? order : (a->which > b->which) - (a->which < b->which);
}

/* Finds the entry of LIST equal to KEY, or adds a copy of KEY. */
static struct rates *find(struct mpg_collect_rates *list, const struct rates *key,
                          struct mpg_error *err)
{
    for (size_t i = 0; i < list->n; i++)
        if (compare(&list->rates[i], key) == 0)
            return &list->rates[i];
    if (list->n >= MPG_SIGNATURE_MAX_LIST) {
        mpg_error_set(err, "more than %d different measurements", (int)MPG_SIGNATURE_MAX_LIST);
        return NULL;
    }
    struct rates *grown = realloc(list->rates, (list->n + 1) * sizeof *grown);
    if (!grown) {
        mpg_collect_no_memory(err);
        return NULL;
    }
    list->rates = grown;
    struct rates *made = &grown[list->n++];
    *made = (struct rates){.together = key->together, .which = key->which};
    made->name = strdup(key->name);
    made->unit = key->unit ? strdup(key->unit) : NULL;
    made->host = key->host ? strdup(key->host) : NULL;
    if (!made->name || (key->unit && !made->unit) || (key->host && !made->host)) {
        mpg_collect_no_memory(err);
        return NULL;
    }
    return made;
}

static int append(struct rates *rates, double value, size_t file, struct mpg_error *err)
{
    if (rates->n == rates->capacity) {
        size_t capacity = rates->capacity ? 2 * rates->capacity : 64;
        double *grown = realloc(rates->value, capacity * sizeof *grown);
        if (!grown)
            return mpg_collect_no_memory(err);
        rates->value = grown;
        uint32_t *launch = realloc(rates->launch, capacity * sizeof *launch);
        if (!launch)
            return mpg_collect_no_memory(err);
        rates->launch = launch;
        rates->capacity = capacity;
    }
    rates->launch[rates->n] = (uint32_t)file;
    rates->value[rates->n++] = value;
    return 0;
}

/* The words of a header line, e.g. "kernels"; each word is copied when a sample first needs the word. */
struct names {
    const char *key;
    size_t n;
    char **name;
};

static const char *name_of(struct names *names, const struct mpg_results *r, double number,
                           struct mpg_error *err)
{
    while ((double)names->n <= number) {
        char **grown = realloc(names->name, (names->n + 1) * sizeof *grown);
        if (!grown) {
            mpg_collect_no_memory(err);
            return NULL;
        }
        names->name = grown;
        if (!(grown[names->n] = mpg_collect_word(r, names->key, names->n, err)))
            return NULL;
        names->n++;
    }
    return names->name[(size_t)number];
}

static void free_names(struct names *names)
{
    for (size_t i = 0; i < names->n; i++)
        free(names->name[i]);
    free(names->name);
}

static int make_list(struct mpg_collect_rates **list, struct mpg_error *err)
{
    if (!*list && !(*list = calloc(1, sizeof **list)))
        return mpg_collect_no_memory(err);
    (*list)->files++;
    return 0;
}

/* Checks that TOGETHER is >= 1 and fits an int; WHAT: name in the error message. */
static int check_together(double together, const char *what, struct mpg_error *err)
{
    if (together < 1 || together > INT32_MAX)
        return mpg_error_set(err, "%.15g %s", together, what);
    return 0;
}

int mpg_collect_add_compute(struct mpg_collect *c, const struct mpg_results *r, int64_t id,
                            struct mpg_error *err)
{
    struct names kernels = {.key = "kernels"}, units = {.key = "kernel_units"};
    int status = make_list(&c->compute, err);
    for (size_t i = 0; status == 0 && i < r->samples; i++) {
        double number = r->column[MPG_COLUMN_KERNEL][i];
        double cores = r->column[MPG_COLUMN_CORES][i];
        struct rates key = {.host = (char *)mpg_collect_fact(r, "host"), .which = id,
                            .together = (int64_t)cores};
        struct rates *rates = NULL;
        if ((status = check_together(cores, "cores at once", err)) == 0 &&
            (key.name = (char *)name_of(&kernels, r, number, err)) &&
            (key.unit = (char *)name_of(&units, r, number, err)) &&
            (rates = find(c->compute, &key, err)))
            status = append(rates, r->column[MPG_COLUMN_RATE][i], c->compute->files, err);
        if (!rates)
            status = -1;
        if (status < 0)
            mpg_error_prefix(err, "%s: sample %zu", r->path, i);
    }
    free_names(&kernels);
    free_names(&units);
    return status;
}

int mpg_collect_add_collective(struct mpg_collect *c, const struct mpg_results *r,
                               struct mpg_error *err)
{
    struct names operations = {.key = "operations"};
    int status = make_list(&c->collective, err);
    for (size_t i = 0; status == 0 && i < r->samples; i++) {
        double processes = r->column[MPG_COLUMN_PROCESSES][i];
        struct rates key = {.together = (int64_t)processes,
                            .which = (int64_t)r->column[MPG_COLUMN_SIZE_BYTES][i]};
        struct rates *rates = NULL;
        if ((status = check_together(processes, "processes", err)) == 0 &&
            (key.name = (char *)name_of(&operations, r, r->column[MPG_COLUMN_OPERATION][i],
                                        err)) &&
            (rates = find(c->collective, &key, err)))
            status = append(rates, r->column[MPG_COLUMN_TIME_NS][i], c->collective->files, err);
        if (!rates)
            status = -1;
        if (status < 0)
            mpg_error_prefix(err, "%s: sample %zu", r->path, i);
    }
    free_names(&operations);
    return status;
}

/* Returns *TEXT and sets *TEXT to NULL: the caller now owns the text. */
static char *move(char **text)
{
    char *moved = *text;
    *text = NULL;
    return moved;
}

/* Makes the distribution *D of FROM's values; each file counts as a launch. */
static int make_distribution(const struct rates *from, struct mpg_distribution **d,
                             struct mpg_error *err)
{
    struct mpg_samples samples = {.n = from->n, .value = from->value, .launch = from->launch};
    return mpg_collect_samples(&samples, false, d, err);
}

/* Makes a distribution for each launch if all FILES have values of FROM. FROM's values are in the files' order. */
static int make_launches(const struct rates *from, size_t files, struct mpg_launches *launches,
                         struct mpg_error *err)
{
    size_t *start = malloc((files + 1) * sizeof *start), parts = 0;
    if (!start)
        return mpg_collect_no_memory(err);
    for (size_t i = 0; i < from->n; i++)
        if (i == 0 || from->launch[i] != from->launch[i - 1])
            start[parts++] = i;
    int status =
        parts == files ? mpg_collect_launch_distributions(from->value, from->n, start, parts, launches, err) : 0;
    free(start);
    return status;
}

/* Returns whether RATES has times of a reduction's arithmetic, which each rank does alone. */
static bool is_reduction(const struct rates *rates)
{
    return strcmp(rates->name, "reduce_local") == 0 || strcmp(rates->name, "reduce_sent") == 0;
}

static int put_collectives(struct mpg_signature *sig, struct mpg_collect_rates *list,
                           struct mpg_error *err)
{
    qsort(list->rates, list->n, sizeof *list->rates, compare);
    sig->collective = calloc(list->n + 1, sizeof *sig->collective);
    sig->reduction = calloc(list->n + 1, sizeof *sig->reduction);
    if (!sig->collective || !sig->reduction)
        return mpg_collect_no_memory(err);
    for (size_t i = 0; i < list->n; i++) {
        struct rates *from = &list->rates[i];
        struct mpg_collective_time *to = is_reduction(from) ? &sig->reduction[sig->reductions++]
                                                            : &sig->collective[sig->collectives++];
        to->operation = move(&from->name);
        to->processes = (int)from->together;
        to->size_bytes = from->which;
        if (make_distribution(from, &to->time_ns, err) < 0 ||
            make_launches(from, list->files, &to->launches, err) < 0)
            return -1;
    }
    return 0;
}

/* Sets TO's mean rate for each launch, if FROM has values of several launches. */
static int make_launch_means(const struct rates *from, struct mpg_compute_rate *to, struct mpg_error *err)
{
    size_t n = 0, first = 0;
    if (from->n == 0 || from->launch[0] == from->launch[from->n - 1])
        return 0;
    for (size_t i = 0; i < from->n; i++)
        n += i == 0 || from->launch[i] != from->launch[i - 1];
    if (n > MPG_SIGNATURE_MAX_LAUNCHES)
        return mpg_error_set(err, "more than %d launches", (int)MPG_SIGNATURE_MAX_LAUNCHES);
    if (!(to->launch_mean = malloc(n * sizeof *to->launch_mean)))
        return mpg_collect_no_memory(err);
    for (size_t i = 1; i <= from->n; i++) {
        if (i < from->n && from->launch[i] == from->launch[first])
            continue;
        double sum = 0;
        for (size_t k = first; k < i; k++)
            sum += from->value[k];
        to->launch_mean[to->launches++] = sum / (double)(i - first);
        first = i;
    }
    return 0;
}

static int put_rates(struct mpg_signature *sig, struct mpg_collect_rates *list,
                     struct mpg_error *err)
{
    const char *hosts = mpg_fact_find(sig->fact, sig->facts, "host");
    qsort(list->rates, list->n, sizeof *list->rates, compare);
    if (!(sig->rate = calloc(list->n + 1, sizeof *sig->rate)))
        return mpg_collect_no_memory(err);
    for (size_t i = 0; i < list->n; i++) {
        struct rates *from = &list->rates[i];
        struct mpg_compute_rate *to = &sig->rate[sig->rates++];
        bool only_host = hosts && strcmp(from->host, hosts) == 0;
        to->kernel = move(&from->name);
        to->unit = move(&from->unit);
        to->host = only_host ? NULL : move(&from->host);
        to->core = (int)from->which;
        to->cores_at_once = (int)from->together;
        if (make_launch_means(from, to, err) < 0 || make_distribution(from, &to->rate, err) < 0)
            return -1;
    }
    return 0;
}

int mpg_collect_put_compute(struct mpg_collect *c, struct mpg_error *err)
{
    if (c->collective && put_collectives(c->sig, c->collective, err) < 0)
        return mpg_error_prefix(err, "collective operations");
    if (c->compute && put_rates(c->sig, c->compute, err) < 0)
        return mpg_error_prefix(err, "compute rates");
    return 0;
}

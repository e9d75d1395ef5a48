/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE
#include "scale/read/set.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int out_of_memory(struct mpg_error *err)
{
    return mpg_error_set(err, "out of memory");
}

/* ---- the order of runs ---- */

struct place {
    struct scale_run run;
    const struct scale_column *column;
};

static int compare_runs(const void *x, const void *y)
{
    const struct scale_run *a = &((const struct place *)x)->run, *b = &((const struct place *)y)->run;
    if (a->ranks != b->ranks)
        return a->ranks < b->ranks ? -1 : 1;
    if (a->app_ns != b->app_ns)
        return a->app_ns < b->app_ns ? -1 : 1;
    if (a->comm_ns != b->comm_ns)
        return a->comm_ns < b->comm_ns ? -1 : 1;
    return strcmp(a->path, b->path);
}

/* Splits the set's runs into kept runs (set->runs) and the rest (set->others), both sorted. PLACE gets the runs in this order,
 * each with its column of TREE. */
static void order_runs(struct scale_set *set, const struct scale_tree *tree, const bool *keep, struct place *place)
{
    size_t kept = 0, rest = set->run_number;
    for (size_t i = 0; i < set->run_number; i++)
        place[keep[i] ? kept++ : --rest] = (struct place){set->runs[i], &tree->columns[i]};
    qsort(place, kept, sizeof *place, compare_runs);
    qsort(place + kept, set->run_number - kept, sizeof *place, compare_runs);
    for (size_t i = 0; i < kept; i++)
        set->runs[i] = place[i].run;
    for (size_t i = kept; i < set->run_number; i++)
        set->others[set->other_number++] = place[i].run;
    set->run_number = kept;
}

/* ---- sites ---- */

static bool is_met(const struct scale_tree *tree, size_t node, const struct place *place, size_t n)
{
    bool met = false;
    for (size_t i = 0; tree->nodes[node].used && !met && i < n; i++)
        met = node < place[i].column->n && place[i].column->cell[node].count > 0;
    return met;
}

static int copy_site(struct scale_site *site, const struct scale_node *node, const int64_t *number)
{
    *site = node->site;
    site->name = strdup(site->name);
    site->function = site->function ? strdup(site->function) : NULL;
    site->file = site->file ? strdup(site->file) : NULL;
    site->parent = site->parent >= 0 ? number[site->parent] : SCALE_NO_SITE;
    site->other = strcmp(node->key, "(other callsites)") == 0;
    return site->name && !site->function == !node->site.function && !site->file == !node->site.file ? 0 : -1;
}

static int make_sites(struct scale_set *set, const struct scale_tree *tree, const struct place *place, int64_t *number)
{
    set->sites = calloc(tree->node_number + 1, sizeof *set->sites);
    for (size_t i = 0; set->sites && i < tree->node_number; i++) {
        number[i] = is_met(tree, i, place, set->run_number) ? (int64_t)set->site_number : SCALE_NO_SITE;
        if (number[i] >= 0 && copy_site(&set->sites[set->site_number++], &tree->nodes[i], number) < 0)
            return -1;
    }
    return set->sites ? 0 : -1;
}

static bool is_end(const struct scale_node *node)
{
    return strcmp(node->key, SCALE_END_KEY) == 0;
}

/* Orders sites by name, then by key, independently of the order of files; among sites with equal names, an end of stack comes
 * last. */
static int compare_names(const void *x, const void *y, void *nodes)
{
    const struct scale_node *const *of = nodes;
    const struct scale_node *a = of[*(const size_t *)x], *b = of[*(const size_t *)y];
    const int names = strcmp(a->site.name, b->site.name);
    if (names != 0)
        return names;
    return is_end(a) != is_end(b) ? is_end(a) - is_end(b) : strcmp(a->key, b->key);
}

/* Gives SITE the name NAME, allocated by malloc(). Returns -1 if NAME is NULL. */
static int rename_site(struct scale_site *site, char *name)
{
    if (!name)
        return -1;
    free(site->name);
    site->name = name;
    return 0;
}

static char *numbered(const char *name, size_t number)
{
    char *text;
    return asprintf(&text, "%s #%zu", name, number) < 0 ? NULL : text;
}

/* Numbers sites with equal names: " #2", " #3" ... is appended from the second on. The entry for stacks that end at a site
 * (is_end()) gets the name of that site. Returns 0, or -1: out of memory. */
static int distinguish(struct scale_set *set, const struct scale_node *const *of, size_t *order)
{
    for (size_t i = 0; i < set->site_number; i++)
        order[i] = i;
    qsort_r(order, set->site_number, sizeof *order, compare_names, (void *)of);
    for (size_t i = 0, number = 1; i + 1 < set->site_number; i++) {
        const struct scale_node *next = of[order[i + 1]];
        const bool same = strcmp(of[order[i]]->site.name, next->site.name) == 0;
        number = same ? number : 1;
        if (same && !is_end(next) &&
            rename_site(&set->sites[order[i + 1]], numbered(next->site.name, ++number)) < 0)
            return -1;
    }
    for (size_t i = 0; i < set->site_number; i++)
        if (is_end(of[i]) && set->sites[i].parent >= 0 &&
            rename_site(&set->sites[i], strdup(set->sites[set->sites[i].parent].name)) < 0)
            return -1;
    return 0;
}

static int name_sites(struct scale_set *set, const struct scale_tree *tree, const int64_t *number)
{
    const struct scale_node **of = malloc((set->site_number + 1) * sizeof *of);
    size_t *order = malloc((set->site_number + 1) * sizeof *order);
    for (size_t i = 0; of && i < tree->node_number; i++)
        if (number[i] >= 0)
            of[number[i]] = &tree->nodes[i];
    const int status = of && order ? distinguish(set, of, order) : -1;
    free(of);
    free(order);
    return status;
}

/* ---- cells ---- */

static int make_cells(struct scale_set *set, const struct scale_tree *tree, const struct place *place,
                      const int64_t *number)
{
    set->cells = calloc(set->site_number * set->run_number + 1, sizeof *set->cells);
    set->counters = calloc(set->site_number * set->run_number * set->counter_number + 1, sizeof *set->counters);
    if (!set->cells || !set->counters)
        return -1;
    for (size_t node = 0; node < tree->node_number; node++)
        for (size_t run = 0; number[node] >= 0 && run < set->run_number; run++) {
            const struct scale_column *column = place[run].column;
            struct scale_cell *cell = scale_cell_of(set, (size_t)number[node], run);
            cell->wait_ns = set->runs[run].has_waits ? 0 : NAN;
            if (node < column->n)
                *cell = column->cell[node];
            for (size_t i = 0; i < set->counter_number; i++)
                scale_counters_of(set, (size_t)number[node], run)[i] =
                    !column->counters ? NAN : node < column->n ? column->counters[node * SCALE_COUNTERS + i] : 0;
        }
    return 0;
}

static int compare_details(const void *x, const void *y)
{
    const struct scale_detail *a = x, *b = y;
    if (a->run != b->run)
        return a->run < b->run ? -1 : 1;
    if (a->site != b->site)
        return a->site < b->site ? -1 : 1;
    return (a->rank > b->rank) - (a->rank < b->rank);
}

static int make_details(struct scale_set *set, const struct place *place, const int64_t *number)
{
    size_t n = 0;
    for (size_t run = 0; run < set->run_number; run++)
        n += place[run].column->detail_number;
    set->details = malloc((n + 1) * sizeof *set->details);
    if (!set->details)
        return -1;
    for (size_t run = 0; run < set->run_number; run++)
        for (size_t i = 0; i < place[run].column->detail_number; i++) {
            struct scale_detail *detail = &set->details[set->detail_number++];
            *detail = place[run].column->details[i];
            detail->site = (size_t)number[detail->site];
            detail->run = run;
        }
    if (n > 0)
        qsort(set->details, n, sizeof *set->details, compare_details);
    return 0;
}

static int copy_names(struct scale_set *set, char *const *names, size_t number)
{
    set->counter_names = calloc(number + 1, sizeof *set->counter_names);
    for (size_t i = 0; set->counter_names && i < number; i++) {
        set->counter_names[i] = strdup(names[i]);
        if (!set->counter_names[i])
            return -1;
        set->counter_number++;
    }
    return set->counter_names ? 0 : -1;
}

int mpg_scale_set_make(struct scale_set *set, const struct scale_tree *tree, const bool *keep,
                       char *const *counter_names, size_t counter_number, struct mpg_error *err)
{
    struct place *place = calloc(set->run_number + 1, sizeof *place);
    int64_t *number = calloc(tree->node_number + 1, sizeof *number);
    set->others = calloc(set->run_number + 1, sizeof *set->others);
    int status = place && number && set->others ? 0 : -1;
    if (status == 0) {
        order_runs(set, tree, keep, place);
        if (copy_names(set, counter_names, counter_number) < 0 || make_sites(set, tree, place, number) < 0 ||
            make_cells(set, tree, place, number) < 0 || name_sites(set, tree, number) < 0 ||
            make_details(set, place, number) < 0)
            status = -1;
    }
    free(place);
    free(number);
    return status < 0 ? out_of_memory(err) : 0;
}

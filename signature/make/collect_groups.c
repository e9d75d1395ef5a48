/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compares the launches, and the pairs of ranks, of a path by their median round trips. */
#include "config.h"

#include "signature/make/collect_network.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/units.h"
#include "statistics/inference.h"

/* Minimum relative deviation assumed between groups. Few groups may agree closely by chance; without this bound a
 * negligible difference would be an outlier. */
#define DEVIATION 0.02
/* Maximum of a score, which would be infinite if all other groups agree exactly. */
#define MAX_SCORE 1e6
/* Groups are compared at the smallest message size >= COMPARED_BYTES. */
#define COMPARED_BYTES 8

/* Returns the exchanges of LIST at the message size at which groups are compared. */
static const struct mpg_exchanges *compared_size(const struct mpg_exchange_sizes *list)
{
    size_t s = 0;
    while (s + 1 < list->n && list->size[s].size_bytes < COMPARED_BYTES)
        s++;
    return &list->size[s];
}

static char *pair_name(const struct mpg_collect_path *in, size_t pair)
{
    return strdup(in->pair[pair]);
}

static char *launch_name(const struct mpg_collect_path *in, size_t launch)
{
    char *name = NULL;
    return asprintf(&name, "launch %lld", (long long)in->launch[launch].id) < 0 ? NULL : name;
}

static int score(struct mpg_network_group *group, size_t n, struct mpg_error *err)
{
    double *median = malloc(2 * n * sizeof *median);
    bool *outlier = malloc(n * sizeof *outlier);
    int status = -1;
    if (!median || !outlier) {
        mpg_collect_no_memory(err);
        goto out;
    }
    for (size_t i = 0; i < n; i++)
        median[i] = group[i].median_ns;
    if (mpg_outliers(median, n, DEVIATION, median + n, outlier, err) < 0)
        goto out;
    for (size_t i = 0; i < n; i++) {
        group[i].score = fmax(-MAX_SCORE, fmin(median[n + i], MAX_SCORE));
        group[i].outlier = outlier[i];
    }
    status = 0;
out:
    free(outlier);
    free(median);
    return status;
}

/* Makes a group for each launch, or for each pair, with samples at the compared size. */
static int make_groups(const struct mpg_collect_path *in, bool by_launch,
                       struct mpg_network_group **groups, size_t *n_groups, struct mpg_error *err)
{
    const struct mpg_exchanges *all = compared_size(&in->pingpong);
    size_t keys = by_launch ? in->launches : in->pairs;
    struct mpg_keyed *keyed = malloc(all->n * sizeof *keyed);
    double *median = calloc(keys, sizeof *median);
    size_t *count = calloc(keys, sizeof *count);
    int status = 0;
    *groups = calloc(keys, sizeof **groups);
    if (!keyed || !median || !count || !*groups) {
        status = mpg_collect_no_memory(err);
        goto out;
    }
    for (size_t i = 0; i < all->n; i++) {
        const struct mpg_measured_exchange *e = &all->exchange[i];
        keyed[i] = (struct mpg_keyed){(size_t)(by_launch ? e->launch : e->pair), e->time_ns};
    }
    mpg_keyed_medians(keyed, all->n, median, count);
    for (size_t k = 0; k < keys && status == 0; k++) {
        if (count[k] == 0)
            continue;
        struct mpg_network_group *group = &(*groups)[(*n_groups)++];
        *group = (struct mpg_network_group){
            .name = by_launch ? launch_name(in, k) : pair_name(in, k), .n = count[k],
            .size_bytes = all->size_bytes, .median_ns = median[k]};
        if (!group->name)
            status = mpg_collect_no_memory(err);
    }
    if (status == 0)
        status = score(*groups, *n_groups, err);
out:
    free(count);
    free(median);
    free(keyed);
    return status;
}

/* Adds a warning that ends in REMEDY for each outlier among the N groups. */
static int warn_of_outliers(struct mpg_collect *c, const struct mpg_network_path *path,
                            const struct mpg_network_group *group, size_t n, const char *remedy,
                            struct mpg_error *err)
{
    char time[32], size[32];
    for (size_t i = 0; i < n; i++)
        if (group[i].outlier &&
            mpg_collect_warn(c, err, "%s: %.200s is an outlier: median round trip of %s takes %s,"
                                     " modified z-score %+.1f; its samples are used; %s",
                             mpg_path_name(path->path), group[i].name,
                             mpg_units_format_size(size, sizeof size, group[i].size_bytes),
                             mpg_units_format_time(time, sizeof time, group[i].median_ns),
                             group[i].score, remedy) < 0)
            return -1;
    return 0;
}

int mpg_collect_groups(struct mpg_collect *c, const struct mpg_collect_path *in,
                       struct mpg_network_path *out, struct mpg_error *err)
{
    if (in->pingpong.n == 0)
        return 0;
    if (make_groups(in, true, &out->launch, &out->launches, err) < 0 ||
        make_groups(in, false, &out->pair, &out->pairs, err) < 0 ||
        warn_of_outliers(c, out, out->launch, out->launches,
                         "measure that launch again, or more of them", err) < 0)
        return -1;
    return warn_of_outliers(c, out, out->pair, out->pairs,
                            "look for a cause on these cores, or exclude the pair", err);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes a perturbation for each pair of path classes. */
#include "simulate/models/paths.h"

#include <string.h>

/* Sets PATH_COSTS for messages that take the path TARGET on the target and took the path SOURCE on the source. */
static int set_path_costs(struct mpg_perturbation *path_costs, const struct mpg_perturbation *p,
                          const struct mpg_network_path *target, const struct mpg_network_path *source,
                          struct mpg_error *err)
{
    *path_costs = *p;
    memset(path_costs->overhead, 0, sizeof path_costs->overhead);
    memset(path_costs->meetings, 0, sizeof path_costs->meetings); /* measured collectives do not belong to a path */
    memset(&path_costs->target_fits, 0, sizeof path_costs->target_fits);
    memset(&path_costs->source_fits, 0, sizeof path_costs->source_fits);
    path_costs->target_path = target;
    path_costs->source_path = source;
    mpg_perturbation_use_overheads(path_costs);
    return mpg_perturbation_use_fits(path_costs, err);
}

/* classes() returns the number of path classes of a machine with PLACEMENT, is_taken() whether messages use CLASS. */
static int classes(const struct mpg_placement *placement)
{
    return placement ? MPG_PATHS : 1;
}

static bool is_taken(const struct mpg_placement *placement, int class)
{
    return !placement || placement->taken[class] || class == MPG_PATH_COMPLEX;
}

/* Returns true if only messages of a rank to itself take paths of CLASS. */
static bool is_own(const struct mpg_placement *placement, int class)
{
    return placement && class == MPG_PATH_COMPLEX && !placement->taken[class];
}

/* Lists the candidate paths of SIG for CLASS, in the order of trial, and returns their number, at least 1; a path may be NULL.
 * Without PLACEMENT or SIG the only candidate is ONLY. */
static int list_paths(const struct mpg_signature *sig, const struct mpg_placement *placement, int class,
                      const struct mpg_network_path *only, const struct mpg_network_path **path)
{
    int n = 0;
    path[0] = only;
    if (!placement || !sig)
        return 1;
    path[0] = mpg_placement_path(sig, (enum mpg_path_class)class);
    if (!is_own(placement, class))
        return 1;
    const struct mpg_network_path *own;
    for (int i = 0; (own = mpg_placement_own_path(sig, i)); i++)
        if (own->latency.n + own->bandwidth.n > 0)
            path[n++] = own;
    return n > 0 ? n : 1;
}

/* Fills the entry for path classes T on the target and S on the source. Messages of a rank to itself take the first candidates
 * with the needed times. */
static int use_classes(struct mpg_paths *paths, const struct mpg_perturbation *p, int t, int s,
                       struct mpg_error *err)
{
    const struct mpg_network_path *target[MPG_PATHS], *source[MPG_PATHS];
    const int targets = list_paths(p->target, paths->target, t, p->target_path, target);
    const int sources = list_paths(p->source, paths->source, s, p->source_path, source);
    struct mpg_perturbation *path_costs = &paths->path_costs[t][s];
    int status = -1;
    for (int i = 0; i < targets && status < 0; i++)
        for (int k = 0; k < sources && status < 0; k++) {
            mpg_perturbation_clear_fits(path_costs);
            status = set_path_costs(path_costs, p, target[i], source[k], err);
        }
    return status;
}

int mpg_paths_init(struct mpg_paths *paths, const struct mpg_perturbation *p,
                   const struct mpg_placement *target, const struct mpg_placement *source,
                   struct mpg_error *err)
{
    *paths = (struct mpg_paths){.target = target, .source = source};
    for (int t = 0; t < classes(target); t++)
        for (int s = 0; s < classes(source); s++) {
            const struct mpg_perturbation *path_costs = &paths->path_costs[t][s];
            if (!is_taken(target, t) || !is_taken(source, s))
                continue;
            if (use_classes(paths, p, t, s, err) < 0)
                return -1;
            paths->covers = paths->covers || mpg_perturbation_noise_covered(path_costs);
            paths->speeds = paths->speeds || mpg_perturbation_can_speed_messages(path_costs);
            paths->receives = paths->receives || path_costs->overhead[MPG_OVERHEAD_RECEIVE].target;
        }
    return 0;
}

void mpg_paths_unchanged(struct mpg_paths *paths, const struct mpg_paths *all,
                         const struct mpg_perturbation *nothing)
{
    *paths = (struct mpg_paths){.target = all->target, .source = all->source};
    for (int t = 0; t < classes(all->target); t++)
        for (int s = 0; s < classes(all->source); s++) {
            paths->path_costs[t][s] = *nothing;
            for (int i = 0; i < MPG_OVERHEADS; i++)
                paths->path_costs[t][s].overhead[i] =
                    mpg_overhead_unchanged(&all->path_costs[t][s], (enum mpg_overhead)i);
        }
    paths->receives = all->receives;
}

void mpg_paths_clear(struct mpg_paths *paths)
{
    for (int t = 0; t < MPG_PATHS; t++)
        for (int s = 0; s < MPG_PATHS; s++)
            mpg_perturbation_clear_fits(&paths->path_costs[t][s]);
    *paths = (struct mpg_paths){0};
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Costs of messages on the target, by path class. */
#include "simulate/evaluate/target.h"

#include <string.h>

#include "simulate/evaluate/vectors.h"
#include "simulate/models/times.h"

/* Sets PATH_COSTS to the costs of messages on PATH. */
static int use_path(struct mpg_perturbation *path_costs, const struct mpg_perturbation *p,
                    const struct mpg_network_path *path, struct mpg_error *err)
{
    *path_costs = *p;
    path_costs->source = NULL;
    path_costs->source_path = NULL;
    memset(path_costs->overhead, 0, sizeof path_costs->overhead);
    memset(path_costs->meetings, 0, sizeof path_costs->meetings);
    memset(&path_costs->target_fits, 0, sizeof path_costs->target_fits);
    memset(&path_costs->source_fits, 0, sizeof path_costs->source_fits);
    path_costs->target_path = path;
    if (p->parameters)
        return 0;
    if (p->latency.n == 0 && mpg_flight_rule(path_costs) == MPG_FLIGHT_NONE)
        return mpg_error_set(err,
                             "%s: %s%s%s has neither latencies nor bandwidths: --predict needs "
                             "one of them, or --latency",
                             p->target->path, path ? "path '" : "it",
                             path ? mpg_path_name(path->path) : "", path ? "'" : "");
    mpg_perturbation_use_overheads(path_costs);
    return mpg_perturbation_use_collectives(path_costs, err) < 0 ? -1
                                                                 : mpg_perturbation_use_fits(path_costs, err);
}

static void clear_path_costs(struct mpg_perturbation *path_costs)
{
    mpg_perturbation_clear_collectives(path_costs);
    mpg_perturbation_clear_fits(path_costs);
}

/* Sets PATH_COSTS for messages of a rank to itself if no two ranks share a core complex: to the costs of the first usable
 * path. */
static int use_any(struct mpg_perturbation *path_costs, const struct mpg_perturbation *p,
                   struct mpg_error *err)
{
    const struct mpg_network_path *path;
    int status = -1;
    for (int i = 0; status < 0 && (path = mpg_placement_own_path(p->target, i)); i++) {
        clear_path_costs(path_costs);
        status = use_path(path_costs, p, path, err);
    }
    return status;
}

int mpg_target_init(struct mpg_target *t, const struct mpg_perturbation *p,
                    const struct mpg_placement *placement, struct mpg_error *err)
{
    *t = (struct mpg_target){.noise = p, .placement = placement};
    if (!placement)
        return use_path(&t->path_costs[0], p, p->target_path, err);
    for (int i = 0; i < MPG_PATHS; i++) {
        const enum mpg_path_class class = (enum mpg_path_class)i;
        if (placement->taken[i] &&
            use_path(&t->path_costs[i], p, p->target ? mpg_placement_path(p->target, class) : NULL, err) < 0)
            return -1;
    }
    if (placement->taken[MPG_PATH_COMPLEX])
        return 0;
    return p->target && p->target->paths > 0 ? use_any(&t->path_costs[MPG_PATH_COMPLEX], p, err)
                                             : use_path(&t->path_costs[MPG_PATH_COMPLEX], p, NULL, err);
}

bool mpg_target_covers(const struct mpg_target *t)
{
    bool any = false;
    for (int i = 0; i < (t->placement ? MPG_PATHS : 1); i++)
        any = any || mpg_perturbation_noise_covered(&t->path_costs[i]);
    return any;
}

void mpg_target_clear(struct mpg_target *t)
{
    for (int i = 0; i < MPG_PATHS; i++)
        clear_path_costs(&t->path_costs[i]);
    *t = (struct mpg_target){0};
}

bool mpg_target_add_sent(const struct mpg_target *t, const struct mpg_step *s, uint32_t first, uint32_t n, double *value_ns)
{
    bool any = false;
    for (uint32_t i = 0; i < s->sent_number; i++) {
        const struct mpg_sent *sent = &s->sent[i];
        const struct mpg_perturbation *p = mpg_target_between(t, s->rank, sent->origin.to);
        if (!mpg_overhead_known(p, MPG_OVERHEAD_SEND) ||
            ((sent->blocking || p->overhead[MPG_OVERHEAD_SEND].in_send) && sent->sync_target))
            continue;
        const struct mpg_sent_message m = sending_of(&sent->origin, sent->bytes);
        mpg_time_overhead(p, MPG_OVERHEAD_SEND, &m, 1, first, n, value_ns);
        any = true;
    }
    const struct mpg_perturbation *farthest = mpg_target_farthest(t);
    if (s->rooted == 0 || !mpg_overhead_known(farthest, MPG_OVERHEAD_SEND))
        return any;
    const struct mpg_sent_message m = {.rank = s->rank, .to = -1, .call = s->number, .bytes = s->rooted_bytes};
    mpg_time_overhead(farthest, MPG_OVERHEAD_SEND, &m, s->rooted, first, n, value_ns);
    return true;
}

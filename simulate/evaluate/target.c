/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Costs of the target, by path class. */
#include "simulate/evaluate/target.h"

#include <string.h>

#include "simulate/evaluate/vectors.h"
#include "simulate/models/times.h"

/* Sets WAY to the costs of messages on PATH. */
static int use_path(struct mpg_perturbation *way, const struct mpg_perturbation *p,
                    const struct mpg_network_path *path, struct mpg_error *err)
{
    *way = *p;
    way->source = NULL;
    way->source_path = NULL;
    memset(way->overhead, 0, sizeof way->overhead);
    memset(way->meetings, 0, sizeof way->meetings);
    memset(&way->target_fits, 0, sizeof way->target_fits);
    memset(&way->source_fits, 0, sizeof way->source_fits);
    way->target_path = path;
    if (p->parameters)
        return 0;
    if (p->latency.n == 0 && mpg_flight_rule(way) == MPG_FLIGHT_NONE)
        return mpg_error_set(err,
                             "%s: %s%s%s has neither latencies nor bandwidths: --predict needs "
                             "one of them, or --latency",
                             p->target->path, path ? "path '" : "it",
                             path ? mpg_path_name(path->path) : "", path ? "'" : "");
    mpg_perturbation_use_overheads(way);
    return mpg_perturbation_use_collectives(way, err) < 0 ? -1
                                                          : mpg_perturbation_use_fits(way, err);
}

static void clear_way(struct mpg_perturbation *way)
{
    mpg_perturbation_clear_collectives(way);
    mpg_perturbation_clear_fits(way);
}

/* Costs of messages of a rank to itself if no two ranks are in a core complex: the first usable path. */
static int use_any(struct mpg_perturbation *way, const struct mpg_perturbation *p,
                   struct mpg_error *err)
{
    const struct mpg_network_path *path;
    int status = -1;
    for (int i = 0; status < 0 && (path = mpg_placement_own_path(p->target, i)); i++) {
        clear_way(way);
        status = use_path(way, p, path, err);
    }
    return status;
}

int mpg_target_init(struct mpg_target *t, const struct mpg_perturbation *p,
                    const struct mpg_placement *places, struct mpg_error *err)
{
    *t = (struct mpg_target){.noise = p, .places = places};
    if (!places)
        return use_path(&t->way[0], p, p->target_path, err);
    for (int i = 0; i < MPG_PATHS; i++) {
        const enum mpg_path_class class = (enum mpg_path_class)i;
        if (places->taken[i] &&
            use_path(&t->way[i], p, p->target ? mpg_placement_path(p->target, class) : NULL, err) < 0)
            return -1;
    }
    if (places->taken[MPG_PATH_COMPLEX])
        return 0;
    return p->target && p->target->paths > 0 ? use_any(&t->way[MPG_PATH_COMPLEX], p, err)
                                             : use_path(&t->way[MPG_PATH_COMPLEX], p, NULL, err);
}

bool mpg_target_covers(const struct mpg_target *t)
{
    bool any = false;
    for (int i = 0; i < (t->places ? MPG_PATHS : 1); i++)
        any = any || mpg_perturbation_noise_covered(&t->way[i]);
    return any;
}

void mpg_target_clear(struct mpg_target *t)
{
    for (int i = 0; i < MPG_PATHS; i++)
        clear_way(&t->way[i]);
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

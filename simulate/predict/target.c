/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One view of the target for each class of path. */
#include "simulate/predict/target.h"

#include <string.h>

const struct mpg_network_path *mpg_target_path(const struct mpg_signature *sig,
                                               enum mpg_path_class class)
{
    static const enum mpg_path_class order[MPG_PATHS][MPG_PATHS] = {
        [MPG_PATH_COMPLEX] = {MPG_PATH_COMPLEX, MPG_PATH_NODE, MPG_PATH_BETWEEN},
        [MPG_PATH_NODE] = {MPG_PATH_NODE, MPG_PATH_COMPLEX, MPG_PATH_BETWEEN},
        [MPG_PATH_BETWEEN] = {MPG_PATH_BETWEEN, MPG_PATH_NODE, MPG_PATH_COMPLEX}};
    const struct mpg_network_path *path = NULL;
    for (int i = 0; i < MPG_PATHS && !path; i++)
        path = mpg_signature_path(sig, order[class][i]);
    return path;
}

int mpg_target_init(struct mpg_target *t, const struct mpg_perturbation *p,
                    const struct mpg_places *places, struct mpg_error *err)
{
    int n = places ? MPG_PATHS : 1;
    *t = (struct mpg_target){.noise = p, .places = places};
    for (int i = 0; i < n; i++) {
        struct mpg_perturbation *way = &t->way[i];
        *way = *p;
        way->source = NULL;
        way->source_path = NULL;
        memset(way->overhead, 0, sizeof way->overhead);
        memset(way->meetings, 0, sizeof way->meetings);
        memset(&way->target_fits, 0, sizeof way->target_fits);
        memset(&way->source_fits, 0, sizeof way->source_fits);
        if (places && p->target)
            way->target_path = mpg_target_path(p->target, (enum mpg_path_class)i);
        mpg_perturbation_use_overheads(way);
        if (mpg_perturbation_use_collectives(way, err) < 0 ||
            mpg_perturbation_use_fits(way, err) < 0)
            return -1;
    }
    return 0;
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
    for (int i = 0; i < MPG_PATHS; i++) {
        mpg_perturbation_clear_collectives(&t->way[i]);
        mpg_perturbation_clear_fits(&t->way[i]);
    }
    *t = (struct mpg_target){0};
}

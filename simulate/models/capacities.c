/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "simulate/models/capacities.h"

#include <stdlib.h>

static int set_constant(struct mpg_capacity_curve *curve, double bytes_per_s, struct mpg_error *err)
{
    if (bytes_per_s <= 0)
        return 0;
    if (!(curve->of = malloc(sizeof *curve->of)))
        return mpg_error_set(err, "out of memory");
    curve->of[0] = bytes_per_s / 1e9;
    curve->n = 1;
    return 0;
}

int mpg_capacities_of_parameters(struct mpg_capacities *c, const struct mpg_parameters *p,
                                 const struct mpg_processors *processors, struct mpg_error *err)
{
    if (!(c->host = calloc((size_t)processors->ranks, sizeof *c->host)))
        return mpg_error_set(err, "out of memory");
    for (int32_t r = 0; r < processors->ranks; r++) {
        c->host[r] = processors->of[r] / processors->cluster;
        c->hosts = c->host[r] < c->hosts ? c->hosts : c->host[r] + 1;
    }
    const int status = set_constant(&c->port, p->port_bytes_per_s, err);
    return status == 0 ? set_constant(&c->memory, p->memory_bytes_per_s, err) : -1;
}

void mpg_capacities_clear(struct mpg_capacities *c)
{
    free(c->host);
    free(c->port.of);
    free(c->memory.of);
    *c = (struct mpg_capacities){0};
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which processors ranks are on, how far these are from each other, and over how many links (docs/MACHINES.md). */
#ifndef MPG_TOPOLOGY_H
#define MPG_TOPOLOGY_H

#include "simulate/target/parameters.h"

struct mpg_processors {
    int32_t ranks, number;
    int32_t *of;              /* a rank: its processor */
    enum mpg_topology topology;
    int32_t cluster, width;   /* of mesh and torus: columns */
    double links;             /* 1 or more */
};

/* Of RANKS ranks on P's. Errors: more processors than ranks, a map that leaves ranks out or names a processor
 * that is not there; out of memory. X is to be cleared even so. */
int mpg_processors_init(struct mpg_processors *x, const struct mpg_parameters *p, int32_t ranks,
                        struct mpg_error *err);
void mpg_processors_clear(struct mpg_processors *x); /* zero-initialised is allowed */

/* Whether messages between ranks A and B stay within a cluster, or a processor. */
bool mpg_processors_near(const struct mpg_processors *x, int32_t a, int32_t b);
/* Links between the processors of ranks A and B; 0 where these are near. */
int32_t mpg_processors_hops(const struct mpg_processors *x, int32_t a, int32_t b);

#endif

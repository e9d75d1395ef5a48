/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The processors of ranks, and the number of links between them (docs/MACHINES.md). */
#ifndef MPG_TOPOLOGY_H
#define MPG_TOPOLOGY_H

#include "simulate/target/parameters.h"

struct mpg_processors {
    int32_t ranks, number;
    int32_t *of, *host;       /* by rank: number of its processor; number of its host, a cluster or a node of --map */
    enum mpg_topology topology;
    struct mpg_layout layout; /* of MPG_TOPOLOGY_LAYOUT: of hosts */
    int32_t cluster, width;   /* width: columns of a mesh or torus */
    double links;             /* >= 1 */
};

/* Places RANKS ranks on P's processors. Errors: more processors than ranks; a map without some rank or with an unknown
 * processor; out of memory. The caller clears X, even after an error. */
int mpg_processors_init(struct mpg_processors *x, const struct mpg_parameters *p, int32_t ranks,
                        struct mpg_error *err);
/* Replaces the hosts of ranks by NODE, the node of each rank. */
void mpg_processors_use_nodes(struct mpg_processors *x, const int32_t *node);
/* Error: P's topology has fewer hosts than the ranks. */
int mpg_processors_check_hosts(const struct mpg_processors *x, const struct mpg_parameters *p, struct mpg_error *err);
void mpg_processors_clear(struct mpg_processors *x); /* zero-initialised is allowed */

/* Returns true if messages between ranks A and B stay within a cluster or a processor. */
bool mpg_processors_near(const struct mpg_processors *x, int32_t a, int32_t b);
/* Returns the number of links between the processors of ranks A and B; 0 within a cluster or a processor. */
int32_t mpg_processors_hops(const struct mpg_processors *x, int32_t a, int32_t b);

#endif

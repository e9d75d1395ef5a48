/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The MPI ranks of a benchmark: where each runs, bound to a core of its own, and
 * what a results file says about them. */
#ifndef MPG_RANKS_H
#define MPG_RANKS_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

#include "bench/harness/record.h"
#include "bench/harness/topology.h"
#include "common/error.h"

/* Where a rank runs. */
struct mpg_bench_place {
    char host[256];
    char cores[256];   /* the hardware threads it may use, "3" or "0-3" */
    char complex[256]; /* those that share their last-level cache, or "" */
    int core;          /* the one core it is bound to, as of mpg_topology_cores(); -1: several */
    int host_ranks;    /* ranks on its host */
    int host_cores;    /* cores that ranks of its host may use, all together */
};

struct mpg_ranks {
    int rank, ranks;         /* in MPI_COMM_WORLD */
    struct mpg_bench_place *place; /* of each rank; the same on all */
    struct mpg_topology *topology;
};

/* How near two ranks are to each other. */
enum mpg_path { MPG_PATH_COMPLEX, MPG_PATH_NODE, MPG_PATH_BETWEEN, MPG_PATHS };

/* Initialises MPI and finds every rank's place. With BIND, a rank that may run on
 * several cores binds itself to that of them which the fewest ranks of its host
 * have, the lowest first; ranks that the launcher bound to a core stay. Collective
 * over MPI_COMM_WORLD, like all here but mpg_ranks_path(). The caller calls
 * mpg_ranks_end() in any case. Errors, on every rank (empty where they are
 * another's): out of memory, hwloc fails, a core that may not be had. */
int mpg_ranks_begin(struct mpg_ranks *ranks, bool bind, int *argc, char ***argv,
                    struct mpg_error *err);
/* Waits for all ranks without load and finalises MPI. */
void mpg_ranks_end(struct mpg_ranks *ranks);

/* Waits until REQUEST is complete without load on core or memory: looks after half a
 * millisecond, then less and less often, at least every 10 ms. Not collective. */
void mpg_ranks_wait(MPI_Request *request);
/* STATUS of all ranks: fails on all when it is negative on one. ERR stays on the
 * lowest rank that has one and becomes empty on the others. Ranks that are early wait
 * as above. */
int mpg_ranks_agree(const struct mpg_ranks *ranks, int status, struct mpg_error *err);
/* Fails on every rank, as above, when NAME or the ARGC arguments of one differ from
 * rank 0's: what they do next would not fit together. */
int mpg_ranks_same_arguments(const struct mpg_ranks *ranks, const char *name, int argc,
                             char **argv, struct mpg_error *err);
/* The largest VALUE of all ranks, waiting as above. */
int64_t mpg_ranks_maximum(const struct mpg_ranks *ranks, int64_t value);

/* The sum of OWN_NS (CPU time; negative: unknown, 0) of the other ranks on rank 0's host;
 * on rank 0, 0 on the others. */
double mpg_ranks_others_ns(const struct mpg_ranks *ranks, double own_ns);

/* The path between ranks A and B: between nodes when their hosts' names differ,
 * core complex when all of their cores share one last-level cache, else node. */
enum mpg_path mpg_ranks_path(const struct mpg_ranks *ranks, int a, int b);
/* The path in words, "core complex", and as part of a file's name, "core-complex".
 * Static storage. */
const char *mpg_path_name(enum mpg_path path);
const char *mpg_path_file(enum mpg_path path);

/* Where more ranks than cores are on a host, says so in TEXT of SIZE bytes ("4
 * ranks on 2 cores of HOST"); else TEXT is "no". Returns whether. */
bool mpg_ranks_oversubscribed(const struct mpg_ranks *ranks, char *text, size_t size);
/* Adds the lines mpi, ranks, binding and oversubscribed. Not collective. Fails
 * only when out of memory. */
int mpg_ranks_describe(const struct mpg_ranks *ranks, struct mpg_header *header,
                       struct mpg_error *err);

#endif

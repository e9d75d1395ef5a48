/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The MPI ranks of a benchmark: location and binding of each rank, agreement on errors, header lines. */
#ifndef MPG_RANKS_H
#define MPG_RANKS_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

#include "bench/harness/results_file.h"
#include "bench/harness/topology.h"
#include "common/error.h"

/* Location of a rank. */
struct mpg_rank_location {
    char host[256];
    char cores[256];   /* the available hardware threads as text: "3" or "0-3" */
    char complex[256]; /* the hardware threads that share this rank's last-level cache as text, or "" */
    int core;          /* core to which the rank is bound, numbered as in mpg_topology_cores(); -1: not bound to a single core */
    int host_ranks;    /* number of ranks on the host */
    int host_cores;    /* number of cores available to the ranks of the host together */
};

struct mpg_ranks {
    int rank, ranks;         /* rank and size of MPI_COMM_WORLD */
    struct mpg_rank_location *location; /* location of each rank; equal on all ranks */
    struct mpg_topology *topology;
};

/* Proximity of two ranks. */
enum mpg_path { MPG_PATH_COMPLEX, MPG_PATH_NODE, MPG_PATH_BETWEEN, MPG_PATHS };

/* Initialises MPI and determines every rank's location. BIND: a rank with several available cores binds itself to the core with
 * the fewest ranks of its host, the lowest first; ranks bound by the launcher stay. Collective over MPI_COMM_WORLD, like all
 * functions here except mpg_ranks_path(). Call mpg_ranks_end() in any case. Errors, on every rank (with an empty text if another
 * rank failed): out of memory, hwloc fails, a core is not available. */
int mpg_ranks_begin(struct mpg_ranks *ranks, bool bind, int *argc, char ***argv,
                    struct mpg_error *err);
/* Waits for all ranks without load and finalises MPI. */
void mpg_ranks_end(struct mpg_ranks *ranks);

/* Waits for REQUEST without load on core or memory: tests after 0.5 ms, then at doubling intervals up to 10 ms.
 * Not collective. */
void mpg_ranks_wait(MPI_Request *request);
/* Returns -1 on all ranks if STATUS is negative on any. ERR remains on the lowest rank with an error text and
 * becomes empty elsewhere. Waits as mpg_ranks_wait(). */
int mpg_ranks_agree(const struct mpg_ranks *ranks, int status, struct mpg_error *err);
/* Fails on every rank, as mpg_ranks_agree(), if NAME or the ARGC arguments of a rank differ from rank 0's: the
 * ranks would deadlock. */
int mpg_ranks_same_arguments(const struct mpg_ranks *ranks, const char *name, int argc,
                             char **argv, struct mpg_error *err);
/* Returns the largest VALUE of all ranks. Waits as mpg_ranks_wait(). */
int64_t mpg_ranks_maximum(const struct mpg_ranks *ranks, int64_t value);

/* Returns on rank 0 the sum of OWN_NS (CPU time; negative: unknown, counts as 0) over the other ranks of rank 0's
 * host; on other ranks 0. */
double mpg_ranks_other_cpu_ns(const struct mpg_ranks *ranks, double own_ns);

/* Returns the path class of ranks A and B: between nodes if the host names differ, core complex if all cores of
 * both share a last-level cache, else node. */
enum mpg_path mpg_ranks_path(const struct mpg_ranks *ranks, int a, int b);
/* Return the path class in words, "core complex", and for file names, "core-complex". Constant strings. */
const char *mpg_path_name(enum mpg_path path);
const char *mpg_path_file(enum mpg_path path);

/* Returns whether a host has more ranks than cores. TEXT of SIZE bytes becomes "4 ranks on 2 cores of HOST", or
 * "no". */
bool mpg_ranks_oversubscribed(const struct mpg_ranks *ranks, char *text, size_t size);
/* Adds the header lines mpi, mpi_settings, ranks, binding and oversubscribed. Not collective. Errors: out of
 * memory. */
int mpg_ranks_describe(const struct mpg_ranks *ranks, struct mpg_header *header,
                       struct mpg_error *err);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Number of cores for the ranks of each host, and whether ranks shared cores. */
#ifndef MPG_TRACE_CORES_H
#define MPG_TRACE_CORES_H

#include <stddef.h>

#include "common/error.h"
#include "trace/reader.h"

/* A host of a trace. */
struct mpg_host_cores {
    const char *name; /* name of the host, owned by the trace (or by the ranks); NULL: unknown */
    int32_t ranks;
    int cores;        /* total number of cores on which the host's ranks may run; 0: unknown */
    double limit;     /* quota of CPU time for the host's ranks, in cores; 0: none */
    int32_t crowded;  /* number of ranks that must share cores, because fewer cores are available to these ranks; 0: none */
    double room;      /* number of cores, or quota in cores, shared by the crowded ranks */
};

/* The placement of a rank, from a trace's facts. */
struct mpg_rank_cores {
    int32_t host;     /* number of the host; ranks of one host have equal numbers */
    int32_t rank;
    const char *name;  /* name of the host; NULL: unknown */
    const char *cores; /* cores on which the rank may run, "0-3,8"; NULL: unknown */
    const char *limit; /* quota of the host, in cores, "1.50"; NULL: none, or given by another rank */
};

/* As mpg_trace_cores(), for the N ranks RANK, which are reordered by host, cores and rank. Names in *LIST are not copies: RANK
 * must outlive *LIST. *HOSTS: the number of hosts. */
int mpg_cores_of(struct mpg_rank_cores *rank, size_t n, struct mpg_host_cores **list, size_t *hosts,
                 struct mpg_error *err);

/* Returns in *LIST, which the caller frees, the *N >= 1 hosts of TRACE. All ranks of a host are crowded if more than cores or
 * quota; otherwise the largest set of ranks bound to a common, smaller number of cores. Hosts without facts have no crowded
 * ranks. Returns 0, or -1: out of memory. */
int mpg_trace_cores(const struct mpg_trace *trace, struct mpg_host_cores **list, size_t *n,
                    struct mpg_error *err);

#endif

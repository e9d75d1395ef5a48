/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How many cores the ranks of each host had, and whether they had to share them. */
#ifndef MPG_TRACE_CORES_H
#define MPG_TRACE_CORES_H

#include <stddef.h>

#include "common/error.h"
#include "trace/reader.h"

/* A host of a trace. */
struct mpg_host_cores {
    const char *name; /* the trace's (the ranks'); NULL: not said */
    int32_t ranks;
    int cores;        /* that its ranks together may run on; 0: not said */
    double limit;     /* cores' worth of time that its ranks may have by a quota; 0: none */
    int32_t crowded;  /* the ranks that must share, as together they may run on too few cores */
    double room;      /* these cores */
};

/* What a rank says of its place. */
struct mpg_rank_cores {
    int32_t host;     /* the same number on the same host */
    int32_t rank;
    const char *name;  /* the host's; NULL: not said */
    const char *cores; /* those that it may run on, "0-3,8"; NULL: not said */
    const char *limit; /* its host's quota, cores' worth of time, "1.50"; NULL: none, or another rank says it */
};

/* The hosts of N RANKs, which it orders anew, by their numbers; as below, with the ranks' names. */
int mpg_cores_of(struct mpg_rank_cores *rank, size_t n, struct mpg_host_cores **list, size_t *hosts,
                 struct mpg_error *err);

/* The hosts of TRACE, into LIST, which the caller frees, N of them, >= 1. Crowded are all ranks
 * of a host that has more of them than cores, or than its quota is worth, else the most that
 * were given the same cores, fewer than they are; a host that does not tell has none. Error: out
 * of memory. */
int mpg_trace_cores(const struct mpg_trace *trace, struct mpg_host_cores **list, size_t *n,
                    struct mpg_error *err);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How many cores the ranks of each host had. */
#ifndef MPG_TRACE_CORES_H
#define MPG_TRACE_CORES_H

#include <stddef.h>

#include "common/error.h"
#include "trace/reader.h"

/* A host of a trace. */
struct mpg_host_cores {
    const char *name; /* the trace's; NULL: not said */
    int32_t ranks;
    int cores;        /* that its ranks together may run on; 0: not said */
    double limit;     /* cores' worth of time that its ranks may have by a quota; 0: none */
    int32_t crowded;  /* the ranks that must share, as together they may run on too few cores */
    double room;      /* these cores */
};

/* The hosts of TRACE, into LIST, which the caller frees, N of them, >= 1. Crowded are all ranks
 * of a host that has more of them than cores, or than its quota is worth, else the most that
 * were given the same cores, fewer than they are; a host that does not tell has none. Error: out
 * of memory. */
int mpg_trace_cores(const struct mpg_trace *trace, struct mpg_host_cores **list, size_t *n,
                    struct mpg_error *err);

#endif

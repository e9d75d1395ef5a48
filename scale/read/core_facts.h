/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds out whether the ranks of a run share cores, from the facts recorded by the ranks about their cores. Private to
 * scale/read/. */
#ifndef MPG_SCALE_CORE_FACTS_H
#define MPG_SCALE_CORE_FACTS_H

#include <stddef.h>
#include <stdint.h>

#include "common/error.h"
#include "scale/scale.h"
#include "trace/cores.h"

/* Facts about cores recorded by the ranks of one profile. Zero-initialised: empty. */
struct scale_core_facts {
    struct mpg_rank_cores *rank;
    char *(*text)[3]; /* for each rank the facts "host", "cores" and "core_limit"; NULL: unknown */
    uint32_t n, capacity, text_capacity;
};

/* Adds copies of the facts "host", "cores" and "core_limit" of RANK (NULL: unknown). Error: out of memory. */
int mpg_scale_core_facts_add(struct scale_core_facts *facts, int32_t rank, const char *host, const char *cores, const char *limit,
                             struct mpg_error *err);
/* Sets RUN's members crowded, room and crowded_on from the facts of all ranks. Error: out of memory. */
int mpg_scale_core_facts_judge(struct scale_core_facts *facts, struct scale_run *run, struct mpg_error *err);
void mpg_scale_core_facts_clear(struct scale_core_facts *facts);

/* As mpg_scale_core_facts_judge(), for N hosts whose facts have been collected before. Error: out of memory. */
int mpg_scale_core_facts_max(const struct mpg_host_cores *host, size_t n, struct scale_run *run, struct mpg_error *err);

#endif

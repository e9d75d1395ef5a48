/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Detects runs whose ranks share cores. Private to scale/read/. */
#ifndef MPG_SCALE_CORE_FACTS_H
#define MPG_SCALE_CORE_FACTS_H

#include <stddef.h>
#include <stdint.h>

#include "common/error.h"
#include "scale/scale.h"
#include "trace/cores.h"

/* The core facts of one profile's ranks; initially {0}. */
struct scale_core_facts {
    struct mpg_rank_cores *rank;
    char *(*text)[3]; /* of each rank: host, cores, limit; NULL: unknown */
    uint32_t n, capacity, text_capacity;
};

/* Adds the facts "host", "cores" and "core_limit" of RANK (NULL: unknown), which are copied. Error: out of memory. */
int mpg_scale_core_facts_add(struct scale_core_facts *facts, int32_t rank, const char *host, const char *cores, const char *limit,
                             struct mpg_error *err);
/* Sets RUN's crowded, room and crowded_on from the added facts. Error: out of memory. */
int mpg_scale_core_facts_judge(struct scale_core_facts *facts, struct scale_run *run, struct mpg_error *err);
void mpg_scale_core_facts_clear(struct scale_core_facts *facts);

/* Like mpg_scale_core_facts_judge(), from the facts of N hosts. Error: out of memory. */
int mpg_scale_core_facts_max(const struct mpg_host_cores *host, size_t n, struct scale_run *run, struct mpg_error *err);

#endif

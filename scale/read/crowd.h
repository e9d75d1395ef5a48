/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether a run's ranks had to share cores. Private to scale/read/. */
#ifndef MPG_SCALE_CROWD_H
#define MPG_SCALE_CROWD_H

#include <stddef.h>
#include <stdint.h>

#include "common/error.h"
#include "scale/scale.h"
#include "trace/cores.h"

/* What the ranks of one profile say; {0} at first. */
struct scale_crowd {
    struct mpg_rank_cores *rank;
    char *(*text)[3]; /* of each: host, cores, limit; NULL: not said */
    uint32_t n, capacity, text_capacity;
};

/* RANK says the facts "host", "cores" and "core_limit"; NULL: not. They are copied. Error: out of memory. */
int mpg_scale_crowd_add(struct scale_crowd *crowd, int32_t rank, const char *host, const char *cores, const char *limit,
                        struct mpg_error *err);
/* Sets RUN's crowded, room and crowded_on by all that was added. Error: out of memory. */
int mpg_scale_crowd_judge(struct scale_crowd *crowd, struct scale_run *run, struct mpg_error *err);
void mpg_scale_crowd_clear(struct scale_crowd *crowd);

/* The same by N hosts. Error: out of memory. */
int mpg_scale_crowd_most(const struct mpg_host_cores *host, size_t n, struct scale_run *run, struct mpg_error *err);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Block bootstrap of a noise record: the record is divided into equal blocks, and as many blocks are drawn with replacement
 * (Carlstein, Ann. Stat. 14 (1986) 1171; docs/NOISE.md, Measured again). Immutable once made. */
#ifndef MPG_RESAMPLED_H
#define MPG_RESAMPLED_H

#include <stdbool.h>
#include <stdint.h>

#include "simulate/noise/replay.h"

enum {
    MPG_BOOTSTRAP_BLOCKS = 16,        /* number of blocks of a record */
    MPG_MEASUREMENTS = 32, /* number of bootstrap samples */
};

/* The blocks of each bootstrap sample, common to all cores of all machines. */
struct mpg_bootstrap_blocks {
    uint8_t part[MPG_MEASUREMENTS][MPG_BOOTSTRAP_BLOCKS];
};

/* Draws all blocks with SEED. */
void mpg_bootstrap_blocks_draw(struct mpg_bootstrap_blocks *parts, uint64_t seed);
/* Returns the bootstrap sample of REPLICA, below MPG_MEASUREMENTS; each pair of replicas shares a sample. */
static inline uint32_t mpg_measurement_of(uint32_t replica)
{
    return replica / 2 % MPG_MEASUREMENTS;
}

/* A record divided into blocks. */
struct mpg_resampled {
    const struct mpg_replay *replay;
    double span_ns, per_span; /* length of the record, and the reciprocal of the length */
    double before_ns[MPG_BOOTSTRAP_BLOCKS + 1]; /* work before each block */
    bool works;                      /* each block leaves time for work */
};

/* Divides REPLAY, which must outlive R, into blocks. */
void mpg_resampled_init(struct mpg_resampled *r, const struct mpg_replay *replay);
/* Returns the fraction of time lost by a record of the blocks PART; NULL: by the original record. */
double mpg_resampled_lost(const struct mpg_resampled *r, const uint8_t *part);
/* Returns the time at which the fraction U of all work is done, with the blocks PART or the original record. With U uniform on
 * (0, 1) the time is uniform over work, and never inside a detour. */
double mpg_resampled_start(const struct mpg_resampled *r, const uint8_t *part, double u);
/* As mpg_replay_meet(), with the MPG_BOOTSTRAP_BLOCKS blocks PART; with the original record if PART is NULL or leaves no time
 * for work. */
struct mpg_replay_met mpg_resampled_meet(const struct mpg_resampled *r, const uint8_t *part,
                                         double t_ns, double work_ns);
/* As mpg_replay_detour_left(); a detour is cut at the bounds of a block. */
double mpg_resampled_detour_left(const struct mpg_resampled *r, const uint8_t *part, double t_ns, double *since_ns);
/* Returns true if the blocks PART are used: PART is not NULL and leaves time for work. */
bool mpg_resampled_has_parts(const struct mpg_resampled *r, const uint8_t *part);
/* Returns the position of T_NS in the original record. Sets *WHOLE to the number of complete passes through PART and *PLACE to
 * the block within PART. */
double mpg_resampled_locate(const struct mpg_resampled *r, const uint8_t *part, double t_ns, double *whole, int *place);

#endif

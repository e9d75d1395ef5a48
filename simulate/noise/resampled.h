/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A noise record as another measurement of the same machine might have found it: in equal parts,
 * as many of which are drawn with replacement (Carlstein, Ann. Stat. 14 (1986) 1171; docs/NOISE.md,
 * Measured again). Immutable once made. */
#ifndef MPG_RESAMPLED_H
#define MPG_RESAMPLED_H

#include <stdbool.h>
#include <stdint.h>

#include "simulate/noise/replay.h"

enum {
    MPG_BOOTSTRAP_BLOCKS = 16,        /* of a record */
    MPG_MEASUREMENTS = 32, /* different ones */
};

/* Which parts each measurement has, the same for all cores of all machines. */
struct mpg_bootstrap_blocks {
    uint8_t part[MPG_MEASUREMENTS][MPG_BOOTSTRAP_BLOCKS];
};

/* Drawn with SEED. */
void mpg_bootstrap_blocks_draw(struct mpg_bootstrap_blocks *parts, uint64_t seed);
/* The measurement that REPLICA is in, < MPG_MEASUREMENTS: two in a row share one. */
static inline uint32_t mpg_measurement_of(uint32_t replica)
{
    return replica / 2 % MPG_MEASUREMENTS;
}

/* A record with its parts. */
struct mpg_resampled {
    const struct mpg_replay *replay;
    double span_ns, per_span; /* and 1 / it */
    double before_ns[MPG_BOOTSTRAP_BLOCKS + 1]; /* work before each part */
    bool works;                      /* each part leaves some */
};

/* REPLAY outlives it. */
void mpg_resampled_init(struct mpg_resampled *r, const struct mpg_replay *replay);
/* The part of its time that the record of the parts PART loses, or the record itself (NULL). */
double mpg_resampled_lost(const struct mpg_resampled *r, const uint8_t *part);
/* When the fraction U of all work is done, of the parts PART or the record itself: U even on (0, 1) makes a time that is
 * even in work, and within no detour. */
double mpg_resampled_start(const struct mpg_resampled *r, const uint8_t *part, double u);
/* As mpg_replay_meet(), of the parts PART (MPG_BOOTSTRAP_BLOCKS of them), or of
 * the record itself where PART is NULL, or leaves no work. */
struct mpg_replay_met mpg_resampled_meet(const struct mpg_resampled *r, const uint8_t *part,
                                         double t_ns, double work_ns);
/* As mpg_replay_detour_left(); parts cut the detours at their bounds. */
double mpg_resampled_detour_left(const struct mpg_resampled *r, const uint8_t *part, double t_ns, double *since_ns);
/* Whether the parts PART, which may be NULL, leave any work, so that they are what is met. */
bool mpg_resampled_has_parts(const struct mpg_resampled *r, const uint8_t *part);
/* How far in the whole record that part has come in which T_NS is, the *PLACE-th after *WHOLE of all of PART. */
double mpg_resampled_locate(const struct mpg_resampled *r, const uint8_t *part, double t_ns, double *whole, int *place);

#endif

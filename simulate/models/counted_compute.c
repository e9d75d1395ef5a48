/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "simulate/models/counted_compute.h"

#include <math.h>

static const double LINE_BYTES = 64; /* a cache line of all processors in use except POWER (128) and some ARM (128, 256) */

struct mpg_compute_shares mpg_compute_shares_of(const struct mpg_compute_counts *counts, const struct mpg_compute_rates *source,
                                                double best_ipc)
{
    const double time_s = counts->time_ns * 1e-9;
    /* The minimum and the maximum time of the misses, as parts of the whole time: all in order and ahead of use, or each waited
     * for alone. */
    const double streamed = LINE_BYTES * counts->misses / source->bytes / time_s;
    const double awaited = fmax(streamed, counts->misses / source->accesses / time_s);
    const double stalled = 1 - fmin(1, counts->instructions / fmax(1, best_ipc) / counts->cycles);
    const double memory = fmin(1, fmin(awaited, fmax(streamed, stalled)));
    struct mpg_compute_shares s = {.bandwidth = memory};
    if (awaited > streamed && memory > streamed) {
        s.bandwidth = streamed * (awaited - memory) / (awaited - streamed);
        s.latency = memory - s.bandwidth;
    }
    const double part = counts->floating < 0          ? 0.5
                        : counts->instructions > 0 ? fmin(1, counts->floating / counts->instructions)
                                                      : 0;
    s.floating = (1 - memory) * part;
    s.integer = 1 - memory - s.floating;
    return s;
}

double mpg_compute_shares_ratio(const struct mpg_compute_shares *shares, const struct mpg_compute_rates *source,
                                const struct mpg_compute_rates *target)
{
    return shares->floating * source->floating / target->floating + shares->integer * source->integer / target->integer +
           shares->bandwidth * source->bytes / target->bytes + shares->latency * source->accesses / target->accesses;
}

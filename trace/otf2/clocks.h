/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes the clocks of an archive's ranks as facts. Private to trace/otf2/. */
#ifndef MPG_OTF2_CLOCKS_H
#define MPG_OTF2_CLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/error.h"
#include "trace/build/build.h"

/* Measured offsets of a rank's clock, in ticks: `time` of the rank plus `offset` is the common time. */
struct otf2_clock {
    size_t n, capacity;
    struct otf2_offset {
        uint64_t time;
        int64_t offset;
    } *at;
};

/* Appends an offset. Returns false: out of memory. */
bool mpg_otf2_clock_add(struct otf2_clock *clock, uint64_t time, int64_t offset);

struct otf2_clocks {
    int32_t ranks;
    uint64_t resolution, origin; /* ticks per second; the tick of time 0 ns */
    struct otf2_clock *clock;    /* by rank */
    const int64_t *first_ns, *last_ns; /* first and last time of each rank's records */
    bool is_one_host;
};

/* Returns whether any offset is not 0. */
bool mpg_otf2_has_offsets(const struct otf2_clocks *clocks);

/* Writes facts "clock" of each rank, so that offsets are interpolated between the measured times and extrapolated to the
 * rank's first and last record, as by libotf2; or the fact "clocks shared" if all offsets are 0. *WORDS: a description of the
 * clocks for the user. Returns 0, or -1 with ERR. */
int mpg_otf2_write_clocks(struct otf2_clocks *clocks, struct mpg_build *b, const char **words, struct mpg_error *err);

#endif

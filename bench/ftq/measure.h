/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A measurement mode on one or more cores: measurement, results files, summary lines. */
#ifndef MPG_MEASURE_H
#define MPG_MEASURE_H

#include <stdbool.h>
#include <stddef.h>

#include "bench/ftq/host_cores.h"
#include "bench/harness/timer.h"
#include "common/error.h"
#include "common/progress.h"

enum mpg_noise_mode { MPG_NOISE_FTQ, MPG_NOISE_FWQ, MPG_NOISE_DETOUR, MPG_NOISE_MODES };

/* "ftq", "fwq", "detour": in file names and summaries. */
extern const char *const mpg_noise_names[MPG_NOISE_MODES];

/* Parameters common to all measurements of a process. */
struct mpg_noise_plan {
    int argc;
    char **argv;
    const char *dir;
    const struct mpg_timer *timer;
    const struct mpg_ftq_cores *division;
    double duration_ns, quantum_ns, threshold_ns;
    size_t max_detours;
    bool causes;             /* find the causes of detours, by causes.h */
    bool realtime, together; /* true: all cores at once, in this process */
    int cores_at_once; /* number of cores that all ranks of this host measure at once */
};

/* Measures MODE on the N >= 1 cores CORE at once, by a pinned thread per core, then writes a file and prints a line for each
 * core. PROGRESS counts measured cores, DONE before this call; PROGRESS is updated meanwhile if a core is free for drawing.
 * Errors: core not available, out of memory, write error. */
int mpg_noise_measure(const struct mpg_noise_plan *plan, enum mpg_noise_mode mode,
                      const int *core, int n, struct mpg_progress *progress, int done,
                      struct mpg_error *err);

#endif

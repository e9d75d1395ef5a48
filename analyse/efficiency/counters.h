/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Instructions and cycles of a run's computation, as recorded by `mpgtrace record --papi`, and the factors of computation
 * scaling: computation scaling = instruction scaling x IPC scaling x frequency scaling. */
#ifndef MPG_EFFICIENCY_COUNTERS_H
#define MPG_EFFICIENCY_COUNTERS_H

#include "analyse/efficiency/efficiency.h"
#include "trace/reader.h"

/* Names of the counters of instructions and of cycles, in order of preference, up to NULL. */
extern const char *const mpg_counter_instructions[], *const mpg_counter_cycles[];
/* Returns the index of the first counter of NAMES (up to NULL) that RANK recorded, among the values of RANK's events; -1:
 * none. */
int32_t mpg_counter_find(const struct mpg_trace *trace, int32_t rank, const char *const *names);

/* Counts outside of calls, from MPI_Init to MPI_Finalize, in the threads that called MPI_Init, summed over all ranks. NAN: not
 * every rank recorded the counter. */
struct mpg_efficiency_counters {
    double instructions, cycles;
};

/* The factors, fractions; NAN: a counter is missing. */
struct mpg_efficiency_counter_scaling {
    /* instructions of REFERENCE over instructions of RUN; with SCALED (weak scaling) the ratio of means over ranks */
    double instructions;
    double ipc;          /* instructions per cycle of RUN over instructions per cycle of REFERENCE */
    double frequency;    /* cycles per second of computation of RUN over cycles per second of REFERENCE */
};

/* Reads all events of TRACE if its ranks have counters of instructions or of cycles. Returns 0, or -1 with ERR. */
int mpg_efficiency_count(struct mpg_trace *trace, struct mpg_efficiency_counters *counters, struct mpg_error *err);

/* The times and counters of a run. */
struct mpg_efficiency_counted {
    const struct mpg_efficiency *times;
    const struct mpg_efficiency_counters *counters;
};

struct mpg_efficiency_counter_scaling mpg_efficiency_counter_scaling(const struct mpg_efficiency_counted *reference,
                                                                     const struct mpg_efficiency_counted *run,
                                                                     enum mpg_efficiency_scaling scaling);

#endif

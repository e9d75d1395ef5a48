/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Work among recorded detours, in lanes. A lane remembers where in its record it was: what comes next is near, and found
 * by a few comparisons. What is found does not depend on what is remembered. */
#ifndef MPG_LOOKUPS_H
#define MPG_LOOKUPS_H

#include <stdbool.h>
#include <stdint.h>

#include "simulate/noise/machine.h"
#include "simulate/rounding.h"

/* Where in a record a lane of a rank is; zero-initialised it is nowhere yet. */
struct mpg_noise_place {
    double start_ns; /* where in its record it is when MPI_Init ends */
    double shift_ns; /* a time after MPI_Init and this are one of the record, */
    double until_ns; /* before so long after MPI_Init */
    uint32_t next;   /* a detour of it, near the next one that is met */
    bool is_begun;
};

/* Work of a rank in some lanes. */
struct mpg_begun_work {
    int32_t rank;
    uint32_t n, at, first;            /* replica FIRST is lane 0 */
    const uint32_t *lane;             /* n different ones, counted from the AT-th on; of each */
    const double *since_ns, *work_ns; /* when it begins, after MPI_Init, and how much it is */
    double covered_ns;                /* a detour that is going on then, and began before, no more than so long, is none */
    double *passed_ns;                /* of all lanes: when, after MPI_Init, the last such one is over; 0: there was none
                                         yet. NULL: all detours count */
    struct mpg_noise_place *place;    /* of all lanes; NULL: nothing is remembered */
};

/* What it meets in a lane. */
struct mpg_work_met {
    double time_ns;  /* how long it takes; exactly the work where nothing interrupts it */
    double quiet_ns; /* from its end on nothing interrupts for so long, but for rounding; <= 0: that is not known */
    double end_ns;   /* of the record; times are rounded as it is */
};

/* Whether a detour that is going on when work begins, and began BEFORE_NS before, is none. */
static inline bool mpg_detour_is_covered(double covered_ns, double before_ns)
{
    return before_ns > MPG_ROUNDING_NS && before_ns <= covered_ns + MPG_ROUNDING_NS;
}

/* What WORK meets on M, which has records, of the parts PARTS (NULL: as they are), into MET. */
void mpg_machine_meet(const struct mpg_machine *m, const struct mpg_parts *parts, uint64_t seed,
                      const struct mpg_begun_work *work, struct mpg_work_met *met);
/* Asks for what is read of the record of RANK at each of N places. */
void mpg_machine_fetch(const struct mpg_machine *m, int32_t rank, const struct mpg_noise_place *place, uint32_t n);

#endif

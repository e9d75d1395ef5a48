/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Computation on another machine by processor counters: bounds as in the roofline model (Williams, Waterman, Patterson, CACM 52
 * (2009) 65), and a sum of parts at measured rates as in PMaC's convolution (Snavely et al., SC 2002). MODEL.md, section 5. Pure
 * functions. */
#ifndef MPG_COUNTED_COMPUTE_H
#define MPG_COUNTED_COMPUTE_H

#include <stdbool.h>

/* Mean rates of a core while the largest measured number of cores is busy, > 0. */
struct mpg_compute_rates {
    double floating; /* floating-point operations a second, from registers */
    double integer;  /* integer and branch operations a second, from cache */
    double bytes;    /* bytes a second from memory, in order */
    double accesses; /* dependent accesses to memory a second */
};

/* Counts of some computation on the source machine; > 0: time_ns, cycles; >= 0: the others. */
struct mpg_compute_counts {
    double time_ns, instructions, cycles;
    double misses;   /* cache lines that missed the last-level cache */
    double floating; /* floating-point instructions; negative: not counted */
};

/* Shares of the time, with the sum 1, each >= 0. */
struct mpg_compute_shares {
    double floating, integer;  /* bound by instructions */
    double bandwidth, latency; /* bound by memory */
};

/* Returns the shares of COUNTS, measured on a machine of rates SOURCE. BEST_IPC: instructions per cycle of the program with all
 * data in caches; less than 1 counts as 1. */
struct mpg_compute_shares mpg_compute_shares_of(const struct mpg_compute_counts *counts, const struct mpg_compute_rates *source,
                                                double best_ipc);

/* Returns the time on a machine of rates TARGET over the time on SOURCE. */
double mpg_compute_shares_ratio(const struct mpg_compute_shares *shares, const struct mpg_compute_rates *source,
                                const struct mpg_compute_rates *target);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The tracer's overhead. */
#ifndef MPG_TRACER_OVERHEAD_H
#define MPG_TRACER_OVERHEAD_H

/* The tracer's overhead on this machine in ns, without the real call: of a recorded call, of an aggregated call, and of one
 * reading of the CPU clock (0 if off-CPU time is not recorded). cpu_ns: CPU time of an empty interval; 0 if CPU time is not
 * recorded. */
struct overhead {
    double call_ns, sum_ns, off_cpu_ns, cpu_ns;
};

/* Measures some hundred artificial calls (below 1 ms in total). Excludes compression and writing, which Flush events record.
 * Unmeasurable values are 0. The thread with the first stream must call this function before recording begins. */
struct overhead overhead_measure(void);

#endif

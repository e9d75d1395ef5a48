/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Overhead of the tracer itself. */
#ifndef MPG_TRACER_OVERHEAD_H
#define MPG_TRACER_OVERHEAD_H

/* The tracer's overhead on this machine in ns, without the real call: of a recorded call, of an aggregated call,
 * and of one reading of the CPU clock (0 if off-CPU time is not recorded). The last member is the CPU time that an
 * empty interval shows; 0 if CPU time is not recorded. */
struct overhead {
    double call_ns, sum_ns, off_cpu_ns, cpu_ns;
};

/* Measures some hundred artificial calls (below 1 ms in total). Excludes compression and writing, which Flush
 * events record. Values that cannot be measured are 0. The thread with the first stream must call this function
 * before recording begins. */
struct overhead overhead_measure(void);

#endif

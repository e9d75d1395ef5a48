/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the tracer itself costs. */
#ifndef MPG_TRACER_OVERHEAD_H
#define MPG_TRACER_OVERHEAD_H

/* ns that the tracer takes on this machine beyond the call itself: for one that is recorded, and
 * for one that is summed up, and for a reading of the CPU clock, for off-CPU time (0 without any).
 * CPU time that an interval without anything in it has, by how the tracer reads it; 0 where it does
 * not. */
struct overhead {
    double call_ns, sum_ns, off_cpu_ns, cpu_ns;
};

/* From some hundred made-up calls (below 1 ms in all); without their share of compressing and
 * writing, which Flush events tell. 0 if it cannot be measured. Before recording begins, by the
 * thread that has the first stream. */
struct overhead overhead_measure(void);

#endif

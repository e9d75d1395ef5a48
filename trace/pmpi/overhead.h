/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the tracer itself costs. */
#ifndef MPG_TRACER_OVERHEAD_H
#define MPG_TRACER_OVERHEAD_H

/* ns that a recorded call takes on this machine beyond the call itself, from a few
 * hundred made-up ones (below 1 ms in all); without its share of compressing and
 * writing, which Flush events tell. 0 if it cannot be measured. Before recording
 * begins, by the thread that has the first stream. */
double overhead_call_ns(void);

#endif

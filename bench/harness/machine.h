/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Header lines of a results file about the machine. */
#ifndef MPG_MACHINE_H
#define MPG_MACHINE_H

#include "bench/harness/results_file.h"
#include "bench/harness/timer.h"
#include "common/error.h"

/* Adds the header lines common to all results files: mpgkit, date, host, cpu, kernel (with HZ if known),
 * virtualisation, scheduling (of this thread), clock, clock_hz, clock_drift_ppm (mpg_timer_drift_ppm(), hence to
 * be called after the measurement), kernel_clock, timer_cost_ns, timer_resolution_ns, arguments, units. Unknown
 * values become "unknown". Errors: out of memory. */
int mpg_machine_describe(struct mpg_header *header, const struct mpg_timer *timer, int argc,
                         char **argv, struct mpg_error *err);

/* Formats this thread's scheduling class, nice value and priority into TEXT of SIZE bytes. Returns TEXT. */
char *mpg_machine_scheduling(char *text, size_t size);

/* Returns the hypervisor's steal time of CORE since boot, ns, in multiples of the kernel's clock tick (/proc/stat,
 * proc(5)); -1: unknown. */
double mpg_machine_steal_ns(int core);

#endif

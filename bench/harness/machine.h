/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a results file says about where it was measured. */
#ifndef MPG_MACHINE_H
#define MPG_MACHINE_H

#include "bench/harness/record.h"
#include "bench/harness/timer.h"
#include "common/error.h"

/* Adds the lines that every results file has: mpgkit, date, host, cpu, kernel
 * (with its HZ where the system says), virtualisation, scheduling (of this
 * thread), clock, clock_hz, clock_drift_ppm (mpg_timer_drift_ppm(): to be called
 * when everything is measured), kernel_clock, timer_cost_ns,
 * timer_resolution_ns, arguments, units. What cannot be found out is "unknown".
 * Fails only when out of memory. */
int mpg_machine_describe(struct mpg_header *header, const struct mpg_timer *timer, int argc,
                         char **argv, struct mpg_error *err);

/* This thread's scheduling class, nice value and priority in words, into TEXT of
 * SIZE bytes. Returns TEXT. */
char *mpg_machine_scheduling(char *text, size_t size);

/* Time that the hypervisor took from CORE since boot, ns (proc(5), /proc/stat,
 * steal), in units of the kernel's clock tick; -1 when the system does not say. */
double mpg_machine_steal_ns(int core);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a results file says about where it was measured, and the cores that
 * this process may use. */
#ifndef MPG_MACHINE_H
#define MPG_MACHINE_H

#include <stdint.h>

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

/* The cores this thread may run on, ascending, into *CORES, which the caller
 * frees; returns how many, at least 1, or -1 (out of memory, the system call
 * fails). Source: sched_getaffinity(2). */
int mpg_cores_allowed(int **cores, struct mpg_error *err);
/* Pins this thread to CORE (>= 0). Fails when it may not run there. */
int mpg_cores_pin(int core, struct mpg_error *err);
/* The N cores CORE, ascending, as a list of ranges, "0-3,8", into TEXT of SIZE
 * bytes, cut off where it is too long. Returns TEXT. */
char *mpg_cores_list(char *text, size_t size, const int *core, int n);
/* The allowed cores as such a list, into TEXT of SIZE bytes;
 * "unknown" when they cannot be found out. Returns TEXT. */
char *mpg_cores_text(char *text, size_t size);

/* Time that the hypervisor took from CORE since boot, ns (proc(5), /proc/stat,
 * steal), in units of the kernel's clock tick; -1 when the system does not say. */
double mpg_machine_steal_ns(int core);

#endif

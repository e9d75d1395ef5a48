/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Removes message and collective samples during which a rank was off its CPU (preempted, or a hypervisor used the CPU). Off-CPU
 * time is core noise and contained in the detour record; without this removal simulations would count it twice. */
#ifndef MPG_OFF_CPU_FILTER_H
#define MPG_OFF_CPU_FILTER_H

#include <stddef.h>

#include "signature/make/results.h"

/* For each benchmark: numbers of samples in files that record off-CPU time. Zero-initialised: nothing is counted yet. */
struct mpg_off_cpu_filter {
    struct {
        size_t samples, removed; /* number of samples before the removal; number of removed samples */
        size_t kept;        /* number of samples with off-CPU time that stay, since too few samples of the kind would remain */
    } of[MPG_BENCHMARKS];
};

/* Removes from R, if it holds messages or collectives and records off-CPU time, the samples off the CPU for more than 1 % of
 * their time; the remaining samples stay in order. If fewer than a quarter of a kind (pair, size, window; operation, size,
 * processes; pairs at once, directions, size) would remain, the whole kind stays. Adds the counts to SUM. Errors: out of
 * memory. */
int mpg_off_cpu_filter_apply(struct mpg_results *r, struct mpg_off_cpu_filter *sum, struct mpg_error *err);

/* Formats SUM into TEXT of SIZE bytes: "pingpong 58 of 17870, collective 9 of 5000"; empty if no file records
 * off-CPU time. Returns the number of samples that stayed with off-CPU time. */
size_t mpg_off_cpu_filter_describe(const struct mpg_off_cpu_filter *sum, char *text, size_t size);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Samples of messages and collective operations during which a rank was off its CPU, preempted or
 * because a hypervisor had the CPU. That is a core's noise, which the signature has from the
 * record of detours: with these samples the network would have it once more. */
#ifndef MPG_LEFT_OUT_H
#define MPG_LEFT_OUT_H

#include <stddef.h>

#include "signature/make/results.h"

/* Of the files of each benchmark that say when ranks were off their CPUs. Zero-initialised is
 * none. */
struct mpg_left_out {
    struct {
        size_t samples, out; /* how many there were, how many of them were left out */
        size_t whole;        /* how many of those off the CPU stayed: too few others would have */
    } of[MPG_BENCHMARKS];
};

/* Leaves out of R, if it is of messages or collective operations and says when ranks were off
 * their CPUs, the samples that were so for more than 1 % of their time; the others stay in their
 * order. Where fewer than a quarter of a kind (a pair, size and window; an operation, size and
 * number of processes) would stay, all of that kind do. Counts them in SUM. Errors: out of memory. */
int mpg_left_out_take(struct mpg_results *r, struct mpg_left_out *sum, struct mpg_error *err);

/* Says what SUM has, in TEXT of SIZE bytes: "pingpong 58 of 17870, collective 9 of 5000"; empty
 * if no file says when ranks were off their CPUs. Returns how many samples stayed although they
 * were off the CPU. */
size_t mpg_left_out_text(const struct mpg_left_out *sum, char *text, size_t size);

#endif

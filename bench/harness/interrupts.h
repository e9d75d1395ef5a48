/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The interrupts that one core has served, as the kernel counts them (proc(5),
 * /proc/interrupts and /proc/softirqs): what a core's noise is made of. */
#ifndef MPG_INTERRUPTS_H
#define MPG_INTERRUPTS_H

#include <stddef.h>

enum mpg_interrupts_kind { MPG_INTERRUPTS_HARD, MPG_INTERRUPTS_SOFT };

struct mpg_interrupt; /* a name and its count */

/* One core's counts at one moment. Zero-initialised is empty. */
struct mpg_interrupts {
    size_t n;
    struct mpg_interrupt *line;
};

/* Reads what CORE has served since boot, into NOW, which the caller clears;
 * empty where the system does not say. */
void mpg_interrupts_read(enum mpg_interrupts_kind kind, int core, struct mpg_interrupts *now);
void mpg_interrupts_clear(struct mpg_interrupts *interrupts);

/* What was served between BEFORE and AFTER, the most frequent first, into TEXT of
 * SIZE bytes: "LOC 1502, RES 12", a device's interrupt with the names of those
 * that use it, "36:virtio1-req.0 7"; "none", or "unknown" where either is empty.
 * Whole names only; "and more" stands for what does not fit. Returns TEXT. */
char *mpg_interrupts_text(const struct mpg_interrupts *before, const struct mpg_interrupts *after,
                          char *text, size_t size);

#endif

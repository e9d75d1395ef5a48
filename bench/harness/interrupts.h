/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Interrupts served by a core, from /proc/interrupts and /proc/softirqs (proc(5)): causes of the core's noise. */
#ifndef MPG_INTERRUPTS_H
#define MPG_INTERRUPTS_H

#include <stddef.h>

enum mpg_interrupts_kind { MPG_INTERRUPTS_HARD, MPG_INTERRUPTS_SOFT };

struct mpg_interrupt; /* a name and its count of interrupts */

/* The counts of a core at a moment. Zero-initialised is empty. */
struct mpg_interrupts {
    size_t n;
    struct mpg_interrupt *line;
};

/* Reads the interrupts served by CORE since boot into NOW, which the caller clears; empty if the system has no
 * table. */
void mpg_interrupts_read(enum mpg_interrupts_kind kind, int core, struct mpg_interrupts *now);
void mpg_interrupts_clear(struct mpg_interrupts *interrupts);

/* Formats the interrupts served between BEFORE and AFTER, most frequent first, into TEXT of SIZE bytes: "LOC 1502,
 * RES 12"; a device interrupt with the device names, "36:virtio1-req.0 7". "none" without interrupts, "unknown" if
 * either argument is empty; "and more" replaces names beyond SIZE. Returns TEXT. */
char *mpg_interrupts_text(const struct mpg_interrupts *before, const struct mpg_interrupts *after,
                          char *text, size_t size);

#endif

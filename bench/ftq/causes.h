/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The causes of detours: interrupts, soft interrupts and other tasks that ran on a core meanwhile, as the kernel traces them in
 * an instance of tracefs (Linux, Documentation/trace/events.rst; libtracefs). The instance is read after the record only. */
#ifndef MPG_CAUSES_H
#define MPG_CAUSES_H

#include <stddef.h>
#include <stdint.h>

#include "bench/harness/timer.h"
#include "common/error.h"

/* Causes that every record knows. The others are numbered from MPG_CAUSE_KNOWN on, as they are met. */
enum mpg_cause {
    MPG_CAUSE_UNSEEN,     /* the kernel saw nothing: system management mode, caches, or a hypervisor without steal time */
    MPG_CAUSE_HYPERVISOR, /* the thread had no CPU time, and no other task ran */
    MPG_CAUSE_KNOWN
};
/* Largest number of names; later causes are MPG_CAUSE_UNSEEN. Bytes of a name, terminated. */
enum { MPG_CAUSES_MAX = 64, MPG_CAUSE_BYTES = 40 };

struct mpg_causes;

/* Starts the kernel's trace of the N cores CORE (>= 1), for a record of about DURATION_NS. TIMER is the clock of the record; it
 * outlives the result, which the caller frees. Errors, NULL: this build is without libtracefs; no tracefs, or no permission; the
 * kernel's trace has no clock that equals TIMER. */
struct mpg_causes *mpg_causes_start(const int *core, int n, const struct mpg_timer *timer, double duration_ns,
                                    struct mpg_error *err);
/* Says that the calling thread is the one that measures core I of N. Any thread, one for each core. */
void mpg_causes_measured_by_me(struct mpg_causes *c, int i);
/* Ends the kernel's trace and reads it. Errors: the trace cannot be read, out of memory. */
int mpg_causes_stop(struct mpg_causes *c, struct mpg_error *err);

/* A detour, or a part of one, in ticks of the timer; off_ns: time off the CPU. */
struct mpg_cause_span {
    uint64_t start, end;
    double off_ns;
    int cause; /* of a part */
};
/* Finds the causes of DETOUR on core I. Where tasks took turns in it, each has a part of its own, if it lasts
 * MPG_CAUSE_MARGIN_NS; else the detour is one part. A part's cause is that with most of its time; MPG_CAUSE_UNSEEN if the kernel
 * traced less than half of the part and left more than MPG_CAUSE_MARGIN_NS. Sets *PART to the parts, in time order, without gaps,
 * valid until the next call, and returns their number, >= 1; -1: out of memory. Detours of a core are asked for in time order. */
#define MPG_CAUSE_MARGIN_NS 5000.0
int mpg_causes_of(struct mpg_causes *c, int i, const struct mpg_cause_span *detour, const struct mpg_cause_span **part);

/* Returns the number of causes so far; *NAME: the names, "timer tick", "irq 36 eth0", "softirq RCU", "task kworker", which belong
 * to C. */
int mpg_causes_names(const struct mpg_causes *c, const char (**name)[MPG_CAUSE_BYTES]);
/* Returns the number of events of core I that the kernel's buffer lost: what they caused is unseen. */
uint64_t mpg_causes_lost(const struct mpg_causes *c, int i);
/* Removes the instance and frees C; NULL is allowed. */
void mpg_causes_free(struct mpg_causes *c);
/* Removes the instance of this process, if there is one: for signal handlers. */
void mpg_causes_remove(void);

#endif

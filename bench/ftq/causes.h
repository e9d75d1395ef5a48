/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The causes of detours: interrupts, soft interrupts and other tasks that ran on a core meanwhile, from the kernel's trace in an
 * instance of tracefs (Linux, Documentation/trace/events.rst; libtracefs). The instance is read after the record only. */
#ifndef MPG_CAUSES_H
#define MPG_CAUSES_H

#include <stddef.h>
#include <stdint.h>

#include "bench/harness/timer.h"
#include "common/error.h"

/* Causes known to every record. Further causes are numbered from MPG_CAUSE_KNOWN on, in the order of occurrence. */
enum mpg_cause {
    MPG_CAUSE_UNSEEN,     /* the kernel saw nothing: system management mode, caches, or a hypervisor without steal time */
    MPG_CAUSE_HYPERVISOR, /* the thread had no CPU time, and no other task ran */
    MPG_CAUSE_KNOWN
};
/* Largest number of names; later causes are MPG_CAUSE_UNSEEN. Bytes of a name, terminated. */
enum { MPG_CAUSES_MAX = 64, MPG_CAUSE_BYTES = 40 };

struct mpg_causes;

/* Starts the kernel's trace of the N cores CORE (>= 1), for a record of about DURATION_NS. TIMER is the clock of the record, and
 * must outlive the result, which the caller frees. Errors, NULL: a build without libtracefs; no tracefs, or no permission; the
 * kernel's trace has no clock that equals TIMER. */
struct mpg_causes *mpg_causes_start(const int *core, int n, const struct mpg_timer *timer, double duration_ns,
                                    struct mpg_error *err);
/* Declares the calling thread as the measuring thread of core I of N. Called by one thread for each core. */
void mpg_causes_measured_by_me(struct mpg_causes *c, int i);
/* Ends the kernel's trace and reads it. Errors: the trace cannot be read, out of memory. */
int mpg_causes_stop(struct mpg_causes *c, struct mpg_error *err);

/* A detour, or a part of one, in ticks of the timer; off_ns: time off the CPU. */
struct mpg_cause_span {
    uint64_t start, end;
    double off_ns;
    int cause; /* of a part */
};
/* Finds the causes of DETOUR on core I. If tasks took turns in the detour, each turn of at least MPG_CAUSE_MARGIN_NS is a
 * separate part; else the detour is one part. A part's cause is the cause with most of the part's time; MPG_CAUSE_UNSEEN if the
 * kernel traced less than half of the part and left more than MPG_CAUSE_MARGIN_NS. Sets *PART to the parts, in time order,
 * without gaps, valid until the next call, and returns the number of parts, >= 1; -1: out of memory. Must be called in time order
 * for the detours of a core. */
#define MPG_CAUSE_MARGIN_NS 5000.0
int mpg_causes_of(struct mpg_causes *c, int i, const struct mpg_cause_span *detour, const struct mpg_cause_span **part);

/* Returns the number of causes so far; *NAME: the names, "timer tick", "irq 36 eth0", "softirq RCU", "task kworker", owned by
 * C. */
int mpg_causes_names(const struct mpg_causes *c, const char (**name)[MPG_CAUSE_BYTES]);
/* Returns the number of events of core I lost by the kernel's buffer: detours of these events are MPG_CAUSE_UNSEEN. */
uint64_t mpg_causes_lost(const struct mpg_causes *c, int i);
/* Removes the instance and frees C; NULL is allowed. */
void mpg_causes_free(struct mpg_causes *c);
/* Removes the instance of this process, if any: for signal handlers. */
void mpg_causes_remove(void);

#endif

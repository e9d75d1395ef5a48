/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The CPU time of a thread. Wall-clock time minus CPU time is the time off the CPU, to about 100 ns. CLOCK_THREAD_CPUTIME_ID
 * stops while another thread runs on the CPU and, if the kernel accounts for stolen time (CONFIG_PARAVIRT_TIME_ACCOUNTING),
 * while the hypervisor runs another guest. */
#ifndef MPG_CPU_CLOCK_H
#define MPG_CPU_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/* Returns the calling thread's CPU time in ns. Costs one system call, 200 to 500 ns. */
static inline uint64_t mpg_cpu_clock_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* The number of context switches of the calling thread since its start: voluntary (the thread slept) and involuntary (the
 * kernel preempted the thread). Both are 0 if the system does not count context switches. Costs one system call. */
struct mpg_cpu_switches {
    long voluntary, involuntary;
};
struct mpg_cpu_switches mpg_cpu_switches(void);

/* Returns true if the CPU clock also stops during interrupts (CONFIG_IRQ_TIME_ACCOUNTING), in which case time off the CPU may
 * be an interrupt. The test: /proc/stat shows a nonzero interrupt time. Kernels without precise accounting sample at timer
 * ticks, when interrupts are disabled, and count none. Reads /proc/stat once and caches the result. Thread-safe. */
bool mpg_cpu_clock_skips_interrupts(void);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The CPU time of a thread, which says for how long the thread was off its CPU: wall-clock time
 * less CPU time, to some 100 ns. CLOCK_THREAD_CPUTIME_ID stands still while another thread has the
 * CPU, and, where the kernel accounts for it (CONFIG_PARAVIRT_TIME_ACCOUNTING), while the
 * hypervisor has the CPU. */
#ifndef MPG_CPU_CLOCK_H
#define MPG_CPU_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/* The calling thread's CPU time in ns. Costs a system call, 200 to 500 ns. */
static inline uint64_t mpg_cpu_clock_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* How often the calling thread has been switched off its CPU since it began: because it waited
 * (slept), or although it did not. 0 and 0 if the system does not say. Costs a system call. */
struct mpg_cpu_switches {
    long voluntary, involuntary;
};
struct mpg_cpu_switches mpg_cpu_switches(void);

/* Whether the CPU clock stands still during interrupts, too (CONFIG_IRQ_TIME_ACCOUNTING), so that
 * time off the CPU may be an interrupt: whether /proc/stat has counted any time of interrupts.
 * Kernels that only sample at their ticks, during which interrupts are off, count none. Asked
 * once, then remembered. Thread-safe. */
bool mpg_cpu_clock_skips_interrupts(void);

#endif

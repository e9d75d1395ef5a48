/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests whether the kernel's CPU clock of a thread leaves out time in interrupts; counts context switches. */
#include "config.h"

#include "common/cpu_clock.h"

#include <stdatomic.h>
#include <stdio.h>
#include <sys/resource.h>

#ifndef RUSAGE_THREAD
#define RUSAGE_THREAD 1
#endif

struct mpg_cpu_switches mpg_cpu_switches(void)
{
    struct rusage usage;
    if (getrusage(RUSAGE_THREAD, &usage) != 0)
        return (struct mpg_cpu_switches){0, 0};
    return (struct mpg_cpu_switches){usage.ru_nvcsw, usage.ru_nivcsw};
}

bool mpg_cpu_clock_skips_interrupts(void)
{
    static atomic_int known; /* the function's result: 1: false; 2: true; 0: /proc/stat not read yet */
    int answer = atomic_load(&known);
    if (answer == 0) {
        unsigned long long hard = 0;
        FILE *stream = fopen("/proc/stat", "re");
        if (stream && fscanf(stream, "cpu %*u %*u %*u %*u %*u %llu", &hard) != 1)
            hard = 0;
        if (stream)
            fclose(stream);
        answer = hard > 0 ? 2 : 1;
        atomic_store(&known, answer);
    }
    return answer == 2;
}

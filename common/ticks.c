/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests whether the processor's time counter is reliable. */
#include "common/ticks.h"

#include <string.h>
#if MPG_HAVE_TSC
#include <cpuid.h>
#endif

#include "common/peek.h"

/* Returns true if the kernel lists the time stamp counter as a clock source. The kernel removes a counter running unevenly or
 * differing between cores. */
static bool kernel_trusts_tsc(void)
{
    char line[256];
    bool listed = mpg_peek("/sys/devices/system/clocksource/clocksource0/available_clocksource",
                           line, sizeof line) == 0;
    char *rest = line;
    for (const char *name; !listed && (name = strsep(&rest, " \n")) != NULL;)
        listed = strcmp(name, "tsc") == 0; /* not by strstr(): "hyperv_clocksource_tsc_page" is another counter */
    return listed;
}

/* CPUID leaves 0x80000001 (EDX bit 27: rdtscp) and 0x80000007 (EDX bit 8: the
 * counter is constant and nonstop), Intel SDM volume 2, CPUID. */
struct mpg_ticks_abilities mpg_ticks_abilities(void)
{
    struct mpg_ticks_abilities able = {.constant = MPG_HAVE_COUNTER};
#if MPG_HAVE_TSC
    unsigned a, b, c, d;
    if (__get_cpuid(0x80000001u, &a, &b, &c, &d))
        able.rdtscp = d >> 27 & 1;
    if (__get_cpuid(0x80000007u, &a, &b, &c, &d))
        able.constant = d >> 8 & 1;
#endif
    able.constant = able.constant && (!MPG_HAVE_TSC || kernel_trusts_tsc());
    return able;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tracking of the speed of undisturbed work. */
#include "config.h"

#include "bench/ftq/speed.h"

#include <math.h>
#include <stdbool.h>

#include "statistics/order.h"

enum { MIN_UNITS = 8 };
#define MIN_LEFT 0.25     /* minimum undisturbed share of a quantum that determines the pace */
#define INTERRUPTED 2.0   /* a unit counts as interrupted if longer than INTERRUPTED times the current unit time */
#define RESOLUTIONS 2.0   /* both readings of an interval have an error of up to the timer's resolution */

static void set_unit(struct mpg_pace *pace, double unit)
{
    pace->unit = unit;
    pace->limit =
        (uint64_t)fmax(INTERRUPTED * unit, unit + RESOLUTIONS * pace->resolution);
}

void mpg_pace_begin(struct mpg_pace *pace, double resolution)
{
    *pace = (struct mpg_pace){.resolution = resolution, .limit = UINT64_MAX};
}

/* Returns whether QUANTUM, of TICKS, has enough undisturbed work to determine the pace. */
static bool is_usable(const struct mpg_quantum *quantum, double ticks)
{
    return quantum->units >= MIN_UNITS && ticks - quantum->gone >= MIN_LEFT * ticks;
}

void mpg_pace_follow(struct mpg_pace *pace, double ticks, struct mpg_quantum *quantum)
{
    if (quantum->units >= MIN_UNITS && quantum->interrupted > quantum->units / 2) {
        quantum->interrupted = 0;
        quantum->gone = 0;
    }
    if (is_usable(quantum, ticks))
        set_unit(pace, (ticks - quantum->gone) / (double)quantum->units);
}

double mpg_quantum_rate(const struct mpg_quantum *quantum, double ticks)
{
    return is_usable(quantum, ticks) ? (double)quantum->units / (ticks - quantum->gone) : 0;
}

struct mpg_speed mpg_speed_summary(double *rate, size_t n)
{
    double sum = 0;
    size_t known = 0;
    for (size_t k = 0; k < n; k++)
        if (rate[k] > 0) {
            sum += rate[k];
            rate[known++] = rate[k];
        }
    if (known == 0)
        return (struct mpg_speed){0, 0};
    mpg_sort(rate, known);
    double slow = mpg_sorted_quantile(rate, known, 0.05);
    double fast = mpg_sorted_quantile(rate, known, 0.95);
    return (struct mpg_speed){(fast - slow) / fast, fmax(0, 1 - sum / (double)known / fast)};
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a core does undisturbed, from within the quanta themselves: every unit of work is
 * timed, and one that took more than twice as long as others about then was interrupted.
 * What interrupted it is noise, however often that is; all else is the core's speed, which
 * changes with its clock rate and with a neighbour on its second hardware thread (another
 * guest's, on a virtual machine), by several percent for milliseconds to minutes. */
#ifndef MPG_SPEED_H
#define MPG_SPEED_H

#include <stddef.h>
#include <stdint.h>

/* How fast the core is about now, in ticks. */
struct mpg_pace {
    double unit;       /* what a unit takes undisturbed */
    double resolution; /* of the clock */
    uint64_t limit;    /* a unit that took longer was interrupted */
};

/* What one quantum had. */
struct mpg_quantum {
    uint64_t units;       /* of work; 0: none */
    uint64_t interrupted; /* of them */
    double gone;          /* ticks that interruptions took */
};

/* A core of which nothing is known: no unit counts as interrupted until one quantum is over.
 * RESOLUTION, of the clock, is in ticks. */
void mpg_pace_begin(struct mpg_pace *pace, double resolution);

/* What is known after QUANTUM, of TICKS (> 0): how long its undisturbed units took. Where
 * most units counted as interrupted, the core has become slower than half, and nothing was
 * gone. The pace stays where the quantum has fewer than 8 units, or where less than a quarter
 * of it is left. */
void mpg_pace_follow(struct mpg_pace *pace, double ticks, struct mpg_quantum *quantum);

/* By how much N >= 1 rates of undisturbed work (0: not known in that quantum) differ. Sorts
 * them. */
struct mpg_speed {
    double range; /* between their 5 % and 95 % quantiles, by the latter */
    double lost;  /* the mean against the 95 % quantile: what slowness took, 0..1 */
};
struct mpg_speed mpg_speed_of(double *rate, size_t n);

/* The rate of undisturbed work of QUANTUM, of TICKS: units a tick; 0 where too little of it
 * is left to tell. */
double mpg_quantum_rate(const struct mpg_quantum *quantum, double ticks);

#endif

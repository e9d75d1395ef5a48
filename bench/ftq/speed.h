/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Separation of noise from changes of core speed, by the measured quanta. Every unit of work is timed; a unit longer than twice
 * the current unit time was interrupted, which is noise, however frequent. All other changes are changes of speed: clock rate, or
 * a neighbour on the second hardware thread (on a virtual machine possibly another guest), by several percent for milliseconds to
 * minutes. */
#ifndef MPG_SPEED_H
#define MPG_SPEED_H

#include <stddef.h>
#include <stdint.h>

/* Current speed of the core, in ticks. */
struct mpg_pace {
    double unit;       /* time of an undisturbed unit of work */
    double resolution; /* resolution of the timer, in ticks */
    uint64_t limit;    /* longer units count as interrupted */
};

/* Work done in a quantum, and time lost to interruptions. */
struct mpg_quantum {
    uint64_t units;       /* units of work done in the quantum */
    uint64_t interrupted; /* number of interrupted units */
    double gone;          /* time lost to interruptions, ticks */
};

/* Initialises PACE: no unit counts as interrupted until the end of the first quantum. RESOLUTION of the timer,
 * ticks. */
void mpg_pace_begin(struct mpg_pace *pace, double resolution);

/* Updates PACE from QUANTUM of TICKS (> 0): the mean time of QUANTUM's undisturbed units. If most units count as interrupted, the
 * core's speed has halved: the interruptions are cancelled. PACE stays unchanged after fewer than 8 units or with less than a
 * quarter of the quantum undisturbed. */
void mpg_pace_follow(struct mpg_pace *pace, double ticks, struct mpg_quantum *quantum);

/* Summary of N >= 1 rates of undisturbed work (0: unknown for a quantum); sorts RATE. */
struct mpg_speed {
    double range; /* difference of the 5 % and 95 % quantiles, relative to the 95 % quantile */
    double lost;  /* 1 - mean / 95 % quantile: time lost to low speed, 0..1 */
};
struct mpg_speed mpg_speed_summary(double *rate, size_t n);

/* Returns the rate of undisturbed work of QUANTUM, of TICKS, in units per tick; 0 if too little of the quantum is
 * undisturbed. */
double mpg_quantum_rate(const struct mpg_quantum *quantum, double ticks);

#endif

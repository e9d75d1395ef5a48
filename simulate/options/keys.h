/* SPDX-License-Identifier: GPL-3.0-or-later */
/* --sweep of a target's keys: machines that differ in them. */
#ifndef MPG_OPTIONS_KEYS_H
#define MPG_OPTIONS_KEYS_H

#include "common/option.h"
#include "simulate/target/parameters.h"

struct mpg_key_axis {
    char *key;
    enum mpg_key_unit unit;
    size_t n;
    char **value;   /* n; as a target file has them */
    double *number; /* n: ns, bytes, or the number; NAN: a word, or a distribution */
};

/* Points of a grid are numbered: the last axis goes round first. */
enum { MPG_KEY_AXES = 6, MPG_KEY_POINTS = 4096 };
struct mpg_key_sweep {
    size_t axes, points; /* 1 without axes */
    struct mpg_key_axis axis[MPG_KEY_AXES];
};

/* Takes GIVEN, each "KEY=V,V...", "KEY=LO:HI:N" or "KEY=LO:HI:N:log" with a key of mpgtarget(5). What values are right
 * is for the target to say. Errors: no such key, or twice; ranges of what is no number; LO >= HI, N < 2, log of what is
 * not above 0; a value twice; more than so many axes or points; out of memory. SWEEP is to be cleared even so. */
int mpg_key_sweep_parse(struct mpg_key_sweep *sweep, const struct mpg_option_list *given, struct mpg_error *err);
void mpg_key_sweep_clear(struct mpg_key_sweep *sweep); /* zero-initialised is allowed */
/* Which of axis I's values POINT has. */
size_t mpg_key_sweep_place(const struct mpg_key_sweep *sweep, size_t i, size_t point);

#endif

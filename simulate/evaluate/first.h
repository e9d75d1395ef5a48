/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the first pass over a trace, of both modes, has found, kept for the next run: what calls and
 * messages take at least (floors), and which intervals are alike. */
#ifndef MPG_FIRST_H
#define MPG_FIRST_H

#include "simulate/evaluate/floors.h"
#include "simulate/evaluate/classes.h"
#include "simulate/passes/pass.h"

/* Whether it is known what a first pass of COURSE finds: then it is in FLOORS and LIKES, which are new and
 * not finished (NULL: not wanted; with COMPARABLE clocks floors of messages are, too), and in PASSED. */
bool mpg_first_known(const struct mpg_course *course, bool comparable, struct mpg_floors *floors,
                     struct mpg_classes *classes, struct mpg_passed *passed);
/* Keeps what the pass has found, before they are finished. */
void mpg_first_keep(const struct mpg_course *course, bool comparable,
                    const struct mpg_floors *floors, const struct mpg_classes *classes,
                    const struct mpg_passed *passed);

#endif

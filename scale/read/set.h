/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What was read, put in order. Private to scale/read/. */
#ifndef MPG_SCALE_SET_H
#define MPG_SCALE_SET_H

#include "common/error.h"
#include "scale/read/tree.h"
#include "scale/scale.h"

/* Makes SET, which has runs, one for each of TREE's columns, whole: those that KEEP says in their order, the sites that
 * any of them has, and what TREE has of them. NAMES of NUMBER counters are copied. Error: out of memory. */
int mpg_scale_set_make(struct scale_set *set, const struct scale_tree *tree, const bool *keep,
                       char *const *counter_names, size_t counter_number, struct mpg_error *err);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes a sorted set of the runs and sites that were read. Private to scale/read/. */
#ifndef MPG_SCALE_SET_H
#define MPG_SCALE_SET_H

#include "common/error.h"
#include "scale/read/tree.h"
#include "scale/scale.h"

/* Completes SET from TREE, which has a column for each of the set's runs: sorts the runs selected by KEEP, and adds the sites
 * that occur in these runs, with cells. Copies the NUMBER names of counters. Error: out of memory. */
int mpg_scale_set_make(struct scale_set *set, const struct scale_tree *tree, const bool *keep,
                       char *const *counter_names, size_t counter_number, struct mpg_error *err);

#endif

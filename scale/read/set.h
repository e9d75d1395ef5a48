/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Builds a sorted set from the data read. Private to scale/read/. */
#ifndef MPG_SCALE_SET_H
#define MPG_SCALE_SET_H

#include "common/error.h"
#include "scale/read/tree.h"
#include "scale/scale.h"

/* Completes SET from TREE, whose columns correspond to the set's runs: sorts the runs selected by KEEP, and adds the sites
 * that occur in them with their cells. Copies NUMBER counter NAMES. Error: out of memory. */
int mpg_scale_set_make(struct scale_set *set, const struct scale_tree *tree, const bool *keep,
                       char *const *counter_names, size_t counter_number, struct mpg_error *err);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Detection of the eager limit from outside MPI: an eager send returns before the receive is posted, a rendezvous
 * send waits. */
#ifndef MPG_EAGER_H
#define MPG_EAGER_H

#include <stdint.h>

#include "bench/harness/pair.h"

/* Returns the largest size in bytes below MAX_BYTES (>= 1) that MPI_Send sends eagerly, by bisection with several trials of about
 * 2 ms for each size. Both buffers of the pair hold MAX_BYTES. Collective over the pair; both ranks get equal results. -1:
 * MAX_BYTES is eager; -2: an empty message waits; -3: some sends far above the limit return early. */
int64_t mpg_eager_limit(const struct mpg_pair *pair, int64_t max_bytes);

#endif

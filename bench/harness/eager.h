/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The eager limit, found from outside: an eager send returns although the
 * receive is not posted yet, a rendezvous waits for it. */
#ifndef MPG_EAGER_H
#define MPG_EAGER_H

#include <stdint.h>

#include "bench/harness/pair.h"

/* The largest size in bytes, below MAX_BYTES (>= 1; outbox and inbox hold as much),
 * that MPI_Send sends eagerly, found by bisection with several trials a size, each of
 * about 2 ms. The same on both ranks; collective over the pair. -1: even
 * MAX_BYTES went eagerly; -2: even an empty message waits; -3: well above the
 * limit, sends still return early. */
int64_t mpg_eager_limit(const struct mpg_pair *pair, int64_t max_bytes);

#endif

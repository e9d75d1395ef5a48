/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Clocks of different hosts: offsets by ping-pong around MPI_Init and
 * MPI_Finalize. Collective over MPI_COMM_WORLD. */
#ifndef MPG_CLOCK_OFFSETS_H
#define MPG_CLOCK_OFFSETS_H

#include <stdbool.h>
#include <stdint.h>

struct clock_offset {
    int64_t time_ns, offset_ns; /* at TIME add OFFSET for rank 0's time */
};

/* Whether all ranks run on one host, whose CLOCK_MONOTONIC they share. */
bool clock_is_shared(void);

/* Measures this rank's offset to rank 0 from the quickest of several exchanges
 * (Cristian 1989: rank 0 read its clock half a round trip ago). Rank 0 serves
 * the others in turn and returns false: it has no offset. */
bool clock_measure(int64_t (*now_ns)(void), struct clock_offset *offset);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether all ranks of this host run under the tracer: those that do agree on clocks and
 * the folder by collective operations, and would wait for one that does not. */
#ifndef MPG_TRACER_ROLL_H
#define MPG_TRACER_ROLL_H

#include <stdbool.h>

/* Before the real MPI_Init: signs this process in. */
void roll_sign(void);

/* After it: whether all have signed, on which those that have agree; waits up to a second
 * for some. True where the launcher does not tell how many there are. If not, SIGNED of
 * SIZE have, and one of them, which this is if TELLS, is to say so. */
bool roll_is_complete(int *signed_number, int *size, bool *tells);

#endif

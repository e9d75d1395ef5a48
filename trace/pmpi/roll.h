/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether all ranks of this host run under the tracer. Traced ranks agree on clocks and the folder with collective
 * operations, which would hang if one rank did not take part. */
#ifndef MPG_TRACER_ROLL_H
#define MPG_TRACER_ROLL_H

#include <stdbool.h>

/* Signs this process in, before the real MPI_Init. */
void roll_sign(void);

/* Returns whether all processes have signed in, after the real MPI_Init; all signed-in processes get the same
 * answer. Waits up to a second for the others. Returns true if the launcher does not provide the number of
 * processes. If false, SIGNED of SIZE processes have signed in, and TELLS is true in the one process that is to
 * report this. */
bool roll_is_complete(int *signed_number, int *size, bool *tells);

#endif

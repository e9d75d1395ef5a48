/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Conventions of MPI_Pcontrol that the program may have: IPM's, MPI_Pcontrol(1, "name") and MPI_Pcontrol(-1, "name"), is taken
 * where MPGTRACE_PCONTROL is "ipm". */
#ifndef MPG_TRACER_PCONTROL_H
#define MPG_TRACER_PCONTROL_H

/* Reads MPGTRACE_PCONTROL; RANK 0 says what it has wrong. After say_start(). */
void pcontrol_start(int rank);

/* At the end of the run: says, in one line, that levels were given which look like IPM's, and were not taken for that, or that
 * their names could not be read. */
void pcontrol_tell(void);

#endif

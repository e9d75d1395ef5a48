/* SPDX-License-Identifier: GPL-3.0-or-later */
/* IPM's convention for MPI_Pcontrol: MPI_Pcontrol(1, "name") and MPI_Pcontrol(-1, "name") begin and end a region. Active
 * if MPGTRACE_PCONTROL is "ipm". */
#ifndef MPG_TRACER_PCONTROL_H
#define MPG_TRACER_PCONTROL_H

/* Reads MPGTRACE_PCONTROL; RANK 0 reports an unknown value. Called after report_start(). */
void pcontrol_start(int rank);

/* At the end of the run: reports names that could not be read, and calls with levels like IPM's while the convention is off, in a
 * line each. */
void pcontrol_report(void);

#endif

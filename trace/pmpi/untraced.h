/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names of the MPI functions that are only counted; the wrappers are generated
 * from mpi.h by trace/pmpi/untraced.awk. */
#ifndef MPG_UNTRACED_H
#define MPG_UNTRACED_H

/* Room for all of them; unused places have no name and stay 0. */
enum { MPG_UNTRACED_COUNT = 640 };

extern const char *const mpg_untraced_names[];

#endif

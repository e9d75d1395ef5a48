/* SPDX-License-Identifier: GPL-3.0-or-later */
/* This rank's neighbours in a communicator, in the order of neighbourhood collectives (MPI-3.1 section 7.6).
 * Callers hold the lock. */
#ifndef MPG_TOPOLOGY_H
#define MPG_TOPOLOGY_H

#include "trace/pmpi/comms.h"

/* Reads the topology of COMM, the communicator of C or a communicator with the same topology. C's groups and rank are already
 * known. Returns false if memory is exhausted. */
bool tracer_topology_read(struct tracer_comm *c, MPI_Comm comm);

#endif

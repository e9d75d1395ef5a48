/* SPDX-License-Identifier: GPL-3.0-or-later */
/* This rank's neighbours in a communicator, as neighbourhood collectives have them
 * (MPI-3.1 section 7.6). Locked callers only. */
#ifndef MPG_TOPOLOGY_H
#define MPG_TOPOLOGY_H

#include "trace/pmpi/comms.h"

/* What COMM, which is C or has C's topology, says; C's groups and rank are known. False
 * without memory. */
bool tracer_topology_read(struct tracer_comm *c, MPI_Comm comm);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Messages that matched probes took out of matching (MPI-3.1 section 3.8.2). Locked
 * callers only. */
#ifndef MPG_MESSAGES_H
#define MPG_MESSAGES_H

#include <mpi.h>

#include "trace/event.h"
#include "trace/pmpi/record.h"

/* A number for MESSAGE, which PROBE (comm, from, tag) found; 0: MPI_MESSAGE_NO_PROC. */
int64_t tracer_message_new(MPI_Message message, const struct mpg_event *probe);
/* Puts MESSAGE's number, comm, from and tag into E and forgets it. */
void tracer_message_take(const struct tracer_message *message, struct mpg_event *e);
void tracer_messages_end(void);

#endif

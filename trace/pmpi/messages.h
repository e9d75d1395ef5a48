/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Messages that matched probes have removed from matching (MPI-3.1 section 3.8.2). Callers hold the lock. */
#ifndef MPG_MESSAGES_H
#define MPG_MESSAGES_H

#include <mpi.h>

#include "trace/event.h"
#include "trace/pmpi/record.h"

/* Returns a new number for MESSAGE, found by the event PROBE (PROBE's comm, from and tag are stored); 0 for MPI_MESSAGE_NO_PROC
 * or without memory. */
int64_t tracer_message_new(MPI_Message message, const struct mpg_event *probe);
/* Writes MESSAGE's number, comm, from and tag to E, and forgets MESSAGE. */
void tracer_message_take(const struct tracer_message *message, struct mpg_event *e);
void tracer_messages_end(void);

#endif

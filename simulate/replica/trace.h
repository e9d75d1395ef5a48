/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The trace again, with the times of one replica (mpgsim(1), --output-trace): of predicted times a
 * native trace of one clock, without what the tracer took; of delays one of the clocks that it has. */
#ifndef MPG_RETRACE_H
#define MPG_RETRACE_H

#include "simulate/choice/observer.h"
#include "simulate/models/placement.h"
#include "simulate/replica/node_times.h"

struct mpg_replica_trace;

/* What is said of the new trace. */
struct mpg_replica_trace_facts {
    const char *signature; /* the target's file; NULL: none */
    bool stored;           /* the new trace holds it, as that of its machine */
    int64_t seed, replica;
    const struct mpg_placement *places; /* where ranks are there; NULL: as in the trace */
};

struct mpg_replica_trace_rules {
    double ratio;      /* what steps say is to be multiplied by */
    bool delays;       /* values are delays of the traced times; else times from MPI_Init's leave on */
    bool same_machine; /* facts about it hold */
    bool keeps_tracer; /* what it took is there as before */
    bool lenient;      /* what cannot be placed in the trace is counted, and may be so in what is written */
};

/* TRACE, whose file or folder is NAME, is to be written to PATH, once mpg_replica_trace_watch() has seen
 * all steps of the replica. Errors: PATH is what is read, or is there and no trace of this user's,
 * or cannot be made; out of memory. */
struct mpg_replica_trace *mpg_replica_trace_begin(struct mpg_trace *trace, const char *name, const char *path,
                                      const struct mpg_replica_trace_rules *rules, struct mpg_error *err);
/* R's. */
const struct mpg_observer *mpg_replica_trace_watch(const struct mpg_replica_trace *r);
/* Writes it, and gives it its name. SWAPPED: calls of several threads of a rank that are in another
 * order in the new times. Errors: it cannot be written, the signature or the trace not be read. */
int mpg_replica_trace_write(struct mpg_replica_trace *r, const struct mpg_replica_trace_facts *facts,
                      uint64_t *swapped, struct mpg_error *err);
/* Removes what has not got its name; NULL is allowed. */
void mpg_replica_trace_free(struct mpg_replica_trace *r);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A replica as a trace (mpgsim(1), --output-trace). A predicted replica becomes a native trace with one clock, without the
 * tracer's time; a perturbed replica becomes a trace with the clocks of the traced run. */
#ifndef MPG_REPLICA_TRACE_H
#define MPG_REPLICA_TRACE_H

#include "export/formats/formats.h"
#include "simulate/choice/observer.h"
#include "simulate/models/placement.h"
#include "simulate/replica/node_times.h"

struct mpg_replica_trace;

/* Data about the run for the facts of the new trace. */
struct mpg_replica_trace_facts {
    const char *signature; /* file of the target; NULL: none */
    bool stored;           /* the new trace stores the signature as the signature of the trace's machine */
    int64_t seed, replica;
    const struct mpg_placement *placement; /* placement of the ranks; NULL: as in the traced run */
};

struct mpg_replica_trace_rules {
    double ratio;      /* factor for the ratios of all steps */
    bool delays;       /* values are delays against the trace; else times since MPI_Init was left */
    bool same_machine; /* facts about the traced machine hold for the new trace */
    bool keeps_tracer; /* the time of the tracer is kept */
    enum mpg_export_format format; /* format of the new trace */
    bool lenient;      /* calls that cannot be placed in the graph are counted; the new trace may also have unplaceable calls */
};

/* Begins the trace PATH from TRACE, whose file or folder is NAME. For a format other than native, a native trace is first
 * written in a folder beside PATH, and then exported. Call mpg_replica_trace_write() after the observer has taken all steps of
 * the replica. NULL with ERR: PATH is the traced run, or exists and is no trace of this user; PATH cannot be made; no
 * memory. */
struct mpg_replica_trace *mpg_replica_trace_begin(struct mpg_trace *trace, const char *name, const char *path,
                                      const struct mpg_replica_trace_rules *rules, struct mpg_error *err);
/* Returns the observer for the simulation of the replica; R owns the observer. */
const struct mpg_observer *mpg_replica_trace_watch(const struct mpg_replica_trace *r);
/* Writes the trace and renames it to PATH. *SWAPPED is the number of calls whose order among threads of a rank changes. Returns
 * 0, or -1 with ERR: the trace cannot be written or read again; the signature cannot be read. */
int mpg_replica_trace_write(struct mpg_replica_trace *r, const struct mpg_replica_trace_facts *facts,
                      uint64_t *swapped, struct mpg_error *err);
/* Returns the counts of properties that the format of the written trace cannot hold. */
const struct mpg_left_out *mpg_replica_trace_left_out(const struct mpg_replica_trace *r);
/* Removes the trace if not written yet. R may be NULL. */
void mpg_replica_trace_free(struct mpg_replica_trace *r);

#endif

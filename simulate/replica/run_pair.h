/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The traced run and the replica with the median run time, both as traces: for a timeline of both (mpgsim(1), --timeline) and
 * for the phase drawn on a page. */
#ifndef MPG_REPLICA_RUN_PAIR_H
#define MPG_REPLICA_RUN_PAIR_H

#include "analyse/timeline/timeline.h"
#include "simulate/replica/rerun.h"
#include "simulate/replica/trace.h"

/* Zero-initialised: not open. */
struct mpg_run_pair {
    struct mpg_timeline_run run[2]; /* the traced run; the replica */
    uint32_t replica;
    struct mpg_clock_map *clocks[2];    /* clock maps of the two runs */
    char folder[4096];                  /* temporary folder in $TMPDIR with the replica's trace; empty: none */
    char name[64];
};

/* Reruns the median replica of SIMULATED and writes the replica's trace by RULES into a temporary folder, to be removed by
 * mpg_run_pair_close(). NAME is the traced run's file or folder, SEED the simulation's seed. An open PAIR does not change; the
 * caller closes PAIR, also on failure. Returns 0, or -1 with ERR: the folder or the trace cannot be written; an error of the
 * simulation. */
int mpg_run_pair_open(struct mpg_run_pair *pair, const struct mpg_simulated *simulated, const char *name,
                      const struct mpg_replica_trace_rules *rules, int64_t seed, struct mpg_error *err);
void mpg_run_pair_close(struct mpg_run_pair *pair);

/* Writes PART of the open PAIR as a timeline to the file PATH ("-": standard output). Returns 0, or -1 with ERR: PATH cannot be
 * written; an error of a trace or of its graph. */
int mpg_run_pair_write_timeline(const struct mpg_run_pair *pair, const struct mpg_timeline_part *part, const char *path,
                                struct mpg_error *err);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is kept of the rank that is written. Private to export/program/. */
#ifndef MPG_EXPORT_PROGRAM_PRIVATE_H
#define MPG_EXPORT_PROGRAM_PRIVATE_H

#include "common/map.h"
#include "export/program/program.h"
#include "export/requests.h"
#include "graph/algorithms/table.h"
#include "graph/work/intervals.h"

struct mpg_message_program {
    struct mpg_trace *trace;
    const struct mpg_program_writer *writer;
    bool lenient;
    struct mpg_left_out *left;
    struct mpg_collective_table *table;
    struct mpg_map tags;   /* (communicator, tag) -> tag + 1, for all ranks */
    int32_t rank;
    uint64_t calls;        /* of the rank so far */
    bool has_begun;        /* MPI_Init was left at last_ns */
    int64_t last_ns;       /* leave of the last call */
    int64_t pending_ns;    /* computation that is not written yet */
    struct interval_sums sums;
    struct tracer_overhead overhead;
    struct mpg_open_requests posted, persistent; /* records: struct mpg_program_action */
};

/* Writes computation that is pending, then A. Returns 0, or -1 with ERR. */
int mpg_program_act(struct mpg_message_program *p, const struct mpg_program_action *a, struct mpg_error *err);
/* Returns the number of tag TAG of communicator COMM, TAG -1: of its collectives, in *NUMBER. */
int mpg_program_tag(struct mpg_message_program *p, int32_t comm, int64_t tag, uint32_t *number, struct mpg_error *err);
/* Writes the messages of collective E, whose members send equal numbers of bytes. */
int mpg_program_expand(struct mpg_message_program *p, const struct mpg_event *e, struct mpg_error *err);
/* Returns why E cannot be expanded; NULL: it can. */
const char *mpg_program_why_not(const struct mpg_message_program *p, const struct mpg_event *e);

#endif

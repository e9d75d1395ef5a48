/* SPDX-License-Identifier: GPL-3.0-or-later */
/* State of the import of a schedule, rank after rank. Private to trace/goal/. */
#ifndef MPG_GOAL_IMPORT_H
#define MPG_GOAL_IMPORT_H

#include <stdio.h>

#include "common/line_reader.h"
#include "trace/foreign/foreign.h"
#include "trace/foreign/wildcards.h"
#include "trace/goal/graph.h"
#include "trace/goal/labels.h"

struct goal_import {
    struct mpg_foreign foreign;
    struct mpg_foreign_comm world;
    const char *path;
    int32_t ranks;
    FILE *in;
    int64_t size_bytes;
    struct goal_graph graph;      /* schedule of the current rank */
    struct goal_labels labels;    /* of the current rank; none: nodes have no names (binary form, or no label) */
    uint64_t cpu_ns[256];         /* by cpu: work of the current rank so far */
    int32_t rank;
    struct mpg_wildcards *wildcards;
    size_t wildcard;
    bool has_wildcards;
    enum { GOAL_SKIM, GOAL_SURVEY, GOAL_MATCH, GOAL_EMIT } pass; /* in this order; the survey only after an error */
};

/* These read all ranks from IM->in, and call mpg_goal_rank() after the operations of each rank. Return 0, or -1 with ERR;
 * *LINE: the line of the error, for the message (0: no line). */
int mpg_goal_read_text(struct goal_import *im, unsigned long *line, struct mpg_error *err);
int mpg_goal_read_binary(struct goal_import *im, struct mpg_error *err);

/* Processes the schedule IM->graph of rank IM->rank, depending on the pass: looks for receives from any source, matches
 * messages, or makes events. Returns 0, or -1 with ERR. */
int mpg_goal_rank(struct goal_import *im, struct mpg_error *err);

#endif

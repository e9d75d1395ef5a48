/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions that write single assumptions, for mpg_assumptions_gather(). Private to simulate/reports/. */
#ifndef MPG_ASSUME_H
#define MPG_ASSUME_H

#include "simulate/reports/report.h"

/* Writes the distributions SPECS as on the command line. Without distributions: the text SIGNATURE if FROM_SIGNATURE, else
 * "none". */
void mpg_assume_specs(FILE *out, const struct mpg_specs *specs, bool from_signature, const char *signature);

/* A function that writes the text of an assumption of REPORT, without a line end. */
typedef void mpg_assume(const struct mpg_report *report, FILE *out);

/* Assumptions about messages. */
mpg_assume mpg_assume_latency, mpg_assume_bytes, mpg_assume_overheads, mpg_assume_rows, mpg_assume_eager;
/* Assumptions about collectives. */
mpg_assume mpg_assume_collectives, mpg_assume_barriers;
/* Progress of messages, transfers and nonblocking collectives as observed in the trace. */
mpg_assume mpg_assume_progress, mpg_assume_transfers, mpg_assume_moved;
/* Progress of messages by the target's measured overlap, which mpg_report_overlaps() returns whether the answer uses. */
mpg_assume mpg_assume_overlap;
bool mpg_report_overlaps(const struct mpg_report *report);
/* Returns whether any nonblocking collective progresses only in the members' calls. */
bool mpg_report_moves(const struct mpg_report *report);
/* Placement of the ranks on nodes of the target and of the source. */
mpg_assume mpg_assume_placement;
/* Assumptions about a run on a parametric target, mpgtarget(5). mpg_assume_target_progress() returns whether the ranks'
 * processors serve requests of other ranks on this target. */
mpg_assume mpg_assume_parameters, mpg_assume_policy, mpg_assume_network, mpg_assume_processors;
bool mpg_assume_target_progress(const struct mpg_report *report);
/* Assumptions about predictions, with a different wording than for perturbations. */
mpg_assume mpg_predicted_messages, mpg_predicted_overheads, mpg_predicted_gap, mpg_predicted_work, mpg_predicted_polling;

#endif

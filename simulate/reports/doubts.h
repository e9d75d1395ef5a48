/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lines of the attention block about what was traced and measured: how far it carries. Each
 * function adds a line for what applies to REPORT, none where there is nothing. */
#ifndef MPG_DOUBTS_H
#define MPG_DOUBTS_H

#include "simulate/reports/attention.h"
#include "simulate/reports/report.h"

typedef void mpg_doubt(const struct mpg_report *report, struct mpg_attention *list);

/* No source is known though there is a target. */
mpg_doubt mpg_doubt_source;
/* Messages larger than any that was measured. */
mpg_doubt mpg_doubt_sizes;
/* Times that are drawn with another mean than their signature states, off by more than a tenth. */
mpg_doubt mpg_doubt_means;
/* A noise record shorter than the run. */
mpg_doubt mpg_doubt_record;
/* Messages that arrive before they left, by the traced clocks. */
mpg_doubt mpg_doubt_clocks;
/* Ranks that shared cores. */
mpg_doubt mpg_doubt_cores;
/* Purely asynchronous exchanges: sends that their sender never completes, received by calls
 * that do not wait (Sottile, Chandu, Bader 2006, section 4.3). */
mpg_doubt mpg_doubt_order;
/* With hypotheses: messages that came only when their sender called MPI again (docs/MODEL.md, section 10). */
mpg_doubt mpg_doubt_progress;
/* Hypotheses where the trace does not show which sends wait, or not for the sizes that they resize to. */
mpg_doubt mpg_doubt_carried, mpg_doubt_resized;
/* With hypotheses, where they took more than a hundredth of all ranks' time: calls on windows, and those that complete
 * nonblocking collectives; what they waited for stays as it was. */
mpg_doubt mpg_doubt_windows, mpg_doubt_posted;
/* With hypotheses: transfers that waited so long for a call of their target, which may be another one then. */
mpg_doubt mpg_doubt_served;
/* Hypotheses about work, of ranks of several threads: what these wait for outside of MPI. */
mpg_doubt mpg_doubt_shared, mpg_doubt_threads;
/* Collectives with a root, and scans, that hypotheses would have made of messages, if something else did not need them whole. */
mpg_doubt mpg_doubt_partial;
/* Replicas that keep the traced order, as messages would leave before their cause (6, Answers). */
mpg_doubt mpg_doubt_answers;
/* Paths that pairs of ranks take, or took, and that were not measured. */
mpg_doubt mpg_doubt_places;
/* Of a predicted run: what the target's signature lacks, and what the trace does. */
mpg_doubt mpg_predicted_missing, mpg_predicted_doubts;

#endif

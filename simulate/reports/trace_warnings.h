/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Warnings about the trace and about measurements: limits of trust in the answer. Each function appends at most a few notes to
 * LIST; none if the condition stated below does not hold. */
#ifndef MPG_TRACE_WARNINGS_H
#define MPG_TRACE_WARNINGS_H

#include "simulate/reports/report.h"
#include "simulate/reports/warnings.h"

typedef void mpg_warning(const struct mpg_report *report, struct mpg_notes *list);

/* Warns if there is a target, but no known source. */
mpg_warning mpg_warn_source;
/* Messages are larger than the largest measured size. */
mpg_warning mpg_warn_sizes;
/* The mean of drawn times differs by more than a tenth from the mean in the signature. */
mpg_warning mpg_warn_means;
/* The noise record is shorter than the run. */
mpg_warning mpg_warn_record;
/* By the traced clocks, messages arrive before the send. */
mpg_warning mpg_warn_clocks;
/* Ranks shared cores in the traced run. */
mpg_warning mpg_warn_cores;
/* Purely asynchronous exchanges: the sender never completes a send, and the receiving call does not wait (Sottile, Chandu,
 * Bader 2006, section 4.3). */
mpg_warning mpg_warn_order;
/* Hypotheses: messages arrived only after the sender's next MPI call (docs/MODEL.md, section 10). */
mpg_warning mpg_warn_progress;
/* Hypotheses: the trace does not show which sends wait, or does not show this for the sizes after resizing. */
mpg_warning mpg_warn_weak_sends, mpg_warn_resized;
/* Hypotheses: calls on windows, and completions of nonblocking collectives, took more than a hundredth of all ranks' time; the
 * waiting in both is not simulated again. */
mpg_warning mpg_warn_windows, mpg_warn_posted;
/* Hypotheses: one-sided transfers waited for a call of the target, and a different call may serve these transfers in the changed
 * run. */
mpg_warning mpg_warn_target_progress;
/* Hypotheses about work on ranks with several threads: waiting between threads outside of MPI is not known. */
mpg_warning mpg_warn_shared, mpg_warn_threads;
/* Hypotheses: rooted collectives and scans are simulated as a whole, since another option needs whole collectives. */
mpg_warning mpg_warn_partial;
/* Replicas keep the traced order of matching, since messages would be sent before the message that caused the send
 * (docs/MODEL.md, section 6). */
mpg_warning mpg_warn_answers;
/* Messages between some ranks take a path class that was not measured, and the costs of another class are used. */
mpg_warning mpg_warn_placement;
/* Predictions: parts that the target's signature lacks; traits of the trace that limit a prediction. */
mpg_warning mpg_predicted_missing, mpg_predicted_warnings;

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lines of the attention block about what was traced and measured: how far it carries. Each
 * function adds a line for what applies to REPORT, none where there is nothing. */
#ifndef MPG_DOUBTS_H
#define MPG_DOUBTS_H

#include "simulate/reports/attention.h"
#include "simulate/reports/report.h"

/* No source is known though there is a target. */
void mpg_doubt_source(const struct mpg_report *report, struct mpg_attention *list);
/* Messages larger than any that was measured. */
void mpg_doubt_sizes(const struct mpg_report *report, struct mpg_attention *list);
/* Times that are drawn with another mean than their signature states, off by more than a tenth. */
void mpg_doubt_means(const struct mpg_report *report, struct mpg_attention *list);
/* A noise record shorter than the run. */
void mpg_doubt_record(const struct mpg_report *report, struct mpg_attention *list);
/* Messages that arrive before they left, by the traced clocks. */
void mpg_doubt_clocks(const struct mpg_report *report, struct mpg_attention *list);
/* Ranks that shared cores. */
void mpg_doubt_cores(const struct mpg_report *report, struct mpg_attention *list);
/* Purely asynchronous exchanges: sends that their sender never completes, received by calls
 * that do not wait (Sottile, Chandu, Bader 2006, section 4.3). */
void mpg_doubt_order(const struct mpg_report *report, struct mpg_attention *list);
/* With hypotheses: messages that came only when their sender called MPI again (docs/MODEL.md, section 10). */
void mpg_doubt_progress(const struct mpg_report *report, struct mpg_attention *list);
/* Hypotheses where the trace does not show which sends wait, or not for the sizes that they resize to. */
void mpg_doubt_carried(const struct mpg_report *report, struct mpg_attention *list);
void mpg_doubt_resized(const struct mpg_report *report, struct mpg_attention *list);
/* With hypotheses, where they took more than a hundredth of all ranks' time: calls on windows, and those that complete
 * nonblocking collectives; what they waited for stays as it was. */
void mpg_doubt_windows(const struct mpg_report *report, struct mpg_attention *list);
void mpg_doubt_posted(const struct mpg_report *report, struct mpg_attention *list);
/* With hypotheses: transfers that waited so long for a call of their target, which may be another one then. */
void mpg_doubt_served(const struct mpg_report *report, struct mpg_attention *list);
/* Hypotheses about work, of ranks of several threads: what these wait for outside of MPI. */
void mpg_doubt_shared(const struct mpg_report *report, struct mpg_attention *list);
void mpg_doubt_threads(const struct mpg_report *report, struct mpg_attention *list);
/* Collectives with a root, and scans, that hypotheses would have made of messages, if something else did not need them whole. */
void mpg_doubt_partial(const struct mpg_report *report, struct mpg_attention *list);
/* Replicas that keep the traced order, as messages would leave before their cause (6, Answers). */
void mpg_doubt_answers(const struct mpg_report *report, struct mpg_attention *list);

#endif

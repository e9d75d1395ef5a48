/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is said of a predicted run in other words than of a perturbed one. Private to
 * simulate/reports/. */
#ifndef MPG_PREDICTED_H
#define MPG_PREDICTED_H

#include "simulate/reports/report.h"

/* What a rank's run consists of, as a part of the text. */
void mpg_report_run_account(const struct mpg_result *result, FILE *out);

/* Assumptions. */
void mpg_predicted_messages(const struct mpg_report *r, FILE *out);
void mpg_predicted_overheads(const struct mpg_report *r, FILE *out);
void mpg_predicted_gap(const struct mpg_report *r, FILE *out);
void mpg_predicted_work(const struct mpg_report *r, FILE *out);
void mpg_predicted_polling(const struct mpg_report *r, FILE *out);

/* Attention: what the target's signature lacks, and what the trace does. */
void mpg_predicted_missing(const struct mpg_report *r, struct mpg_attention *list);
void mpg_predicted_doubts(const struct mpg_report *r, struct mpg_attention *list);

#endif

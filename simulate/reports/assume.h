/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The lines of mpg_assumptions_gather(). Private to simulate/reports/. */
#ifndef MPG_ASSUME_H
#define MPG_ASSUME_H

#include "simulate/reports/report.h"

/* SPECS as given, or what a signature says, or "none". */
void mpg_assume_specs(FILE *out, const struct mpg_specs *specs, bool from_signature, const char *signature);

/* Writes a line about REPORT, without its end. */
typedef void mpg_assume(const struct mpg_report *report, FILE *out);

/* Of messages. */
mpg_assume mpg_assume_latency, mpg_assume_bytes, mpg_assume_overheads, mpg_assume_rows, mpg_assume_eager;
/* Of collectives. */
mpg_assume mpg_assume_collectives, mpg_assume_barriers;
/* Of who waits for a call of another rank, as the trace shows it. */
mpg_assume mpg_assume_carried, mpg_assume_transfers, mpg_assume_moved;
/* Whether nonblocking collectives do. */
bool mpg_report_moves(const struct mpg_report *report);
/* Of the places of ranks, where some machine has any. */
mpg_assume mpg_assume_places;
/* Of a run on a target of parameters; whether ranks serve transfers of their data there. */
mpg_assume mpg_assume_parameters, mpg_assume_policy, mpg_assume_network, mpg_assume_processors;
bool mpg_assume_served(const struct mpg_report *report);
/* Of a predicted run, in other words than of a perturbed one. */
mpg_assume mpg_predicted_messages, mpg_predicted_overheads, mpg_predicted_gap, mpg_predicted_work, mpg_predicted_polling;

#endif

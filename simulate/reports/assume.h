/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The lines of mpg_assumptions_gather(). Private to simulate/reports/. */
#ifndef MPG_ASSUME_H
#define MPG_ASSUME_H

#include "simulate/reports/report.h"

/* SPECS as given, or what a signature says, or "none". */
void mpg_assume_specs(FILE *out, const struct mpg_specs *specs, bool from_signature, const char *signature);

/* Of messages. */
void mpg_assume_latency(const struct mpg_report *r, FILE *out);
void mpg_assume_bytes(const struct mpg_report *r, FILE *out);
void mpg_assume_overheads(const struct mpg_report *r, FILE *out);
void mpg_assume_rows(const struct mpg_report *r, FILE *out);
void mpg_assume_launches(const struct mpg_report *r, FILE *out);
void mpg_assume_eager(const struct mpg_report *r, FILE *out);

/* Of collectives. */
void mpg_assume_collectives(const struct mpg_report *r, FILE *out);

/* Of who waits for a call of another rank, as the trace shows it. */
void mpg_assume_carried(const struct mpg_report *r, FILE *out);
void mpg_assume_starts(const struct mpg_report *r, FILE *out);
void mpg_assume_transfers(const struct mpg_report *r, FILE *out);
void mpg_assume_moved(const struct mpg_report *r, FILE *out);
/* Whether nonblocking collectives do. */
bool mpg_report_moves(const struct mpg_report *r);

#endif

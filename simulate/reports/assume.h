/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The lines of mpg_report_assumption(): each into TEXT of SIZE bytes. Private to
 * simulate/reports/. */
#ifndef MPG_ASSUME_H
#define MPG_ASSUME_H

#include "simulate/reports/report.h"

/* SPECS as given, or what a signature says, or "none". */
void mpg_assume_specs(char *text, size_t size, const struct mpg_specs *specs, bool from_signature,
                      const char *signature);

/* Of messages. */
void mpg_assume_latency(const struct mpg_report *r, char *text, size_t size);
void mpg_assume_bytes(const struct mpg_report *r, char *text, size_t size);
void mpg_assume_overheads(const struct mpg_report *r, char *text, size_t size);
void mpg_assume_rows(const struct mpg_report *r, char *text, size_t size);
void mpg_assume_launches(const struct mpg_report *r, char *text, size_t size);
void mpg_assume_eager(const struct mpg_report *r, char *text, size_t size);

/* Of collectives. */
void mpg_assume_collectives(const struct mpg_report *r, char *text, size_t size);

/* Of who waits for a call of another rank, as the trace shows it. */
void mpg_assume_carried(const struct mpg_report *r, char *text, size_t size);
void mpg_assume_starts(const struct mpg_report *r, char *text, size_t size);
void mpg_assume_transfers(const struct mpg_report *r, char *text, size_t size);
void mpg_assume_moved(const struct mpg_report *r, char *text, size_t size);
/* Whether nonblocking collectives do. */
bool mpg_report_moves(const struct mpg_report *r);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The answer of a row of a result table: a scenario (result_table.h), or a trace on a target (simulate/target_table/). */
#ifndef MPG_ROW_ANSWER_H
#define MPG_ROW_ANSWER_H

#include "simulate/reports/report.h"

struct mpg_row_answer {
    struct mpg_summary run;   /* summary of the run times */
    /* components of a rank's run time, means over ranks and replicas; run_ns 0: not a prediction */
    struct mpg_run_account account;
    double *run_ns;           /* run time of each replica */
    double any_speed_90[2];   /* interval of 90 % of runs at any speed of the machine, ns; 0: unknown (MODEL section 5) */
    uint32_t replicas;
    struct mpg_notes warnings, assumed;
    /* why the answer is not reliable (mpg_report_take_reliability()); empty: the answer is reliable */
    struct mpg_notes reliability;
};

/* Fills ANSWER, zero at first, with REPORT's run times, and with warnings and assumptions, which are gathered anew. The caller
 * clears ANSWER, also after an error: out of memory, the trace cannot be read. */
int mpg_row_answer_take(struct mpg_row_answer *answer, const struct mpg_report *report, struct mpg_error *err);
void mpg_row_answer_clear(struct mpg_row_answer *answer);

/* Returns the share of the replicas, from 0 to 1, in which A's run is shorter than B's; equal run times count half. A and B have
 * equally many replicas; or A or B has a single replica, which is compared with all replicas of the other row. */
double mpg_row_answer_faster(const struct mpg_row_answer *a, const struct mpg_row_answer *b);
/* Writes PART, a share of the replicas, to TEXT of SIZE bytes, and returns TEXT: "faster in 98.4 %", or, below one half, "slower
 * in 51.6 %". */
char *mpg_format_faster(char *text, size_t size, double part);

#endif

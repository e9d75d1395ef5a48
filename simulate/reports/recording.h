/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The quality of a recording: the fraction of time that ranks were off their CPUs. */
#ifndef MPG_REPORT_RECORDING_H
#define MPG_REPORT_RECORDING_H

#include "common/table/json.h"
#include "simulate/reports/report.h"

struct mpg_recording {
    bool known;           /* the trace has off-CPU times */
    bool removed;         /* the answer removes off-CPU times */
    double between_share; /* off-CPU time in compute intervals as a part of all ranks' run time, from 0 to 1 */
    double calls_share;   /* off-CPU time in calls, likewise */
    bool reliable;        /* both parts are small enough for an answer about the program */
};

struct mpg_recording mpg_report_recording(const struct mpg_report *report);
/* Writes RECORDING in words, without a line end, to TEXT of SIZE bytes, and returns TEXT. */
const char *mpg_recording_say(const struct mpg_report *report, const struct mpg_recording *recording, char *text, size_t size);
/* Writes RECORDING as the member KEY. */
void mpg_recording_json(struct mpg_json *json, const char *key, const struct mpg_recording *recording);

#endif

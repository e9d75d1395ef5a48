/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How good the recording is that an answer goes by: how much of their time the ranks were off their CPUs. */
#ifndef MPG_REPORT_RECORDING_H
#define MPG_REPORT_RECORDING_H

#include "common/table/json.h"
#include "simulate/reports/report.h"

struct mpg_recording {
    bool known;           /* the trace says when its ranks were off their CPUs */
    bool removed;         /* the answer is without that time */
    double between_share; /* the part of all ranks' runs, 0 .. 1, that they were off their CPUs in compute intervals, */
    double calls_share;   /* and in calls */
    bool reliable;        /* they were so little off their CPUs that an answer goes by what the program does */
};

struct mpg_recording mpg_report_recording(const struct mpg_report *report);
/* That in words, without a line's end, into TEXT of SIZE bytes; returns TEXT. */
const char *mpg_recording_say(const struct mpg_report *report, const struct mpg_recording *recording, char *text, size_t size);
/* The same as the member KEY. */
void mpg_recording_json(struct mpg_json *json, const char *key, const struct mpg_recording *recording);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The quality of the recording behind an answer (analyse/recording.h). */
#ifndef MPG_REPORT_RECORDING_H
#define MPG_REPORT_RECORDING_H

#include "analyse/recording.h"
#include "simulate/reports/report.h"

/* Returns the quality of the recording of REPORT's trace. */
struct mpg_recording mpg_report_recording(const struct mpg_report *report);
/* Returns the failed check of the target's signature that makes the noise unusable for an answer, because the failure can change
 * computation by more than 10 %: for example, other processes used the machine while noise was measured. NULL: no such check. */
const struct mpg_signature_failure *mpg_report_wrong_noise(const struct mpg_report *report);
/* If the answer of REPORT is not reliable, adds the reasons to LIST: at most a note about the recording and a note about the
 * signature. A note begins with "NOT RELIABLE". */
void mpg_report_take_reliability(const struct mpg_report *report, struct mpg_notes *list);
/* Returns whether REPORT's answer is reliable. */
bool mpg_report_is_reliable(const struct mpg_report *report);
/* Returns whether the perturbed run beside REPORT's prediction is reliable: a perturbed run keeps the recorded times of calls, so
 * time off the CPU in calls counts, too. */
bool mpg_report_is_perturbed_reliable(const struct mpg_report *report);
/* Writes the problem with the target's noise found by mpg_report_wrong_noise() to TEXT of SIZE bytes, and returns TEXT. */
const char *mpg_report_describe_wrong_noise(const struct mpg_report *report, char *text, size_t size);
/* Writes RECORDING in words, with advice if not reliable, to TEXT of SIZE bytes, and returns TEXT. */
const char *mpg_report_describe_recording(const struct mpg_report *report, const struct mpg_recording *recording, char *text,
                                          size_t size);

#endif

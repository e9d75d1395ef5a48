/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The quality of the recording behind an answer (analyse/recording.h). */
#ifndef MPG_REPORT_RECORDING_H
#define MPG_REPORT_RECORDING_H

#include "analyse/recording.h"
#include "simulate/reports/report.h"

/* Returns the quality of the recording of REPORT's trace. */
struct mpg_recording mpg_report_recording(const struct mpg_report *report);
/* Returns the failed check of the target's signature that makes its noise unusable for an answer, because it can change
 * computation by more than 10 %: for example, other processes used the machine while noise was measured. NULL: none. */
const struct mpg_signature_failure *mpg_report_wrong_noise(const struct mpg_report *report);
/* Adds notes to LIST that say why the answer of REPORT is not reliable: one about the recording, one about the signature.
 * Adds none if it is reliable. A note begins with "NOT RELIABLE". */
void mpg_report_take_reliability(const struct mpg_report *report, struct mpg_notes *list);
/* Returns whether REPORT's answer is reliable. */
bool mpg_report_is_reliable(const struct mpg_report *report);
/* Writes what is wrong with the target's noise, as mpg_report_wrong_noise() found it, to TEXT of SIZE bytes, and returns TEXT. */
const char *mpg_report_describe_wrong_noise(const struct mpg_report *report, char *text, size_t size);
/* Writes RECORDING in words, with advice where it is not reliable, to TEXT of SIZE bytes, and returns TEXT. */
const char *mpg_report_describe_recording(const struct mpg_report *report, const struct mpg_recording *recording, char *text,
                                          size_t size);

#endif

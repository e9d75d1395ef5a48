/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Numeric settings from the environment. Set and checked by mpgtrace record, or set by the user of a program linked with the
 * tracer (64KiB is allowed). */
#ifndef MPG_TRACER_SETTINGS_H
#define MPG_TRACER_SETTINGS_H

#include <stdint.h>

enum setting_kind { SETTING_INT, SETTING_SIZE }; /* a whole number; a number of bytes (64KiB allowed) */

/* Returns the value of the variable NAME, within MIN..MAX, or OTHERWISE if it is not set. An invalid or out-of- range value also
 * yields OTHERWISE, which rank 0 reports. Must not be called before report_start(). */
int64_t setting_number(const char *name, enum setting_kind kind, int64_t min, int64_t max,
                       int64_t otherwise, int rank);

/* Rank 0 reports variables whose names resemble the tracer's settings but are unknown. */
void settings_check_names(int rank);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Numbers that the environment gives the tracer: by mpgtrace record, which has checked them, or
 * by the user of a program that is linked with the tracer, who may mean 64KiB. */
#ifndef MPG_TRACER_SETTINGS_H
#define MPG_TRACER_SETTINGS_H

#include <stdint.h>

enum setting_kind { SETTING_INT, SETTING_SIZE }; /* a whole number, or bytes as 64KiB */

/* The value of the variable NAME within LEAST..MOST; OTHERWISE if it is not set. One that is
 * not understood or out of range is OTHERWISE, too, which rank 0 says. Not before say_start(). */
int64_t setting_number(const char *name, enum setting_kind kind, int64_t least, int64_t most,
                       int64_t otherwise, int rank);

/* On rank 0, says what in the environment looks like a setting of the tracer and is none. */
void settings_check_names(int rank);

#endif

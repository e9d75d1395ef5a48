/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Truncation of a detour record that is too long for a signature (docs/MEASURING.md). */
#ifndef MPG_TRUNCATE_H
#define MPG_TRUNCATE_H

#include "signature/signature.h"

/* Replaces CORE's detours, a whole record, by the longest detours and by blocks of the shorter detours, in whole ns. The packed
 * texts take about CHARACTERS, never more; at most MAX detours are kept. Values computed from the whole record stay. Errors: out
 * of memory; CORE can then only be freed. */
int mpg_noise_record_truncate(struct mpg_noise_core *core, size_t characters, size_t max,
                    struct mpg_error *err);

#endif

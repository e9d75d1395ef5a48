/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What to keep of a record of detours that is too long (docs/MEASURING.md). */
#ifndef MPG_BLOCKS_H
#define MPG_BLOCKS_H

#include "signature/signature.h"

/* Keeps of CORE's detours, which are its whole record and come in any part of a ns, the
 * longest and those of some blocks, whose packed texts together take about CHARACTERS and
 * not more, and which are MOST in all or fewer; of times in whole ns. What was computed from
 * the whole record stays. Errors: out of memory; CORE can then only be freed. */
int mpg_blocks_keep(struct mpg_noise_core *core, size_t characters, size_t most,
                    struct mpg_error *err);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Keeps a signature below its size limit. */
#ifndef MPG_SHRINK_H
#define MPG_SHRINK_H

#include "signature/signature.h"

/* Maximum number of bytes of a signature's file for each node. */
enum { MPG_SIGNATURE_NODE_BYTES = 1048576 };

/* Rounds SIG's numbers to their precision. Then thins data, first of cores, then of the network, until all except the detours
 * takes at most five eighths of the limit. *LEFT: number of characters that remain for detours; SIG's cores need not have detours
 * yet. Errors: out of memory. */
int mpg_shrink(struct mpg_signature *sig, size_t *left, struct mpg_error *err);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A signature is small: at most MPG_SIGNATURE_NODE_BYTES for each node that it is of. */
#ifndef MPG_SHRINK_H
#define MPG_SHRINK_H

#include "signature/signature.h"

/* Bytes of a signature file for each of its nodes. */
enum { MPG_SIGNATURE_NODE_BYTES = 1048576 };

/* Rounds SIG's numbers to the digits that they are worth, and thins what there is of each
 * core, then of the network, until all but the detours take five eighths of what SIG may. *LEFT is
 * what is then left for detours, in characters. SIG's cores need not have theirs. Errors:
 * out of memory. */
int mpg_shrink(struct mpg_signature *sig, size_t *left, struct mpg_error *err);

#endif

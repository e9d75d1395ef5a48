/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Size limit of a signature: MPG_SIGNATURE_NODE_BYTES per node. */
#ifndef MPG_SHRINK_H
#define MPG_SHRINK_H

#include "signature/signature.h"

/* Bytes of a signature file per node. */
enum { MPG_SIGNATURE_NODE_BYTES = 1048576 };

/* Rounds SIG's numbers to their precision, and thins data of cores, then of the network, until everything except
 * the detours takes five eighths of the limit. *LEFT: remaining characters for detours. SIG's cores need not have
 * detours yet. Errors: out of memory. */
int mpg_shrink(struct mpg_signature *sig, size_t *left, struct mpg_error *err);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A machine without the noise of some causes: a copy of the signature without detours of these causes (docs/MODEL.md, section
 * 3). */
#ifndef MPG_QUIET_H
#define MPG_QUIET_H

#include "common/option.h"
#include "signature/signature.h"

/* Returns a copy of SIG without the detours whose cause is named in CAUSES; the time of these detours becomes free. The copy
 * shares all other data with SIG, which must outlive the copy; quanta (FTQ, FWQ) and the distributions of gaps and durations are
 * SIG's. The caller frees the copy with mpg_quiet_free(). NULL with ERR: no core of SIG knows causes; a cause is not among those
 * of SIG; out of memory. */
struct mpg_signature *mpg_quiet_make(const struct mpg_signature *sig, const struct mpg_option_list *causes,
                                     struct mpg_error *err);
void mpg_quiet_free(struct mpg_signature *copy); /* NULL is allowed */

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Noise by its causes: which interrupts and tasks took how much of the time. */
#ifndef MPG_SIGNATURE_CAUSES_H
#define MPG_SIGNATURE_CAUSES_H

#include "signature/signature.h"

/* All detours of one cause, over the cores whose causes are known. */
struct mpg_cause_total {
    const char *name;  /* belongs to the signature */
    double fraction;   /* of these cores' time, 0..1 */
    double per_s;      /* detours a second of a core */
    double longest_ns; /* longest detour */
};

/* Sums of one core by cause, of mpg_noise_core.causes elements each. */
struct mpg_cause_sums {
    double lost_ns[MPG_SIGNATURE_MAX_CAUSES], detours[MPG_SIGNATURE_MAX_CAUSES], longest_ns[MPG_SIGNATURE_MAX_CAUSES];
};
/* Fills S with the sums of C's whole record. The shorter detours of a truncated record are known by its blocks: the record's
 * remaining time and number are divided among causes as in the blocks. */
void mpg_cause_sums_of(const struct mpg_noise_core *c, struct mpg_cause_sums *s);

/* Sets *TOTAL to the causes that occur in SIG, in descending order of their time, for the caller to free, and *N to their number,
 * 0 where no core's causes are known. Error: out of memory. */
int mpg_signature_causes(const struct mpg_signature *sig, struct mpg_cause_total **total, size_t *n, struct mpg_error *err);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Noise by cause: the time taken by each interrupt and task. */
#ifndef MPG_SIGNATURE_CAUSES_H
#define MPG_SIGNATURE_CAUSES_H

#include "signature/signature.h"

/* All detours with a common cause, over the cores with known causes. */
struct mpg_cause_total {
    const char *name;  /* belongs to the signature */
    double fraction;   /* fraction of the cores' recorded time, 0..1 */
    double per_s;      /* number of detours per second of a core */
    double longest_ns; /* longest detour */
};

/* Sums of a core by cause: lost time, number of detours, longest detour. mpg_noise_core.causes elements of each array are
 * used. */
struct mpg_cause_sums {
    double lost_ns[MPG_SIGNATURE_MAX_CAUSES], detours[MPG_SIGNATURE_MAX_CAUSES], longest_ns[MPG_SIGNATURE_MAX_CAUSES];
};
/* Fills S with the sums of C's whole record. Blocks represent the shorter detours of a truncated record: the record's remaining
 * lost time and number of detours are divided among causes as in the blocks. */
void mpg_cause_sums_of(const struct mpg_noise_core *c, struct mpg_cause_sums *s);

/* Sets *TOTAL to the causes that occur in SIG, in descending order of lost time, for the caller to free, and *N to the number of
 * causes; 0: no core has known causes. Error: out of memory. */
int mpg_signature_causes(const struct mpg_signature *sig, struct mpg_cause_total **total, size_t *n, struct mpg_error *err);

/* Frees the names of C's causes, which are unknown then; all causes in its marks are to be 0. */
void mpg_noise_core_forget_causes(struct mpg_noise_core *c);

#endif

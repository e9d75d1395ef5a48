/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A machine with message times that differ from a measured machine's by given factors (docs/MODEL.md, section 3, Factors): a copy
 * of the measured machine's signature with scaled distributions. */
#ifndef MPG_FACTORS_H
#define MPG_FACTORS_H

#include "common/error.h"
#include "signature/signature.h"

/* The factors of a message's two parts: the time of an empty message, and the rest, which depends on the size. Both >= 0. */
struct mpg_time_factors {
    double latency, byte;
};

/* Returns a copy of SIG with F applied, at each probability u and in each launch, to
 * - one-way times and transfers Q(d; u), which become latency Q(0; u) + byte (Q(d; u) - Q(0; u)), at least 0 and ascending in u;
 * - the times per message in a stream: only the part that depends on the size;
 * - the times in calls that complete one-sided operations, 0 being the smallest measured size; of the starting calls, the part
 * that depends on the size;
 * - the times inside sends that wait for the receiver: by the ratio of the median one-way times at the same size.
 * Overheads and collectives are copied unchanged. The copy shares all other data with SIG, which must outlive the copy. The
 * caller frees the copy with mpg_factors_free(). NULL with ERR: out of memory; a distribution would get too many knots. */
struct mpg_signature *mpg_factors_apply(const struct mpg_signature *sig, const struct mpg_time_factors *f, struct mpg_error *err);
/* Multiplies all times of COLLECTIVE, of a copy by mpg_factors_apply(), by FACTOR >= 0. Error: out of memory. */
int mpg_factors_multiply(struct mpg_collective_time *collective, double factor, struct mpg_error *err);
void mpg_factors_free(struct mpg_signature *copy); /* NULL is allowed */

#endif

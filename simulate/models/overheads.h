/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Overheads o_s and o_r: the time that a message costs inside the calls of sender and receiver; and the times of one-sided
 * operations inside the starting and the completing calls (docs/MODEL.md, section 3). */
#ifndef MPG_OVERHEADS_H
#define MPG_OVERHEADS_H

#include <stdbool.h>
#include <stdint.h>

#include "signature/signature.h"
#include "simulate/models/flights.h"

enum mpg_overhead {
    MPG_OVERHEAD_SEND, MPG_OVERHEAD_RECEIVE,
    MPG_OVERHEAD_ONE_SIDED, /* first of two for each one-sided operation: mpg_overhead_call(), mpg_overhead_complete() */
    MPG_OVERHEADS = MPG_OVERHEAD_ONE_SIDED + 2 * MPG_ONE_SIDED_OPERATIONS
};

/* Return the time in the call that starts OPERATION (a lock: in the lock), and in the call that completes it. */
static inline enum mpg_overhead mpg_overhead_call(enum mpg_one_sided operation)
{
    return (enum mpg_overhead)(MPG_OVERHEAD_ONE_SIDED + 2 * (int)operation);
}

static inline enum mpg_overhead mpg_overhead_complete(enum mpg_one_sided operation)
{
    return (enum mpg_overhead)(MPG_OVERHEAD_ONE_SIDED + 2 * (int)operation + 1);
}

/* The measurements from which an overhead is drawn. */
struct mpg_overhead_sizes {
    const struct mpg_network_sizes *target, *source; /* target NULL: unknown; source NULL: the minimum times of the trace are
                                                        used instead */
    bool in_send;   /* o_s was not measured; the time in sends of eager messages is used */
    bool target_noise, source_noise; /* the machine's noise comes from the signature: overheads are drawn without noise, see
                                      * mpg_interpolation_max() */
};

/* Fills P's overheads from P's signatures. Must be called after mpg_perturbation_use_noise(). */
void mpg_perturbation_use_overheads(struct mpg_perturbation *p);
/* Returns true if o_s and o_r of both machines and the one-way times of the source are known. */
bool mpg_overheads_of_both(const struct mpg_perturbation *p);
/* Returns P's overheads with the source's measurements in place of the target's, too: overheads then do not change, and minimum
 * message times are derived as with P. */
struct mpg_overhead_sizes mpg_overhead_unchanged(const struct mpg_perturbation *p,
                                                 enum mpg_overhead which);

/* Returns the median overhead of a message of BYTES over pooled launches, ns; 0 if unknown. FURTHER as in struct
 * mpg_sent_message. */
double mpg_overhead_median(const struct mpg_perturbation *p, enum mpg_overhead which, bool of_source, double bytes,
                           bool further);

/* An overhead at a size, at most MAX ns. If FURTHER, the overhead of an empty message, at most EMPTY_MAX ns, is subtracted. */
struct mpg_overhead_at_size {
    struct mpg_interpolation interpolation, empty;
    double max, empty_max;
    bool further;
};
/* Returns the overhead at BYTES on the target or, if OF_SOURCE, on the source, which must be known. */
struct mpg_overhead_at_size mpg_overhead_at_size(const struct mpg_perturbation *p, enum mpg_overhead which,
                                           bool of_source, double bytes, bool further);
/* Writes the overhead of each request, ns, into NS. */
void mpg_overhead_times(const struct mpg_overhead_at_size *o, const struct mpg_quantile_requests *wanted, double *ns);
/* Returns the address of the draw for M's overhead. */
struct mpg_address mpg_overhead_address(const struct mpg_perturbation *p, enum mpg_overhead which,
                                        const struct mpg_sent_message *m);

/* The functions below add ns to VALUE_NS of the N replicas from FIRST on. */

/* Adds the target's overhead of M less the source's; without a source, less the target's minimum. */
void mpg_perturb_overhead(const struct mpg_perturbation *p, enum mpg_overhead which,
                          const struct mpg_sent_message *m, uint32_t first, uint32_t n,
                          double *value_ns);
/* The same for a time of a one-sided operation that has TRACED_BYTES on the source, M->bytes on the target. */
void mpg_perturb_one_sided(const struct mpg_perturbation *p, enum mpg_overhead which, const struct mpg_sent_message *m,
                           double traced_bytes, uint32_t first, uint32_t n, double *value_ns);
/* Adds FACTOR times the target's overhead of M. */
void mpg_add_target_overhead(const struct mpg_perturbation *p, enum mpg_overhead which,
                             const struct mpg_sent_message *m, double factor, uint32_t first, uint32_t n,
                             double *value_ns);

#endif

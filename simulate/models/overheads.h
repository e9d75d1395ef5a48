/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What messages cost the ranks at both ends in their own calls: o_s and o_r of
 * docs/MODEL.md, section 3. */
#ifndef MPG_OVERHEADS_H
#define MPG_OVERHEADS_H

#include <stdbool.h>
#include <stdint.h>

#include "signature/signature.h"
#include "simulate/models/flights.h"

enum mpg_overhead { MPG_OVERHEAD_SEND, MPG_OVERHEAD_RECEIVE, MPG_OVERHEADS };

/* Where one of them comes from. */
struct mpg_overhead_sizes {
    const struct mpg_network_sizes *target, *source; /* target NULL: it is not known;
                                                        source NULL: the trace's floors stand
                                                        for it */
    bool in_send;   /* o_s was not measured: the time in the send, of eager messages only */
    bool target_noise, source_noise; /* the machine's noise is replayed, or taken out, by itself */
};

/* Finds them in P's signatures, whose noise P has already. */
void mpg_perturbation_use_overheads(struct mpg_perturbation *p);
/* Whether o_s and o_r are known of both machines, and the source's one-way times. */
bool mpg_overheads_of_both(const struct mpg_perturbation *p);
/* Those of P's source on both machines: no message costs more, and floors are as with P's. */
struct mpg_overhead_sizes mpg_overhead_unchanged(const struct mpg_perturbation *p,
                                                 enum mpg_overhead which);

/* The median of what a message of BYTES costs on the target, or the source, of all launches; 0 where that is not known.
 * FURTHER: as in struct mpg_sent_message. */
double mpg_overhead_median(const struct mpg_perturbation *p, enum mpg_overhead which, bool of_source, double bytes,
                           bool further);

/* One of them at a size: no more than MOST; of a FURTHER message less that of an empty one. */
struct mpg_overhead_at_size {
    struct mpg_interpolation spot, empty;
    double most, empty_most;
    bool further;
};
/* Of a message of BYTES, on the target, or the source; those are known. */
struct mpg_overhead_at_size mpg_overhead_at_size(const struct mpg_perturbation *p, enum mpg_overhead which,
                                           bool of_source, double bytes, bool further);
/* What it takes in the lanes that are ASKED for, into NS. */
void mpg_overhead_times(const struct mpg_overhead_at_size *o, const struct mpg_quantile_requests *asked, double *ns);
/* Where the draw of M's is. */
struct mpg_address mpg_overhead_address(const struct mpg_perturbation *p, enum mpg_overhead which,
                                        const struct mpg_sent_message *m);

/* Adds to each of N lanes; lane w is replica FIRST + w. */

/* What M costs longer than on the source; without one, than it costs at least. */
void mpg_perturb_overhead(const struct mpg_perturbation *p, enum mpg_overhead which,
                          const struct mpg_sent_message *m, uint32_t first, uint32_t n,
                          double *value_ns);
/* FACTOR times what M costs on the target. */
void mpg_add_target_overhead(const struct mpg_perturbation *p, enum mpg_overhead which,
                             const struct mpg_sent_message *m, double factor, uint32_t first, uint32_t n,
                             double *value_ns);

#endif

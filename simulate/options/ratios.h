/* SPDX-License-Identifier: GPL-3.0-or-later */
/* --compute-ratio: computation time on the target over traced computation time, for all computation or by region: a number, the
 * ratio of a kernel's rates in both signatures, or derived from the trace's processor counters and all kernels' rates. */
#ifndef MPG_RATIOS_H
#define MPG_RATIOS_H

#include "analyse/efficiency/counted.h"
#include "common/option.h"
#include "graph/graph.h"
#include "signature/signature.h"
#include "simulate/models/core_rates.h"
#include "simulate/models/counted_compute.h"
#include "simulate/target/parameters.h"

struct mpg_ratio; /* a ratio as given on the command line */

/* All computation of a trace by processor counters. */
struct mpg_counted_ratio {
    bool is_used;
    struct mpg_compute_shares shares; /* means over the traced time of computation */
    double ratio;
};

/* Zero-initialised: a ratio of 1 everywhere. */
struct mpg_ratios {
    size_t given;
    struct mpg_ratio *ratio;
    struct mpg_region_ratios regions; /* filled by mpg_ratios_resolve() */
    struct mpg_region_ratio *region;
    bool *met;
    struct mpg_counted_ratio counted; /* filled by mpg_ratios_resolve() */
};

/* Data from which ratios are derived. */
struct mpg_ratio_sources {
    const struct mpg_signature *target, *source; /* NULL: none */
    struct mpg_busy_cores busy;                  /* cores that compute at once on a node */
    const struct mpg_parameters *machine;        /* NULL: none; its key MipsRatio gives a ratio */
    const struct mpg_trace *trace;
    const struct mpg_counted *counted;           /* counts of TRACE's processor counters; n = 0: none */
    bool prefers_counters; /* without a given ratio, derive the ratio from counters if possible */
};

/* Parses the texts of GIVEN, which must outlive R: "R", "kernel:NAME", optionally with "@REGION", or "counters", for all regions
 * without a given ratio. Errors: R is not a number from 1e-9 to 1e9; a name is empty; a region is given twice. The caller clears
 * R, even after an error. */
int mpg_ratios_parse(struct mpg_ratios *r, const struct mpg_option_list *given,
                     struct mpg_error *err);
/* Returns true if R needs processor counters. */
bool mpg_ratios_want_counters(const struct mpg_ratios *r);
/* Fills r->regions and r->counted. Errors: a signature, a rate of a given kernel, or given counters are missing; a ratio is not
 * from 1e-9 to 1e9; out of memory. */
int mpg_ratios_resolve(struct mpg_ratios *r, const struct mpg_ratio_sources *from, struct mpg_error *err);
void mpg_ratios_clear(struct mpg_ratios *r);

/* Compares the rates of the kernels in both TARGET and SOURCE (either may be NULL): mean rates of cores, with BUSY cores at once.
 * Sets the smallest ratio of compute times, target over source, over kernels, from SOURCE's slowest core to TARGET's fastest; the
 * largest, from SOURCE's fastest to TARGET's slowest; and the names of both kernels, which belong to TARGET. Returns the number
 * of kernels; 0 also if TARGET and SOURCE are one signature and equally many cores are busy. */
int mpg_ratios_of_kernels(const struct mpg_signature *target, const struct mpg_signature *source, struct mpg_busy_cores busy,
                          const char **min_kernel, double *min_ratio, const char **largest_kernel, double *largest_ratio);

#endif

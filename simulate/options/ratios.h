/* SPDX-License-Identifier: GPL-3.0-or-later */
/* --compute-ratio: computation time on the target for a traced second, for all computation or by region: a number, the ratio of a
 * kernel's rates in both signatures, or from the trace's processor counters and all kernels' rates. */
#ifndef MPG_RATIOS_H
#define MPG_RATIOS_H

#include "analyse/efficiency/counted.h"
#include "common/option.h"
#include "graph/graph.h"
#include "signature/signature.h"
#include "simulate/models/core_rates.h"
#include "simulate/models/counted_compute.h"
#include "simulate/target/parameters.h"

struct mpg_ratio; /* one ratio, as given on the command line */

/* All computation of a trace by its counters. */
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

/* Where ratios come from. */
struct mpg_ratio_sources {
    const struct mpg_signature *target, *source; /* NULL: none */
    struct mpg_busy_cores busy;                  /* cores that compute at once on a node */
    const struct mpg_parameters *machine;        /* NULL: none; its MipsRatio is one of the ratios */
    const struct mpg_trace *trace;
    const struct mpg_counted *counted;           /* counts of TRACE's processor counters; n = 0: none */
    bool prefers_counters; /* if no ratio is given, derive it from the counters, if rates and counters allow it */
};

/* Parses the texts of GIVEN, which outlive R: "R", "kernel:NAME", optionally with "@REGION", or
 * "counters", for all regions without another ratio. Errors: R is not a number from
 * 1e-9 to 1e9; a name is empty; a region is given twice. The caller clears R, even after an error. */
int mpg_ratios_parse(struct mpg_ratios *r, const struct mpg_option_list *given,
                     struct mpg_error *err);
/* Returns true if R takes counters, so that they must be read. */
bool mpg_ratios_want_counters(const struct mpg_ratios *r);
/* Fills r->regions and r->counted. Errors: a kernel or the counters are given, and a signature, its rate or the counters are
 * missing; a ratio is not from 1e-9 to 1e9; out of memory. */
int mpg_ratios_resolve(struct mpg_ratios *r, const struct mpg_ratio_sources *from, struct mpg_error *err);
void mpg_ratios_clear(struct mpg_ratios *r);

/* Compares the rates of the kernels that both TARGET and SOURCE have, either of which may be NULL: mean rates of cores, with BUSY
 * cores at once. Sets the smallest ratio of compute times, target over source, over kernels, from SOURCE's
 * slowest core to TARGET's fastest; the largest, from SOURCE's fastest to TARGET's slowest; and their kernels' names, which
 * belong to TARGET. Returns the number of kernels; 0 also if both are one signature and equally many
 * cores are busy. */
int mpg_ratios_of_kernels(const struct mpg_signature *target, const struct mpg_signature *source, struct mpg_busy_cores busy,
                          const char **min_kernel, double *min_ratio, const char **largest_kernel, double *largest_ratio);

#endif

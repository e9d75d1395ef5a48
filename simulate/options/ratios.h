/* SPDX-License-Identifier: GPL-3.0-or-later */
/* --compute-ratio: computation time on the target for a traced second, for all computation or by region: a number, or the ratio
 * of a kernel's rates in both signatures. */
#ifndef MPG_RATIOS_H
#define MPG_RATIOS_H

#include "common/option.h"
#include "graph/graph.h"
#include "signature/signature.h"
#include "simulate/target/parameters.h"

struct mpg_ratio; /* one ratio, as given */

/* Zero-initialised: a ratio of 1 everywhere. */
struct mpg_ratios {
    size_t given;
    struct mpg_ratio *ratio;
    struct mpg_region_ratios regions; /* filled by mpg_ratios_resolve() */
    struct mpg_region_ratio *region;
    bool *met;
};

/* Parses the texts of GIVEN, which outlive R: "R" or "kernel:NAME", optionally with "@REGION". Errors: R is not a number from
 * 1e-9 to 1e9; a name is empty; a region is given twice. The caller clears R, even after an error. */
int mpg_ratios_parse(struct mpg_ratios *r, const struct mpg_option_list *given,
                     struct mpg_error *err);
/* Fills r->regions. TARGET, SOURCE and MACHINE may be NULL; MACHINE's MipsRatio is one of the ratios. Errors: a kernel is
 * given, and a signature or its rate is missing; a ratio is not from 1e-9 to 1e9. */
int mpg_ratios_resolve(struct mpg_ratios *r, const struct mpg_signature *target,
                       const struct mpg_signature *source, const struct mpg_parameters *machine, struct mpg_error *err);
void mpg_ratios_clear(struct mpg_ratios *r);

/* Compares the rates of the kernels that both TARGET and SOURCE have, either of which may be NULL: the median rate of a core with
 * the most cores at once. Sets the least and the largest ratio of compute times, target over source, and their kernels' names,
 * which belong to TARGET. Returns the number of kernels; 0 also if both are one signature. */
int mpg_ratios_of_kernels(const struct mpg_signature *target, const struct mpg_signature *source, const char **least_kernel,
                          double *least_ratio, const char **largest_kernel, double *largest_ratio);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* --compute-ratio: how long the target computes for a traced second, of all computation or of that
 * in regions: a number, or by the rates of a kernel in both signatures. */
#ifndef MPG_RATIOS_H
#define MPG_RATIOS_H

#include "common/option.h"
#include "graph/graph.h"
#include "signature/signature.h"
#include "simulate/target/parameters.h"

struct mpg_ratio; /* one of them, as it was given */

/* Zero-initialised is a ratio of 1, everywhere. */
struct mpg_ratios {
    size_t given;
    struct mpg_ratio *ratio;
    struct mpg_region_ratios regions; /* once they are resolved */
    struct mpg_region_ratio *region;
    bool *met;
};

/* Takes GIVEN, each "R" or "kernel:NAME", with "@REGION" or without; its texts outlive R. Errors: R
 * is no number from 1e-9 to 1e9; no name; two for the same. R is to be cleared even so. */
int mpg_ratios_parse(struct mpg_ratios *r, const struct mpg_option_list *given,
                     struct mpg_error *err);
/* Fills r->regions; TARGET and SOURCE may be NULL, and MACHINE, whose MipsRatio is among those given. Errors: kernels were
 * asked for and one of them is missing, or has no rates above 0 of the kernel; the ratio is not from 1e-9 to 1e9. */
int mpg_ratios_resolve(struct mpg_ratios *r, const struct mpg_signature *target,
                       const struct mpg_signature *source, const struct mpg_parameters *machine, struct mpg_error *err);
void mpg_ratios_clear(struct mpg_ratios *r);

#endif

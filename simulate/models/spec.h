/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Distributions as the command line names them: "exp:2us@0,4-7". */
#ifndef MPG_SPEC_H
#define MPG_SPEC_H

#include <stdbool.h>

#include "common/error.h"
#include "common/units.h"
#include "statistics/distribution.h"

enum mpg_family {
    MPG_FAMILY_NONE, /* always 0 */
    MPG_FAMILY_CONST,
    MPG_FAMILY_EXP,
    MPG_FAMILY_NORMAL,
    MPG_FAMILY_GAMMA,
    MPG_FAMILY_LOGNORMAL,
    MPG_FAMILY_PARETO,
    MPG_FAMILY_FILE
};

struct mpg_spec {
    const char *text;          /* as given; NULL: not given */
    enum mpg_family family;
    double a, b;               /* ns: const a; exp mean a; normal, gamma, lognormal mean a and
                                  standard deviation b; pareto minimum a and shape b */
    double shape, scale;       /* derived, of gamma and lognormal */
    struct mpg_distribution *samples;
    struct mpg_rank_set ranks; /* who is perturbed */
};

/* Parses TEXT (which outlives SPEC); "file:PATH" reads the numbers in PATH, ns. */
int mpg_spec_parse(const char *text, struct mpg_spec *spec, struct mpg_error *err);
/* The value at probability U of (0, 1), in ns. */
double mpg_spec_quantile(const struct mpg_spec *spec, double u);
bool mpg_spec_is_random(const struct mpg_spec *spec);
/* Whether it can give a value below 0. */
bool mpg_spec_can_be_negative(const struct mpg_spec *spec);
void mpg_spec_clear(struct mpg_spec *spec);

#endif

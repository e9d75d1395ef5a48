/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Distributions as the command line names them: "exp:2us@0,4-7". */
#ifndef MPG_SPEC_H
#define MPG_SPEC_H

#include <stdbool.h>

#include "common/error.h"
#include "common/units.h"
#include "simulate/draws/draws.h"
#include "statistics/distribution.h"
#include "statistics/gamma.h"

enum mpg_spec_family {
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
    enum mpg_spec_family family;
    double a, b;               /* ns: const a; exp mean a; normal, gamma, lognormal mean a and
                                  standard deviation b; pareto minimum a and shape b */
    double shape, scale;       /* derived: of lognormal mu and sigma; of gamma the scale */
    struct mpg_gamma gamma;
    struct mpg_distribution *samples;
    double times;              /* what values of samples are multiplied by */
    bool borrows;              /* samples are another's */
    char *scaled;              /* TEXT, where it is its own */
    struct mpg_rank_set ranks; /* who is perturbed */
};

/* Parses TEXT (which outlives SPEC); "file:PATH" reads the numbers in PATH, ns. Errors
 * are also parameters with which a draw could be larger than 1e30 ns: what is accepted
 * stays finite, however many draws are added up. Returns 0, -1, or MPG_SPEC_UNREADABLE
 * where TEXT is right and what is wrong is PATH's. */
enum { MPG_SPEC_UNREADABLE = -2 };
int mpg_spec_parse(const char *text, struct mpg_spec *spec, struct mpg_error *err);
/* The value at probability U of (0, 1), in ns. */
double mpg_spec_quantile(const struct mpg_spec *spec, double u);
bool mpg_spec_is_random(const struct mpg_spec *spec);
/* Whether it can give a value below 0. */
bool mpg_spec_can_be_negative(const struct mpg_spec *spec);
/* The name of the file that its samples are from, to be freed; NULL: none, or out of memory. */
char *mpg_spec_file(const struct mpg_spec *spec);
void mpg_spec_clear(struct mpg_spec *spec);

/* Several for the same thing: whoever is named by more than one meets their sum. */
struct mpg_specs {
    size_t n; /* 0: nothing was given */
    struct mpg_spec *spec;
};

/* Parses TEXT (which outlives SPECS) as mpg_spec_parse() and puts it behind those that are
 * there. */
int mpg_specs_add(struct mpg_specs *specs, const char *text, struct mpg_error *err);
/* What SPECS, which outlive SCALED, are with all their values multiplied by FACTOR >= 0, to the bit what their parameters
 * times FACTOR are; 0 is const:0ns. SCALED is to be cleared even on failure. Errors: as mpg_spec_parse(). */
int mpg_specs_scale(const struct mpg_specs *specs, double factor, struct mpg_specs *scaled,
                    struct mpg_error *err);
/* An error, where a list of ranks names one that RANKS ranks have not. */
int mpg_specs_check(const struct mpg_specs *specs, int32_t ranks, struct mpg_error *err);
bool mpg_specs_are_random(const struct mpg_specs *specs);
bool mpg_specs_can_be_negative(const struct mpg_specs *specs);
/* Whether every spec is for all ranks. */
bool mpg_specs_are_for_all(const struct mpg_specs *specs);
/* As given, " + " between them, into TEXT of SIZE bytes, cut off there. */
void mpg_specs_say(const struct mpg_specs *specs, char *text, size_t size);
/* Adds FACTOR times a draw of each that names ADDRESS's rank to each of N lanes; lane w is
 * replica FIRST + w. The K-th of them draws with mpg_seed_of(seed, K). */
void mpg_specs_draw(const struct mpg_specs *specs, const struct mpg_address *address,
                    double factor, uint32_t first, uint32_t n, double *value_ns);
void mpg_specs_clear(struct mpg_specs *specs);

#endif

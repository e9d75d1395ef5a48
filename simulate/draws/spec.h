/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Distributions as given on the command line: "exp:2us@0,4-7", "10us". */
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
    const char *text;          /* the text as given on the command line; NULL: not given */
    enum mpg_spec_family family;
    double a, b;               /* ns: const: a; exp: mean a; normal, gamma, lognormal: mean a and standard deviation b;
                                  pareto: minimum a, shape b */
    double shape, scale;       /* derived from a and b: lognormal: mu and sigma; gamma: the scale */
    struct mpg_gamma gamma;
    struct mpg_distribution *samples;
    double times;              /* factor by which samples are multiplied */
    bool borrows;              /* another spec owns the samples */
    char *scaled;              /* TEXT, if it was allocated for this spec */
    struct mpg_rank_set ranks; /* the ranks to which the distribution applies */
};

/* Parses TEXT, which outlives SPEC; "10us" is "const:10us"; "file:PATH" reads numbers, ns, from PATH. Returns 0;
 * -1 if TEXT is wrong, or a draw could exceed the bound that keeps all sums finite; MPG_SPEC_UNREADABLE if TEXT is right and
 * PATH is not. */
enum { MPG_SPEC_UNREADABLE = -2 };
int mpg_spec_parse(const char *text, struct mpg_spec *spec, struct mpg_error *err);
/* As mpg_spec_parse(), of plain numbers instead of times: "0.2", "exp:0.2". */
int mpg_spec_parse_numbers(const char *text, struct mpg_spec *spec, struct mpg_error *err);
/* Returns the quantile at U, 0 < U < 1, ns. */
double mpg_spec_quantile(const struct mpg_spec *spec, double u);
bool mpg_spec_is_random(const struct mpg_spec *spec);
/* Returns true if a draw can be below 0. */
bool mpg_spec_can_be_negative(const struct mpg_spec *spec);
/* Returns the name of the file with its samples, which the caller frees; NULL: none, or out of memory. */
char *mpg_spec_file(const struct mpg_spec *spec);
void mpg_spec_clear(struct mpg_spec *spec);

/* A sum of distributions: a rank gets the sum of all that apply to it. */
struct mpg_specs {
    size_t n; /* number of distributions; 0: none was given */
    struct mpg_spec *spec;
};

/* Parses TEXT, which outlives SPECS, as mpg_spec_parse() does, and appends it. */
int mpg_specs_add(struct mpg_specs *specs, const char *text, struct mpg_error *err);
/* Sets SCALED to SPECS with all values multiplied by FACTOR >= 0. SPECS must outlive SCALED. The draws are bitwise those of
 * distributions whose parameters are FACTOR times as large; with FACTOR 0 those of const:0ns. Errors: as mpg_spec_parse().
 * The caller clears SCALED, even after an error. */
int mpg_specs_scale(const struct mpg_specs *specs, double factor, struct mpg_specs *scaled,
                    struct mpg_error *err);
/* Returns 0, or -1 with ERR: a list of ranks names a rank that is not below RANKS. */
int mpg_specs_check(const struct mpg_specs *specs, int32_t ranks, struct mpg_error *err);
bool mpg_specs_are_random(const struct mpg_specs *specs);
bool mpg_specs_can_be_negative(const struct mpg_specs *specs);
/* Returns true if every distribution applies to all ranks. */
bool mpg_specs_are_for_all(const struct mpg_specs *specs);
/* Writes the distributions as given, with " + " between them, into TEXT of SIZE bytes, truncated. */
void mpg_specs_format(const struct mpg_specs *specs, char *text, size_t size);
/* Adds FACTOR times a draw of each distribution that applies to ADDRESS's rank to the N replicas from FIRST on. The K-th
 * of these distributions draws with mpg_seed_of(seed, K). */
void mpg_specs_draw(const struct mpg_specs *specs, const struct mpg_address *address,
                    double factor, uint32_t first, uint32_t n, double *value_ns);
void mpg_specs_clear(struct mpg_specs *specs);

#endif

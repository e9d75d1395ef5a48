/* SPDX-License-Identifier: GPL-3.0-or-later */
/* --sweep: the parameters with several values. */
#ifndef MPG_SWEEP_H
#define MPG_SWEEP_H

#include <stdbool.h>
#include <stdint.h>

#include "common/option.h"

enum mpg_swept {
    MPG_SWEPT_NOISE,
    MPG_SWEPT_CALL_NOISE,
    MPG_SWEPT_LATENCY,
    MPG_SWEPT_BYTE,
    MPG_SWEPT_COMPUTE_RATIO,
    MPG_SWEPT_EAGER_LIMIT, /* this parameter and the following change the graph or the placement */
    MPG_SWEPT_ABSORB,
    MPG_SWEPT_MAP,
    MPG_SWEPTS
};

/* Meaning of the values of a parameter. */
enum mpg_sweep_unit {
    MPG_SWEEP_TIME,   /* ns, a constant: const:T */
    MPG_SWEEP_FACTOR, /* factor of the distribution given by the option of this name, or of the signature's noise */
    MPG_SWEEP_SCALE,  /* factor of the signature's values: xF */
    MPG_SWEEP_RATIO,
    MPG_SWEEP_SIZE,   /* integer bytes */
    MPG_SWEEP_WORD,
    MPG_SWEEP_NUMBER, /* for keys only */
    MPG_SWEEP_COUNT
};

struct mpg_axis {
    enum mpg_swept what;   /* the parameter; MPG_SWEPTS: a key of the target */
    char *key;             /* the key of the target; NULL: not swept by key */
    enum mpg_sweep_unit unit;
    const char *text, *option; /* the argument, and the option: --sweep or --tolerate */
    size_t n;
    double *value;    /* [n]: values; of absorb the number of the word; of a key NAN if the value is a word or a distribution */
    char **word;      /* [n]: values of parameters with words, and of keys, as in a target's file; else NULL */
};

/* Points of the grid are numbered; the last axis varies fastest. */
enum { MPG_SWEEP_MAX_POINTS = 4096, MPG_KEY_AXES = 6 };
struct mpg_sweep {
    size_t axes;
    struct mpg_axis axis[MPG_SWEPTS]; /* distinct parameters, or at most MPG_KEY_AXES keys, in the order given */
    size_t points; /* number of points, at most MPG_SWEEP_MAX_POINTS; 1 without axes */
};

/* Tolerated slowdowns minus 1, such as 0.05, in the order given. */
struct mpg_limits {
    size_t n;
    double limit[16];
};

/* Returns true if TEXT has the form of a factor of the signature's values: x and a number. */
bool mpg_sweep_is_factor(const char *text);
/* Sets *VALUE to the factor TEXT, "x2". Error: the number is missing, not finite or below 0. */
int mpg_sweep_parse_factor(const char *text, double *value, struct mpg_error *err);
/* Parses the texts of GIVEN: "PARAM=LO:HI:N", "PARAM=LO:HI:N:log" or "PARAM=V,V...". OF_TARGET: PARAM is a key of mpgtarget(5);
 * the target checks the values later. Errors: unknown or repeated PARAM; a value that PARAM cannot have; numbers, times and
 * factors xF mixed; a single or repeated value; LO >= HI; N < 2; log with a value <= 0; more than MPG_SWEEP_MAX_POINTS points;
 * out of memory. The caller clears SWEEP, even after an error. */
int mpg_sweep_parse(struct mpg_sweep *sweep, const struct mpg_option_list *given, bool of_target, struct mpg_error *err);
/* Parses "LIMIT%:PARAM" or "LIMIT%,LIMIT%...:PARAM"; a blank may replace the colon. Sets SWEEP to two values of PARAM; the
 * smaller value has no effect. GIVEN returns whether the option PARAM is given; then values are factors of the given value.
 * Errors: a LIMIT is not above 0 or repeated, more than 16 limits, PARAM is unknown, has no order or is an eager limit. The
 * caller clears SWEEP, even after an error. */
int mpg_sweep_tolerate(struct mpg_sweep *sweep, const char *text, struct mpg_limits *limits,
                       bool (*given)(void *context, enum mpg_swept what), void *context,
                       struct mpg_error *err);
void mpg_sweep_clear(struct mpg_sweep *sweep); /* zero-initialised is allowed */

/* Returns the axis of the parameter WHAT; NULL: not swept. */
const struct mpg_axis *mpg_sweep_find(const struct mpg_sweep *sweep, enum mpg_swept what);
/* Returns the index, on axis I, of POINT's value. */
size_t mpg_sweep_place(const struct mpg_sweep *sweep, size_t i, size_t point);
/* Returns "call-noise" and so on. */
const char *mpg_swept_name(enum mpg_swept what);
/* Returns "ns", "factor", "ratio" or "bytes"; NULL: words. */
const char *mpg_sweep_unit_name(enum mpg_sweep_unit unit);

#endif

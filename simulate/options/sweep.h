/* SPDX-License-Identifier: GPL-3.0-or-later */
/* --sweep: what has several values, one after the other, and which. */
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
    MPG_SWEPT_EAGER_LIMIT, /* from here on other graphs, or other places */
    MPG_SWEPT_ABSORB,
    MPG_SWEPT_MAP,
    MPG_SWEPTS
};

/* What values are. */
enum mpg_sweep_unit {
    MPG_SWEEP_TIME,   /* ns: const:T */
    MPG_SWEEP_FACTOR, /* of the distributions that are given */
    MPG_SWEEP_RATIO,
    MPG_SWEEP_SIZE,   /* whole bytes */
    MPG_SWEEP_WORD,
    MPG_SWEEP_NUMBER, /* of keys only */
    MPG_SWEEP_COUNT
};

struct mpg_axis {
    enum mpg_swept what;   /* MPG_SWEPTS: a target's key, */
    char *key;             /* which is this; else NULL */
    enum mpg_sweep_unit unit;
    const char *text, *option; /* as given, to --sweep or --tolerate */
    size_t n;
    double *value;    /* n; of absorb the place of the word in its enum; of keys NAN where it is a word, or a distribution */
    char **word;      /* n, of words, and of keys, as a target's file has them; else NULL */
};

/* Points of a grid are numbered: the last axis goes round first. */
enum { MPG_SWEEP_MOST = 4096, MPG_KEY_AXES = 6 };
struct mpg_sweep {
    size_t axes;
    struct mpg_axis axis[MPG_SWEPTS]; /* as given, each another parameter, or (at most MPG_KEY_AXES) another key */
    size_t points; /* the product of their lengths, at most MPG_SWEEP_MOST; 1 without axes */
};

/* Slowdowns beyond 1, as 0.05: parts of the traced run, as given. */
struct mpg_limits {
    size_t n;
    double limit[16];
};

/* Takes GIVEN, each "PARAM=LO:HI:N", "PARAM=LO:HI:N:log" or "PARAM=V,V..."; OF_TARGET: with a key of mpgtarget(5) as PARAM,
 * of which it is for the target to say what values are right. Errors: no PARAM, or one that
 * was given; values that PARAM does not have, plain numbers beside times; one value, or one twice; LO >= HI, N < 2, log of
 * what is not above 0; more than MPG_SWEEP_MOST points; out of memory. SWEEP is to be cleared even so. */
int mpg_sweep_parse(struct mpg_sweep *sweep, const struct mpg_option_list *given, bool of_target, struct mpg_error *err);
/* Takes "LIMIT%:PARAM" or "LIMIT%,LIMIT%...:PARAM", the colon being a blank as well: two values of PARAM, the lesser
 * of which is nothing of it. GIVEN says whether there are distributions of it, of which values are factors then.
 * Errors: no LIMIT above 0, one twice, more than 16 of them; no PARAM that has an order and is no limit. SWEEP is to
 * be cleared even so. */
int mpg_sweep_tolerate(struct mpg_sweep *sweep, const char *text, struct mpg_limits *limits,
                       bool (*given)(void *context, enum mpg_swept what), void *context,
                       struct mpg_error *err);
void mpg_sweep_clear(struct mpg_sweep *sweep); /* zero-initialised is allowed */

/* The axis about WHAT; NULL: it is not swept. */
const struct mpg_axis *mpg_sweep_find(const struct mpg_sweep *sweep, enum mpg_swept what);
/* Which of axis I's values POINT has. */
size_t mpg_sweep_place(const struct mpg_sweep *sweep, size_t i, size_t point);
/* "call-noise" ... */
const char *mpg_swept_name(enum mpg_swept what);
/* "ns", "factor", "ratio", "bytes"; NULL: words. */
const char *mpg_sweep_unit_name(enum mpg_sweep_unit unit);

#endif

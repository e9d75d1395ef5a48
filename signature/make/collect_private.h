/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the parts of the collection share: one part for each kind of results. */
#ifndef MPG_COLLECT_PRIVATE_H
#define MPG_COLLECT_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "signature/make/collect.h"
#include "statistics/series.h"

struct mpg_collect_path; /* collect_network.c */
struct mpg_collect_rates; /* collect_compute.c */

/* A file that was added: which core or launch of which benchmark, and where. */
struct mpg_collect_origin {
    enum mpg_benchmark benchmark;
    int64_t id;
    bool together;        /* measured with the host's other cores */
    char *place, *path;   /* host or path class; the file */
};

/* A core's record of detours, packed until all are there. */
struct mpg_collect_record {
    char *host;
    int core;
    size_t n;    /* detours */
    int parts;   /* of a ns */
    double epoch_ns; /* when it began, by a clock of the host's; < 0: not said */
    char *packed;
    size_t marked;   /* off the CPU */
    char *off;       /* which are, packed; NULL: not known */
};

struct mpg_collect {
    struct mpg_signature *sig;
    struct mpg_collect_path *network[MPG_PATHS]; /* NULL: no results of that class */
    struct mpg_collect_rates *collective, *compute; /* NULL: none */
    struct mpg_collect_origin *origin;
    size_t origins;
    struct mpg_collect_record *record;
    size_t records;
    struct mpg_fact *value;   /* every different (header key, value) seen */
    size_t values;
    char **warning;
    size_t warnings;
};

/* Fills ERR; returns -1. */
int mpg_collect_no_memory(struct mpg_error *err);

/* Adds a line for mpg_collect_warnings(). Errors: out of memory. */
int mpg_collect_warn(struct mpg_collect *c, struct mpg_error *err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The value of R's header line KEY; NULL if it is not there. */
const char *mpg_collect_fact(const struct mpg_results *r, const char *key);

/* Whether R measured its core together with others, not by itself. */
bool mpg_collect_is_together(const struct mpg_results *r);

/* The ITEMth word, from 0, of R's header line KEY; a copy that the caller frees.
 * Errors: no such line, fewer words, out of memory. */
char *mpg_collect_word(const struct mpg_results *r, const char *key, size_t item,
                       struct mpg_error *err);

/* The distribution of S, with intervals, and with fits if FIT; the caller frees it. On failure
 * *D may be one to free, or NULL. */
int mpg_collect_samples(const struct mpg_samples *s, bool fit, struct mpg_distribution **d,
                        struct mpg_error *err);
/* The same of N >= 1 SAMPLES of one series in time order. */
int mpg_collect_distribution(const double *samples, size_t n, bool fit,
                             struct mpg_distribution **d, struct mpg_error *err);

/* States in D, which was made of S or in a way of it, between what its median and 99th percentile
 * are: the intervals of mpg_estimate_quantiles(), PART times as far away (1, or 0.5 for one of two
 * summands). Errors: out of memory. */
int mpg_collect_intervals(struct mpg_distribution *d, const struct mpg_samples *s, double part,
                          struct mpg_error *err);

/* Adds to D, which has none, the fits of families to its N SAMPLES, or to some
 * 10000 of them, evenly taken. Without effect when they are too few or all equal. */
int mpg_collect_fit(const double *samples, size_t n, struct mpg_distribution *d,
                    struct mpg_error *err);

/* ---- the parts: what R says, then what follows from all of it ---- */

/* Header lines and the file's name and checksum. */
int mpg_collect_add_facts(struct mpg_collect *c, const struct mpg_results *r,
                          struct mpg_error *err);
/* Puts the header into the signature. */
int mpg_collect_put_facts(struct mpg_collect *c, struct mpg_error *err);

/* ftq, fwq and detour results of core ID. */
int mpg_collect_add_noise(struct mpg_collect *c, const struct mpg_results *r, int64_t id,
                          struct mpg_error *err);
/* A core's record of detours, and what follows from it; the detours themselves are kept
 * aside. */
int mpg_collect_add_detours(struct mpg_collect *c, const struct mpg_results *r,
                            struct mpg_noise_core *core, struct mpg_error *err);
/* Gives the cores, whose hosts are still said, their detours, in LEFT characters: all, or
 * what mpg_blocks_keep() keeps, of which there is then a warning. */
int mpg_collect_put_detours(struct mpg_collect *c, size_t left, struct mpg_error *err);
void mpg_collect_free_records(struct mpg_collect *c);
/* From N >= 1 quanta's LOST_NS, equally spaced, into CORE, whose ftq.quantum_ns is
 * set: the series, and of MPG_SPECTRUM_MIN_SAMPLES or more the spectrum, its lines
 * and the autocorrelation. */
int mpg_collect_quanta(const double *lost_ns, size_t n, struct mpg_noise_core *core,
                       struct mpg_error *err);
void mpg_collect_put_noise(struct mpg_collect *c);

/* pingpong and bandwidth results of launch ID, on a path of class PATH. */
int mpg_collect_add_network(struct mpg_collect *c, const struct mpg_results *r, int64_t id,
                            enum mpg_path_class path, struct mpg_error *err);
int mpg_collect_put_network(struct mpg_collect *c, struct mpg_error *err);
void mpg_collect_free_path(struct mpg_collect_path *path); /* NULL is allowed */

/* compute results of core ID, and collective results of any launch. */
int mpg_collect_add_compute(struct mpg_collect *c, const struct mpg_results *r, int64_t id,
                            struct mpg_error *err);
int mpg_collect_add_collective(struct mpg_collect *c, const struct mpg_results *r,
                               struct mpg_error *err);
int mpg_collect_put_compute(struct mpg_collect *c, struct mpg_error *err);
void mpg_collect_free_rates(struct mpg_collect_rates *rates); /* NULL is allowed */

#endif

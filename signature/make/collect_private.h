/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the files of the collection, each for a kind of results; private to signature/make/collect*.c. */
#ifndef MPG_COLLECT_PRIVATE_H
#define MPG_COLLECT_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "signature/make/collect.h"
#include "statistics/series.h"

struct mpg_collect_path; /* defined in collect_network.c */
struct mpg_collect_rates; /* defined in collect_compute.c */
struct mpg_collect_sharing; /* defined in collect_sharing.c */

/* An added results file, which measures core or launch ID of a host or path class. */
struct mpg_collect_origin {
    enum mpg_benchmark benchmark;
    int64_t id;
    bool together;        /* measured at once with the host's other cores */
    char *place, *path;   /* PLACE: host or path class; PATH: name of the file */
};

/* A core's record of detours, packed to save memory until all files are read. */
struct mpg_collect_record {
    char *host;
    int core;
    size_t n;    /* number of detours */
    int parts;   /* times are multiples of 1 / parts ns */
    double epoch_ns; /* start of the record by a clock of the host, ns; < 0: unknown */
    char *packed;
    size_t marked;   /* number of detours that were off the CPU */
    char *off;       /* packed off-CPU flags; NULL: unknown */
    size_t caused;   /* number of detours with a recorded cause */
    char *causes;    /* packed causes; NULL: unknown */
};

struct mpg_collect {
    struct mpg_signature *sig;
    struct mpg_collect_path *network[MPG_PATHS]; /* NULL: no results of this path class */
    struct mpg_collect_path *device[MPG_PATHS];  /* the same, of messages between the memories of GPUs */
    struct mpg_collect_rates *collective, *compute; /* NULL: no results */
    struct mpg_collect_sharing *sharing; /* NULL: no results */
    struct mpg_collect_origin *origin;
    size_t origins;
    struct mpg_collect_record *record;
    size_t records;
    struct mpg_fact *value;   /* header lines of all files; each pair of key and value once */
    size_t values;
    char **warning;
    size_t warnings;
};

/* Stores "out of memory" in ERR; returns -1. */
int mpg_collect_no_memory(struct mpg_error *err);

/* Adds a line for mpg_collect_warnings(). Errors: out of memory. */
int mpg_collect_warn(struct mpg_collect *c, struct mpg_error *err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Returns the value of R's header line KEY; NULL: missing. */
const char *mpg_collect_fact(const struct mpg_results *r, const char *key);

/* Returns whether R measured messages between the memories of GPUs. */
bool mpg_collect_is_device(const struct mpg_results *r);

/* Returns whether R measured its core at once with other cores. */
bool mpg_collect_is_together(const struct mpg_results *r);

/* Returns a copy of the word with number ITEM, from 0, of R's header line KEY, for the caller to free. NULL with ERR:
 * line or word missing, out of memory. */
char *mpg_collect_word(const struct mpg_results *r, const char *key, size_t item,
                       struct mpg_error *err);

/* Makes the distribution *D of S with confidence intervals, and with fitted families if FIT, for the caller to free.
 * After an error *D is NULL or still has to be freed. */
int mpg_collect_samples(const struct mpg_samples *s, bool fit, struct mpg_distribution **d,
                        struct mpg_error *err);
/* Sets *D to the distribution of N >= 1 SAMPLES, a single series in time order, with confidence intervals; else as
 * mpg_collect_samples(). */
int mpg_collect_distribution(const double *samples, size_t n, bool fit,
                             struct mpg_distribution **d, struct mpg_error *err);

/* Adds confidence intervals of median and 99th percentile to D, made of S or derived from S. Widths are PART times the widths of
 * mpg_estimate_quantiles(S): 1, or 0.5 if S are sums of two times of D. Errors: out of memory. */
int mpg_collect_intervals(struct mpg_distribution *d, const struct mpg_samples *s, double part,
                          struct mpg_error *err);

/* Adds fitted families to D, from about 10000 of the N SAMPLES, evenly chosen. No families are added if the samples are too few
 * or equal. Errors: out of memory. */
int mpg_collect_fit(const double *samples, size_t n, struct mpg_distribution *d,
                    struct mpg_error *err);

/* ---- kinds of results: adding a file, then putting into the signature ---- */

/* Adds R's header lines, file name and checksum. */
int mpg_collect_add_facts(struct mpg_collect *c, const struct mpg_results *r,
                          struct mpg_error *err);
/* Puts the header into the signature. */
int mpg_collect_put_facts(struct mpg_collect *c, struct mpg_error *err);

/* Adds ftq, fwq and detour results of core ID. */
int mpg_collect_add_noise(struct mpg_collect *c, const struct mpg_results *r, int64_t id,
                          struct mpg_error *err);
/* Adds R, a record of detours, to CORE with the values derived from R, and packs the detours. */
int mpg_collect_add_detours(struct mpg_collect *c, const struct mpg_results *r,
                            struct mpg_noise_core *core, struct mpg_error *err);
/* Moves the detours of all records to the signature's cores, in at most LEFT characters: longer records are truncated by
 * mpg_noise_record_truncate(), with a warning. To be called while each core still has its host. */
int mpg_collect_put_detours(struct mpg_collect *c, size_t left, struct mpg_error *err);
void mpg_collect_free_records(struct mpg_collect *c);
/* Computes from N >= 1 equally spaced FTQ quanta, with LOST_NS lost in each, CORE's series and, for N >=
 * MPG_SPECTRUM_MIN_SAMPLES, spectrum, lines and autocorrelation. CORE's ftq.quantum_ns must be set. */
int mpg_collect_quanta(const double *lost_ns, size_t n, struct mpg_noise_core *core,
                       struct mpg_error *err);
void mpg_collect_put_noise(struct mpg_collect *c);

/* Adds pingpong, bandwidth, overhead, overlap and onesided results of launch ID on a path of class PATH. */
int mpg_collect_add_network(struct mpg_collect *c, const struct mpg_results *r, int64_t id,
                            enum mpg_path_class path, struct mpg_error *err);
int mpg_collect_put_network(struct mpg_collect *c, struct mpg_error *err);
void mpg_collect_free_path(struct mpg_collect_path *path); /* NULL is allowed */

/* The former adds compute results R of core ID, the latter collective results of any launch. */
int mpg_collect_add_compute(struct mpg_collect *c, const struct mpg_results *r, int64_t id,
                            struct mpg_error *err);
int mpg_collect_add_collective(struct mpg_collect *c, const struct mpg_results *r,
                               struct mpg_error *err);
int mpg_collect_put_compute(struct mpg_collect *c, struct mpg_error *err);
void mpg_collect_free_rates(struct mpg_collect_rates *rates); /* NULL is allowed */

/* Adds sharing results of any launch, on a path of class PATH. */
int mpg_collect_add_sharing(struct mpg_collect *c, const struct mpg_results *r, enum mpg_path_class path,
                            struct mpg_error *err);
/* Puts the points of the sharing curves into the signature; a file counts as a launch. */
int mpg_collect_put_sharing(struct mpg_collect *c, struct mpg_error *err);
void mpg_collect_free_sharing(struct mpg_collect_sharing *list); /* NULL is allowed */

#endif

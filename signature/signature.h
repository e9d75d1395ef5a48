/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A machine's signature: what sigmake writes and mpgsim samples from.
 * Immutable once loaded. Units in names. The file is described in mpgsig(5). */
#ifndef MPG_SIGNATURE_H
#define MPG_SIGNATURE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "common/error.h"
#include "signature/distribution.h"

/* Major and minor version of the file format. A reader takes any minor version
 * of the major version it knows. */
enum { MPG_SIGNATURE_VERSION = 1, MPG_SIGNATURE_MINOR = 0 };

/* What a signature holds at most; larger files are rejected, not read in part. */
enum {
    MPG_SIGNATURE_MAX_FACTS = 4096,     /* header lines */
    MPG_SIGNATURE_MAX_SOURCES = 262144, /* results files listed */
    MPG_SIGNATURE_MAX_CORES = 65536,
    MPG_SIGNATURE_MAX_DETOURS = 1000000, /* of one core */
    MPG_SIGNATURE_MAX_SIZES = 4096,      /* message sizes of one benchmark */
    MPG_SIGNATURE_MAX_TEXT = 4096,       /* bytes of a key or a value in the header */
};

enum { MPG_EAGER_LIMIT_UNKNOWN = -2 };

/* Recorded interruptions of one core, in time order, not overlapping. */
struct mpg_noise_core {
    int core;
    double threshold_ns;            /* shorter interruptions were not seen */
    double span_ns;                 /* length of the record; 0: no record, only FTQ data */
    size_t detours;
    double *start_ns, *duration_ns; /* start in [0, span); start + duration <= span */
    double fraction_lost;           /* sum of durations / span; without a record 0 */
    struct mpg_distribution *gap_ns, *length_ns; /* NULL with fewer than 2 detours */
    double quantum_ns;                /* FTQ quantum; 0 without FTQ data */
    struct mpg_distribution *lost_ns; /* per quantum; NULL without FTQ data */
};

/* Times for messages of one size. */
struct mpg_network_size {
    int64_t size_bytes;
    struct mpg_distribution *time_ns; /* latency: one way; bandwidth: transfer of one message */
};

struct mpg_fact { /* one header line: what was measured where and how */
    char *key, *value;
};

struct mpg_signature {
    char *path;               /* where it was read from; NULL if it was not read */
    size_t facts;
    struct mpg_fact *fact;
    size_t sources;           /* results files it was made from: name, checksum */
    struct mpg_fact *source;
    size_t cores;             /* ascending in core */
    struct mpg_noise_core *core;
    size_t latency_sizes;     /* ascending in size */
    struct mpg_network_size *latency;
    size_t bandwidth_sizes;   /* ascending in size */
    struct mpg_network_size *bandwidth;
    int64_t eager_limit_bytes; /* MPG_EAGER_LIMIT_UNKNOWN: not detected; -1: no send is eager */
};

/* Reads and checks a signature file ("-": standard input); NULL and ERR naming
 * PATH and the key if it cannot be read, is no signature, is damaged, or has
 * another major version. Unknown keys are ignored. The caller frees the result. */
struct mpg_signature *mpg_signature_load(const char *path, struct mpg_error *err);

/* Writes SIG as JSON, every number so that reading it back gives the same bits.
 * The caller flushes and closes STREAM. Errors: SIG fails mpg_signature_check()
 * (nothing is written), out of memory, a failed write. */
int mpg_signature_write(const struct mpg_signature *sig, FILE *stream, struct mpg_error *err);

/* Checks every promise the comments above make about SIG, and the caps. */
int mpg_signature_check(const struct mpg_signature *sig, struct mpg_error *err);

/* The same for one core. */
int mpg_noise_core_check(const struct mpg_noise_core *core, struct mpg_error *err);

/* Computes what follows from CORE's detours: fraction_lost, and gap_ns and
 * length_ns where they are NULL and there are at least 2 detours. CORE keeps
 * ownership; on failure it is unchanged. */
int mpg_noise_core_derive(struct mpg_noise_core *core, struct mpg_error *err);

/* The value of KEY among N facts; NULL if it is not there. */
const char *mpg_fact_find(const struct mpg_fact *fact, size_t n, const char *key);

/* Appends copies of KEY and VALUE to *FACT, an array of *N. Errors: text that is
 * not one line of UTF-8, out of memory. */
int mpg_fact_add(struct mpg_fact **fact, size_t *n, const char *key, const char *value,
                 struct mpg_error *err);
void mpg_fact_free(struct mpg_fact *fact, size_t n); /* frees the array, too */

void mpg_signature_free(struct mpg_signature *sig); /* NULL is allowed */

#endif

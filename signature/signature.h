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

enum { MPG_SIGNATURE_VERSION = 1 };

/* Recorded interruptions of one core, in time order, not overlapping. */
struct mpg_noise_core {
    int core;
    double threshold_ns;            /* shorter interruptions were not seen */
    double span_ns;                 /* length of the record */
    size_t detours;
    double *start_ns, *duration_ns; /* start in [0, span); start + duration <= span */
    double fraction_lost;           /* sum of durations / span */
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
    char *path;               /* where it was read from */
    size_t facts;
    struct mpg_fact *fact;
    size_t cores;
    struct mpg_noise_core *core;
    size_t latency_sizes;     /* ascending in size */
    struct mpg_network_size *latency;
    size_t bandwidth_sizes;   /* ascending in size */
    struct mpg_network_size *bandwidth;
    int64_t eager_limit_bytes; /* -2: not detected */
};

/* Reads and checks a signature file; NULL and ERR naming PATH if it cannot be
 * read, is no signature, is damaged, or has another major version. */
struct mpg_signature *mpg_signature_load(const char *path, struct mpg_error *err);
/* Writes SIG as JSON. */
int mpg_signature_write(const struct mpg_signature *sig, FILE *stream, struct mpg_error *err);
void mpg_signature_free(struct mpg_signature *sig);

#endif

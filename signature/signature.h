/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A machine's signature: what sigmake writes and mpgsim samples from.
 * Immutable once loaded. Units in names. The file is described in mpgsig(5). */
#ifndef MPG_SIGNATURE_H
#define MPG_SIGNATURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "common/error.h"
#include "common/utf8.h"
#include "statistics/distribution.h"
#include "statistics/loggp.h"

/* Major and minor version of the file format. A reader takes any minor version
 * of the major versions it knows: 1 to 4. */
enum { MPG_SIGNATURE_VERSION = 4, MPG_SIGNATURE_MINOR = 2 };

/* What a signature holds at most; larger files are rejected, not read in part. */
enum {
    MPG_SIGNATURE_MAX_FACTS = 4096,     /* header lines */
    MPG_SIGNATURE_MAX_SOURCES = 262144, /* results files listed */
    MPG_SIGNATURE_MAX_CORES = 65536,
    MPG_SIGNATURE_MAX_DETOURS = 1000000, /* of one core */
    MPG_SIGNATURE_MAX_BLOCKS = 4096,     /* of one core's record */
    MPG_SIGNATURE_MAX_FAILURES = 1024,   /* checks */
    /* Packed detours of all cores: this many, and so many more for each packed byte. */
    MPG_SIGNATURE_MAX_PACKED = 1000000, MPG_SIGNATURE_MAX_PACKED_A_BYTE = 8,
    MPG_SIGNATURE_MAX_SIZES = MPG_LOGGP_MAX_SIZES, /* message sizes of one benchmark */
    MPG_SIGNATURE_MAX_LIST = 65536,      /* lines, lags, series' values, pairs, launches,
                                            collectives, reductions, rates */
    MPG_SIGNATURE_MAX_LAUNCHES = 1024,   /* of one quantity */
    MPG_SIGNATURE_MAX_ROWS = 1048576,    /* blocks x length of one size */
};

enum { MPG_EAGER_LIMIT_UNKNOWN = -2 };

struct mpg_fact { /* one header line: what was measured where and how */
    char *key, *value;
};

/* ---- noise ---- */

/* A significant line in the power spectrum of the time lost per quantum. */
struct mpg_noise_line {
    double frequency_hz;     /* > 0 */
    double amplitude_ns;     /* of the sinusoid, in time lost per quantum */
    double harmonic_of_hz;   /* the fundamental it belongs to; 0: it is one itself */
    double false_alarm;      /* probability that noise alone makes such a line somewhere */
};

/* Equally spaced values >= 0, decimated so that a plot needs no raw samples. */
struct mpg_noise_series {
    double step;             /* > 0, between values: ns of a series, Hz of a spectrum */
    size_t n;                /* 0: not there */
    double *mean, *most;     /* of what each step covers; value i from i * step on */
};

/* How long a fixed amount of work, or a fixed time, loses. */
struct mpg_noise_quanta {
    double quantum_ns;                /* length, or of fixed work the fastest time; 0: not measured */
    struct mpg_distribution *lost_ns; /* per quantum; NULL when not measured */
};

/* Part of a record: a run of detours that were next to each other, with what is between
 * them. It begins where the detour before it ended, and ends with its last one. */
struct mpg_noise_block {
    double from_ns, to_ns; /* within 0..span */
    size_t first, detours; /* which of struct mpg_noise_blocks' detours */
};

/* What is kept of a record that is too long. Of its longest detours the core has all; of
 * the others there are those in some blocks, spread over the record, which hold the
 * longest ones of their time as well. */
struct mpg_noise_blocks {
    size_t recorded;   /* how many detours the record had; 0: the core has all of them */
    double least_ns;   /* the core's detours are all that last so long; > 0 if it has any */
    size_t n;          /* blocks, ascending, >= 1 unless recorded is 0 */
    struct mpg_noise_block *block;
    size_t detours;    /* of all blocks */
    double *start_ns, *duration_ns; /* from the record's start, as the core's */
    uint8_t *off;      /* as the core's; NULL unless it knows */
};

/* Recorded interruptions of one core, in time order, not overlapping. */
struct mpg_noise_core {
    char *host;             /* NULL: the header's only one, before all others */
    int core;
    int cores_at_once;      /* measured at the same time; 0: not said */
    double threshold_ns;    /* shorter interruptions were not seen */
    double span_ns;         /* length of the record; 0: no record, only FTQ data */
    size_t detours;
    double *start_ns, *duration_ns; /* start in [0, span); start + duration <= span */
    bool off_known;         /* whether it is known which detours are preemption or theft */
    uint8_t *off;           /* of each detour 1: for half of it or longer the thread was off the CPU,
                             * preempted or stolen by a hypervisor; 0: it was interrupted on the
                             * CPU. NULL unless off_known */
    struct mpg_noise_blocks blocks; /* where DETOURS are the longest only */
    double offset_ns;  /* >= 0: when the record began, after the earliest of those together with it */
    bool together;     /* measured at the same time as the host's other cores, on one clock */
    double alone_lost; /* fraction lost when measured one by one; -1: not measured */
    double fraction_lost;           /* of the whole record: durations / span; without one 0 */
    double fraction_off;            /* of the whole record: time off the CPU / span, exactly, at
                                     * most fraction_lost; the difference is lost to
                                     * interruptions. 0 unless off_known */
    struct mpg_distribution *gap_ns, *length_ns; /* NULL with fewer than 2 detours */
    struct mpg_noise_quanta ftq, fwq;
    struct mpg_noise_series series;    /* time lost per FTQ quantum over time, ns */
    struct mpg_noise_series spectrum;  /* of that: power spectral density, ns^2/Hz */
    double false_alarm;                /* stated for the spectrum's lines; 0: not said */
    size_t lines;                      /* descending in amplitude */
    struct mpg_noise_line *line;
    size_t lags;                       /* autocorrelation of FTQ's time lost at lag 1..lags */
    double *autocorrelation;
    size_t events;                     /* context switches, interrupts, steal time: as recorded */
    struct mpg_fact *event;
};

/* ---- network ---- */

enum mpg_path_class { MPG_PATH_COMPLEX, MPG_PATH_NODE, MPG_PATH_BETWEEN, MPG_PATHS };

/* The same time of each launch by itself. */
struct mpg_launches {
    size_t n;                     /* 0: there was one only, or they are not kept; else >= 2 */
    struct mpg_distribution **ns; /* N of them; the same order for all sizes of a path */
};

/* What successive messages have in common: some stretches of the samples in the order in
 * which they were measured, each sample as its probability among those of its launch and
 * pair. What is kept of that is one of few classes; U follows from these. */
struct mpg_rows {
    size_t blocks, length; /* 0 blocks: not kept */
    char *classes;         /* blocks x length letters, mpg_rows_class(); not terminated */
    double *u;             /* blocks x 2 length, each block twice in succession, so that length elements
                            * from any of its first on wrap around: (k + 1/2) / (blocks x length), each k
                            * from 0 on of one element; lower in a lower class */
};

enum { MPG_ROWS_CLASSES = 64 };

/* The class 0..MPG_ROWS_CLASSES - 1 that LETTER stands for (base64's: RFC 4648), or -1. */
int mpg_rows_class(char letter);
/* The letter of CLASS. */
char mpg_rows_letter(int class);
/* Fills ROWS' u from its classes, which are valid letters. Member j (from 0, in order) of the
 * N of a class has rank (j s + s / 2) mod N within it, s the least whole number from
 * max(1, 0.618 N) on that has no common divisor with N. Errors: out of memory. */
int mpg_rows_expand(struct mpg_rows *rows, struct mpg_error *err);

/* Times for messages of one size. */
struct mpg_network_size {
    int64_t size_bytes;
    struct mpg_distribution *time_ns;
    struct mpg_launches launches;
    struct mpg_rows rows;
};

struct mpg_network_sizes {
    int64_t eager_bytes;            /* up to this size sent by one protocol, above it by another: the
                                     * path's eager limit. 0: by one, or it is not known */
    size_t n;                       /* ascending in size */
    struct mpg_network_size *size;
};

/* One launch or one pair of ranks: is it like the others? */
struct mpg_network_group {
    char *name;         /* "launch 2"; "ranks 0 and 3; hosts a and b; cores 0 and 1" */
    size_t n;           /* samples at that size, >= 1 */
    int64_t size_bytes; /* the size at which groups are compared */
    double median_ns;   /* of the round trip */
    double score;       /* modified z by median absolute deviation; finite */
    int outlier;        /* 0 or 1; outliers are flagged, their samples are used */
};

/* Messages between two ranks whose places are alike. */
struct mpg_network_path {
    enum mpg_path_class path;
    char *one_way;            /* how one-way times were got; NULL without latencies */
    double one_way_error_ns;  /* bound of the clocks' error; 0: clocks are one, or not used */
    double one_way_misfit;    /* of the deconvolution that they come from, the worst of all sizes:
                               * Kolmogorov-Smirnov, 0..1; 0: there was none */
    struct mpg_network_sizes latency;    /* one way */
    struct mpg_network_sizes round_trip;
    struct mpg_network_sizes bandwidth;  /* transfer of one message by itself */
    struct mpg_network_sizes sender;     /* inside the send */
    struct mpg_network_sizes send_overhead; /* o_s: how long a send that waits for nobody keeps
                                             * its caller; n = 0: not measured */
    struct mpg_network_sizes receive_overhead; /* o_r: how long it takes to complete a receive
                                                * whose message lies ready; n = 0: not measured */
    struct mpg_network_sizes streaming;  /* a message among many in flight */
    int64_t window;            /* messages in flight when streaming; 0 without streaming */
    int64_t eager_limit_bytes; /* MPG_EAGER_LIMIT_UNKNOWN: not detected; -1: no send is eager */
    struct mpg_loggp loggp;
    size_t launches, pairs;
    struct mpg_network_group *launch, *pair;
};

struct mpg_collective_time {
    char *operation;       /* barrier, bcast, reduce, allreduce, gather, allgather, scatter, alltoall,
                            * scan; of reductions: reduce_local, reduce_sent */
    int processes;         /* >= 1 */
    int64_t size_bytes;    /* one rank's contribution */
    struct mpg_distribution *time_ns; /* from the common start to the last rank's end; of reductions:
                                       * one call's on one rank */
    struct mpg_launches launches;
};

/* ---- compute ---- */

struct mpg_compute_rate {
    char *kernel, *unit;   /* "floating_point", "flop/s" */
    char *host;            /* NULL: the header's only one, before all others */
    int core, cores_at_once;
    struct mpg_distribution *rate; /* of unit's things, per second; >= 0 */
};

/* ---- whether it was measured well ---- */

/* What a failed check is about, a bit each: computation with its noise, messages between two
 * ranks, collective operations, rates of computation. */
enum mpg_signature_part {
    MPG_PART_NOISE = 1, MPG_PART_MESSAGES = 2, MPG_PART_COLLECTIVES = 4, MPG_PART_RATES = 8,
    MPG_PART_ALL = 15
};

/* A check of the results that failed (sigmake --check). */
struct mpg_signature_failure {
    int parts;    /* bits of what it is about; not 0 */
    double moves; /* by how much it can move these parts of a prediction: as a part of the time of
                   * computation, of messages, of collectives, or of rates; -1: not known */
    char *check;  /* what it is about: "short record" */
    char *found;  /* what was found: "detour-core0.samples: a record of 4 s" */
    char *remedy; /* what to do about it */
};

struct mpg_signature {
    char *path;               /* where it was read from; NULL if it was not read */
    size_t facts;
    struct mpg_fact *fact;
    int checks;               /* how many checks its results underwent; 0: none, or not said */
    size_t failures;          /* how many of them failed */
    struct mpg_signature_failure *failure;
    size_t sources;           /* results files it was made from: name, checksum */
    struct mpg_fact *source;
    size_t cores;             /* ascending in host (by its bytes), core */
    struct mpg_noise_core *core;
    size_t paths;             /* ascending in class, each once */
    struct mpg_network_path *network;
    size_t collectives;       /* ascending in operation (by its bytes), processes, size */
    struct mpg_collective_time *collective;
    size_t reductions;        /* the same order; 0: not measured, as in versions before 4.2 */
    struct mpg_collective_time *reduction; /* arithmetic without messages, by as many ranks at once as
                                            * PROCESSES says */
    size_t rates;             /* ascending in kernel, cores at once, host, core */
    struct mpg_compute_rate *rate;
};

/* The class in words: "core complex", "node", "between nodes". Static storage. */
const char *mpg_path_name(enum mpg_path_class path);
/* The class whose name TEXT is, or MPG_PATHS. */
enum mpg_path_class mpg_path_find(const char *text);
/* SIG's path of class PATH, or NULL. */
const struct mpg_network_path *mpg_signature_path(const struct mpg_signature *sig,
                                                  enum mpg_path_class path);
/* The farthest path that SIG has, which is what most messages of a large run
 * take; NULL when it has none. */
const struct mpg_network_path *mpg_signature_farthest(const struct mpg_signature *sig);

/* How long, in ns, one rank takes to add a vector of SIZE_BYTES (>= 0, finite) of doubles to
 * another one, the arithmetic of one step of a reduction: the median time of one call of
 * MPI_Reduce_local (MPI standard 4.0, 6.9.7) with MPI_SUM and MPI_DOUBLE. Of the numbers of ranks
 * that did it at once, the greatest measured counts. Between measured sizes it is linear in bytes;
 * below the least size it is that size's; above the greatest it continues with the slope of the
 * last two sizes, at least 0 (of one size: with its time a byte). 0 where SIZE_BYTES is 0 or SIG
 * has no such measurement. */
double mpg_signature_reduction_ns(const struct mpg_signature *sig, double size_bytes);
/* The same of a vector that this rank has just sent to another rank, which sent the one that is added:
 * recursive doubling adds so. What the other one has read its core must give up first. The same as
 * mpg_signature_reduction_ns() where SIG has no such measurement. */
double mpg_signature_reduction_sent_ns(const struct mpg_signature *sig, double size_bytes);
/* The number of samples of mpg_signature_reduction_ns() of which the median at the size nearest below SIZE_BYTES is, or of the
 * least size; 0 where SIG has none. */
size_t mpg_signature_reduction_samples(const struct mpg_signature *sig, double size_bytes);

/* Whether SIG was measured well, in BUF of SIZE bytes, which it returns: "28 checks
 * passed", "3 of 28 checks failed: other load, short record, few launches" (of many the
 * first ones), or "not checked" where SIG does not say. */
char *mpg_signature_verdict(const struct mpg_signature *sig, char *buf, size_t size);

/* By how much FAILURE can move a prediction, in BUF of SIZE bytes, which it returns: "can move
 * computation by 1.2 %", or empty where that is not known. */
char *mpg_signature_effect(const struct mpg_signature_failure *failure, char *buf, size_t size);
/* How many of SIG's failed checks are about any of PARTS; in BUF of SIZE bytes their names with
 * what each can move, as many as fit: "uncertain noise (can move computation by 1.6 %), few
 * launches". */
size_t mpg_signature_concerns(const struct mpg_signature *sig, int parts, char *buf, size_t size);
/* The word for each part in files: "computation", "messages", "collectives", "rates". NULL after
 * the last. BIT counts from 0. */
const char *mpg_signature_part_name(int bit);

/* How many detours CORE's record had, whether all of them are kept or not. */
size_t mpg_noise_core_recorded(const struct mpg_noise_core *core);

/* Reads and checks a signature file ("-": standard input); NULL and ERR naming
 * PATH and the key if it cannot be read, is no signature, is damaged, or has
 * another major version. Unknown keys are ignored. The caller frees the result. */
struct mpg_signature *mpg_signature_load(const char *path, struct mpg_error *err);
/* The same of BYTES bytes TEXT; NAME is what its `path` becomes. */
struct mpg_signature *mpg_signature_parse(const char *text, size_t bytes, const char *name,
                                          struct mpg_error *err);

/* Writes SIG as JSON, every number so that reading it back gives the same bits.
 * The caller flushes and closes STREAM. Errors: SIG fails mpg_signature_check()
 * (nothing is written), out of memory, a failed write. */
int mpg_signature_write(const struct mpg_signature *sig, FILE *stream, struct mpg_error *err);

/* Checks every promise the comments above make about SIG, and the caps. */
int mpg_signature_check(const struct mpg_signature *sig, struct mpg_error *err);

/* That CORE's detours are in time order, do not overlap, and end within the span; however
 * many there are. */
int mpg_noise_detours_check(const struct mpg_noise_core *core, struct mpg_error *err);

/* The same as mpg_signature_check() for one core. */
int mpg_noise_core_check(const struct mpg_noise_core *core, struct mpg_error *err);

/* Computes what follows from CORE's detours, which must be its whole record:
 * fraction_lost, and gap_ns and length_ns where they are NULL and there are at least 2
 * detours. CORE keeps ownership; on failure it is unchanged. */
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

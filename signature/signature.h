/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A machine's signature, written by sigmake and sampled by mpgsim. Does not change once loaded. Units are part of
 * the names. The file format: mpgsig(5). */
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

/* Major and minor version of the file format. A reader accepts major versions 1 to 4 with any minor version. */
enum { MPG_SIGNATURE_VERSION = 4, MPG_SIGNATURE_MINOR = 8 };

/* Limits of a signature. A file that exceeds any of them is rejected as a whole. */
enum {
    MPG_SIGNATURE_MAX_FACTS = 4096,     /* number of header lines */
    MPG_SIGNATURE_MAX_SOURCES = 262144, /* number of listed results files */
    MPG_SIGNATURE_MAX_CORES = 65536,
    MPG_SIGNATURE_MAX_DETOURS = 1000000, /* maximum number of detours of a core */
    MPG_SIGNATURE_MAX_BLOCKS = 4096,     /* maximum number of blocks of a core's record */
    MPG_SIGNATURE_MAX_FAILURES = 1024,   /* number of failed checks */
    /* Largest number of detours that the packed data of a file may hold: MAX_PACKED, plus MAX_PACKED_A_BYTE for each byte of
     * packed data. */
    MPG_SIGNATURE_MAX_PACKED = 1000000, MPG_SIGNATURE_MAX_PACKED_A_BYTE = 8,
    MPG_SIGNATURE_MAX_SIZES = MPG_LOGGP_MAX_SIZES, /* number of message sizes of a benchmark */
    MPG_SIGNATURE_MAX_LIST = 65536,      /* number of lines, lags, values of a series, pairs, launches, collectives, reductions,
                                            rates, points of sharing curves */
    MPG_SIGNATURE_MAX_LAUNCHES = 1024,   /* maximum number of launches of a quantity */
    MPG_SIGNATURE_MAX_ROWS = 1048576,    /* number of kept samples (blocks x length) of a message size */
};

enum { MPG_EAGER_LIMIT_UNKNOWN = -2 };

struct mpg_fact { /* a header line about the machine or the measurement */
    char *key, *value;
};

/* ---- noise ---- */

/* A significant line in the power spectrum of time lost per quantum. */
struct mpg_noise_line {
    double frequency_hz;     /* > 0 */
    double amplitude_ns;     /* amplitude of the sinusoid, in ns lost per quantum */
    double harmonic_of_hz;   /* frequency of the fundamental of which this line is a harmonic; 0: the line is a fundamental */
    /* p-value: the probability that a spectrum of pure noise has a line of this power at any frequency */
    double false_alarm;
};

/* Equally spaced values >= 0, reduced in number for plots. */
struct mpg_noise_series {
    double step;             /* distance of the values, > 0: ns for a series in time, Hz for a spectrum */
    size_t n;                /* number of values; 0: no series */
    double *mean, *max;      /* mean and maximum within each step; value i is for the step that begins at i * step */
};

/* Time lost per quantum of fixed time or fixed work. */
struct mpg_noise_quanta {
    double quantum_ns;                /* length of a time quantum, or minimum time of a work quantum; 0: not measured */
    struct mpg_distribution *lost_ns; /* time lost in a quantum; NULL: not measured */
};

/* A block: consecutive detours and the time between them. A block begins at the end of the detour before the first detour of the
 * block and ends with the block's last detour. */
struct mpg_noise_block {
    double from_ns, to_ns; /* within 0..span_ns of the core */
    size_t first, detours; /* the block's detours are FIRST to FIRST + DETOURS - 1 of struct mpg_noise_blocks */
};

/* The sampled part of a truncated record. The core itself keeps all of the longest detours. Blocks spread over the
 * record hold the shorter detours; a long detour within a block is in both. */
struct mpg_noise_blocks {
    size_t recorded;   /* number of detours in the whole record; 0: the record is not truncated */
    /* struct mpg_noise_core has all detours of at least this length; > 0 if struct mpg_noise_core has detours */
    double min_ns;
    size_t n;          /* number of blocks, which are in time order; >= 1 unless RECORDED is 0 */
    struct mpg_noise_block *block;
    size_t detours;    /* number of detours in all blocks */
    double *start_ns, *duration_ns; /* for each detour in the blocks, in time order; times from the record's start */
    uint8_t *mark;     /* for each detour in the blocks: as mpg_noise_core.mark; NULL: unknown */
};

enum { MPG_SIGNATURE_MAX_CAUSES = 64 };

/* Recorded interruptions of a core, in time order, not overlapping. */
struct mpg_noise_core {
    char *host;             /* NULL: the only host, which the header names; sorts before all names */
    int core;
    int cores_at_once;      /* number of cores measured at once; 0: unknown */
    double threshold_ns;    /* shortest interruption that was recorded */
    double span_ns;         /* length of the record; 0: no record, only FTQ data */
    size_t detours;
    double *start_ns, *duration_ns; /* start within [0, span); start + duration <= span */
    bool off_known;         /* true: MARK tells which detours were off the CPU */
    uint8_t *mark;          /* for each detour 2 * cause + 1 if the thread was off the CPU (preempted or stolen by a hypervisor)
                             * for at least half of the detour, 2 * cause if interrupted on the CPU. NULL unless off_known */
    size_t causes;          /* number of causes; 0: unknown, and all causes in MARK are 0; only if off_known */
    char **cause;           /* names of the causes, at most MPG_SIGNATURE_MAX_CAUSES; [0]: not seen by the kernel */
    struct mpg_noise_blocks blocks; /* for a truncated record */
    double offset_ns;  /* >= 0: start of the record relative to the earliest record measured at once */
    bool together;     /* measured at once with the host's other cores, on a common clock */
    double alone_lost; /* fraction lost when measured alone; -1: not measured */
    double fraction_lost;           /* of the whole record: sum of durations / span; 0 without a record */
    double fraction_off;            /* of the whole record: off-CPU time / span, <= fraction_lost; the difference was lost to
                                       interruptions on the CPU. 0 unless off_known */
    struct mpg_distribution *gap_ns, *length_ns; /* times between detours, and durations; NULL with fewer than 2 detours */
    struct mpg_noise_quanta ftq, fwq;
    struct mpg_noise_series series;    /* time lost per FTQ quantum over time */
    struct mpg_noise_series spectrum;  /* power spectral density of the time lost per FTQ quantum, ns^2/Hz */
    double false_alarm;                /* p-value threshold of the lines; 0: unknown */
    size_t lines;                      /* number of spectral lines, descending in amplitude */
    struct mpg_noise_line *line;
    size_t lags;                       /* number of lags; AUTOCORRELATION of FTQ's lost time at lags 1 to LAGS */
    double *autocorrelation;
    size_t events;                     /* number of header lines about context switches, interrupts, steal time, recorded by the
                                        * benchmarks */
    struct mpg_fact *event;
};

/* ---- network ---- */

enum mpg_path_class { MPG_PATH_COMPLEX, MPG_PATH_NODE, MPG_PATH_BETWEEN, MPG_PATHS };

/* A separate distribution for each launch. */
struct mpg_launches {
    size_t n;                     /* 0: a single launch, or not kept; else >= 2 */
    struct mpg_distribution **ns; /* N distributions; all message sizes of a path have the launches in a common order */
};

/* How successive messages depend on each other: some runs (blocks) of samples in time order. A sample is stored as its
 * probability among the samples of its launch and pair, rounded to a class of probabilities. */
struct mpg_rows {
    size_t blocks, length; /* number of runs, and of samples in a run; 0 blocks: no runs */
    char *classes;         /* BLOCKS x LENGTH letters, see mpg_rows_class(); not terminated */
    double *u;             /* probabilities made from CLASSES, 2 LENGTH for each block: the block twice, so that LENGTH values
                              from any start within the block wrap around. A value is (k + 1/2) / (BLOCKS x LENGTH); each k >= 0
                              occurs once in all blocks, and k ascends with the class */
};

enum { MPG_ROWS_CLASSES = 64 };

/* Returns the class, 0 to MPG_ROWS_CLASSES - 1, encoded as LETTER (base64 alphabet, RFC 4648); -1: no such letter. */
int mpg_rows_class(char letter);
/* Returns the letter that encodes CLASS. */
char mpg_rows_letter(int class);
/* Makes ROWS->u from ROWS->classes, which are valid letters. Member j (from 0, in order) of the N members of a class gets rank (j
 * s + s / 2) mod N within the class, where s is the least integer >= max(1, 0.618 N) that is coprime to N. Errors: out of
 * memory. */
int mpg_rows_expand(struct mpg_rows *rows, struct mpg_error *err);

/* Times of messages of one size. */
struct mpg_network_size {
    int64_t size_bytes;
    struct mpg_distribution *time_ns;
    struct mpg_launches launches;
    struct mpg_rows rows;
};

struct mpg_network_sizes {
    int64_t eager_bytes;            /* the path's eager limit: there the protocol changes, and times jump; 0: a single protocol,
                                     * or unknown */
    size_t n;                       /* number of sizes, which ascend */
    struct mpg_network_size *size;
};

/* A launch, or a pair of ranks, compared with all launches or pairs of its path class. */
struct mpg_network_group {
    char *name;         /* "launch 2"; "ranks 0 and 3; hosts a and b; cores 0 and 1" */
    size_t n;           /* number of samples at size_bytes, >= 1 */
    int64_t size_bytes; /* message size at which launches or pairs are compared */
    double median_ns;   /* median round trip of the launch or pair */
    double score;       /* modified z-score of the median, by median absolute deviation; finite */
    int outlier;        /* 1: the launch or pair is an outlier (its samples are used nevertheless); else 0 */
};

/* One-sided operations (MPI-3.1 chapter 11). A lock is a shared lock and the unlock after a put, a fence ends an epoch with a
 * put on one of two ranks; the target waits inside MPI. */
enum mpg_one_sided {
    MPG_ONE_SIDED_PUT, MPG_ONE_SIDED_GET, MPG_ONE_SIDED_ACCUMULATE, MPG_ONE_SIDED_FETCH_AND_OP, MPG_ONE_SIDED_LOCK,
    MPG_ONE_SIDED_FENCE, MPG_ONE_SIDED_OPERATIONS
};

/* Times of an operation by size; n = 0: not measured. Both lists have the same sizes. */
struct mpg_one_sided_times {
    struct mpg_network_sizes call;     /* time inside the call that starts the operation (lock: inside the lock) */
    struct mpg_network_sizes complete; /* time inside the flush, unlock or fence after it */
};

/* The rank that computes during a transfer. */
enum mpg_overlap_side { MPG_OVERLAP_SEND, MPG_OVERLAP_RECEIVE, MPG_OVERLAP_SIDES };

/* A transfer progresses while a rank computes if more than this share of the transfer is hidden. */
#define MPG_OVERLAP_MATTERS 0.5

/* Overlap of transfers with computation of one of both ranks, by size; n = 0: not measured. Both lists have the same sizes. */
struct mpg_overlap {
    struct mpg_network_sizes alone; /* time of the transfer without computation */
    struct mpg_network_sizes share; /* not a time: the share of ALONE that the computation hides, 0 to 1 */
};

/* Message times between two ranks of a path class. */
struct mpg_network_path {
    enum mpg_path_class path;
    char *one_way;            /* how the one-way times were obtained; NULL: no one-way times */
    double one_way_error_ns;  /* largest error of the clocks; 0: a common clock, or the clocks were not used */
    double one_way_misfit;    /* largest misfit of the deconvolution over all sizes (Kolmogorov-Smirnov, 0..1); 0: no
                                 deconvolution */
    struct mpg_network_sizes latency;    /* one-way time */
    struct mpg_network_sizes round_trip;
    struct mpg_network_sizes bandwidth;  /* time until a single message has arrived */
    struct mpg_network_sizes sender;     /* time inside the send of the bandwidth benchmark */
    struct mpg_network_sizes send_overhead; /* o_s: time inside a send that does not wait; n = 0: not measured */
    struct mpg_network_sizes receive_overhead; /* o_r: time to complete a receive of an arrived message; n = 0: not measured */
    struct mpg_network_sizes streaming;  /* time per message in a stream of messages */
    struct mpg_one_sided_times one_sided[MPG_ONE_SIDED_OPERATIONS];
    struct mpg_overlap overlap[MPG_OVERLAP_SIDES];
    int64_t window;            /* largest number of messages in flight in a stream; 0: no streams */
    int64_t eager_limit_bytes; /* MPG_EAGER_LIMIT_UNKNOWN: not detected; -1: every send waits for its receive */
    struct mpg_loggp loggp;
    size_t launches, pairs;
    struct mpg_network_group *launch, *pair;
};

struct mpg_collective_time {
    char *operation;       /* barrier, bcast, reduce, allreduce, gather, allgather, scatter, alltoall, scan; of reductions:
                              reduce_local, reduce_sent */
    int processes;         /* number of processes, >= 1; of reductions: number of ranks at once */
    int64_t size_bytes;    /* bytes that a rank contributes */
    /* time from the common start to the last rank's end; for reductions, time of a call on a single rank */
    struct mpg_distribution *time_ns;
    struct mpg_launches launches;
};

/* ---- sharing ---- */

/* Streams of several pairs of ranks at once, whose messages share the ports of two nodes, or the memory of a node. */
struct mpg_sharing_point {
    enum mpg_path_class path; /* MPG_PATH_BETWEEN: all pairs connect two nodes; else all pairs are within one node */
    bool both;                /* each pair sends in both directions at once; false: in one direction */
    int64_t size_bytes;       /* size of the messages */
    int pairs;                /* number of pairs, >= 1 */
    /* sum of the rates of all pairs (and directions), bytes/s, > 0 at the median; of leads a time, ns, >= 0 */
    struct mpg_distribution *value;
};

/* ---- compute ---- */

struct mpg_compute_rate {
    char *kernel, *unit;   /* "floating_point", "flop/s" */
    char *host;            /* NULL: the only host of the header; sorts first */
    int core, cores_at_once;
    struct mpg_distribution *rate; /* rate in UNIT, >= 0 */
    size_t launches;     /* number of elements of LAUNCH_MEAN; 0: a single launch; else >= 2 */
    double *launch_mean; /* mean rate of each launch, >= 0 */
};

/* ---- quality of the measurement ---- */

/* Parts of a prediction that a failed check can affect, a bit each: computation and noise, messages between two ranks,
 * collective operations, computation rates. */
enum mpg_signature_part {
    MPG_PART_NOISE = 1, MPG_PART_MESSAGES = 2, MPG_PART_COLLECTIVES = 4, MPG_PART_RATES = 8,
    MPG_PART_ALL = 15
};

/* A failed quality check of the results (sigmake --check). */
struct mpg_signature_failure {
    int parts;    /* bits of enum mpg_signature_part, not 0 */
    double moves; /* possible change of PARTS, relative to the time of computation, messages or collectives, or to rates; -1:
                   * unknown */
    char *check;  /* name of the check: "short record" */
    char *found;  /* the finding: "detour-core0.samples: a record of 4 s" */
    char *remedy; /* action against the cause: "start at most one rank per core" */
};

struct mpg_signature {
    char *path;               /* name of the file read; NULL: not from a file */
    size_t facts;
    struct mpg_fact *fact;
    int checks;               /* number of quality checks made; 0: none, or unknown */
    size_t failures;          /* number of failed checks */
    struct mpg_signature_failure *failure;
    size_t sources;           /* number of results files; name and checksum of each */
    struct mpg_fact *source;
    size_t cores;             /* number of cores, ascending in host (by bytes), then core */
    struct mpg_noise_core *core;
    size_t paths;             /* number of path classes, ascending, without duplicates */
    struct mpg_network_path *network;
    size_t device_paths;      /* number of path classes with times of messages between the memories of GPUs; ascending */
    struct mpg_network_path *device; /* only pingpong's and bandwidth's quantities */
    size_t collectives;       /* number of collectives, ascending in operation (by bytes), processes, size */
    struct mpg_collective_time *collective;
    size_t reductions;        /* number of reductions, ordered as collectives; 0: not measured, or a file before version 4.2 */
    struct mpg_collective_time *reduction; /* arithmetic without messages, on PROCESSES ranks at once */
    size_t sharings;          /* number of points of sharing curves, ascending in path, one direction before both, size, pairs; 0:
                               * not measured, or a file before version 4.4 */
    struct mpg_sharing_point *sharing;
    size_t opposites;         /* number of points of opposite messages, ascending in path, size, pairs; 0: not measured, or a file
                               * before version 4.6 */
    /* A message that begins when an opposite message has used a quarter of its own time: the value is the size over the time of
     * the later message. PAIRS is 1 (the messages are of one pair of ranks) or 2 (of two pairs between the same nodes, or at the
     * same placement). */
    struct mpg_sharing_point *opposite;
    size_t leads;             /* number of points of leads, ascending in path, size, pairs; 0: not measured, or a file before
                               * version 4.8 */
    /* Messages of PAIRS pairs that begin together, in one direction: the value is the time from the first end to the last. */
    struct mpg_sharing_point *lead;
    size_t rates;             /* number of rates, ascending in kernel, cores at once, host, core */
    struct mpg_compute_rate *rate;
};

/* Returns path I of SIG, of the PATHS classes of the host's memory and then the DEVICE_PATHS of GPUs. */
static inline struct mpg_network_path *mpg_signature_each_path(const struct mpg_signature *sig, size_t i)
{
    return i < sig->paths ? &sig->network[i] : &sig->device[i - sig->paths];
}

/* Returns the name of a path class: "core complex", "node", "between nodes". A constant string. */
const char *mpg_path_name(enum mpg_path_class path);
/* Returns the path class with name TEXT; MPG_PATHS: unknown name. */
enum mpg_path_class mpg_path_find(const char *text);
/* Returns SIG's data of path class PATH; NULL: not measured. */
const struct mpg_network_path *mpg_signature_path(const struct mpg_signature *sig,
                                                  enum mpg_path_class path);
/* Returns SIG's data of the farthest path class with measurements: most messages of a large run take the farthest path. NULL: SIG
 * has no paths. */
const struct mpg_network_path *mpg_signature_farthest(const struct mpg_signature *sig);
/* Returns the name of a one-sided operation: "put", "fetch_and_op". A constant string. */
const char *mpg_one_sided_name(enum mpg_one_sided operation);
/* Returns the operation with name TEXT; MPG_ONE_SIDED_OPERATIONS: there is none. */
enum mpg_one_sided mpg_one_sided_find(const char *text);
/* Returns the name of SIDE: "send", "receive". */
const char *mpg_overlap_name(enum mpg_overlap_side side);
/* Returns the side with name TEXT; MPG_OVERLAP_SIDES: there is none. */
enum mpg_overlap_side mpg_overlap_find(const char *text);
/* Returns on which side of MPG_OVERLAP_MATTERS the median of SHARE is: 1 above, -1 at or below; 0 if its 95 % interval includes
 * both sides. An interval without an end ends at the 5 or 95 % quantile. */
int mpg_overlap_decides(const struct mpg_distribution *share);
/* The first MPG_NETWORK_TIMES lists are times that simulations draw. */
enum { MPG_NETWORK_TIMES = 7 + 2 * MPG_ONE_SIDED_OPERATIONS, MPG_NETWORK_LISTS = MPG_NETWORK_TIMES + 2 * MPG_OVERLAP_SIDES };
/* Fills LIST with all lists of sizes of P: latency, round_trip, bandwidth, sender, send_overhead, receive_overhead,
 * streaming, and the two of each one-sided operation. */
void mpg_network_lists(struct mpg_network_path *p, struct mpg_network_sizes *list[MPG_NETWORK_LISTS]);

/* Returns the time, ns, in which a rank adds a vector of SIZE_BYTES (>= 0, finite) of doubles to another vector, the arithmetic
 * of a reduction step: the median of a call of MPI_Reduce_local (MPI standard 4.0, 6.9.7) with MPI_SUM and MPI_DOUBLE, for the
 * largest measured number of ranks at once. Linear in bytes between measured sizes; constant below the smallest size; above the
 * largest size continued with the slope of the last two sizes, at least 0 (for a single size, its time per byte). 0 if SIZE_BYTES
 * is 0 or SIG has no measured reductions. */
double mpg_signature_reduction_ns(const struct mpg_signature *sig, double size_bytes);
/* As mpg_signature_reduction_ns(), but the vector was just sent to another rank and is added to the vector received from that
 * rank, as in recursive doubling: the core must first fetch back the cache lines read by the other rank. If not measured, returns
 * mpg_signature_reduction_ns(). */
double mpg_signature_reduction_sent_ns(const struct mpg_signature *sig, double size_bytes);
/* Returns the number of samples behind mpg_signature_reduction_ns() at the measured size at or below SIZE_BYTES
 * (else the smallest); 0 without a measurement. */
size_t mpg_signature_reduction_samples(const struct mpg_signature *sig, double size_bytes);

/* Returns the capacity, bytes/s, of a resource shared by FLOWS (>= 1) simultaneous messages: of a port of a node, in one
 * direction (PATH is MPG_PATH_BETWEEN), or of the memory of a node (MPG_PATH_NODE). The sharing curve of PATH is the median
 * bandwidth of streams in one direction, of the largest measured size, against the number of pairs. Linear in FLOWS between
 * measured numbers; constant below the smallest and above the largest. INFINITY: SIG has no sharing curve of PATH. */
double mpg_signature_capacity(const struct mpg_signature *sig, enum mpg_path_class path, int flows);
/* Returns the largest number of pairs on the sharing curve of PATH (the capacity is constant above); 0: SIG has no sharing curve
 * of PATH. */
int mpg_signature_capacity_pairs(const struct mpg_signature *sig, enum mpg_path_class path);
/* Returns the number of points of SIG from FIRST on with FIRST's path, direction and size, ascending in pairs. */
size_t mpg_signature_curve_points(const struct mpg_signature *sig, size_t first);

/* Formats SIG's quality in BUF of SIZE bytes: "28 checks passed", "3 of 28 checks failed: other load, short
 * record, few launches" (truncated to the first), or "not checked". Returns BUF. */
char *mpg_signature_verdict(const struct mpg_signature *sig, char *buf, size_t size);

/* Formats the possible effect of FAILURE on a prediction in BUF of SIZE bytes: "can change computation by 1.2 %", or
 * empty if unknown. Returns BUF. */
char *mpg_signature_effect(const struct mpg_signature_failure *failure, char *buf, size_t size);
/* Returns the number of SIG's failed checks that affect any of PARTS. BUF of SIZE bytes gets names and effects of these checks,
 * the largest effect first, as many as fit: "uncertain noise (can change computation by 1.6 %), few launches". */
size_t mpg_signature_concerns(const struct mpg_signature *sig, int parts, char *buf, size_t size);
/* Returns the name of part BIT of enum mpg_signature_part (bit 0 first) in files: "computation", "messages",
 * "collectives", "rates"; NULL after the last. */
const char *mpg_signature_part_name(int bit);

/* Returns the number of detours in CORE's whole record, even if the record is truncated. */
size_t mpg_noise_core_recorded(const struct mpg_noise_core *core);

/* Noise of all measured cores together. */
struct mpg_noise_totals {
    size_t cores, together; /* number of measured cores; number of cores measured at once with the host's other cores */
    double lost, off, worst; /* 0 to 1: mean of fraction_lost over the cores, mean of fraction_off, largest fraction_lost */
    double longest_ns;       /* longest detour; 0: none recorded */
};

/* Returns the noise of SIG's measured cores; all 0: no core was measured. */
struct mpg_noise_totals mpg_signature_noise(const struct mpg_signature *sig);

/* Reads and checks signature file PATH ("-": standard input); if the file does not exist and PATH contains no folder, the
 * installed signature named PATH ("reference", with or without ".sig"). Ignores unknown keys. The caller frees the result. Errors
 * (NULL), naming PATH and the key: not readable, no signature, damaged, other major version. */
struct mpg_signature *mpg_signature_load(const char *path, struct mpg_error *err);
/* As mpg_signature_load(), but reads the BYTES bytes of TEXT; NAME becomes the signature's path. */
struct mpg_signature *mpg_signature_parse(const char *text, size_t bytes, const char *name,
                                          struct mpg_error *err);

/* Writes SIG as JSON to STREAM, with numbers that read back to equal bits. The caller flushes and closes STREAM.
 * Errors: SIG fails mpg_signature_check() (nothing is written), out of memory, write error. */
int mpg_signature_write(const struct mpg_signature *sig, FILE *stream, struct mpg_error *err);

/* Checks all invariants stated in this header, and the limits. */
int mpg_signature_check(const struct mpg_signature *sig, struct mpg_error *err);

/* Checks that CORE's detours are in time order, do not overlap and end within the span. Does not limit the number of detours. */
int mpg_noise_detours_check(const struct mpg_noise_core *core, struct mpg_error *err);

/* Checks all invariants and limits of a core stated in this header. Returns 0, or -1 with ERR. */
int mpg_noise_core_check(const struct mpg_noise_core *core, struct mpg_error *err);

/* Computes the values that follow from CORE's detours, which must be the whole record: fraction_lost; also gap_ns and length_ns,
 * if NULL and CORE has at least 2 detours. CORE owns the results; unchanged on failure. Errors: out of memory. */
int mpg_noise_core_derive(struct mpg_noise_core *core, struct mpg_error *err);

/* Returns the value of KEY among N facts; NULL: missing. */
const char *mpg_fact_find(const struct mpg_fact *fact, size_t n, const char *key);

/* Appends a fact with copies of KEY and VALUE to *FACT, an array of *N elements; increments *N. Errors: KEY or VALUE is not a
 * single line of UTF-8, out of memory. */
int mpg_fact_add(struct mpg_fact **fact, size_t *n, const char *key, const char *value,
                 struct mpg_error *err);
void mpg_fact_free(struct mpg_fact *fact, size_t n); /* also frees the array */

void mpg_signature_free(struct mpg_signature *sig); /* NULL is allowed */

#endif

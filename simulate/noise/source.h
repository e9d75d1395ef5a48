/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A machine's noise: kind of noise, cores, and each rank's core and starting point (docs/MODEL.md, section 3, and docs/NOISE.md).
 * mpg_noise_use() chooses the kind; other code only asks for times. Constant while a simulation runs. */
#ifndef MPG_NOISE_SOURCE_H
#define MPG_NOISE_SOURCE_H

#include <stdbool.h>
#include <stdint.h>

#include "common/error.h"
#include "signature/signature.h"
#include "simulate/draws/lane_code.h"
#include "simulate/noise/quanta.h"
#include "simulate/noise/rank_threads.h"
#include "simulate/noise/renewal.h"
#include "simulate/noise/replay.h"
#include "simulate/noise/resampled.h"

/* Co-scheduling: the ranks that begin at a common time of noise records: none, the ranks of a node, or all ranks. */
enum mpg_cosched { MPG_COSCHED_NONE, MPG_COSCHED_NODE, MPG_COSCHED_JOB, MPG_COSCHEDS };

/* The data from which a machine's noise is drawn. */
enum mpg_noise_model {
    MPG_NOISE_ANY,     /* detour records if recorded, else quanta */
    MPG_NOISE_REPLAY,  /* detour records */
    MPG_NOISE_ECDF,    /* quanta */
    MPG_NOISE_RENEWAL, /* detours drawn from the gaps and durations of the records */
    MPG_NOISE_FIT      /* detours drawn from families fitted to gaps and durations */
};

/* A core's data for the chosen kind. */
struct mpg_noise_of_core {
    struct mpg_quanta *quanta;
    struct mpg_renewal *renewal;
    struct mpg_replay *replay;
    struct mpg_resampled resampled; /* the record, resampled in blocks; only beside `replay` */
    double offset_ns; /* begin of the core's record on the host's clock, relative to the host's first record, ns */
    double off_cpu;   /* share of the record off the CPU, 0 to 1; -1: unknown */
};

struct mpg_noise_location {
    uint32_t core;  /* the core whose noise the rank meets */
    /* the first core of the host, whose starting point determines CORE's starting point; CORE itself if the rank starts
     * independently */
    uint32_t first;
    int32_t leader; /* the lowest rank among ranks with a common draw of the starting point */
};

struct mpg_noise_source {
    const struct mpg_noise_kind *kind; /* NULL: no noise */
    size_t cores;                      /* number of cores with data; 0: no noise */
    struct mpg_noise_of_core *core;
    size_t hosts;
    size_t *first_core; /* [host]: index of the host's first core; one more element: CORES */
    bool together;      /* the cores of each host were measured at the same time */
    enum mpg_cosched cosched;
    /* by rank, or by number of a thread (rank_threads.h); NULL: rank r has core r mod cores, and a separate draw */
    struct mpg_noise_location *location;
};

/* Positions of the last look-ups in the noise, to make the next look-ups cheap; results do not depend on positions. STATE holds
 * cursor_bytes for each of LANES replicas, zero at first; NULL: positions are not stored. AT: index among these replicas of a
 * call's first replica. */
struct mpg_noise_cursor {
    void *state;
    uint32_t lanes, at;
};

/* Work of one rank that begins in several replicas. */
struct mpg_begun_work {
    int32_t rank;
    uint64_t seed;
    const struct mpg_bootstrap_blocks *parts;    /* bootstrap blocks of records; NULL: records as measured */
    struct mpg_noise_cursor cursor;
    uint32_t n, first;                /* number of replicas with work; number of the cursor's first replica */
    const uint32_t *lane;             /* the replicas with work, without duplicates, as offsets from the cursor's first replica */
    /* for each of these replicas: begin of the work, ns after MPI_Init; length of the work, ns */
    const double *since_ns, *work_ns;
    double covered_ns;                /* a detour in progress at the begin of the work is skipped if begun at most covered_ns
                                       * before the work */
    /* by replica, from the cursor's first on: end of the last skipped detour, ns after MPI_Init; 0: none yet. NULL: no detour
     * is skipped */
    double *passed_ns;
};

/* A kind of noise: replay, quanta, renewal or fit (simulate/noise/kinds.c). */
struct mpg_noise_kind {
    const char *model;   /* name of the model in results; NULL: the default model, not named in results */
    size_t cursor_bytes; /* cursor memory per replica; 0: none */
    bool is_resampled;   /* the bootstrap resamples the records of this kind */
    bool has_detours;    /* noise consists of single detours: a detour that began in the call before can be skipped */
    bool is_drawn;       /* detours are drawn, not recorded: this kind cannot remove a source's noise */
    /* Fills CORE from FROM, one of CORES cores. Errors as in mpg_noise_use(). */
    int (*add)(struct mpg_noise_of_core *core, const struct mpg_noise_core *from, size_t cores, struct mpg_error *err);
    /* Returns the starting point of a rank in LOCATION for the draw U, ns, never inside a detour. */
    double (*start)(const struct mpg_noise_source *s, struct mpg_noise_location location, const uint8_t *part, double u);
    /* Writes the time of each replica of WORK, ns; exactly the work if nothing interrupts. */
    void (*time_for)(const struct mpg_noise_source *s, const struct mpg_begun_work *work, double *time_ns);
    /* Returns the work done, ns, in INTERVAL_NS from SINCE_NS after MPI_Init on; NULL: this noise is removed by compute-
     * interval classes. */
    double (*work_in)(const struct mpg_noise_source *s, uint64_t seed, int32_t rank, uint32_t replica, double since_ns,
                      double interval_ns);
    /* pass() finishes the replicas with uninterrupted work, as pass() of lane_code; fetch() prefetches the data of the next
     * time_for() into the cache, for N replicas LANE or, if LANE is NULL, for the first N. NULL: not available. */
    uint32_t (*pass)(struct mpg_noise_cursor cursor, double since_ns, double length_ns, const struct mpg_lane_work *work,
                     uint32_t n, double *delay_ns, uint32_t *lane);
    void (*fetch)(const struct mpg_noise_of_core *core, struct mpg_noise_cursor cursor, const uint32_t *lane, uint32_t n);
};

extern const struct mpg_noise_kind mpg_noise_replay, mpg_noise_quanta, mpg_noise_renewal, mpg_noise_fit;

/* Fills S with SIG's noise by MODEL; no noise if SIG lacks the data. SIG must outlive S. Errors: a core's noise leaves no time
 * for work; detours are to be drawn and SIG has no records, or no distributions or fits of gaps and durations; out of memory. */
int mpg_noise_use(struct mpg_noise_source *s, const struct mpg_signature *sig, enum mpg_noise_model model,
                  struct mpg_error *err);
/* Assigns RANKS ranks to cores; HOST[r] is the host of rank r, from 0. COSCHED: ranks that start together; MPG_COSCHEDS:
 * MPG_COSCHED_NODE if the records of a host were made at the same time, else MPG_COSCHED_NONE. THREADS: the threads of these
 * ranks, each of which gets a core, those of a rank in a row; NULL: ranks have one thread. Error: out of memory. */
int mpg_noise_place(struct mpg_noise_source *s, int32_t ranks, const int32_t *host, const struct mpg_rank_threads *threads,
                    enum mpg_cosched cosched, struct mpg_error *err);
struct mpg_noise_location mpg_noise_location_of(const struct mpg_noise_source *s, int32_t rank);
/* Returns true if A and B have equal records, made at equal times, and equal quanta. */
bool mpg_noise_same(const struct mpg_signature *a, const struct mpg_signature *b);
/* Returns the starting point of RANK in REPLICA, ns: in the rank's record with the blocks PART (NULL: as measured), or in the
 * first quantum; 0 if detours are drawn. */
double mpg_noise_start(const struct mpg_noise_source *s, const uint8_t *part, uint64_t seed, int32_t rank,
                       uint32_t replica);
/* Returns the fraction of time that a core with a record loses, with the blocks PART; NULL: with the record as measured. */
static inline double mpg_noise_lost(const struct mpg_noise_source *s, size_t core, const uint8_t *part)
{
    return mpg_resampled_lost(&s->core[core].resampled, part);
}

/* Describes S's noise, and the ranks that meet noise together, in TEXT of SIZE bytes. MANY: a phrase about S's hosts; LOST: the
 * lost fraction of time, as text. */
void mpg_noise_describe(const struct mpg_noise_source *s, const char *many, const char *lost, char *text, size_t size);
void mpg_noise_clear(struct mpg_noise_source *s);

#endif

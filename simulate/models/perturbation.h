/* SPDX-License-Identifier: GPL-3.0-or-later */
/* All changes of a run: nu, kappa, lambda, tau and rho of docs/MODEL.md, section 3, each from the command line or from
 * signatures. Message times are drawn in flights.h, overheads.h and collectives.h. Constant while a simulation runs. */
#ifndef MPG_PERTURBATION_H
#define MPG_PERTURBATION_H

#include <stdint.h>

#include "common/error.h"
#include "graph/graph.h"
#include "signature/signature.h"
#include "simulate/models/collectives.h"
#include "simulate/draws/draws.h"
#include "simulate/models/flights.h"
#include "simulate/models/overheads.h"
#include "simulate/models/path_fits.h"
#include "simulate/noise/histogram.h"
#include "simulate/noise/source.h"
#include "simulate/draws/spec.h"
#include "simulate/target/topology.h"

/* The edges with kappa: edges inside the call and into the call's end only, or also message edges, as in Sottile 2006, Eqs. 1 and
 * 2 (docs/MODEL.md, section 4). */
enum mpg_call_edges { MPG_CALL_EDGES_OWN, MPG_CALL_EDGES_PAPER };

struct mpg_perturbation {
    uint64_t seed;
    struct mpg_specs noise, call_noise, latency, byte; /* distributions from the command line; each is a sum */
    enum mpg_call_edges call_edges;
    double compute_ratio; /* rho > 0, outside regions with a separate ratio */
    bool counted_ratios;  /* the compute ratios come from processor counters of the trace */
    bool region_ratios;   /* a region has a separate ratio, stored in struct mpg_interval */
    bool regions_differ;  /* a region's ratio differs from 1 */
    bool changes_work;    /* a hypothesis changes compute intervals: ratio and more_ns in struct mpg_interval */
    bool resizes;         /* a hypothesis changes message sizes, in perturb mode (resize.h) */
    bool source_byte_given;  /* the command line gives source_byte_ns, the source's time per byte */
    double source_byte_ns;
    bool without_tracer;  /* the tracer's time between calls is subtracted */
    /* Signatures, for costs that the command line does not give; NULL: none. */
    const struct mpg_signature *target, *source;
    const struct mpg_network_path *target_path, *source_path; /* the path in each signature; may be NULL */
    enum mpg_time_model latency_model, byte_model; /* models of lambda and of tau(d) */
    struct mpg_path_fits target_fits, source_fits;
    enum mpg_noise_model noise_model;
    bool scales_noise;        /* the time that the target's noise takes is multiplied by noise_factor */
    double noise_factor;      /* applies if scales_noise, >= 0 */
    bool scales_call_noise;   /* noise inside calls is multiplied by call_noise_factor instead */
    double call_noise_factor; /* >= 0 */
    bool scales_messages;     /* the target is a copy by mpg_factors_apply(), with the factors, >= 0: */
    double latency_factor, byte_factor;
    bool call_noise_of_target; /* work inside calls meets the target's noise, too */
    struct mpg_noise_source target_noise, source_noise;
    size_t target_cores, source_cores; /* number of cores with a noise record */
    bool same_noise;        /* target and source have equal noise */
    const struct mpg_rank_threads *threads; /* threads of ranks; NULL: one each. Not owned */
    bool off_cpu_known;     /* the trace holds each rank's time off the CPU */
    struct mpg_bootstrap_blocks parts; /* blocks of noise records that each bootstrap sample consists of */
    /* LogGP parameters of messages and processors, in place of distributions and signatures; NULL: not used */
    const struct mpg_parameters *parameters;
    const struct mpg_processors *processors;
    bool work_alone;        /* predict mode: computation is CPU time, including local calls */
    bool calls_cost_nothing; /* predict mode: calls take only the time of their messages */
    bool ignores_collectives; /* measured collectives are not used */
    bool unperturbed;         /* messages of collectives take the source machine's times */
    const struct mpg_signature *reduces,
        *source_reduces;    /* signature with times of the arithmetic of reductions, on target and source; NULL: unknown */
    bool measurement_fixed; /* signatures are taken as exact: launches are not drawn */
    bool speed_recorded;    /* computation has the speed of the recording, in all runs (simulate/models/speed.h) */
    struct mpg_overhead_sizes overhead[MPG_OVERHEADS];
    struct mpg_measured_collectives meetings[MPG_OPERATIONS];
    bool predicts;          /* for predict mode: each path is fitted separately; the source is not used */
    bool every_path;        /* messages use the target's paths of all classes (--map) */
    bool every_source_path; /* messages used the source's paths of all classes (--source=map) */
    /* by replica: number that selects the replica's benchmark launch, 0 <= launch < 1; NULL: pooled launches */
    double *launch;
    uint32_t first_replica;
};

/* Takes noise and message times that P's distributions do not give from TARGET, minus SOURCE's; either may be NULL. Messages use
 * TARGET's path class PATH or, with MPG_PATHS, TARGET's farthest path. On the source messages use SOURCE_PATH or, if NULL, the
 * class used on the target, else the farthest path. The signatures must outlive P. Errors: TARGET has no path PATH; a fitted
 * model is requested and no family fits; out of memory. */
int mpg_perturbation_use(struct mpg_perturbation *p, const struct mpg_signature *target,
                         const struct mpg_signature *source, enum mpg_path_class path,
                         const struct mpg_network_path *source_path, struct mpg_error *err);
void mpg_perturbation_clear(struct mpg_perturbation *p);
/* The noise part of mpg_perturbation_use() and of mpg_perturbation_clear() (compute.c). */
int mpg_perturbation_use_noise(struct mpg_perturbation *p, struct mpg_error *err);
void mpg_perturbation_clear_noise(struct mpg_perturbation *p);
/* Tells P the host of each of RANKS ranks: HOST[r] on the target and TRACED[r] on the source, numbers from 0. Ranks of a host can
 * meet the host's noise at the same time (simulate/noise/source.h). Error: out of memory. */
int mpg_perturbation_noise_location(struct mpg_perturbation *p, int32_t ranks, const int32_t *host,
                                    const int32_t *traced, enum mpg_cosched cosched,
                                    struct mpg_error *err);

/* Draws the benchmark launches of replicas FIRST .. FIRST + N - 1; each pair of replicas shares a launch. Must be called before
 * the first draw; without this call replicas use pooled launches. Error: out of memory. */
int mpg_perturbation_measure(struct mpg_perturbation *p, uint32_t first, uint32_t n,
                             struct mpg_error *err);
/* Returns the value that selects REPLICA's launch, 0 <= value < 1; -1: pooled launches. */
static inline double mpg_perturbation_launch(const struct mpg_perturbation *p, uint32_t replica)
{
    return p->launch ? p->launch[replica - p->first_replica] : -1;
}

/* Returns the values of mpg_perturbation_launch() for all replicas, from FIRST on; NULL: pooled launches. */
static inline const double *mpg_perturbation_launches(const struct mpg_perturbation *p,
                                                      uint32_t first)
{
    return p->launch ? p->launch + (first - p->first_replica) : NULL;
}

/* Returns the bootstrap blocks of noise records for REPLICA; NULL: records as measured. */
static inline const uint8_t *mpg_perturbation_parts(const struct mpg_perturbation *p, uint32_t replica)
{
    return p->measurement_fixed ? NULL : p->parts.part[mpg_measurement_of(replica)];
}

/* How the uncertainty of the measurements enters the replicas. */
struct mpg_resampling {
    uint32_t launches; /* the smallest number of launches of any distribution; below 2: launches are not drawn */
    bool noise;        /* noise records are resampled by blocks */
    uint64_t seed;
};

/* Returns P's resampling. Must be called after mpg_perturbation_use(). */
struct mpg_resampling mpg_perturbation_resampling(const struct mpg_perturbation *p);

/* Return true if P takes latencies, or the time of bytes, from a signature. */
bool mpg_perturbation_latency_measured(const struct mpg_perturbation *p);
bool mpg_perturbation_bytes_measured(const struct mpg_perturbation *p);
/* These return true if P takes overheads, one-sided operations, or a collective, from a signature. */
bool mpg_perturbation_overheads_measured(const struct mpg_perturbation *p);
bool mpg_perturbation_one_sided_measured(const struct mpg_perturbation *p);
bool mpg_perturbation_collectives_measured(const struct mpg_perturbation *p);
/* Returns the time to reduce BYTES on the target or, if OF_SOURCE, on the source, ns; 0 if unknown. */
double mpg_perturbation_reduction(const struct mpg_perturbation *p, bool of_source, double bytes);
/* Returns true if P changes compute intervals, apart from subtracting the tracer's time. */
bool mpg_perturbation_changes_computation(const struct mpg_perturbation *p);
/* Return true if P takes noise from a signature; if the source's noise is removed from compute intervals; if target and source
 * have equal noise, so that compute intervals stay as traced. */
bool mpg_perturbation_noise_measured(const struct mpg_perturbation *p);
bool mpg_perturbation_noise_removed(const struct mpg_perturbation *p);
bool mpg_perturbation_noise_unchanged(const struct mpg_perturbation *p);
/* Returns true if time off the CPU is removed from intervals and calls: a target replaces the source machine. */
bool mpg_perturbation_removes_off_cpu(const struct mpg_perturbation *p);
/* Returns true if noise is neither added to compute intervals nor removed. */
bool mpg_perturbation_is_quiet(const struct mpg_perturbation *p);
/* Returns the factor to be multiplied with the ratio of each interval: rho, or 1 if intervals hold a ratio by region. */
static inline double mpg_perturbation_rho(const struct mpg_perturbation *p)
{
    return p->region_ratios ? 1 : p->compute_ratio;
}

/* Returns true if work inside calls meets the target's noise: it is requested, the target has noise, and the source's noise
 * differs or a factor is requested. */
bool mpg_perturbation_call_noise_measured(const struct mpg_perturbation *p);
/* Returns the memory of a noise cursor per replica, bytes, for the position of the last look-up. 0: the noise needs no cursor. */
size_t mpg_perturbation_cursor_bytes(const struct mpg_perturbation *p);
/* Returns true if the target has noise and measured message times: measured times then contain detours, too. */
bool mpg_perturbation_noise_covered(const struct mpg_perturbation *p);
/* Returns true if the source's noise is removed by compute-interval classes (simulate/evaluate/prepass/classes.h). */
bool mpg_perturbation_noise_by_class(const struct mpg_perturbation *p);
/* Returns true if the noise of compute intervals can differ between two replicas. */
bool mpg_perturbation_noise_is_random(const struct mpg_perturbation *p);
/* Returns true if PATH, which may be NULL, has transfer times of nonempty messages. */
bool mpg_perturbation_has_transfers(const struct mpg_network_path *path);
/* Returns true if two replicas can differ. */
bool mpg_perturbation_is_random(const struct mpg_perturbation *p);
/* Returns true if a message can become faster than traced. */
bool mpg_perturbation_can_speed_messages(const struct mpg_perturbation *p);

/* The functions below add a perturbation, ns, to each of the N replicas from FIRST on. CALL and RANK are the address of the
 * draws. */

/* A compute interval. */
struct mpg_interval {
    int32_t rank;
    uint64_t call;    /* call that ends the interval */
    double since_ns;  /* traced begin of the interval, after MPI_Init */
    double length_ns; /* traced length */
    double ratio;     /* rho, times the factors of hypotheses */
    double more_ns;   /* work that hypotheses add, on the target */
    double off_ns;    /* time off the CPU (preempted or stolen) within the interval, 0 to length_ns */
    /* For the removal of the source's noise (simulate/evaluate/prepass/classes.h): */
    double alike_ns;     /* length without time off the CPU, or CPU time */
    /* MPG_REMOVAL_CELLS equally likely losses, ns; NULL: the interval has no class, and loses the fraction `lost` of alike_ns */
    const double *losses;
    double lost;         /* without LOSSES: lost part of alike_ns, 0 to 1 */
    /* A detour of the target under way at the begin of the interval is skipped if begun at most covered_ns before: the measured
     * time of the previous call contains this detour. passed_ns: for each replica the end of the last skipped detour after
     * MPI_Init, ns (in and out; 0: none yet). NULL: no detour is skipped. */
    double covered_ns, *passed_ns;
    /* State of the last look-up among the target's detours, for each of LANES replicas, zero at first; NULL: none. */
    void *cursor;
    uint32_t lanes;
    /* Visits of parallel regions in the interval, which has TRACED_NS as traced, with recording; only with p->threads. */
    const struct mpg_visit *visits;
    uint32_t visit_number;
    double traced_ns;
};

/* Adds the extra time of X, which begins DELAY_NS[w] late, to DELAY_NS: nu + (rho - 1) c + more_ns, at least -length_ns. */
void mpg_perturb_compute(const struct mpg_perturbation *p, const struct mpg_interval *x,
                         uint32_t first, uint32_t n, double *delay_ns);
/* Adds the time of WORK, that of X, for N replicas from FIRST on, which are at index AT of the cursor, to DELAY_NS, less X's
 * length. X has visits of parallel regions, and the target has noise. FACTOR: on the time that noise takes. */
void mpg_perturb_threads(const struct mpg_perturbation *p, const struct mpg_interval *x, double factor, uint32_t at,
                         uint32_t first, uint32_t n, const struct mpg_lane_work *work, double *delay_ns);
/* Makes ADDED_NS, the loss of X's rank by a distribution from the command line in N replicas from FIRST on, that of the thread by
 * which X's visits end last: each thread draws its own loss. */
void mpg_perturb_threads_drawn(const struct mpg_perturbation *p, const struct mpg_interval *x, uint32_t first, uint32_t n,
                               double *added_ns);
/* Prefetches the memory for the next look-ups of X's rank, for N replicas from index AT on. X must have a cursor. */
void mpg_perturbation_fetch(const struct mpg_perturbation *p, const struct mpg_interval *x, uint32_t at, uint32_t n);
/* Adds the time that the target's noise takes from X, the work inside a call, which begins DELAY_NS[w] late. No detour is
 * skipped. */
void mpg_perturb_call_work(const struct mpg_perturbation *p, const struct mpg_interval *x,
                           uint32_t first, uint32_t n, const double *delay_ns, double *value_ns);
/* Adds kappa, the extra time of CALL of RANK. */
void mpg_perturb_call(const struct mpg_perturbation *p, int32_t rank, uint64_t call,
                      uint32_t first, uint32_t n, double *value_ns);
/* Adds kappa of call NUMBER, from 0, among the simulated calls that send and receive a collective's messages. INDEX: the
 * collective's number among the collectives that CALL of RANK starts. */
void mpg_perturb_round_call(const struct mpg_perturbation *p, int32_t rank, uint64_t call, uint32_t index, uint32_t number,
                            uint32_t first, uint32_t n, double *value_ns);

#endif

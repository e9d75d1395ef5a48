/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Everything that perturbs a run: nu, kappa, lambda, tau and rho of
 * docs/MODEL.md, section 3, each from the command line or from signatures; messages are
 * drawn by flights.h, overheads.h and collectives.h. Immutable while a simulation runs. */
#ifndef MPG_PERTURBATION_H
#define MPG_PERTURBATION_H

#include <stdint.h>

#include "common/error.h"
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

/* Where kappa is: on the local edges of its own call and those that come into its end, or also on
 * message edges as Sottile 2006, Eqs. 1 and 2, has it (docs/MODEL.md, section 4). */
enum mpg_call_edges { MPG_CALL_EDGES_OWN, MPG_CALL_EDGES_PAPER };

struct mpg_perturbation {
    uint64_t seed;
    struct mpg_specs noise, call_noise, latency, byte; /* of each, the sum of several */
    enum mpg_call_edges call_edges;
    double compute_ratio; /* rho > 0, outside of regions that have their own: */
    bool region_ratios;   /* there are such; intervals say theirs */
    bool regions_differ;  /* one of them is not 1 */
    bool changes_work;    /* hypotheses do: intervals say how */
    bool resizes;         /* hypotheses do, what is sent (resize.h), in perturb mode */
    bool source_byte_given;  /* then a byte costs so much on the source: */
    double source_byte_ns;
    bool without_tracer;  /* what the tracer took between calls is taken off */
    /* From signatures, where the specs above say nothing; NULL without one. */
    const struct mpg_signature *target, *source;
    const struct mpg_network_path *target_path, *source_path; /* which of their paths; may be NULL */
    enum mpg_time_model latency_model, byte_model; /* of the signatures' lambda, and tau */
    struct mpg_path_fits target_fits, source_fits;
    enum mpg_noise_model noise_model;
    bool scales_noise;   /* what the target's noise takes is multiplied by */
    double noise_factor; /* this, >= 0 */
    bool call_noise_of_target; /* calls' own work meets the target's noise, too */
    struct mpg_noise_source target_noise, source_noise;
    size_t target_cores, source_cores; /* that have noise */
    bool same_noise;        /* target's and source's are the same */
    bool off_cpu_known;     /* the trace knows when its ranks were off their CPUs */
    struct mpg_bootstrap_blocks parts; /* of noise records, in each measurement */
    /* What messages take as parameters, on these processors, in place of specs and signatures; NULL: they do not */
    const struct mpg_parameters *parameters;
    const struct mpg_processors *processors;
    bool work_alone;        /* predict mode: work is what a thread had its core for, with its local calls, */
    bool calls_cost_nothing; /* and calls take what messages do, whatever they took */
    bool ignores_collectives; /* what signatures have measured of them */
    bool unperturbed;         /* messages of collectives are the traced machine's */
    const struct mpg_signature *reduces,
        *source_reduces;    /* whose arithmetic reductions take on either; NULL: nobody's is known */
    bool measurement_fixed; /* signatures are taken for exact: no launch is drawn */
    struct mpg_overhead_sizes overhead[MPG_OVERHEADS];
    struct mpg_measured_collectives meetings[MPG_OPERATIONS];
    bool predicts;          /* it is for predict mode, which fits each path by itself, and asks the source nothing */
    bool every_path;        /* messages take the target's paths of all classes, streams count */
    bool every_source_path; /* or took the source's */
    double *launch;         /* of each replica; NULL: all launches together */
    uint32_t first_replica;
};

/* Takes noise and messages from TARGET (and subtracts SOURCE's; either may be
 * NULL) unless P's specs are given. Messages are those of path class PATH, or of
 * TARGET's farthest with MPG_PATHS; SOURCE's are on SOURCE_PATH, or, with NULL, of
 * the same class, or its farthest where it has none such. The signatures outlive P. Errors: TARGET
 * has no path PATH, a model of P's is to be fitted and has no fits, out of memory. */
int mpg_perturbation_use(struct mpg_perturbation *p, const struct mpg_signature *target,
                         const struct mpg_signature *source, enum mpg_path_class path,
                         const struct mpg_network_path *source_path, struct mpg_error *err);
void mpg_perturbation_clear(struct mpg_perturbation *p);
/* The noise's parts of both (compute.c): from P's target and source, into P. */
int mpg_perturbation_use_noise(struct mpg_perturbation *p, struct mpg_error *err);
void mpg_perturbation_clear_noise(struct mpg_perturbation *p);
/* Says on which hosts the RANKS ranks are, HOST[r] being rank r's on the target and TRACED[r]
 * where it ran, as small numbers, so that those of a host can meet its noise together
 * (simulate/noise/source.h). */
int mpg_perturbation_seat(struct mpg_perturbation *p, int32_t ranks, const int32_t *host,
                          const int32_t *traced, enum mpg_cosched cosched,
                          struct mpg_error *err);

/* Which launches replicas FIRST .. FIRST + N - 1 have: two share one. Before their first
 * draw; without it there is no drawing of launches. Error: out of memory. */
int mpg_perturbation_measure(struct mpg_perturbation *p, uint32_t first, uint32_t n,
                             struct mpg_error *err);
/* REPLICA's place among the launches, of [0, 1); -1: all together. */
static inline double mpg_perturbation_launch(const struct mpg_perturbation *p, uint32_t replica)
{
    return p->launch ? p->launch[replica - p->first_replica] : -1;
}

/* The same of replicas from FIRST on; NULL: all together. */
static inline const double *mpg_perturbation_launches(const struct mpg_perturbation *p,
                                                      uint32_t first)
{
    return p->launch ? p->launch + (first - p->first_replica) : NULL;
}

/* The parts of all noise records in REPLICA; NULL: they are whole. */
static inline const uint8_t *mpg_perturbation_parts(const struct mpg_perturbation *p, uint32_t replica)
{
    return p->measurement_fixed ? NULL : p->parts.part[mpg_measurement_of(replica)];
}

/* What replicas draw of the measurements that a run rests on. */
struct mpg_resampling {
    uint32_t launches; /* each draws one of so many, of what has the fewest; below 2: none */
    bool noise;        /* each draws parts of the records of noise */
    uint64_t seed;
};

/* After mpg_perturbation_use(). */
struct mpg_resampling mpg_perturbation_resampling(const struct mpg_perturbation *p);

/* Whether P takes latencies, and what bytes take, from a signature. */
bool mpg_perturbation_latency_measured(const struct mpg_perturbation *p);
bool mpg_perturbation_bytes_measured(const struct mpg_perturbation *p);
/* Whether P takes overheads, or any collective, from a signature. */
bool mpg_perturbation_overheads_measured(const struct mpg_perturbation *p);
bool mpg_perturbation_collectives_measured(const struct mpg_perturbation *p);
/* What reducing BYTES takes on the target, or, if OF_SOURCE, on the traced machine, ns; P says whose that is. */
double mpg_perturbation_reduction(const struct mpg_perturbation *p, bool of_source, double bytes);
/* Whether anything but the tracer's part changes compute intervals. */
bool mpg_perturbation_changes_computation(const struct mpg_perturbation *p);
/* Whether P takes noise from a signature; whether it takes the source's out of computation;
 * whether both are the same machine's, so that computation is as it was. */
bool mpg_perturbation_noise_measured(const struct mpg_perturbation *p);
bool mpg_perturbation_noise_removed(const struct mpg_perturbation *p);
bool mpg_perturbation_noise_unchanged(const struct mpg_perturbation *p);
/* Whether time off the CPU, in intervals and in calls, is taken out: a target comes in place of the traced machine. */
bool mpg_perturbation_removes_off_cpu(const struct mpg_perturbation *p);
/* Whether computation meets none that was not traced, nor loses any. */
bool mpg_perturbation_is_quiet(const struct mpg_perturbation *p);
/* What an interval's ratio is to be multiplied by: rho, where intervals do not have it of regions. */
static inline double mpg_perturbation_rho(const struct mpg_perturbation *p)
{
    return p->region_ratios ? 1 : p->compute_ratio;
}

/* What WORK_NS that takes TIME_NS among P's noise takes by its factor. */
static inline double mpg_perturbation_scaled(const struct mpg_perturbation *p, double work_ns, double time_ns)
{
    return work_ns + p->noise_factor * (time_ns - work_ns);
}

/* Whether what calls do by themselves meets the target's noise: it is wanted, there is some, and
 * the source's is another. */
bool mpg_perturbation_call_noise_measured(const struct mpg_perturbation *p);
/* What a lane of a cursor takes that makes look-ups in the target's noise cheap, bytes; 0: there are
 * none. */
size_t mpg_perturbation_cursor_bytes(const struct mpg_perturbation *p);
/* Whether detours of the target are in its messages' measured times, too: it has both. */
bool mpg_perturbation_noise_covered(const struct mpg_perturbation *p);
/* Whether the source's is taken out by what is alike (simulate/evaluate/classes.h). */
bool mpg_perturbation_noise_by_class(const struct mpg_perturbation *p);
/* Whether what computation meets can differ between two replicas. */
bool mpg_perturbation_noise_is_random(const struct mpg_perturbation *p);
/* Whether PATH, which may be NULL, has transfers of any bytes; the empty message has no
 * time per byte. */
bool mpg_perturbation_has_transfers(const struct mpg_network_path *path);
/* Whether two replicas can differ. */
bool mpg_perturbation_is_random(const struct mpg_perturbation *p);
/* Whether a message can become faster than traced. */
bool mpg_perturbation_can_speed_messages(const struct mpg_perturbation *p);

/* The functions below add one perturbation, in ns, to each of N lanes; lane w is
 * replica FIRST + w. CALL and RANK are the address of the draws. */

/* A compute interval. */
struct mpg_interval {
    int32_t rank;
    uint64_t call;    /* before which it is */
    double since_ns;  /* it began so long after MPI_Init, as traced */
    double length_ns; /* as traced */
    double ratio;     /* rho in it, with what hypotheses scale it by; */
    double more_ns;   /* what they add to its work, on the target */
    double off_ns;    /* of its length the thread was off its CPU: preempted or stolen, 0 .. length_ns */
    /* What the source's interruptions took from it, if they are to be taken out (simulate/evaluate/classes.h) */
    double alike_ns;     /* its length without time off the CPU, or its CPU time */
    const double *losses; /* MPG_REMOVAL_CELLS equally likely ones, ns; NULL: it is of no class, and lost a part of alike_ns: */
    double lost;         /* 0 .. 1 */
    /* A detour of the target's that is going on when it begins, and began before, no more than
     * covered_ns, is none: what the call before it costs has it. In each lane such a one ends at
     * passed_ns, after MPI_Init (in and out; 0: there was none yet). NULL: all detours count. */
    double covered_ns, *passed_ns;
    /* Where the target's detours were looked for last, of each of so many lanes, zero before the
     * first time; NULL: nowhere. */
    void *cursor;
    uint32_t lanes;
};

/* How much longer X takes that began DELAY_NS[w] late: nu + (rho - 1) c + more_ns, never less than
 * -length_ns. */
void mpg_perturb_compute(const struct mpg_perturbation *p, const struct mpg_interval *x,
                         uint32_t first, uint32_t n, double *delay_ns);
/* Asks for what the next look-ups of X's rank read, in N lanes from lane AT on; X has a cursor. */
void mpg_perturbation_fetch(const struct mpg_perturbation *p, const struct mpg_interval *x, uint32_t at, uint32_t n);
/* What noise of the target's takes from X, a call's own work, that begins DELAY_NS[w] late; it covers
 * nothing by itself. */
void mpg_perturb_call_work(const struct mpg_perturbation *p, const struct mpg_interval *x,
                           uint32_t first, uint32_t n, const double *delay_ns, double *value_ns);
/* kappa */
void mpg_perturb_call(const struct mpg_perturbation *p, int32_t rank, uint64_t call,
                      uint32_t first, uint32_t n, double *value_ns);
/* kappa of the NUMBER-th call, from 0, of a collective's messages, the INDEX-th that CALL of RANK starts. */
void mpg_perturb_round_call(const struct mpg_perturbation *p, int32_t rank, uint64_t call, uint32_t index, uint32_t number,
                            uint32_t first, uint32_t n, double *value_ns);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Results of the further runs of a prediction (simulate/scenarios/companions.h), and the efficiencies derived from these
 * results. */
#ifndef MPG_COMPANIONS_H
#define MPG_COMPANIONS_H

#include "simulate/evaluate/driver/result.h"
#include "simulate/models/core_rates.h"
#include "simulate/models/counted_compute.h"
#include "simulate/models/speed.h"

/* A prediction with the computation ratio of one kernel. */
struct mpg_kernel_run {
    const char *kernel; /* belongs to the signature */
    double ratio;       /* target compute time over traced compute time */
    double run_ns;      /* median over the replicas of the run */
};

/* Change of the run time, in percent, if one property changes; the changed runs have the draws of the prediction. NAN: not
 * known. */
struct mpg_sensitivity {
    double latency;     /* with 10 % more latency (--latency=x1.1) */
    double bandwidth;   /* with 10 % less bandwidth (--byte=x1.1111) */
    double computation; /* with 10 % more computation, in all regions (--compute-ratio=1.1) */
};

struct mpg_companions {
    /* The perturbed run: run time over the replicas of the prediction, and the traced run time for comparison, ns.
     * perturbed.median is 0 if not simulated, for the reason NOT_PERTURBED. */
    struct mpg_summary perturbed;
    double perturbed_traced_ns;
    struct mpg_error not_perturbed;
    /* The prediction without noise, over the first QUIET_REPLICAS replicas with the draws of the prediction: the ratio of the run
     * time to the prediction's run time, 0 to about 1; and the run time, ns. */
    struct mpg_summary quiet_ratio, quiet;
    uint32_t quiet_replicas;
    struct mpg_sensitivity change; /* medians over these replicas */
    double ideal_ns; /* the prediction without noise on a network without latency and with infinite bandwidth; 0: not known */
    /* If the machines' speed differs from launch to launch: interval of 90 % of run times, ns. */
    struct mpg_launch_speed speed;
    double any_speed_90[2];
    /* The smallest and the largest computation ratio of the kernels measured on both machines; KERNELS 0: no kernel, or the ratio
     * was given. */
    int kernels;
    /* for each machine: number of busy cores at which the kernels' rates were measured or interpolated */
    struct mpg_busy_cores busy;
    struct mpg_kernel_run min, largest;
    /* If the computation ratios come from the trace's processor counters: means over the computation; COUNTED_RATIO 0: ratios do
     * not come from counters. */
    double counted_ratio;
    struct mpg_compute_shares counted_shares;
};

/* POP's efficiencies (analyse/efficiency/efficiency.h) of a predicted run, with the effect of noise split off:
 * parallel = load balance x serialization x transfer x noise. */
struct mpg_predicted_efficiency {
    double parallel;      /* mean computation of a rank / run */
    double load_balance;  /* mean / largest computation of a rank */
    double serialization; /* largest computation / run on an ideal network */
    double transfer;      /* run on an ideal network / run without noise */
    double noise;         /* run without noise / run */
    /* computation of a rank without noise, mean over replicas: largest, mean and smallest over ranks */
    double largest_ns, mean_ns, min_ns;
    int32_t largest_rank, min_rank;
    /* 95 % confidence intervals, with the uncertainty of the measurements; load balance and serialization have no random part */
    double parallel_95[2], transfer_95[2], noise_95[2];
};

/* Sets E for the prediction RESULT with the summary RUN of its run times. Returns false if the efficiencies are not known: a
 * run of COMPANIONS is missing, or no rank computes. */
bool mpg_predicted_efficiency_of(const struct mpg_companions *companions, const struct mpg_result *result,
                                 const struct mpg_summary *run, struct mpg_predicted_efficiency *e);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Statistics over replicas. */
#include "simulate/evaluate/driver/result.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_statistics_double.h>

#include "statistics/order.h"

/* The largest allowed delay, ns: the sum of the squares over replicas is still finite. */
static const double MAX_DELAY_NS = 1e145;

static size_t blocks_of(const struct mpg_result *r)
{
    return ((size_t)r->replicas + MPG_REPLICAS_A_BLOCK - 1) / MPG_REPLICAS_A_BLOCK;
}

void mpg_result_init(struct mpg_result *r, int32_t ranks, uint32_t replicas, uint32_t first_replica)
{
    *r = (struct mpg_result){.ranks = ranks, .replicas = replicas, .first_replica = first_replica};
}

int mpg_result_reserve(struct mpg_result *r, struct mpg_error *err)
{
    const int32_t ranks = r->ranks;
    const uint32_t replicas = r->replicas;
    r->recorded_ns = calloc((size_t)ranks, sizeof *r->recorded_ns);
    r->traced_ns = calloc((size_t)ranks, sizeof *r->traced_ns);
    r->delay_ns = calloc((size_t)ranks * replicas, sizeof *r->delay_ns);
    r->run_ns = calloc(replicas, sizeof *r->run_ns);
    r->account = calloc((size_t)ranks, sizeof *r->account);
    r->run_account = calloc((size_t)ranks, sizeof *r->run_account);
    r->sums = calloc((size_t)ranks * blocks_of(r), MPG_ACCOUNT_TERMS * sizeof *r->sums);
    if (r->recorded_ns && r->traced_ns && r->delay_ns && r->run_ns && r->account && r->run_account &&
        r->sums)
        return 0;
    mpg_result_clear(r);
    return mpg_error_set(err, "out of memory for %u replicas of %d ranks", replicas, ranks);
}

void mpg_result_clear(struct mpg_result *r)
{
    free(r->recorded_ns);
    free(r->traced_ns);
    free(r->delay_ns);
    free(r->run_ns);
    free(r->account);
    free(r->run_account);
    free(r->sums);
    mpg_attribution_free(r->where);
    *r = (struct mpg_result){0};
}

void mpg_result_add(struct mpg_result *r, int32_t rank, uint32_t begin, uint32_t n,
                    const double *terms)
{
    double *sums = r->sums + (size_t)rank * blocks_of(r) * MPG_ACCOUNT_TERMS;
    for (uint32_t w = 0; w < n; w++)
        for (int i = 0; i < MPG_ACCOUNT_TERMS; i++)
            sums[(begin + w) / MPG_REPLICAS_A_BLOCK * MPG_ACCOUNT_TERMS + i] +=
                terms[(size_t)i * n + w];
}

/* Sets the traced run time of rank I to TRACED_NS. */
static void refer_rank(struct mpg_result *r, int32_t i, double traced_ns)
{
    for (uint32_t k = 0; k < r->replicas; k++)
        r->delay_ns[(size_t)i * r->replicas + k] += r->traced_ns[i] - traced_ns;
    r->traced_ns[i] = traced_ns;
}

void mpg_result_take_traced(struct mpg_result *r, const struct mpg_result *other)
{
    for (int32_t i = 0; i < r->ranks; i++)
        refer_rank(r, i, other->traced_ns[i]);
    r->tracer_taken_out = other->tracer_taken_out;
}

void mpg_result_refer_to(struct mpg_result *r, const int64_t *recorded_ns)
{
    for (int32_t i = 0; i < r->ranks; i++) {
        refer_rank(r, i, (double)recorded_ns[i]);
        r->recorded_ns[i] = recorded_ns[i];
    }
}

struct mpg_delay_account mpg_delay_account_of(const double term[MPG_ACCOUNT_TERMS])
{
    return (struct mpg_delay_account){.compute_ns = term[0],
                                      .call_ns = term[1],
                                      .message_ns = term[2],
                                      .collective_ns = term[3],
                                      .taken_ns = term[4],
                                      .waited_ns = term[5],
                                      .hidden_ns = term[6],
                                      .left_ns = term[7]};
}

struct mpg_run_account mpg_run_account_of(const double term[MPG_ACCOUNT_TERMS])
{
    return (struct mpg_run_account){.compute_ns = term[0],
                                    .noise_ns = term[1],
                                    .call_ns = term[2],
                                    .message_ns = term[3],
                                    .collective_ns = term[4],
                                    .thread_ns = term[5],
                                    .run_ns = term[6],
                                    .polled_ns = term[7]};
}

/* Computes the mean account of RANK from sums. */
static void mean_account(struct mpg_result *r, int32_t rank)
{
    const double *sums = r->sums + (size_t)rank * blocks_of(r) * MPG_ACCOUNT_TERMS;
    double mean[MPG_ACCOUNT_TERMS] = {0};
    for (size_t k = 0; k < blocks_of(r); k++)
        for (int i = 0; i < MPG_ACCOUNT_TERMS; i++)
            mean[i] += sums[k * MPG_ACCOUNT_TERMS + i];
    for (int i = 0; i < MPG_ACCOUNT_TERMS; i++)
        mean[i] /= r->replicas;
    if (r->predicted)
        r->run_account[rank] = mpg_run_account_of(mean);
    else
        r->account[rank] = mpg_delay_account_of(mean);
}

int mpg_result_finish(struct mpg_result *r, struct mpg_error *err)
{
    if (r->where && mpg_attribution_finish(r->where, err) < 0)
        return -1;
    for (int32_t i = 0; i < r->ranks; i++)
        mean_account(r, i);
    for (uint32_t k = 0; k < r->replicas; k++) {
        r->run_ns[k] = -INFINITY;
        for (int32_t i = 0; i < r->ranks; i++) {
            double delay_ns = r->delay_ns[(size_t)i * r->replicas + k];
            if (!(fabs(delay_ns) <= MAX_DELAY_NS))
                return mpg_error_set(err,
                                     "rank %d, replica %u: the delay is more than numbers hold: "
                                     "perturbations are too large",
                                     i, r->first_replica + k);
            r->run_ns[k] = fmax(r->run_ns[k], r->traced_ns[i] + delay_ns);
        }
    }
    return 0;
}

void mpg_delay_account_add(struct mpg_delay_account *sum, const struct mpg_delay_account *a,
                           double weight)
{
    sum->compute_ns += weight * a->compute_ns;
    sum->call_ns += weight * a->call_ns;
    sum->message_ns += weight * a->message_ns;
    sum->collective_ns += weight * a->collective_ns;
    sum->taken_ns += weight * a->taken_ns;
    sum->waited_ns += weight * a->waited_ns;
    sum->hidden_ns += weight * a->hidden_ns;
    sum->left_ns += weight * a->left_ns;
}

void mpg_run_account_add(struct mpg_run_account *sum, const struct mpg_run_account *a,
                         double weight)
{
    sum->compute_ns += weight * a->compute_ns;
    sum->noise_ns += weight * a->noise_ns;
    sum->call_ns += weight * a->call_ns;
    sum->message_ns += weight * a->message_ns;
    sum->collective_ns += weight * a->collective_ns;
    sum->thread_ns += weight * a->thread_ns;
    sum->run_ns += weight * a->run_ns;
    sum->polled_ns += weight * a->polled_ns;
}

double mpg_delay_injected(const struct mpg_delay_account *a)
{
    return a->compute_ns + a->call_ns + a->message_ns + a->collective_ns;
}

struct mpg_delay_account mpg_result_account(const struct mpg_result *r)
{
    struct mpg_delay_account mean = {0};
    for (int32_t i = 0; i < r->ranks; i++)
        mpg_delay_account_add(&mean, &r->account[i], 1.0 / r->ranks);
    return mean;
}

struct mpg_run_account mpg_result_run_account(const struct mpg_result *r)
{
    struct mpg_run_account mean = {0};
    for (int32_t i = 0; i < r->ranks; i++)
        mpg_run_account_add(&mean, &r->run_account[i], 1.0 / r->ranks);
    return mean;
}

double mpg_result_traced(const struct mpg_result *r)
{
    return gsl_stats_max(r->traced_ns, 1, (size_t)r->ranks);
}

double mpg_result_recorded(const struct mpg_result *r)
{
    int64_t longest = r->recorded_ns[0];
    for (int32_t i = 1; i < r->ranks; i++)
        if (r->recorded_ns[i] > longest)
            longest = r->recorded_ns[i];
    return (double)longest;
}

/* mean_of() and sd_of() use double alone and sums without lost digits (Neumaier, ZAMM 54 (1974) 39), and give the same number on
 * every processor. GSL's functions use long double, which has 53, 64, 106 or 113 bits. */
static double add(double sum, double value, double *lost)
{
    const double total = sum + value;
    *lost += fabs(sum) >= fabs(value) ? (sum - total) + value : (value - total) + sum;
    return total;
}

static double mean_of(const double *values, size_t n)
{
    double sum = 0, lost = 0;
    for (size_t i = 1; i < n; i++) /* differences: the mean of equal values is their value */
        sum = add(sum, values[i] - values[0], &lost);
    return values[0] + (sum + lost) / (double)n;
}

static double sd_of(const double *values, size_t n, double mean)
{
    double sum = 0, lost = 0;
    for (size_t i = 0; i < n; i++)
        sum = add(sum, (values[i] - mean) * (values[i] - mean), &lost);
    return n > 1 ? sqrt((sum + lost) / (double)(n - 1)) : 0;
}

struct mpg_summary mpg_summarise(const double *values, size_t n, double *sorted)
{
    memcpy(sorted, values, n * sizeof *values);
    mpg_sort(sorted, n);
    const double mean = mean_of(values, n);
    struct mpg_summary s = {
        .mean = mean,
        .sd = sd_of(values, n, mean),
        .min = sorted[0],
        .p5 = mpg_interpolated_quantile(sorted, n, 0.05),
        .median = mpg_interpolated_quantile(sorted, n, 0.5),
        .p95 = mpg_interpolated_quantile(sorted, n, 0.95),
        .largest = sorted[n - 1],
    };
    /* The number of values below the median is binomial(n, 1/2); normal
     * approximation with continuity correction (Conover 1999, section 3.2). */
    double half = 1.959964 * sqrt((double)n) / 2;
    const double high = fmin(ceil((double)n / 2 + half), (double)n - 1);
    s.high = sorted[(size_t)high];
    s.low = sorted[n - 1 - (size_t)high];
    return s;
}

double mpg_run_account_core_ns(const struct mpg_run_account *a)
{
    static const double rounding = 1e-6;
    const double known_ns = a->compute_ns + a->noise_ns + a->call_ns + a->message_ns + a->collective_ns + a->thread_ns;
    const double rest_ns = a->run_ns - known_ns;
    return rest_ns > rounding * a->run_ns ? rest_ns : 0;
}

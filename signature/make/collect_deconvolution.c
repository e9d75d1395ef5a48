/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One-way and transfer times if the clocks are not comparable: by deconvolution or, with few samples, by halving. */
#include "signature/make/collect_network.h"

#include <gsl/gsl_sort_double.h>
#include <math.h>
#include <stdlib.h>

#include "statistics/deconvolution.h"

/* Number of quantiles that represent the acknowledgement's distribution. */
enum { ACKNOWLEDGEMENTS = 1024 };

static double *copy_times(const struct mpg_exchanges *all, struct mpg_error *err)
{
    double *times = malloc(all->n * sizeof *times);
    if (!times)
        mpg_collect_no_memory(err);
    for (size_t i = 0; times && i < all->n; i++)
        times[i] = all->exchange[i].time_ns;
    return times;
}

/* Adds confidence intervals to D, whose values are PART (0.5 or 1) times ALL's TIMES. */
static int add_intervals(const struct mpg_exchanges *all, const double *times, double part,
                           struct mpg_distribution *d, struct mpg_error *err)
{
    uint32_t *launch = malloc(all->n * sizeof *launch), *pair = malloc(all->n * sizeof *pair);
    struct mpg_samples samples = {all->n, times, launch, pair};
    int status = launch && pair ? 0 : mpg_collect_no_memory(err);
    for (size_t i = 0; status == 0 && i < all->n; i++) {
        launch[i] = (uint32_t)all->exchange[i].launch;
        pair[i] = (uint32_t)all->exchange[i].pair;
    }
    if (status == 0)
        status = mpg_collect_intervals(d, &samples, part, err);
    free(pair);
    free(launch);
    return status;
}

/* Returns the distribution of one direction of ALL's exchanges, assuming that both directions have equal and independent
 * distributions. With few samples: the distribution of half of each exchange's time. */
static struct mpg_distribution *deconvolve_halves(const struct mpg_exchanges *all,
                                            struct mpg_deconvolution_summary *summary, struct mpg_error *err)
{
    struct mpg_distribution *d;
    double misfit, part = 0.5, *times = copy_times(all, err);
    if (!times)
        return NULL;
    if (all->n >= MPG_DECONVOLUTION_MIN_SAMPLES) {
        d = mpg_deconvolve_halves(times, all->n, MPG_DISTRIBUTION_KNOTS, &misfit, err);
        summary->deconvolved++;
        summary->misfit = d ? fmax(summary->misfit, misfit) : 1;
    } else {
        for (size_t i = 0; i < all->n; i++)
            times[i] /= 2;
        part = 1;
        d = mpg_distribution_from_samples(times, all->n, MPG_DISTRIBUTION_KNOTS, err);
        summary->halved++;
    }
    if (d && add_intervals(all, times, part, d, err) < 0) {
        mpg_distribution_free(d);
        d = NULL;
    }
    free(times);
    return d;
}

int mpg_deconvolve_round_trips(const struct mpg_exchange_sizes *from, struct mpg_deconvolution_summary *summary,
                         struct mpg_network_sizes *sizes, struct mpg_error *err)
{
    if (!(sizes->size = calloc(from->n + 1, sizeof *sizes->size)))
        return mpg_collect_no_memory(err);
    for (; sizes->n < from->n; sizes->n++) {
        const struct mpg_exchanges *all = &from->size[sizes->n];
        struct mpg_network_size *made = &sizes->size[sizes->n];
        made->size_bytes = all->size_bytes;
        if (!(made->time_ns = deconvolve_halves(all, summary, err)))
            return mpg_error_prefix(err, "%lld bytes", (long long)all->size_bytes);
    }
    return 0;
}

/* Time of the acknowledgement that ends an exchange of the bandwidth benchmark. */
struct acknowledgement {
    double value[ACKNOWLEDGEMENTS]; /* KNOWN: quantiles of the acknowledgement's distribution at equal steps of probability */
    bool known;
    double half_ns;                 /* half of the median empty round trip; NAN: unknown */
};

static int find_acknowledgement(const struct mpg_exchanges *empty, struct mpg_deconvolution_summary *summary,
                                struct acknowledgement *ack, struct mpg_error *err)
{
    struct mpg_distribution *way = deconvolve_halves(empty, summary, err);
    if (!way)
        return -1;
    for (int i = 0; i < ACKNOWLEDGEMENTS; i++)
        ack->value[i] = mpg_distribution_quantile(way, (i + 0.5) / ACKNOWLEDGEMENTS);
    ack->known = summary->deconvolved > 0;
    ack->half_ns = mpg_distribution_quantile(way, 0.5);
    mpg_distribution_free(way);
    return 0;
}

/* Subtracts the acknowledgement's typical time from each of ALL's TIMES; for few samples. */
static int take_out_half(const struct mpg_exchanges *all, const struct acknowledgement *ack,
                         double *times, struct mpg_error *err)
{
    for (size_t i = 0; i < all->n; i++) {
        double stated_ns = all->exchange[i].back_ns / 2; /* older files state the empty round trip with each sample */
        double half_ns = isnan(stated_ns) ? ack->half_ns : stated_ns;
        if (isnan(half_ns))
            return mpg_error_set(err, "the time of the acknowledgement is unknown: no empty"
                                      " exchanges, and no accurate clocks");
        times[i] = fmax(0, times[i] - half_ns);
    }
    return 0;
}

/* Returns the distribution of the transfer times: ALL's times without the acknowledgement's time. */
static struct mpg_distribution *deconvolve_transfer(const struct mpg_exchanges *all,
                                              const struct acknowledgement *ack,
                                              struct mpg_deconvolution_summary *summary, struct mpg_error *err)
{
    double misfit, *times = copy_times(all, err);
    if (!times)
        return NULL;
    struct mpg_distribution *d = NULL;
    if (ack->known && all->n >= MPG_DECONVOLUTION_MIN_SAMPLES) {
        d = mpg_deconvolve_known(times, all->n, ack->value, ACKNOWLEDGEMENTS,
                                 MPG_DISTRIBUTION_KNOTS, &misfit, err);
        summary->deconvolved++;
        summary->misfit = d ? fmax(summary->misfit, misfit) : 1;
    } else if (take_out_half(all, ack, times, err) == 0) {
        d = mpg_distribution_from_samples(times, all->n, MPG_DISTRIBUTION_KNOTS, err);
        summary->halved++;
    }
    /* Intervals are taken from the times with the acknowledgement: the acknowledgement's distribution has many more samples and
     * adds little uncertainty. */
    if (d && add_intervals(all, times, 1, d, err) < 0) {
        mpg_distribution_free(d);
        d = NULL;
    }
    free(times);
    return d;
}

int mpg_deconvolve_transfers(const struct mpg_exchange_sizes *from, struct mpg_deconvolution_summary *summary,
                       struct mpg_network_sizes *sizes, struct mpg_error *err)
{
    struct acknowledgement *ack = calloc(1, sizeof *ack);
    int status = 0;
    sizes->size = calloc(from->n + 1, sizeof *sizes->size);
    if (!ack || !sizes->size) {
        free(ack);
        return mpg_collect_no_memory(err);
    }
    ack->half_ns = NAN;
    if (from->size[0].size_bytes == 0)
        status = find_acknowledgement(&from->size[0], summary, ack, err);
    for (; status == 0 && sizes->n < from->n; sizes->n++) {
        const struct mpg_exchanges *all = &from->size[sizes->n];
        struct mpg_network_size *made = &sizes->size[sizes->n];
        made->size_bytes = all->size_bytes;
        if (!(made->time_ns = deconvolve_transfer(all, ack, summary, err)))
            status = mpg_error_prefix(err, "%lld bytes", (long long)all->size_bytes);
    }
    free(ack);
    return status;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes the distributions of a path class from the samples of its exchanges. */
#include "config.h"

#include "signature/make/collect_network.h"

#include <gsl/gsl_sort_double.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "statistics/loggp.h"

/* Returns the times that PICK chooses from ALL's exchanges, in order; the caller frees the array. *N: their number, may
 * be 0. */
static double *pick_times(const struct mpg_exchanges *all, mpg_pick_function *pick, const void *context,
                          size_t *n, struct mpg_error *err)
{
    double *times = malloc((2 * all->n + 1) * sizeof *times);
    *n = 0;
    if (!times)
        mpg_collect_no_memory(err);
    for (size_t i = 0; times && i < all->n; i++)
        *n += (size_t)pick(&all->exchange[i], context, times + *n);
    return times;
}

/* Makes the distribution *D of the N > 0 TIMES that PICK has chosen from ALL. */
static int make_size(const struct mpg_exchanges *all, mpg_pick_function *pick, const void *context,
                     const double *times, size_t n, bool fit, struct mpg_distribution **d,
                     struct mpg_error *err)
{
    uint32_t *launch = malloc(n * sizeof *launch), *pair = malloc(n * sizeof *pair);
    size_t k = 0;
    double unused[2];
    int status = launch && pair ? 0 : mpg_collect_no_memory(err);
    for (size_t i = 0; status == 0 && i < all->n; i++)
        for (int picked = pick(&all->exchange[i], context, unused); picked > 0; picked--, k++) {
            launch[k] = (uint32_t)all->exchange[i].launch;
            pair[k] = (uint32_t)all->exchange[i].pair;
        }
    struct mpg_samples samples = {n, times, launch, pair};
    if (status == 0)
        status = mpg_collect_samples(&samples, fit, d, err);
    free(pair);
    free(launch);
    return status;
}

/* Makes SIZES: for each message size of FROM with times that PICK chooses, the distribution of the times; with fitted families if
 * FIT. */
static int make_sizes(const struct mpg_exchange_sizes *from, mpg_pick_function *pick, const void *context,
                      bool fit, struct mpg_network_sizes *sizes, struct mpg_error *err)
{
    if (!(sizes->size = calloc(from->n + 1, sizeof *sizes->size)))
        return mpg_collect_no_memory(err);
    for (size_t s = 0; s < from->n; s++) {
        size_t n;
        double *times = pick_times(&from->size[s], pick, context, &n, err);
        if (!times)
            return -1;
        struct mpg_network_size *made = &sizes->size[sizes->n];
        int status = n > 0 ? make_size(&from->size[s], pick, context, times, n, fit,
                                       &made->time_ns, err)
                           : 0;
        free(times);
        made->size_bytes = from->size[s].size_bytes;
        sizes->n += made->time_ns != NULL;
        if (status < 0)
            return mpg_error_prefix(err, "%lld bytes", (long long)from->size[s].size_bytes);
    }
    return 0;
}

static int whole_time(const struct mpg_measured_exchange *e, const void *context, double times[2])
{
    (void)context;
    times[0] = e->time_ns;
    return 1;
}

static int send_time(const struct mpg_measured_exchange *e, const void *context, double times[2])
{
    (void)context;
    times[0] = e->send_ns;
    return !isnan(e->send_ns);
}

/* A mpg_pick_function: the forward and the backward time of E. CONTEXT: a struct mpg_one_way_split. */
static int both_ways(const struct mpg_measured_exchange *e, const void *context, double times[2])
{
    times[0] = mpg_one_way_forward(context, e);
    times[1] = fmax(0, e->time_ns - times[0]);
    return 2;
}

/* A mpg_pick_function: the forward time of E. CONTEXT: a struct mpg_one_way_split. */
static int there(const struct mpg_measured_exchange *e, const void *context, double times[2])
{
    times[0] = mpg_one_way_forward(context, e);
    return 1;
}

/* ---- one-way times ---- */

/* Writes to TEXT of SIZE bytes how the clocks WAYS were used to measure the times WHICH (a name, e.g. "one-way"). */
static void describe_clocks(const struct mpg_one_way_split *ways, const char *which, char *text, size_t size)
{
    if (ways->clocks == MPG_CLOCKS_ONE)
        snprintf(text, size, "%s; one clock", which);
    else
        snprintf(text, size, "%s%s; clocks synchronised within %.3g ns", which,
                 ways->clocks == MPG_CLOCKS_SHAPE ? ", both directions shifted to the same median" : "",
                 ways->error_ns);
}

/* Writes to TEXT of SIZE bytes how times were deconvolved: HOW and ASSUMPTION; or HALVES if all sizes had too few
 * samples. */
static void describe_deconvolution(const struct mpg_deconvolution_summary *summary, const char *how, const char *assumption,
                        const char *halves, char *text, size_t size)
{
    if (summary->deconvolved == 0)
        snprintf(text, size, "%s", halves);
    else
        snprintf(text, size, "%s, misfit at most %.2g; %s, not tested%s", how, summary->misfit,
                 assumption, summary->halved > 0 ? "; half the time for sizes with too few samples" : "");
}

/* Appends to TEXT of SIZE bytes how both directions differ and correlate: differences that deconvolution cannot determine. */
static int describe_asymmetry(const struct mpg_exchange_sizes *list, const struct mpg_one_way_split *ways,
                         char *text, size_t size, struct mpg_error *err)
{
    double asymmetry, correlation;
    size_t length = strlen(text);
    if (ways->clocks == MPG_CLOCKS_SHAPE) /* both directions have been given equal medians at the smallest size */
        return 0;
    if (mpg_one_way_compare(list, ways, &asymmetry, &correlation, err) < 0)
        return -1;
    snprintf(text + length, size - length,
             "; forward and backward medians differ by up to %.2g %%, Spearman correlation %.2f",
             100 * asymmetry, correlation);
    return 0;
}

static int describe_one_way(const struct mpg_collect_path *in, const struct mpg_one_way_split *ways,
                       const struct mpg_deconvolution_summary *summary, struct mpg_network_path *out,
                       struct mpg_error *err)
{
    char text[256];
    if (ways->clocks != MPG_CLOCKS_NONE) {
        describe_clocks(ways, "forward and backward times", text, sizeof text);
        if (describe_asymmetry(&in->pingpong, ways, text, sizeof text, err) < 0)
            return -1;
    } else {
        describe_deconvolution(summary, "deconvolution of the round trip",
                    "assumes equal and independent directions", "half the round trip",
                    text, sizeof text);
    }
    out->one_way = strdup(text);
    return out->one_way ? 0 : mpg_collect_no_memory(err);
}

static int make_latency(const struct mpg_collect_path *in, struct mpg_network_path *out,
                        struct mpg_error *err)
{
    struct mpg_one_way_split ways;
    struct mpg_deconvolution_summary summary = {0};
    if (in->pingpong.n == 0)
        return 0;
    if (mpg_one_way_find(&in->pingpong, in->launch, in->launches, in->pairs, true, &ways, err) < 0)
        return -1;
    int status;
    if (ways.clocks != MPG_CLOCKS_NONE) {
        out->one_way_error_ns = ways.error_ns;
        status = make_sizes(&in->pingpong, both_ways, &ways, true, &out->latency, err);
    } else {
        status = mpg_deconvolve_round_trips(&in->pingpong, &summary, &out->latency, err);
        out->one_way_misfit = summary.misfit;
    }
    if (status == 0)
        status = mpg_collect_launches(&in->pingpong,
                                      ways.clocks != MPG_CLOCKS_NONE ? both_ways : NULL, &ways,
                                      in->launches, in->pairs, true, &out->latency, err);
    if (status == 0)
        status = describe_one_way(in, &ways, &summary, out, err);
    mpg_one_way_clear(&ways);
    return status;
}

/* ---- transfers ---- */

/* Adds a header line with TEXT: how the transfer times of path OUT were obtained. */
static int describe_transfer(struct mpg_collect *c, const struct mpg_network_path *out,
                        const char *text, struct mpg_error *err)
{
    char key[64];
    snprintf(key, sizeof key, "transfer, %s", mpg_path_name(out->path));
    return mpg_fact_add(&c->sig->fact, &c->sig->facts, key, text, err);
}

static int make_bandwidth(struct mpg_collect *c, const struct mpg_collect_path *in,
                          struct mpg_network_path *out, struct mpg_error *err)
{
    struct mpg_one_way_split ways;
    char text[256];
    struct mpg_deconvolution_summary summary = {0};
    if (in->bandwidth.n == 0)
        return 0;
    if (mpg_one_way_find(&in->bandwidth, in->transfer, in->transfer_launches, in->pairs,
                         in->bandwidth.size[0].size_bytes == 0, &ways, err) < 0)
        return -1;
    int status;
    if (ways.clocks == MPG_CLOCKS_NONE) {
        status = mpg_deconvolve_transfers(&in->bandwidth, &summary, &out->bandwidth, err);
        describe_deconvolution(&summary, "deconvolution of the time to the acknowledgement",
                    "assumes independence of both", "time to the acknowledgement without half the empty round trip", text,
                    sizeof text);
    } else {
        status = make_sizes(&in->bandwidth, there, &ways, true, &out->bandwidth, err);
        describe_clocks(&ways, "time until the message is there", text, sizeof text);
    }
    if (status == 0)
        status = mpg_collect_launches(&in->bandwidth,
                                      ways.clocks != MPG_CLOCKS_NONE ? there : NULL, &ways,
                                      in->transfer_launches, in->pairs, false, &out->bandwidth,
                                      err);
    if (status == 0)
        status = describe_transfer(c, out, text, err);
    mpg_one_way_clear(&ways);
    return status;
}

/* ---- LogGP ---- */

/* Median times by message size; sizes with median 0 are left out. */
struct medians {
    int64_t *size_bytes;
    double *time_ns;
    struct mpg_loggp_times times;
};

static int find_medians(const struct mpg_network_sizes *from, struct medians *m,
                        struct mpg_error *err)
{
    size_t n = 0;
    m->size_bytes = malloc((from->n + 1) * sizeof *m->size_bytes);
    m->time_ns = malloc((from->n + 1) * sizeof *m->time_ns);
    if (!m->size_bytes || !m->time_ns)
        return mpg_collect_no_memory(err);
    for (size_t i = 0; i < from->n; i++) {
        m->size_bytes[n] = from->size[i].size_bytes;
        m->time_ns[n] = mpg_distribution_quantile(from->size[i].time_ns, 0.5);
        n += m->time_ns[n] > 0;
    }
    m->times = (struct mpg_loggp_times){n, m->size_bytes, m->time_ns};
    return 0;
}

static int find_median(const struct mpg_exchanges *all, double *median_ns, struct mpg_error *err)
{
    size_t n;
    double *times = pick_times(all, whole_time, NULL, &n, err);
    if (!times)
        return -1;
    gsl_sort(times, 1, n);
    *median_ns = gsl_stats_median_from_sorted_data(times, 1, n);
    free(times);
    return 0;
}

/* Sets *GAP_NS to LogGP's g, measured with the smallest streamed message, of *SIZE_BYTES: the time that each further message adds
 * to a stream, (T(n) - T(1)) / (n - 1), where T is the time until the acknowledgement (PRTT(n, 0, s) of Hoefler, Lichei and Rehm,
 * "Low-Overhead LogGP Parameter Assessment for Modern Interconnection Networks", IPDPS 2007). Without T(1): T(n) / n. Stays 0
 * without streams. */
static int find_gap(const struct mpg_collect_path *in, int64_t *size_bytes, double *gap_ns,
                    struct mpg_error *err)
{
    const struct mpg_exchange_sizes *alone = &in->bandwidth;
    double stream_ns, single_ns, n = (double)in->window;
    if (in->stream.n == 0)
        return 0;
    if (find_median(&in->stream.size[0], &stream_ns, err) < 0)
        return -1;
    *size_bytes = in->stream.size[0].size_bytes;
    *gap_ns = stream_ns;
    for (size_t s = 0; s < alone->n; s++) {
        if (alone->size[s].size_bytes != *size_bytes)
            continue;
        if (find_median(&alone->size[s], &single_ns, err) < 0)
            return -1;
        if (n * stream_ns > single_ns)
            *gap_ns = (n * stream_ns - single_ns) / (n - 1);
    }
    return 0;
}

/* Fits LogGP to the one-way times or, without pingpong results, to the transfer times of bandwidth. */
static int fit_loggp(const struct mpg_collect_path *in, struct mpg_network_path *out,
                     struct mpg_error *err)
{
    enum { ONE_WAY, SENDER, LISTS };
    const struct mpg_network_sizes *list[LISTS] = {
        out->latency.n > 0 ? &out->latency : &out->bandwidth, &out->sender};
    struct medians m[LISTS] = {{0}};
    int64_t smallest_bytes = 0;
    double gap_ns = 0;
    int status = find_gap(in, &smallest_bytes, &gap_ns, err);
    struct mpg_loggp_times streaming = {gap_ns > 0, &smallest_bytes, &gap_ns};
    for (int i = 0; i < LISTS && status == 0; i++)
        status = find_medians(list[i], &m[i], err);
    if (status == 0)
        status = mpg_loggp_fit(&m[ONE_WAY].times, &m[SENDER].times, &streaming,
                               out->eager_limit_bytes, &out->loggp, err);
    for (int i = 0; i < LISTS; i++) {
        free(m[i].time_ns);
        free(m[i].size_bytes);
    }
    return status;
}

/* Adds the distributions of single launches to OUT's call overheads. If overheads were not measured: to the times inside the send
 * from the bandwidth benchmark. */
static int make_launches(const struct mpg_collect_path *in, struct mpg_network_path *out,
                         struct mpg_error *err)
{
    if (out->send_overhead.n == 0 &&
        mpg_collect_launches(&in->bandwidth, send_time, NULL, in->transfer_launches, in->pairs,
                             false, &out->sender, err) < 0)
        return -1;
    if (mpg_collect_launches(&in->overhead, send_time, NULL, in->overhead_launches, in->pairs,
                             false, &out->send_overhead, err) < 0)
        return -1;
    return mpg_collect_launches(&in->overhead, whole_time, NULL, in->overhead_launches, in->pairs,
                                false, &out->receive_overhead, err);
}

/* Makes the times of one-sided operations, pooled and by launch. */
static int make_one_sided(const struct mpg_collect_path *in, struct mpg_network_path *out, struct mpg_error *err)
{
    for (int o = 0; o < MPG_ONE_SIDED_OPERATIONS; o++) {
        const struct mpg_exchange_sizes *from = &in->one_sided[o];
        struct mpg_one_sided_times *to = &out->one_sided[o];
        if (make_sizes(from, send_time, NULL, false, &to->call, err) < 0 ||
            make_sizes(from, whole_time, NULL, false, &to->complete, err) < 0 ||
            mpg_collect_launches(from, send_time, NULL, in->one_sided_launches, in->pairs, false, &to->call, err) < 0 ||
            mpg_collect_launches(from, whole_time, NULL, in->one_sided_launches, in->pairs, false, &to->complete, err) < 0)
            return mpg_error_prefix(err, "%s", mpg_one_sided_name((enum mpg_one_sided)o));
    }
    return 0;
}

/* Makes the overlaps of transfers with computation, pooled and by launch. */
static int make_overlap(const struct mpg_collect_path *in, struct mpg_network_path *out, struct mpg_error *err)
{
    for (int side = 0; side < MPG_OVERLAP_SIDES; side++) {
        const struct mpg_exchange_sizes *from = &in->overlap[side];
        struct mpg_overlap *to = &out->overlap[side];
        if (make_sizes(from, send_time, NULL, false, &to->alone, err) < 0 ||
            make_sizes(from, whole_time, NULL, false, &to->share, err) < 0 ||
            mpg_collect_launches(from, whole_time, NULL, in->overlap_launches, in->pairs, false, &to->share, err) < 0)
            return mpg_error_prefix(err, "overlap: %s", mpg_overlap_name((enum mpg_overlap_side)side));
    }
    return 0;
}

int mpg_collect_make_path(struct mpg_collect *c, const struct mpg_collect_path *in,
                          struct mpg_network_path *out, struct mpg_error *err)
{
    out->eager_limit_bytes = MPG_EAGER_LIMIT_UNKNOWN;
    out->window = in->window;
    if (make_latency(in, out, err) < 0 || make_bandwidth(c, in, out, err) < 0 ||
        make_sizes(&in->pingpong, whole_time, NULL, false, &out->round_trip, err) < 0 ||
        make_sizes(&in->bandwidth, send_time, NULL, false, &out->sender, err) < 0 ||
        make_sizes(&in->stream, whole_time, NULL, false, &out->streaming, err) < 0 ||
        make_sizes(&in->overhead, send_time, NULL, false, &out->send_overhead, err) < 0 ||
        make_sizes(&in->overhead, whole_time, NULL, false, &out->receive_overhead, err) < 0 ||
        make_launches(in, out, err) < 0 || make_one_sided(in, out, err) < 0 || make_overlap(in, out, err) < 0)
        return -1;
    if (in->eager_limits > 0) { /* launches may find different limits; the lower median is the limit of one of the launches */
        gsl_sort(in->eager_limit_bytes, 1, in->eager_limits);
        out->eager_limit_bytes = (int64_t)in->eager_limit_bytes[(in->eager_limits - 1) / 2];
    }
    return fit_loggp(in, out, err) < 0 ? -1 : mpg_collect_groups(c, in, out, err);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Comparison of noise and compute rates, pooled over the cores of each signature. */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "signature/diff/compare_private.h"
#include "statistics/inference.h"
#include "statistics/spectrum.h"

static const struct launches no_launches = {0, INFINITY};

/* Makes later tests treat D as WORTH independent samples. */
static void set_independent(struct mpg_distribution *d, double worth)
{
    d->n = (size_t)fmin(fmax(worth, 1), MPG_INFERENCE_MAX_SAMPLES);
    d->lag1 = 0;
}

/* ---- detours ---- */

enum { BLOCKS = 32 }; /* number of blocks of a complete record, whose scatter gives the variance */

/* Detours of at least the threshold of both signatures, over all cores: percent of time lost, detours per second,
 * durations. Variances come from blocks of the record, because detours come in bursts. */
struct record {
    struct estimate fraction, rate;
    double *duration_ns; /* the N durations, core after core */
    size_t n;
    double worth;        /* effective sample size: number of independent durations with the same precision */
};

/* Returns the effective sample size of N values with the given autocorrelations at lags 1 to LAGS: N / (1 + 2 sum), summed up to
 * the first nonpositive autocorrelation. */
static double independent(size_t n, const double *autocorrelation, size_t lags)
{
    double sum = 0;
    for (size_t i = 0; i < lags && autocorrelation[i] > 0; i++)
        sum += autocorrelation[i];
    return fmax(1, (double)n / (1 + 2 * sum));
}

/* Computes *WORTH, the effective sample size of the N durations in time order, from logarithms: logarithms show the similarity of
 * neighbours in a burst, and keep a few very long detours from dominating. */
static int independent_durations(const double *duration_ns, size_t n, double *worth,
                                 struct mpg_error *err)
{
    enum { LAGS = 256 };
    double autocorrelation[LAGS], bound, *logarithm;
    size_t lags = n > LAGS ? LAGS : n > 1 ? n - 1 : 0;
    int status = 0;
    *worth = (double)n;
    if (lags == 0)
        return 0;
    if (!(logarithm = malloc(n * sizeof *logarithm)))
        return mpg_error_set(err, "out of memory");
    for (size_t i = 0; i < n; i++)
        logarithm[i] = log(fmax(duration_ns[i], 1));
    if (mpg_autocorrelation(logarithm, n, lags, autocorrelation, &bound, err) < 0)
        status = -1;
    else
        *worth = independent(n, autocorrelation, lags);
    free(logarithm);
    return status;
}

/* Returns the sum of N block values. *VARIANCE_OF_MEAN becomes the variance of the mean, by the effective number of independent
 * blocks, since slow variation spans several blocks. */
static double sum_of(const double *value, size_t n, double *variance_of_mean)
{
    double sum = 0, squares = 0, products = 0, count = (double)n;
    for (size_t i = 0; i < n; i++)
        sum += value[i];
    for (size_t i = 0; i < n; i++) {
        squares += (value[i] - sum / count) * (value[i] - sum / count);
        products += i > 0 ? (value[i - 1] - sum / count) * (value[i] - sum / count) : 0;
    }
    double lag1 = squares > 0 ? products / squares : 0;
    *variance_of_mean = n > 1 ? squares / (count - 1) / mpg_effective_samples(n, lag1) : 0;
    return sum;
}

/* Adds the mean of N block values to *SUM, the mean's variance to *VARIANCE, and variance^2 / (N - 1) to *FREEDOM_TERMS (for
 * Welch and Satterthwaite's degrees of freedom). */
static void add_parts(const double *value, size_t n, double *sum, double *variance,
                      double *freedom_terms)
{
    double v;
    *sum += sum_of(value, n, &v) / (double)n;
    *variance += v;
    *freedom_terms += n > 1 ? v * v / (double)(n - 1) : 0;
}

/* Returns whether detour I of C's sampled blocks is also in the core's list of all longest detours. */
static bool is_longest(const struct mpg_noise_core *c, size_t i)
{
    return c->detours > 0 && c->blocks.duration_ns[i] >= c->blocks.min_ns;
}

/* Adds the sampled blocks of the truncated record C. Lost time and rate exclude the longest detours, which add_blocks() counts
 * from the core's list; durations include all detours in the blocks. */
static void add_kept(const struct mpg_noise_core *c, double threshold_ns, struct record *record,
                     double freedom_terms[2])
{
    double lost[MPG_SIGNATURE_MAX_BLOCKS], detours[MPG_SIGNATURE_MAX_BLOCKS];
    const struct mpg_noise_blocks *b = &c->blocks;
    for (size_t k = 0; k < b->n; k++) {
        const struct mpg_noise_block *block = &b->block[k];
        double length_ns = block->to_ns - block->from_ns;
        lost[k] = detours[k] = 0;
        for (size_t i = block->first; i < block->first + block->detours; i++) {
            if (b->duration_ns[i] < threshold_ns)
                continue;
            record->duration_ns[record->n++] = b->duration_ns[i];
            if (is_longest(c, i))
                continue;
            lost[k] += b->duration_ns[i] / length_ns;
            detours[k] += 1e9 / length_ns;
        }
    }
    add_parts(lost, b->n, &record->fraction.value, &record->fraction.log_variance,
              &freedom_terms[0]);
    add_parts(detours, b->n, &record->rate.value, &record->rate.log_variance, &freedom_terms[1]);
}

/* Adds the lost time, rate and durations of core C's record, divided into BLOCKS equal blocks. */
static int add_blocks(const struct mpg_noise_core *c, double threshold_ns, struct record *record,
                      double freedom_terms[2], struct mpg_error *err)
{
    double lost[BLOCKS] = {0}, detours[BLOCKS] = {0}, worth;
    size_t before = record->n;
    double length_ns = c->span_ns / BLOCKS;
    for (size_t i = 0; i < c->detours; i++) {
        if (c->duration_ns[i] < threshold_ns)
            continue;
        size_t block = (size_t)fmin(c->start_ns[i] / length_ns, BLOCKS - 1);
        lost[block] += c->duration_ns[i] / length_ns;
        detours[block] += 1e9 / length_ns;
        if (c->blocks.recorded == 0) /* complete record. Of a truncated record only the sampled blocks give durations: the
                                        longest detours would be over-represented */
            record->duration_ns[record->n++] = c->duration_ns[i];
    }
    add_parts(lost, BLOCKS, &record->fraction.value, &record->fraction.log_variance,
              &freedom_terms[0]);
    add_parts(detours, BLOCKS, &record->rate.value, &record->rate.log_variance,
              &freedom_terms[1]);
    if (c->blocks.recorded > 0)
        add_kept(c, threshold_ns, record, freedom_terms);
    if (independent_durations(record->duration_ns + before, record->n - before, &worth, err) < 0)
        return -1;
    record->worth += worth;
    return 0;
}

/* Converts E: from the sum over N cores and the sum's variance to the mean over the cores and its relative variance.
 * FREEDOM_TERMS: collected by add_parts(). */
static void finish(struct estimate *e, double n, double freedom_terms)
{
    e->freedom = freedom_terms > 0 ? e->log_variance * e->log_variance / freedom_terms : BLOCKS - 1;
    e->log_variance = e->value > 0 ? e->log_variance / (e->value * e->value) : 0;
    e->value /= n;
}

/* Computes *RECORD from the detours of all cores of SIG of at least THRESHOLD_NS. Returns 1, or 0 if no core has a
 * record, -1 with ERR. */
static int read_record(const struct mpg_signature *sig, double threshold_ns, struct record *record,
                       struct mpg_error *err)
{
    double terms[2] = {0}, cores = 0;
    size_t detours = 0;
    for (size_t i = 0; i < sig->cores; i++)
        detours += sig->core[i].detours + sig->core[i].blocks.detours;
    if (!(record->duration_ns = malloc((detours + 1) * sizeof *record->duration_ns)))
        return mpg_error_set(err, "out of memory");
    for (size_t i = 0; i < sig->cores; i++)
        if (sig->core[i].span_ns > 0) {
            if (add_blocks(&sig->core[i], threshold_ns, record, terms, err) < 0)
                return -1;
            cores++;
        }
    if (cores == 0)
        return 0;
    finish(&record->fraction, cores, terms[0]);
    finish(&record->rate, cores, terms[1]);
    record->fraction.value *= 100;
    return 1;
}

static double threshold_of(const struct mpg_signature *sig)
{
    double threshold_ns = 0;
    for (size_t i = 0; i < sig->cores; i++)
        threshold_ns = fmax(threshold_ns, sig->core[i].threshold_ns);
    return threshold_ns;
}

static int compare_durations(struct comparison *c, const struct record *a, const struct record *b,
                             struct mpg_error *err)
{
    if (a->n == 0 || b->n == 0)
        return 0;
    int status = -1;
    struct mpg_distribution *da, *db = NULL;
    da = mpg_distribution_from_samples(a->duration_ns, a->n, MPG_DISTRIBUTION_KNOTS, err);
    if (da)
        db = mpg_distribution_from_samples(b->duration_ns, b->n, MPG_DISTRIBUTION_KNOTS, err);
    if (db) {
        set_independent(da, a->worth);
        set_independent(db, b->worth);
        status = mpg_diff_samples(c, "noise: detour's duration", MPG_TIME_NS, NULL, da, db,
                                  &no_launches, &no_launches, err);
    }
    mpg_distribution_free(da);
    mpg_distribution_free(db);
    return status;
}

static int compare_records(struct comparison *c, struct mpg_error *err)
{
    /* each signature records detours above a threshold: only detours above both thresholds are comparable */
    double threshold_ns = fmax(threshold_of(c->a), threshold_of(c->b));
    struct record a = {0}, b = {0};
    int status = -1, has_a = read_record(c->a, threshold_ns, &a, err);
    int has_b = has_a < 0 ? -1 : read_record(c->b, threshold_ns, &b, err);
    if (has_a < 0 || has_b < 0) {
        status = -1;
    } else if (has_a && has_b) {
        struct mpg_parameter *item = mpg_diff_add_parameter(c, err, MPG_PERCENT, "noise: lost to detours");
        if (item)
            mpg_diff_estimates(item, &a.fraction, &b.fraction);
        if (item && (item = mpg_diff_add_parameter(c, err, MPG_PER_SECOND, "noise: detours"))) {
            item->unit = "/s";
            mpg_diff_estimates(item, &a.rate, &b.rate);
            status = compare_durations(c, &a, &b, err);
        }
    } else if (has_a || has_b) {
        status = mpg_diff_untested(c, "noise: lost to detours", MPG_PERCENT, NULL,
                              has_a ? a.fraction.value : NAN, has_b ? b.fraction.value : NAN,
                              has_a ? "measured only in a" : "measured only in b", err);
    } else {
        status = 0;
    }
    free(a.duration_ns);
    free(b.duration_ns);
    return status;
}

/* ---- pooled distributions ---- */

struct pool {
    double *value;       /* the N quantiles of all distributions, MPG_DISTRIBUTION_KNOTS of each */
    size_t n;
    double samples;      /* number of independent samples behind these quantiles */
    double mean, variance; /* sums over the distributions: of means, and of the variances of means */
    size_t distributions;
    struct mpg_distribution *d;
};

static int pool_add(struct pool *pool, const struct mpg_distribution *d, double samples)
{
    double *grown = realloc(pool->value, (pool->n + MPG_DISTRIBUTION_KNOTS) * sizeof *grown);
    if (!grown)
        return -1;
    pool->value = grown;
    for (int k = 0; k < MPG_DISTRIBUTION_KNOTS; k++)
        grown[pool->n++] =
            mpg_distribution_quantile(d, (double)k / (MPG_DISTRIBUTION_KNOTS - 1));
    pool->samples += samples;
    pool->mean += d->mean;
    pool->variance += d->sd * d->sd / samples;
    pool->distributions++;
    return 0;
}

static int pool_finish(struct pool *pool, struct mpg_error *err)
{
    pool->d = mpg_distribution_from_samples(pool->value, pool->n, MPG_DISTRIBUTION_KNOTS, err);
    if (!pool->d)
        return -1;
    set_independent(pool->d, pool->samples); /* from_samples() has taken the quantiles for samples */
    return 0;
}

static void pool_clear(struct pool *pool)
{
    mpg_distribution_free(pool->d);
    free(pool->value);
}

/* ---- quanta ---- */

static const struct mpg_noise_quanta *quanta_of(const struct mpg_noise_core *c, bool work)
{
    return work ? &c->fwq : &c->ftq;
}

static int pool_quanta(const struct mpg_signature *sig, bool work, struct pool *pool,
                       double *quantum_ns)
{
    for (size_t i = 0; i < sig->cores; i++) {
        const struct mpg_noise_quanta *q = quanta_of(&sig->core[i], work);
        if (!q->lost_ns)
            continue;
        double n = work || sig->core[i].lags == 0
                       ? mpg_effective_samples(q->lost_ns->n, q->lost_ns->lag1)
                       : independent(q->lost_ns->n, sig->core[i].autocorrelation,
                                     sig->core[i].lags);
        if (pool_add(pool, q->lost_ns, n) < 0)
            return -1;
        *quantum_ns += q->quantum_ns;
    }
    if (pool->distributions > 0)
        *quantum_ns /= (double)pool->distributions;
    return 0;
}

/* Returns the mean lost time in percent of the quantum. */
static struct estimate lost_of(const struct pool *pool, double quantum_ns)
{
    double n = (double)pool->distributions;
    return (struct estimate){
        .value = 100 * pool->mean / n / quantum_ns,
        .log_variance = pool->mean > 0 ? pool->variance / (pool->mean * pool->mean) : 0,
        .freedom = fmax(1, pool->samples - n)};
}

static int compare_pools(struct comparison *c, const char *name, struct pool *a, struct pool *b,
                         const double quantum_ns[2], struct mpg_error *err)
{
    char text[64];
    struct estimate lost_a = lost_of(a, quantum_ns[0]), lost_b = lost_of(b, quantum_ns[1]);
    snprintf(text, sizeof text, "noise: lost in %s quanta", name);
    struct mpg_parameter *item = mpg_diff_add_parameter(c, err, MPG_PERCENT, "%s", text);
    if (!item)
        return -1;
    mpg_diff_estimates(item, &lost_a, &lost_b);
    /* quanta of different length lose different times, and distributions are not comparable */
    if (fabs(quantum_ns[0] / quantum_ns[1] - 1) > 0.01)
        return 0;
    if (pool_finish(a, err) < 0 || pool_finish(b, err) < 0)
        return -1;
    snprintf(text, sizeof text, "noise: lost in one %s quantum", name);
    return mpg_diff_samples(c, text, MPG_TIME_NS, NULL, a->d, b->d, &no_launches, &no_launches, err);
}

static int compare_quanta(struct comparison *c, bool work, struct mpg_error *err)
{
    const char *name = work ? "FWQ" : "FTQ";
    char text[64];
    struct pool a = {0}, b = {0};
    double quantum_ns[2] = {0};
    int status = 0;
    if (pool_quanta(c->a, work, &a, &quantum_ns[0]) < 0 ||
        pool_quanta(c->b, work, &b, &quantum_ns[1]) < 0) {
        status = mpg_error_set(err, "out of memory");
    } else if (a.distributions > 0 && b.distributions > 0) {
        status = compare_pools(c, name, &a, &b, quantum_ns, err);
    } else if (a.distributions + b.distributions > 0) {
        snprintf(text, sizeof text, "noise: lost in %s quanta", name);
        status = mpg_diff_untested(c, text, MPG_PERCENT, NULL,
                              a.distributions ? lost_of(&a, quantum_ns[0]).value : NAN,
                              b.distributions ? lost_of(&b, quantum_ns[1]).value : NAN,
                              a.distributions ? "measured only in a" : "measured only in b", err);
    }
    pool_clear(&a);
    pool_clear(&b);
    return status;
}

/* ---- spectral lines ---- */

/* Returns SIG's strongest fundamental near FREQUENCY_HZ, or NULL. A frequency is accurate to a fraction of a bin of the spectrum,
 * and lines two bins apart are different. */
static const struct mpg_noise_line *find_line(const struct mpg_signature *sig, double frequency_hz)
{
    const struct mpg_noise_line *best = NULL;
    for (size_t i = 0; i < sig->cores; i++)
        for (size_t j = 0; j < sig->core[i].lines; j++) {
            const struct mpg_noise_line *line = &sig->core[i].line[j];
            double apart = fmax(2 * sig->core[i].spectrum.step, 0.005 * frequency_hz);
            if (line->harmonic_of_hz == 0 && fabs(line->frequency_hz - frequency_hz) <= apart &&
                (!best || line->amplitude_ns > best->amplitude_ns))
                best = line;
        }
    return best;
}

/* Lists the spectral lines of SIG beside the lines of OTHER. Lines of both are listed only for signature A. */
static int list_lines(struct comparison *c, const struct mpg_signature *sig,
                      const struct mpg_signature *other, struct mpg_error *err)
{
    for (size_t i = 0; i < sig->cores; i++)
        for (size_t j = 0; j < sig->core[i].lines; j++) {
            const struct mpg_noise_line *line = &sig->core[i].line[j];
            char text[64];
            if (line != find_line(sig, line->frequency_hz) ||
                (sig == c->b && find_line(other, line->frequency_hz)))
                continue;
            const struct mpg_noise_line *there = find_line(other, line->frequency_hz);
            double there_ns = there ? there->amplitude_ns : NAN;
            bool first = sig == c->a;
            snprintf(text, sizeof text, "noise: amplitude of line at %.5g Hz", line->frequency_hz);
            if (mpg_diff_untested(c, text, MPG_TIME_NS, NULL, first ? line->amplitude_ns : there_ns,
                             first ? there_ns : line->amplitude_ns,
                             there ? "not tested" : first ? "measured only in a" : "measured only in b", err) < 0)
                return -1;
            c->result->item[c->result->n - 1].detail = there != NULL;
        }
    return 0;
}

int mpg_diff_noise(struct comparison *c, struct mpg_error *err)
{
    if (compare_records(c, err) < 0 || compare_quanta(c, false, err) < 0 ||
        compare_quanta(c, true, err) < 0 || list_lines(c, c->a, c->b, err) < 0)
        return -1;
    /* a signature compared with itself has no second list */
    return c->a == c->b ? 0 : list_lines(c, c->b, c->a, err);
}

/* ---- compute rates ---- */

static bool is_alike(const struct mpg_compute_rate *x, const struct mpg_compute_rate *y)
{
    return strcmp(x->kernel, y->kernel) == 0 && x->cores_at_once == y->cores_at_once;
}

static int pool_rates(const struct mpg_signature *sig, const struct mpg_compute_rate *like,
                      struct pool *pool)
{
    for (size_t i = 0; i < sig->rates; i++) {
        const struct mpg_distribution *d = sig->rate[i].rate;
        if (is_alike(&sig->rate[i], like) &&
            pool_add(pool, d, mpg_effective_samples(d->n, d->lag1)) < 0)
            return -1;
    }
    return 0;
}

static int compare_rates(struct comparison *c, const struct mpg_compute_rate *like,
                         struct mpg_error *err)
{
    struct pool a = {0}, b = {0};
    char name[128];
    int status = -1;
    snprintf(name, sizeof name, "compute: %.60s, %d at once", like->kernel, like->cores_at_once);
    if (pool_rates(c->a, like, &a) < 0 || pool_rates(c->b, like, &b) < 0) {
        mpg_error_set(err, "out of memory");
    } else if ((a.n == 0 || pool_finish(&a, err) == 0) && (b.n == 0 || pool_finish(&b, err) == 0)) {
        if (a.d && b.d)
            status = mpg_diff_samples(c, name, MPG_PER_SECOND, like->unit, a.d, b.d, &no_launches,
                                      &no_launches, err);
        else
            status = mpg_diff_untested(c, name, MPG_PER_SECOND, like->unit,
                                  a.d ? mpg_distribution_quantile(a.d, 0.5) : NAN,
                                  b.d ? mpg_distribution_quantile(b.d, 0.5) : NAN,
                                  a.d ? "measured only in a" : "measured only in b", err);
    }
    pool_clear(&a);
    pool_clear(&b);
    return status;
}

static bool is_there(const struct mpg_compute_rate *rate, size_t n,
                     const struct mpg_compute_rate *like)
{
    for (size_t i = 0; i < n; i++)
        if (is_alike(&rate[i], like))
            return true;
    return false;
}

int mpg_diff_compute(struct comparison *c, struct mpg_error *err)
{
    for (size_t i = 0; i < c->a->rates; i++)
        if (!is_there(c->a->rate, i, &c->a->rate[i]) && compare_rates(c, &c->a->rate[i], err) < 0)
            return -1;
    for (size_t i = 0; i < c->b->rates; i++)
        if (!is_there(c->b->rate, i, &c->b->rate[i]) &&
            !is_there(c->a->rate, c->a->rates, &c->b->rate[i]) &&
            compare_rates(c, &c->b->rate[i], err) < 0)
            return -1;
    return 0;
}

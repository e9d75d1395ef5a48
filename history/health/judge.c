/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compares the signatures of each host with its first ones. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/text_stream.h"
#include "history/health/health.h"
#include "statistics/rank.h"

static bool is_noise(const struct mpg_parameter *item)
{
    return strncmp(item->name, "noise:", strlen("noise:")) == 0;
}

enum health_change mpg_health_change(const struct mpg_parameter *item)
{
    const bool grows = isnan(item->ratio) ? item->b > item->a : item->ratio > 1;
    if (is_noise(item))
        return grows ? HEALTH_NOISIER : HEALTH_QUIETER;
    switch (item->quantity) {
    case MPG_TIME_NS:
        return grows ? HEALTH_SLOWER : HEALTH_FASTER;
    case MPG_PER_SECOND:
        return grows ? HEALTH_FASTER : HEALTH_SLOWER;
    default:
        return HEALTH_OTHER;
    }
}

const struct health_entry *mpg_health_last(const struct health_host *host)
{
    return &host->entry[host->n - 1];
}

bool mpg_health_is_worse(const struct health_host *host)
{
    const struct health_entry *last = mpg_health_last(host);
    return last->baseline >= HEALTH_MIN_BASELINE && last->count[HEALTH_SLOWER] + last->count[HEALTH_NOISIER] > 0;
}

/* Stores in *MEDIAN the median of the smallest visible changes of E's parameters of noise, or of the others; NaN: none. */
static int median_smallest(const struct health_entry *e, bool noise, double tolerance, double *median, struct mpg_error *err)
{
    double *smallest = malloc((e->since_first.n + 1) * sizeof *smallest);
    size_t n = 0;
    *median = NAN;
    for (size_t i = 0; smallest && i < e->since_first.n; i++) {
        const struct mpg_parameter *item = &e->since_first.item[i];
        if (is_noise(item) == noise && item->verdict != MPG_VERDICT_NONE && item->low > 0)
            smallest[n++] = (1 + tolerance) * sqrt(item->high / item->low); /* the interval is symmetric on a logarithmic scale */
    }
    const int status = !smallest ? mpg_error_set(err, "out of memory") : n > 0 ? mpg_median(smallest, n, median, err) : 0;
    free(smallest);
    return status;
}

int mpg_health_smallest(const struct health *h, const struct health_entry *e, struct health_smallest *smallest,
                        struct mpg_error *err)
{
    const double tolerance = h->options->tolerance;
    return median_smallest(e, false, tolerance, &smallest->speed, err) < 0 ||
                   median_smallest(e, true, tolerance, &smallest->noise, err) < 0 ? -1 : 0;
}

/* Appends the signature KEPT to H, unless the signature is of another host than wanted. */
static int add(void *health, struct mpg_history_signature *kept, struct mpg_error *err)
{
    struct health *h = health;
    if (h->options->host && strcmp(h->options->host, kept->host) != 0)
        return 0;
    struct health_entry *grown = realloc(h->entry, (h->n + 1) * sizeof *grown);
    if (!grown)
        return mpg_error_set(err, "out of memory");
    h->entry = grown;
    struct health_entry *e = &grown[h->n++];
    *e = (struct health_entry){.kept = *kept};
    *kept = (struct mpg_history_signature){.id = 0};
    e->signature = mpg_signature_parse(e->kept.text, e->kept.bytes, e->kept.path, err);
    free(e->kept.text);
    e->kept.text = NULL;
    return e->signature ? 0 : mpg_error_prefix(err, "%s: signature %lld", h->options->history, (long long)e->kept.id);
}

static int by_host(const void *a, const void *b)
{
    const struct health_entry *x = a, *y = b;
    const int hosts = strcmp(x->kept.host, y->kept.host), times = strcmp(x->kept.measured, y->kept.measured);
    return hosts != 0 ? hosts : times != 0 ? times : (x->kept.id > y->kept.id) - (x->kept.id < y->kept.id);
}

static int find_hosts(struct health *h, struct mpg_error *err)
{
    qsort(h->entry, h->n, sizeof *h->entry, by_host);
    if (!(h->host = calloc(h->n, sizeof *h->host)))
        return mpg_error_set(err, "out of memory");
    for (size_t i = 0; i < h->n; i++) {
        struct health_entry *e = &h->entry[i];
        if (i == 0 || strcmp(e->kept.host, h->entry[i - 1].kept.host) != 0)
            h->host[h->hosts++] = (struct health_host){.name = e->kept.host, .entry = e};
        h->host[h->hosts - 1].n++;
    }
    return 0;
}

/* Returns 1 if ITEM became worse, 0 if better, 2 if neither is better. A common false discovery rate would permit a false
 * "slower" for each twenty parameters that really became faster. */
static int direction_of(const struct mpg_parameter *item)
{
    const enum health_change change = mpg_health_change(item);
    return change == HEALTH_OTHER ? 2 : change == HEALTH_SLOWER || change == HEALTH_NOISIER;
}

/* Compares entry K >= 1 of HOST with the baseline before K. */
static int compare_with_first(const struct health *h, const struct health_host *host, size_t k, struct mpg_error *err)
{
    struct health_entry *e = &host->entry[k];
    struct mpg_signature *repeat[MPG_COMPARE_MAX_REPEATS];
    e->baseline = k < (size_t)h->options->baseline ? k : (size_t)h->options->baseline;
    struct mpg_compare_options options = {.tolerance = h->options->tolerance, .spread = MPG_COMPARE_SPREAD, .repeat = repeat,
                                          .direction = direction_of};
    for (size_t i = 1; i < e->baseline && e->baseline >= HEALTH_MIN_BASELINE; i++)
        repeat[options.repeats++] = host->entry[i].signature;
    if (mpg_compare(host->entry[0].signature, e->signature, &options, &e->since_first, err) < 0)
        return -1;
    for (size_t i = 0; i < e->since_first.n; i++)
        if (e->since_first.item[i].verdict == MPG_VERDICT_BEYOND)
            e->count[mpg_health_change(&e->since_first.item[i])]++;
    return 0;
}

/* Compares entry K >= 1 of HOST with the entry before. */
static int compare_with_last(const struct health *h, const struct health_host *host, size_t k, struct mpg_error *err)
{
    struct health_entry *e = &host->entry[k];
    const struct mpg_compare_options options = {.tolerance = h->options->tolerance, .spread = MPG_COMPARE_SPREAD};
    struct mpg_difference since;
    size_t bytes = 0;
    if (mpg_compare(host->entry[k - 1].signature, e->signature, &options, &since, err) < 0)
        return -1;
    e->since_last = since.count[MPG_VERDICT_BEYOND];
    FILE *memory = open_memstream(&e->headers, &bytes);
    for (size_t i = 0; memory && i < since.facts; i++)
        fprintf(memory, "%s%s", i > 0 ? ", " : "", since.fact[i].key);
    mpg_difference_clear(&since);
    return memory && mpg_text_end(memory, &e->headers) ? 0 : mpg_error_set(err, "out of memory");
}

int mpg_health_make(struct health *h, const struct health_options *options, struct mpg_error *err)
{
    *h = (struct health){.options = options};
    if (mpg_history_each_signature(options->history, add, h, err) < 0)
        return -1;
    if (h->n == 0)
        return mpg_error_set(err, "%s: no signature%s%s: 'mpghistory keep X.sig' keeps one", options->history,
                             options->host ? " of " : "", options->host ? options->host : "");
    if (find_hosts(h, err) < 0)
        return -1;
    for (size_t i = 0; i < h->hosts; i++)
        for (size_t k = 1; k < h->host[i].n; k++)
            if (compare_with_first(h, &h->host[i], k, err) < 0 || compare_with_last(h, &h->host[i], k, err) < 0)
                return -1;
    return 0;
}

void mpg_health_clear(struct health *h)
{
    for (size_t i = 0; i < h->n; i++) {
        mpg_history_signature_clear(&h->entry[i].kept);
        mpg_signature_free(h->entry[i].signature);
        mpg_difference_clear(&h->entry[i].since_first);
        free(h->entry[i].headers);
    }
    free(h->entry);
    free(h->host);
}

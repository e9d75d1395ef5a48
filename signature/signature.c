/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Signatures in memory: facts, what follows from detours, checks, release. */
#include "signature/signature.h"

#include <jansson.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

const char *mpg_fact_find(const struct mpg_fact *fact, size_t n, const char *key)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(fact[i].key, key) == 0)
            return fact[i].value;
    return NULL;
}

/* Whether TEXT is one line of UTF-8, which jansson knows to tell. */
static bool is_line(const char *text)
{
    for (const char *p = text; *p; p++)
        if ((unsigned char)*p < ' ' && *p != '\t')
            return false;
    json_t *string = json_string(text);
    json_decref(string);
    return string != NULL;
}

int mpg_fact_add(struct mpg_fact **fact, size_t *n, const char *key, const char *value,
                 struct mpg_error *err)
{
    if (!is_line(key) || !is_line(value))
        return mpg_error_set(err, "text is not one line of UTF-8");
    struct mpg_fact *grown = realloc(*fact, (*n + 1) * sizeof *grown);
    if (grown)
        *fact = grown;
    struct mpg_fact added = {strdup(key), strdup(value)};
    if (!grown || !added.key || !added.value) {
        free(added.key);
        free(added.value);
        return mpg_error_set(err, "out of memory");
    }
    grown[(*n)++] = added;
    return 0;
}

void mpg_fact_free(struct mpg_fact *fact, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        free(fact[i].key);
        free(fact[i].value);
    }
    free(fact);
}

static const char *const path_names[MPG_PATHS] = {
    [MPG_PATH_COMPLEX] = "core complex",
    [MPG_PATH_NODE] = "node",
    [MPG_PATH_BETWEEN] = "between nodes",
};

const char *mpg_path_name(enum mpg_path_class path)
{
    return path_names[path];
}

enum mpg_path_class mpg_path_find(const char *text)
{
    int path = 0;
    while (path < MPG_PATHS && strcmp(path_names[path], text) != 0)
        path++;
    return (enum mpg_path_class)path;
}

const struct mpg_network_path *mpg_signature_path(const struct mpg_signature *sig,
                                                  enum mpg_path_class path)
{
    for (size_t i = 0; i < sig->paths; i++)
        if (sig->network[i].path == path)
            return &sig->network[i];
    return NULL;
}

const struct mpg_network_path *mpg_signature_farthest(const struct mpg_signature *sig)
{
    return sig->paths > 0 ? &sig->network[sig->paths - 1] : NULL;
}

static void free_sizes(struct mpg_network_sizes *sizes)
{
    for (size_t i = 0; i < sizes->n; i++)
        mpg_distribution_free(sizes->size[i].time_ns);
    free(sizes->size);
}

static void free_groups(struct mpg_network_group *group, size_t n)
{
    for (size_t i = 0; i < n; i++)
        free(group[i].name);
    free(group);
}

static void free_path(struct mpg_network_path *p)
{
    free_groups(p->pair, p->pairs);
    free_groups(p->launch, p->launches);
    free(p->loggp.segment);
    free_sizes(&p->streaming);
    free_sizes(&p->sender);
    free_sizes(&p->bandwidth);
    free_sizes(&p->round_trip);
    free_sizes(&p->latency);
    free(p->one_way);
}

static void free_core(struct mpg_noise_core *c)
{
    mpg_fact_free(c->event, c->events);
    free(c->autocorrelation);
    free(c->line);
    free(c->spectrum.mean);
    free(c->spectrum.most);
    free(c->series.mean);
    free(c->series.most);
    mpg_distribution_free(c->fwq.lost_ns);
    mpg_distribution_free(c->ftq.lost_ns);
    mpg_distribution_free(c->length_ns);
    mpg_distribution_free(c->gap_ns);
    free(c->duration_ns);
    free(c->start_ns);
    free(c->host);
}

static void free_rate(struct mpg_compute_rate *r)
{
    mpg_distribution_free(r->rate);
    free(r->host);
    free(r->unit);
    free(r->kernel);
}

void mpg_signature_free(struct mpg_signature *sig)
{
    if (!sig)
        return;
    for (size_t i = 0; i < sig->rates; i++)
        free_rate(&sig->rate[i]);
    free(sig->rate);
    for (size_t i = 0; i < sig->collectives; i++) {
        mpg_distribution_free(sig->collective[i].time_ns);
        free(sig->collective[i].operation);
    }
    free(sig->collective);
    for (size_t i = 0; i < sig->paths; i++)
        free_path(&sig->network[i]);
    free(sig->network);
    for (size_t i = 0; i < sig->cores; i++)
        free_core(&sig->core[i]);
    free(sig->core);
    mpg_fact_free(sig->source, sig->sources);
    mpg_fact_free(sig->fact, sig->facts);
    free(sig->path);
    free(sig);
}

/* The times between the end of each detour of C and the start of the next. */
static struct mpg_distribution *gaps(const struct mpg_noise_core *c, struct mpg_error *err)
{
    size_t n = c->detours - 1;
    double *gap = malloc(n * sizeof *gap);
    if (!gap) {
        mpg_error_set(err, "out of memory for %zu gaps", n);
        return NULL;
    }
    for (size_t i = 0; i < n; i++)
        gap[i] = fmax(0, c->start_ns[i + 1] - (c->start_ns[i] + c->duration_ns[i]));
    struct mpg_distribution *d =
        mpg_distribution_from_samples(gap, n, MPG_DISTRIBUTION_KNOTS, err);
    free(gap);
    return d;
}

int mpg_noise_core_derive(struct mpg_noise_core *core, struct mpg_error *err)
{
    struct mpg_distribution *gap = core->gap_ns, *length = core->length_ns;
    double lost_ns = 0;
    if (core->detours >= 2) {
        if (!gap && !(gap = gaps(core, err)))
            return -1;
        if (!length && !(length = mpg_distribution_from_samples(
                             core->duration_ns, core->detours, MPG_DISTRIBUTION_KNOTS, err))) {
            if (!core->gap_ns)
                mpg_distribution_free(gap);
            return -1;
        }
    }
    for (size_t i = 0; i < core->detours; i++)
        lost_ns += core->duration_ns[i];
    core->fraction_lost = core->span_ns > 0 ? fmin(lost_ns / core->span_ns, 1) : 0;
    core->gap_ns = gap;
    core->length_ns = length;
    return 0;
}

static int check_facts(const struct mpg_fact *fact, size_t n, size_t most, const char *what,
                       struct mpg_error *err)
{
    if (n > most)
        return mpg_error_set(err, "%s has %zu entries, more than %zu", what, n, most);
    for (size_t i = 0; i < n; i++)
        if (strlen(fact[i].key) > MPG_SIGNATURE_MAX_TEXT ||
            strlen(fact[i].value) > MPG_SIGNATURE_MAX_TEXT)
            return mpg_error_set(err, "%s: %.80s is longer than %d bytes", what, fact[i].key,
                                 (int)MPG_SIGNATURE_MAX_TEXT);
    return 0;
}

/* D is a distribution of times, hence nowhere negative. */
static int check_times(const struct mpg_distribution *d, const char *key, struct mpg_error *err)
{
    if (mpg_distribution_check(d, err) < 0)
        return mpg_error_prefix(err, "%s", key);
    if (d->quantiles[0] < 0)
        return mpg_error_set(err, "%s: quantiles[0] is %g, a negative time", key,
                             d->quantiles[0]);
    return 0;
}

static int check_time(double time_ns, const char *key, struct mpg_error *err)
{
    if (!(time_ns >= 0 && time_ns <= MPG_DISTRIBUTION_LIMIT))
        return mpg_error_set(err, "%s is %g, not a time", key, time_ns);
    return 0;
}

static int check_detours(const struct mpg_noise_core *c, struct mpg_error *err)
{
    double end_ns = 0;
    if (c->detours > MPG_SIGNATURE_MAX_DETOURS)
        return mpg_error_set(err, "start_ns has %zu values, more than %d", c->detours,
                             (int)MPG_SIGNATURE_MAX_DETOURS);
    for (size_t i = 0; i < c->detours; i++) {
        double start = c->start_ns[i], duration = c->duration_ns[i];
        if (!(start >= 0 && start < c->span_ns))
            return mpg_error_set(err, "start_ns[%zu] is %.17g, not within 0 to span_ns", i, start);
        if (!(duration >= 0))
            return mpg_error_set(err, "duration_ns[%zu] is %.17g, not a time", i, duration);
        if (start < end_ns)
            return mpg_error_set(err, "start_ns[%zu] is %.17g, before the previous detour ends"
                                      " at %.17g", i, start, end_ns);
        end_ns = start + duration;
        if (!(end_ns <= c->span_ns))
            return mpg_error_set(err, "duration_ns[%zu] is %.17g: the detour ends after span_ns",
                                 i, duration);
    }
    return 0;
}

static int check_quanta(const struct mpg_noise_quanta *q, const char *key, struct mpg_error *err)
{
    int status = check_time(q->quantum_ns, "quantum_ns", err);
    if (status == 0 && !q->lost_ns != !(q->quantum_ns > 0))
        status = mpg_error_set(err, "quantum_ns and lost_ns belong together");
    if (status == 0 && q->lost_ns)
        status = check_times(q->lost_ns, "lost_ns", err);
    return status < 0 ? mpg_error_prefix(err, "%s", key) : 0;
}

int mpg_noise_core_check(const struct mpg_noise_core *c, struct mpg_error *err)
{
    if (c->core < 0)
        return mpg_error_set(err, "core is %d, negative", c->core);
    if (check_time(c->threshold_ns, "threshold_ns", err) < 0 ||
        check_time(c->span_ns, "span_ns", err) < 0 ||
        check_quanta(&c->ftq, "ftq", err) < 0 || check_quanta(&c->fwq, "fwq", err) < 0)
        return -1;
    if (check_detours(c, err) < 0)
        return mpg_error_prefix(err, "detours");
    if (!(c->fraction_lost >= 0 && c->fraction_lost <= 1))
        return mpg_error_set(err, "fraction_lost is %g, not within 0 to 1", c->fraction_lost);
    if ((c->gap_ns || c->length_ns) && c->detours < 2)
        return mpg_error_set(err, "gap_ns or duration_ns without two detours");
    if (c->gap_ns && check_times(c->gap_ns, "gap_ns", err) < 0)
        return -1;
    return c->length_ns ? check_times(c->length_ns, "duration_ns", err) : 0;
}

static int check_sizes(const struct mpg_network_sizes *sizes, const char *what, const char *key,
                       struct mpg_error *err)
{
    const struct mpg_network_size *size = sizes->size;
    size_t n = sizes->n;
    if (n > MPG_SIGNATURE_MAX_SIZES)
        return mpg_error_set(err, "%s has %zu sizes, more than %d", what, n,
                             (int)MPG_SIGNATURE_MAX_SIZES);
    for (size_t i = 0; i < n; i++) {
        if (size[i].size_bytes < 0 || (i > 0 && size[i].size_bytes <= size[i - 1].size_bytes))
            return mpg_error_set(err, "%s[%zu]: size_bytes is %lld, not ascending from 0", what,
                                 i, (long long)size[i].size_bytes);
        if (check_times(size[i].time_ns, key, err) < 0)
            return mpg_error_prefix(err, "%s[%zu]", what, i);
    }
    return 0;
}

static int check_path(const struct mpg_network_path *p, struct mpg_error *err)
{
    if (check_sizes(&p->latency, "latency", "one_way_ns", err) < 0 ||
        check_sizes(&p->round_trip, "round_trip", "round_trip_ns", err) < 0 ||
        check_sizes(&p->bandwidth, "bandwidth", "transfer_ns", err) < 0 ||
        check_sizes(&p->sender, "sender", "send_ns", err) < 0 ||
        check_sizes(&p->streaming, "streaming", "message_ns", err) < 0)
        return -1;
    if (p->eager_limit_bytes < MPG_EAGER_LIMIT_UNKNOWN)
        return mpg_error_set(err, "eager_limit_bytes is %lld, less than -1",
                             (long long)p->eager_limit_bytes);
    return 0;
}

int mpg_signature_check(const struct mpg_signature *sig, struct mpg_error *err)
{
    if (check_facts(sig->fact, sig->facts, MPG_SIGNATURE_MAX_FACTS, "header", err) < 0 ||
        check_facts(sig->source, sig->sources, MPG_SIGNATURE_MAX_SOURCES, "results", err) < 0)
        return -1;
    if (sig->cores > MPG_SIGNATURE_MAX_CORES)
        return mpg_error_set(err, "noise has %zu cores, more than %d", sig->cores,
                             (int)MPG_SIGNATURE_MAX_CORES);
    for (size_t i = 0; i < sig->cores; i++) {
        if (mpg_noise_core_check(&sig->core[i], err) < 0)
            return mpg_error_prefix(err, "noise[%zu]", i);
        if (i > 0 && sig->core[i].core <= sig->core[i - 1].core)
            return mpg_error_set(err, "noise[%zu]: core is %d, not ascending", i,
                                 sig->core[i].core);
    }
    for (size_t i = 0; i < sig->paths; i++) {
        if (check_path(&sig->network[i], err) < 0)
            return mpg_error_prefix(err, "network: %s", mpg_path_name(sig->network[i].path));
        if (i > 0 && sig->network[i].path <= sig->network[i - 1].path)
            return mpg_error_set(err, "network[%zu]: path is %s, not ascending", i,
                                 mpg_path_name(sig->network[i].path));
    }
    return 0;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Signatures in memory: facts, paths, values derived from detours, release. */
#include "signature/signature.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/printable.h"
#include "signature/causes.h"

const char *mpg_fact_find(const struct mpg_fact *fact, size_t n, const char *key)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(fact[i].key, key) == 0)
            return fact[i].value;
    return NULL;
}

int mpg_fact_add(struct mpg_fact **fact, size_t *n, const char *key, const char *value,
                 struct mpg_error *err)
{
    if (!mpg_text_is_line(key) || !mpg_text_is_line(value))
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

static const char *const one_sided_names[MPG_ONE_SIDED_OPERATIONS] = {"put",          "get",  "accumulate",
                                                                      "fetch_and_op", "lock", "fence"};

const char *mpg_one_sided_name(enum mpg_one_sided operation)
{
    return one_sided_names[operation];
}

enum mpg_one_sided mpg_one_sided_find(const char *text)
{
    int o = 0;
    while (o < MPG_ONE_SIDED_OPERATIONS && strcmp(one_sided_names[o], text) != 0)
        o++;
    return (enum mpg_one_sided)o;
}

const char *mpg_overlap_name(enum mpg_overlap_side side)
{
    return side == MPG_OVERLAP_SEND ? "send" : "receive";
}

enum mpg_overlap_side mpg_overlap_find(const char *text)
{
    int side = 0;
    while (side < MPG_OVERLAP_SIDES && strcmp(mpg_overlap_name((enum mpg_overlap_side)side), text) != 0)
        side++;
    return (enum mpg_overlap_side)side;
}

int mpg_overlap_decides(const struct mpg_distribution *share)
{
    for (size_t i = 0; i < share->intervals; i++) {
        const struct mpg_quantile_interval *x = &share->interval[i];
        const double low = isfinite(x->low) ? x->low : mpg_distribution_quantile(share, 0.05);
        const double high = isfinite(x->high) ? x->high : mpg_distribution_quantile(share, 0.95);
        if (x->p == 0.5 && low <= MPG_OVERLAP_MATTERS && high > MPG_OVERLAP_MATTERS)
            return 0;
    }
    return mpg_distribution_quantile(share, 0.5) > MPG_OVERLAP_MATTERS ? 1 : -1;
}

void mpg_network_lists(struct mpg_network_path *p, struct mpg_network_sizes *list[MPG_NETWORK_LISTS])
{
    struct mpg_network_sizes *const messages[] = {&p->latency, &p->round_trip, &p->bandwidth, &p->sender,
                                                  &p->send_overhead, &p->receive_overhead, &p->streaming};
    int n = 0;
    for (size_t i = 0; i < sizeof messages / sizeof *messages; i++)
        list[n++] = messages[i];
    for (int o = 0; o < MPG_ONE_SIDED_OPERATIONS; o++) {
        list[n++] = &p->one_sided[o].call;
        list[n++] = &p->one_sided[o].complete;
    }
    for (int side = 0; side < MPG_OVERLAP_SIDES; side++) {
        list[n++] = &p->overlap[side].alone;
        list[n++] = &p->overlap[side].share;
    }
}

static void free_launches(struct mpg_launches *launches)
{
    for (size_t i = 0; i < launches->n; i++)
        mpg_distribution_free(launches->ns[i]);
    free(launches->ns);
}

static void free_sizes(struct mpg_network_sizes *sizes)
{
    for (size_t i = 0; i < sizes->n; i++) {
        mpg_distribution_free(sizes->size[i].time_ns);
        free_launches(&sizes->size[i].launches);
        free(sizes->size[i].rows.classes);
        free(sizes->size[i].rows.u);
    }
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
    struct mpg_network_sizes *list[MPG_NETWORK_LISTS];
    free_groups(p->pair, p->pairs);
    free_groups(p->launch, p->launches);
    free(p->loggp.segment);
    mpg_network_lists(p, list);
    for (int i = 0; i < MPG_NETWORK_LISTS; i++)
        free_sizes(list[i]);
    free(p->one_way);
}

static void free_core(struct mpg_noise_core *c)
{
    mpg_fact_free(c->event, c->events);
    free(c->autocorrelation);
    free(c->line);
    free(c->spectrum.mean);
    free(c->spectrum.max);
    free(c->series.mean);
    free(c->series.max);
    mpg_distribution_free(c->fwq.lost_ns);
    mpg_distribution_free(c->ftq.lost_ns);
    mpg_distribution_free(c->length_ns);
    mpg_distribution_free(c->gap_ns);
    free(c->blocks.mark);
    free(c->blocks.duration_ns);
    free(c->blocks.start_ns);
    free(c->blocks.block);
    free(c->mark);
    mpg_noise_core_forget_causes(c);
    free(c->duration_ns);
    free(c->start_ns);
    free(c->host);
}

static void free_collectives(struct mpg_collective_time *times, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        mpg_distribution_free(times[i].time_ns);
        free_launches(&times[i].launches);
        free(times[i].operation);
    }
    free(times);
}

static void free_rate(struct mpg_compute_rate *r)
{
    mpg_distribution_free(r->rate);
    free(r->launch_mean);
    free(r->host);
    free(r->unit);
    free(r->kernel);
}

static void free_points(struct mpg_sharing_point *points, size_t n)
{
    for (size_t i = 0; i < n; i++)
        mpg_distribution_free(points[i].value);
    free(points);
}

void mpg_signature_free(struct mpg_signature *sig)
{
    if (!sig)
        return;
    free_points(sig->sharing, sig->sharings);
    free_points(sig->opposite, sig->opposites);
    free_points(sig->lead, sig->leads);
    for (size_t i = 0; i < sig->rates; i++)
        free_rate(&sig->rate[i]);
    free(sig->rate);
    free_collectives(sig->reduction, sig->reductions);
    free_collectives(sig->collective, sig->collectives);
    for (size_t i = 0; i < sig->paths; i++)
        free_path(&sig->network[i]);
    for (size_t i = 0; i < sig->device_paths; i++)
        free_path(&sig->device[i]);
    free(sig->device);
    free(sig->network);
    for (size_t i = 0; i < sig->cores; i++)
        free_core(&sig->core[i]);
    free(sig->core);
    for (size_t i = 0; i < sig->failures; i++) {
        free(sig->failure[i].check);
        free(sig->failure[i].found);
        free(sig->failure[i].remedy);
    }
    free(sig->failure);
    mpg_fact_free(sig->source, sig->sources);
    mpg_fact_free(sig->fact, sig->facts);
    free(sig->path);
    free(sig);
}

char *mpg_signature_verdict(const struct mpg_signature *sig, char *buf, size_t size)
{
    if (sig->checks == 0) {
        snprintf(buf, size, "not checked");
        return buf;
    }
    if (sig->failures == 0) {
        snprintf(buf, size, "%d checks passed", sig->checks);
        return buf;
    }
    enum { MORE = sizeof ", and 1024 more" };
    size_t used = (size_t)snprintf(buf, size, "%zu of %d checks failed", sig->failures,
                                   sig->checks);
    for (size_t i = 0; i < sig->failures && used < size; i++) {
        char name[64];
        mpg_printable(name, sizeof name, sig->failure[i].check);
        if (used + strlen(name) + 2 + MORE > size) {
            snprintf(buf + used, size - used, "%s%zu more", i > 0 ? ", and " : ": ",
                     sig->failures - i);
            break;
        }
        used += (size_t)snprintf(buf + used, size - used, "%s%s", i > 0 ? ", " : ": ", name);
    }
    return buf;
}

const char *mpg_signature_part_name(int bit)
{
    static const char *const names[] = {"computation", "messages", "collectives", "rates"};
    return bit >= 0 && bit < (int)(sizeof names / sizeof *names) ? names[bit] : NULL;
}

char *mpg_signature_effect(const struct mpg_signature_failure *failure, char *buf, size_t size)
{
    *buf = '\0';
    if (failure->moves < 0)
        return buf;
    const char *name;
    size_t used = (size_t)snprintf(buf, size, "can change");
    for (int bit = 0, n = 0; used < size && (name = mpg_signature_part_name(bit)); bit++)
        if (failure->parts >> bit & 1)
            used += (size_t)snprintf(buf + used, size - used, "%s %s", n++ > 0 ? " and" : "", name);
    if (used < size)
        snprintf(buf + used, size - used, failure->moves >= 0.995 ? " by %.0f %%" : " by %.2g %%", 100 * failure->moves);
    return buf;
}

/* Returns the failed check of SIG that affects any of PARTS and comes next after LAST (NULL: the first) in descending
 * order of effect; equal effects are in the order of SIG. NULL: there is no further failed check. */
static const struct mpg_signature_failure *next_failure(const struct mpg_signature *sig, int parts,
                                                        const struct mpg_signature_failure *last)
{
    const struct mpg_signature_failure *best = NULL;
    for (size_t i = 0; i < sig->failures; i++) {
        const struct mpg_signature_failure *x = &sig->failure[i];
        const bool follows = !last || x->moves < last->moves || (x->moves == last->moves && x > last);
        if ((x->parts & parts) && follows && (!best || x->moves > best->moves))
            best = x;
    }
    return best;
}

size_t mpg_signature_concerns(const struct mpg_signature *sig, int parts, char *buf, size_t size)
{
    size_t n = 0, used = 0;
    *buf = '\0';
    for (const struct mpg_signature_failure *x = NULL; (x = next_failure(sig, parts, x)); n++) {
        char name[64], effect[96];
        mpg_signature_effect(x, effect, sizeof effect);
        mpg_printable(name, sizeof name, x->check);
        size_t length = strlen(name) + strlen(effect) + sizeof ",  ()";
        if (used + length < size)
            used += (size_t)snprintf(buf + used, size - used, "%s%s%s%s%s", used > 0 ? ", " : "", name,
                                     *effect ? " (" : "", effect, *effect ? ")" : "");
    }
    return n;
}

size_t mpg_noise_core_recorded(const struct mpg_noise_core *core)
{
    return core->blocks.recorded > 0 ? core->blocks.recorded : core->detours;
}

struct mpg_noise_totals mpg_signature_noise(const struct mpg_signature *sig)
{
    struct mpg_noise_totals t = {0};
    for (size_t i = 0; i < sig->cores; i++) {
        const struct mpg_noise_core *c = &sig->core[i];
        if (!(c->span_ns > 0))
            continue;
        t.cores++;
        t.together += c->together;
        t.lost += c->fraction_lost;
        t.off += c->fraction_off;
        t.worst = fmax(t.worst, c->fraction_lost);
        if (c->length_ns)
            t.longest_ns = fmax(t.longest_ns, mpg_distribution_quantile(c->length_ns, 1));
    }
    if (t.cores > 0) {
        t.lost /= (double)t.cores;
        t.off /= (double)t.cores;
    }
    return t;
}

/* Returns the distribution of the times between detours of C: from the end of a detour to the start of the next detour. */
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

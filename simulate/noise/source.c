/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Selects a machine's kind of noise and its cores, and the core and starting point of each rank. */
#include "simulate/noise/source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/map.h"
#include "simulate/draws/draws.h"

#pragma GCC diagnostic error "-Wswitch-enum"

static bool same_host(const struct mpg_noise_core *a, const struct mpg_noise_core *b)
{
    return !a->host == !b->host && (!a->host || strcmp(a->host, b->host) == 0);
}

static bool has_record(const struct mpg_noise_core *core)
{
    return core->span_ns > 0;
}

static bool has_quanta(const struct mpg_noise_core *core)
{
    return core->ftq.quantum_ns > 0 && core->ftq.lost_ns;
}

static bool any_core(const struct mpg_signature *sig, bool (*has)(const struct mpg_noise_core *))
{
    for (size_t i = 0; i < sig->cores; i++)
        if (has(&sig->core[i]))
            return true;
    return false;
}

/* Returns the kind of noise for MODEL; NULL: SIG has no records to draw from. Only this function selects the kind. */
static const struct mpg_noise_kind *choose(const struct mpg_signature *sig, enum mpg_noise_model model)
{
    switch (model) {
    case MPG_NOISE_ANY:
        return !any_core(sig, has_record) && any_core(sig, has_quanta) ? &mpg_noise_quanta : &mpg_noise_replay;
    case MPG_NOISE_REPLAY:
        return &mpg_noise_replay;
    case MPG_NOISE_ECDF:
        return &mpg_noise_quanta;
    case MPG_NOISE_RENEWAL:
        return any_core(sig, has_record) ? &mpg_noise_renewal : NULL;
    case MPG_NOISE_FIT:
        return any_core(sig, has_record) ? &mpg_noise_fit : NULL;
    }
    return NULL;
}

/* Adds each core that has data for this kind of noise, in the order of hosts and cores. */
int mpg_noise_use(struct mpg_noise_source *s, const struct mpg_signature *sig, enum mpg_noise_model model,
                  struct mpg_error *err)
{
    const struct mpg_noise_core *last = NULL;
    *s = (struct mpg_noise_source){.kind = choose(sig, model), .together = true};
    if (!s->kind)
        return mpg_error_set(err, "%s: --models=noise=%s: there are no records of detours to draw from",
                             sig->path, model == MPG_NOISE_FIT ? "fit" : "renewal");
    s->core = calloc(sig->cores + 1, sizeof *s->core);
    s->first_core = calloc(sig->cores + 2, sizeof *s->first_core);
    if (!s->core || !s->first_core) {
        mpg_error_set(err, "out of memory");
        goto fail;
    }
    for (size_t i = 0; i < sig->cores; i++) {
        const struct mpg_noise_core *core = &sig->core[i];
        if (!(s->kind == &mpg_noise_quanta ? has_quanta(core) : has_record(core)))
            continue;
        if (!last || !same_host(last, core))
            s->first_core[s->hosts++] = s->cores;
        s->together = s->together && core->together;
        if (s->kind->add(&s->core[s->cores++], core, sig->cores, err) < 0) {
            mpg_error_prefix(err, "%s", sig->path);
            goto fail;
        }
        last = core;
    }
    s->first_core[s->hosts] = s->cores;
    s->together = s->together && s->cores > 0 && s->kind == &mpg_noise_replay;
    return 0;
fail:
    mpg_noise_clear(s);
    return -1;
}

void mpg_noise_clear(struct mpg_noise_source *s)
{
    for (size_t i = 0; i < s->cores; i++) {
        mpg_renewal_free(s->core[i].renewal);
        mpg_quanta_free(s->core[i].quanta);
        mpg_replay_free(s->core[i].replay);
    }
    free(s->core);
    free(s->first_core);
    free(s->location);
    *s = (struct mpg_noise_source){0};
}

/* --- cores of ranks --- */

/* A host of the trace. */
struct host {
    size_t number;  /* number of the host; hosts are numbered in the order of their lowest ranks */
    uint32_t ranks; /* number of ranks assigned to cores of the host so far */
    int32_t leader; /* lowest rank of the group being assigned; ranks of a group have different cores */
};

/* Assigns RANK, the i-th rank (from 0) of HOST, to core i modulo the number of cores of a host of S. When all cores are taken,
 * the next ranks form another group on these cores. */
static struct mpg_noise_location seat_on(const struct mpg_noise_source *s, struct host *host, int32_t rank)
{
    size_t on = host->number % s->hosts;
    uint32_t first = (uint32_t)s->first_core[on];
    uint32_t cores = (uint32_t)s->first_core[on + 1] - first;
    if (host->ranks % cores == 0)
        host->leader = rank;
    return (struct mpg_noise_location){
        .core = first + host->ranks++ % cores, .first = first, .leader = host->leader};
}

static int seat_by_host(struct mpg_noise_source *s, int32_t ranks, const int32_t *number, const struct mpg_rank_threads *threads,
                        struct mpg_error *err)
{
    struct mpg_map index = {0};
    struct host *hosts = calloc((size_t)ranks, sizeof *hosts);
    int status = hosts ? 0 : -1;
    for (int32_t r = 0; status == 0 && r < ranks; r++) {
        uint64_t *place = mpg_map_add(&index, (uint32_t)number[r], 0);
        if (!place) {
            status = -1;
            break;
        }
        if (*place == 0) {
            *place = index.count;
            hosts[index.count - 1].number = index.count - 1;
        }
        for (uint32_t k = 0; k < (threads ? threads->rank[r].threads : 1); k++) {
            const int32_t number_of_thread = k == 0 ? r : mpg_rank_threads_number(threads, r, k);
            struct mpg_noise_location *location = &s->location[number_of_thread];
            *location = seat_on(s, &hosts[*place - 1], number_of_thread);
            if (s->cosched == MPG_COSCHED_JOB)
                location->leader = 0;
        }
    }
    free(hosts);
    mpg_map_clear(&index);
    return status < 0 ? mpg_error_set(err, "out of memory") : 0;
}

/* Gives the threads of all ranks the cores of all hosts in turn, each with a draw of its own. */
static void seat_apart(struct mpg_noise_source *s, const struct mpg_rank_threads *threads)
{
    size_t next = 0;
    for (int32_t r = 0; r < threads->ranks; r++)
        for (uint32_t k = 0; k < threads->rank[r].threads; k++) {
            const int32_t number = mpg_rank_threads_number(threads, r, k);
            const uint32_t core = (uint32_t)(next++ % s->cores);
            s->location[number] = (struct mpg_noise_location){.core = core, .first = core, .leader = number};
        }
}

int mpg_noise_place(struct mpg_noise_source *s, int32_t ranks, const int32_t *host, const struct mpg_rank_threads *threads,
                    enum mpg_cosched cosched, struct mpg_error *err)
{
    s->cosched = cosched != MPG_COSCHEDS ? cosched
                 : s->together           ? MPG_COSCHED_NODE
                                         : MPG_COSCHED_NONE;
    if (s->cores == 0 || (s->cosched == MPG_COSCHED_NONE && !threads))
        return 0;
    s->location = calloc((size_t)(threads ? threads->all : ranks), sizeof *s->location);
    if (!s->location)
        return mpg_error_set(err, "out of memory");
    if (s->cosched != MPG_COSCHED_NONE)
        return seat_by_host(s, ranks, host, threads, err);
    seat_apart(s, threads);
    return 0;
}

struct mpg_noise_location mpg_noise_location_of(const struct mpg_noise_source *s, int32_t rank)
{
    if (s->location)
        return s->location[rank];
    uint32_t core = (uint32_t)((size_t)rank % s->cores);
    return (struct mpg_noise_location){.core = core, .first = core, .leader = rank};
}

double mpg_noise_start(const struct mpg_noise_source *s, const uint8_t *part, uint64_t seed, int32_t rank,
                       uint32_t replica)
{
    if (!s->kind->start) /* the distribution of this noise does not depend on time: no starting point is needed */
        return 0;
    const struct mpg_noise_location location = mpg_noise_location_of(s, rank);
    const struct mpg_address phase = {.seed = seed, .rank = location.leader, .purpose = MPG_DRAW_PHASE};
    return s->kind->start(s, location, part, mpg_draw(&phase, replica));
}

/* --- description --- */

/* Describes in TEXT the ranks that meet noise at the same time, and the cores. */
static void format_places(const struct mpg_noise_source *s, char *text, size_t size)
{
    const char *context = s->cosched == MPG_COSCHED_JOB ? "job" : "host";
    const char *why = s->cosched != MPG_COSCHED_JOB && s->together ? " (its cores were recorded together)" : "";
    if (s->cosched == MPG_COSCHED_NONE)
        snprintf(text, size, "rank r runs on core r mod %zu%s", s->cores, s->kind->start ? ", from a random phase" : "");
    else if (s->kind == &mpg_noise_replay)
        snprintf(text, size, "the i-th rank of a host runs on its core i mod %zu, from one random phase for the %s%s",
                 s->cores / s->hosts, context, why);
    else
        snprintf(text, size, "the i-th rank of a host runs on its core i mod %zu, with the same draws for all ranks of the %s",
                 s->cores / s->hosts, context);
}

static bool has_memory(const struct mpg_noise_source *s)
{
    for (size_t i = 0; i < s->cores; i++)
        if (mpg_quanta_memory(s->core[i].quanta) > 0)
            return true;
    return false;
}

void mpg_noise_describe(const struct mpg_noise_source *s, const char *many, const char *lost, char *text, size_t size)
{
    const char *plural = s->cores == 1 ? "" : "s";
    char seats[192];
    format_places(s, seats, sizeof seats);
    if (s->kind == &mpg_noise_quanta)
        snprintf(text, size, "losses of FTQ quanta of %zu core%s%s, drawn quantum by quantum%s (ecdf); %s", s->cores, plural,
                 many, has_memory(s) ? ", with their autocorrelation" : "", seats);
    else if (s->kind == &mpg_noise_replay)
        snprintf(text, size, "detours of %zu core%s%s replayed, %s of the time lost; %s", s->cores, plural, many, lost, seats);
    else
        snprintf(text, size,
                 "detours of %zu core%s%s drawn, gaps and durations by turns from %s, %s of the time lost in the record%s; %s",
                 s->cores, plural, many,
                 s->kind == &mpg_noise_fit ? "the nearest families fitted to them (fit)" : "those of the record (renewal)",
                 lost, plural, seats);
}

/* --- two machines --- */

static bool same_doubles(const double *a, const double *b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (a[i] != b[i])
            return false;
    return true;
}

static bool same_blocks(const struct mpg_noise_blocks *a, const struct mpg_noise_blocks *b)
{
    if (a->recorded != b->recorded || a->n != b->n || a->detours != b->detours ||
        a->min_ns != b->min_ns)
        return false;
    for (size_t i = 0; i < a->n; i++)
        if (a->block[i].from_ns != b->block[i].from_ns || a->block[i].to_ns != b->block[i].to_ns ||
            a->block[i].first != b->block[i].first || a->block[i].detours != b->block[i].detours)
            return false;
    return same_doubles(a->start_ns, b->start_ns, a->detours) &&
           same_doubles(a->duration_ns, b->duration_ns, a->detours);
}

static bool same_record(const struct mpg_noise_core *a, const struct mpg_noise_core *b)
{
    return a->core == b->core && a->span_ns == b->span_ns && a->detours == b->detours &&
           a->offset_ns == b->offset_ns && a->together == b->together &&
           same_doubles(a->start_ns, b->start_ns, a->detours) &&
           same_doubles(a->duration_ns, b->duration_ns, a->detours) &&
           same_blocks(&a->blocks, &b->blocks);
}

static bool same_quanta(const struct mpg_noise_core *a, const struct mpg_noise_core *b)
{
    const struct mpg_distribution *x = a->ftq.lost_ns, *y = b->ftq.lost_ns;
    if (a->ftq.quantum_ns != b->ftq.quantum_ns || !x != !y || a->lags != b->lags)
        return false;
    if (x && (x->knots != y->knots || !same_doubles(x->quantiles, y->quantiles, x->knots) ||
              !same_doubles(x->probabilities, y->probabilities, x->knots)))
        return false;
    return same_doubles(a->autocorrelation, b->autocorrelation, a->lags);
}

bool mpg_noise_same(const struct mpg_signature *a, const struct mpg_signature *b)
{
    if (a->cores != b->cores)
        return false;
    for (size_t i = 0; i < a->cores; i++)
        if (!same_record(&a->core[i], &b->core[i]) || !same_quanta(&a->core[i], &b->core[i]) ||
            !same_host(&a->core[i], &b->core[i]))
            return false;
    return true;
}

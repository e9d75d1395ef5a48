/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Records and seats. */
#include "simulate/noise/machine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/map.h"
#include "simulate/draws/draws.h"

static bool same_host(const struct mpg_noise_core *a, const struct mpg_noise_core *b)
{
    return !a->host == !b->host && (!a->host || strcmp(a->host, b->host) == 0);
}

static int reserve(struct mpg_machine *m, size_t cores, struct mpg_error *err)
{
    m->quanta = calloc(cores, sizeof *m->quanta);
    m->replay = calloc(cores, sizeof *m->replay);
    m->resampled = calloc(cores, sizeof *m->resampled);
    m->renewal = calloc(cores, sizeof *m->renewal);
    m->offset_ns = calloc(cores, sizeof *m->offset_ns);
    m->off_cpu = calloc(cores, sizeof *m->off_cpu);
    m->first_core = calloc(cores + 1, sizeof *m->first_core);
    if (m->quanta && m->replay && m->resampled && m->renewal && m->offset_ns && m->off_cpu && m->first_core)
        return 0;
    return mpg_error_set(err, "out of memory");
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

/* Detours in the lists of all cores, some 24 bytes each. */
enum { MOST_LISTED = 2 << 20 };

/* Puts CORE, one of CORES, behind those that M has; FIT: detours are drawn from families. */
static int add_core(struct mpg_machine *m, const struct mpg_noise_core *core, size_t cores, bool fit,
                    struct mpg_error *err)
{
    if (m->drawn) {
        m->renewal[m->cores] = mpg_renewal_new(core, fit, err);
        return m->renewal[m->cores++] ? 0 : -1;
    }
    if (m->ecdf) {
        m->quanta[m->cores] = mpg_quanta_new(core, err);
        return m->quanta[m->cores++] ? 0 : -1;
    }
    if (!(m->replay[m->cores] = mpg_replay_new(core, err)) ||
        mpg_replay_make_list(m->replay[m->cores], MOST_LISTED / cores, err) < 0)
        return -1;
    mpg_resampled_init(&m->resampled[m->cores], m->replay[m->cores]);
    m->off_cpu[m->cores] = core->off_known ? core->fraction_off : -1;
    m->offset_ns[m->cores++] = core->offset_ns;
    m->together = m->together && core->together;
    return 0;
}

/* Each core with what is wanted, on whatever host, in the order of hosts and cores. */
int mpg_machine_init(struct mpg_machine *m, const struct mpg_signature *sig,
                     enum mpg_noise_model model, struct mpg_error *err)
{
    const struct mpg_noise_core *last = NULL;
    *m = (struct mpg_machine){.together = true};
    m->ecdf = model == MPG_NOISE_ECDF ||
              (model == MPG_NOISE_ANY && !any_core(sig, has_record) && any_core(sig, has_quanta));
    m->drawn = model == MPG_NOISE_RENEWAL || model == MPG_NOISE_FIT;
    if (m->drawn && !any_core(sig, has_record))
        return mpg_error_set(err, "%s: --noise-model=%s: there are no records of detours to draw from",
                             sig->path, model == MPG_NOISE_FIT ? "fit" : "renewal");
    if (reserve(m, sig->cores + 1, err) < 0)
        goto fail;
    for (size_t i = 0; i < sig->cores; i++) {
        const struct mpg_noise_core *core = &sig->core[i];
        if (!(m->ecdf ? has_quanta(core) : has_record(core)))
            continue;
        if (!last || !same_host(last, core))
            m->first_core[m->hosts++] = m->cores;
        if (add_core(m, core, sig->cores, model == MPG_NOISE_FIT, err) < 0) {
            mpg_error_prefix(err, "%s", sig->path);
            goto fail;
        }
        last = core;
    }
    m->first_core[m->hosts] = m->cores;
    m->together = m->together && m->cores > 0 && !m->ecdf && !m->drawn;
    return 0;
fail:
    mpg_machine_clear(m);
    return -1;
}

void mpg_machine_clear(struct mpg_machine *m)
{
    for (size_t i = 0; m->quanta && m->replay && m->renewal && i < m->cores; i++) {
        mpg_renewal_free(m->renewal[i]);
        mpg_quanta_free(m->quanta[i]);
        mpg_replay_free(m->replay[i]);
    }
    free(m->quanta);
    free(m->replay);
    free(m->resampled);
    free(m->renewal);
    free(m->offset_ns);
    free(m->off_cpu);
    free(m->first_core);
    free(m->seat);
    *m = (struct mpg_machine){0};
}

/* --- seats --- */

/* What is known of one host of the trace. */
struct host {
    size_t number;  /* in the order of lowest ranks */
    uint32_t ranks; /* met so far */
    int32_t leader; /* of those that share the cores at present */
};

/* The I-th rank (from 0) of HOST sits on core I mod cores of a host of M; each time that these
 * are full, a further group of ranks shares them. */
static struct mpg_seat seat_on(const struct mpg_machine *m, struct host *host, int32_t rank)
{
    size_t on = host->number % m->hosts;
    uint32_t first = (uint32_t)m->first_core[on];
    uint32_t cores = (uint32_t)m->first_core[on + 1] - first;
    if (host->ranks % cores == 0)
        host->leader = rank;
    return (struct mpg_seat){
        .core = first + host->ranks++ % cores, .first = first, .leader = host->leader};
}

static int seat_by_host(struct mpg_machine *m, int32_t ranks, const int32_t *number,
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
        m->seat[r] = seat_on(m, &hosts[*place - 1], r);
        if (m->cosched == MPG_COSCHED_JOB)
            m->seat[r].leader = 0;
    }
    free(hosts);
    mpg_map_clear(&index);
    return status < 0 ? mpg_error_set(err, "out of memory") : 0;
}

int mpg_machine_seat(struct mpg_machine *m, int32_t ranks, const int32_t *host,
                     enum mpg_cosched cosched, struct mpg_error *err)
{
    m->cosched = cosched != MPG_COSCHEDS ? cosched
                 : m->together           ? MPG_COSCHED_NODE
                                         : MPG_COSCHED_NONE;
    if (m->cores == 0 || m->cosched == MPG_COSCHED_NONE)
        return 0;
    m->seat = calloc((size_t)ranks, sizeof *m->seat);
    if (!m->seat)
        return mpg_error_set(err, "out of memory");
    return seat_by_host(m, ranks, host, err);
}

struct mpg_seat mpg_machine_seat_of(const struct mpg_machine *m, int32_t rank)
{
    if (m->seat)
        return m->seat[rank];
    uint32_t core = (uint32_t)((size_t)rank % m->cores);
    return (struct mpg_seat){.core = core, .first = core, .leader = rank};
}

struct mpg_renewal_of mpg_machine_renewal(const struct mpg_machine *m, uint64_t seed, int32_t rank,
                                          uint32_t replica)
{
    struct mpg_seat seat = mpg_machine_seat_of(m, rank);
    return (struct mpg_renewal_of){
        .renewal = m->renewal[seat.core], .seed = seed, .rank = seat.leader, .replica = replica};
}

double mpg_machine_start(const struct mpg_machine *m, const uint8_t *part, uint64_t seed, int32_t rank,
                         uint32_t replica)
{
    if (m->drawn) /* at any time they are as at any other */
        return 0;
    struct mpg_seat seat = mpg_machine_seat_of(m, rank);
    struct mpg_address phase = {.seed = seed, .rank = seat.leader, .purpose = MPG_DRAW_PHASE};
    double u = mpg_draw(&phase, replica);
    if (m->ecdf)
        return u * mpg_quanta_length_ns(m->quanta[seat.core]);
    double start_ns = mpg_resampled_start(&m->resampled[seat.first], part, u), since_ns;
    if (seat.core == seat.first)
        return start_ns;
    const struct mpg_resampled *own = &m->resampled[seat.core];
    start_ns = fmod(start_ns - m->offset_ns[seat.core] + m->offset_ns[seat.first], own->span_ns);
    start_ns += start_ns < 0 ? own->span_ns : 0;
    return start_ns + mpg_resampled_detour_left(own, part, start_ns, &since_ns);
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
        a->least_ns != b->least_ns)
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

bool mpg_machine_same(const struct mpg_signature *a, const struct mpg_signature *b)
{
    if (a->cores != b->cores)
        return false;
    for (size_t i = 0; i < a->cores; i++)
        if (!same_record(&a->core[i], &b->core[i]) || !same_quanta(&a->core[i], &b->core[i]) ||
            !same_host(&a->core[i], &b->core[i]))
            return false;
    return true;
}

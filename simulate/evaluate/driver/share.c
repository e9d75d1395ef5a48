/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "simulate/evaluate/driver/share.h"

#include <stdlib.h>
#include <string.h>

static uint32_t blocks_in(uint32_t replicas)
{
    return replicas / MPG_REPLICAS_A_BLOCK + (replicas % MPG_REPLICAS_A_BLOCK != 0);
}

/* Returns the first replica of the share of process number PROCESS of N processes. */
static uint32_t begin_of(uint32_t replicas, int process, int n)
{
    const uint64_t block = ((uint64_t)blocks_in(replicas) * (uint64_t)process + (uint64_t)n - 1) / (uint64_t)n;
    const uint64_t begin = block * MPG_REPLICAS_A_BLOCK;
    return begin < replicas ? (uint32_t)begin : replicas;
}

struct mpg_share mpg_share_of(uint32_t replicas, int process, int n)
{
    struct mpg_share s = {.begin = begin_of(replicas, process, n)};
    s.n = begin_of(replicas, process + 1, n) - s.begin;
    return s;
}

struct mpg_share mpg_share_own(uint32_t replicas, const struct mpg_processes *p)
{
    return p ? mpg_share_of(replicas, p->rank, p->size) : (struct mpg_share){.n = replicas};
}

/* Returns a digest of the findings that must be equal in all processes. */
static uint64_t digest(const struct mpg_result *r)
{
    uint64_t hash = mpg_processes_digest(0, &r->ranks, sizeof r->ranks);
    hash = mpg_processes_digest(hash, r->recorded_ns, (size_t)r->ranks * sizeof *r->recorded_ns);
    return mpg_processes_digest(hash, &r->counts, sizeof r->counts);
}

/* Returns a copy of ROWS, with rows widened from OLD to NEW bytes, a row for each rank; NULL: out of memory. */
static void *wider(const void *rows, int32_t ranks, size_t old, size_t new)
{
    char *wide = calloc((size_t)ranks, new);
    for (int32_t i = 0; i < ranks && wide; i++)
        memcpy(wide + (size_t)i * new, (const char *)rows + (size_t)i * old, old);
    return wide;
}

static size_t delays_bytes(uint32_t replicas)
{
    return replicas * sizeof(double);
}

static size_t sums_bytes(uint32_t replicas)
{
    return (size_t)blocks_in(replicas) * MPG_ACCOUNT_TERMS * sizeof(double);
}

/* Enlarges R, the first process's share, to all REPLICAS. */
static int widen(struct mpg_result *r, uint32_t replicas, struct mpg_error *err)
{
    double *run_ns = calloc(replicas, sizeof *run_ns);
    double *delay_ns = wider(r->delay_ns, r->ranks, delays_bytes(r->replicas), delays_bytes(replicas));
    double *sums = wider(r->sums, r->ranks, sums_bytes(r->replicas), sums_bytes(replicas));
    if (!run_ns || !delay_ns || !sums) {
        free(run_ns);
        free(delay_ns);
        free(sums);
        return mpg_error_set(err, "out of memory for %u replicas of %d ranks", replicas, r->ranks);
    }
    if (r->where && mpg_attribution_widen(r->where, replicas, err) < 0) {
        free(run_ns);
        free(delay_ns);
        free(sums);
        return -1;
    }
    free(r->run_ns);
    free(r->delay_ns);
    free(r->sums);
    r->run_ns = run_ns;
    r->delay_ns = delay_ns;
    r->sums = sums;
    r->replicas = replicas;
    return 0;
}

/* Sums over all replicas of all processes. */
struct totals {
    struct mpg_choices choices;
    uint64_t redone;
    struct mpg_shared_messages shared;
};

/* Sends also the places, in which processes can differ, because calls choose messages in each replica separately. */
static void send_where(const struct mpg_attribution *w, const struct mpg_messenger *m)
{
    m->send(&w->places.n, 1, sizeof w->places.n);
    m->send(&w->sums.n, 1, sizeof w->sums.n);
    m->send(w->places.place, w->places.n, sizeof *w->places.place);
    m->send(w->sums.sum, w->sums.n, sizeof *w->sums.sum);
    m->send(w->sums.value, w->sums.n, w->sums.width * sizeof *w->sums.value);
}

static int receive_where(struct mpg_attribution *w, int from, struct mpg_share share, const struct mpg_messenger *m,
                         struct mpg_error *err)
{
    struct mpg_sums sums = {.width = blocks_in(share.n)};
    const size_t bytes = sums.width * sizeof *sums.value;
    uint32_t n;
    m->receive(from, &n, 1, sizeof n, sizeof n);
    m->receive(from, &sums.n, 1, sizeof sums.n, sizeof sums.n);
    struct mpg_attribution_place *place = malloc((n ? n : 1) * sizeof *place);
    sums.sum = malloc((sums.n ? sums.n : 1) * sizeof *sums.sum);
    sums.value = malloc((sums.n ? sums.n : 1) * bytes);
    int status = place && sums.sum && sums.value ? 0 : mpg_error_set(err, "out of memory for %u places in the program", n);
    if (status == 0) {
        m->receive(from, place, n, sizeof *place, sizeof *place);
        m->receive(from, sums.sum, sums.n, sizeof *sums.sum, sizeof *sums.sum);
        m->receive(from, sums.value, sums.n, bytes, bytes);
        mpg_attribution_take_places(w, place, n, &sums, share.begin);
    }
    free(place);
    mpg_sums_clear(&sums);
    return status;
}

static void send(const struct mpg_result *r, const struct mpg_messenger *m)
{
    const struct totals totals = {.choices = r->choices, .redone = r->redone, .shared = r->shared};
    m->send(&totals, 1, sizeof totals);
    m->send(r->delay_ns, (size_t)r->ranks, delays_bytes(r->replicas));
    m->send(r->sums, (size_t)r->ranks, sums_bytes(r->replicas));
    if (r->where)
        send_where(r->where, m);
}

/* Receives from process FROM the results of the replicas SHARE. */
static int receive(struct mpg_result *r, int from, struct mpg_share share, const struct mpg_messenger *m, struct mpg_error *err)
{
    const uint32_t block = share.begin / MPG_REPLICAS_A_BLOCK;
    const size_t ranks = (size_t)r->ranks;
    struct totals totals;
    m->receive(from, &totals, 1, sizeof totals, sizeof totals);
    mpg_choices_add(&r->choices, &totals.choices);
    r->redone += (uint32_t)totals.redone;
    r->shared.messages += totals.shared.messages;
    r->shared.delayed += totals.shared.delayed;
    r->shared.delay_ns += totals.shared.delay_ns;
    m->receive(from, r->delay_ns + share.begin, ranks, delays_bytes(share.n), delays_bytes(r->replicas));
    m->receive(from, r->sums + (size_t)block * MPG_ACCOUNT_TERMS, ranks, sums_bytes(share.n),
               sums_bytes(r->replicas));
    return r->where ? receive_where(r->where, from, share, m, err) : 0;
}

int mpg_result_gather(struct mpg_result *r, uint32_t replicas, struct mpg_processes *p,
                      struct mpg_error *err)
{
    if (!p || p->size == 1)
        return 0;
    const int status = p->rank == 0 ? widen(r, replicas, err) : 0;
    if (mpg_processes_agree(p, status, digest(r), err) < 0)
        return -1;
    if (p->rank > 0)
        send(r, p->messenger);
    for (int i = 1; i < p->size && p->rank == 0; i++) {
        const struct mpg_share share = mpg_share_of(replicas, i, p->size);
        if (share.n > 0 && receive(r, i, share, p->messenger, err) < 0)
            return -1;
    }
    return 0;
}

int mpg_result_gather_ranks(struct mpg_result *r, const struct mpg_together *together, struct mpg_error *err)
{
    if (mpg_processes_agree(together->processes, 0, 0, err) < 0)
        return -1;
    mpg_together_gather(together, r->delay_ns, delays_bytes(r->replicas));
    mpg_together_gather(together, r->sums, sums_bytes(r->replicas));
    mpg_together_gather(together, r->recorded_ns, sizeof *r->recorded_ns);
    mpg_together_gather(together, r->traced_ns, sizeof *r->traced_ns);
    return 0;
}

int mpg_results_await(size_t n, struct mpg_processes *p, struct mpg_error *err)
{
    int status = 0;
    for (size_t i = 0; i < n && status == 0; i++)
        status = mpg_processes_agree(p, 0, 0, err);
    return status;
}

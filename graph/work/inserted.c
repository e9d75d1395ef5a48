/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Messages inserted by hypotheses at the begin of a region: senders and receivers. Checks that sender and receiver begin the
 * region equally often. */
#include "graph/work/inserted.h"

#include <stdio.h>

#include "graph/call_ref.h"
#include "graph/work/private.h"

int32_t mpg_graph_inserted_receiver(const struct mpg_hypothesis *h, int32_t ranks, int32_t rank)
{
    if (!mpg_rank_set_contains(&h->ranks, rank))
        return NO_RANK;
    const int64_t to = h->to_relative ? ((int64_t)rank + h->to) % ranks : h->to;
    const int32_t receiver = (int32_t)(to < 0 ? to + ranks : to);
    return receiver == rank ? NO_RANK : receiver;
}

int32_t mpg_graph_inserted_sender(const struct mpg_hypothesis *h, int32_t ranks, int32_t rank, int32_t from)
{
    if (!h->to_relative && h->to != rank)
        return NO_RANK;
    if (h->to_relative) { /* relative target ranks have at most one sender */
        const int64_t back = ((int64_t)rank - h->to) % ranks;
        const int32_t sender = (int32_t)(back < 0 ? back + ranks : back);
        return sender >= from && mpg_graph_inserted_receiver(h, ranks, sender) == rank ? sender : NO_RANK;
    }
    for (int32_t sender = from; sender < ranks; sender++)
        if (mpg_graph_inserted_receiver(h, ranks, sender) == rank)
            return sender;
    return NO_RANK;
}

uint64_t mpg_graph_inserted_at(const struct mpg_bound_hypotheses *x, uint64_t some, int32_t string, int32_t rank)
{
    const uint64_t named = bound_named(x, string) & some & x->exchanges;
    uint64_t here = 0;
    for (size_t i = 0; named && i < x->list->n; i++) {
        const struct mpg_hypothesis *h = &x->list->item[i];
        if ((named >> i & 1) && (mpg_graph_inserted_receiver(h, x->ranks, rank) != NO_RANK ||
                                 mpg_graph_inserted_sender(h, x->ranks, rank, 0) != NO_RANK))
            here |= UINT64_C(1) << i;
    }
    return here;
}

/* --- the survey --- */

static uint64_t key_of(int32_t rank, uint32_t thread)
{
    return (uint64_t)(uint32_t)rank << 32 | thread;
}

int mpg_bound_count_begin(struct mpg_bound_hypotheses *x, size_t i, int32_t rank, uint32_t thread)
{
    uint64_t *begins = mpg_map_add(&x->learned->begins, key_of(rank, thread), i);
    if (begins)
        ++*begins;
    return begins ? 0 : -1;
}

static uint64_t begins_of(const struct mpg_bound_hypotheses *x, size_t i, int32_t rank, uint32_t thread)
{
    const uint64_t *begins = mpg_map_find(&x->learned->begins, key_of(rank, thread), i);
    return begins ? *begins : 0;
}

static int differ(const struct mpg_bound_hypotheses *x, size_t i, int32_t from, int32_t to, uint32_t thread,
                  struct mpg_error *err)
{
    const uint64_t sends = begins_of(x, i, from, thread), receives = begins_of(x, i, to, thread);
    char of[32] = "";
    if (thread > 0)
        snprintf(of, sizeof of, " in thread %u", thread);
    return mpg_error_set(err,
                         "rank %d enters '%s' %llu time%s%s, but rank %d, the receiver of its inserted messages, enters it %llu "
                         "time%s: sender and receiver must enter the region equally often",
                         from, x->list->item[i].region, (unsigned long long)sends, sends == 1 ? "" : "s", of, to,
                         (unsigned long long)receives, receives == 1 ? "" : "s");
}

/* Checks, for all threads of RANK, that the threads with this thread's number in FROM and TO begin the region equally often. */
static int check_threads(const struct mpg_bound_hypotheses *x, const struct mpg_trace *trace, size_t i, int32_t rank,
                         int32_t from,
                         int32_t to, struct mpg_error *err)
{
    for (uint32_t k = 0; k < mpg_trace_threads(trace, rank); k++) {
        const uint32_t thread = mpg_trace_thread(trace, rank, k);
        if (begins_of(x, i, from, thread) != begins_of(x, i, to, thread))
            return differ(x, i, from, to, thread, err);
    }
    return 0;
}

/* Returns the reason for which hypothesis I inserts no messages; NULL: it inserts messages. */
static const char *why_none(const struct mpg_bound_hypotheses *x, size_t i)
{
    const struct mpg_hypothesis *h = &x->list->item[i];
    if (x->ranks == 1)
        return "the trace has only one rank: there is no receiver for the inserted message";
    for (int32_t r = 0; r < x->ranks; r++)
        if (mpg_graph_inserted_receiver(h, x->ranks, r) != NO_RANK)
            return NULL;
    return h->to_relative ? "with the trace's number of ranks, each selected rank would send to itself"
                          : "the only selected sender is the receiver itself";
}

int mpg_bound_check_exchange(const struct mpg_bound_hypotheses *x, const struct mpg_trace *trace, size_t i, struct mpg_error *err)
{
    const struct mpg_hypothesis *h = &x->list->item[i];
    uint64_t begins = 0;
    if (!h->to_relative && h->to >= x->ranks)
        return mpg_error_set(err, "there is no rank %d: the trace has ranks 0 to %d", h->to, x->ranks - 1);
    const char *why = why_none(x, i);
    if (why)
        return mpg_error_set(err, "%s", why);
    for (int32_t from = 0; from < x->ranks; from++) {
        const int32_t to = mpg_graph_inserted_receiver(h, x->ranks, from);
        if (to != NO_RANK && (check_threads(x, trace, i, from, from, to, err) < 0 ||
                              check_threads(x, trace, i, to, from, to, err) < 0))
            return -1;
        for (uint32_t k = 0; to != NO_RANK && k < mpg_trace_threads(trace, from); k++)
            begins += begins_of(x, i, from, mpg_trace_thread(trace, from, k));
    }
    return begins > 0 ? 0 : mpg_error_set(err, "none of these ranks enters '%s' after MPI_Init", h->region);
}

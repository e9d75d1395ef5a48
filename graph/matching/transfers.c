/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One-sided transfers that are not complete yet, and calls on passive targets, which wait for transfers. */
#include <stdlib.h>

#include "common/reserve.h"
#include "graph/matching/window.h"
#include "graph/matching/windows.h"

/* Returns A + B, at most INT64_MAX - 1: numbers in damaged files can be arbitrarily large. */
static int64_t add(int64_t a, int64_t b)
{
    return a < INT64_MAX - 1 - b ? a + b : INT64_MAX - 1;
}

/* Returns SUM without PART; a SUM limited by add() stays. */
static int64_t less(int64_t sum, int64_t part)
{
    return sum < INT64_MAX - 1 ? sum - part : sum;
}

static const struct rma_pending nothing_moved = {.rma_under_way.target = -1};

static void forget_transfers(struct window *w)
{
    mpg_map_clear(&w->targets);
    w->target_count = 0;
    w->all = nothing_moved;
}

/* Returns the entry with all pending transfers to TARGET, made on first use; NULL with ERR: out of memory. */
static struct rma_pending *find_target(struct window *w, int32_t target, struct mpg_error *err)
{
    uint64_t *number = mpg_map_add(&w->targets, (uint64_t)target, 0);
    void *all = w->target;
    if (!number || mpg_reserve(&all, sizeof *w->target, &w->target_capacity, w->target_count + 1, err) < 0) {
        mpg_graph_out_of_memory(err);
        return NULL;
    }
    w->target = all;
    if (*number == 0) {
        *number = ++w->target_count;
        w->target[*number - 1] = nothing_moved;
    }
    return &w->target[*number - 1];
}

static void add_transfer(struct rma_pending *rma_pending, const struct load *load)
{
    rma_pending->n++;
    rma_pending->call = load->call;
    rma_pending->dropped += load->drops;
    rma_pending->bytes = add(rma_pending->bytes, load->bytes);
    if (!load->drops)
        rma_pending->target_bytes = add(rma_pending->target_bytes, load->target_bytes);
}

struct rma_pending mpg_graph_take_transfers(struct window *w, int32_t target)
{
    const uint64_t *number = mpg_map_find(&w->targets, (uint64_t)target, 0);
    if (!number)
        return nothing_moved;
    const struct rma_pending taken = w->target[*number - 1];
    w->target[*number - 1] = nothing_moved;
    w->all.n -= taken.n;
    w->all.dropped -= taken.dropped;
    w->all.bytes = less(w->all.bytes, taken.bytes);
    w->all.target_bytes = less(w->all.target_bytes, taken.target_bytes);
    return taken;
}

struct rma_pending mpg_graph_take_all(struct window *w)
{
    const struct rma_pending taken = w->all;
    forget_transfers(w);
    return taken;
}

/* Returns the lock epoch in which a transfer to TARGET takes place; NULL: none, or no hypotheses. */
static struct lock *find_lock(const struct window *w, int32_t target)
{
    for (size_t i = 0; i < w->lock_count; i++)
        if (w->lock[i].target < 0 || w->lock[i].target == target)
            return &w->lock[i];
    return NULL;
}

/* Computes the effect of hypotheses on *LOAD, the size of the transfer that CALL starts. */
static int apply_to_transfer(struct matching *matching, const struct mpg_trace *trace, struct window *w,
                            const struct call *call, struct load *load, struct mpg_error *err)
{
    const struct applied_hypotheses *s = &matching->applied_hypotheses;
    const int32_t target = call->event->to, comm = graph_window_comm(trace, call);
    const struct call_ref here = graph_call_ref(call);
    struct outcome outcome;
    const int32_t to = mpg_graph_peer(matching->members, call, comm, target, err);
    if (to < 0)
        return to == MPG_FOREIGN ? 0 : -1;
    if (mpg_graph_apply_to_message(s, call, comm, to, MPG_SELECTED_NO_TAG, load->bytes, &outcome, err) < 0)
        return -1;
    outcome.drops = outcome.drops || mpg_graph_is_post_dropped(s, &here, 1);
    *load = graph_outcome_load(load->bytes, &outcome);
    const struct mpg_hypothesis_effect effect = {.kind = MPG_EFFECT_SENT, .rank = call->rank, .number = call->number,
                                                 .drops = load->drops, .was = load->bytes, .bytes = load->target_bytes};
    if (mpg_graph_report_effect(s, &effect, outcome.by, err) < 0)
        return -1;
    call->sent->parts++;
    call->sent->dropped += load->drops;
    struct lock *lock = find_lock(w, target);
    return mpg_graph_note_part(s, lock ? &lock->epoch_parts : &w->epoch_parts, call, 1, target, outcome.by, err);
}

static int find_load(struct matching *matching, const struct mpg_trace *trace, struct window *w,
                     const struct call *call, struct load *load, struct mpg_error *err)
{
    const struct mpg_event *e = call->event;
    *load = graph_load(add(e->bytes, e->recvbytes));
    const int status = matching->applied_hypotheses.bound && w && e->to >= 0
                           ? apply_to_transfer(matching, trace, w, call, load, err)
                           : 0;
    load->call = e->call;
    return status;
}

/* Returns the world rank of CALL's target; -1: not in this job, or no target. */
static int32_t target_of(struct matching *matching, const struct mpg_trace *trace, const struct call *call)
{
    const struct mpg_event *e = call->event;
    struct mpg_error err; /* ignored: begin_transfer() has reported the error */
    if (e->failed || e->object == MPG_NO_OBJECT || e->to < 0)
        return -1;
    const int32_t rank = mpg_graph_peer(matching->members, call, graph_window_comm(trace, call), e->to, &err);
    return rank < 0 ? -1 : rank;
}

/* CALL starts a transfer; the bytes count in the call that completes the transfer. */
int mpg_graph_begin_transfer(struct matching *matching, const struct mpg_trace *trace, struct window *w, struct call *call,
                             struct mpg_error *err)
{
    struct load load;
    struct rma_pending *target;
    if (find_load(matching, trace, w, call, &load, err) < 0)
        return -1;
    matching->counts->transfers += !load.drops;
    if (call->event->to < 0)
        return 0;
    if (!(target = find_target(w, call->event->to, err)))
        return -1;
    add_transfer(target, &load);
    add_transfer(&w->all, &load);
    return load.drops ? 0
                      : mpg_graph_rma_start(matching, call, target_of(matching, trace, call), load.bytes, &target->rma_under_way,
                                            &w->waits, err);
}

int mpg_graph_end_transfers(struct matching *matching, struct window *w, struct call *call, int32_t target, struct mpg_error *err)
{
    if (!matching->progress.serves)
        return 0;
    for (size_t i = 0; i < w->targets.capacity; i++) {
        const struct mpg_map_entry *x = &w->targets.entries[i];
        if (x->used && (target < 0 || x->key[0] == (uint64_t)target) &&
            mpg_graph_rma_end(matching, call, &w->target[x->value - 1].rma_under_way, &w->waits, err) < 0)
            return -1;
    }
    return 0;
}

int mpg_graph_requested_transfer(struct matching *matching, struct windows *windows, const struct mpg_trace *trace,
                                 struct call *call, struct load *load, struct mpg_error *err)
{
    const int32_t object = call->event->object;
    struct window *w = NULL;
    if ((matching->applied_hypotheses.bound || matching->progress.serves) && object != MPG_NO_OBJECT &&
        !(w = mpg_graph_find_window(&windows->by_object, object, err)))
        return -1;
    if (find_load(matching, trace, w, call, load, err) < 0)
        return -1;
    matching->counts->transfers += !load->drops;
    return load->drops || !w
               ? 0
               : mpg_graph_rma_start(matching, call, target_of(matching, trace, call), load->bytes, NULL, &w->waits, err);
}

void mpg_graph_await_transfer(struct call *call, const struct load *load)
{
    if (load->drops)
        return;
    call->round_trip = true;
    call->round_trip_call = load->call;
    call->round_trip_bytes = add(call->round_trip_bytes, load->bytes);
    call->round_trip_target_bytes = add(call->round_trip_target_bytes, load->target_bytes);
}

/* --- passive targets: one round trip for all transfers completed by a call --- */

/* Counts the parts of CALL that hypotheses can drop. The transfers RMA_PENDING to TARGET (-1: to all targets), completed by
 * CALL, are together one part. Without transfers, each open lock epoch of TARGET is a part. */
static void count_parts(const struct applied_hypotheses *s, const struct window *w, const struct call *call, int32_t target,
                        const struct rma_pending *rma_pending)
{
    struct sent *sent = call->sent;
    if (!s->bound)
        return;
    if (rma_pending->n > 0) {
        sent->parts++;
        sent->dropped += rma_pending->dropped == rma_pending->n;
        return;
    }
    for (size_t i = 0; i < w->lock_count; i++) {
        const struct lock *lock = &w->lock[i];
        if (lock->target >= 0 && target >= 0 && lock->target != target)
            continue;
        sent->parts++;
        sent->dropped += mpg_graph_is_post_dropped(s, &lock->call_ref, 1);
    }
}

static int begin_lock(const struct applied_hypotheses *s, struct window *w, const struct call *call, int32_t target,
                      struct mpg_error *err)
{
    const struct call_ref here = graph_call_ref(call);
    void *all = w->lock;
    if (!s->bound)
        return 0;
    if (mpg_reserve(&all, sizeof *w->lock, &w->lock_capacity, w->lock_count + 1, err) < 0)
        return mpg_graph_out_of_memory(err);
    w->lock = all;
    struct lock *lock = &w->lock[w->lock_count++];
    *lock = (struct lock){.target = target, .call_ref = here};
    call->sent->parts++;
    call->sent->dropped += mpg_graph_is_post_dropped(s, &here, 1);
    return mpg_graph_note_part(s, &lock->epoch_parts, call, 1, target, -1, err);
}

static int end_lock(struct matching *matching, struct window *w, const struct call *call, int32_t comm,
                    int32_t target, struct mpg_error *err)
{
    const struct applied_hypotheses *s = &matching->applied_hypotheses;
    size_t i = 0;
    int dropper;
    while (i < w->lock_count && w->lock[i].target != target)
        i++;
    if (i == w->lock_count)
        return 0;
    const int32_t to = target < 0 ? -1 : mpg_graph_peer(matching->members, call, comm, target, err);
    if (target >= 0 && to < 0 && to != MPG_FOREIGN)
        return -1;
    int status = mpg_graph_apply_to_epoch(s, call, comm, to < 0 ? -1 : to, &dropper, err);
    if (status == 0)
        status = mpg_graph_learn_epoch(s, &w->lock[i].epoch_parts, call, -1, dropper, err);
    mpg_graph_epoch_parts_clear(&w->lock[i].epoch_parts);
    w->lock[i] = w->lock[--w->lock_count];
    return status;
}

int mpg_graph_begin_passive(struct matching *matching, const struct mpg_trace *trace, struct window *w, struct call *call,
                            struct mpg_error *err)
{
    const struct mpg_event *e = call->event;
    const bool has_target = mpg_call_kind(e->call) == MPG_KIND_WIN_TARGET;
    const int32_t target = has_target ? e->to : -1;
    struct rma_pending rma_pending = {0};
    if (e->call == MPG_CALL_Win_lock || e->call == MPG_CALL_Win_lock_all)
        return has_target && target < 0 ? 0 : begin_lock(&matching->applied_hypotheses, w, call, target, err);
    if (e->call != MPG_CALL_Win_sync) {
        if (mpg_graph_end_transfers(matching, w, call, target, err) < 0)
            return -1;
        rma_pending = has_target ? mpg_graph_take_transfers(w, target) : mpg_graph_take_all(w);
        call->round_trip = rma_pending.n > rma_pending.dropped;
        call->round_trip_call = rma_pending.call;
        call->round_trip_bytes = rma_pending.bytes;
        call->round_trip_target_bytes = rma_pending.target_bytes;
    }
    if (has_target && target < 0)
        return 0;
    count_parts(&matching->applied_hypotheses, w, call, target, &rma_pending);
    return e->call == MPG_CALL_Win_unlock || e->call == MPG_CALL_Win_unlock_all
               ? end_lock(matching, w, call, graph_window_comm(trace, call), target, err)
               : 0;
}

/* Applies hypotheses to T, the transfer started by CALL: bytes put and bytes got are scaled by one factor; a dropped transfer
 * has owner -1. */
static void apply_to_moved(struct matching *matching, const struct mpg_trace *trace, const struct call *call,
                          struct mpg_transfer *t)
{
    const double rma_pending = t->put_bytes + t->get_bytes;
    const struct call_ref here = graph_call_ref(call);
    struct outcome outcome;
    struct mpg_error err; /* ignored: begin_transfer() has reported contradictions */
    if (mpg_graph_apply_to_message(&matching->applied_hypotheses, call, graph_window_comm(trace, call), t->owner,
                                   MPG_SELECTED_NO_TAG,
                                   add(call->event->bytes, call->event->recvbytes), &outcome, &err) < 0)
        return;
    if (outcome.drops || mpg_graph_is_post_dropped(&matching->applied_hypotheses, &here, 1))
        t->owner = -1;
    if (rma_pending > 0) {
        t->put_bytes *= (double)outcome.bytes / rma_pending;
        t->get_bytes *= (double)outcome.bytes / rma_pending;
    }
}

int mpg_graph_transfer_of(struct matching *matching, const struct mpg_trace *trace, const struct call *call,
                          struct mpg_step *step, struct mpg_error *err)
{
    const struct mpg_event *e = call->event;
    const enum mpg_kind kind = mpg_call_kind(e->call);
    struct mpg_transfer *transfer = mpg_graph_add_transfer(matching->steps, step, err);
    if (!transfer)
        return -1;
    if (kind == MPG_KIND_WIN_TARGET) {
        transfer->awaits_of = target_of(matching, trace, call);
        return 0;
    }
    *transfer = (struct mpg_transfer){.owner = target_of(matching, trace, call),
                                      .awaits_of = -1,
                                      .put_bytes = (double)e->bytes,
                                      .get_bytes = (double)e->recvbytes,
                                      .traced_bytes = (double)add(e->bytes, e->recvbytes),
                                      .requested = kind == MPG_KIND_IRMA};
    if (matching->applied_hypotheses.bound && transfer->owner >= 0)
        apply_to_moved(matching, trace, call, transfer);
    return 0;
}

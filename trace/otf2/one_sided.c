/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calls of windows and one-sided communication. The function is the MPI call; records between enter and leave have the window,
 * the target, the group and the bytes. Ranks in these records are ranks of the window's communicator. */
#include "trace/otf2/thread.h"

#include <stdlib.h>

#define UNUSED (void)location, (void)time, (void)position, (void)attributes
#define HEAD OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position, void *user, OTF2_AttributeList *attributes

/* --- records --- */

/* Notes that the current call of USER, a thread, uses WINDOW. Returns the call's one-sided properties, to be completed by the
 * caller. */
static struct otf2_one_sided *note_window(void *user, uint32_t window)
{
    struct otf2_one_sided *x = &((struct otf2_thread *)user)->call.one_sided;
    x->window = x->has_window ? x->window : window;
    x->has_window = true;
    return x;
}

static struct otf2_one_sided *note_target(void *user, uint32_t window, uint32_t target)
{
    struct otf2_one_sided *x = note_window(user, window);
    if (target != OTF2_UNDEFINED_UINT32 && !x->has_target) {
        x->target = target;
        x->has_target = true;
    }
    return x;
}

static OTF2_CallbackCode on_window(HEAD, OTF2_RmaWinRef window)
{
    UNUSED;
    note_window(user, window);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_collective(HEAD, OTF2_CollectiveOp op, OTF2_RmaSyncLevel level, OTF2_RmaWinRef window, uint32_t root,
                                       uint64_t sent, uint64_t received)
{
    UNUSED, (void)op, (void)level, (void)root, (void)sent, (void)received;
    note_window(user, window);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_group(HEAD, OTF2_RmaSyncLevel level, OTF2_RmaWinRef window, OTF2_GroupRef group)
{
    UNUSED, (void)level;
    struct otf2_one_sided *x = note_window(user, window);
    x->group = group;
    x->has_group = group != OTF2_UNDEFINED_GROUP;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_lock(HEAD, OTF2_RmaWinRef window, uint32_t target, uint64_t lock, OTF2_LockType type)
{
    UNUSED, (void)lock;
    note_target(user, window, target)->is_exclusive = type == OTF2_LOCK_EXCLUSIVE;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_release(HEAD, OTF2_RmaWinRef window, uint32_t target, uint64_t lock)
{
    UNUSED, (void)lock;
    note_target(user, window, target);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_sync(HEAD, OTF2_RmaWinRef window, uint32_t target, OTF2_RmaSyncType type)
{
    UNUSED, (void)type;
    note_target(user, window, target);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_put(HEAD, OTF2_RmaWinRef window, uint32_t target, uint64_t bytes, uint64_t operation)
{
    UNUSED, (void)operation;
    note_target(user, window, target)->sent = bytes;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_get(HEAD, OTF2_RmaWinRef window, uint32_t target, uint64_t bytes, uint64_t operation)
{
    UNUSED, (void)operation;
    note_target(user, window, target)->received = bytes;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_atomic(HEAD, OTF2_RmaWinRef window, uint32_t target, OTF2_RmaAtomicType type, uint64_t sent,
                                   uint64_t received, uint64_t operation)
{
    UNUSED, (void)type, (void)operation;
    struct otf2_one_sided *x = note_target(user, window, target);
    x->sent = sent;
    x->received = received;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_operation(HEAD, OTF2_RmaWinRef window, uint64_t operation)
{
    UNUSED, (void)operation;
    note_window(user, window);
    return OTF2_CALLBACK_SUCCESS;
}

void mpg_otf2_one_sided_callbacks(OTF2_EvtReaderCallbacks *c)
{
    OTF2_EvtReaderCallbacks_SetRmaWinCreateCallback(c, on_window);
    OTF2_EvtReaderCallbacks_SetRmaWinDestroyCallback(c, on_window);
    OTF2_EvtReaderCallbacks_SetRmaWaitChangeCallback(c, on_window);
    OTF2_EvtReaderCallbacks_SetRmaCollectiveEndCallback(c, on_collective);
    OTF2_EvtReaderCallbacks_SetRmaGroupSyncCallback(c, on_group);
    OTF2_EvtReaderCallbacks_SetRmaRequestLockCallback(c, on_lock);
    OTF2_EvtReaderCallbacks_SetRmaAcquireLockCallback(c, on_lock);
    OTF2_EvtReaderCallbacks_SetRmaTryLockCallback(c, on_lock);
    OTF2_EvtReaderCallbacks_SetRmaReleaseLockCallback(c, on_release);
    OTF2_EvtReaderCallbacks_SetRmaSyncCallback(c, on_sync);
    OTF2_EvtReaderCallbacks_SetRmaPutCallback(c, on_put);
    OTF2_EvtReaderCallbacks_SetRmaGetCallback(c, on_get);
    OTF2_EvtReaderCallbacks_SetRmaAtomicCallback(c, on_atomic);
    OTF2_EvtReaderCallbacks_SetRmaOpCompleteBlockingCallback(c, on_operation);
    OTF2_EvtReaderCallbacks_SetRmaOpCompleteNonBlockingCallback(c, on_operation);
    OTF2_EvtReaderCallbacks_SetRmaOpCompleteRemoteCallback(c, on_operation);
}

/* --- calls --- */

/* Returns the variant of CALL without a request (MPI_Put for MPI_Rput), because the archive has no record of the request's
 * completion. */
static enum mpg_call without_request(enum mpg_call call)
{
    switch (mpg_call_plain(call)) {
    case MPG_CALL_Rput:
        return MPG_CALL_Put;
    case MPG_CALL_Rget:
        return MPG_CALL_Get;
    case MPG_CALL_Raccumulate:
        return MPG_CALL_Accumulate;
    default:
        return MPG_CALL_Get_accumulate;
    }
}

/* Returns whether X, from the records in the call, suffices for an event of KIND. */
static bool suffices(const struct otf2_one_sided *x, enum mpg_kind kind)
{
    switch (kind) {
    case MPG_KIND_WIN_CONSTRUCTOR:
    case MPG_KIND_WIN_FREE:
    case MPG_KIND_WIN_FENCE:
    case MPG_KIND_WIN_EPOCH:
    case MPG_KIND_WIN_ALL:
        return x->has_window;
    case MPG_KIND_WIN_GROUP:
        return x->has_window && x->has_group;
    case MPG_KIND_WIN_TARGET:
    case MPG_KIND_RMA:
    case MPG_KIND_IRMA:
        return x->has_window && x->has_target;
    default:
        return false;
    }
}

/* Emits E, with the window already set, with the ranks of the group in the record. C: the window's communicator. */
static void emit_with_group(struct otf2_thread *t, struct mpg_event *e, const struct otf2_comm *c)
{
    int64_t *places = calloc((size_t)c->size, sizeof *places);
    if (!places || mpg_otf2_group_places(&t->import->archive, t->call.one_sided.group, c, places, &e->count_number, t->err) < 0) {
        if (!places)
            mpg_error_set(t->err, "out of memory");
        mpg_otf2_fail(t);
    } else {
        e->counts = places;
        mpg_otf2_emit(t, e, NULL);
    }
    free(places);
}

bool mpg_otf2_emit_one_sided(struct otf2_thread *t, int64_t leave_ns)
{
    const struct otf2_one_sided *x = &t->call.one_sided;
    const enum mpg_kind kind = mpg_call_kind(t->call.region->call);
    int32_t comm, window;
    if (!suffices(x, kind) || t->failed)
        return false;
    const struct otf2_comm *c =
        mpg_otf2_need_window(&t->import->archive, t->import->build, x->window, t->rank, &comm, &window, t->err);
    if (!c) {
        mpg_otf2_fail(t);
        return false;
    }
    if (window < 0)
        return false;
    struct mpg_event e = {.call = t->call.region->call, .enter_ns = t->call.enter_ns, .leave_ns = leave_ns,
                          .newcomm = MPG_NO_COMM, .object = window, .site = MPG_NO_SITE, .found = true};
    if (kind == MPG_KIND_WIN_CONSTRUCTOR)
        e.comm = comm;
    if (kind == MPG_KIND_WIN_TARGET || kind == MPG_KIND_RMA || kind == MPG_KIND_IRMA) {
        e.to = (int32_t)(x->target & INT32_MAX);
        e.bytes = (int64_t)(x->sent & INT64_MAX >> 2);
        e.recvbytes = (int64_t)(x->received & INT64_MAX >> 2);
        if (mpg_otf2_world_rank(c, t->rank, x->target) < 0) {
            mpg_error_set(t->err, "damaged: rank %u is no member of the communicator of window %u", x->target, x->window);
            mpg_otf2_fail(t);
            return true;
        }
    }
    if (e.call == MPG_CALL_Win_lock)
        e.root = x->is_exclusive;
    if (kind == MPG_KIND_IRMA) {
        e.call = without_request(e.call);
        t->import->remarks.count[OTF2_ONE_SIDED_REQUESTS]++;
    }
    if (kind == MPG_KIND_WIN_GROUP)
        emit_with_group(t, &e, c);
    else
        mpg_otf2_emit(t, &e, NULL);
    return true;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the records of a thread twice. The first pass finds properties recorded only at the completion of an operation, for
 * example source and size of a nonblocking receive. The second pass makes the events. */
#define _GNU_SOURCE
#include "trace/otf2/thread.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "trace/format.h"
#include "trace/store/spool.h"

enum { MAX_DEPTH = 1 << 20, TOLERANCE_NS = 1000, REQUESTS_BITS = 40 };

/* --- records --- */

struct otf2_record *mpg_otf2_record_at(struct otf2_thread *t, size_t i)
{
    struct otf2_records *r = &t->records;
    if (i < r->capacity)
        return &r->at[i];
    const size_t capacity = r->capacity ? 2 * r->capacity : 4096, bytes = capacity * sizeof *r->at;
    if (t->failed || i >= capacity || (r->fd < 0 && (r->fd = mpg_spool_file(t->err)) < 0)) {
        if (!t->failed && i >= capacity)
            mpg_error_set(t->err, "damaged: the two passes differ");
        mpg_otf2_fail(t);
        return NULL;
    }
    if (ftruncate(r->fd, (off_t)bytes) < 0 || posix_fallocate(r->fd, 0, (off_t)bytes) != 0) {
        mpg_error_set(t->err, "no room for a temporary file of %zu bytes", bytes);
        mpg_otf2_fail(t);
        return NULL;
    }
    void *grown = r->at ? mremap(r->at, r->capacity * sizeof *r->at, bytes, MREMAP_MAYMOVE)
                        : mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, r->fd, 0);
    if (grown == MAP_FAILED) {
        mpg_error_set(t->err, "out of memory");
        mpg_otf2_fail(t);
        return NULL;
    }
    r->at = grown;
    r->capacity = capacity;
    return &r->at[i];
}

static void clear_records(struct otf2_records *r)
{
    if (r->at)
        munmap(r->at, r->capacity * sizeof *r->at);
    if (r->fd >= 0)
        close(r->fd);
}

/* --- times and values --- */

/* Returns TICKS in ns since the archive's origin. A time before the thread's last time is replaced by the last time; if more
 * than TOLERANCE_NS earlier, T fails. */
static int64_t time_of(struct otf2_thread *t, uint64_t ticks)
{
    const struct otf2_archive *a = &t->import->archive;
    const __int128 ns = ((__int128)ticks - (__int128)a->origin) * 1000000000 / (__int128)a->resolution;
    const int64_t last = t->last_ns;
    if (ns < -(INT64_MAX / 4) || ns > INT64_MAX / 4) {
        if (!t->failed)
            mpg_error_set(t->err, "rank %d: damaged: a time of %llu ticks", t->rank, (unsigned long long)ticks);
        mpg_otf2_fail(t);
        return last;
    }
    if (last == INT64_MIN || ns >= last) {
        t->first_ns = last == INT64_MIN ? (int64_t)ns : t->first_ns;
        return t->last_ns = (int64_t)ns;
    }
    if (last - (int64_t)ns > TOLERANCE_NS) {
        if (!t->failed)
            mpg_error_set(t->err, "rank %d: a time is %lld ns before the one of the record before", t->rank,
                          (long long)(last - (int64_t)ns));
        mpg_otf2_fail(t);
    }
    t->import->remarks.count[OTF2_CLAMPED] += t->pass == 2;
    return last;
}

static OTF2_CallbackCode go_on(const struct otf2_thread *t)
{
    return t->failed ? OTF2_CALLBACK_INTERRUPT : OTF2_CALLBACK_SUCCESS;
}

#define UNUSED (void)location, (void)position, (void)attributes
#define HEAD OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position, void *user, OTF2_AttributeList *attributes

static OTF2_CallbackCode on_metric(HEAD, OTF2_MetricRef metric, uint8_t n, const OTF2_Type *types, const OTF2_MetricValue *values)
{
    struct otf2_thread *t = user;
    UNUSED, (void)time;
    if (t->import->archive.values == 0 || metric != t->import->archive.value_class || n != t->import->archive.values)
        return OTF2_CALLBACK_SUCCESS;
    for (uint8_t i = 0; i < n; i++)
        t->values[i] = types[i] == OTF2_TYPE_DOUBLE ? (int64_t)values[i].floating_point : values[i].signed_int;
    if (!t->has_values)
        memcpy(t->last_values, t->values, sizeof t->values);
    t->has_values = true;
    return OTF2_CALLBACK_SUCCESS;
}

/* --- regions --- */

/* Returns attribute NUMBER of a record (in archives of mpgkit only); 0: none. */
static uint8_t own_attribute(const OTF2_AttributeList *attributes, uint32_t number)
{
    uint8_t value = 0;
    if (number == OTF2_UNDEFINED_ATTRIBUTE || !OTF2_AttributeList_TestAttributeByID(attributes, number) ||
        OTF2_AttributeList_GetUint8(attributes, number, &value) != OTF2_SUCCESS)
        return 0;
    return value;
}

/* Reads the bytes for each member of a collective from attributes (in archives of mpgkit only). */
static void read_counts(struct otf2_thread *t, const OTF2_AttributeList *attributes)
{
    const uint32_t first = t->import->archive.own.counts;
    int64_t value;
    t->call.counts.n = 0;
    for (uint32_t i = 0; first != OTF2_UNDEFINED_ATTRIBUTE && i < OTF2_AttributeList_GetNumberOfElements(attributes) &&
                         OTF2_AttributeList_GetInt64(attributes, first + i, &value) == OTF2_SUCCESS; i++)
        mpg_otf2_append(t, &t->call.counts, value);
}

/* REGION is no MPI function. Returns whether begin and end of REGION become events, according to --regions. */
static bool is_marked(const struct otf2_thread *t, const struct otf2_region *region)
{
    const enum mpg_import_regions regions = t->import->config->regions;
    return t->pass == 2 && regions != MPG_REGIONS_NONE && (region->is_user || regions == MPG_REGIONS_ALL);
}

static void enter_region(struct otf2_thread *t, uint64_t time, const struct otf2_region *region,
                         const OTF2_AttributeList *attributes)
{
    const int64_t now_ns = time_of(t, time);
    if (t->depth == t->stack_capacity) {
        const size_t capacity = t->stack_capacity ? 2 * t->stack_capacity : 64;
        void *grown = capacity <= MAX_DEPTH ? realloc(t->stack, capacity * sizeof *t->stack) : NULL;
        if (!grown) {
            mpg_error_set(t->err, "rank %d: more than %d regions inside each other", t->rank, MAX_DEPTH);
            mpg_otf2_fail(t);
            return;
        }
        t->stack = grown;
        t->stack_capacity = capacity;
    }
    t->stack[t->depth++] = region;
    if (!region || t->call_depth > 0)
        return;
    if (region->call != MPG_CALL_COUNT) {
        struct otf2_call *c = &t->call;
        c->region = region;
        c->enter_ns = now_ns;
        c->n = 0;
        c->completed.n = c->tested.n = c->cancelled.n = 0;
        c->collective_request = 0;
        c->has_collective = c->has_created = c->has_events = false;
        c->counts.n = 0;
        c->one_sided = (struct otf2_one_sided){.has_window = false};
        c->failed = own_attribute(attributes, t->import->archive.own.failed) != 0;
        t->call_depth = t->depth;
    } else if (is_marked(t, region)) {
        struct mpg_event e = {.call = MPG_CALL_Region_begin, .enter_ns = now_ns, .leave_ns = now_ns, .newcomm = MPG_NO_COMM,
                              .object = MPG_NO_OBJECT, .site = MPG_NO_SITE};
        mpg_otf2_emit(t, &e, region->name);
    }
}

static void leave_region(struct otf2_thread *t, uint64_t time)
{
    const int64_t now_ns = time_of(t, time);
    if (t->depth == 0)
        return; /* the region began before the recording */
    const struct otf2_region *region = t->stack[--t->depth];
    if (t->call_depth == t->depth + 1) {
        mpg_otf2_finish_call(t, now_ns);
        /* The counters of a call without events are added to the interval before the next call. */
        if (t->pass == 2 && t->call.has_events)
            memcpy(t->last_values, t->values, sizeof t->values);
        t->call_depth = 0;
    } else if (region && t->call_depth == 0 && is_marked(t, region)) {
        struct mpg_event e = {.call = MPG_CALL_Region_end, .enter_ns = now_ns, .leave_ns = now_ns, .newcomm = MPG_NO_COMM,
                              .object = MPG_NO_OBJECT, .site = MPG_NO_SITE};
        mpg_otf2_emit(t, &e, region->name);
    }
}

static OTF2_CallbackCode on_enter(HEAD, OTF2_RegionRef region)
{
    UNUSED;
    enter_region(user, time, mpg_otf2_region_of(&((struct otf2_thread *)user)->import->archive, region), attributes);
    return go_on(user);
}

static OTF2_CallbackCode on_leave(HEAD, OTF2_RegionRef region)
{
    UNUSED, (void)region;
    leave_region(user, time);
    return go_on(user);
}

static OTF2_CallbackCode on_context_enter(HEAD, OTF2_CallingContextRef context, uint32_t distance)
{
    UNUSED, (void)distance;
    enter_region(user, time, mpg_otf2_context_region(&((struct otf2_thread *)user)->import->archive, context), attributes);
    return go_on(user);
}

static OTF2_CallbackCode on_context_leave(HEAD, OTF2_CallingContextRef context)
{
    UNUSED, (void)context;
    leave_region(user, time);
    return go_on(user);
}

/* Called for the record of a flush: the recorder wrote the buffer to the disk. */
static OTF2_CallbackCode on_flush(HEAD, OTF2_TimeStamp stop)
{
    struct otf2_thread *t = user;
    UNUSED;
    const int64_t enter_ns = time_of(t, time), leave_ns = time_of(t, stop);
    if (t->call_depth > 0)
        t->import->remarks.count[OTF2_LATE_FLUSHES] += t->pass == 2;
    else if (t->pass == 2) {
        struct mpg_event e = {.call = MPG_CALL_Flush, .enter_ns = enter_ns, .leave_ns = leave_ns, .newcomm = MPG_NO_COMM,
                              .object = MPG_NO_OBJECT, .site = MPG_NO_SITE};
        mpg_otf2_emit(t, &e, NULL);
    }
    return go_on(t);
}

static OTF2_CallbackCode on_switch(HEAD, OTF2_MeasurementMode mode)
{
    struct otf2_thread *t = user;
    UNUSED, (void)time;
    t->import->remarks.count[OTF2_SWITCHED_OFF] += t->pass == 2 && mode == OTF2_MEASUREMENT_OFF;
    return OTF2_CALLBACK_SUCCESS;
}

/* --- messages --- */

/* Adds M to the messages of the current call. Outside of calls, M is ignored. */
static void add_message(struct otf2_thread *t, const struct otf2_message *m)
{
    struct otf2_call *c = &t->call;
    if (t->call_depth == 0)
        return;
    if (c->n == c->capacity) {
        const size_t capacity = c->capacity ? 2 * c->capacity : 16;
        void *grown = realloc(c->messages, capacity * sizeof *c->messages);
        if (!grown) {
            mpg_error_set(t->err, "out of memory");
            mpg_otf2_fail(t);
            return;
        }
        c->messages = grown;
        c->capacity = capacity;
    }
    c->messages[c->n++] = *m;
}

/* Stores VALUE for request NUMBER of the archive. If the archive has reused NUMBER of an older request, VALUE replaces the old
 * value. */
static void open_request(struct otf2_thread *t, uint64_t number, int64_t value)
{
    uint64_t *slot = mpg_map_add(&t->open, number, 0);
    if (slot)
        *slot = (uint64_t)value;
    else {
        mpg_error_set(t->err, "out of memory");
        mpg_otf2_fail(t);
    }
}

/* Removes request NUMBER of the archive. Returns the request's value; 0: unknown request. */
static int64_t close_request(struct otf2_thread *t, uint64_t number)
{
    const uint64_t *slot = mpg_map_find(&t->open, number, 0);
    const int64_t value = slot ? (int64_t)*slot : 0;
    if (slot)
        mpg_map_remove(&t->open, number, 0);
    return value;
}

/* Notes that the current call completes request NUMBER of the archive. FOUND: communicator, source, tag and size of a receive,
 * or the properties of a collective; NULL: the request is a send or was cancelled. */
static void complete(struct otf2_thread *t, uint64_t number, const struct otf2_record *found, bool is_cancelled)
{
    const int64_t value = close_request(t, number);
    if (value == 0) {
        t->import->remarks.count[OTF2_UNKNOWN_REQUESTS] += t->pass == 2;
        return;
    }
    if (t->pass == 2) {
        mpg_otf2_append(t, &t->call.completed, value);
        if (is_cancelled)
            mpg_otf2_append(t, &t->call.cancelled, value);
        return;
    }
    struct otf2_record *r = value > 0 ? mpg_otf2_record_at(t, (size_t)(value - 1)) : NULL; /* a negative value is a send */
    if (r && found)
        *r = *found;
    if (r)
        r->state = is_cancelled ? OTF2_CANCELLED : OTF2_DONE;
}

static OTF2_CallbackCode on_send(HEAD, uint32_t receiver, OTF2_CommRef comm, uint32_t tag, uint64_t bytes)
{
    UNUSED, (void)time;
    add_message(user, &(struct otf2_message){.comm = comm, .peer = receiver, .tag = tag, .bytes = bytes});
    return go_on(user);
}

static OTF2_CallbackCode on_isend(HEAD, uint32_t receiver, OTF2_CommRef comm, uint32_t tag, uint64_t bytes, uint64_t request)
{
    struct otf2_thread *t = user;
    UNUSED, (void)time;
    if (t->call_depth == 0)
        return OTF2_CALLBACK_SUCCESS;
    struct otf2_message m = {.is_nonblocking = true, .comm = comm, .peer = receiver, .tag = tag, .bytes = bytes,
                             .request = ++t->requests};
    add_message(t, &m);
    open_request(t, request, t->pass == 1 ? -1 : m.request);
    return go_on(t);
}

static OTF2_CallbackCode on_isend_complete(HEAD, uint64_t request)
{
    UNUSED, (void)time;
    complete(user, request, NULL, false);
    return go_on(user);
}

static OTF2_CallbackCode on_irecv_request(HEAD, uint64_t request)
{
    struct otf2_thread *t = user;
    UNUSED, (void)time;
    if (t->call_depth == 0)
        return OTF2_CALLBACK_SUCCESS;
    const size_t record = t->postings++;
    struct otf2_message m = {.is_receive = true, .is_nonblocking = true, .bytes = record, .request = ++t->requests,
                             .any = own_attribute(attributes, t->import->archive.own.any)};
    add_message(t, &m);
    if (mpg_otf2_record_at(t, record))
        open_request(t, request, t->pass == 1 ? (int64_t)record + 1 : m.request);
    return go_on(t);
}

/* Called for the record of a receive. In a call that completes requests, the record belongs to the oldest receive posted
 * without a record. */
static OTF2_CallbackCode on_recv(HEAD, uint32_t sender, OTF2_CommRef comm, uint32_t tag, uint64_t bytes)
{
    struct otf2_thread *t = user;
    UNUSED, (void)time;
    if (t->call_depth == 0 || mpg_call_kind(t->call.region->call) != MPG_KIND_COMPLETE) {
        add_message(t, &(struct otf2_message){.is_receive = true, .comm = comm, .peer = sender, .tag = tag, .bytes = bytes,
                                              .any = own_attribute(attributes, t->import->archive.own.any)});
        return go_on(t);
    }
    if (t->nameless_first == t->nameless.n) {
        t->import->remarks.count[OTF2_UNKNOWN_REQUESTS] += t->pass == 2;
        return go_on(t);
    }
    const int64_t oldest = t->nameless.at[t->nameless_first++];
    if (t->pass == 2)
        mpg_otf2_append(t, &t->call.completed, oldest);
    else {
        struct otf2_record *r = mpg_otf2_record_at(t, (size_t)oldest);
        if (r)
            *r = (struct otf2_record){comm, sender, tag, OTF2_DONE, bytes, 0};
    }
    if (t->nameless_first == t->nameless.n)
        t->nameless_first = t->nameless.n = 0;
    return go_on(t);
}

static OTF2_CallbackCode on_irecv(HEAD, uint32_t sender, OTF2_CommRef comm, uint32_t tag, uint64_t bytes, uint64_t request)
{
    UNUSED, (void)time;
    complete(user, request, &(struct otf2_record){comm, sender, tag, OTF2_DONE, bytes, 0}, false);
    return go_on(user);
}

static OTF2_CallbackCode on_test(HEAD, uint64_t request)
{
    struct otf2_thread *t = user;
    UNUSED, (void)time;
    const uint64_t *slot = mpg_map_find(&t->open, request, 0);
    if (slot && t->pass == 2)
        mpg_otf2_append(t, &t->call.tested, (int64_t)*slot);
    return go_on(t);
}

static OTF2_CallbackCode on_cancelled(HEAD, uint64_t request)
{
    UNUSED, (void)time;
    complete(user, request, NULL, true);
    return go_on(user);
}

/* --- collectives --- */

static OTF2_CallbackCode on_collective(HEAD, OTF2_CollectiveOp op, OTF2_CommRef comm, uint32_t root, uint64_t sent,
                                       uint64_t received)
{
    struct otf2_thread *t = user;
    UNUSED, (void)time, (void)op;
    t->call.has_collective = true;
    t->call.collective = (struct otf2_record){comm, root, 0, OTF2_DONE, sent, received};
    read_counts(t, attributes);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_collective_request(HEAD, uint64_t request)
{
    struct otf2_thread *t = user;
    UNUSED, (void)time;
    if (t->call_depth == 0)
        return OTF2_CALLBACK_SUCCESS;
    t->call.collective_request = ++t->requests;
    read_counts(t, attributes);
    t->call.collective_record = t->postings++;
    if (mpg_otf2_record_at(t, t->call.collective_record))
        open_request(t, request, t->pass == 1 ? (int64_t)t->call.collective_record + 1 : t->call.collective_request);
    return go_on(t);
}

static OTF2_CallbackCode on_collective_complete(HEAD, OTF2_CollectiveOp op, OTF2_CommRef comm, uint32_t root, uint64_t sent,
                                                uint64_t received, uint64_t request)
{
    UNUSED, (void)time, (void)op;
    complete(user, request, &(struct otf2_record){comm, root, 0, OTF2_DONE, sent, received}, false);
    return go_on(user);
}

/* Called for the record of a communicator made or freed by the current call. */
static OTF2_CallbackCode on_comm(HEAD, OTF2_CommRef comm)
{
    struct otf2_thread *t = user;
    UNUSED, (void)time;
    t->call.has_created = true;
    t->call.created = comm;
    return OTF2_CALLBACK_SUCCESS;
}

/* --- reading --- */

static OTF2_EvtReaderCallbacks *make_callbacks(void)
{
    OTF2_EvtReaderCallbacks *c = OTF2_EvtReaderCallbacks_New();
    if (!c)
        return NULL;
    OTF2_EvtReaderCallbacks_SetEnterCallback(c, on_enter);
    OTF2_EvtReaderCallbacks_SetLeaveCallback(c, on_leave);
    OTF2_EvtReaderCallbacks_SetCallingContextEnterCallback(c, on_context_enter);
    OTF2_EvtReaderCallbacks_SetCallingContextLeaveCallback(c, on_context_leave);
    OTF2_EvtReaderCallbacks_SetBufferFlushCallback(c, on_flush);
    OTF2_EvtReaderCallbacks_SetMeasurementOnOffCallback(c, on_switch);
    OTF2_EvtReaderCallbacks_SetMetricCallback(c, on_metric);
    OTF2_EvtReaderCallbacks_SetMpiSendCallback(c, on_send);
    OTF2_EvtReaderCallbacks_SetMpiIsendCallback(c, on_isend);
    OTF2_EvtReaderCallbacks_SetMpiIsendCompleteCallback(c, on_isend_complete);
    OTF2_EvtReaderCallbacks_SetMpiIrecvRequestCallback(c, on_irecv_request);
    OTF2_EvtReaderCallbacks_SetMpiRecvCallback(c, on_recv);
    OTF2_EvtReaderCallbacks_SetMpiIrecvCallback(c, on_irecv);
    OTF2_EvtReaderCallbacks_SetMpiRequestTestCallback(c, on_test);
    OTF2_EvtReaderCallbacks_SetMpiRequestCancelledCallback(c, on_cancelled);
    OTF2_EvtReaderCallbacks_SetMpiCollectiveEndCallback(c, on_collective);
    OTF2_EvtReaderCallbacks_SetNonBlockingCollectiveRequestCallback(c, on_collective_request);
    OTF2_EvtReaderCallbacks_SetNonBlockingCollectiveCompleteCallback(c, on_collective_complete);
    OTF2_EvtReaderCallbacks_SetCommCreateCallback(c, on_comm);
    OTF2_EvtReaderCallbacks_SetCommDestroyCallback(c, on_comm);
    mpg_otf2_one_sided_callbacks(c);
    return c;
}

static int read_pass(struct otf2_thread *t, uint64_t location, struct mpg_error *err)
{
    OTF2_Reader *reader = t->import->reader;
    OTF2_EvtReaderCallbacks *callbacks = make_callbacks();
    OTF2_EvtReader *events = callbacks ? OTF2_Reader_GetEvtReader(reader, location) : NULL;
    uint64_t n;
    if (events)
        OTF2_EvtReader_ApplyClockOffsets(events, false);
    const bool good = events && OTF2_Reader_RegisterEvtCallbacks(reader, events, callbacks, t) == OTF2_SUCCESS &&
                      OTF2_Reader_ReadAllLocalEvents(reader, events, &n) == OTF2_SUCCESS;
    if (callbacks)
        OTF2_EvtReaderCallbacks_Delete(callbacks);
    if (events)
        OTF2_Reader_CloseEvtReader(reader, events);
    if (t->failed)
        return -1;
    return good ? 0 : mpg_error_set(err, "rank %d: the events of its thread %u cannot be read", t->rank, t->thread);
}

/* At the end of a thread's records: writes the facts that are known only now. Returns 0, or -1 with ERR. */
static int end_thread(struct otf2_thread *t, struct mpg_error *err)
{
    char value[96];
    struct otf2_import *im = t->import;
    if (t->last_ns != INT64_MIN && (t->thread == 0 || t->last_ns > im->last_ns[t->rank]))
        im->last_ns[t->rank] = t->last_ns;
    if (t->last_ns != INT64_MIN && (t->thread == 0 || t->first_ns < im->first_ns[t->rank]))
        im->first_ns[t->rank] = t->first_ns;
    im->has_finalize[t->rank] = im->has_finalize[t->rank] || t->has_finalize;
    if (t->call_depth > 0 && t->call.region->call != MPG_CALL_Unknown) {
        snprintf(value, sizeof value, "%u %s %lld", t->thread, mpg_call_name(t->call.region->call), (long long)t->call.enter_ns);
        im->has_finalize[t->rank] = true; /* the rank was killed in the current call, and gets no MPI_Finalize */
        if (mpg_build_fact(im->build, t->rank, "died", value, err) < 0)
            return -1;
    }
    for (int i = 0; i < MPG_CALL_COUNT; i++)
        if (t->local_calls[i] > 0) {
            snprintf(value, sizeof value, "MPI_%s %llu local", mpg_call_name((enum mpg_call)i),
                     (unsigned long long)t->local_calls[i]);
            if (mpg_build_fact(im->build, t->rank, "untraced", value, err) < 0)
                return -1;
        }
    return 0;
}

static void begin_pass(struct otf2_thread *t, int pass)
{
    t->pass = pass;
    t->depth = t->call_depth = 0;
    t->nameless.n = t->nameless_first = t->receive_inits = 0;
    t->requests = (int64_t)t->thread << REQUESTS_BITS; /* request numbers are unique among the threads of the rank */
    t->postings = 0;
    t->last_ns = INT64_MIN;
    t->has_values = false;
    mpg_map_clear(&t->open);
}

int mpg_otf2_read_thread(struct otf2_import *im, const struct otf2_location *location, struct mpg_error *err)
{
    struct otf2_thread *t = calloc(1, sizeof *t);
    if (!t)
        return mpg_error_set(err, "out of memory");
    *t = (struct otf2_thread){.import = im, .rank = location->rank, .thread = location->thread, .records.fd = -1, .err = err};
    begin_pass(t, 1);
    int status = read_pass(t, location->number, err);
    if (status == 0) {
        begin_pass(t, 2);
        status = read_pass(t, location->number, err) < 0 || end_thread(t, err) < 0 ? -1 : 0;
    }
    clear_records(&t->records);
    mpg_map_clear(&t->open);
    free(t->nameless.at);
    free(t->call.messages);
    free(t->call.completed.at);
    free(t->call.tested.at);
    free(t->call.cancelled.at);
    free(t->call.counts.at);
    free(t->stack);
    free(t);
    return status;
}

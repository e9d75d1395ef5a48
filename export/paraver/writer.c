/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The sink of the Paraver writer: states and events of each thread, rank after rank. A thread's records come nearly in
 * the order of time: the event that ends a call is written with the thread's next record. A sorter puts all records in
 * order. */
#include "export/paraver/writer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SORT_BYTES = 8 << 20 }; /* memory of the sorter of records */

int64_t mpg_prv_align(const struct mpg_prv_writer *w, int32_t rank, int64_t time_ns)
{
    int64_t origin_ns;
    const int64_t at_ns = mpg_clock_map_is_shared(w->clocks, &origin_ns)
                              ? time_ns - origin_ns - (int64_t)w->origin_ns
                              : llround(mpg_clock_align(w->clocks, rank, time_ns) - w->origin_ns);
    return at_ns > 0 ? at_ns : 0;
}

/* --- begin --- */

/* Numbers the hosts as nodes, from 1, and counts the threads of each node. Ranks on unknown hosts are on one node if the clocks
 * are comparable, else on separate nodes. */
static int list_nodes(struct mpg_prv_writer *w, struct mpg_error *err)
{
    const int32_t ranks = mpg_trace_ranks(w->trace);
    const bool apart = mpg_clock_map_source(w->clocks) == MPG_CLOCK_NONE;
    struct mpg_map hosts = {0};
    if (!(w->nodes = calloc((size_t)ranks, sizeof *w->nodes)) || !(w->cpus = calloc((size_t)ranks + 1, sizeof *w->cpus)))
        return mpg_error_set(err, "out of memory");
    for (int32_t r = 0; r < ranks; r++) {
        const bool is_known = mpg_trace_find_fact(w->trace, r, "host") != NULL;
        uint64_t *slot = mpg_map_add(&hosts, is_known ? (uint64_t)mpg_trace_host(w->trace, r) : UINT64_MAX,
                                     !is_known && apart ? (uint64_t)r : 0);
        if (!slot) {
            mpg_map_clear(&hosts);
            return mpg_error_set(err, "out of memory");
        }
        if (*slot == 0)
            *slot = ++w->node_number;
        w->nodes[r] = (uint32_t)*slot;
        w->cpus[w->nodes[r]] += mpg_trace_threads(w->trace, r);
    }
    mpg_map_clear(&hosts);
    return 0;
}

static int list_objects(struct mpg_prv_writer *w, struct mpg_error *err)
{
    const int32_t ranks = mpg_trace_ranks(w->trace);
    size_t n = 0;
    if (!(w->first_object = calloc((size_t)ranks + 1, sizeof *w->first_object)))
        return mpg_error_set(err, "out of memory");
    for (int32_t r = 0; r < ranks; r++) {
        n += mpg_trace_threads(w->trace, r);
        w->first_object[r + 1] = n;
    }
    uint32_t *next = calloc(w->node_number + 2, sizeof *next); /* next CPU of each node: CPUs are numbered node by node */
    if (!next || !(w->objects = calloc(n, sizeof *w->objects))) {
        free(next);
        return mpg_error_set(err, "out of memory");
    }
    w->object_number = n;
    for (uint32_t i = 1; i <= w->node_number; i++)
        next[i + 1] = next[i] + w->cpus[i];
    for (int32_t r = 0; r < ranks; r++)
        for (size_t i = w->first_object[r]; i < w->first_object[r + 1]; i++)
            w->objects[i] = (struct prv_object){.rank = r, .cpu = ++next[w->nodes[r]],
                                                .thread = mpg_trace_thread(w->trace, r, (uint32_t)(i - w->first_object[r]))};
    free(next);
    return 0;
}

/* Finds the earliest time of all ranks, on the common clock. */
static int find_origin(struct mpg_prv_writer *w, struct mpg_error *err)
{
    double origin_ns = INFINITY;
    for (int32_t r = 0; r < mpg_trace_ranks(w->trace); r++) {
        struct mpg_event e;
        struct mpg_cursor *c = mpg_cursor_open(w->trace, r, err);
        const int more = c ? mpg_cursor_next(c, &e, err) : -1;
        mpg_cursor_close(c);
        if (more < 0)
            return -1;
        if (more > 0)
            origin_ns = fmin(origin_ns, mpg_clock_align(w->clocks, r, e.enter_ns));
    }
    w->origin_ns = isfinite(origin_ns) ? origin_ns : 0;
    return 0;
}

struct mpg_prv_writer *mpg_prv_writer_new(struct mpg_trace *trace, const struct mpg_clock_map *clocks,
                                          const struct mpg_prv_files *files, struct mpg_left_out *left, struct mpg_error *err)
{
    struct mpg_prv_writer *w = calloc(1, sizeof *w);
    if (!w) {
        mpg_error_set(err, "out of memory");
        return NULL;
    }
    *w = (struct mpg_prv_writer){.trace = trace, .clocks = clocks, .files = *files, .left = left};
    if (list_nodes(w, err) == 0 && list_objects(w, err) == 0 && find_origin(w, err) == 0 &&
        mpg_prv_messages_begin(w, err) == 0 &&
        (w->records = mpg_sorter_new(sizeof(struct prv_record), 2, SORT_BYTES, err)))
        return w;
    mpg_prv_writer_free(w);
    return NULL;
}

/* --- records --- */

/* Returns the second key of the next record of S. */
static int64_t next_place(struct prv_stream *s, bool is_event)
{
    enum { ORDER_BITS = 34, OBJECT_BITS = 28 };
    return (int64_t)((uint64_t)is_event << (OBJECT_BITS + ORDER_BITS) | (uint64_t)s->object << ORDER_BITS | s->order++);
}

static int add_state(struct mpg_prv_writer *w, struct prv_stream *s, uint32_t state, int64_t begin_ns, int64_t end_ns,
                     struct mpg_error *err)
{
    const struct prv_record r = {.at_ns = begin_ns, .place = next_place(s, false), .value = end_ns, .object = s->object,
                                 .type = state};
    return end_ns > begin_ns ? mpg_sorter_add(w->records, &r, err) : 0;
}

static int add_event(struct mpg_prv_writer *w, struct prv_stream *s, uint32_t type, int64_t value, bool is_further,
                     int64_t at_ns, struct mpg_error *err)
{
    const struct prv_record r = {.at_ns = at_ns, .place = next_place(s, true), .value = value, .object = s->object, .type = type,
                                 .is_event = true, .is_further = is_further};
    return mpg_sorter_add(w->records, &r, err);
}

/* Writes the event that ends the last call of S, if not written yet. */
static int end_call(struct mpg_prv_writer *w, struct prv_stream *s, struct mpg_error *err)
{
    const uint32_t type = s->open_type;
    s->open_type = 0;
    return type ? add_event(w, s, type, 0, false, s->last_ns, err) : 0;
}

/* Writes for thread S: the state until AT_NS (running, or not created before the first event), the event that ends the last call,
 * and STATE from AT_NS to END_NS. */
static int advance(struct mpg_prv_writer *w, struct prv_stream *s, uint32_t state, int64_t at_ns, int64_t end_ns,
                   struct mpg_error *err)
{
    const bool at_once = s->has_begun && at_ns <= s->last_ns; /* at equal times, states come before events */
    const int64_t from_ns = at_once ? at_ns : s->last_ns;
    const uint32_t before = s->has_begun ? PRV_STATE_RUNNING : PRV_STATE_NOT_CREATED;
    if (add_state(w, s, before, from_ns, at_ns, err) < 0 || (at_once && add_state(w, s, state, at_ns, end_ns, err) < 0) ||
        end_call(w, s, err) < 0 || (!at_once && add_state(w, s, state, at_ns, end_ns, err) < 0))
        return -1;
    s->has_begun = true;
    s->last_ns = end_ns;
    w->end_ns = end_ns > w->end_ns ? end_ns : w->end_ns;
    return 0;
}

/* Adds the counters since the thread's last record with counters to the event at AT_NS, as further pairs of type and
 * value. */
static int add_values(struct mpg_prv_writer *w, struct prv_stream *s, int64_t at_ns, struct mpg_error *err)
{
    if (!s->has_values)
        return 0;
    for (uint32_t i = 0; i < w->counters_of_rank; i++) {
        const uint32_t type = mpg_prv_counter_type(w->counters[w->counter[i]], w->counter[i]);
        if (add_event(w, s, type, s->values[i], true, at_ns, err) < 0)
            return -1;
        s->values[i] = 0;
    }
    s->has_values = false;
    return 0;
}

/* Adds to the event of collective E further pairs of type and value: bytes sent and received, communicator, and on the
 * root a mark. */
static int add_collective(struct mpg_prv_writer *w, struct prv_stream *s, const struct mpg_event *e, int64_t at_ns,
                          struct mpg_error *err)
{
    int64_t sent, received;
    mpg_prv_sizes(e, &sent, &received);
    if (add_event(w, s, PRV_TYPE_SENT, sent, true, at_ns, err) < 0 ||
        add_event(w, s, PRV_TYPE_RECEIVED, received, true, at_ns, err) < 0 ||
        add_event(w, s, PRV_TYPE_COMM, e->comm, true, at_ns, err) < 0)
        return -1;
    return e->is_root && mpg_call_has_root(e->call) ? add_event(w, s, PRV_TYPE_ROOT, 1, true, at_ns, err) : 0;
}

/* --- any event --- */

/* Counts E if only the times of this call are written. */
static void count_times_only(struct mpg_prv_writer *w, const struct mpg_event *e)
{
    const char *text = NULL;
    switch (mpg_call_kind(e->call)) {
    case MPG_KIND_PSEND_INIT:
    case MPG_KIND_PRECV_INIT:
    case MPG_KIND_PREADY:
    case MPG_KIND_PARRIVED:
        text = "calls of partitioned communication: only their times are written";
        break;
    case MPG_KIND_COLLECTIVE_INIT:
    case MPG_KIND_NEIGHBOR_INIT:
        text = "persistent collectives: only their times are written";
        break;
    case MPG_KIND_WIN_GROUP:
    case MPG_KIND_WIN_EPOCH:
    case MPG_KIND_WIN_TARGET:
    case MPG_KIND_RMA:
    case MPG_KIND_IRMA:
        text = "calls of one-sided communication: only their times are written";
        break;
    case MPG_KIND_FILE:
    case MPG_KIND_IFILE:
        text = "calls of MPI-IO: only their times are written";
        break;
    default:
        text = e->failed ? "failed calls: only their times are written" : NULL;
        break;
    }
    if (text)
        mpg_left_out_add(w->left, text, 1);
}

/* E is an event Unknown: an import's event for a call with unknown communication. Returns the call with E's name. MPG_CALL_COUNT:
 * no call has this name, or readers of the file would expect a message for the call. */
static enum mpg_call named_call(const struct mpg_prv_writer *w, const struct mpg_event *e)
{
    const char *name = mpg_trace_string(w->trace, e->string);
    const enum mpg_call call = strncmp(name, "MPI_", 4) == 0 ? mpg_call_by_name(name + 4) : MPG_CALL_COUNT;
    if (call == MPG_CALL_COUNT)
        return call;
    switch (mpg_call_kind(call)) {
    case MPG_KIND_PROBE:
    case MPG_KIND_MPROBE:
    case MPG_KIND_COLLECTIVE:
    case MPG_KIND_ICOLLECTIVE:
    case MPG_KIND_NEIGHBOR:
    case MPG_KIND_INEIGHBOR:
    case MPG_KIND_CONSTRUCTOR:
    case MPG_KIND_ICONSTRUCTOR:
    case MPG_KIND_RMA:
    case MPG_KIND_FILE:
        return call;
    case MPG_KIND_COMPLETE:
        return mpg_prv_type_of(call) == PRV_TYPE_POINT_TO_POINT ? call : MPG_CALL_COUNT; /* a wait; a test has another type */
    default:
        return MPG_CALL_COUNT;
    }
}

/* Sets *VALUE to Paraver's value for E as CALL, and stores that the .pcf file must name this value. Returns 0, or -1 with ERR. */
static int value_of(struct mpg_prv_writer *w, const struct mpg_event *e, enum mpg_call call, int64_t *value,
                    struct mpg_error *err)
{
    if (mpg_call_kind(call) != MPG_KIND_UNKNOWN) {
        w->has_call[mpg_call_plain(call)] = true;
        *value = mpg_prv_value_of(call);
        return 0;
    }
    *value = PRV_FIRST_UNKNOWN_VALUE + (int64_t)e->string;
    return mpg_map_add(&w->unknown, (uint64_t)(e->string + 1), 0) ? 0 : mpg_error_set(err, "out of memory");
}

static int take_call(struct mpg_prv_writer *w, struct prv_stream *s, const struct mpg_event *e, int64_t enter_ns,
                     int64_t leave_ns, struct mpg_error *err)
{
    const enum mpg_kind kind = mpg_call_kind(e->call);
    const enum mpg_call named = kind == MPG_KIND_UNKNOWN ? named_call(w, e) : MPG_CALL_COUNT;
    const enum mpg_call call = named < MPG_CALL_COUNT ? named : e->call;
    const uint32_t type = mpg_prv_type_of(call);
    int64_t value;
    if (kind == MPG_KIND_REQUEST_FREE && leave_ns == enter_ns)
        return 0; /* not a call of the program: added by an import for a request without recorded completion */
    if (value_of(w, e, call, &value, err) < 0 || advance(w, s, mpg_prv_state_of(call), enter_ns, leave_ns, err) < 0 ||
        add_event(w, s, type, value, false, enter_ns, err) < 0)
        return -1;
    s->open_type = type;
    count_times_only(w, e);
    if (!e->failed && type == PRV_TYPE_COLLECTIVE && e->comm != MPG_NO_COMM && kind != MPG_KIND_COLLECTIVE_INIT &&
        kind != MPG_KIND_NEIGHBOR_INIT && add_collective(w, s, e, enter_ns, err) < 0)
        return -1;
    if (add_values(w, s, enter_ns, err) < 0)
        return -1;
    return e->failed ? 0 : mpg_prv_messages_take(w, s->object, e, enter_ns, leave_ns, err);
}

/* Writes the begin of a region as an event of user functions with the region's value, and the end with value 0. */
static int take_region(struct mpg_prv_writer *w, struct prv_stream *s, const struct mpg_event *e, int64_t at_ns,
                       struct mpg_error *err)
{
    int64_t value = 0;
    if (mpg_call_kind(e->call) == MPG_KIND_REGION_BEGIN) {
        uint64_t *slot = mpg_map_add(&w->regions, (uint64_t)(e->string + 1), 0);
        if (!slot || mpg_grow(&w->region_names, w->region_number, &w->region_capacity, sizeof *w->region_names, err) < 0)
            return mpg_error_set(err, "out of memory");
        if (*slot == 0) {
            w->region_names[w->region_number] = e->string;
            *slot = ++w->region_number;
        }
        value = (int64_t)*slot;
    }
    if (advance(w, s, PRV_STATE_RUNNING, at_ns, at_ns, err) < 0)
        return -1;
    return add_event(w, s, PRV_TYPE_REGION, value, false, at_ns, err);
}

static int take_flush(struct mpg_prv_writer *w, struct prv_stream *s, int64_t enter_ns, int64_t leave_ns, struct mpg_error *err)
{
    if (advance(w, s, PRV_STATE_IO, enter_ns, leave_ns, err) < 0)
        return -1;
    s->open_type = PRV_TYPE_FLUSH;
    return add_event(w, s, PRV_TYPE_FLUSH, 1, false, enter_ns, err);
}

/* Writes the event that begins CALL, in which the process died, without an event for the end. */
static int take_unfinished(struct mpg_prv_writer *w, struct prv_stream *s, enum mpg_call call, int64_t enter_ns,
                           struct mpg_error *err)
{
    w->has_call[mpg_call_plain(call)] = true;
    if (advance(w, s, mpg_prv_state_of(call), enter_ns, enter_ns, err) < 0)
        return -1;
    return add_event(w, s, mpg_prv_type_of(call), mpg_prv_value_of(call), false, enter_ns, err);
}

/* --- the sink --- */

static struct prv_stream *find_stream(struct mpg_prv_writer *w, uint32_t thread, struct mpg_error *err)
{
    for (size_t i = 0; i < w->stream_number; i++)
        if (w->streams[i].thread == thread)
            return &w->streams[i];
    size_t object = w->first_object[w->rank];
    while (object < w->first_object[w->rank + 1] && w->objects[object].thread != thread)
        object++;
    if (object == w->first_object[w->rank + 1]) {
        mpg_error_set(err, "rank %d: thread %u is not in the trace", w->rank, thread);
        return NULL;
    }
    if (mpg_grow(&w->streams, w->stream_number, &w->stream_capacity, sizeof *w->streams, err) < 0)
        return NULL;
    struct prv_stream *s = &w->streams[w->stream_number++];
    *s = (struct prv_stream){.thread = thread, .object = (uint32_t)object};
    return s;
}

static int begin_rank(void *context, int32_t rank, struct mpg_error *err)
{
    struct mpg_prv_writer *w = context;
    (void)err;
    w->rank = rank;
    w->inter_comm = MPG_NO_COMM;
    w->stream_number = 0;
    w->counters_of_rank = 0;
    return 0;
}

/* Sets the rank's counters to NAMES, separated by blanks. */
static int use_values(struct mpg_prv_writer *w, const char *names, struct mpg_error *err)
{
    w->counters_of_rank = 0;
    for (const char *p = names + strspn(names, " "); *p && w->counters_of_rank < PRV_MAX_VALUES; p += strspn(p, " ")) {
        const size_t length = strcspn(p, " ");
        size_t i = 0;
        while (i < w->counter_number && (strncmp(w->counters[i], p, length) != 0 || w->counters[i][length] != '\0'))
            i++;
        if (i == w->counter_number) {
            if (mpg_grow(&w->counters, i, &w->counter_capacity, sizeof *w->counters, err) < 0)
                return -1;
            if (!(w->counters[i] = strndup(p, length)))
                return mpg_error_set(err, "out of memory");
            w->counter_number++;
        }
        w->counter[w->counters_of_rank++] = (uint32_t)i;
        p += length;
    }
    return 0;
}

static int take_fact(void *context, const char *key, const char *value, struct mpg_error *err)
{
    struct mpg_prv_writer *w = context;
    unsigned thread;
    char name[64];
    long long enter_ns;
    if (strcmp(key, "values") == 0)
        return use_values(w, value, err);
    if (strcmp(key, "died") != 0 || sscanf(value, "%u %63s %lld", &thread, name, &enter_ns) != 3)
        return 0;
    const enum mpg_call call = mpg_call_by_name(name);
    struct prv_stream *s = call < MPG_CALL_COUNT ? find_stream(w, thread, err) : NULL;
    return s ? take_unfinished(w, s, call, mpg_prv_align(w, w->rank, enter_ns), err) : 0;
}

static int take_event(void *context, const struct mpg_event *e, struct mpg_error *err)
{
    struct mpg_prv_writer *w = context;
    struct prv_stream *s = find_stream(w, e->thread, err);
    if (!s)
        return -1;
    for (uint32_t i = 0; i < e->value_number && i < w->counters_of_rank; i++)
        s->values[i] += e->values[i];
    s->has_values = s->has_values || e->value_number > 0;
    if (e->sum.calls > 0) {
        mpg_left_out_add(w->left, "local calls that the trace only counts", (uint64_t)e->sum.calls);
        return 0;
    }
    const int64_t enter_ns = mpg_prv_align(w, w->rank, e->enter_ns), leave_ns = mpg_prv_align(w, w->rank, e->leave_ns);
    if (e->killed)
        return take_unfinished(w, s, e->call, enter_ns, err);
    switch (mpg_call_kind(e->call)) {
    case MPG_KIND_FLUSH:
        return take_flush(w, s, enter_ns, leave_ns, err);
    case MPG_KIND_REGION_BEGIN:
    case MPG_KIND_REGION_END:
        return take_region(w, s, e, enter_ns, err);
    default:
        return take_call(w, s, e, enter_ns, leave_ns, err);
    }
}

static int end_rank(void *context, bool last, struct mpg_error *err)
{
    struct mpg_prv_writer *w = context;
    for (size_t i = 0; i < w->stream_number; i++)
        if (end_call(w, &w->streams[i], err) < 0)
            return -1;
    if (mpg_prv_messages_end_rank(w, err) < 0)
        return -1;
    if (!last)
        return 0;
    if (mpg_clock_map_source(w->clocks) == MPG_CLOCK_NONE && mpg_trace_ranks(w->trace) > 1)
        mpg_left_out_add(w->left, "clocks whose offsets are not known: messages can seem to arrive before they leave",
                         (uint64_t)mpg_trace_ranks(w->trace));
    if (mpg_sorter_sort(w->records, err) < 0 || mpg_prv_messages_pair(w, err) < 0 || mpg_prv_write_records(w, err) < 0 ||
        mpg_prv_write_names(w, err) < 0)
        return -1;
    mpg_prv_write_rows(w);
    return 0;
}

struct mpg_sink mpg_prv_writer_sink(struct mpg_prv_writer *w)
{
    return (struct mpg_sink){.context = w, .begin = begin_rank, .fact = take_fact, .event = take_event, .end = end_rank};
}

void mpg_prv_writer_free(struct mpg_prv_writer *w)
{
    if (!w)
        return;
    mpg_sorter_free(w->records);
    mpg_sorter_free(w->sends);
    mpg_sorter_free(w->receives);
    mpg_sorter_free(w->lines);
    for (size_t i = 0; i < w->counter_number; i++)
        free(w->counters[i]);
    free(w->counters);
    free(w->region_names);
    mpg_map_clear(&w->regions);
    mpg_map_clear(&w->unknown);
    mpg_map_clear(&w->probed);
    mpg_map_clear(&w->comm_numbers);
    mpg_open_requests_clear(&w->requests);
    mpg_open_requests_clear(&w->persistent);
    free(w->streams);
    free(w->cpus);
    free(w->nodes);
    free(w->objects);
    free(w->first_object);
    free(w);
}

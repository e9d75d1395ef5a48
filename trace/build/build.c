/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Builds a native trace: takes facts and events of ranks in any order, writes the events of some streams at once, spools other
 * events in a file, and completes the trace at the end. */
#include "trace/build/build.h"

#include <endian.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/build/arrivals.h"
#include "trace/build/definitions.h"
#include "trace/build/events.h"
#include "trace/shape.h"
#include "trace/store/chunk.h"
#include "trace/store/streams.h"

/* The kind of each record in the spool file. */
enum { SPOOLED_FACT = '!', SPOOLED_COMM = 'c', SPOOLED_TOPOLOGY = 't', SPOOLED_EVENT = '=' };

struct mpg_build {
    int32_t ranks;
    struct mpg_streams streams;
    struct mpg_build_definitions definitions;
    struct mpg_bytes bytes; /* buffer for the event being spooled */
    struct mpg_spooled_event back;
    struct build_arrivals *arrivals; /* NULL: messages with an arrival before the departure are not counted */
};

struct mpg_build *mpg_build_begin(int32_t ranks, const char *target, int fd, struct mpg_error *err)
{
    struct mpg_build *b = ranks >= 1 && ranks <= MPG_BUILD_MAX_RANKS ? calloc(1, sizeof *b) : NULL;
    if (!b) {
        if (ranks >= 1 && ranks <= MPG_BUILD_MAX_RANKS)
            mpg_error_set(err, "out of memory");
        else
            mpg_error_set(err, "%d is not a number of ranks from 1 to %d", ranks, MPG_BUILD_MAX_RANKS);
        return NULL;
    }
    b->ranks = ranks;
    mpg_streams_init(&b->streams, target, fd);
    b->streams.ranks = ranks;
    mpg_definitions_init(&b->definitions, ranks);
    return b;
}

void mpg_build_free(struct mpg_build *b)
{
    if (!b)
        return;
    mpg_arrivals_free(b->arrivals);
    mpg_streams_clear(&b->streams);
    mpg_definitions_clear(&b->definitions);
    mpg_bytes_clear(&b->bytes);
    mpg_spooled_clear(&b->back);
    free(b);
}

/* --- definitions --- */

int mpg_build_comm(struct mpg_build *b, const struct mpg_build_comm *comm, struct mpg_error *err)
{
    return mpg_define_comm(&b->definitions, comm, err);
}

int mpg_build_topology(struct mpg_build *b, int32_t rank, int32_t comm, uint32_t source_number, uint32_t destination_number,
                       const int32_t *neighbours, struct mpg_error *err)
{
    const struct build_topology t = {rank, comm, source_number, destination_number, (int32_t *)neighbours};
    return mpg_define_topology(&b->definitions, &t, err);
}

int mpg_build_object(struct mpg_build *b, enum mpg_object_kind kind, int32_t label, int32_t comm, int32_t number,
                     struct mpg_error *err)
{
    const struct build_object object = {comm, number};
    return mpg_define_object(&b->definitions, kind == MPG_OBJECT_FILE ? BUILD_FILE : BUILD_WINDOW, label, &object, err);
}

int mpg_build_module(struct mpg_build *b, int32_t label, const uint8_t *build_id, uint32_t size, const char *path,
                     struct mpg_error *err)
{
    return mpg_define_module(&b->definitions, label, build_id, size, path, err);
}

int mpg_build_site(struct mpg_build *b, int32_t label, uint32_t n, const struct mpg_frame *frames, struct mpg_error *err)
{
    return mpg_define_site(&b->definitions, label, n, frames, err);
}

/* --- facts --- */

static int count_values(const char *names, uint32_t *number, struct mpg_error *err)
{
    const size_t length = strlen(names);
    *number = 0;
    if (length > 0 && (names[0] == ' ' || names[length - 1] == ' '))
        return mpg_error_set(err, "the list of values begins or ends with a blank");
    for (const char *p = names; *(p += strspn(p, " ")); p += strcspn(p, " "))
        ++*number;
    return *number <= MPG_TRACE_MAX_VALUES ? 0 : mpg_error_set(err, "more than %d values", MPG_TRACE_MAX_VALUES);
}

static int too_late(struct mpg_error *err)
{
    return mpg_error_set(err, "the line that names the values must follow #ranks directly");
}

/* Sets how many counter values each event of RANK has. NAMES: the counters' names. */
static int set_values(struct mpg_build *b, int32_t rank, const char *names, struct mpg_error *err)
{
    uint32_t number;
    if (mpg_streams_find(&b->streams, rank) || b->streams.fact_number > 0)
        return too_late(err);
    if (count_values(names, &number, err) < 0)
        return -1;
    b->streams.value_number = number; /* holds for the stream created by the next call */
    const int status = mpg_streams_get(&b->streams, rank, 0, err) ? 0 : -1;
    b->streams.value_number = 0;
    return status;
}

static int write_fact(struct mpg_build *b, int32_t rank, const char *key, const char *value, struct mpg_error *err)
{
    struct mpg_stream *s = mpg_streams_get(&b->streams, rank, 0, err);
    return s ? mpg_stream_write_fact(&b->streams, s, key, value, err) : -1;
}

int mpg_build_fact(struct mpg_build *b, int32_t rank, const char *key, const char *value, struct mpg_error *err)
{
    const bool values = strcmp(key, "values") == 0;
    if (b->arrivals && rank >= 0 && strcmp(key, "clock") == 0 && mpg_arrivals_clock(b->arrivals, rank, value, err) < 0)
        return -1;
    if (rank < 0) {
        if (values && (b->streams.count > 0 || b->streams.fact_number > 0))
            return too_late(err);
        if (values && count_values(value, &b->streams.value_number, err) < 0)
            return -1;
        return mpg_streams_write_fact(&b->streams, key, value, err);
    }
    if (values && set_values(b, rank, value, err) < 0)
        return -1;
    return write_fact(b, rank, key, value, err);
}

/* --- events --- */

static bool is_of_file(enum mpg_kind kind)
{
    return kind >= MPG_KIND_FILE_OPEN && kind <= MPG_KIND_FILE_COLLECTIVE;
}

/* Writes to S the definitions of the communicators, callsites and other objects named by E (as labels) and missing in S. Replaces
 * e->object, a label, by the object's number in the stream. The string number of E needs no replacement. */
static int define_used(struct mpg_build *b, struct mpg_stream *s, struct mpg_event *e, struct mpg_error *err)
{
    struct mpg_build_definitions *d = &b->definitions;
    const enum mpg_kind kind = mpg_call_kind(e->call);
    const struct mpg_shape *mask = &mpg_shape_masks[kind];
    if (mpg_need_site(d, s, e->site, err) < 0)
        return -1;
    if (e->failed)
        return 0;
    if ((mask->comm && mpg_need_comm(d, s, e->comm, err) < 0) || (mask->newcomm && mpg_need_comm(d, s, e->newcomm, err) < 0) ||
        (mpg_kind_has_neighbors(kind) && mpg_need_topology(d, s, e->comm, err) < 0))
        return -1;
    if (e->object != MPG_NO_OBJECT &&
        mpg_need_object(d, s, is_of_file(kind) ? BUILD_FILE : BUILD_WINDOW, e->object, &e->object, err) < 0)
        return -1;
    return mask->string ? mpg_need_string(d, s, e->string, err) : 0;
}

/* E is the call in which the rank was killed: writes E as fact "died"; readers of the trace make the event from this fact. */
static int write_killed(struct mpg_build *b, int32_t rank, const struct mpg_event *e, struct mpg_error *err)
{
    char value[64];
    snprintf(value, sizeof value, "%u %s %lld", e->thread, mpg_call_name(e->call), (long long)e->enter_ns);
    return write_fact(b, rank, "died", value, err);
}

/* Writes E, whose definitions are named by labels, to the spool file: S has no writer yet. */
static int spool_event(struct mpg_build *b, struct mpg_stream *s, const struct mpg_event *e, struct mpg_error *err)
{
    if (mpg_trace_check_event(e, s->events == 0, s->last_ns, err) < 0)
        return -1;
    s->events++;
    s->last_ns = e->leave_ns;
    b->bytes.size = 0;
    mpg_spooled_put(&b->bytes, e);
    if (b->bytes.failed)
        return mpg_error_set(err, "out of memory");
    return mpg_stream_spool(&b->streams, s, SPOOLED_EVENT, b->bytes.data, b->bytes.size, err);
}

int mpg_build_event(struct mpg_build *b, int32_t rank, const struct mpg_event *event, const char *name, struct mpg_error *err)
{
    struct mpg_event e = *event;
    if (rank < 0 || rank >= b->ranks)
        return mpg_error_set(err, "rank %d is not from 0 to %d", rank, b->ranks - 1);
    struct mpg_stream *s = mpg_streams_get(&b->streams, rank, e.thread, err);
    if (!s)
        return -1;
    if (e.value_number != s->value_number)
        return mpg_error_set(err, "%u values; those that are named are %u", e.value_number, s->value_number);
    if (e.killed)
        return write_killed(b, rank, &e, err);
    if (mpg_shape_masks[mpg_call_kind(e.call)].string && !e.failed &&
        mpg_intern_name(&b->definitions, name ? name : "", &e.string, err) < 0)
        return -1;
    const int32_t label = e.object;
    if (b->arrivals && mpg_arrivals_event(b->arrivals, &b->definitions, rank, &e, err) < 0)
        return -1;
    if (define_used(b, s, &e, err) < 0)
        return -1;
    if (s->writer)
        return mpg_trace_write_event(s->writer, &e, err);
    e.object = label;
    return spool_event(b, s, &e, err);
}

/* --- clocks --- */

int mpg_build_watch_arrivals(struct mpg_build *b, struct mpg_error *err)
{
    if (!b->arrivals)
        b->arrivals = mpg_arrivals_new(err);
    return b->arrivals ? 0 : -1;
}

int mpg_build_count_arrivals(struct mpg_build *b, struct mpg_build_arrivals *found, struct mpg_error *err)
{
    *found = (struct mpg_build_arrivals){.messages = 0};
    const int status = b->arrivals ? mpg_arrivals_count(b->arrivals, found, err) : 0;
    mpg_arrivals_free(b->arrivals);
    b->arrivals = NULL;
    return status;
}

int mpg_build_describe_arrivals(struct mpg_build *b, const char *words, char *text, size_t size, uint64_t *worse,
                                struct mpg_error *err)
{
    struct mpg_build_arrivals found;
    char worst[64] = "";
    if (mpg_build_count_arrivals(b, &found, err) < 0)
        return -1;
    *worse = found.with >= found.without ? found.with : 0;
    if (found.worst_ns > 0)
        snprintf(worst, sizeof worst, ", by up to %lld ns", (long long)found.worst_ns);
    if (found.messages > 0)
        snprintf(text, size, "%s; %llu of %llu messages arrive before they left%s (%llu without the offsets)", words,
                 (unsigned long long)found.with, (unsigned long long)found.messages, worst, (unsigned long long)found.without);
    else
        snprintf(text, size, "%s", words);
    return 0;
}

/* --- the end --- */

/* Returns the label in DATA, 4 bytes in little-endian order. */
static int32_t get_label(const uint8_t *data)
{
    uint32_t label;
    memcpy(&label, data, sizeof label);
    return (int32_t)le32toh(label);
}

/* Writes R, a record of the spool file, to S, which now has a writer. */
static int replay_record(struct mpg_build *b, struct mpg_stream *s, const struct mpg_stream_record *r, struct mpg_error *err)
{
    struct mpg_event *e = &b->back.event;
    const char *value;
    switch (r->mark) {
    case SPOOLED_FACT:
        value = (const char *)r->data + strlen((const char *)r->data) + 1;
        return mpg_stream_write_fact(&b->streams, s, (const char *)r->data, value, err);
    case SPOOLED_COMM:
        return mpg_need_comm(&b->definitions, s, get_label(r->data), err);
    case SPOOLED_TOPOLOGY:
        return mpg_need_topology(&b->definitions, s, get_label(r->data), err);
    default:
        if (!mpg_spooled_get(&b->back, r->data, r->size))
            return mpg_error_set(err, "out of memory, or the temporary file was changed");
        e->thread = s->thread;
        return define_used(b, s, e, err) < 0 ? -1 : mpg_trace_write_event(s->writer, e, err);
    }
}

/* Copies the records of S from the spool file to the trace. */
static int replay(struct mpg_build *b, struct mpg_stream *s, struct mpg_error *err)
{
    mpg_map_clear(&s->defined);
    s->objects = 0;
    s->comm = MPG_NO_COMM;
    int status = mpg_stream_open(&b->streams, s, err);
    for (size_t i = 0; status == 0 && i < mpg_stream_blocks(s); i++) {
        struct mpg_stream_record record = {.size = 0};
        size_t bytes = 0;
        uint8_t *block = mpg_stream_read_block(&b->streams, s, i, &bytes, err);
        status = block ? 0 : -1;
        for (size_t at = 0; status == 0 && mpg_stream_next(block, bytes, &at, &record);)
            status = replay_record(b, s, &record, err);
        free(block);
    }
    return status;
}

static int finish_stream(struct mpg_build *b, struct mpg_stream *s, struct mpg_error *err)
{
    if (!s->writer && replay(b, s, err) < 0)
        return -1;
    /* A rank without calls also needs a stream in the trace, so the stream gets a definition. */
    if (s->defined.count == 0 && mpg_definitions_write_world(&b->definitions, s, err) < 0)
        return -1;
    return mpg_stream_close(&b->streams, s, err);
}

/* Defines COMM in S although no event of S uses it; with TOPOLOGY, also the rank's neighbours in COMM. Returns 0, or -1
 * with ERR. */
static int define_alone(struct mpg_build *b, struct mpg_stream *s, int32_t comm, bool topology, struct mpg_error *err)
{
    const uint32_t label = htole32((uint32_t)comm);
    if (mpg_need_comm(&b->definitions, s, comm, err) < 0 ||
        (topology && mpg_need_topology(&b->definitions, s, comm, err) < 0))
        return -1;
    if (s->writer)
        return 0;
    if (mpg_stream_spool(&b->streams, s, SPOOLED_COMM, &label, sizeof label, err) < 0)
        return -1;
    return topology ? mpg_stream_spool(&b->streams, s, SPOOLED_TOPOLOGY, &label, sizeof label, err) : 0;
}

/* Defines the communicators and topologies unused by events. */
static int define_unused(struct mpg_build *b, struct mpg_error *err)
{
    const struct build_comm *c;
    for (size_t i = 0; (c = mpg_definitions_comm(&b->definitions, i)); i++) {
        const bool unused = !c->used;
        for (int32_t j = 0; unused && j < c->size + c->remote_size; j++) {
            if (c->members[j] == MPG_FOREIGN)
                continue;
            struct mpg_stream *s = mpg_streams_get(&b->streams, c->members[j], 0, err);
            if (!s || define_alone(b, s, c->label, false, err) < 0)
                return -1;
        }
    }
    const struct build_topology *t;
    for (size_t i = 0; (t = mpg_definitions_topology(&b->definitions, i)); i++) {
        struct mpg_stream *s = mpg_streams_get(&b->streams, t->rank, 0, err);
        if (!s || define_alone(b, s, t->comm, true, err) < 0)
            return -1;
    }
    return 0;
}

int mpg_build_end(struct mpg_build *b, struct mpg_error *err)
{
    struct mpg_streams *all = &b->streams;
    if (define_unused(b, err) < 0)
        return -1;
    for (int32_t r = 0; r < b->ranks; r++) {
        struct mpg_stream *s = mpg_streams_get(all, r, 0, err);
        if (!s || finish_stream(b, s, err) < 0)
            return -1;
    }
    for (size_t i = 0; i < all->count; i++)
        if (all->items[i]->thread > 0 && finish_stream(b, all->items[i], err) < 0)
            return -1;
    return 0;
}

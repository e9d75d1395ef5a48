/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Turns records into events: the inverse of trace/store/encode.c. Checks all input. */
#include "trace/store/decode.h"

#include <endian.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

void mpg_decoder_start(struct mpg_decoder *d, struct mpg_trace *trace, int32_t rank, uint32_t place)
{
    const struct trace_stream *stream = &trace->rank[rank].stream[place];
    *d = (struct mpg_decoder){.trace = trace,
                              .rank = rank,
                              .thread = stream->thread,
                              .stream = stream,
                              .offset = stream->first_offset};
}

void mpg_decoder_refresh(struct mpg_decoder *d)
{
    mpg_shape_table_clear(&d->shapes);
    d->history = 0;
    d->polled_number = 0;
    d->last_request = d->last_persistent = d->last_message = 0;
    memset(d->predicted, 0, sizeof d->predicted);
    memset(d->last_of_call, 0, sizeof d->last_of_call);
}

void mpg_decoder_stop(struct mpg_decoder *d)
{
    free(d->raw);
    free(d->slices);
    mpg_shape_table_clear(&d->shapes);
    struct mpg_map *maps[] = {&d->comms, &d->objects, &d->strings, &d->modules, &d->sites};
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++)
        mpg_map_clear(maps[i]);
    struct mpg_list *lists[] = {&d->requests,    &d->persistent, &d->done,  &d->cancelled,
                                &d->resolutions, &d->counts,     &d->polled};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        free(lists[i]->data);
}

void *mpg_list_reserve(struct mpg_list *list, size_t n, size_t size)
{
    size_t need = (n ? n : 1) * size;
    if (need > list->capacity_bytes) {
        void *grown = realloc(list->data, 2 * need);
        if (!grown)
            return NULL;
        list->data = grown;
        list->capacity_bytes = 2 * need;
    }
    return list->data;
}

bool mpg_decode_id(const struct mpg_map *map, int32_t *id)
{
    const uint64_t *number = mpg_map_find(map, (uint64_t)(int64_t)*id, 0);
    if (!number || !*number)
        return false;
    *id = (int32_t)(*number - 1);
    return true;
}

/* --- shapes --- */

/* The values of fields in calls of a kind without these fields. */
static const struct mpg_shape absent = {
    .site = MPG_NO_SITE, .comm = MPG_NO_COMM, .newcomm = MPG_NO_COMM, .object = MPG_NO_OBJECT,
    .string = -1};

/* Reads the fields of shape S in the bit set GIVEN. MASK must have all fields of the set. Numbers of definitions remain
 * numbers in the stream. Returns false if the data are damaged. */
static bool get_fields(struct mpg_decoder *d, uint32_t given, const struct mpg_shape *mask,
                       struct mpg_shape *s)
{
    uint32_t bit = 1;
    int64_t value;
#define GET(field) \
    if (given & bit) { \
        if (!mask->field || !mpg_get_zigzag(&d->p, d->end, &value)) \
            return false; \
        s->field = (__typeof__(s->field))value; \
        if ((int64_t)s->field != value) \
            return false; \
    } \
    bit <<= 1;
    MPG_SHAPE_FIELDS(GET)
#undef GET
    return given < bit && s->bytes >= 0 && s->recvbytes >= 0 &&
           s->count_number <= MPG_TRACE_MAX_LIST && s->request_number <= MPG_TRACE_MAX_LIST;
}

/* Bit number of each field in a set of fields. NAMING: the set of fields with numbers of definitions. */
enum field {
#define FIELD(field) FIELD_##field,
    MPG_SHAPE_FIELDS(FIELD)
#undef FIELD
};
#define NAMES(field) ((uint32_t)1 << FIELD_##field)
enum { NAMING = NAMES(comm) | NAMES(newcomm) | NAMES(object) | NAMES(string) | NAMES(site) };

/* Replaces numbers of definitions in S by trace-wide numbers, in all fields of the set FRESH that MASK has. Returns NULL, or
 * the error. */
static const char *translate(const struct mpg_decoder *d, uint32_t fresh, const struct mpg_shape *mask, struct mpg_shape *s)
{
    bool lacks = s->comm == MPG_NO_COMM && mpg_call_may_lack_comm((enum mpg_call)s->call);
    if (fresh & NAMES(comm) && mask->comm && !lacks && !mpg_decode_id(&d->comms, &s->comm))
        return "unknown communicator";
    if (fresh & NAMES(newcomm) && mask->newcomm && s->newcomm != MPG_NO_COMM && !mpg_decode_id(&d->comms, &s->newcomm))
        return "unknown new communicator";
    const enum mpg_kind kind = mpg_call_kind((enum mpg_call)s->call);
    const bool none = s->object == MPG_NO_OBJECT && /* opening a file has failed: there is no object */
                      (kind == MPG_KIND_FILE_OPEN || kind == MPG_KIND_UNRECORDED);
    if (fresh & NAMES(object) && mask->object && !none && !mpg_decode_id(&d->objects, &s->object))
        return "unknown window or file";
    if (fresh & NAMES(string) && mask->string && !mpg_decode_id(&d->strings, &s->string))
        return "unknown name";
    if (fresh & NAMES(site) && mask->site && s->site != MPG_NO_SITE && !mpg_decode_id(&d->sites, &s->site))
        return "unknown callsite";
    return NULL;
}

/* Sets the fields of S that MASK lacks to the values in `absent`. */
static void set_absent(const struct mpg_shape *mask, struct mpg_shape *s)
{
#define ABSENT(field) \
    if (!mask->field) \
        s->field = absent.field;
    MPG_SHAPE_FIELDS(ABSENT)
#undef ABSENT
}

/* Sets BASE to the last new shape of CALL, if this shape exists and the next shape, with FLAGS, may take fields from it. Returns
 * the shape's number, or MPG_MAX_SHAPES. */
static uint32_t find_base(const struct mpg_decoder *d, uint32_t call, uint32_t flags, struct mpg_shape *base)
{
    const uint32_t last = d->last_of_call[call];
    if (d->shapes.total <= last)
        return MPG_MAX_SHAPES;
    const struct mpg_short_shape *s = &d->shapes.shapes[last];
    const struct mpg_shape *pattern = mpg_shape_pattern_of(&d->shapes, s);
    if (pattern->call != call || ((pattern->flags | flags) & MPG_SHAPE_FAILED))
        return MPG_MAX_SHAPES;
    *base = *pattern;
    mpg_shape_change(s, &base->site);
    return last;
}

static int read_shape(struct mpg_decoder *d, uint32_t *number, struct mpg_error *err)
{
    uint32_t call, flags, given;
    if (!mpg_decode_u32(d, &call, MPG_CALL_COUNT - 1) || !mpg_decode_u32(d, &flags, MPG_SHAPE_FLAGS) ||
        !mpg_decode_u32(d, &given, UINT32_MAX))
        return mpg_decoder_damaged(d, "shape", err);
    const struct mpg_shape *mask = &mpg_shape_masks[mpg_call_kind((enum mpg_call)call)];
    if (flags & ~mask->flags)
        return mpg_decoder_damaged(d, "shape's flags", err);
    if (flags & MPG_SHAPE_FAILED)
        mask = &mpg_shape_failed_mask;

    struct mpg_shape s = {0};
    const uint32_t base = find_base(d, call, flags, &s);
    /* Numbers of definitions in fields taken from the base are trace-wide already. */
    const uint32_t fresh = base < MPG_MAX_SHAPES ? given & NAMING : NAMING;
    if (base == MPG_MAX_SHAPES)
        set_absent(mask, &s);
    s.call = call;
    s.flags = flags;
    if (!get_fields(d, given, mask, &s))
        return mpg_decoder_damaged(d, "shape", err);
    const char *wrong = fresh ? translate(d, fresh, mask, &s) : NULL;
    if (wrong)
        return mpg_decoder_damaged(d, wrong, err);

    *number = (uint32_t)(d->shapes.total % MPG_MAX_SHAPES);
    if (mpg_shape_table_add(&d->shapes, &s, base, err) < 0)
        return -1;
    d->last_of_call[call] = (uint16_t)*number;
    return 0;
}

/* --- events --- */

/* Reads the off-CPU time of the next event, given at most once for an event, and never 0. Returns 0, or -1 with ERR. */
static int read_off_cpu(struct mpg_decoder *d, struct mpg_error *err)
{
    const bool twice = d->off_before_ns | d->off_in_ns;
    if (twice || !mpg_get_varint(&d->p, d->end, &d->off_before_ns) ||
        !mpg_get_varint(&d->p, d->end, &d->off_in_ns) || !(d->off_before_ns | d->off_in_ns))
        return mpg_decoder_damaged(d, "off-CPU time", err);
    return 0;
}

/* Reads the definitions and the off-CPU time that precede an event, then the event's shape. Returns the shape; NULL with
 * ERR: damaged data, or out of memory. */
static const struct mpg_short_shape *read_operation(struct mpg_decoder *d, struct mpg_error *err)
{
    uint16_t *predicted = &d->predicted[mpg_shape_context(d->history)];
    uint64_t op;
    uint32_t number = 0;
    for (;;) {
        if (!mpg_get_varint(&d->p, d->end, &op)) {
            mpg_decoder_damaged(d, "record", err);
            return NULL;
        }
        if ((op < MPG_OP_COMM || op > MPG_OP_SITE) && op != MPG_OP_OFF_CPU)
            break;
        if ((op == MPG_OP_OFF_CPU ? read_off_cpu(d, err) : mpg_decode_definition(d, op, err)) < 0)
            return NULL;
    }
    if (op == MPG_OP_PREDICTED)
        number = *predicted;
    else if (op >= MPG_OP_SHAPE)
        number = op - MPG_OP_SHAPE < MPG_MAX_SHAPES ? (uint32_t)(op - MPG_OP_SHAPE)
                                                    : MPG_MAX_SHAPES;
    else if (read_shape(d, &number, err) < 0)
        return NULL;
    if (number >= MPG_MAX_SHAPES || d->shapes.total <= number) {
        mpg_decoder_damaged(d, "unknown shape", err);
        return NULL;
    }
    *predicted = (uint16_t)number;
    d->history = mpg_shape_remember(d->history, number);
    return &d->shapes.shapes[number];
}

/* Copies shape S, with PATTERN, to E. All other fields of E except thread and times become 0. */
static void apply_shape(const struct mpg_short_shape *s, const struct mpg_shape *pattern, struct mpg_event *e)
{
    /* From `site` on, both structs have equal fields in equal order. */
    memcpy(&e->site, &pattern->site, sizeof *pattern - offsetof(struct mpg_shape, site));
    mpg_shape_change(s, &e->site);
    memset(&e->any, 0, sizeof *e - offsetof(struct mpg_event, any));
    e->call = (enum mpg_call)pattern->call;
    const uint32_t flags = pattern->flags;
    if (flags == 0)
        return;
    e->any = flags & MPG_SHAPE_ANY;
    e->device = (flags & MPG_SHAPE_DEVICE) >> MPG_SHAPE_DEVICE_SHIFT;
    e->found = flags & MPG_SHAPE_FOUND;
    e->done_all = flags & MPG_SHAPE_DONE_ALL;
    e->failed = flags & MPG_SHAPE_FAILED;
}

/* Returns the 64 bits that follow the first USED bits at P. P has ROOM bytes; all bits beyond are taken as 0. */
static uint64_t bits_at(const uint8_t *p, size_t room, unsigned used)
{
    uint8_t last[sizeof(uint64_t) + 1] = {0};
    uint64_t word;
    if (room < sizeof last)
        p = memcpy(last, p, room);
    memcpy(&word, p, sizeof word);
    word = le64toh(word) >> used;
    return used ? word | (uint64_t)p[8] << (64 - used) : word;
}

/* Returns a time of LENGTH bits. WORD has all bits of the time except the highest, which is always 1. */
static inline int64_t time_of(unsigned length, uint64_t word)
{
    const uint64_t above = (uint64_t)1 << length;
    return (int64_t)((word & ((above - 1) >> 1)) | above >> 1);
}

/* Reads up to N times from COLUMN into NS, ns. The column after COLUMN has the length of each time in bits; the highest bit
 * of a time is not stored. Returns the number of times read: less than N at the end of the column, or before a damaged time. */
static uint32_t get_times(struct mpg_numbers *column, uint32_t n, int64_t *ns)
{
    enum { OF_A_WORD = 57 }; /* number of bits that a 64-bit word contains from any bit of the first byte on */
    struct mpg_numbers *lengths = column + 1;
    const size_t there = (size_t)(lengths->end - lengths->p), room = (size_t)(column->end - column->p);
    const uint8_t *length = lengths->p, *p = column->p;
    uint64_t at = column->used, word; /* `at`: position in COLUMN, in bits */
    uint32_t i = 0;
    if (there < n)
        n = (uint32_t)there;
    for (; i < n && length[i] <= OF_A_WORD && at / 8 + sizeof word <= room; i++) {
        memcpy(&word, p + at / 8, sizeof word);
        ns[i] = time_of(length[i], le64toh(word) >> at % 8);
        at += length[i] - (length[i] > 0);
    }
    for (; i < n; i++) { /* near the end of the column, and times longer than OF_A_WORD */
        const unsigned more = length[i] > 0 ? length[i] - 1u : 0;
        if (length[i] > 63 || at + more > 8 * (uint64_t)room)
            break;
        ns[i] = time_of(length[i], more > 0 ? bits_at(p + at / 8, room - at / 8, at % 8) : 0);
        at += more;
    }
    lengths->p += i;
    column->p += at / 8;
    column->used = at % 8;
    return i;
}

/* Reads the times of the next events, up to the first damaged time. Returns false if no time could be read. */
static bool read_batch(struct mpg_decoder *d)
{
    const uint64_t left = d->slices ? 1 : d->chunk_events; /* the part of a column held in memory may end after the next event */
    const uint32_t max = left < MPG_TIMES_A_BATCH ? (uint32_t)left : MPG_TIMES_A_BATCH;
    const uint32_t gaps = get_times(&d->numbers[MPG_COLUMN_GAP_BITS], max, d->gap_ns);
    d->time = 0;
    d->time_number = get_times(&d->numbers[MPG_COLUMN_DURATION_BITS], gaps, d->duration_ns);
    return d->time_number > 0;
}

static inline bool read_times(struct mpg_decoder *d, struct mpg_event *e)
{
    if (d->time == d->time_number && !read_batch(d))
        return false;
    const uint32_t i = d->time++;
    return !__builtin_add_overflow(d->last_ns, d->gap_ns[i], &e->enter_ns) &&
           !__builtin_add_overflow(e->enter_ns, d->duration_ns[i], &e->leave_ns);
}

static bool read_values(struct mpg_decoder *d, struct mpg_event *e)
{
    e->values = d->values;
    e->value_number = d->columns - MPG_COLUMN_VALUES;
    for (uint32_t i = MPG_COLUMN_VALUES; i < d->columns; i++)
        if (!mpg_get_zigzag(&d->numbers[i].p, d->numbers[i].end,
                            &d->values[i - MPG_COLUMN_VALUES]))
            return false;
    return true;
}

/* Moves the off-CPU times read last to E. Returns false if longer than the interval before E, or than E itself. */
static bool apply_off_cpu(struct mpg_decoder *d, struct mpg_event *e)
{
    const uint64_t gap_ns = (uint64_t)e->enter_ns - (uint64_t)d->last_ns;
    const uint64_t duration_ns = (uint64_t)e->leave_ns - (uint64_t)e->enter_ns;
    if (d->off_before_ns > gap_ns || d->off_in_ns > duration_ns)
        return false;
    e->off_before_ns = (int64_t)d->off_before_ns;
    e->off_in_ns = (int64_t)d->off_in_ns;
    d->off_before_ns = d->off_in_ns = 0;
    return true;
}

/* Checks that the chunk's records end when all events of the chunk are read. A chunk can end with definitions for events of
 * the next chunk. Not checked in a segment, because a process can die while writing a definition. */
static int end_chunk(struct mpg_decoder *d, struct mpg_error *err)
{
    if (d->in_segment)
        return 0;
    while (d->p < d->end) {
        uint64_t op;
        if (!mpg_get_varint(&d->p, d->end, &op) || op < MPG_OP_COMM || op > MPG_OP_SITE)
            return mpg_decoder_damaged(d, "more records than events", err);
        if (mpg_decode_definition(d, op, err) < 0)
            return -1;
    }
    for (uint32_t i = 1; i < d->columns; i++)
        if (d->numbers[i].p + (d->numbers[i].used > 0) < d->numbers[i].end ||
            (d->slices && d->slices->column[i].left > 0))
            return mpg_decoder_damaged(d, "more times or values than events", err);
    return 0;
}

/* Sets the neighbours of E, a neighbourhood collective. Returns 0, or -1 with ERR: the communicator has no topology. */
static int fill_neighbours(const struct mpg_decoder *d, struct mpg_event *e, struct mpg_error *err)
{
    const struct trace_topology *topology = mpg_trace_topology(d->trace, d->rank, e->comm);
    if (!topology)
        return mpg_decoder_damaged(d, "no topology of its communicator", err);
    e->source_number = topology->source_number;
    e->destination_number = topology->destination_number;
    e->sources = topology->sources;
    e->destinations = topology->destinations;
    return 0;
}

/* Sets in E, a collective, the number of ranks to which the counts refer, and whether the decoded rank is the root. */
static void fill_peers(const struct mpg_decoder *d, struct mpg_event *e)
{
    const struct mpg_comm *comm = mpg_trace_comm(d->trace, e->comm);
    e->peer_number = comm->remote_size ? comm->remote_size : comm->size;
    e->is_root = comm->remote_size ? e->root == MPG_ROOT
                                   : e->root >= 0 && e->root < comm->size && comm->world_ranks[e->root] == d->rank;
}

/* Limits the sum of times in S to a sum possible for the number of calls: a process may be killed after adding a call's time
 * and before counting the call. */
static void round_off(struct mpg_sum *s)
{
    int64_t min_ns, max_ns;
    if (s->calls <= 0 || __builtin_mul_overflow(s->min_ns, s->calls, &min_ns) ||
        __builtin_mul_overflow(s->max_ns, s->calls, &max_ns))
        return;
    if (s->time_ns > max_ns)
        s->time_ns = max_ns;
    if (s->time_ns < min_ns)
        s->time_ns = min_ns;
}

/* Returns whether callsite *SITE, a number in the stream, is defined. If necessary reads the definitions after the segment's
 * last event: a callsite's definition is complete before any aggregate refers to the callsite. Bytes after these definitions
 * are remains of an earlier chunk. */
static bool find_site(struct mpg_decoder *d, int32_t *site)
{
    struct mpg_error ignored;
    uint64_t op;
    while (!mpg_decode_id(&d->sites, site))
        if (!d->in_segment || !mpg_get_varint(&d->p, d->end, &op) || op < MPG_OP_COMM || op > MPG_OP_SITE ||
            mpg_decode_definition(d, op, &ignored) < 0)
            return false;
    return true;
}

/* Sets *E to the next aggregate not yet written as an event when the process ended. Returns 1; 0: no more aggregates; -1 with
 * ERR: damaged data. */
static int give_sum(struct mpg_decoder *d, struct mpg_event *e, struct mpg_error *err)
{
    if (d->sums_given == d->sum_number)
        return 0;
    const struct mpg_sum_row *row = &d->sums[d->sums_given];
    const uint32_t call = le32toh(row->call);
    int64_t last_ns = (int64_t)le64toh((uint64_t)row->last_ns);
    int32_t site = (int32_t)le32toh((uint32_t)row->site);
    if (last_ns < d->last_ns)
        last_ns = d->last_ns;
    *e = (struct mpg_event){.call = (enum mpg_call)call,
                            .thread = d->thread,
                            .enter_ns = last_ns,
                            .leave_ns = last_ns,
                            .newcomm = MPG_NO_COMM,
                            .comm = MPG_NO_COMM,
                            .object = MPG_NO_OBJECT,
                            .string = -1,
                            .value_number = d->columns - MPG_COLUMN_VALUES,
                            .values = d->values,
                            .sum = mpg_sum_of_row(row)};
    round_off(&e->sum);
    if (call >= MPG_CALL_COUNT || mpg_call_kind(e->call) != MPG_KIND_OTHER ||
        !mpg_sum_is_consistent(&e->sum) || (site != MPG_NO_SITE && !find_site(d, &site)))
        return mpg_decoder_damaged(d, "sum of calls", err);
    e->site = site;
    memset(d->values, 0, sizeof d->values);
    d->sums_given++;
    d->last_ns = last_ns;
    d->event++;
    return 1;
}

/* Sets *E to the MPI_Finalize, of duration 0, in which a launcher killed the process. Returns 1; 0: none, or returned before. */
static int give_finalize(struct mpg_decoder *d, struct mpg_event *e)
{
    int64_t enter_ns = d->stream->progress.inside_ns;
    if (!d->stream->finalizes || d->finalized || enter_ns < d->last_ns)
        return 0;
    d->finalized = true;
    *e = (struct mpg_event){.call = MPG_CALL_Finalize,
                            .thread = d->thread,
                            .enter_ns = enter_ns,
                            .leave_ns = enter_ns,
                            .site = MPG_NO_SITE,
                            .killed = true,
                            .value_number = d->columns - MPG_COLUMN_VALUES,
                            .values = d->values};
    memset(d->values, 0, sizeof d->values);
    d->last_ns = enter_ns;
    d->event++;
    return 1;
}

/* Returns whether the part of a column held in memory may end before the next event ends. */
static bool is_short(const struct mpg_decoder *d)
{
    enum { MAX_BYTES = 10 }; /* maximum bytes of an encoded number */
    for (uint32_t i = MPG_COLUMN_RECORDS + 1; i < d->columns; i++)
        if (d->numbers[i].end - d->numbers[i].p < MAX_BYTES && d->slices->column[i].left > 0)
            return true;
    return false;
}

/* After the last chunk: returns aggregates, then an interrupted MPI_Finalize, like mpg_decoder_next(). */
static int next_of_end(struct mpg_decoder *d, struct mpg_event **event, struct mpg_error *err)
{
    int given = give_sum(d, &d->current, err);
    given = given ? given : give_finalize(d, &d->current);
    if (given > 0)
        *event = &d->current;
    return given;
}

int mpg_decoder_next(struct mpg_decoder *d, struct mpg_event **event, struct mpg_error *err)
{
    struct mpg_event *e = &d->current;
    while (d->chunk_events == 0) {
        if (end_chunk(d, err) < 0)
            return -1;
        int more = mpg_decoder_chunk(d, err);
        if (more < 0)
            return -1;
        if (more == 0)
            return next_of_end(d, event, err);
    }
    if (d->slices && is_short(d) && mpg_decoder_slice_on(d, err) < 0)
        return -1;
    const struct mpg_short_shape *s = read_operation(d, err);
    if (!s)
        return -1;
    const struct mpg_shape *pattern = mpg_shape_pattern_of(&d->shapes, s);
    const uint32_t flags = pattern->flags;
    apply_shape(s, pattern, e);
    e->thread = d->thread;
    if (!read_times(d, e))
        return mpg_decoder_damaged(d, "time", err);
    if (!read_values(d, e))
        return mpg_decoder_damaged(d, "value", err);
    if (__builtin_expect((d->off_before_ns | d->off_in_ns) != 0, false) && !apply_off_cpu(d, e))
        return mpg_decoder_damaged(d, "off-CPU time", err);
    if (!e->failed) {
        if (!mpg_decode_body(d, e, flags))
            return d->ran_out ? mpg_error_set(err, "out of memory")
                              : mpg_decoder_damaged(d, mpg_call_name(e->call), err);
        const enum mpg_kind kind = mpg_call_kind(e->call);
        if (mpg_kind_has_neighbors(kind) && fill_neighbours(d, e, err) < 0)
            return -1;
        if (kind == MPG_KIND_COLLECTIVE || kind == MPG_KIND_ICOLLECTIVE)
            fill_peers(d, e);
    }
    d->last_ns = e->leave_ns;
    d->chunk_events--;
    d->event++;
    *event = e;
    return 1;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Decoding one stream's chunks, event by event, and a rank's streams merged.
 * Private to trace/: cursors put the partners of wildcard receives on top. */
#ifndef MPG_DECODE_H
#define MPG_DECODE_H

#include "trace/shape.h"
#include "trace/store/private.h"

struct mpg_list { /* a growing array of int64_t, int32_t, frames or resolutions */
    void *data;
    size_t capacity_bytes;
};

/* What a decoder holds of a chunk that is too large to be held: its records, and parts of its columns
 * of numbers, which are filled again as they are used up (decode_chunk.c). */
struct mpg_slice {
    uint8_t *begin;
    uint32_t passed, left; /* bytes of the column before what is held, and behind it */
};
struct mpg_slices {
    int64_t offset; /* of the chunk, whose header it was */
    uint8_t header[MPG_CHUNK_HEADER_BYTES];
    struct mpg_slice column[MPG_MAX_COLUMNS];
};

/* A column, from the next number on. */
struct mpg_numbers {
    const uint8_t *p, *end;
    unsigned used; /* bits of *P that have been read, 0 .. 7 */
};

enum { MPG_TIMES_A_BATCH = 16 };

/* Shapes are in parts, of 8 of them, 16, 32 and so on, so that none moves when there are more. */
enum { MPG_SHAPE_PARTS = 10, MPG_FIRST_SHAPES = 8 };
_Static_assert(MPG_FIRST_SHAPES * ((1 << MPG_SHAPE_PARTS) - 1) >= MPG_MAX_SHAPES, "parts for all shapes");

struct mpg_decoder {
    struct mpg_trace *trace;
    int32_t rank;
    uint32_t thread;
    const struct trace_stream *stream;
    int64_t offset;           /* of the next chunk header */
    uint64_t sequence, event; /* chunks and events read so far */
    bool in_window, finalized; /* has read its window, given the end that it lacks */
    bool appended;             /* what was in the window is in the file by now */
    struct mpg_sum_row *sums;  /* of the window, in RAW: those that are no event yet, in order */
    uint32_t sum_number, sums_given;
    uint8_t *raw;
    size_t raw_capacity;
    uint32_t columns;
    const uint8_t *p, *end;   /* of the records */
    struct mpg_numbers numbers[MPG_MAX_COLUMNS]; /* of the other columns */
    struct mpg_slices *slices; /* NULL: the chunk is held whole */
    int64_t gap_ns[MPG_TIMES_A_BATCH];      /* of the next events: since the one before it left, */
    int64_t duration_ns[MPG_TIMES_A_BATCH]; /* and in it; those from TIME on */
    uint32_t time, time_number;
    uint64_t chunk_events;
    uint64_t listed; /* elements of lists so far */
    int64_t last_ns, last_request, last_persistent, last_message;
    struct mpg_shape *shapes[MPG_SHAPE_PARTS]; /* see mpg_shape_at() */
    uint32_t history;
    uint64_t shape_total;
    uint16_t predicted[1 << MPG_CONTEXT_BITS], last_of_call[MPG_CALL_COUNT];
    /* the stream's number -> trace-wide number + 1 */
    struct mpg_map comms, objects, strings, modules, sites;
    struct mpg_list requests, persistent, done, cancelled, resolutions, counts, polled;
    uint32_t polled_number; /* the last list of several requests */
    struct mpg_event current; /* the event read last */
    int64_t values[MPG_TRACE_MAX_VALUES];
    uint64_t off_before_ns, off_in_ns; /* of the event that is being read */
    bool ran_out; /* of memory: what was being read is not damaged */
};

/* STREAM: the place of one of the rank's. */
void mpg_decoder_start(struct mpg_decoder *d, struct mpg_trace *trace, int32_t rank,
                       uint32_t stream);
/* 1: *EVENT is the next one, D's own until it is asked for another one; 0: the end; -1: damage, ERR
 * names file, rank and call. */
int mpg_decoder_next(struct mpg_decoder *d, struct mpg_event **event, struct mpg_error *err);
void mpg_decoder_stop(struct mpg_decoder *d);

/* In which part shape NUMBER is, and *PLACE in it. */
static inline uint32_t mpg_shape_part(uint32_t number, uint32_t *place)
{
    const uint32_t n = number + MPG_FIRST_SHAPES;
    const uint32_t part = (uint32_t)(__builtin_clz(MPG_FIRST_SHAPES) - __builtin_clz(n));
    *place = n - ((uint32_t)MPG_FIRST_SHAPES << part);
    return part;
}

/* Shape NUMBER, which is there. */
static inline struct mpg_shape *mpg_shape_at(const struct mpg_decoder *d, uint32_t number)
{
    uint32_t place;
    const uint32_t part = mpg_shape_part(number, &place);
    return &d->shapes[part][place];
}

/* --- the parts of a decoder --- */

int mpg_decoder_damaged(const struct mpg_decoder *d, const char *what, struct mpg_error *err);
/* Goes to the stream's next events (trace/store/decode_chunk.c): 1, or 0 at the end. */
int mpg_decoder_chunk(struct mpg_decoder *d, struct mpg_error *err);
/* Fills D's parts of columns again. Errors: the chunk cannot be read any more, or has changed. */
int mpg_decoder_slice_on(struct mpg_decoder *d, struct mpg_error *err);
/* Reads the definition that OPERATION began, one from MPG_OP_COMM to MPG_OP_SITE. */
int mpg_decode_definition(struct mpg_decoder *d, uint64_t operation, struct mpg_error *err);
/* Reads what follows the shape of E, whose flags are FLAGS; false: it is damaged. */
bool mpg_decode_body(struct mpg_decoder *d, struct mpg_event *e, uint32_t flags);

/* Room for N elements of SIZE bytes; NULL when out of memory. */
void *mpg_list_reserve(struct mpg_list *list, size_t n, size_t size);
/* N numbers of a list in runs (see put_runs() in trace/store/encode.c); NULL: damaged. */
int64_t *mpg_decode_runs(struct mpg_decoder *d, struct mpg_list *list, size_t n, int64_t base,
                         int64_t step);
/* The trace-wide number in MAP of the stream's number *ID goes to *ID; false: none. */
bool mpg_decode_id(const struct mpg_map *map, int32_t *id);

static inline bool mpg_decode_i32(struct mpg_decoder *d, int32_t *v)
{
    int64_t value;
    if (!mpg_get_zigzag(&d->p, d->end, &value) || value < INT32_MIN || value > INT32_MAX)
        return false;
    *v = (int32_t)value;
    return true;
}

static inline bool mpg_decode_u32(struct mpg_decoder *d, uint32_t *v, uint32_t limit)
{
    uint64_t value;
    if (!mpg_get_varint(&d->p, d->end, &value) || value > limit)
        return false;
    *v = (uint32_t)value;
    return true;
}

/* A rank's streams in one: the event that was entered first comes first, of several at
 * a time that of the lowest thread, but MPI_Finalize last. */
struct mpg_merge {
    uint32_t threads, current; /* current: whose event was read last */
    uint64_t event;            /* read so far */
    struct mpg_decoder *decoders;
    struct mpg_event **events; /* the next of each; NULL: it has not been read, */
    bool *ended;               /* or there is none */
};

int mpg_merge_start(struct mpg_merge *m, struct mpg_trace *trace, int32_t rank,
                    struct mpg_error *err);
/* Of several streams. */
int mpg_merge_first(struct mpg_merge *m, struct mpg_event **event, struct mpg_error *err);
/* As mpg_decoder_next(). */
static inline int mpg_merge_next(struct mpg_merge *m, struct mpg_event **event, struct mpg_error *err)
{
    const int more = m->threads == 1 ? mpg_decoder_next(m->decoders, event, err)
                                     : mpg_merge_first(m, event, err);
    m->event += more > 0;
    return more;
}
void mpg_merge_stop(struct mpg_merge *m);

#endif

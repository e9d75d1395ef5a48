/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Decoding: reads the chunks of one stream event by event, and merges the streams of a rank. Cursors add the sources of
 * wildcard receives. Private to trace/. */
#ifndef MPG_DECODE_H
#define MPG_DECODE_H

#include "trace/store/private.h"
#include "trace/store/shape_table.h"

struct mpg_list { /* a growing array of int64_t, int32_t, frames or resolutions */
    void *data;
    size_t capacity_bytes;
};

/* The part of a column of numbers held in memory, if the chunk is too large to be held as a whole; refilled as needed
 * (decode_chunk.c). The column of records is always held as a whole. */
struct mpg_slice {
    uint8_t *begin;
    uint32_t passed, left; /* bytes of the column before and after the held part */
};
struct mpg_slices {
    int64_t offset; /* offset in the file of the chunk with header `header` */
    uint8_t header[MPG_CHUNK_HEADER_BYTES];
    struct mpg_slice column[MPG_MAX_COLUMNS];
};

/* The unread numbers of a column. */
struct mpg_numbers {
    const uint8_t *p, *end;
    unsigned used; /* bits of *p already read, 0 .. 7 */
};

enum { MPG_TIMES_A_BATCH = 16 };

struct mpg_decoder {
    struct mpg_trace *trace;
    int32_t rank;
    uint32_t thread;
    const struct trace_stream *stream;
    uint32_t part;            /* 0: before the stream's first part; I: in part I - 1 */
    int64_t offset;           /* offset of the next chunk header */
    uint64_t sequence, event; /* number of chunks and of events read so far */
    bool in_segment, finalized; /* in_segment: the segment is being read; finalized: an interrupted MPI_Finalize was returned */
    bool appended;             /* the program appended the segment to the file after the trace was opened */
    struct mpg_sum_row *sums;  /* aggregates of the segment, in `raw`, that have not been returned as events yet, in order */
    uint32_t sum_number, sums_given;
    uint8_t *raw;
    size_t raw_capacity;
    uint32_t columns;
    const uint8_t *p, *end;   /* unread bytes of the records */
    struct mpg_numbers numbers[MPG_MAX_COLUMNS]; /* unread part of each column of numbers, by column; the entry of the records
                                                  * is unused */
    struct mpg_slices *slices; /* parts of columns; NULL: the whole chunk is held */
    int64_t gap_ns[MPG_TIMES_A_BATCH];      /* for the next events: time since the previous leave */
    int64_t duration_ns[MPG_TIMES_A_BATCH]; /* for the next events: duration; entries from index `time` on are unread */
    uint32_t time, time_number;
    uint64_t chunk_events;
    uint64_t listed; /* number of list elements decoded so far */
    int64_t last_ns, last_request, last_persistent, last_message;
    struct mpg_shape_table shapes;
    uint32_t history;
    uint16_t predicted[1 << MPG_CONTEXT_BITS], last_of_call[MPG_CALL_COUNT];
    /* number in the stream -> 1 + trace-wide number */
    struct mpg_map comms, objects, strings, modules, sites;
    struct mpg_list requests, persistent, done, cancelled, resolutions, counts, polled;
    uint32_t polled_number; /* length of the list in `polled` */
    struct mpg_event current; /* the event read last */
    int64_t values[MPG_TRACE_MAX_VALUES];
    uint64_t off_before_ns, off_in_ns; /* off-CPU times of the event being read */
    bool ran_out; /* memory ran out; the input is not damaged */
};

/* Starts decoding the stream with index STREAM of RANK. */
void mpg_decoder_start(struct mpg_decoder *d, struct mpg_trace *trace, int32_t rank,
                       uint32_t stream);
/* Returns 1 with *EVENT, owned by D and valid until the next call; 0: the end; -1: damage, ERR names file, rank and
 * call. */
int mpg_decoder_next(struct mpg_decoder *d, struct mpg_event **event, struct mpg_error *err);
void mpg_decoder_stop(struct mpg_decoder *d);
/* Forgets what was decoded, except definitions: the next chunk needs no earlier chunk. */
void mpg_decoder_refresh(struct mpg_decoder *d);

/* --- functions for the files of the decoder --- */

int mpg_decoder_damaged(const struct mpg_decoder *d, const char *what, struct mpg_error *err);
/* Moves on to the chunk or segment with the stream's next events (trace/store/decode_chunk.c). Returns 1; 0: at the end; -1
 * with ERR. */
int mpg_decoder_chunk(struct mpg_decoder *d, struct mpg_error *err);
/* Refills the parts of columns held in memory. Returns 0, or -1 with ERR: the chunk cannot be read, or has changed. */
int mpg_decoder_slice_on(struct mpg_decoder *d, struct mpg_error *err);
/* Reads the definition that begins with OPERATION, MPG_OP_COMM to MPG_OP_SITE. Returns 0, or -1 with ERR. */
int mpg_decode_definition(struct mpg_decoder *d, uint64_t operation, struct mpg_error *err);
/* Reads the body of E, which follows the shape with FLAGS. Returns false: damage, or out of memory (ran_out). */
bool mpg_decode_body(struct mpg_decoder *d, struct mpg_event *e, uint32_t flags);

/* Returns the data of LIST, enlarged to N elements of SIZE bytes if needed; contents are kept. NULL: out of memory. */
void *mpg_list_reserve(struct mpg_list *list, size_t n, size_t size);
/* Reads into LIST the N numbers written by put_runs() (trace/store/encode.c) with BASE and STEP. Returns the data of LIST;
 * NULL: damage, or out of memory (ran_out). */
int64_t *mpg_decode_runs(struct mpg_decoder *d, struct mpg_list *list, size_t n, int64_t base,
                         int64_t step);
/* Replaces *ID, a number in the stream, by the trace-wide number in MAP. Returns false: unknown. */
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

/* The merged streams of a rank: the event with the earliest enter comes first; at equal times the lowest thread, and
 * MPI_Finalize last. */
struct mpg_merge {
    uint32_t threads, current; /* number of streams; stream of the event read last */
    uint64_t event;            /* number of events read so far */
    struct mpg_decoder *decoders;
    struct mpg_event **events; /* next event of each stream; NULL: not read */
    bool *ended;               /* stream has ended */
};

int mpg_merge_start(struct mpg_merge *m, struct mpg_trace *trace, int32_t rank,
                    struct mpg_error *err);
/* Reads the next event of a rank with several streams, as mpg_decoder_next() does for one stream. */
int mpg_merge_first(struct mpg_merge *m, struct mpg_event **event, struct mpg_error *err);
/* Reads the next event of a rank with one stream or more, as mpg_decoder_next() does for one stream. */
static inline int mpg_merge_next(struct mpg_merge *m, struct mpg_event **event, struct mpg_error *err)
{
    const int more = m->threads == 1 ? mpg_decoder_next(m->decoders, event, err)
                                     : mpg_merge_first(m, event, err);
    m->event += more > 0;
    return more;
}
void mpg_merge_stop(struct mpg_merge *m);

#endif

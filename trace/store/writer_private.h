/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by trace/store/writer.c, encode.c, define.c and sums.c. Private to trace/. */
#ifndef MPG_WRITER_PRIVATE_H
#define MPG_WRITER_PRIVATE_H

#define ZSTD_STATIC_LINKING_ONLY /* contexts with a custom allocator */
#include <zstd.h>

#include "trace/shape.h"
#include "trace/store/segment.h"
#include "trace/store/writer.h"

enum {
    MPG_SHAPE_SLOTS = 2 * MPG_MAX_SHAPES,
    /* Room for the record of an event: MPG_EVENT_BYTES for lists of at most one element, MPG_RECORD_BYTES for lists of fewer
     * than MPG_SHORT_LIST elements. */
    MPG_SHORT_LIST = 8,
    MPG_EVENT_BYTES = 32 * MPG_VARINT_BYTES,
    MPG_RECORD_BYTES = (20 + 10 * MPG_SHORT_LIST) * MPG_VARINT_BYTES
};

/* The last, incomplete byte of a column of bits. */
struct mpg_bits {
    uint64_t pending; /* the bits so far, first bit lowest */
    unsigned used;    /* number of bits so far, 0 .. 7 */
};

struct mpg_trace_writer {
    struct mpg_segment segment;
    uint8_t *p[MPG_MAX_COLUMNS];   /* by column: end of the data */
    struct mpg_bits bits[MPG_COLUMN_VALUES]; /* by column of bits: the column's last byte */
    uint8_t *end[MPG_MAX_COLUMNS]; /* by column: limit beyond which no further event fits */
    uint32_t columns, history;
    int64_t last_ns, last_request, last_persistent, last_message;
    uint32_t polled_number;
    int64_t polled[MPG_REPEATED_MAX]; /* the last list of MPG_REPEATED_MIN to MPG_REPEATED_MAX requests */
    uint64_t chunk_events;
    uint32_t sum_rows;                 /* number of rows in use */
    uint16_t sum_slots[MPG_SUM_SLOTS]; /* hash table by call and callsite: 1 + row */
    uint16_t sum_order[MPG_SUM_ROWS];  /* numbers of the rows, in the order of becoming events */
    bool stopped, flush_pending;
    bool in_snapshot;       /* the current chunk holds a snapshot */
    uint64_t earlier_bytes; /* bytes written to the files of earlier parts */
    struct mpg_shape *shapes;
    uint64_t shape_total; /* number of shapes so far; shape i is stored at index i modulo MPG_MAX_SHAPES */
    uint16_t predicted[1 << MPG_CONTEXT_BITS], slots[MPG_SHAPE_SLOTS], last_of_call[MPG_CALL_COUNT];
    struct mpg_trace_writer_size size;
    int64_t flush_enter_ns, flush_leave_ns;
    int64_t flush_off_before_ns, flush_off_in_ns;
    int64_t off_carried_ns; /* time off the CPU since the last event, in or before aggregated calls */
    int64_t (*now_ns)(void);
    int64_t (*off_ns)(void *argument, int64_t now_ns);
    void *off_argument;
    int (*file)(void *argument, struct mpg_error *err);
    void *file_argument;

    int fd, level;
    char *name; /* file name, or NULL */
    uint32_t rank, ranks, thread, run;
    uint64_t sequence;
    char *segment_path;
    size_t segment_bytes;
    ZSTD_CCtx *zstd;
    bool shares_zstd; /* the caller owns `zstd`: not freed by the writer */
    uint8_t *out, *facts; /* out: the chunk to append; facts: text of the facts to append */
    size_t out_capacity, fact_used, fact_capacity;
};

/* Writes the events of all aggregates and empties the rows. Returns 0, or -1 with ERR. */
int mpg_writer_write_sums(struct mpg_trace_writer *w, struct mpg_error *err);

/* Makes all counters of aggregates invalid (mpg_trace_sums_epoch). */
void mpg_writer_renew_sums(void);

/* Prepares for the short event E, like mpg_trace_write_event(): writes pending flush events, and makes room. Returns
 * 0, or -1 with ERR. */
int mpg_writer_settle(struct mpg_trace_writer *w, const struct mpg_event *e, struct mpg_error *err);

/* Makes room for a record of BYTES in the first column and for an event in all other columns, ending the chunk if needed, and
 * growing the segment for a very large record. Returns 0, or -1 with ERR. */
int mpg_writer_reserve(struct mpg_trace_writer *w, size_t bytes, struct mpg_error *err);

#endif

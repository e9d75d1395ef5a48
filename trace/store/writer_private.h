/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What trace/store/writer.c, trace/store/encode.c and trace/store/define.c share. Private to trace/. */
#ifndef MPG_WRITER_PRIVATE_H
#define MPG_WRITER_PRIVATE_H

#define ZSTD_STATIC_LINKING_ONLY /* contexts with an allocator of ours */
#include <zstd.h>

#include "trace/shape.h"
#include "trace/store/window.h"
#include "trace/store/writer.h"

enum {
    MPG_SHAPE_SLOTS = 2 * MPG_MAX_SHAPES,
    /* Room for an event with lists of at most one element, and of less than SHORT_LIST. */
    MPG_SHORT_LIST = 8,
    MPG_EVENT_BYTES = 32 * MPG_VARINT_BYTES,
    MPG_RECORD_BYTES = (20 + 10 * MPG_SHORT_LIST) * MPG_VARINT_BYTES
};

/* Where a column of bits goes on within its byte. */
struct mpg_bits {
    uint64_t pending; /* the bits of that byte so far, the first lowest */
    unsigned used;    /* how many, 0 .. 7 */
};

struct mpg_trace_writer {
    struct mpg_window window;
    uint8_t *p[MPG_MAX_COLUMNS];   /* where each column goes on */
    struct mpg_bits bits[MPG_COLUMN_VALUES]; /* of columns of bits */
    uint8_t *end[MPG_MAX_COLUMNS]; /* where it has no room for one more event */
    uint32_t columns, history;
    int64_t last_ns, last_request, last_persistent, last_message;
    uint32_t polled_number;
    int64_t polled[MPG_LONGEST_AGAIN]; /* the last list of several requests */
    uint64_t chunk_events;
    uint32_t sum_rows;                 /* of the window's that are in use */
    uint16_t sum_slots[MPG_SUM_SLOTS]; /* 1 + row, by call and callsite */
    uint16_t sum_order[MPG_SUM_ROWS];  /* of rows that become events */
    bool stopped, flush_pending;
    struct mpg_shape *shapes;
    uint64_t shape_total; /* ever made; shape I is the one that was made I-th modulo the limit */
    uint16_t predicted[1 << MPG_CONTEXT_BITS], slots[MPG_SHAPE_SLOTS], last_of_call[MPG_CALL_COUNT];
    struct mpg_trace_writer_size size;
    int64_t flush_enter_ns, flush_leave_ns;
    int64_t flush_off_before_ns, flush_off_in_ns;
    int64_t off_carried_ns; /* off the CPU since the last event, of calls that were summed up */
    int64_t (*now_ns)(void);
    int64_t (*off_ns)(void *argument, int64_t now_ns);
    void *off_argument;
    int (*file)(void *argument, struct mpg_error *err);
    void *file_argument;

    int fd, level;
    char *name; /* of the file, or NULL */
    uint32_t rank, ranks, thread, run;
    uint64_t sequence;
    char *window_path;
    size_t window_bytes;
    ZSTD_CCtx *zstd;
    bool shares_zstd; /* which others use, and is not the writer's to free */
    uint8_t *out, *facts; /* a chunk; facts as text */
    size_t out_capacity, fact_used, fact_capacity;
};

/* Writes events that stand for the calls in the window's rows, which are empty then. */
int mpg_writer_write_sums(struct mpg_trace_writer *w, struct mpg_error *err);

/* What mpg_trace_write_event() does before it writes the short event E itself: what is still to be
 * said of the tracer, and room. */
int mpg_writer_settle(struct mpg_trace_writer *w, const struct mpg_event *e, struct mpg_error *err);

/* Makes sure that a record of BYTES fits into the first column and an event into the
 * others, ending the chunk, and growing the window for one very large record. */
int mpg_writer_reserve(struct mpg_trace_writer *w, size_t bytes, struct mpg_error *err);

#endif

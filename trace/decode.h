/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Decoding one rank's chunks, event by event. Private to trace/: cursors put
 * the partners of wildcard receives on top. */
#ifndef MPG_DECODE_H
#define MPG_DECODE_H

#include "common/map.h"
#include "trace/trace_private.h"

struct mpg_list { /* a growing array of int64_t or resolutions */
    void *data;
    size_t capacity_bytes;
};

struct mpg_decoder {
    struct mpg_trace *trace;
    int32_t rank;
    int64_t offset;           /* of the next chunk header */
    uint64_t sequence, event; /* chunks and events read so far */
    uint8_t *raw, *stored;
    size_t raw_capacity, stored_capacity;
    const uint8_t *p, *end;
    uint32_t chunk_events;
    int64_t last_ns, last_request, last_persistent;
    struct mpg_shape *shapes;
    uint32_t shape_count, shape_capacity;
    struct mpg_map comms;       /* the rank's number -> trace-wide number + 1 */
    struct mpg_list requests, persistent, done, cancelled, resolutions, counts;
};

void mpg_decoder_start(struct mpg_decoder *d, struct mpg_trace *trace, int32_t rank);
/* 1: EVENT is filled; 0: the end; -1: damage, ERR names file, rank and call. */
int mpg_decoder_next(struct mpg_decoder *d, struct mpg_event *event, struct mpg_error *err);
void mpg_decoder_stop(struct mpg_decoder *d);

/* Room for N elements of SIZE bytes; NULL when out of memory. */
void *mpg_list_reserve(struct mpg_list *list, size_t n, size_t size);

#endif

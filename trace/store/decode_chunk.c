/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From a stream's file, or its window, to the columns of the next chunk. */
#include <stdlib.h>
#include <string.h>

#include "trace/store/decode.h"

static size_t file_of(const struct mpg_decoder *d)
{
    return d->in_window && !d->appended ? d->stream->window_file : d->stream->file;
}

static const struct trace_file *file_at(const struct mpg_decoder *d)
{
    return &d->trace->files[file_of(d)];
}

int mpg_decoder_damaged(const struct mpg_decoder *d, const char *what, struct mpg_error *err)
{
    char thread[16] = "";
    if (d->thread > 0)
        snprintf(thread, sizeof thread, ".%u", d->thread);
    return mpg_error_set(err, "%s: rank %d%s, call %llu: damaged trace (%s)", file_at(d)->path,
                         d->rank, thread, (unsigned long long)d->event, what);
}

static int reserve_bytes(uint8_t **data, size_t *capacity, size_t need, struct mpg_error *err)
{
    if (need < *capacity) /* there is a byte, too, where none is needed */
        return 0;
    free(*data);
    *capacity = 0;
    if (!(*data = malloc(need + 1)))
        return mpg_error_set(err, "out of memory");
    *capacity = need + 1;
    return 0;
}

static void set_column(struct mpg_decoder *d, uint32_t i, const uint8_t *p, size_t size)
{
    if (i == MPG_COLUMN_RECORDS) {
        d->p = p;
        d->end = p + size;
    } else {
        d->numbers[i].p = p;
        d->numbers[i].end = p + size;
        d->numbers[i].used = 0;
    }
}

/* Unpacks the columns of the payload in trace->stored. */
static int unpack_columns(struct mpg_decoder *d, const struct mpg_chunk *c, struct mpg_error *err)
{
    struct mpg_trace *t = d->trace;
    const uint8_t *p = t->stored, *end = p + c->stored_bytes;
    uint8_t *out = d->raw;
    size_t room = c->raw_bytes;
    for (uint32_t i = 0; i < c->columns; i++) {
        uint64_t raw, stored;
        if (!mpg_get_varint(&p, end, &raw) || !mpg_get_varint(&p, end, &stored) || raw > room ||
            stored > (size_t)(end - p))
            return mpg_decoder_damaged(d, "column size", err);
        if (stored == raw && raw > 0) {
            memcpy(out, p, raw);
        } else if (raw > 0) {
            if (!t->zstd && !(t->zstd = ZSTD_createDCtx()))
                return mpg_error_set(err, "out of memory");
            size_t n = ZSTD_decompressDCtx(t->zstd, out, raw, p, stored);
            if (ZSTD_isError(n) || n != raw)
                return mpg_decoder_damaged(d, "compression", err);
        }
        set_column(d, i, out, raw);
        p += stored;
        out += raw;
        room -= raw;
    }
    return p == end && room == 0 ? 0 : mpg_decoder_damaged(d, "chunk size", err);
}

static int begin_chunk(struct mpg_decoder *d, uint32_t columns, uint64_t events, int64_t first_ns,
                       struct mpg_error *err)
{
    if (d->event > 0 && first_ns != d->last_ns)
        return mpg_decoder_damaged(d, "chunk does not follow the one before", err);
    d->columns = columns;
    d->chunk_events = events;
    d->last_ns = first_ns;
    return 1;
}

static int unpack_chunk(struct mpg_decoder *d, const uint8_t *header, const struct mpg_chunk *c,
                        struct mpg_error *err)
{
    struct mpg_trace *t = d->trace;
    if (reserve_bytes(&t->stored, &t->stored_capacity, c->stored_bytes, err) < 0 ||
        mpg_trace_pread(t, file_of(d), t->stored, c->stored_bytes,
                        d->offset + MPG_CHUNK_HEADER_BYTES, err) < 0)
        return -1;
    if (!mpg_chunk_check(header, c, t->stored))
        return mpg_decoder_damaged(d, "checksum", err);
    if (reserve_bytes(&d->raw, &d->raw_capacity, c->raw_bytes, err) < 0 ||
        unpack_columns(d, c, err) < 0)
        return -1;
    return begin_chunk(d, c->columns, c->events, c->first_ns, err);
}

/* Reads the stream's next chunk of events up to the file's byte END: 1, or 0. */
static int next_chunk(struct mpg_decoder *d, uint64_t chunks, int64_t end, struct mpg_error *err)
{
    const size_t file = file_of(d);
    while (d->sequence < chunks && d->offset < end) {
        uint8_t header[MPG_CHUNK_HEADER_BYTES];
        struct mpg_chunk c;
        if (mpg_trace_pread(d->trace, file, header, sizeof header, d->offset, err) < 0)
            return -1;
        if (mpg_chunk_unpack(header, &c, err) < 0)
            return mpg_error_prefix(err, "%s", d->trace->files[file].path);
        bool mine = c.kind != MPG_CHUNK_WINDOW && c.rank == (uint32_t)d->rank &&
                    c.thread == d->thread;
        bool wanted = mine && c.kind == MPG_CHUNK_EVENTS;
        if (wanted && unpack_chunk(d, header, &c, err) < 0)
            return -1;
        d->offset += MPG_CHUNK_HEADER_BYTES + (int64_t)c.stored_bytes;
        d->sequence += mine;
        if (wanted)
            return 1;
    }
    return 0;
}

/* The program goes on, and has appended what the window held when the trace was opened:
 * as many events of that chunk are the stream's last. */
static int read_appended(struct mpg_decoder *d, struct mpg_error *err)
{
    uint64_t events = d->stream->progress.events;
    d->appended = true;
    if (d->stream->chunks == 0) /* and what file it was is not known */
        return 0;
    int more = next_chunk(d, d->stream->progress.sequence + 1, INT64_MAX, err);
    if (more <= 0)
        return more;
    if (events > d->chunk_events)
        return mpg_decoder_damaged(d, "window", err);
    d->chunk_events = events;
    return 1;
}

/* What the window has is elsewhere by now. */
static int read_elsewhere(struct mpg_decoder *d, struct mpg_error *err)
{
    return d->stream->uses_window ? read_appended(d, err) : 0;
}

static int read_window(struct mpg_decoder *d, struct mpg_error *err)
{
    const struct trace_stream *s = d->stream;
    struct mpg_window w;
    struct mpg_progress now;
    bool gone;
    d->in_window = true;
    if (mpg_trace_fd(d->trace, file_of(d), &gone, err) < 0)
        return gone ? read_elsewhere(d, err) : -1;
    if (reserve_bytes(&d->raw, &d->raw_capacity, s->window_bytes, err) < 0 ||
        mpg_trace_pread(d->trace, file_of(d), d->raw, s->window_bytes, s->window_offset, err) < 0 ||
        mpg_trace_progress(d->trace, file_of(d), s->window_offset, &now, err) < 0)
        return -1;
    if (now.sequence != s->progress.sequence)
        return read_elsewhere(d, err);
    if (mpg_window_layout(&w, d->raw, s->window_bytes, s->window_columns) < 0)
        return mpg_decoder_damaged(d, "window", err);
    d->sums = w.sums;
    d->sum_number = w.sum_number;
    if (!s->uses_window) {
        d->columns = w.columns;
        return 0;
    }
    for (uint32_t i = 0; i < w.columns; i++)
        set_column(d, i, w.column[i], w.capacity[i]);
    return begin_chunk(d, w.columns, s->progress.events, s->progress.first_ns, err);
}

int mpg_decoder_chunk(struct mpg_decoder *d, struct mpg_error *err)
{
    int more = d->in_window ? 0
                            : next_chunk(d, d->stream->chunks, file_at(d)->usable_bytes, err);
    const bool has_window = d->stream->uses_window || d->stream->uses_sums;
    return more == 0 && has_window && !d->in_window ? read_window(d, err) : more;
}

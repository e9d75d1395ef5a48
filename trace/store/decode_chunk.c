/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the columns of a stream's next chunk, from its file or its segment. */
#include <stdlib.h>
#include <string.h>

#include "trace/store/decode.h"

enum { MIN_SLICE_BYTES = 64 }; /* minimum part of a column held in memory; a single event takes fewer bytes in any column of
                                * numbers */

static size_t file_of(const struct mpg_decoder *d)
{
    if (d->in_segment && !d->appended)
        return d->stream->segment_file;
    return d->part > 0 ? d->stream->parts[d->part - 1].file : d->stream->file;
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
    if (need < *capacity) /* need + 1 below: memory is allocated even for an empty column */
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

/* Positions of the columns in trace->stored, the payload as read: begin, bytes when decompressed, bytes stored. */
struct stored_columns {
    struct {
        const uint8_t *p;
        size_t raw, stored;
    } column[MPG_MAX_COLUMNS];
};

static int find_columns(const struct mpg_decoder *d, const struct mpg_chunk *c,
                        struct stored_columns *columns, struct mpg_error *err)
{
    const uint8_t *p = d->trace->stored, *end = p + c->stored_bytes;
    size_t room = c->raw_bytes;
    for (uint32_t i = 0; i < c->columns; i++) {
        uint64_t raw, stored;
        if (!mpg_get_varint(&p, end, &raw) || !mpg_get_varint(&p, end, &stored) || raw > room ||
            stored > (size_t)(end - p))
            return mpg_decoder_damaged(d, "column size", err);
        columns->column[i].p = p;
        columns->column[i].raw = raw;
        columns->column[i].stored = stored;
        p += stored;
        room -= raw;
    }
    return p == end && room == 0 ? 0 : mpg_decoder_damaged(d, "chunk size", err);
}

/* Decompresses column I to OUT. Returns 0, or -1 with ERR. */
static int unpack_column(struct mpg_decoder *d, const struct stored_columns *columns, uint32_t i,
                         uint8_t *out, struct mpg_error *err)
{
    struct mpg_trace *t = d->trace;
    const size_t raw = columns->column[i].raw, stored = columns->column[i].stored;
    if (raw == 0)
        return 0;
    if (stored == raw) {
        memcpy(out, columns->column[i].p, raw);
        return 0;
    }
    if (!t->zstd && !(t->zstd = ZSTD_createDCtx()))
        return mpg_error_set(err, "out of memory");
    const size_t n = ZSTD_decompressDCtx(t->zstd, out, raw, columns->column[i].p, stored);
    return ZSTD_isError(n) || n != raw ? mpg_decoder_damaged(d, "compression", err) : 0;
}

static int unpack_whole(struct mpg_decoder *d, const struct mpg_chunk *c,
                        const struct stored_columns *columns, struct mpg_error *err)
{
    if (reserve_bytes(&d->raw, &d->raw_capacity, c->raw_bytes, err) < 0)
        return -1;
    uint8_t *out = d->raw;
    for (uint32_t i = 0; i < c->columns; i++) {
        if (unpack_column(d, columns, i, out, err) < 0)
            return -1;
        set_column(d, i, out, columns->column[i].raw);
        out += columns->column[i].raw;
    }
    return 0;
}

/* --- chunks of which only parts are in memory --- */

/* Returns how many of the RAW bytes of a column are held in memory at once. All columns of numbers together have NUMBERS bytes
 * and share ROOM bytes in proportion to the columns' sizes. */
static size_t slice_bytes(size_t raw, size_t numbers, size_t room)
{
    const size_t share = (size_t)((double)raw * (double)room / (double)numbers);
    return raw < MIN_SLICE_BYTES ? raw : share > MIN_SLICE_BYTES ? share : MIN_SLICE_BYTES;
}

/* Decompresses column I and copies SIZE bytes of the column, from offset BEGIN on, to TO. Returns 0, or -1 with ERR. */
static int unpack_slice(struct mpg_decoder *d, const struct stored_columns *columns, uint32_t i,
                        size_t begin, uint8_t *to, size_t size, struct mpg_error *err)
{
    struct mpg_trace *t = d->trace;
    if (reserve_bytes(&t->unpacked, &t->unpacked_capacity, columns->column[i].raw, err) < 0 ||
        unpack_column(d, columns, i, t->unpacked, err) < 0)
        return -1;
    memcpy(to, t->unpacked + begin, size);
    return 0;
}

/* Decompresses the column of records, and as much of the columns of numbers, together NUMBERS bytes, as fits into ROOM. */
static int unpack_slices(struct mpg_decoder *d, const struct mpg_chunk *c,
                         const struct stored_columns *columns, size_t numbers, size_t room,
                         struct mpg_error *err)
{
    const size_t records = columns->column[MPG_COLUMN_RECORDS].raw;
    size_t bytes = records;
    for (uint32_t i = MPG_COLUMN_RECORDS + 1; i < c->columns; i++)
        bytes += slice_bytes(columns->column[i].raw, numbers, room);
    struct mpg_slices *slices = d->slices ? d->slices : malloc(sizeof *slices);
    if (!(d->slices = slices))
        return mpg_error_set(err, "out of memory");
    if (reserve_bytes(&d->raw, &d->raw_capacity, bytes, err) < 0 ||
        unpack_column(d, columns, MPG_COLUMN_RECORDS, d->raw, err) < 0)
        return -1;
    set_column(d, MPG_COLUMN_RECORDS, d->raw, records);
    slices->offset = d->offset;
    uint8_t *out = d->raw + records;
    for (uint32_t i = MPG_COLUMN_RECORDS + 1; i < c->columns; i++) {
        const size_t raw = columns->column[i].raw, held = slice_bytes(raw, numbers, room);
        if (unpack_slice(d, columns, i, 0, out, held, err) < 0)
            return -1;
        set_column(d, i, out, held);
        slices->column[i].begin = out;
        slices->column[i].left = (uint32_t)(raw - held);
        slices->column[i].passed = 0;
        out += held;
    }
    return 0;
}

static int unpack_columns(struct mpg_decoder *d, const struct mpg_chunk *c, struct mpg_error *err)
{
    const size_t hold = d->trace->hold_bytes;
    struct stored_columns columns;
    if (find_columns(d, c, &columns, err) < 0)
        return -1;
    const size_t records = columns.column[MPG_COLUMN_RECORDS].raw, numbers = c->raw_bytes - records;
    size_t room = hold > records ? hold - records : 0;
    if (room < hold / 4)
        room = hold / 4;
    if (numbers > room)
        return unpack_slices(d, c, &columns, numbers, room, err);
    free(d->slices);
    d->slices = NULL;
    return unpack_whole(d, c, &columns, err);
}

/* FLAGS: of the chunk. A fresh chunk may follow a missing part. */
static int begin_chunk(struct mpg_decoder *d, uint32_t columns, uint64_t events, int64_t first_ns, uint64_t flags,
                       struct mpg_error *err)
{
    const bool is_fresh = flags & MPG_CHUNK_FRESH;
    if (d->event > 0 && (is_fresh ? first_ns < d->last_ns : first_ns != d->last_ns))
        return mpg_decoder_damaged(d, "chunk does not follow the one before", err);
    if (is_fresh)
        mpg_decoder_refresh(d);
    d->columns = columns;
    d->chunk_events = events;
    d->last_ns = first_ns;
    return 1;
}

/* Reads the payload of the chunk with HEADER at OFFSET of the current file into trace->stored. */
static int read_payload(struct mpg_decoder *d, const uint8_t *header, const struct mpg_chunk *c,
                        int64_t offset, struct mpg_error *err)
{
    struct mpg_trace *t = d->trace;
    if (reserve_bytes(&t->stored, &t->stored_capacity, c->stored_bytes, err) < 0 ||
        mpg_trace_pread(t, file_of(d), t->stored, c->stored_bytes, offset + MPG_CHUNK_HEADER_BYTES,
                        err) < 0)
        return -1;
    return mpg_chunk_check(header, c, t->stored) ? 0 : mpg_decoder_damaged(d, "checksum", err);
}

static int unpack_chunk(struct mpg_decoder *d, const uint8_t *header, const struct mpg_chunk *c,
                        struct mpg_error *err)
{
    if (read_payload(d, header, c, d->offset, err) < 0 || unpack_columns(d, c, err) < 0)
        return -1;
    if (d->slices)
        memcpy(d->slices->header, header, MPG_CHUNK_HEADER_BYTES);
    return begin_chunk(d, c->columns, c->events, c->first_ns, c->flags, err);
}

/* Replaces the part of column I in memory by the part from the next unread number on. Returns 0, or -1 with ERR. */
static int slice_on(struct mpg_decoder *d, const struct stored_columns *columns, uint32_t i,
                    struct mpg_error *err)
{
    struct mpg_slice *slice = &d->slices->column[i];
    const size_t used = (size_t)(d->numbers[i].p - slice->begin), bits = d->numbers[i].used;
    const size_t held = (size_t)(d->numbers[i].end - slice->begin);
    const size_t rest = columns->column[i].raw - slice->passed - used;
    const size_t next = held < rest ? held : rest;
    if (slice->left == 0)
        return 0;
    if (unpack_slice(d, columns, i, slice->passed + used, slice->begin, next, err) < 0)
        return -1;
    slice->passed += (uint32_t)used;
    slice->left = (uint32_t)(rest - next);
    set_column(d, i, slice->begin, next);
    d->numbers[i].used = (unsigned)bits;
    return 0;
}

int mpg_decoder_slice_on(struct mpg_decoder *d, struct mpg_error *err)
{
    uint8_t header[MPG_CHUNK_HEADER_BYTES];
    struct mpg_chunk c;
    struct stored_columns columns;
    if (mpg_trace_pread(d->trace, file_of(d), header, sizeof header, d->slices->offset, err) < 0)
        return -1;
    if (memcmp(header, d->slices->header, sizeof header) != 0)
        return mpg_decoder_damaged(d, "changed while it was read", err);
    if (mpg_chunk_unpack(header, &c, err) < 0 ||
        read_payload(d, header, &c, d->slices->offset, err) < 0 ||
        find_columns(d, &c, &columns, err) < 0)
        return -1;
    for (uint32_t i = MPG_COLUMN_RECORDS + 1; i < c.columns; i++)
        if (slice_on(d, &columns, i, err) < 0)
            return -1;
    return 0;
}

/* Reads the stream's next chunk of events, beginning before byte END of the file and with a sequence number below CHUNKS.
 * Returns 1; 0: none; -1 with ERR. */
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
        bool mine = c.kind != MPG_CHUNK_SEGMENT && c.rank == (uint32_t)d->rank &&
                    c.thread == d->thread;
        const bool skips = (c.flags & MPG_CHUNK_SNAPSHOT) && d->part > 0 && d->stream->parts[d->part - 1].skips;
        const bool has_events = mine && c.kind == MPG_CHUNK_EVENTS, wanted = has_events && !skips;
        /* A skipped chunk is checked, too: damaged flags can turn any chunk into a snapshot. */
        if (has_events && (skips ? read_payload(d, header, &c, d->offset, err) : unpack_chunk(d, header, &c, err)) < 0)
            return -1;
        d->offset += MPG_CHUNK_HEADER_BYTES + (int64_t)c.stored_bytes;
        d->sequence += mine;
        if (wanted)
            return 1;
    }
    return 0;
}

/* After the trace was opened, the running program has written the segment to the file: reads the segment there, as a chunk. To
 * the opened trace belong only as many events as the segment had at opening. Returns as mpg_decoder_chunk(). */
static int read_appended(struct mpg_decoder *d, struct mpg_error *err)
{
    uint64_t events = d->stream->progress.events;
    d->appended = true;
    if (d->stream->chunks == 0) /* the stream has no chunks, and the stream's file is not known */
        return 0;
    int more = next_chunk(d, d->stream->progress.sequence + 1, INT64_MAX, err);
    if (more <= 0)
        return more;
    if (events > d->chunk_events)
        return mpg_decoder_damaged(d, "segment", err);
    d->chunk_events = events;
    return 1;
}

/* The segment is gone, or holds a later chunk, since the program goes on: reads the segment's events in the file. The
 * segment's aggregates are now, or become later, events after the stream's last event in the opened trace, and are left out
 * like all later events. Returns as mpg_decoder_chunk(). */
static int read_elsewhere(struct mpg_decoder *d, struct mpg_error *err)
{
    return d->stream->uses_segment ? read_appended(d, err) : 0;
}

/* Returns whether the process had written the aggregate ROW as an event of stream S before the process ended. */
static bool is_event(const struct trace_stream *s, const struct mpg_sum_row *row)
{
    const uint64_t event = le64toh(row->event);
    return event != 0 && (s->uses_sums || event >> 32 != (uint32_t)s->progress.sequence ||
                          s->progress.events >= (uint32_t)event);
}

/* Orders aggregates by the leave of the last call, then by position in the segment, which is stored in member `event`. */
static int compare_rows(const void *a, const void *b)
{
    const struct mpg_sum_row *x = a, *y = b;
    const int64_t x_ns = (int64_t)le64toh((uint64_t)x->last_ns), y_ns = (int64_t)le64toh((uint64_t)y->last_ns);
    return x_ns != y_ns ? (x_ns < y_ns ? -1 : 1) : (x->event > y->event) - (x->event < y->event);
}

/* Moves the aggregates that have not become events to the begin of ROWS, in the order of compare_rows(). Returns the number of
 * aggregates moved. */
static uint32_t sort_rows(const struct trace_stream *s, struct mpg_sum_row *rows, uint32_t number)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < number; i++)
        if (rows[i].calls && !is_event(s, &rows[i])) {
            rows[n] = rows[i];
            rows[n].event = i;
            n++;
        }
    qsort(rows, n, sizeof *rows, compare_rows);
    return n;
}

static int read_window(struct mpg_decoder *d, struct mpg_error *err)
{
    const struct trace_stream *s = d->stream;
    struct mpg_segment w;
    struct mpg_segment_state now;
    bool gone;
    d->in_segment = true;
    if (mpg_trace_fd(d->trace, file_of(d), &gone, err) < 0)
        return gone ? read_elsewhere(d, err) : -1;
    if (reserve_bytes(&d->raw, &d->raw_capacity, s->segment_bytes, err) < 0 ||
        mpg_trace_pread(d->trace, file_of(d), d->raw, s->segment_bytes, s->segment_offset, err) < 0 ||
        mpg_trace_segment_state(d->trace, file_of(d), s->segment_offset, &now, err) < 0)
        return -1;
    if (now.sequence != s->progress.sequence)
        return read_elsewhere(d, err);
    if (mpg_segment_layout(&w, d->raw, s->segment_bytes, s->segment_columns) < 0)
        return mpg_decoder_damaged(d, "segment", err);
    free(d->slices);
    d->slices = NULL;
    d->sums = w.sums;
    d->sum_number = sort_rows(s, w.sums, w.sum_number);
    d->sums_given = 0;
    if (!s->uses_segment) {
        d->columns = w.columns;
        return 0;
    }
    for (uint32_t i = 0; i < w.columns; i++)
        set_column(d, i, w.column[i], w.capacity[i]);
    return begin_chunk(d, w.columns, s->progress.events, s->progress.first_ns, s->progress.flags, err);
}

/* Reads the next chunk in the files, of this part of the stream or of the next parts. Returns as mpg_decoder_chunk(). */
static int next_of_files(struct mpg_decoder *d, struct mpg_error *err)
{
    const struct trace_stream *s = d->stream;
    for (;;) {
        const struct trace_part *part = d->part > 0 ? &s->parts[d->part - 1] : NULL;
        const uint64_t end = part ? part->sequence + part->chunks : s->base_chunks;
        const int more = next_chunk(d, end, file_at(d)->usable_bytes, err);
        if (more != 0 || d->part == s->part_count)
            return more;
        d->offset = s->parts[d->part].offset;
        d->sequence = s->parts[d->part].sequence;
        d->part++;
    }
}

int mpg_decoder_chunk(struct mpg_decoder *d, struct mpg_error *err)
{
    int more = d->in_segment ? 0 : next_of_files(d, err);
    const bool has_segment = d->stream->uses_segment || d->stream->uses_sums;
    return more == 0 && has_segment && !d->in_segment ? read_window(d, err) : more;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The life of a writer: fills segments, appends segments to the file as chunks, and writes facts. trace/store/encode.c and
 * define.c write into the segment. */
#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "trace/store/writer_private.h"

enum {
    MIN_SEGMENT_BYTES = 4096,
    LARGEST_SEGMENT = 64 << 20,
    FACT_BYTES = 8192, /* maximum bytes of a chunk of facts */
    COLUMN_HEAD_BYTES = 2 * MPG_VARINT_BYTES
};

/* --- creation --- */

static struct mpg_chunk describe(const struct mpg_trace_writer *w)
{
    return (struct mpg_chunk){.kind = MPG_CHUNK_EVENTS,
                              .rank = w->rank,
                              .ranks = w->ranks,
                              .thread = w->thread,
                              .columns = w->columns,
                              .run = w->run,
                              .sequence = w->sequence,
                              .first_ns = w->last_ns};
}

static void rewind_columns(struct mpg_trace_writer *w)
{
    for (uint32_t i = 0; i < w->columns; i++) {
        size_t margin = i == MPG_COLUMN_RECORDS ? 0 : MPG_VARINT_BYTES;
        w->p[i] = w->segment.column[i];
        w->end[i] = w->p[i] + w->segment.capacity[i] - margin;
    }
    memset(w->bits, 0, sizeof w->bits);
}

/* Makes a new segment, with RECORD_BYTES bytes for records, and memory to compress the segment's chunk. On failure the old
 * segment and memory remain. Returns 0, or -1 with ERR. */
static int make_segment(struct mpg_trace_writer *w, size_t record_bytes, struct mpg_error *err)
{
    struct mpg_segment segment;
    struct mpg_chunk chunk = describe(w);
    size_t bound = MPG_CHUNK_HEADER_BYTES + FACT_BYTES;
    if (mpg_segment_make(&segment, w->segment_path, &chunk, w->segment_bytes, record_bytes,
                         w->segment.sums, w->sum_rows, err) < 0)
        return -1;
    for (uint32_t i = 0; i < w->columns; i++)
        bound += COLUMN_HEAD_BYTES + ZSTD_compressBound(segment.capacity[i]);
    if (bound > w->out_capacity) {
        free(w->out);
        w->out_capacity = 0;
        if (!(w->out = malloc(bound))) {
            mpg_segment_drop(&segment);
            return mpg_error_set(err, "out of memory");
        }
        w->out_capacity = bound;
    }
    segment.progress->flags = w->segment.base ? w->segment.progress->flags : 0; /* set before the chunk's first event */
    mpg_segment_drop(&w->segment);
    w->segment = segment;
    mpg_writer_renew_sums();
    rewind_columns(w);
    return 0;
}

/* Memory for zstd, which by default calls the C library's malloc(). In the tracer, malloc() and free() in this file are the
 * tracer's own (trace/pmpi/memory.h). */
static void *take_memory(void *unused, size_t bytes)
{
    (void)unused;
    return malloc(bytes);
}

static void give_memory(void *unused, void *block)
{
    (void)unused;
    free(block);
}

static int check_options(const struct mpg_trace_writer_options *o, struct mpg_error *err)
{
    if (o->rank < 0 || o->rank >= o->ranks || o->ranks > MPG_CHUNK_MAX_RANKS)
        return mpg_error_set(err, "trace writer: rank or ranks out of range");
    if (o->segment_bytes < MIN_SEGMENT_BYTES || o->segment_bytes > LARGEST_SEGMENT)
        return mpg_error_set(err, "trace writer: a segment of %zu bytes is not from %d to %d",
                             o->segment_bytes, MIN_SEGMENT_BYTES, LARGEST_SEGMENT);
    if (o->thread >= MPG_TRACE_MAX_THREADS || o->value_number > MPG_TRACE_MAX_VALUES)
        return mpg_error_set(err, "trace writer: thread or values out of range");
    return 0;
}

/* Returns a number that distinguishes runs of a program, as segments of all runs have equal names. */
static uint32_t run_number(void)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    uint64_t mixed = ((uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec) ^
                     (uint64_t)getpid() << 40;
    return (uint32_t)((mixed * 0x9e3779b97f4a7c15u) >> 32);
}

struct mpg_trace_writer *mpg_trace_writer_new(int fd, const struct mpg_trace_writer_options *o,
                                              struct mpg_error *err)
{
    if (check_options(o, err) < 0)
        return NULL;
    struct mpg_trace_writer *w = calloc(1, sizeof *w);
    if (!w)
        goto no_memory;
    w->fd = fd;
    w->rank = (uint32_t)o->rank;
    w->ranks = (uint32_t)o->ranks;
    w->thread = o->thread;
    w->columns = MPG_COLUMN_VALUES + o->value_number;
    w->level = o->level;
    w->segment_bytes = o->segment_bytes;
    w->now_ns = o->now_ns;
    w->off_ns = o->off_ns;
    w->off_argument = o->off_argument;
    w->file = o->file;
    w->file_argument = o->file_argument;
    if (o->segment_path) {
        w->run = run_number();
        if (!(w->segment_path = strdup(o->segment_path)))
            goto no_memory;
    }
    if (o->name && !(w->name = strdup(o->name)))
        goto no_memory;
    w->shares_zstd = o->packer != NULL;
    w->zstd = o->packer ? o->packer
                        : ZSTD_createCCtx_advanced((ZSTD_customMem){take_memory, give_memory, NULL});
    w->shapes = malloc(MPG_MAX_SHAPES * sizeof *w->shapes);
    if (!w->zstd || !w->shapes)
        goto no_memory;
    if (make_segment(w, MPG_RECORD_BYTES, err) < 0) {
        mpg_trace_writer_free(w);
        return NULL;
    }
    return w;
no_memory:
    mpg_trace_writer_free(w);
    mpg_error_set(err, "out of memory");
    return NULL;
}

void mpg_trace_writer_free(struct mpg_trace_writer *w)
{
    if (!w)
        return;
    mpg_segment_drop(&w->segment);
    mpg_writer_renew_sums();
    if (!w->shares_zstd)
        ZSTD_freeCCtx(w->zstd);
    free(w->segment_path);
    free(w->name);
    free(w->out);
    free(w->facts);
    free(w->shapes);
    free(w);
}

struct mpg_trace_writer_size mpg_trace_writer_size(const struct mpg_trace_writer *w)
{
    struct mpg_trace_writer_size size = w->size;
    for (uint32_t i = 0; i < w->sum_rows; i++)
        size.summed += le64toh(w->segment.sums[i].calls);
    return size;
}

bool mpg_trace_writer_survives(const struct mpg_trace_writer *w)
{
    return w->segment.mapped;
}

/* --- chunks --- */

/* Stops writing. Marks the segment, for readers to know that the process was not killed. */
static void stop(struct mpg_trace_writer *w)
{
    w->stopped = true;
    w->segment.progress->stopped = htole64(1);
}

static int cannot_write(const struct mpg_trace_writer *w, int failed, struct mpg_error *err)
{
    return w->name ? mpg_error_errno(err, failed, "%s: cannot write", w->name)
                   : mpg_error_errno(err, failed, "cannot write the trace");
}

/* Checks that a regular file has exactly the size written so far, and moves to the file's end. Any other size: the program or
 * another process has truncated the file or written to the file. Returns 0, or -1 with ERR. */
static int check_file(const struct mpg_trace_writer *w, struct mpg_error *err)
{
    struct stat st;
    const off_t end = (off_t)(w->size.written_bytes - w->earlier_bytes);
    if (fstat(w->fd, &st) < 0)
        return cannot_write(w, errno, err);
    if (!S_ISREG(st.st_mode))
        return 0;
    if (st.st_size != end)
        return mpg_error_set(err, "%s: has been %s by the program, or by others", w->name ? w->name : "the trace",
                             st.st_size < end ? "truncated" : "written to");
    return lseek(w->fd, end, SEEK_SET) < 0 ? cannot_write(w, errno, err) : 0;
}

/* Appends the first SIZE bytes of w->out to the file. On failure removes the bytes already appended, so that no part of a
 * chunk remains, and stops the writer. Returns 0, or -1 with ERR. */
static int append(struct mpg_trace_writer *w, size_t size, struct mpg_error *err)
{
    if (w->file && ((w->fd = w->file(w->file_argument, err)) < 0 || check_file(w, err) < 0)) {
        stop(w);
        return -1;
    }
    if (w->fd < 0) { /* chunks are discarded */
        w->size.written_bytes += size;
        return 0;
    }
    off_t before = lseek(w->fd, 0, SEEK_CUR);
    if (before >= 0 && !mpg_file_may_have((uint64_t)before + size)) {
        stop(w);
        return cannot_write(w, EFBIG, err);
    }
    for (size_t done = 0; done < size;) {
        ssize_t n = write(w->fd, w->out + done, size - done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            int saved = n < 0 ? errno : ENOSPC;
            if (before >= 0 && ftruncate(w->fd, before) == 0)
                (void)lseek(w->fd, before, SEEK_SET);
            stop(w);
            return cannot_write(w, saved, err);
        }
        done += (size_t)n;
    }
    w->size.written_bytes += size;
    return 0;
}

static size_t column_bytes(const struct mpg_trace_writer *w, uint32_t i)
{
    bool part = i < MPG_COLUMN_VALUES && w->bits[i].used > 0;
    return (size_t)(w->p[i] - w->segment.column[i]) + part;
}

/* Writes column I to OUT: sizes, then bytes; with PACK compressed, if compression saves space. Returns the end of the bytes
 * written; NULL with ERR. */
static uint8_t *put_column(struct mpg_trace_writer *w, uint32_t i, bool pack, uint8_t *out,
                           struct mpg_error *err)
{
    const uint8_t *column = w->segment.column[i];
    bool bits = i == MPG_COLUMN_GAP_BITS || i == MPG_COLUMN_DURATION_BITS;
    size_t raw = column_bytes(w, i);
    uint8_t *data = out + COLUMN_HEAD_BYTES;
    size_t stored = raw;
    if (raw > 0 && !bits && pack)
        stored = ZSTD_compressCCtx(w->zstd, data, ZSTD_compressBound(raw), column, raw, w->level);
    if (ZSTD_isError(stored)) {
        mpg_error_set(err, "zstd: %s", ZSTD_getErrorName(stored));
        return NULL;
    }
    if (stored >= raw) {
        memcpy(data, column, raw);
        stored = raw;
    }
    out = mpg_put_varint(out, raw);
    out = mpg_put_varint(out, stored);
    memmove(out, data, stored);
    return out + stored;
}

static int end_facts(struct mpg_trace_writer *w, struct mpg_error *err);

/* The content of the segment is lost: writes the fact "incomplete" with REASON, removes the segment, and stops. */
static void lose_segment(struct mpg_trace_writer *w, const char *reason)
{
    struct mpg_error err;
    if (w->stopped)
        return;
    if (mpg_trace_write_fact(w, "incomplete", reason, &err) == 0 && end_facts(w, &err) == 0 &&
        w->segment.mapped && mpg_file_is(w->segment_path, &w->segment.file))
        (void)unlink(w->segment_path);
    w->stopped = true;
}

/* Writes all columns to OUT with put_column(). Returns the end of the bytes written; NULL with ERR. */
static uint8_t *put_columns(struct mpg_trace_writer *w, bool pack, uint8_t *out,
                            struct mpg_error *err)
{
    for (uint32_t i = 0; i < w->columns && out; i++)
        out = put_column(w, i, pack, out, err);
    return out;
}

static int append_events(struct mpg_trace_writer *w, struct mpg_error *err)
{
    struct mpg_chunk chunk = describe(w);
    uint8_t *payload = w->out + MPG_CHUNK_HEADER_BYTES, *p = put_columns(w, true, payload, err);
    size_t raw = 0;
    for (uint32_t i = 0; i < w->columns; i++)
        raw += column_bytes(w, i);
    if (p && !mpg_chunk_may_pack(raw, (size_t)(p - payload)))
        p = put_columns(w, false, payload, err);
    if (!p) {
        stop(w);
        return -1;
    }
    /* The segment is checked only now, after all columns have been read: a truncated part of a mapped file reads as
     * zeros, without an error. */
    if (w->segment.mapped && mpg_file_is(w->segment_path, &w->segment.file) &&
        !mpg_file_has(w->segment_path, w->segment.size)) {
        lose_segment(w, "its segment was truncated, or written to");
        return mpg_error_set(err, "%s: has been truncated, or written to", w->segment_path);
    }
    if (!mpg_segment_is_whole(&w->segment, w->sequence)) {
        lose_segment(w, "its segment was overwritten");
        return mpg_error_set(err, "%s: has been overwritten",
                             w->segment_path ? w->segment_path : "the segment");
    }
    const struct mpg_segment_state progress = mpg_segment_state_of(&w->segment);
    chunk.first_ns = progress.first_ns;
    chunk.flags = (uint32_t)progress.flags;
    chunk.events = (uint32_t)w->chunk_events;
    chunk.raw_bytes = (uint32_t)raw;
    chunk.stored_bytes = (uint32_t)(p - payload);
    mpg_chunk_pack(&chunk, payload, w->out);
    if (append(w, MPG_CHUNK_HEADER_BYTES + chunk.stored_bytes, err) < 0)
        return -1;
    w->size.encoded_bytes += raw;
    return 0;
}

/* The segment's content has been appended to the file: begins the next chunk in the segment. Until the last store below, the
 * segment has the number of a chunk in the file: if the process is killed, readers ignore the segment. */
static void begin_segment(struct mpg_trace_writer *w)
{
    struct mpg_segment_state *p = w->segment.progress;
    uint64_t inside = le64toh(p->inside);
    bool is_inside = inside >> 32 == (uint32_t)w->chunk_events;
    w->chunk_events = 0;
    w->sequence++;
    p->inside = is_inside ? htole64((uint32_t)inside) : 0;
    p->events = 0;
    p->flags = w->in_snapshot ? htole64(MPG_CHUNK_SNAPSHOT) : 0;
    p->first_ns = (int64_t)htole64((uint64_t)w->last_ns);
    __atomic_store_n(&p->sequence, htole64(w->sequence), __ATOMIC_RELEASE);
    rewind_columns(w);
}

/* A flush from ENTER_NS on has ended: notes the flush, to be written as an event later. OFF_BEFORE_NS: time off the CPU before
 * the flush. Consecutive flushes are joined. */
static void end_flush(struct mpg_trace_writer *w, int64_t enter_ns, int64_t off_before_ns)
{
    if (!w->flush_pending) {
        w->flush_enter_ns = enter_ns;
        w->flush_off_before_ns = off_before_ns;
        w->flush_off_in_ns = 0;
    } else {
        w->flush_off_in_ns += off_before_ns;
    }
    w->flush_leave_ns = w->now_ns();
    if (w->off_ns)
        w->flush_off_in_ns += w->off_ns(w->off_argument, w->flush_leave_ns);
    w->flush_pending = true;
}

static int end_events(struct mpg_trace_writer *w, struct mpg_error *err)
{
    if (w->p[MPG_COLUMN_RECORDS] == w->segment.column[MPG_COLUMN_RECORDS])
        return 0;
    bool timed = w->now_ns && w->size.events > 0;
    int64_t enter_ns = timed ? w->now_ns() : 0;
    const int64_t off_before_ns = timed && w->off_ns ? w->off_ns(w->off_argument, enter_ns) : 0;
    if (append_events(w, err) < 0)
        return -1;
    begin_segment(w);
    if (timed)
        end_flush(w, enter_ns, off_before_ns);
    return 0;
}

int mpg_writer_reserve(struct mpg_trace_writer *w, size_t bytes, struct mpg_error *err)
{
    bool room = bytes <= (size_t)(w->end[MPG_COLUMN_RECORDS] - w->p[MPG_COLUMN_RECORDS]);
    for (uint32_t i = 1; i < w->columns; i++)
        room = room && w->p[i] <= w->end[i];
    if (room)
        return 0;
    if (w->stopped)
        return mpg_error_set(err, "the trace has ended early");
    if (end_events(w, err) < 0)
        return -1;
    return bytes <= w->segment.capacity[MPG_COLUMN_RECORDS] ? 0 : make_segment(w, bytes, err);
}

bool mpg_trace_writer_is_full(const struct mpg_trace_writer *w)
{
    bool full = false;
    for (uint32_t i = 0; i < w->columns; i++)
        full = full || (size_t)(w->p[i] - w->segment.column[i]) > w->segment.capacity[i] / 8 * 7;
    return full;
}

/* --- facts --- */

static int end_facts(struct mpg_trace_writer *w, struct mpg_error *err)
{
    size_t done = 0;
    while (done < w->fact_used) {
        size_t size = w->fact_used - done;
        if (size > FACT_BYTES) { /* cuts after a whole line, since a line is a fact */
            size = FACT_BYTES;
            while (w->facts[done + size - 1] != '\n')
                size--;
        }
        struct mpg_chunk chunk = describe(w);
        chunk.kind = MPG_CHUNK_FACTS;
        chunk.raw_bytes = chunk.stored_bytes = (uint32_t)size;
        memcpy(w->out + MPG_CHUNK_HEADER_BYTES, w->facts + done, size);
        mpg_chunk_pack(&chunk, w->out + MPG_CHUNK_HEADER_BYTES, w->out);
        if (append(w, MPG_CHUNK_HEADER_BYTES + size, err) < 0)
            return -1;
        begin_segment(w);
        done += size;
    }
    w->fact_used = 0;
    return 0;
}

int mpg_trace_check_fact(const char *key, const char *value, struct mpg_error *err)
{
    if (strpbrk(key, " \n") || strchr(value, '\n'))
        return mpg_error_set(err, "trace fact '%s' holds a line end or a blank in its key", key);
    if (strlen(key) + strlen(value) + 2 > FACT_BYTES)
        return mpg_error_set(err, "trace fact '%.40s' is larger than %d bytes", key, FACT_BYTES);
    return 0;
}

int mpg_trace_write_fact(struct mpg_trace_writer *w, const char *key, const char *value,
                         struct mpg_error *err)
{
    size_t key_size = strlen(key), value_size = strlen(value);
    size_t need = w->fact_used + key_size + value_size + 2;
    if (mpg_trace_check_fact(key, value, err) < 0)
        return -1;
    if (need > w->fact_capacity) {
        uint8_t *grown = realloc(w->facts, 2 * need);
        if (!grown)
            return mpg_error_set(err, "out of memory");
        w->facts = grown;
        w->fact_capacity = 2 * need;
    }
    uint8_t *p = w->facts + w->fact_used;
    memcpy(p, key, key_size);
    p[key_size] = ' ';
    memcpy(p + key_size + 1, value, value_size);
    p[key_size + 1 + value_size] = '\n';
    w->fact_used = need;
    return 0;
}

/* --- end --- */

int mpg_trace_writer_flush(struct mpg_trace_writer *w, struct mpg_error *err)
{
    if (w->stopped)
        return mpg_error_set(err, "the trace has ended early");
    if (mpg_writer_write_sums(w, err) < 0)
        return -1;
    /* Events first: a chunk of facts takes the sequence number of the segment, and readers would then ignore the
     * segment's events. */
    if (end_events(w, err) < 0)
        return -1;
    return end_facts(w, err);
}

/* --- parts --- */

/* Lets the next chunk be readable without the chunks before, and gives this chunk FLAGS. */
static void begin_fresh(struct mpg_trace_writer *w, uint64_t flags)
{
    w->shape_total = 0;
    w->history = 0;
    w->polled_number = 0;
    w->last_request = w->last_persistent = w->last_message = 0;
    memset(w->predicted, 0, sizeof w->predicted);
    memset(w->slots, 0, sizeof w->slots);
    memset(w->last_of_call, 0, sizeof w->last_of_call);
    w->segment.progress->flags = htole64(flags);
}

void mpg_trace_writer_begin_part(struct mpg_trace_writer *w, uint32_t number)
{
    const uint32_t in_header = number & ((1u << MPG_CHUNK_PART_BITS) - 1);
    w->in_snapshot = true;
    w->earlier_bytes = w->size.written_bytes;
    begin_fresh(w, MPG_CHUNK_FRESH | MPG_CHUNK_SNAPSHOT | (uint64_t)in_header << MPG_CHUNK_PART_SHIFT);
}

int mpg_trace_writer_end_snapshot(struct mpg_trace_writer *w, struct mpg_error *err)
{
    const int status = mpg_trace_writer_flush(w, err);
    w->in_snapshot = false;
    begin_fresh(w, MPG_CHUNK_FRESH);
    return status;
}

void mpg_trace_writer_stop(struct mpg_trace_writer *w)
{
    stop(w);
}

int64_t mpg_trace_writer_last_ns(const struct mpg_trace_writer *w, int64_t otherwise_ns)
{
    return w->size.events > 0 ? w->last_ns : otherwise_ns;
}

bool mpg_trace_writer_lose(struct mpg_trace_writer *w, const char *path, const char *reason)
{
    if (w->stopped || !w->segment.mapped || strcmp(w->segment_path, path) != 0)
        return false;
    lose_segment(w, reason);
    return true;
}

int mpg_trace_writer_close(struct mpg_trace_writer *w, struct mpg_error *err)
{
    struct stat st;
    if (mpg_trace_writer_flush(w, err) < 0)
        return -1;
    w->stopped = true;
    if (w->segment.mapped && !mpg_file_is(w->segment_path, &w->segment.file) && access(w->segment_path, F_OK) == 0 &&
        /* If the stream's file is also gone, another run has taken the names of both files, which is no error. */
        fstat(w->fd, &st) == 0 && st.st_nlink > 0)
        return mpg_error_set(err, "%s: is another file than the tracer's: with it the trace may not be readable",
                             w->segment_path);
    if (w->segment.mapped && mpg_file_is(w->segment_path, &w->segment.file) &&
        unlink(w->segment_path) < 0 && errno != ENOENT)
        return mpg_error_errno(err, errno, "cannot remove %s", w->segment_path);
    return 0;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the chunk headers of a trace's files: finds the streams and the positions of the chunks. A header's numbers are
 * accepted only if the file is large enough for the numbers. */
#include "trace/store/private.h"

#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "trace/store/process.h"

enum {
    /* Number of ranks that even the smallest file may declare; missing ranks are then reported. */
    MAX_RANKS_OF_NOTHING = 4096,
    MIN_EVENT_BYTES = 3,          /* smallest encoding of an event: a record, and the lengths of two times */
    ALL_HELD = 1 << 30,           /* bytes of decompressed chunks held in memory by all streams together */
    MIN_HELD_BYTES = 4096         /* minimum of held bytes for a stream */
};

static int out_of_memory(struct mpg_error *err)
{
    return mpg_error_set(err, "out of memory");
}

static int grow_ranks(struct mpg_trace *t, const struct mpg_chunk *c, const struct trace_file *f,
                      struct mpg_error *err)
{
    if (t->ranks == 0) {
        if (c->ranks > MAX_RANKS_OF_NOTHING &&
            c->ranks > t->total_bytes / MPG_CHUNK_HEADER_BYTES)
            return mpg_error_set(err, "%s: rank %u is one of %u ranks, most of which are missing: "
                                      "the trace has only %lld bytes", f->path, c->rank,
                                 c->ranks, (long long)t->total_bytes);
        t->rank = calloc(c->ranks, sizeof *t->rank);
        if (!t->rank)
            return out_of_memory(err);
        t->ranks = (int32_t)c->ranks;
    }
    if (c->ranks != (uint32_t)t->ranks)
        return mpg_error_set(err, "%s: rank %u is one of %u ranks, others are of %d: not one trace",
                             f->path, c->rank, c->ranks, t->ranks);
    return 0;
}

static int read_facts(struct mpg_trace *t, size_t file, const uint8_t *header,
                      const struct mpg_chunk *c, int64_t offset, struct mpg_error *err)
{
    char *text = malloc((size_t)c->stored_bytes + 1);
    if (!text)
        return out_of_memory(err);
    int status = mpg_trace_pread(t, file, text, c->stored_bytes, offset, err);
    const char *path = t->files[file].path;
    text[c->stored_bytes] = '\0';
    if (status == 0 && !mpg_chunk_check(header, c, text))
        status = mpg_error_set(err, "%s: rank %u: chunk at byte %lld is damaged (checksum)", path,
                               c->rank, (long long)offset - MPG_CHUNK_HEADER_BYTES);
    if (status == 0 && mpg_trace_note_facts(t, &t->rank[c->rank], text, c->stored_bytes, err) < 0)
        status = mpg_error_prefix(err, "%s: rank %u", path, c->rank);
    free(text);
    return status;
}

/* --- streams --- */

/* Returns the index of the first stream of R with a thread number of at least THREAD. */
static uint32_t place_of(const struct trace_rank *r, uint32_t thread)
{
    uint32_t first = 0, end = r->threads;
    while (first < end) {
        const uint32_t middle = first + (end - first) / 2;
        if (r->stream[middle].thread < thread)
            first = middle + 1;
        else
            end = middle;
    }
    return first;
}

struct trace_stream *mpg_trace_stream(const struct trace_rank *r, uint32_t thread)
{
    const uint32_t place = place_of(r, thread);
    return place < r->threads && r->stream[place].thread == thread ? &r->stream[place] : NULL;
}

static struct trace_stream *add_stream(struct trace_rank *r, const struct mpg_chunk *c)
{
    const uint32_t n = r->threads, place = place_of(r, c->thread);
    if ((n & (n - 1)) == 0) { /* a power of two: the array is full */
        struct trace_stream *grown = realloc(r->stream, (n ? 2 * (size_t)n : 1) * sizeof *grown);
        if (!grown)
            return NULL;
        r->stream = grown;
    }
    struct trace_stream *s = &r->stream[place];
    memmove(s + 1, s, (n - place) * sizeof *s);
    *s = (struct trace_stream){.thread = c->thread, .run = c->run};
    r->threads++;
    return s;
}

/* Returns the stream to which chunk C belongs, added if new. NULL with ERR: C is of another run, or of a trace with a
 * different number of ranks; or out of memory. */
static struct trace_stream *find_stream(struct mpg_trace *t, const struct mpg_chunk *c,
                                        const struct trace_file *f, struct mpg_error *err)
{
    if (grow_ranks(t, c, f, err) < 0)
        return NULL;
    struct trace_rank *r = &t->rank[c->rank];
    struct trace_stream *s = mpg_trace_stream(r, c->thread);
    if (!s && !(s = add_stream(r, c))) {
        out_of_memory(err);
        return NULL;
    }
    if (s->run != c->run) {
        mpg_error_set(err, "%s: rank %u appears twice, in files of two runs: remove one", f->path, c->rank);
        return NULL;
    }
    return s;
}

static int twice(const struct trace_file *f, const struct mpg_chunk *c, struct mpg_error *err)
{
    return mpg_error_set(err, "%s: rank %u appears twice", f->path, c->rank);
}

static void note_flags(struct trace_rank *r, uint32_t flags)
{
    r->unresolved = r->unresolved || (flags & MPG_CHUNK_UNRESOLVED);
    r->cancels = r->cancels || (flags & MPG_CHUNK_CANCELLED);
}

static bool begins_part(const struct mpg_chunk *c)
{
    return c->kind == MPG_CHUNK_EVENTS && (c->flags & MPG_CHUNK_SNAPSHOT) && (c->flags & MPG_CHUNK_FRESH);
}

/* Counts chunk C, the next of stream S. */
static void count_chunk(struct trace_stream *s, const struct mpg_chunk *c)
{
    s->chunks = c->sequence + 1;
    if (s->part_count > 0) {
        mpg_trace_count_in_part(&s->parts[s->part_count - 1], c);
        return;
    }
    s->base_chunks++;
    s->events += c->events;
    s->stored_bytes += c->stored_bytes;
}

static int note_chunk(struct mpg_trace *t, size_t file, const struct mpg_chunk *c, int64_t offset,
                      struct mpg_error *err)
{
    struct trace_file *f = &t->files[file];
    if ((uint64_t)c->events * MIN_EVENT_BYTES > c->raw_bytes)
        return mpg_error_set(err, "%s: byte %lld: damaged chunk header (%u events in %u bytes)",
                             f->path, (long long)offset, c->events, c->raw_bytes);
    struct trace_stream *s = find_stream(t, c, f, err);
    if (!s)
        return -1;
    const bool begins = begins_part(c);
    if (begins && mpg_trace_add_part(s, c, file, offset, err) < 0)
        return -1;
    if (s->chunks == 0 && !begins) {
        s->file = file;
        s->first_offset = offset;
    }
    if ((s->part_count > 0 ? s->parts[s->part_count - 1].file : s->file) != file || c->sequence < s->chunks)
        return twice(f, c, err);
    if (c->sequence != s->chunks && !begins)
        return mpg_error_set(err, "%s: rank %u: chunk %llu is missing before byte %lld", f->path,
                             c->rank, (unsigned long long)s->chunks, (long long)offset);
    count_chunk(s, c);
    note_flags(&t->rank[c->rank], c->flags);
    f->last_rank = (int32_t)c->rank;
    f->last_thread = c->thread;
    return 0;
}

/* --- segments --- */

int mpg_trace_segment_state(struct mpg_trace *t, size_t file, int64_t offset,
                            struct mpg_segment_state *progress, struct mpg_error *err)
{
    enum { ATTEMPTS = 100 };
    for (int i = 0; i < ATTEMPTS; i++) {
        struct mpg_segment_state stored[2];
        const struct mpg_segment w = {.progress = &stored[0]};
        for (int j = 0; j < 2; j++)
            if (mpg_trace_pread(t, file, &stored[j], sizeof stored[j],
                                offset + MPG_CHUNK_HEADER_BYTES, err) < 0)
                return -1;
        *progress = mpg_segment_state_of(&w);
        if (stored[0].sequence == stored[1].sequence)
            break;
    }
    return 0;
}

static int note_window(struct mpg_trace *t, size_t file, const uint8_t *header,
                       const struct mpg_chunk *c, int64_t offset, struct mpg_error *err)
{
    const struct trace_file *f = &t->files[file];
    if (!mpg_chunk_check(header, c, NULL) || c->stored_bytes < MPG_SEGMENT_STATE_BYTES)
        return mpg_error_set(err, "%s: byte %lld: damaged header of a segment", f->path,
                             (long long)offset);
    struct trace_stream *s = find_stream(t, c, f, err);
    if (!s)
        return -1;
    if (s->has_segment)
        return twice(f, c, err);
    s->has_segment = true;
    s->segment_file = file;
    s->segment_offset = offset;
    s->segment_bytes = MPG_CHUNK_HEADER_BYTES + c->stored_bytes;
    s->segment_columns = c->columns;
    return mpg_trace_segment_state(t, file, offset, &s->progress, err);
}

/* Returns whether any stream lacks chunks between the last chunk in the file and the segment. */
static bool lacks_chunks(const struct mpg_trace *t)
{
    for (int32_t r = 0; r < t->ranks; r++)
        for (uint32_t i = 0; i < t->rank[r].threads; i++) {
            const struct trace_stream *s = &t->rank[r].stream[i];
            if (s->has_segment && s->progress.sequence > s->chunks)
                return true;
        }
    return false;
}

/* --- files --- */

/* Reads the chunk header at OFFSET of FILE. Returns 1; 0: the chunk is truncated; -1 with ERR. */
static int next_header(struct mpg_trace *t, size_t file, int64_t offset, uint8_t *header,
                       struct mpg_chunk *c, struct mpg_error *err)
{
    struct trace_file *f = &t->files[file];
    if (f->size_bytes - offset < MPG_CHUNK_HEADER_BYTES)
        return 0;
    if (mpg_trace_pread(t, file, header, MPG_CHUNK_HEADER_BYTES, offset, err) < 0)
        return -1;
    if (mpg_chunk_unpack(header, c, err) < 0)
        return mpg_error_prefix(err, "%s: byte %lld", f->path, (long long)offset);
    if (c->kind == MPG_CHUNK_PROFILE)
        return mpg_error_set(err, "%s: a profile, not events: see mpgtrace stat", f->path);
    if (c->stored_bytes <= f->size_bytes - offset - MPG_CHUNK_HEADER_BYTES)
        return 1;
    f->last_rank = (int32_t)c->rank;
    f->last_thread = c->thread;
    return 0;
}

static int note_size(struct mpg_trace *t, size_t file, struct mpg_error *err)
{
    struct trace_file *f = &t->files[file];
    struct stat st;
    bool gone;
    int fd = mpg_trace_fd(t, file, &gone, err);
    if (fd < 0)
        return -1;
    if (fstat(fd, &st) < 0)
        return mpg_error_errno(err, errno, "%s", f->path);
    t->total_bytes += st.st_size - f->size_bytes;
    f->size_bytes = st.st_size;
    f->last_rank = -1;
    return 0;
}

/* Returns a checksum of a chunk, from the header alone, which contains the checksum of the payload. */
static uint64_t sum_of(const uint8_t *header)
{
    uint64_t sum = 0, word;
    for (size_t i = 0; i < MPG_CHUNK_HEADER_BYTES; i += sizeof word) {
        memcpy(&word, header + i, sizeof word);
        sum = (sum ^ le64toh(word)) * 0x9e3779b97f4a7c15u;
        sum ^= sum >> 32;
    }
    return sum;
}

bool mpg_trace_sum(const struct mpg_trace *t, uint64_t *sum)
{
    bool is_whole = true;
    for (int32_t r = 0; r < t->ranks; r++) {
        is_whole = is_whole && !t->rank[r].runs;
        for (uint32_t i = 0; i < t->rank[r].threads; i++)
            is_whole = is_whole && !t->rank[r].stream[i].uses_segment &&
                       !t->rank[r].stream[i].uses_sums;
    }
    *sum = t->sum;
    return is_whole;
}

/* Notes the chunks and segments in FILE that were added since the last walk. Returns 0, or -1 with ERR. */
static int walk_file(struct mpg_trace *t, size_t file, struct mpg_error *err)
{
    struct trace_file *f = &t->files[file];
    int64_t offset = f->usable_bytes;
    while (offset < f->size_bytes) {
        uint8_t header[MPG_CHUNK_HEADER_BYTES];
        struct mpg_chunk c;
        int more = next_header(t, file, offset, header, &c, err);
        if (more < 0)
            return -1;
        if (more == 0)
            break;
        if (c.kind == MPG_CHUNK_SEGMENT) {
            if (note_window(t, file, header, &c, offset, err) < 0)
                return -1;
        } else if (note_chunk(t, file, &c, offset, err) < 0)
            return -1;
        else
            t->sum += sum_of(header);
        if (c.kind == MPG_CHUNK_FACTS &&
            read_facts(t, file, header, &c, offset + MPG_CHUNK_HEADER_BYTES, err) < 0)
            return -1;
        offset += MPG_CHUNK_HEADER_BYTES + (int64_t)c.stored_bytes;
    }
    f->usable_bytes = offset;
    return 0;
}

static int walk_files(struct mpg_trace *t, bool again, struct mpg_error *err)
{
    for (size_t i = 0; i < t->file_count; i++)
        if ((again && note_size(t, i, err) < 0) || walk_file(t, i, err) < 0)
            return -1;
    return 0;
}

int mpg_trace_walk(struct mpg_trace *t, struct mpg_error *err)
{
    for (size_t i = 0; i < t->file_count; i++)
        if (note_size(t, i, err) < 0)
            return -1;
    if (walk_files(t, false, err) < 0)
        return -1;
    /* If chunks are missing, the running program may have appended chunks before the segments were read: looks for these
     * chunks. */
    return lacks_chunks(t) ? walk_files(t, true, err) : 0;
}

/* --- results --- */

/* Adds the fact "incomplete" to R: the process went on, but could not write the file. */
static int note_stopped(struct mpg_trace *t, struct trace_rank *r, struct mpg_error *err)
{
    char text[] = "incomplete the trace could not be written, as on a full disk\n";
    return mpg_trace_note_facts(t, r, text, sizeof text - 1, err);
}

static int note_line(struct mpg_trace *t, const char *line, struct mpg_error *err)
{
    return t->cut || (t->cut = strdup(line)) ? 0 : out_of_memory(err);
}

/* Finds out whether stream S of rank R has a segment with events that are in no chunk, and must be read. */
static int settle_segment(struct mpg_trace *t, int32_t r, struct trace_stream *s,
                          struct mpg_error *err)
{
    char line[4096];
    const char *path = t->files[s->segment_file].path;
    if (mpg_process_runs(s->progress.process))
        t->rank[r].runs = true;
    if (s->progress.sequence < s->chunks) {
        s->uses_sums = s->chunks - s->progress.sequence == 1;
        return 0;
    }
    if (s->progress.sequence > s->chunks) {
        snprintf(line, sizeof line, "%s is not used: chunk %llu of rank %d, before it, is missing",
                 path, (unsigned long long)s->chunks, r);
        return note_line(t, line, err);
    }
    if (s->progress.stopped && note_stopped(t, &t->rank[r], err) < 0)
        return -1;
    if (s->progress.flags & MPG_CHUNK_SNAPSHOT) /* the process ended while it began a part: all earlier parts are there */
        return 0;
    if (s->progress.events > s->segment_bytes / MIN_EVENT_BYTES)
        return mpg_error_set(err, "%s: rank %d: damaged segment", path, r);
    s->uses_segment = true;
    s->events += s->progress.events;
    s->stored_bytes += s->segment_bytes;
    note_flags(&t->rank[r], (uint32_t)s->progress.flags);
    if (mpg_trace_inside(s) == MPG_CALL_Finalize) {
        s->finalizes = t->rank[r].finalizes = true;
        s->events++;
    }
    return 0;
}

/* Notes in t->cut why the trace is incomplete: the first file that ends within a chunk, unless a segment has the chunk's
 * events; otherwise the first missing thread. Returns 0, or -1 with ERR. */
static int note_cuts(struct mpg_trace *t, struct mpg_error *err)
{
    char line[4096];
    for (size_t i = 0; i < t->file_count && !t->cut; i++) {
        const struct trace_file *f = &t->files[i];
        if (f->usable_bytes == f->size_bytes)
            continue;
        const struct trace_stream *last = f->last_rank >= 0 && f->last_rank < t->ranks
            ? mpg_trace_stream(&t->rank[f->last_rank], f->last_thread) : NULL;
        if (last && last->uses_segment)
            continue;
        snprintf(line, sizeof line, "%s is cut off: its last %lld bytes are no whole chunk",
                 f->path, (long long)(f->size_bytes - f->usable_bytes));
        if (note_line(t, line, err) < 0)
            return -1;
    }
    for (int32_t r = 0; r < t->ranks && !t->cut; r++)
        for (uint32_t i = 1; i < t->rank[r].threads; i++) {
            if (t->rank[r].stream[i].thread == t->rank[r].stream[0].thread + i)
                continue;
            snprintf(line, sizeof line, "%s: thread %u of rank %d is missing", t->path,
                     t->rank[r].stream[0].thread + i, r);
            return note_line(t, line, err);
        }
    return 0;
}

void mpg_trace_limit_memory(struct mpg_trace *t, size_t all_bytes)
{
    size_t streams = 1;
    for (int32_t r = 0; r < t->ranks; r++)
        /* 2: with look-ahead, each stream is read by two decoders. */
        streams += t->rank[r].threads * (t->rank[r].unresolved ? 2u : 1u);
    t->hold_bytes = all_bytes / streams > MIN_HELD_BYTES ? all_bytes / streams : MIN_HELD_BYTES;
}

int mpg_trace_settle(struct mpg_trace *t, struct mpg_error *err)
{
    mpg_trace_settle_parts(t);
    for (int32_t r = 0; r < t->ranks; r++) {
        for (uint32_t i = 0; i < t->rank[r].threads; i++) {
            struct trace_stream *s = &t->rank[r].stream[i];
            if (s->has_segment && settle_segment(t, r, s, err) < 0)
                return -1;
            t->rank[r].events += s->events;
            t->rank[r].stored_bytes += s->stored_bytes;
        }
    }
    mpg_trace_limit_memory(t, ALL_HELD);
    return mpg_trace_check_run(t, err) < 0 ? -1 : note_cuts(t, err);
}

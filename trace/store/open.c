/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Opening a trace: find its files, walk their chunk headers, gather the facts. */
#include "trace/store/private.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "trace/store/process.h"
#include "trace/store/spool.h"
#include "trace/text/text.h"

int mpg_trace_pread(const struct trace_file *file, void *data, size_t size, int64_t offset,
                    struct mpg_error *err)
{
    uint8_t *p = data;
    while (size > 0) {
        ssize_t n = pread(file->fd, p, size, offset);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return mpg_error_errno(err, errno, "%s", file->path);
        if (n == 0)
            return mpg_error_set(err, "%s: ends at byte %lld", file->path, (long long)offset);
        p += n;
        offset += n;
        size -= (size_t)n;
    }
    return 0;
}

static int out_of_memory(struct mpg_error *err)
{
    return mpg_error_set(err, "out of memory");
}

static int add_file(struct mpg_trace *t, int fd, const char *path, struct mpg_error *err)
{
    struct trace_file *grown = realloc(t->files, (t->file_count + 1) * sizeof *grown);
    if (grown)
        t->files = grown;
    char *name = strdup(path);
    if (!grown || !name) {
        free(name);
        close(fd);
        return out_of_memory(err);
    }
    t->files[t->file_count++] = (struct trace_file){.fd = fd, .path = name};
    return 0;
}

static int open_file(struct mpg_trace *t, const char *path, struct mpg_error *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return mpg_error_errno(err, errno, "%s", path);
    return add_file(t, fd, path, err);
}

/* A window that the program has removed since it was listed is in its stream's file. */
static int open_listed(struct mpg_trace *t, const char *path, struct mpg_error *err)
{
    return access(path, F_OK) < 0 && errno == ENOENT ? 0 : open_file(t, path, err);
}

static int is_rank_file(const struct dirent *entry)
{
    size_t n = strlen(entry->d_name);
    return n > 5 && strcmp(entry->d_name + n - 5, ".mpgt") == 0;
}

static int open_directory(struct mpg_trace *t, const char *path, struct mpg_error *err)
{
    struct dirent **entries;
    int count = scandir(path, &entries, is_rank_file, alphasort), status = 0;
    if (count < 0)
        return mpg_error_errno(err, errno, "%s", path);
    for (int i = 0; i < count; i++) {
        char *name = NULL;
        size_t size = strlen(path) + strlen(entries[i]->d_name) + 2;
        if (status == 0 && (name = malloc(size))) {
            snprintf(name, size, "%s/%s", path, entries[i]->d_name);
            status = open_listed(t, name, err);
        } else if (status == 0)
            status = out_of_memory(err);
        free(name);
        free(entries[i]);
    }
    free(entries);
    if (status == 0 && t->file_count == 0)
        return mpg_error_set(err, "%s: no trace files (*.mpgt) in this folder", path);
    return status;
}

/* Replaces the only file by the native form of its text. */
static int import_text(struct mpg_trace *t, struct mpg_error *err)
{
    int spool = mpg_spool_file(err);
    char spool_name[MPG_SPOOL_NAME_BYTES];
    if (spool < 0)
        return -1;
    int copy = dup(t->files[0].fd);
    FILE *text = copy < 0 ? NULL : fdopen(copy, "r");
    if (!text) {
        int saved = errno;
        if (copy >= 0)
            close(copy);
        close(spool);
        return mpg_error_errno(err, saved, "%s", t->files[0].path);
    }
    rewind(text);
    int status = mpg_text_import(text, t->files[0].path, mpg_spool_name(spool_name), spool, err);
    (void)fclose(text);
    if (status < 0) {
        close(spool);
        return -1;
    }
    close(t->files[0].fd);
    t->files[0].fd = spool;
    return 0;
}

static int grow_ranks(struct mpg_trace *t, const struct mpg_chunk *c, const struct trace_file *f,
                      struct mpg_error *err)
{
    if (t->ranks == 0) {
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

static int note_host(struct mpg_trace *t, struct trace_rank *r, const char *name,
                     struct mpg_error *err)
{
    for (size_t i = 0; i < t->host_count; i++)
        if (strcmp(t->hosts[i], name) == 0) {
            r->host = (int32_t)i;
            return 0;
        }
    char **grown = realloc(t->hosts, (t->host_count + 1) * sizeof *grown);
    if (!grown)
        return out_of_memory(err);
    t->hosts = grown;
    if (!(t->hosts[t->host_count] = strdup(name)))
        return out_of_memory(err);
    r->host = (int32_t)t->host_count++;
    return 0;
}

static int note_clock(struct trace_rank *r, const char *value, struct mpg_error *err)
{
    long long time_ns, offset_ns;
    char rest;
    if (sscanf(value, "%lld %lld%c", &time_ns, &offset_ns, &rest) != 2)
        return mpg_error_set(err, "fact 'clock %s' is not a time and an offset", value);
    if (r->clock_points > 0 && time_ns <= r->clock[r->clock_points - 1].time_ns)
        return mpg_error_set(err, "fact 'clock %s' is not after the one before it", value);
    struct clock_point *grown = realloc(r->clock, (r->clock_points + 1) * sizeof *grown);
    if (!grown)
        return out_of_memory(err);
    r->clock = grown;
    r->clock[r->clock_points++] = (struct clock_point){time_ns, offset_ns};
    return 0;
}

/* Understands the lines "key value\n" in TEXT (which ends in a NUL) and keeps them. */
static int note_facts(struct mpg_trace *t, struct trace_rank *r, char *text, size_t size,
                      struct mpg_error *err)
{
    char *grown = realloc(r->facts, r->facts_bytes + size + 1);
    if (!grown)
        return out_of_memory(err);
    r->facts = grown;
    for (char *line = text, *end; line < text + size; line = end + 1) {
        end = strchr(line, '\n');
        char *value = strchr(line, ' ');
        if (!end || !value || value > end || memchr(line, 0, (size_t)(end - line)))
            return mpg_error_set(err, "damaged facts");
        *end = '\0';
        *value++ = '\0';
        if (strcmp(line, "host") == 0 && note_host(t, r, value, err) < 0)
            return -1;
        if (strcmp(line, "clock") == 0 && note_clock(r, value, err) < 0)
            return -1;
        if (strcmp(line, "clocks") == 0 && strcmp(value, "shared") == 0)
            r->shares_clock = true;
        size_t bytes = (size_t)(end - line) + 1;
        memcpy(r->facts + r->facts_bytes, line, bytes);
        r->facts_bytes += bytes;
    }
    return 0;
}

static int read_facts(struct mpg_trace *t, const struct trace_file *f, const uint8_t *header,
                      const struct mpg_chunk *c, int64_t offset, struct mpg_error *err)
{
    char *text = malloc((size_t)c->stored_bytes + 1);
    if (!text)
        return out_of_memory(err);
    int status = mpg_trace_pread(f, text, c->stored_bytes, offset, err);
    text[c->stored_bytes] = '\0';
    if (status == 0 && !mpg_chunk_check(header, c, text))
        status = mpg_error_set(err, "%s: rank %u: chunk at byte %lld is damaged (checksum)",
                               f->path, c->rank, (long long)offset - MPG_CHUNK_HEADER_BYTES);
    if (status == 0 && note_facts(t, &t->rank[c->rank], text, c->stored_bytes, err) < 0)
        status = mpg_error_prefix(err, "%s: rank %u", f->path, c->rank);
    free(text);
    return status;
}

/* The stream that C is of, with whose file and run it must agree. */
static struct trace_stream *find_stream(struct mpg_trace *t, const struct mpg_chunk *c,
                                        const struct trace_file *f, struct mpg_error *err)
{
    if (grow_ranks(t, c, f, err) < 0)
        return NULL;
    struct trace_rank *r = &t->rank[c->rank];
    if (c->thread >= r->threads) {
        struct trace_stream *grown = realloc(r->stream, (c->thread + 1) * sizeof *grown);
        if (!grown) {
            out_of_memory(err);
            return NULL;
        }
        memset(grown + r->threads, 0, (c->thread + 1 - r->threads) * sizeof *grown);
        r->stream = grown;
        r->threads = c->thread + 1;
    }
    struct trace_stream *s = &r->stream[c->thread];
    if (s->present && s->run != c->run) {
        mpg_error_set(err, "%s: rank %u is there twice, of two runs: remove one", f->path, c->rank);
        return NULL;
    }
    r->present = s->present = true;
    s->run = c->run;
    return s;
}

static int twice(const struct trace_file *f, const struct mpg_chunk *c, struct mpg_error *err)
{
    return mpg_error_set(err, "%s: rank %u is there twice", f->path, c->rank);
}

static void note_flags(struct trace_rank *r, uint32_t flags)
{
    r->unresolved = r->unresolved || (flags & MPG_CHUNK_UNRESOLVED);
    r->cancels = r->cancels || (flags & MPG_CHUNK_CANCELLED);
}

static int note_chunk(struct mpg_trace *t, size_t file, const struct mpg_chunk *c, int64_t offset,
                      struct mpg_error *err)
{
    struct trace_file *f = &t->files[file];
    struct trace_stream *s = find_stream(t, c, f, err);
    if (!s)
        return -1;
    if (s->chunks == 0) {
        s->file = file;
        s->first_offset = offset;
    }
    if (s->file != file || c->sequence < s->chunks)
        return twice(f, c, err);
    if (c->sequence != s->chunks)
        return mpg_error_set(err, "%s: rank %u: chunk %llu is missing before byte %lld", f->path,
                             c->rank, (unsigned long long)s->chunks, (long long)offset);
    s->chunks++;
    s->events += c->events;
    note_flags(&t->rank[c->rank], c->flags);
    f->last_rank = (int32_t)c->rank;
    f->last_thread = c->thread;
    return 0;
}

int mpg_trace_progress(const struct trace_file *f, int64_t offset, struct mpg_progress *progress,
                       struct mpg_error *err)
{
    enum { ATTEMPTS = 100 };
    for (int i = 0; i < ATTEMPTS; i++) {
        struct mpg_progress stored[2];
        const struct mpg_window w = {.progress = &stored[0]};
        for (int j = 0; j < 2; j++)
            if (mpg_trace_pread(f, &stored[j], sizeof stored[j], offset + MPG_CHUNK_HEADER_BYTES,
                                err) < 0)
                return -1;
        *progress = mpg_window_progress(&w);
        if (stored[0].sequence == stored[1].sequence)
            break;
    }
    return 0;
}

static int note_window(struct mpg_trace *t, size_t file, const uint8_t *header,
                       const struct mpg_chunk *c, int64_t offset, struct mpg_error *err)
{
    const struct trace_file *f = &t->files[file];
    if (!mpg_chunk_check(header, c, NULL) || c->stored_bytes < MPG_PROGRESS_BYTES)
        return mpg_error_set(err, "%s: byte %lld: damaged header of a window", f->path,
                             (long long)offset);
    struct trace_stream *s = find_stream(t, c, f, err);
    if (!s)
        return -1;
    if (s->has_window)
        return twice(f, c, err);
    s->has_window = true;
    s->window_file = file;
    s->window_offset = offset;
    s->window_bytes = MPG_CHUNK_HEADER_BYTES + c->stored_bytes;
    s->window_columns = c->columns;
    return mpg_trace_progress(f, offset, &s->progress, err);
}

/* Whether a chunk between the last in a file and a window's is not known. */
static bool lacks_chunks(const struct mpg_trace *t)
{
    for (int32_t r = 0; r < t->ranks; r++)
        for (uint32_t i = 0; i < t->rank[r].threads; i++) {
            const struct trace_stream *s = &t->rank[r].stream[i];
            if (s->has_window && s->progress.sequence > s->chunks)
                return true;
        }
    return false;
}

/* The rank lived on, and could not say so in its file. */
static int note_stopped(struct mpg_trace *t, struct trace_rank *r, struct mpg_error *err)
{
    char text[] = "incomplete the trace could not be written, as on a full disk\n";
    return note_facts(t, r, text, sizeof text - 1, err);
}

static int note_line(struct mpg_trace *t, const char *line, struct mpg_error *err)
{
    return t->cut || (t->cut = strdup(line)) ? 0 : out_of_memory(err);
}

/* Decides which windows hold what is in no chunk, all chunks being known. */
static int settle_windows(struct mpg_trace *t, struct mpg_error *err)
{
    char line[4096];
    for (int32_t r = 0; r < t->ranks; r++)
        for (uint32_t i = 0; i < t->rank[r].threads; i++) {
            struct trace_stream *s = &t->rank[r].stream[i];
            if (s->has_window && mpg_process_runs(s->progress.process))
                t->rank[r].runs = true;
            if (!s->has_window || s->progress.sequence < s->chunks)
                continue;
            const char *path = t->files[s->window_file].path;
            if (s->progress.sequence > s->chunks) {
                snprintf(line, sizeof line, "%s is not used: chunk %llu of rank %d, before it, is "
                         "missing", path, (unsigned long long)s->chunks, r);
                if (note_line(t, line, err) < 0)
                    return -1;
                continue;
            }
            if (s->progress.events > s->window_bytes)
                return mpg_error_set(err, "%s: rank %d: damaged window", path, r);
            s->uses_window = true;
            s->events += s->progress.events;
            note_flags(&t->rank[r], (uint32_t)s->progress.flags);
            if (s->progress.stopped && note_stopped(t, &t->rank[r], err) < 0)
                return -1;
            if (mpg_trace_inside(s) == MPG_CALL_Finalize) {
                s->finalizes = t->rank[r].finalizes = true;
                s->events++;
            }
        }
    return 0;
}

/* Says what is cut off, unless a window holds the chunk that was not finished. */
static int note_cuts(struct mpg_trace *t, struct mpg_error *err)
{
    char line[4096];
    for (size_t i = 0; i < t->file_count; i++) {
        const struct trace_file *f = &t->files[i];
        if (f->usable_bytes == f->size_bytes)
            continue;
        if (f->last_rank >= 0 && f->last_rank < t->ranks &&
            t->rank[f->last_rank].threads > f->last_thread &&
            t->rank[f->last_rank].stream[f->last_thread].uses_window)
            continue;
        snprintf(line, sizeof line, "%s is cut off: its last %lld bytes are no whole chunk",
                 f->path, (long long)(f->size_bytes - f->usable_bytes));
        if (note_line(t, line, err) < 0)
            return -1;
    }
    for (int32_t r = 0; r < t->ranks; r++)
        for (uint32_t i = 1; i < t->rank[r].threads; i++) {
            if (t->rank[r].stream[i].present)
                continue;
            snprintf(line, sizeof line, "%s: thread %u of rank %d is missing", t->path, i, r);
            if (note_line(t, line, err) < 0)
                return -1;
        }
    return 0;
}

/* The next chunk of file F, at OFFSET: 1; 0 if it is not whole. */
static int next_header(struct trace_file *f, int64_t offset, uint8_t *header, struct mpg_chunk *c,
                       struct mpg_error *err)
{
    if (f->size_bytes - offset < MPG_CHUNK_HEADER_BYTES)
        return 0;
    if (mpg_trace_pread(f, header, MPG_CHUNK_HEADER_BYTES, offset, err) < 0)
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

/* Goes on from where an earlier walk came to. */
static int walk_file(struct mpg_trace *t, size_t file, struct mpg_error *err)
{
    struct trace_file *f = &t->files[file];
    struct stat st;
    if (fstat(f->fd, &st) < 0)
        return mpg_error_errno(err, errno, "%s", f->path);
    f->size_bytes = st.st_size;
    f->last_rank = -1;
    int64_t offset = f->usable_bytes;
    while (offset < f->size_bytes) {
        uint8_t header[MPG_CHUNK_HEADER_BYTES];
        struct mpg_chunk c;
        int more = next_header(f, offset, header, &c, err);
        if (more < 0)
            return -1;
        if (more == 0)
            break;
        if (c.kind == MPG_CHUNK_WINDOW) {
            if (note_window(t, file, header, &c, offset, err) < 0)
                return -1;
        } else if (note_chunk(t, file, &c, offset, err) < 0)
            return -1;
        if (c.kind == MPG_CHUNK_FACTS &&
            read_facts(t, f, header, &c, offset + MPG_CHUNK_HEADER_BYTES, err) < 0)
            return -1;
        offset += MPG_CHUNK_HEADER_BYTES + (int64_t)c.stored_bytes;
    }
    f->usable_bytes = offset;
    return 0;
}

static int walk_files(struct mpg_trace *t, struct mpg_error *err)
{
    for (size_t i = 0; i < t->file_count; i++)
        if (walk_file(t, i, err) < 0)
            return -1;
    return 0;
}

/* WHAT is not there: says so, and what may be why: a file that is cut off, or empty, as
 * files also are while their windows hold all there is. */
static int absent(const struct mpg_trace *t, const char *what, struct mpg_error *err)
{
    for (size_t i = 0; i < t->file_count && !t->cut; i++)
        if (t->files[i].size_bytes == 0 && strcmp(t->files[i].path, t->path) != 0)
            return mpg_error_set(err, "%s: %s; %s is empty", t->path, what, t->files[i].path);
    return mpg_error_set(err, "%s: %s%s%s", t->path, what, t->cut ? "; " : "",
                         t->cut ? t->cut : "");
}

static int check_ranks(const struct mpg_trace *t, struct mpg_error *err)
{
    char what[64];
    if (t->ranks == 0)
        return absent(t, "holds no events", err);
    for (int32_t r = 0; r < t->ranks; r++)
        if (!t->rank[r].present || !t->rank[r].stream[0].present) {
            snprintf(what, sizeof what, "rank %d of %d is missing", r, t->ranks);
            return absent(t, what, err);
        }
    return 0;
}

/* Whether the first bytes of FD say that it is text. */
static bool looks_like_text(int fd)
{
    char start[8];
    ssize_t n = pread(fd, start, sizeof start, 0);
    return n == sizeof start && memcmp(start, "#mpgtext", sizeof start) == 0;
}

static int open_files(struct mpg_trace *t, struct mpg_error *err)
{
    struct stat st;
    if (strcmp(t->path, "-") == 0) {
        int fd = mpg_spool_copy(STDIN_FILENO, err);
        if (fd < 0)
            return mpg_error_prefix(err, "standard input");
        if (add_file(t, fd, "standard input", err) < 0)
            return -1;
    } else if (stat(t->path, &st) < 0)
        return mpg_error_errno(err, errno, "%s", t->path);
    else if (S_ISDIR(st.st_mode))
        return open_directory(t, t->path, err);
    else if (S_ISREG(st.st_mode)) {
        if (open_file(t, t->path, err) < 0)
            return -1;
    } else { /* a pipe */
        int in = open(t->path, O_RDONLY | O_CLOEXEC);
        if (in < 0)
            return mpg_error_errno(err, errno, "%s", t->path);
        int fd = mpg_spool_copy(in, err);
        close(in);
        if (fd < 0)
            return mpg_error_prefix(err, "%s", t->path);
        if (add_file(t, fd, t->path, err) < 0)
            return -1;
    }
    return looks_like_text(t->files[0].fd) ? import_text(t, err) : 0;
}

struct mpg_trace *mpg_trace_open(const char *path, struct mpg_error *err)
{
    struct mpg_trace *t = calloc(1, sizeof *t);
    if (!t || !(t->path = strdup(path))) {
        out_of_memory(err);
        goto fail;
    }
    if (open_files(t, err) < 0)
        goto fail;
    if (walk_files(t, err) < 0 || (lacks_chunks(t) && walk_files(t, err) < 0))
        goto fail; /* a program that goes on has appended chunks before its windows were read */
    if (settle_windows(t, err) < 0 || note_cuts(t, err) < 0 || check_ranks(t, err) < 0)
        goto fail;
    return t;
fail:
    mpg_trace_close(t);
    return NULL;
}

void mpg_trace_close(struct mpg_trace *t)
{
    if (!t)
        return;
    for (size_t i = 0; i < t->file_count; i++) {
        close(t->files[i].fd);
        free(t->files[i].path);
    }
    for (int32_t r = 0; r < t->ranks; r++) {
        free(t->rank[r].stream);
        free(t->rank[r].clock);
        free(t->rank[r].facts);
    }
    for (size_t i = 0; i < t->host_count; i++)
        free(t->hosts[i]);
    mpg_trace_free_definitions(t);
    ZSTD_freeDCtx(t->zstd);
    free(t->stored);
    free(t->hosts);
    free(t->files);
    free(t->rank);
    free(t->cut);
    free(t->path);
    free(t);
}

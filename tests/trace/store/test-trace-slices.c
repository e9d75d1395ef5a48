/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Many streams (TAP): a reader that holds chunks partly returns the same events as a reader that holds whole
 * chunks, with memory independent of the chunk size. Changes to a file during reading are reported. */
#include <fcntl.h>
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/tap.h"
#include "trace/store/private.h"
#include "trace/store/writer.h"

enum { RANKS = 20, VALUES = 3, FEW = 40, MANY = 20000, LONGEST = 700, WINDOW = 1 << 20, FEW_FILES = 16 };

static char folder[] = "test-trace-slices.XXXXXX";
static struct mpg_error err;
static int64_t list[LONGEST], values[VALUES];

static uint64_t mix(uint64_t x)
{
    x = (x ^ (x >> 31)) * 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 29)) * 0xbf58476d1ce4e5b9u;
    return x ^ (x >> 32);
}

/* Returns event I of RANK: times of 1 to 50 bits, values of 0 to 64, some with long lists. */
static struct mpg_event event_of(int32_t rank, uint64_t i, int64_t *now_ns)
{
    const uint64_t r = mix(i * 37 + (uint64_t)rank);
    struct mpg_event e = {.call = r % 3 ? MPG_CALL_Send : MPG_CALL_Alltoallv,
                          .site = MPG_NO_SITE, .newcomm = MPG_NO_COMM, .object = MPG_NO_OBJECT,
                          .done_all = true, .bytes = (int64_t)(r % 5), .values = values,
                          .value_number = VALUES};
    e.enter_ns = *now_ns += (int64_t)(mix(r) >> (14 + r % 50));
    e.leave_ns = *now_ns += (int64_t)(mix(r + 1) >> (14 + r / 64 % 50));
    for (uint32_t k = 0; k < VALUES; k++)
        values[k] = (int64_t)(mix(r + 2 + k) >> (r / 4096 % 64));
    if (e.call == MPG_CALL_Send)
        e.to = (int32_t)(r % RANKS);
    else
        e.count_number = r % 211 == 0 ? LONGEST : (uint32_t)(r % 5);
    for (uint32_t k = 0; k < e.count_number; k++)
        list[k] = (int64_t)(mix(r + k) >> 40);
    e.counts = list;
    return e;
}

static void name_file(char path[64], int32_t rank)
{
    snprintf(path, 64, "%s/rank-%d.mpgt", folder, rank);
}

/* the large (L) and small (S) chunks of each rank, in order */
static const char *const chunks[RANKS] = {"L", "S", "LSL", "SLLS", "LL"};

static uint64_t events_of(int32_t rank)
{
    const char *p = chunks[rank] ? chunks[rank] : "L";
    uint64_t n = 0;
    for (; *p; p++)
        n += *p == 'L' ? MANY : FEW;
    return n;
}

static int write_rank(int32_t rank)
{
    char path[64];
    name_file(path, rank);
    const struct mpg_trace_writer_options options = {.name = path, .rank = rank, .ranks = RANKS,
        .value_number = VALUES, .segment_bytes = WINDOW, .level = 1};
    const struct mpg_comm_definition world = {.parent = MPG_NO_COMM, .size = RANKS};
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    struct mpg_trace_writer *w = fd < 0 ? NULL : mpg_trace_writer_new(fd, &options, &err);
    int status = w ? mpg_trace_write_fact(w, "values", "a b c", &err) : -1;
    int64_t now_ns = 0;
    uint64_t i = 0;
    if (status == 0)
        status = mpg_trace_write_comm(w, &world, &err);
    for (const char *p = chunks[rank] ? chunks[rank] : "L"; status == 0 && *p; p++) {
        for (uint64_t end = i + (*p == 'L' ? MANY : FEW); status == 0 && i < end; i++) {
            const struct mpg_event e = event_of(rank, i, &now_ns);
            status = mpg_trace_write_event(w, &e, &err);
        }
        if (status == 0)
            status = mpg_trace_writer_flush(w, &err);
    }
    if (status == 0)
        status = mpg_trace_writer_close(w, &err);
    mpg_trace_writer_free(w);
    close(fd);
    return status;
}

static bool is_same(const struct mpg_event *a, const struct mpg_event *b)
{
    return a->call == b->call && a->enter_ns == b->enter_ns && a->leave_ns == b->leave_ns &&
           a->bytes == b->bytes && (a->call != MPG_CALL_Send || a->to == b->to) &&
           a->value_number == VALUES &&
           memcmp(a->values, b->values, VALUES * sizeof *a->values) == 0 &&
           a->count_number == b->count_number &&
           (a->count_number == 0 ||
            memcmp(a->counts, b->counts, a->count_number * sizeof *a->counts) == 0);
}

static struct mpg_trace *open_holding(size_t bytes)
{
    struct mpg_trace *t = mpg_trace_open(folder, &err);
    if (t)
        mpg_trace_limit_memory(t, bytes);
    return t;
}

/* Reads all ranks in parallel, an event of each in turn. *USED: the bytes allocated halfway. Returns whether all events
 * are those that were written. */
static bool reads(size_t hold, size_t *used)
{
    struct mpg_trace *t = open_holding(hold);
    struct mpg_cursor *cursors[RANKS] = {NULL};
    int64_t now_ns[RANKS] = {0};
    struct mpg_event e;
    bool same = t != NULL;
    const size_t before = mallinfo2().uordblks + mallinfo2().hblkhd;
    for (int32_t r = 0; same && r < RANKS; r++)
        same = (cursors[r] = mpg_cursor_open(t, r, &err)) != NULL;
    for (uint64_t i = 0, left = RANKS; same && left > 0; i++) {
        left = 0;
        for (int32_t r = 0; same && r < RANKS; r++) {
            if (i > events_of(r))
                continue;
            const int more = mpg_cursor_next(cursors[r], &e, &err);
            if (i == events_of(r)) {
                same = more == 0;
                continue;
            }
            const struct mpg_event written = event_of(r, i, &now_ns[r]);
            same = more == 1 && is_same(&e, &written);
            left++;
        }
        if (i == MANY / 2)
            *used = mallinfo2().uordblks + mallinfo2().hblkhd - before;
    }
    for (int32_t r = 0; r < RANKS; r++)
        mpg_cursor_close(cursors[r]);
    mpg_trace_close(t);
    return same;
}

/* Flips a bit in rank 0's file at byte OFFSET. */
static void flip(int64_t offset)
{
    char path[64];
    uint8_t byte = 0;
    name_file(path, 0);
    int fd = open(path, O_RDWR);
    if (fd < 0 || pread(fd, &byte, 1, offset) != 1)
        return;
    byte ^= 1;
    if (pwrite(fd, &byte, 1, offset) != 1)
        byte = 0;
    close(fd);
}

/* Reads rank 0 while CHANGE modifies the file at OFFSET after the first event. Returns whether this ends with an error
 * that contains WHAT. */
static bool is_told(void (*change)(int64_t), int64_t offset, const char *what)
{
    struct mpg_trace *t = open_holding(0);
    struct mpg_cursor *c = t ? mpg_cursor_open(t, 0, &err) : NULL;
    struct mpg_event e;
    int more = c ? mpg_cursor_next(c, &e, &err) : -1;
    change(offset);
    while (more > 0)
        more = mpg_cursor_next(c, &e, &err);
    mpg_cursor_close(c);
    mpg_trace_close(t);
    printf("# %s\n", more < 0 ? err.text : "no error");
    return more < 0 && strstr(err.text, what) && strstr(err.text, "rank-0.mpgt");
}

static void cut(int64_t offset)
{
    char path[64];
    name_file(path, 0);
    if (truncate(path, offset) < 0)
        perror(path);
}

/* --- more ranks than files --- */

static void limit_files(rlim_t files)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
        return;
    limit.rlim_cur = files;
    (void)setrlimit(RLIMIT_NOFILE, &limit);
}

static int open_files(void)
{
    int n = 0;
    for (int fd = 0; fd < 1024; fd++)
        n += fcntl(fd, F_GETFD) >= 0;
    return n;
}

/* Reads an event of each rank, and then the rest of rank 0, whose file CHANGE has modified while it was closed, because
 * only FEW_FILES files may be open. Returns whether the error contains WHAT (empty: no error). */
static bool reopens(void (*change)(void), const char *what, int *files)
{
    struct mpg_trace *t = open_holding(0);
    struct mpg_cursor *cursors[RANKS] = {NULL};
    struct mpg_event e;
    bool good = t != NULL;
    for (int32_t r = 0; good && r < RANKS; r++)
        good = (cursors[r] = mpg_cursor_open(t, r, &err)) && mpg_cursor_next(cursors[r], &e, &err) > 0;
    *files = open_files();
    change();
    int more = good ? 1 : -2;
    while (more > 0)
        more = mpg_cursor_next(cursors[0], &e, &err);
    for (int32_t r = 0; r < RANKS; r++)
        mpg_cursor_close(cursors[r]);
    mpg_trace_close(t);
    printf("# %s\n", more < 0 ? err.text : "no error");
    return *what ? more == -1 && strstr(err.text, what) && strstr(err.text, "rank-0.mpgt") &&
                       !strchr(err.text, '\n')
                 : more == 0;
}

static void change_nothing(void)
{
}

static void replace(void)
{
    char path[64], old[80];
    name_file(path, 0);
    snprintf(old, sizeof old, "%s.old", path);
    (void)rename(path, old); /* keeps the inode in use, so that the new file gets another number */
    (void)write_rank(0);
    (void)unlink(old);
}

static void take_away(void)
{
    char path[64];
    name_file(path, 0);
    (void)unlink(path);
}

static void forbid(void)
{
    char path[64];
    name_file(path, 0);
    (void)chmod(path, 0);
}

static void test_files(void)
{
    const int before = open_files(), next = dup(STDIN_FILENO);
    int files;
    (void)close(next);
    limit_files((rlim_t)(FEW_FILES + next));
    ok(reopens(change_nothing, "", &files), "more ranks than files that may be open");
    ok(files - before <= (FEW_FILES + next) / 2, "%d files are open", files - before);
    ok(reopens(replace, "is another file than when the trace was opened", &files),
       "another file in the place of one that was closed");
    if (geteuid() != 0) {
        ok(reopens(forbid, "Permission denied", &files), "a file that may not be read any more");
    } else
        ok(true, "permissions # SKIP root may read all");
    ok(write_rank(0) == 0 && reopens(take_away, "No such file", &files), "a file that is gone");
    (void)write_rank(0);
    limit_files((rlim_t)next);
    struct mpg_trace *t = mpg_trace_open(folder, &err);
    ok(!t && strstr(err.text, "Too many open files"), "no file can be opened");
    printf("# %s\n", t ? "" : err.text);
    mpg_trace_close(t);
    limit_files(1024);
}

int main(void)
{
    char path[64];
    size_t whole = 0, slices = 0;
    struct stat st;
    bool written = mkdtemp(folder) != NULL;
    for (int32_t r = 0; written && r < RANKS; r++)
        written = write_rank(r) == 0;
    ok(written, "a trace of %d ranks", RANKS);
    ok(reads(SIZE_MAX / 2, &whole), "whole chunks: what was written");
    ok(reads(0, &slices), "chunks held in part: what was written");
    printf("# %zu bytes a rank, of whole chunks %zu\n", slices / RANKS, whole / RANKS);
    const char *sanitized = getenv("MPGKIT_SANITIZERS");
    if (sanitized && !strcmp(sanitized, "yes"))
        ok(true, "memory # SKIP the sanitizers' own malloc() does not count");
    else
        ok(whole / RANKS > 300000 && slices < whole / 2, "and their numbers take next to none of the memory");

    name_file(path, 0);
    const int64_t chunk = stat(path, &st) == 0 ? (int64_t)st.st_size * 3 / 4 : 0;
    ok(is_told(flip, chunk, "checksum"), "a byte that changes");
    flip(chunk);
    ok(is_told(cut, chunk, "ends at byte"), "a file that is cut off meanwhile");
    written = write_rank(0) == 0;
    ok(written && reads(0, &slices), "as it was");
    test_files();
    for (int32_t r = 0; r < RANKS; r++) {
        name_file(path, r);
        (void)unlink(path);
    }
    (void)rmdir(folder);
    return done();
}

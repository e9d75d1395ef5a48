/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Damaged native traces (TAP): truncated at every byte; every byte changed; every byte of the columns changed with
 * a valid checksum, in chunks and in a segment. A reader may return an error or report a truncated file. It must
 * never crash or hang, nor return data other than the written data where a checksum protects them. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#include "tests/tap.h"
#include "trace/store/chunk.h"
#include "trace/reader.h"
#include "trace/text/text.h"
#include "trace/store/segment.h"

enum { MAX_BYTES = 1 << 16 };

static const char text[] =
    "#mpgtext 1\n#ranks 2\n#host 1 b\n#clock 1 5 7\n#fact 1 program x y\n"
    "#comm 0 = 0 1\n"
    "0 0 1 Init\n"
    "0 2 3 Isend comm=0 to=1 tag=7 bytes=1024 request=1\n"
    "0 4 5 Irecv comm=0 from=1 tag=8 bytes=8 any=source,tag request=2\n"
    "0 6 7 Irecv comm=0 bytes=8 any=source,tag request=3\n"
    "0 8 9 Cancel request=3\n"
    "0 10 11 Waitsome requests=1,2,3 done=3,1 cancelled=3\n"
    "0 12 13 Wait requests=2 off=1\n"
    "0 14 15 Recv_init comm=0 bytes=8 any=source,tag persistent=1\n"
    "0 16 17 Start persistent=1 requests=4 matched=4:1:9\n"
    "0 18 19 Wait requests=4 off_call=1\n"
    "0 20 21 Request_free persistent=1\n"
    "0 22 23 Alltoallv comm=0 bytes=1,2\n"
    "#window 4 = 0 0\n"
    "0 24 24 Win_create comm=0 win=4 bytes=64\n"
    "0 24 24 Win_start win=4 group=1,0\n"
    "0 24 24 Rget win=4 to=1 bytes=0 recvbytes=800 request=5\n"
    "#topology 0 0 = 1 null > 1\n"
    "0 24 24 Ineighbor_alltoallw comm=0 bytes=7 request=6\n"
    "0 24 24 Region_begin name=\"solve\"\n"
    "#module 0 = 00ff10 \"/usr/bin/app\"\n#site 0 = 0+0x1234 ?+0x77\n"
    "0 24 24 Improbe comm=0 from=1 tag=3 bytes=8 any=source message=1 site=0\n"
    "0 24 24 Imrecv comm=0 from=1 tag=3 bytes=8 message=1 request=7\n"
    "0.1 4 5 Comm_rank\n"
    "0 24 25 Finalize\n"
    "#comm 3 = 0 | 1\n"
    "1 0 1 Init\n"
    "1 2 3 Intercomm_create comm=0 newcomm=3\n"
    "1 4 5 Probe comm=3 from=0 tag=1 bytes=2 any=tag\n"
    "1 6 7 Sendrecv comm=3 to=0 tag=1 bytes=2 from=0 recvtag=-5 recvbytes=3\n"
    "1 8 9 Bcast comm=3 root=root bytes=800 off=1 off_call=1\n"
    "1 9223372036854 9223372036855 Finalize off=9223372036000\n";

static char path[] = "test-trace-damage.XXXXXX";
static uint8_t bytes[MAX_BYTES], changed[MAX_BYTES];
static size_t size;
static char *expected; /* the whole trace as text */

static bool put_file(const uint8_t *data, size_t n)
{
    FILE *f = fopen(path, "wb");
    bool good = f && fwrite(data, 1, n, f) == n;
    return f && fclose(f) == 0 && good;
}

enum outcome { FAILED, CUT, SAME, DIFFERENT };

static enum outcome read_file(void)
{
    struct mpg_error err = {.text = ""};
    struct mpg_trace *t = mpg_trace_open(path, &err);
    if (!t)
        return *err.text ? FAILED : DIFFERENT;
    char *got = NULL;
    size_t n = 0;
    FILE *out = open_memstream(&got, &n);
    int status = out ? mpg_text_print(t, out, &err) : -1;
    if (out)
        (void)fclose(out);
    enum outcome outcome = status < 0                   ? FAILED
                           : mpg_trace_cut(t)           ? CUT
                           : strcmp(got, expected) == 0 ? SAME
                                                        : DIFFERENT;
    free(got);
    mpg_trace_close(t);
    return outcome;
}

/* Like read_file(), but reads events only, because the header lines of a printed trace name processes that died. */
static enum outcome read_events(void)
{
    struct mpg_error err;
    struct mpg_trace *t = mpg_trace_open(path, &err);
    uint64_t events = t ? mpg_trace_events(t, -1) : 0, read = 0;
    for (int32_t r = 0; t && r < mpg_trace_ranks(t); r++) {
        struct mpg_cursor *c = mpg_cursor_open(t, r, &err);
        struct mpg_event e;
        while (c && mpg_cursor_next(c, &e, &err) > 0)
            read++;
        mpg_cursor_close(c);
    }
    mpg_trace_close(t);
    return t && events > 0 && read == events ? SAME : DIFFERENT;
}

static bool make_trace(void)
{
    struct mpg_error err;
    int fd = mkstemp(path);
    FILE *in = fmemopen((void *)text, sizeof text - 1, "r");
    if (fd < 0 || !in || mpg_text_import(in, "text", NULL, fd, &err) < 0)
        return false;
    (void)fclose(in);
    ssize_t n = pread(fd, bytes, sizeof bytes, 0);
    close(fd);
    if (n <= 0)
        return false;
    size = (size_t)n;
    size_t length;
    struct mpg_trace *t = mpg_trace_open(path, &err);
    FILE *out = open_memstream(&expected, &length);
    bool good = t && out && mpg_text_print(t, out, &err) == 0;
    if (out)
        (void)fclose(out);
    mpg_trace_close(t);
    return good;
}

static void test_cut(void)
{
    int failed = 0, cut = 0, other = 0;
    for (size_t n = 0; n < size; n++) {
        enum outcome o = put_file(bytes, n) ? read_file() : DIFFERENT;
        failed += o == FAILED;
        cut += o == CUT;
        other += o != FAILED && o != CUT;
    }
    /* The last chunk of rank 1, or the only chunk of a thread, may be missing as a whole. */
    ok(other <= 2 && cut > 0 && failed > 0, "cut off at every byte: %d errors, %d warnings, %d else",
       failed, cut, other);
}

static void test_changed(void)
{
    static const uint8_t masks[] = {1, 2, 4, 8, 16, 32, 64, 128, 255};
    int counts[4] = {0};
    for (size_t i = 0; i < size; i++)
        for (size_t m = 0; m < sizeof masks; m++) {
            memcpy(changed, bytes, size);
            changed[i] ^= masks[m];
            counts[put_file(changed, size) ? read_file() : DIFFERENT]++;
        }
    ok(counts[DIFFERENT] == 0 && counts[FAILED] > 0,
       "every byte changed: %d errors, %d cut off, %d harmless, %d wrong", counts[FAILED],
       counts[CUT], counts[SAME], counts[DIFFERENT]);
}

/* --- columns --- */

enum { MAX_COLUMN = 4096 };

struct columns {
    uint32_t number;
    uint32_t size[MPG_MAX_COLUMNS];
    uint8_t bytes[MPG_MAX_COLUMNS][MAX_COLUMN];
};

static bool unpack(const uint8_t *stored, const struct mpg_chunk *c, struct columns *columns)
{
    const uint8_t *p = stored, *end = stored + c->stored_bytes;
    columns->number = c->columns;
    for (uint32_t i = 0; i < c->columns; i++) {
        uint64_t raw, n;
        if (!mpg_get_varint(&p, end, &raw) || !mpg_get_varint(&p, end, &n) || raw > MAX_COLUMN)
            return false;
        if (n == raw)
            memcpy(columns->bytes[i], p, n);
        else if (ZSTD_decompress(columns->bytes[i], MAX_COLUMN, p, n) != raw)
            return false;
        columns->size[i] = (uint32_t)raw;
        p += n;
    }
    return p == end;
}

/* Replaces the chunk at OFFSET by one like LIKE, with these COLUMNS and a valid checksum. */
static enum outcome with_columns(size_t offset, const struct mpg_chunk *like,
                                 const struct columns *columns)
{
    struct mpg_chunk c = *like;
    size_t rest = offset + MPG_CHUNK_HEADER_BYTES + c.stored_bytes;
    memcpy(changed, bytes, offset);
    uint8_t *header = changed + offset, *payload = header + MPG_CHUNK_HEADER_BYTES, *p = payload;
    for (uint32_t i = 0; i < columns->number; i++) {
        p = mpg_put_varint(p, columns->size[i]);
        p = mpg_put_varint(p, columns->size[i]);
        memcpy(p, columns->bytes[i], columns->size[i]);
        p += columns->size[i];
    }
    c.stored_bytes = (uint32_t)(p - payload);
    mpg_chunk_pack(&c, payload, header);
    memcpy(p, bytes + rest, size - rest);
    return put_file(changed, (size_t)(p - changed) + size - rest) ? read_file() : FAILED;
}

static const uint8_t values[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 63, 64, 127, 128, 129, 254, 255};
enum { VALUES = sizeof values };

static void damage_columns(size_t offset, const struct mpg_chunk *c, struct columns *columns,
                           int *reads, int *failed)
{
    for (uint32_t i = 0; i < columns->number; i++) {
        for (uint32_t k = 0; k < columns->size[i]; k++) {
            uint8_t saved = columns->bytes[i][k];
            for (size_t v = 0; v < VALUES; v++, ++*reads) {
                columns->bytes[i][k] = values[v];
                *failed += with_columns(offset, c, columns) == FAILED;
            }
            columns->bytes[i][k] = saved;
        }
        uint32_t whole = columns->size[i];
        for (columns->size[i] = 0; columns->size[i] < whole; columns->size[i]++, ++*reads)
            *failed += with_columns(offset, c, columns) == FAILED;
    }
    struct mpg_chunk other = *c;
    for (other.events = 0; other.events < c->events + 3; other.events++, ++*reads)
        *failed += with_columns(offset, &other, columns) == FAILED;
    other = *c;
    for (other.raw_bytes = 1; other.raw_bytes < c->raw_bytes; other.raw_bytes++, ++*reads)
        *failed += with_columns(offset, &other, columns) == FAILED;
}

static void test_columns(void)
{
    static struct columns columns;
    int chunks = 0, intact = 0, reads = 0, failed = 0;
    struct mpg_chunk c;
    for (size_t offset = 0; offset < size && mpg_chunk_unpack(bytes + offset, &c, NULL) == 0;
         offset += MPG_CHUNK_HEADER_BYTES + c.stored_bytes) {
        if (c.kind != MPG_CHUNK_EVENTS ||
            !unpack(bytes + offset + MPG_CHUNK_HEADER_BYTES, &c, &columns))
            continue;
        chunks++;
        intact += with_columns(offset, &c, &columns) == SAME;
        damage_columns(offset, &c, &columns, &reads, &failed);
    }
    ok(chunks == 3 && intact == 3, "%d chunks are made anew", chunks);
    ok(failed > 0 && failed < reads,
       "columns changed under a right checksum: %d of %d refused, none crashed", failed, reads);
}

/* --- a segment --- */

/* Puts a segment with these COLUMNS in place of the chunk C at OFFSET. Returns the segment's size. */
static size_t make_window(size_t offset, const struct mpg_chunk *c, const struct columns *columns)
{
    struct mpg_segment w;
    struct mpg_chunk head = *c;
    size_t rest = offset + MPG_CHUNK_HEADER_BYTES + c->stored_bytes;
    if (mpg_segment_make(&w, NULL, &head, 4096, 1024, NULL, 0, NULL) < 0)
        return 0;
    for (uint32_t i = 0; i < columns->number; i++)
        memcpy(w.column[i], columns->bytes[i], columns->size[i]);
    w.progress->events = c->events;
    w.progress->flags = c->flags;
    w.progress->inside = (uint64_t)c->events << 32 | (MPG_CALL_Barrier + 1);
    size_t window_size = w.size;
    memcpy(changed, bytes, offset);
    memcpy(changed + offset, w.base, window_size);
    memcpy(changed + offset + window_size, bytes + rest, size - rest);
    mpg_segment_drop(&w);
    return window_size;
}

static void test_window(void)
{
    static struct columns columns;
    static uint8_t whole[MAX_BYTES];
    struct mpg_chunk c;
    size_t offset = 0;
    while (mpg_chunk_unpack(bytes + offset, &c, NULL) == 0 && c.kind != MPG_CHUNK_EVENTS)
        offset += MPG_CHUNK_HEADER_BYTES + c.stored_bytes;
    size_t window_size = unpack(bytes + offset + MPG_CHUNK_HEADER_BYTES, &c, &columns)
                             ? make_window(offset, &c, &columns) : 0;
    size_t all = size - MPG_CHUNK_HEADER_BYTES - c.stored_bytes + window_size;
    if (!ok(window_size > 0 && put_file(changed, all) && read_events() == SAME,
            "a window in place of its chunk"))
        return;
    memcpy(whole, changed, all);
    int reads = 0, failed = 0;
    for (size_t i = offset; i < offset + window_size; i++) {
        if (whole[i] == 0 && i > offset + MPG_CHUNK_HEADER_BYTES + MPG_SEGMENT_STATE_BYTES + 64)
            continue; /* beyond the written part */
        for (size_t v = 0; v < VALUES; v++, reads++) {
            memcpy(changed, whole, all);
            changed[i] = values[v];
            failed += !put_file(changed, all) || read_file() == FAILED;
        }
    }
    ok(failed > 0 && failed < reads, "windows changed: %d of %d refused, none crashed", failed,
       reads);
    int wrong = 0;
    for (size_t n = offset + 1; n < offset + window_size; n++) {
        memcpy(changed, whole, n);
        enum outcome o = put_file(changed, n) ? read_file() : DIFFERENT;
        wrong += o == SAME || o == DIFFERENT;
    }
    ok(wrong == 0, "windows cut off at every byte");
}

int main(void)
{
    alarm(300); /* a hang is a failure */
    if (ok(make_trace(), "a small trace")) {
        ok(read_file() == SAME, "reads as it was written");
        test_cut();
        test_changed();
        test_columns();
        test_window();
    }
    unlink(path);
    free(expected);
    return done();
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Damaged native traces (TAP): cut off at every byte, every byte changed, and
 * every byte of the records changed under a right checksum. A reader may fail or
 * say that the file is cut off; it must not crash, hang, or print anything else
 * than what was written. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#include "tests/tap.h"
#include "trace/chunk.h"
#include "trace/reader.h"
#include "trace/text.h"

enum { MAX_BYTES = 1 << 16 };

static const char text[] =
    "#mpgtext 1\n#ranks 2\n#host 0 a\n#host 1 b\n#clock 1 5 7\n#fact 0 program x y\n"
    "#comm 0 = 0 1\n"
    "0 0 1 Init\n"
    "0 2 3 Isend comm=0 to=1 tag=7 bytes=1024 request=1\n"
    "0 4 5 Irecv comm=0 from=1 tag=8 bytes=8 any=source,tag request=2\n"
    "0 6 7 Irecv comm=0 bytes=8 any=source,tag request=3\n"
    "0 8 9 Cancel request=3\n"
    "0 10 11 Waitsome requests=1,2,3 done=3,1 cancelled=3\n"
    "0 12 13 Wait requests=2\n"
    "0 14 15 Recv_init comm=0 bytes=8 any=source,tag persistent=1\n"
    "0 16 17 Start persistent=1 requests=4 matched=4:1:9\n"
    "0 18 19 Wait requests=4\n"
    "0 20 21 Request_free persistent=1\n"
    "0 22 23 Alltoallv comm=0 bytes=1,2\n"
    "0 24 25 Finalize\n"
    "#comm 3 = 0 | 1\n"
    "1 0 1 Init\n"
    "1 2 3 Intercomm_create comm=0 newcomm=3\n"
    "1 4 5 Probe comm=3 from=0 tag=1 bytes=2 any=tag\n"
    "1 6 7 Sendrecv comm=3 to=0 tag=1 bytes=2 from=0 recvtag=-5 recvbytes=3\n"
    "1 8 9 Bcast comm=3 root=root bytes=800\n"
    "1 9223372036854 9223372036855 Finalize\n";

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
    /* Rank 1's last chunk may be missing as a whole. */
    ok(other <= 1 && cut > 0 && failed > 0, "cut off at every byte: %d errors, %d warnings, %d else",
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

/* Replaces the chunk at OFFSET by one with PAYLOAD and a right checksum, reads. */
static enum outcome with_payload(size_t offset, struct mpg_chunk c, const uint8_t *payload)
{
    uint8_t *p = changed + offset;
    size_t rest = offset + MPG_CHUNK_HEADER_BYTES + c.stored_bytes;
    memcpy(changed, bytes, offset);
    size_t n = ZSTD_compress(p + MPG_CHUNK_HEADER_BYTES, MAX_BYTES / 2, payload, c.raw_bytes, 1);
    c.stored_bytes = (uint32_t)n;
    mpg_chunk_pack(&c, p + MPG_CHUNK_HEADER_BYTES, p);
    memcpy(p + MPG_CHUNK_HEADER_BYTES + n, bytes + rest, size - rest);
    return put_file(changed, offset + MPG_CHUNK_HEADER_BYTES + n + size - rest) ? read_file()
                                                                               : FAILED;
}

static void test_records(void)
{
    static const uint8_t values[] = {0, 1, 2, 3, 4, 5, 9, 63, 64, 127, 128, 129, 254, 255};
    struct mpg_error err;
    int chunks = 0, reads = 0, failed = 0;
    for (size_t offset = 0; offset < size;) {
        struct mpg_chunk c;
        uint8_t raw[4096], payload[4096];
        if (mpg_chunk_unpack(bytes + offset, &c, &err) < 0)
            break;
        const uint8_t *stored = bytes + offset + MPG_CHUNK_HEADER_BYTES;
        if (c.kind == MPG_CHUNK_EVENTS) {
            ZSTD_decompress(raw, sizeof raw, stored, c.stored_bytes);
            chunks++;
            for (uint32_t i = 0; i < c.raw_bytes; i++)
                for (size_t v = 0; v < sizeof values; v++, reads++) {
                    memcpy(payload, raw, c.raw_bytes);
                    payload[i] = values[v];
                    failed += with_payload(offset, c, payload) == FAILED;
                }
            struct mpg_chunk other = c;
            for (other.events = 0; other.events < c.events + 3; other.events++, reads++)
                failed += with_payload(offset, other, raw) == FAILED;
            other = c;
            for (other.raw_bytes = 1; other.raw_bytes < c.raw_bytes; other.raw_bytes++, reads++)
                failed += with_payload(offset, other, raw) == FAILED;
        }
        offset += MPG_CHUNK_HEADER_BYTES + c.stored_bytes;
    }
    ok(chunks == 2 && failed > 0 && failed < reads,
       "records changed under a right checksum: %d of %d refused, none crashed", failed, reads);
}

int main(void)
{
    alarm(300); /* a hang is a failure */
    if (ok(make_trace(), "a small trace")) {
        ok(read_file() == SAME, "reads as it was written");
        test_cut();
        test_changed();
        test_records();
    }
    unlink(path);
    free(expected);
    return done();
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Packed numbers and detours of the signature file: round trips without any change. Damaged data, false sizes and
 * decompression bombs cause an error of one line, within little memory. */
#include <math.h>
#include <sys/resource.h>
#include <unistd.h>
#include <zstd.h>

#include "signature/file/detours.h"
#include "signature/file/pack.h"
#include "tests/signature/signature_file.h"
#include "tests/tap.h"

static const char path[] = "test-pack.tmp";

/* ---- the format, implemented independently of the code under test ---- */

/* Returns the Base64 encoding (RFC 4648) of N bytes. The caller frees it. */
static char *base64(const unsigned char *bytes, size_t n)
{
    static const char alphabet[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char *text = calloc(n / 3 + 2, 4);
    size_t used = 0;
    unsigned bits = 0, held = 0;
    if (!text)
        bail("out of memory", "");
    for (size_t i = 0; i < n; i++)
        for (bits = bits << 8 | bytes[i], held += 8; held >= 6; held -= 6)
            text[used++] = alphabet[bits >> (held - 6) & 63];
    if (held > 0)
        text[used++] = alphabet[bits << (6 - held) & 63];
    while (used % 4 != 0)
        text[used++] = '=';
    return text;
}

/* Returns the N bytes of RAW as a zstd frame, which states its content size if SAYS. *SIZE: bytes of the frame, which
 * the caller frees. */
static unsigned char *frame_of(const void *raw, size_t n, bool says, size_t *size)
{
    ZSTD_CCtx *context = ZSTD_createCCtx();
    size_t room = ZSTD_compressBound(n);
    unsigned char *frame = malloc(room);
    if (!context || !frame)
        bail("out of memory", "");
    ZSTD_CCtx_setParameter(context, ZSTD_c_contentSizeFlag, says);
    *size = ZSTD_compress2(context, frame, room, raw, n);
    if (ZSTD_isError(*size))
        bail("zstd:", ZSTD_getErrorName(*size));
    ZSTD_freeCCtx(context);
    return frame;
}

static char *packed_bytes(const void *raw, size_t n)
{
    size_t size;
    unsigned char *frame = frame_of(raw, n, true, &size);
    char *text = base64(frame, size);
    free(frame);
    return text;
}

/* ---- numbers ---- */

/* Checks that unpacking TEXT as N numbers fails with a message of one line that contains WORDS. */
static void refused(const char *what, const char *text, size_t n, const char *words)
{
    struct mpg_error err = {.text = ""};
    uint64_t *number = mpg_unpack(text, n, &err);
    if (!ok(!number && strstr(err.text, words) && !strchr(err.text, '\n'), "refused: %s", what))
        printf("# %s\n", number ? "taken" : err.text);
    free(number);
}

static void test_numbers(void)
{
    enum { N = 4096 };
    static uint64_t number[N];
    struct mpg_error err;
    uint64_t state = 88172645463325252u;
    for (int i = 0; i < N; i++) { /* numbers of all lengths, with the smallest and the largest number of each length */
        state ^= state << 13, state ^= state >> 7, state ^= state << 17;
        uint64_t limit = UINT64_C(1) << (1 + i % 53);
        number[i] = i % 3 == 0 ? limit - 1 : i % 3 == 1 ? limit / 2 : state % limit;
    }
    bool same = true;
    for (size_t n = 0; n <= N && same; n += n < 9 ? 1 : 511)
        for (int level = MPG_PACK_FAST; level <= MPG_PACK_WELL; level += MPG_PACK_WELL - MPG_PACK_FAST) {
            char *text = mpg_pack(number, n, level, &err);
            uint64_t *back = text ? mpg_unpack(text, n, &err) : NULL;
            same = same && back && memcmp(back, number, n * sizeof *number) == 0;
            free(back);
            free(text);
        }
    ok(same, "numbers come back, however many");
    number[7] = MPG_PACK_LIMIT;
    ok(!mpg_pack(number, 8, MPG_PACK_FAST, &err) && strstr(err.text, "number 7"),
       "2^53 is not packed");
    char *known = packed_bytes("\x00\x7f\x80\x01\xff\xff\xff\xff\xff\xff\xff\x0f", 12);
    uint64_t *back = mpg_unpack(known, 4, &err);
    ok(back && back[0] == 0 && back[1] == 127 && back[2] == 128 &&
           back[3] == (UINT64_C(1) << 53) - 1,
       "numbers made by someone else");
    free(back);
    refused("fewer numbers than are there", known, 3, "more than 3 numbers");
    refused("one more", known, 5, "number 4 of 5");
    refused("many more", known, 1000000, "cannot be 1000000 numbers");
    refused("none", known, 0, "cannot be 0 numbers");
    refused("more than memory can have", known, SIZE_MAX / 64, "cannot be");
    free(known);
}

static void test_base64(void)
{
    struct mpg_error err;
    uint64_t number[100];
    for (size_t i = 0; i < 100; i++)
        number[i] = i * i * i;
    char *text = mpg_pack(number, 100, MPG_PACK_FAST, &err), *copy = strdup(text ? text : "");
    size_t length = strlen(copy), taken = 0, silent = 0;
    for (size_t cut = 0; cut < length; cut++) {
        strcpy(copy, text);
        copy[cut] = '\0';
        err.text[0] = '\0';
        uint64_t *back = mpg_unpack(copy, 100, &err);
        taken += back != NULL;
        silent += !back && (!err.text[0] || strchr(err.text, '\n'));
        free(back);
    }
    ok(taken == 0 && silent == 0, "refused: text cut off anywhere, with a word");
    static const char wrong[] = "-_ \n=\x7f!\"\\";
    taken = silent = 0;
    for (size_t i = 0; i < length; i++)
        for (const char *w = wrong; *w; w++) {
            strcpy(copy, text);
            if (copy[i] == *w)
                continue;
            copy[i] = *w;
            err.text[0] = '\0';
            uint64_t *back = mpg_unpack(copy, 100, &err);
            taken += back != NULL;
            silent += !back && (!err.text[0] || strchr(err.text, '\n'));
            free(back);
        }
    ok(taken == 0 && silent == 0, "refused: another alphabet's digit anywhere, with a word");
    free(copy);
    free(text);
    refused("no text", "", 0, "no base64");
    refused("padding only", "====", 0, "base64");
    refused("padding inside", "KL=v/Q==", 1, "base64");
    refused("beyond ASCII", "KLUv\xc3\xa9==", 1, "base64");
    refused("no frame", "AAAA", 1, "zstd");
}

static void test_leb128(void)
{
    static const struct {
        const char *what, *raw;
        size_t bytes, n;
        const char *words;
    } bad[] = {
        {"a zero too long", "\x80\x00", 2, 1, "number 0 of 1"},
        {"a one too long", "\x05\x81\x00", 3, 2, "number 1 of 2"},
        {"a zero of eight bytes", "\x80\x80\x80\x80\x80\x80\x80\x00", 8, 1, "number 0 of 1"},
        {"2^53", "\x80\x80\x80\x80\x80\x80\x80\x10", 8, 1, "number 0 of 1"},
        {"2^56 - 1", "\xff\xff\xff\xff\xff\xff\xff\x7f", 8, 1, "number 0 of 1"},
        {"nine bytes, of two", "\x80\x80\x80\x80\x80\x80\x80\x80\x01", 9, 2, "number 0 of 2"},
        {"ten bytes beyond 64 bits", "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f", 10, 2, "number 0"},
        {"no end", "\x05\x80", 2, 2, "number 1 of 2"},
        {"a number too many", "\x05\x06\x07", 3, 2, "more than 2"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char *text = packed_bytes(bad[i].raw, bad[i].bytes);
        refused(bad[i].what, text, bad[i].n, bad[i].words);
        free(text);
    }
}

/* Frames that state false sizes; the field sizes are those of RFC 8878, section 3.1.1.1. */
static void test_frames(void)
{
    enum { N = 1000, ZEROS = 1 << 30 };
    size_t size;
    char *raw = calloc(N, 1), *text;
    unsigned char *frame = frame_of(raw, N, false, &size);
    refused("a frame that does not say its size", text = base64(frame, size), N, "says its size");
    free(text);
    free(frame);
    frame = frame_of(raw, N, true, &size);
    text = base64(frame, size);
    struct mpg_error err;
    uint64_t *back = mpg_unpack(text, N, &err);
    ok(back != NULL, "the same frame, honest, is taken");
    free(back);
    free(text);
    /* the content size takes two bytes, minus 256, after magic number and descriptor (0x60) */
    if (!ok(frame[4] >> 5 == 3, "whose size has two bytes"))
        bail("another zstd's frames", "");
    frame[5]++;
    refused("a frame that holds one byte less than it says", text = base64(frame, size), N, "damaged");
    free(text);
    frame[5] -= 2;
    refused("and one byte more", text = base64(frame, size), N - 1, "damaged");
    free(text);
    frame[5]++;
    frame = realloc(frame, size + 13);
    memcpy(frame + size, "\x28\xb5\x2f\xfd\x20\x00\x01\x00\x00", 9); /* a frame with an empty block */
    refused("another frame after it", text = base64(frame, size + 9), N, "one whole zstd frame");
    free(text);
    refused("bytes after it", text = base64(frame, size + 1), N, "one whole zstd frame");
    free(text);
    refused("cut off", text = base64(frame, size - 1), N, "one whole zstd frame");
    free(text);
    free(frame);
    free(raw);
}

/* ---- bombs ---- */

/* Returns the peak memory of the process in bytes; 0 if the system does not tell. */
static size_t max_memory(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) == 0 ? (size_t)usage.ru_maxrss * 1024 : 0;
}

/* Returns a frame of 1 GiB of zeros that states the size SAYS, true or false. The frame repeats a run-length block (RFC
 * 8878, section 3.1.1.2): nothing has to be compressed. */
static unsigned char *bomb(uint64_t says, size_t *size)
{
    enum { BLOCK = 128 * 1024, BLOCKS = (1 << 30) / BLOCK };
    unsigned char *frame = malloc(14 + 4 * BLOCKS), *p = frame;
    if (!frame)
        bail("out of memory", "");
    memcpy(p, "\x28\xb5\x2f\xfd\xc0\x38", 6); /* 8 bytes for the size; a window of 128 KiB */
    p += 6;
    for (int i = 0; i < 8; i++)
        *p++ = (unsigned char)(says >> 8 * i);
    for (int i = 0; i < BLOCKS; i++) {
        uint32_t header = (uint32_t)BLOCK << 3 | 1 << 1 | (i == BLOCKS - 1);
        *p++ = (unsigned char)header;
        *p++ = (unsigned char)(header >> 8);
        *p++ = (unsigned char)(header >> 16);
        *p++ = 0;
    }
    *size = (size_t)(p - frame);
    return frame;
}

static void test_bombs(void)
{
    static const uint64_t says[] = {UINT64_C(1) << 30, 16, UINT64_MAX - 1, UINT64_C(1) << 62};
    size_t size;
    /* The frame is valid: zstd itself decompresses it. */
    unsigned char *frame = bomb(says[0], &size);
    ok(ZSTD_getFrameContentSize(frame, size) == says[0] &&
           ZSTD_findFrameCompressedSize(frame, size) == size && size < 40000,
       "a frame of %zu bytes for 1 GiB", size);
    free(frame);
    for (size_t i = 0; i < sizeof says / sizeof *says; i++) {
        frame = bomb(says[i], &size);
        char *text = base64(frame, size), what[80];
        snprintf(what, sizeof what, "1 GiB that says %llu bytes", (unsigned long long)says[i]);
        refused(what, text, 16, says[i] == 16 ? "damaged" : i == 2 ? "zstd frame" : "cannot be");
        /* A signature with this frame is refused within the memory justified by the packed bytes. */
        char *file = malloc(strlen(text) + 400);
        if (!file)
            bail("out of memory", "");
        sprintf(file, "{\"format\": \"mpgkit-signature\", \"version\": [4, 0], \"noise\": [{\"core\": 0, "
                "\"span_ns\": 1e9, \"detours\": {\"n\": %d, \"packed\": \"%s\"}}]}",
                says[i] == 16 ? 8 : 1000000, text);
        struct mpg_error err = {.text = ""};
        struct mpg_signature *sig = load_bytes(path, file, strlen(file), &err);
        if (!ok(!sig && strstr(err.text, "noise[0]: detours") && !strchr(err.text, '\n'),
                "refused in a signature: %s", what))
            printf("# %s\n", sig ? "taken" : err.text);
        mpg_signature_free(sig);
        free(file);
        free(text);
        free(frame);
    }
}

/* ---- detours ---- */

static const double grid[] = {1, 0.1, 0.01, 0.001};

/* Fills CORE with N detours, always the same, whose times in START and DURATION are multiples of 1 / PARTS ns. */
static void make_core(struct mpg_noise_core *core, double *start, double *duration, size_t n,
                      int parts)
{
    uint64_t state = 2463534242u, at = 0;
    for (size_t i = 0; i < n; i++) {
        state ^= state << 13, state ^= state >> 7, state ^= state << 17;
        at += i % 7 == 3 ? 0 : state % 1000000;
        uint64_t length = 1 + state % 9999;
        start[i] = i > 0 && i % 7 == 3 ? start[i - 1] + duration[i - 1] : (double)at / parts;
        duration[i] = (double)length / parts;
        at += length;
    }
    *core = (struct mpg_noise_core){.detours = n, .start_ns = start, .duration_ns = duration};
}

static void test_detours(void)
{
    enum { N = 500 };
    static double start[N], duration[N];
    struct mpg_noise_core core;
    struct mpg_error err;
    for (int parts = 1, k = 0; parts <= 1000; parts *= 10, k++) {
        make_core(&core, start, duration, N, parts);
        ok(mpg_detours_parts(&core) == parts, "times of %g ns: %d parts", grid[k], parts);
        char *text = mpg_detours_pack(&core, parts, MPG_PACK_WELL, &err);
        struct mpg_noise_core back = {0};
        int status = text ? mpg_detours_unpack(text, N, parts, &back, &err) : -1;
        ok(status == 0 && back.detours == N && memcmp(back.start_ns, start, sizeof start) == 0 &&
               memcmp(back.duration_ns, duration, sizeof duration) == 0,
           "times of %g ns come back bit for bit", grid[k]);
        free(back.start_ns);
        free(back.duration_ns);
        free(text);
    }
    start[N - 1] += 0.00025;
    ok(mpg_detours_parts(&core) == 0, "a quarter of a ps is on no grid");
    char *text = packed_bytes("\x80\x80\x80\x80\x80\x80\x80\x08\x80\x80\x80\x80\x80\x80\x80\x08", 16);
    struct mpg_noise_core back = {0};
    ok(mpg_detours_unpack(text, 1, 1, &back, &err) < 0 && strstr(err.text, "beyond 2^53"),
       "a detour that ends beyond 2^53 parts is refused");
    free(back.start_ns);
    free(back.duration_ns);
    free(text);
}

/* ---- marks of off-CPU detours ---- */

/* Checks that TEXT, which marks MARKED of N detours, is refused with a message of one line that contains WORDS. */
static void refused_marks(const char *what, const char *text, size_t marked, size_t n,
                          const char *words)
{
    struct mpg_error err = {.text = ""};
    uint8_t *off = NULL;
    int status = mpg_detours_unpack_off(text, marked, n, &off, &err);
    if (!ok(status < 0 && !off && strstr(err.text, words) && !strchr(err.text, '\n'), "refused: %s", what))
        printf("# %s\n", status < 0 ? err.text : "taken");
    free(off);
}

/* Returns how many of COUNT random patterns of marks change in a round trip. */
static int lost_marks(int count)
{
    struct mpg_error err;
    uint64_t state = 88172645463325252u;
    int lost = 0;
    for (int k = 0; k < count; k++) {
        uint8_t off[100];
        size_t n = (size_t)k % 100, marked = 0, set = 0;
        for (size_t i = 0; i < n; i++) {
            state ^= state << 13, state ^= state >> 7, state ^= state << 17;
            set += off[i] = k % 3 == 0 ? 0 : k % 3 == 1 ? 1 : state % 5 == 0;
        }
        char *text = mpg_detours_pack_off(off, n, MPG_PACK_WELL, &marked, &err);
        uint8_t *back = NULL;
        if (!text || marked != set || mpg_detours_unpack_off(text, marked, n, &back, &err) < 0 ||
            memcmp(back, off, n) != 0)
            lost++;
        free(back);
        free(text);
    }
    return lost;
}

static void test_marks(void)
{
    struct mpg_error err;
    uint8_t *off = NULL;
    ok(lost_marks(300) == 0, "which detours were off the CPU comes back: none, all, some");
    char *text = packed_bytes("\x02\x00\x01", 3); /* unmarked detours before each mark: 2, 0, 1 */
    ok(mpg_detours_unpack_off(text, 3, 6, &off, &err) == 0 && memcmp(off, "\0\0\1\1\0\1", 6) == 0,
       "marks made by someone else");
    free(off);
    refused_marks("a mark beyond the last detour", text, 3, 5, "mark 2 is beyond");
    refused_marks("fewer marks than are there", text, 2, 6, "more than 2 numbers");
    free(text);
    text = packed_bytes("\xff\xff\xff\xff\xff\xff\xff\x0f", 8);
    refused_marks("a mark at 2^53", text, 1, 6, "mark 0 is beyond");
    free(text);
}

int main(void)
{
    /* enough for the library and for a valid file of a million numbers, but not for a decompression bomb; a sanitizer
     * needs the whole address space */
    enum { PERMITTED = 256 << 20 };
#if !defined __SANITIZE_ADDRESS__
    struct rlimit limit = {PERMITTED, PERMITTED};
    void *(*volatile get)(size_t) = malloc; /* otherwise the compiler may assume that malloc() succeeds */
    ok(setrlimit(RLIMIT_AS, &limit) == 0 && !get((size_t)1 << 30), "there is no GiB to be had");
#endif
    test_numbers();
    test_base64();
    test_leb128();
    test_frames();
    test_bombs();
    test_detours();
    test_marks();
    size_t max = max_memory();
    ok(max > 0 && max < PERMITTED, "all of it within %zu MB", (size_t)PERMITTED >> 20);
    unlink(path);
    return done();
}

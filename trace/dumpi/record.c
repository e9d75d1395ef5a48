/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads a DUMPI file: big-endian numbers, sections and records. */
#include "trace/dumpi/record.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MAGIC_BYTES = 8, END_OF_STREAM_PLUS = 3, MASK_STATUS = 3, MASK_CPU = 4, MASK_WALL = 8, MASK_THREAD = 64,
      MASK_COUNTERS = 128 };

static const unsigned char magic[MAGIC_BYTES] = {0xff, 0xaa, 0xdd, 'D', 'U', 'M', 'P', 'I'};

/* --- numbers --- */

/* Makes BYTES bytes available at f->at. Returns false if the file has fewer. */
static bool fill(struct dumpi_file *f, size_t bytes)
{
    const size_t rest = f->filled - f->at;
    memmove(f->block, f->block + f->at, rest);
    const size_t more = fread(f->block + rest, 1, sizeof f->block - rest, f->in);
    f->at = 0;
    f->filled = rest + more;
    f->end += (int64_t)more;
    return f->filled >= bytes;
}

static inline uint64_t get(struct dumpi_file *f, int bytes)
{
    uint64_t value = 0;
    if (f->filled - f->at < (size_t)bytes && !fill(f, (size_t)bytes)) {
        f->failed = true;
        f->at = f->filled;
        return 0;
    }
    for (int i = 0; i < bytes; i++)
        value = value << 8 | f->block[f->at++];
    return value;
}

static int32_t get_int(struct dumpi_file *f)
{
    return (int32_t)(uint32_t)get(f, 4);
}

static void skip(struct dumpi_file *f, uint64_t bytes)
{
    for (uint64_t i = 0; i < bytes && !f->failed; i++)
        (void)get(f, 1);
}

/* Reads the number of items that follow; a negative number, from a damaged file, counts as 0. */
static uint32_t get_count(struct dumpi_file *f)
{
    const int32_t n = get_int(f);
    return n > 0 ? (uint32_t)n : 0;
}

static bool append(struct dumpi_list *l, int32_t value)
{
    if (l->n == l->capacity) {
        const size_t capacity = l->capacity ? 2 * l->capacity : 16;
        int32_t *grown = realloc(l->at, capacity * sizeof *grown);
        if (!grown)
            return false;
        l->at = grown;
        l->capacity = capacity;
    }
    l->at[l->n++] = value;
    return true;
}

/* Reads a list of numbers, each of BYTES bytes, and appends the numbers to L. Memory grows with the data read, not with the
 * count in the file, which can be wrong. */
static bool get_list(struct dumpi_file *f, struct dumpi_list *l, int bytes)
{
    const uint32_t n = get_count(f);
    for (uint32_t i = 0; i < n && !f->failed; i++)
        if (!append(l, (int32_t)(uint32_t)get(f, bytes)))
            return false;
    return true;
}

static void skip_strings(struct dumpi_file *f, int depth)
{
    const uint32_t n = get_count(f);
    if (depth == 0)
        skip(f, n);
    for (uint32_t i = 0; depth > 0 && i < n && !f->failed; i++)
        skip_strings(f, depth - 1);
}

static bool has_version(const struct dumpi_file *f, int major, int minor, int min)
{
    const int have = f->version[0] << 16 | f->version[1] << 8 | f->version[2];
    return have >= (major << 16 | minor << 8 | min);
}

static bool get_statuses(struct dumpi_file *f, struct dumpi_record *r)
{
    const uint32_t n = get_count(f);
    for (uint32_t i = 0; i < n && !f->failed; i++) {
        if (r->status_number == r->status_capacity) {
            const size_t capacity = r->status_capacity ? 2 * r->status_capacity : 16;
            void *grown = realloc(r->statuses, capacity * sizeof *r->statuses);
            if (!grown)
                return false;
            r->statuses = grown;
            r->status_capacity = capacity;
        }
        struct dumpi_status *s = &r->statuses[r->status_number++];
        s->bytes = get_int(f);
        s->source = get_int(f);
        s->cancelled = get(f, 1) == 1;
        (void)get(f, 1);
        s->tag = has_version(f, 0, 6, 3) ? get_int(f) : -1;
    }
    return true;
}

/* --- sections --- */

static bool seek(struct dumpi_file *f, int64_t at)
{
    f->failed = at < 0 || at > f->size_bytes || fseeko(f->in, at, SEEK_SET) != 0;
    f->at = f->filled = 0;
    f->end = at;
    return !f->failed;
}

static void read_header(struct dumpi_file *f, int64_t at)
{
    if (!seek(f, at))
        return;
    for (int i = 0; i < 3; i++)
        f->version[i] = (uint8_t)get(f, 1);
    skip(f, 8); /* start time of the program */
    const size_t n = (size_t)get(f, 2);
    for (size_t i = 0; i < n && !f->failed; i++) {
        const char c = (char)get(f, 1);
        if (i + 1 < sizeof f->host) {
            f->host[i] = c;
            f->host[i + 1] = '\0';
        }
    }
}

/* Reads the index in the last 64 bytes of the file: a magic number, then offsets of sizes, addresses, counters, header, body,
 * footer and keys. Older files lack the first offsets. */
static void read_index(struct dumpi_file *f)
{
    uint64_t words[8];
    int first = 0;
    const uint64_t mark = UINT64_C(0xffaadd44554d5049);
    if (f->size_bytes < (int64_t)sizeof words + MAGIC_BYTES || !seek(f, f->size_bytes - (int64_t)sizeof words))
        return;
    for (int i = 0; i < 8; i++)
        words[i] = get(f, 8);
    while (first < 4 && words[first] != mark)
        first++;
    if (first == 4 || words[5] < MAGIC_BYTES || words[5] > (uint64_t)f->size_bytes || words[4] > (uint64_t)f->size_bytes)
        return;
    f->is_whole = true;
    f->body = (int64_t)words[5];
    read_header(f, (int64_t)words[4]);
    if (first == 0 && words[1] > 0 && words[1] < (uint64_t)f->size_bytes && seek(f, (int64_t)words[1]))
        (void)get_list(f, &f->sizes, 4);
}

int mpg_dumpi_begin(struct dumpi_file *f, struct mpg_error *err)
{
    struct stat st;
    unsigned char first[MAGIC_BYTES];
    f->body = MAGIC_BYTES;
    memcpy(f->version, (uint8_t[3]){1, 0, 0}, sizeof f->version);
    if (fstat(fileno(f->in), &st) < 0 || fread(first, 1, sizeof first, f->in) != sizeof first ||
        memcmp(first, magic, sizeof magic) != 0)
        return mpg_error_set(err, "not a file of DUMPI");
    f->size_bytes = st.st_size;
    read_index(f);
    if (f->is_whole && !has_version(f, 0, 6, 9))
        return mpg_error_set(err, "version %d.%d.%d of DUMPI; 0.6.9 is the oldest that mpgkit reads", f->version[0],
                             f->version[1],
                             f->version[2]);
    if (!seek(f, f->body))
        return mpg_error_set(err, "its index is damaged");
    (void)get(f, 4);
    f->bias = (uint32_t)get(f, 4);
    return 0;
}

void mpg_dumpi_end(struct dumpi_file *f)
{
    free(f->sizes.at);
    f->sizes = (struct dumpi_list){.n = 0};
}

/* --- records --- */

/* Reads a time, ns. The seconds have 16 bits and overflow after 18 hours; f->wrapped_ns corrects overflows. */
static int64_t get_time(struct dumpi_file *f)
{
    const int64_t second = 1000000000, cycle = 65536 * second;
    const int64_t seconds = (int64_t)get(f, 2), ns = (int64_t)get(f, 4);
    int64_t time = ((int64_t)f->bias + seconds) * second + ns + f->wrapped_ns;
    if (f->last_ns - time > cycle / 2) {
        f->wrapped_ns += cycle;
        time += cycle;
    }
    f->last_ns = time;
    return time;
}

static void read_times(struct dumpi_file *f, struct dumpi_record *r, unsigned mask)
{
    r->thread = mask & MASK_THREAD ? (uint32_t)get(f, 2) : 0;
    if (mask & MASK_CPU)
        skip(f, 12);
    r->has_times = mask & MASK_WALL;
    if (mask & MASK_WALL) {
        r->enter_ns = get_time(f);
        r->leave_ns = get_time(f);
    }
    if (mask & MASK_COUNTERS)
        skip(f, 16 * get(f, 1));
}

/* Reads an argument into R. LETTER: kind of the argument (struct dumpi_layout). Returns false if out of memory, or if R has no
 * room for the argument. */
static bool read_argument(struct dumpi_file *f, struct dumpi_record *r, char letter, unsigned mask)
{
    struct dumpi_list unused = {.n = 0};
    int64_t value;
    bool done = true;
    switch (letter) {
    case 'S':
        return !(mask & MASK_STATUS) || get_statuses(f, r);
    case 'I':
    case 'R':
    case 'T':
        return r->list_number < DUMPI_MAX_LISTS && get_list(f, &r->lists[r->list_number++], letter == 'T' ? 2 : 4);
    case 'D':
        if (r->list_number == DUMPI_MAX_LISTS)
            return false;
        for (uint32_t i = 0, n = get_count(f); i < n && done && !f->failed; i++)
            done = get_list(f, &r->lists[r->list_number], 4);
        r->list_number++;
        return done;
    case 'H':
    case 'B':
        done = get_list(f, &unused, letter == 'H' ? 2 : 1);
        free(unused.at);
        return done;
    case 'C':
        skip_strings(f, 0);
        return true;
    case 'A':
    case 'X':
        skip_strings(f, 1);
        return true;
    case 'Y':
        skip_strings(f, 2);
        return true;
    case 'h':
        value = (int64_t)get(f, 2);
        break;
    case 'b':
        value = (int64_t)get(f, 1);
        break;
    case 'L':
        value = (int64_t)get(f, 8);
        break;
    default:
        value = get_int(f);
        break;
    }
    if (r->scalar_number == DUMPI_MAX_SCALARS)
        return false;
    r->scalars[r->scalar_number++] = value;
    return true;
}

static int read_arguments(struct dumpi_file *f, struct dumpi_record *r, unsigned mask, struct mpg_error *err)
{
    int64_t rank = -1, root = -2;
    for (const char *p = mpg_dumpi_layouts[r->function].arguments; *p && !f->failed; p++) {
        if (*p == '?' && rank != root) {
            p++;
            continue;
        }
        if (*p == '?')
            p++;
        if (!read_argument(f, r, *p, mask))
            return mpg_error_set(err, "out of memory");
        if (*p == 'a')
            rank = r->scalars[r->scalar_number - 1];
        if (*p == 'o')
            root = r->scalars[r->scalar_number - 1];
    }
    return 0;
}

/* Reads a record like mpg_dumpi_next(). *IS_CALL: true for an MPI call, false for the mark of a function of the program. */
static int read_record(struct dumpi_file *f, struct dumpi_record *r, bool *is_call, struct mpg_error *err)
{
    const int64_t at = f->end - (int64_t)(f->filled - f->at);
    const unsigned function = (unsigned)get(f, 2);
    if (f->failed || function == mpg_dumpi_layout_number + END_OF_STREAM_PLUS)
        return f->failed && f->is_whole ? mpg_error_set(err, "its records end without an end mark") : 0;
    *is_call = function < mpg_dumpi_layout_number;
    if (function > mpg_dumpi_layout_number + 2 || function == mpg_dumpi_layout_number)
        return mpg_error_set(err, "byte %lld: not a function of DUMPI (%u)", (long long)at, function);
    r->function = function;
    r->scalar_number = r->list_number = 0;
    r->status_number = 0;
    for (int i = 0; i < DUMPI_MAX_LISTS; i++)
        r->lists[i].n = 0;
    const unsigned mask = (unsigned)get(f, 1);
    read_times(f, r, mask);
    if (!*is_call)
        skip(f, 8); /* address of the program's function */
    else if (read_arguments(f, r, mask, err) < 0)
        return -1;
    if (f->failed)
        return f->is_whole ? mpg_error_set(err, "byte %lld: the file ends inside a record", (long long)at) : 0;
    return 1;
}

int mpg_dumpi_next(struct dumpi_file *f, struct dumpi_record *r, struct mpg_error *err)
{
    bool is_call = false;
    int more = 1;
    while (more > 0 && !is_call)
        more = read_record(f, r, &is_call, err);
    return more;
}

void mpg_dumpi_record_clear(struct dumpi_record *r)
{
    for (int i = 0; i < DUMPI_MAX_LISTS; i++)
        free(r->lists[i].at);
    free(r->statuses);
}

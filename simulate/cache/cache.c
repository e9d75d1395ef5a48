/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layout of the file: magic, format version, build of mpgkit (length, text), checksum of the trace, number of findings, for each
 * finding the key and the value (each as length and bytes), and a digest of everything before, under the user's key. Numbers have
 * 64 bits. */
#include "simulate/cache/cache.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/output.h"
#include "graph/algorithms/table.h"
#include "simulate/cache/build.h"
#include "simulate/cache/siphash.h"
#include "simulate/rules.h"
#include "trace/output.h"

enum { FORMAT = 2, SUM_BYTES = 8, MAX_FINDINGS = 64, MIN_LIMIT_BYTES = 16 << 20 };

static const char magic[8] = {'M', 'P', 'G', 'F', 'L', 'O', 'O', 'R'};

struct finding {
    struct mpg_bytes key, found;
};

struct mpg_cache {
    char *path;
    bool writes;
    uint8_t key[MPG_SIPHASH_KEY_BYTES];
    uint64_t sum, limit_bytes;
    size_t n;
    struct finding finding[MAX_FINDINGS]; /* findings in the order of insertion */
};

static void drop(struct mpg_cache *k, size_t i)
{
    mpg_bytes_clear(&k->finding[i].key);
    mpg_bytes_clear(&k->finding[i].found);
    memmove(&k->finding[i], &k->finding[i + 1], (--k->n - i) * sizeof *k->finding);
}

static void drop_all(struct mpg_cache *k)
{
    while (k->n > 0)
        drop(k, k->n - 1);
}

/* Appends a copy of the key and of the finding. Returns false: out of memory. */
static bool append(struct mpg_cache *k, const uint8_t *key, size_t key_bytes, const uint8_t *found,
                   size_t found_bytes)
{
    struct finding *f = &k->finding[k->n];
    *f = (struct finding){0};
    mpg_bytes_put(&f->key, key, key_bytes);
    mpg_bytes_put(&f->found, found, found_bytes);
    k->n++;
    if (!f->key.failed && !f->found.failed)
        return true;
    drop(k, k->n - 1);
    return false;
}

/* --- reading --- */

/* Returns the content of the regular file PATH, of at most LIMIT bytes, if the user owns the file; NULL: not readable. */
static uint8_t *read_file(const char *path, uint64_t limit, size_t *size)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW);
    struct stat st;
    uint8_t *data = NULL;
    if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == geteuid() && st.st_size > SUM_BYTES &&
        (uint64_t)st.st_size <= limit && (data = malloc((size_t)st.st_size))) {
        *size = (size_t)st.st_size;
        for (size_t done = 0; data && done < *size;) {
            const ssize_t n = pread(fd, data + done, *size - done, (off_t)done);
            if (n > 0) {
                done += (size_t)n;
                continue;
            }
            free(data);
            data = NULL;
        }
    }
    if (fd >= 0)
        close(fd);
    return data;
}

static bool is_next(struct mpg_bytes_left *left, const void *expected, size_t size)
{
    const uint8_t *p = mpg_bytes_get(left, size);
    return p && memcmp(p, expected, size) == 0;
}

static bool is_ours(const struct mpg_cache *k, struct mpg_bytes_left *left)
{
    char build[MPG_BUILD_BYTES];
    const size_t length = mpg_build_text(build);
    return is_next(left, magic, sizeof magic) && mpg_bytes_get_u64(left) == FORMAT &&
           mpg_bytes_get_u64(left) == length && is_next(left, build, length) &&
           mpg_bytes_get_u64(left) == k->sum && !left->failed;
}

static void read_findings(struct mpg_cache *k, struct mpg_bytes_left *left)
{
    const uint64_t n = mpg_bytes_get_below(left, MAX_FINDINGS + 1);
    for (uint64_t i = 0; i < n; i++) {
        const size_t key_bytes = mpg_bytes_get_number(left, 1);
        const uint8_t *key = mpg_bytes_get(left, key_bytes);
        const size_t found_bytes = mpg_bytes_get_number(left, 1);
        const uint8_t *found = mpg_bytes_get(left, found_bytes);
        if (left->failed || !append(k, key, key_bytes, found, found_bytes))
            break;
    }
    if (left->failed || left->p != left->end)
        drop_all(k);
}

static void read_cache(struct mpg_cache *k)
{
    size_t size;
    uint8_t *data = read_file(k->path, 2 * k->limit_bytes, &size);
    if (!data)
        return;
    struct mpg_bytes_left left = {data, data + size - SUM_BYTES, false};
    struct mpg_bytes_left sum = {data + size - SUM_BYTES, data + size, false};
    if (mpg_bytes_get_u64(&sum) == mpg_siphash(k->key, data, size - SUM_BYTES) && is_ours(k, &left))
        read_findings(k, &left);
    free(data);
}

/* Returns the file name of the cache for the trace at PATH; NULL: a cache is impossible. */
static char *file_of(const char *path)
{
    struct stat st;
    const char *name = strcmp(path, "-") == 0 || stat(path, &st) < 0 ? NULL
                       : S_ISDIR(st.st_mode)                         ? "/" MPG_NAME_OF_FLOORS
                       : S_ISREG(st.st_mode)                         ? ".floors"
                                                                     : NULL;
    char *file = name ? malloc(strlen(path) + strlen(name) + 1) : NULL;
    return file ? strcat(strcpy(file, path), name) : NULL;
}

/* Returns whether the trace at PATH, a folder or file, belongs to the user. Nothing is written beside another user's trace, even
 * in a writable folder, because the owner could neither use nor replace the file. */
static bool is_own(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && st.st_uid == geteuid();
}

struct mpg_cache *mpg_cache_open(const struct mpg_trace *trace, bool writes)
{
    struct mpg_cache *k = calloc(1, sizeof *k);
    if (!k || !mpg_siphash_key(k->key) || !mpg_trace_sum(trace, &k->sum) || !(k->path = file_of(mpg_trace_path(trace)))) {
        free(k);
        return NULL;
    }
    k->writes = writes && is_own(mpg_trace_path(trace));
    const uint64_t bytes = mpg_trace_bytes(trace);
    k->limit_bytes = bytes > MIN_LIMIT_BYTES ? bytes : MIN_LIMIT_BYTES;
    read_cache(k);
    return k;
}

void mpg_cache_close(struct mpg_cache *k)
{
    if (!k)
        return;
    drop_all(k);
    free(k->path);
    free(k);
}

/* --- findings --- */

static const struct finding *find(const struct mpg_cache *k, const struct mpg_bytes *key)
{
    for (size_t i = 0; i < k->n; i++) {
        const struct mpg_bytes *known = &k->finding[i].key;
        if (known->size == key->size && memcmp(known->data, key->data, key->size) == 0)
            return &k->finding[i];
    }
    return NULL;
}

bool mpg_cache_find(const struct mpg_cache *k, const struct mpg_bytes *key,
                   struct mpg_bytes_left *left)
{
    const struct finding *f = k && !key->failed ? find(k, key) : NULL;
    if (!f)
        return false;
    *left = (struct mpg_bytes_left){f->found.data, f->found.data + f->found.size, false};
    return true;
}

/* Returns whether the process may write a file of BYTES; a larger file would raise a signal. */
static bool may_have(size_t bytes)
{
    struct rlimit limit;
    return getrlimit(RLIMIT_FSIZE, &limit) < 0 || limit.rlim_cur == RLIM_INFINITY ||
           bytes <= limit.rlim_cur;
}

/* Replaces the file. Findings added by other runs since the file was read are lost; a later run computes lost findings again. */
static void write_cache(const struct mpg_cache *k)
{
    char build[MPG_BUILD_BYTES];
    const size_t length = mpg_build_text(build);
    struct mpg_bytes b = {0};
    struct mpg_error err;
    struct stat st;
    mpg_bytes_put(&b, magic, sizeof magic);
    mpg_bytes_put_u64(&b, FORMAT);
    mpg_bytes_put_u64(&b, length);
    mpg_bytes_put(&b, build, length);
    mpg_bytes_put_u64(&b, k->sum);
    mpg_bytes_put_u64(&b, k->n);
    for (size_t i = 0; i < k->n; i++) {
        const struct finding *f = &k->finding[i];
        mpg_bytes_put_u64(&b, f->key.size);
        mpg_bytes_put(&b, f->key.data, f->key.size);
        mpg_bytes_put_u64(&b, f->found.size);
        mpg_bytes_put(&b, f->found.data, f->found.size);
    }
    if (!b.failed)
        mpg_bytes_put_u64(&b, mpg_siphash(k->key, b.data, b.size));
    const bool is_free = lstat(k->path, &st) < 0 || S_ISREG(st.st_mode);
    struct mpg_output *out = b.failed || !is_free || !may_have(b.size) ? NULL : mpg_output_open(k->path, &err);
    if (out) {
        (void)fwrite(b.data, 1, b.size, mpg_output_stream(out));
        (void)mpg_output_commit(out, &err); /* if the disk is full, the old file remains */
    }
    mpg_bytes_clear(&b);
}

void mpg_cache_add(struct mpg_cache *k, const struct mpg_bytes *key, const struct mpg_bytes *found)
{
    if (!k || key->failed || found->failed || key->size + found->size > k->limit_bytes)
        return;
    const struct finding *old = find(k, key);
    if (old)
        drop(k, (size_t)(old - k->finding));
    uint64_t bytes = key->size + found->size;
    for (size_t i = 0; i < k->n; i++)
        bytes += k->finding[i].key.size + k->finding[i].found.size;
    while (k->n == MAX_FINDINGS || (k->n > 0 && bytes > k->limit_bytes)) {
        bytes -= k->finding[0].key.size + k->finding[0].found.size;
        drop(k, 0);
    }
    if (append(k, key->data, key->size, found->data, found->size) && k->writes)
        write_cache(k);
}

void mpg_cache_key(struct mpg_bytes *key, const char *name, const struct mpg_graph_options *o,
                  enum mpg_clock_source source)
{
    const uint64_t numbers[] = {(uint64_t)o->eager_limit_bytes,
                                (uint64_t)o->source_eager_limit_bytes,
                                o->sync_reduce,
                                o->lenient,
                                o->choose,
                                o->by_completion,
                                o->choose_sources,
                                o->horizon,
                                o->expand ? mpg_collective_table_sum(o->expand) : 0,
                                o->expand != NULL,
                                o->expand_some,
                                mpg_unexpanded_sum(o->unexpanded),
                                o->has_weak_progress,
                                o->has_weak_progress ? mpg_weak_progress_sum(&o->weak) : 0,
                                o->nonblocking_table ? mpg_collective_table_sum(o->nonblocking_table) : 0,
                                (uint64_t)source,
                                mpg_rules_left_out()};
    mpg_bytes_put(key, name, strlen(name) + 1);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        mpg_bytes_put_u64(key, numbers[i]);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads profiles. The file of a killed process may lack its last call, row or definition, because the tracer stores counts last,
 * but every number in the file is valid. */
#define _GNU_SOURCE
#include "trace/profile/profile.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "trace/profile/definitions.h"
#include "trace/store/chunk.h"
#include "trace/store/process.h"

enum { MAX_PROFILE_BYTES = 1 << 28 };

struct mpg_profile {
    char *path;
    char **files;
    size_t file_number, file; /* number of files; index of the file being read */
    FILE *stream;
    uint8_t *data; /* payload of the chunk being read */
    struct mpg_profile_row *rows;
    int64_t *values; /* counter values of all rows */
    struct profile_definitions definitions;
    int32_t ranks, ranks_read;
    char run[32]; /* fact "run" of the ranks read; empty: none yet */
    uint8_t *seen;
};

static int out_of_memory(struct mpg_error *err)
{
    return mpg_error_set(err, "out of memory");
}

/* --- files --- */

static bool ends(const char *name, const char *end)
{
    const size_t n = strlen(name), m = strlen(end);
    return n > m && strcmp(name + n - m, end) == 0;
}

static int is_profile_file(const struct dirent *entry)
{
    return ends(entry->d_name, ".profile.mpgt");
}

bool mpg_profile_is(const char *path)
{
    struct stat info;
    uint8_t header[MPG_CHUNK_HEADER_BYTES];
    struct mpg_chunk chunk;
    if (strcmp(path, "-") == 0 || stat(path, &info) < 0)
        return false;
    if (S_ISDIR(info.st_mode)) {
        DIR *folder = opendir(path);
        bool found = false;
        for (struct dirent *e; folder && !found && (e = readdir(folder));)
            found = is_profile_file(e);
        if (folder)
            closedir(folder);
        return found;
    }
    FILE *f = S_ISREG(info.st_mode) ? fopen(path, "rb") : NULL;
    bool found = f && fread(header, 1, sizeof header, f) == sizeof header &&
                 mpg_chunk_unpack(header, &chunk, NULL) == 0 && chunk.kind == MPG_CHUNK_PROFILE;
    if (f)
        (void)fclose(f);
    return found;
}

static int list_folder(struct mpg_profile *p, struct mpg_error *err)
{
    struct dirent **entries;
    int count = scandir(p->path, &entries, is_profile_file, alphasort), status = 0;
    if (count < 0)
        return mpg_error_errno(err, errno, "%s", p->path);
    p->files = calloc((size_t)count + 1, sizeof *p->files);
    if (!p->files)
        status = out_of_memory(err);
    for (int i = 0; i < count; i++) {
        char *name = NULL;
        if (status == 0 && asprintf(&name, "%s/%s", p->path, entries[i]->d_name) < 0)
            status = out_of_memory(err);
        if (status == 0)
            p->files[p->file_number++] = name;
        free(entries[i]);
    }
    free(entries);
    if (status == 0 && count == 0)
        status = mpg_error_set(err, "%s: no profile (*.profile.mpgt) in this folder", p->path);
    return status;
}

struct mpg_profile *mpg_profile_open(const char *path, struct mpg_error *err)
{
    struct stat info;
    struct mpg_profile *p = calloc(1, sizeof *p);
    int status = 0;
    if (!p || !(p->path = strdup(path)))
        status = out_of_memory(err);
    else if (stat(path, &info) < 0)
        status = mpg_error_errno(err, errno, "%s", path);
    else if (S_ISDIR(info.st_mode))
        status = list_folder(p, err);
    else if (!(p->files = calloc(1, sizeof *p->files)) || !(p->files[0] = strdup(path)))
        status = out_of_memory(err);
    else
        p->file_number = 1;
    if (status == 0)
        return p;
    mpg_profile_close(p);
    return NULL;
}

/* Reads the HEADER of the next chunk in any file. Returns 1; 0: no further chunk; -1 with ERR. */
static int next_chunk(struct mpg_profile *p, uint8_t *header, struct mpg_chunk *chunk,
                      struct mpg_error *err)
{
    for (;; p->file++) {
        if (p->file == p->file_number)
            return 0;
        const char *name = p->files[p->file];
        if (!p->stream && !(p->stream = fopen(name, "rb")))
            return mpg_error_errno(err, errno, "%s", name);
        const size_t n = fread(header, 1, MPG_CHUNK_HEADER_BYTES, p->stream);
        if (ferror(p->stream))
            return mpg_error_errno(err, errno, "%s", name);
        if (n == MPG_CHUNK_HEADER_BYTES)
            return mpg_chunk_unpack(header, chunk, err) < 0 ? mpg_error_prefix(err, "%s", name) : 1;
        if (n > 0)
            return mpg_error_set(err, "%s: ends within a header", name);
        (void)fclose(p->stream);
        p->stream = NULL;
    }
}

static int read_payload(struct mpg_profile *p, const uint8_t *header, const struct mpg_chunk *c,
                        struct mpg_error *err)
{
    const char *name = p->files[p->file];
    if (c->kind != MPG_CHUNK_PROFILE)
        return mpg_error_set(err, "%s: holds events, not a profile", name);
    if (c->stored_bytes < sizeof(struct mpg_profile_head) || c->stored_bytes > MAX_PROFILE_BYTES)
        return mpg_error_set(err, "%s: damaged: a profile of %u bytes", name, c->stored_bytes);
    free(p->data);
    p->data = malloc(c->stored_bytes);
    if (!p->data)
        return out_of_memory(err);
    if (fread(p->data, 1, c->stored_bytes, p->stream) != c->stored_bytes)
        return ferror(p->stream) ? mpg_error_errno(err, errno, "%s", name)
                                 : mpg_error_set(err, "%s: ends within the profile", name);
    if (!mpg_chunk_check(header, c, p->data))
        return mpg_error_set(err, "%s: damaged: wrong checksum", name);
    return 0;
}

static int note_rank(struct mpg_profile *p, const struct mpg_chunk *c, struct mpg_error *err)
{
    const char *name = p->files[p->file];
    if (p->ranks == 0) {
        p->seen = calloc(c->ranks, 1);
        if (!p->seen)
            return out_of_memory(err);
        p->ranks = (int32_t)c->ranks;
    }
    if ((uint32_t)p->ranks != c->ranks)
        return mpg_error_set(err, "%s: rank %u is one of %u ranks, others are of %d: not one profile",
                             name, c->rank, c->ranks, p->ranks);
    if (p->seen[c->rank])
        return mpg_error_set(err, "%s: rank %u appears twice", name, c->rank);
    p->seen[c->rank] = 1;
    p->ranks_read++;
    return 0;
}

/* --- rows --- */

static bool read_row(const struct mpg_profile *p, const struct mpg_profile_entry *e,
                     struct mpg_profile_row *row)
{
    const int32_t site = (int32_t)le32toh((uint32_t)e->site);
    *row = (struct mpg_profile_row){.call = (enum mpg_call)le32toh(e->call),
                                    .site = site,
                                    .count = le64toh(e->count),
                                    .time_ns = (int64_t)le64toh(e->time_ns),
                                    .min_ns = (int64_t)le64toh(e->min_ns),
                                    .max_ns = (int64_t)le64toh(e->max_ns),
                                    .sent_bytes = (int64_t)le64toh(e->sent_bytes),
                                    .received_bytes = (int64_t)le64toh(e->received_bytes)};
    if (le32toh(e->call) >= MPG_CALL_COUNT || row->count >> 62 || row->time_ns < 0 ||
        row->sent_bytes < 0 || row->received_bytes < 0 || site < MPG_OTHER_SITES ||
        site >= (int32_t)p->definitions.local_site_number)
        return false;
    if (site >= 0)
        row->site = p->definitions.local_sites[site];
    return row->count == 0 || (row->min_ns >= 0 && row->min_ns <= row->max_ns);
}

/* Reads the counter values of N rows, VALUES for each, from FROM. The fact with the counters' names has been read before. */
static int read_values(struct mpg_profile *p, const uint8_t *from, size_t n, uint32_t values, struct mpg_error *err)
{
    const char *key, *names = "", *value;
    for (size_t i = 0; mpg_profile_fact(p, i, &key, &value); i++)
        if (strcmp(key, "values") == 0)
            names = value;
    uint32_t named = 0;
    for (const char *c = names; *c; c++)
        named += *c != ' ' && (c == names || c[-1] == ' ');
    if (n == 0)
        return 0; /* the process may have been killed before storing the counters' names */
    if (values > MPG_PROFILE_MAX_VALUES || named != values)
        return mpg_error_set(err, "damaged: %u counters with %u names", values, named);
    int64_t *grown = realloc(p->values, (n * values + 1) * sizeof *grown);
    if (!grown)
        return out_of_memory(err);
    p->values = grown;
    for (size_t i = 0; i < n * values; i++) {
        uint64_t stored;
        memcpy(&stored, from + i * sizeof stored, sizeof stored);
        p->values[i] = (int64_t)le64toh(stored);
    }
    return 0;
}

static int read_rows(struct mpg_profile *p, const uint8_t *from, size_t n, uint32_t values, size_t *used,
                     struct mpg_error *err)
{
    struct mpg_profile_row *grown = realloc(p->rows, (n + 1) * sizeof *grown);
    if (!grown)
        return out_of_memory(err);
    p->rows = grown;
    *used = 0;
    for (size_t i = 0; i < n; i++) {
        struct mpg_profile_entry e;
        memcpy(&e, from + i * sizeof e, sizeof e);
        if (!read_row(p, &e, &p->rows[*used]))
            return mpg_error_set(err, "damaged: row %zu", i);
        p->rows[*used].values = values > 0 ? p->values + i * values : NULL;
        *used += p->rows[*used].count > 0; /* a count of 0: the process was killed before the row's first call was complete */
    }
    return 0;
}

static int decode(struct mpg_profile *p, const struct mpg_chunk *c, struct mpg_profile_rank *rank,
                  struct mpg_error *err)
{
    struct mpg_profile_head h;
    memcpy(&h, p->data, sizeof h);
    const uint64_t rows = le32toh(h.row_number), row_capacity = le32toh(h.row_capacity),
                   bytes = le32toh(h.definition_bytes), capacity = le32toh(h.definition_capacity),
                   state = le32toh(h.state);
    const uint32_t layout = le32toh(h.layout) & 0xffff, values = le32toh(h.layout) >> 16;
    if (layout != MPG_PROFILE_LAYOUT && layout != MPG_PROFILE_COUNTED_LAYOUT)
        return mpg_error_set(err, "a profile of layout %u, this mpgkit reads layouts %d and %d", layout,
                             MPG_PROFILE_LAYOUT, MPG_PROFILE_COUNTED_LAYOUT);
    if ((values > 0) != (layout == MPG_PROFILE_COUNTED_LAYOUT))
        return mpg_error_set(err, "damaged: a layout without counters that has some, or the reverse");
    const uint64_t row_bytes = sizeof(struct mpg_profile_entry) + values * sizeof(int64_t);
    if (rows > row_capacity || bytes > capacity || state > MPG_PROFILE_ENDED ||
        sizeof h + row_capacity * row_bytes + capacity != c->stored_bytes)
        return mpg_error_set(err, "damaged: sizes that do not fit");
    const int64_t start_ns = (int64_t)le64toh((uint64_t)h.start_ns);
    const int64_t last_ns = (int64_t)le64toh((uint64_t)h.last_ns);
    const int64_t began_ns = (int64_t)le64toh((uint64_t)h.pause_began_ns);
    rank->paused_ns = (int64_t)le64toh((uint64_t)h.paused_ns);
    rank->run_ns = 0;
    int64_t pause_ns = 0;
    if ((began_ns != 0 && last_ns > began_ns &&
         (__builtin_sub_overflow(last_ns, began_ns, &pause_ns) ||
          __builtin_add_overflow(rank->paused_ns, pause_ns, &rank->paused_ns))) ||
        (last_ns > start_ns && start_ns != 0 &&
         __builtin_sub_overflow(last_ns, start_ns, &rank->run_ns)))
        return mpg_error_set(err, "damaged: times that do not fit");
    if (rank->paused_ns < 0 || rank->run_ns < 0)
        return mpg_error_set(err, "damaged: times that do not fit");
    rank->rank = (int32_t)c->rank;
    rank->ranks = (int32_t)c->ranks;
    rank->state = (enum mpg_profile_state)state;
    rank->runs = state == MPG_PROFILE_RUNNING && mpg_process_runs(le64toh(h.process));
    const uint8_t *counters = p->data + sizeof h + (size_t)row_capacity * sizeof(struct mpg_profile_entry);
    const uint8_t *definitions = p->data + sizeof h + (size_t)(row_capacity * row_bytes);
    rank->value_number = values;
    if (mpg_profile_definitions_read(&p->definitions, definitions, (size_t)bytes, err) < 0 ||
        (values > 0 && read_values(p, counters, (size_t)rows, values, err) < 0) ||
        read_rows(p, p->data + sizeof h, (size_t)rows, values, &rank->row_number, err) < 0)
        return -1;
    rank->rows = p->rows;
    return 0;
}

/* Checks that the present rank and the earlier ranks have equal facts "run". Returns 0, or -1 with ERR. */
static int check_run(struct mpg_profile *p, struct mpg_error *err)
{
    const char *key, *value;
    size_t i = 0;
    bool is_there;
    while ((is_there = mpg_profile_fact(p, i, &key, &value)) && strcmp(key, "run") != 0)
        i++;
    if (!is_there)
        return 0;
    if (p->run[0] && strncmp(p->run, value, sizeof p->run - 1) != 0)
        return mpg_error_set(err, "of another run than others: the files of two runs were mixed");
    snprintf(p->run, sizeof p->run, "%s", value);
    return 0;
}

int mpg_profile_next(struct mpg_profile *p, struct mpg_profile_rank *rank, struct mpg_error *err)
{
    uint8_t header[MPG_CHUNK_HEADER_BYTES];
    struct mpg_chunk chunk;
    int more = next_chunk(p, header, &chunk, err);
    if (more < 0)
        return -1;
    if (more == 0) {
        int32_t missing = 0;
        while (missing < p->ranks && p->seen[missing])
            missing++;
        return missing < p->ranks
                   ? mpg_error_set(err, "%s: no profile of rank %d of %d", p->path, missing, p->ranks)
                   : 0;
    }
    if (read_payload(p, header, &chunk, err) < 0 || note_rank(p, &chunk, err) < 0)
        return -1;
    if (decode(p, &chunk, rank, err) < 0 || check_run(p, err) < 0)
        return mpg_error_prefix(err, "%s: rank %u", p->files[p->file], chunk.rank);
    return 1;
}

/* --- results --- */

bool mpg_profile_fact(const struct mpg_profile *p, size_t i, const char **key, const char **value)
{
    return mpg_profile_definitions_fact(&p->definitions, i, key, value);
}

const struct mpg_site *mpg_profile_site(const struct mpg_profile *p, int32_t site)
{
    return &p->definitions.sites[site];
}

int32_t mpg_profile_site_count(const struct mpg_profile *p)
{
    return p->definitions.site_number;
}

const struct mpg_module *mpg_profile_module(const struct mpg_profile *p, int32_t module)
{
    return &p->definitions.modules[module];
}

void mpg_profile_close(struct mpg_profile *p)
{
    if (!p)
        return;
    if (p->stream)
        (void)fclose(p->stream);
    for (size_t i = 0; i < p->file_number; i++)
        free(p->files[i]);
    mpg_profile_definitions_clear(&p->definitions);
    free(p->files);
    free(p->path);
    free(p->data);
    free(p->rows);
    free(p->values);
    free(p->seen);
    free(p);
}

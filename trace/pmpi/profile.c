/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A profile: a table in a mapped file, with a row for each call and callsite. An index in memory finds the row. */
#include "trace/pmpi/profile.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "trace/store/chunk.h"
#include "trace/pmpi/callsites.h"
#include "trace/pmpi/frames.h"
#include "trace/pmpi/modules.h"
#include "trace/store/process.h"
#include "trace/store/segment.h"

enum {
    SITE_ROWS = 1 << 13,
    ROWS = SITE_ROWS + MPG_CALL_COUNT, /* for each call an additional row, which sums the callsites without a row */
    DEFINITION_BYTES = 1 << 19,
    SLOTS = 4 * SITE_ROWS,
    MAX_TEXT = 4096,
    ROW_BYTES = sizeof(struct mpg_profile_entry),
    MIN_BYTES = MPG_CHUNK_HEADER_BYTES + (int)sizeof(struct mpg_profile_head) + DEFINITION_BYTES
};

/* Numbers of callsites, or modules, in the file, where each is defined at the first use. */
struct known {
    int32_t *numbers; /* by the tracer's number of the callsite or module: the number in the file; -1: not defined */
    size_t size;
    int32_t next;
};

static struct {
    uint8_t *base; /* begin of the mapped file; NULL: the run records no profile */
    struct mpg_profile_head *head;
    struct mpg_profile_entry *rows;
    int64_t *values; /* VALUE_NUMBER counter values for each row */
    uint32_t value_number;
    size_t file_bytes;
    uint8_t *definitions;
    uint32_t *index; /* hash table of 1 + row, by call and callsite */
    uint32_t row_number, definition_bytes, site_rows;
    bool full; /* no room for further definitions of callsites */
    uint32_t other[MPG_CALL_COUNT]; /* by call: 1 + the row for callsites without a row; 0: none yet */
    struct known sites, modules;
    struct mpg_file_id file;
    int rank, ranks;
    char path[4096];
} profile;

static void pack_header(uint8_t *header, uint32_t flags, size_t file_bytes, const void *payload)
{
    const uint32_t bytes = (uint32_t)(file_bytes - MPG_CHUNK_HEADER_BYTES);
    const struct mpg_chunk chunk = {.kind = MPG_CHUNK_PROFILE,
                                    .rank = (uint32_t)profile.rank,
                                    .ranks = (uint32_t)profile.ranks,
                                    .flags = flags,
                                    .raw_bytes = bytes,
                                    .stored_bytes = bytes};
    mpg_chunk_pack(&chunk, payload, header);
}

static void forget(void)
{
    if (profile.base)
        mpg_file_unmap(profile.base, profile.file_bytes);
    free(profile.index);
    free(profile.sites.numbers);
    free(profile.modules.numbers);
    memset(&profile, 0, sizeof profile);
}

/* --- the file --- */

static void begin(uint8_t *base, const void *unused)
{
    (void)unused;
    profile.base = base;
    profile.head = (void *)(profile.base + MPG_CHUNK_HEADER_BYTES);
    profile.rows = (void *)(profile.head + 1);
    profile.values = (int64_t *)(profile.rows + ROWS);
    profile.definitions = (uint8_t *)(profile.values + (size_t)ROWS * profile.value_number);
    const uint32_t layout = profile.value_number > 0
                                ? MPG_PROFILE_COUNTED_LAYOUT | profile.value_number << 16
                                : MPG_PROFILE_LAYOUT;
    *profile.head =
        (struct mpg_profile_head){.layout = htole32(layout),
                                  .row_capacity = htole32(ROWS),
                                  .definition_capacity = htole32(DEFINITION_BYTES),
                                  .state = htole32(MPG_PROFILE_RUNNING),
                                  .process = htole64(mpg_process_mark(getpid()))};
    pack_header(profile.base, 0, profile.file_bytes, NULL);
}

int profile_open(const char *directory, int rank, int ranks, uint32_t values, struct mpg_error *err)
{
    profile.rank = rank;
    profile.ranks = ranks;
    profile.value_number = values;
    profile.file_bytes = MIN_BYTES + ROWS * (ROW_BYTES + values * sizeof *profile.values);
    if (snprintf(profile.path, sizeof profile.path, "%s/rank-%d.profile.mpgt", directory, rank) >=
        (int)sizeof profile.path)
        return mpg_error_set(err, "%s: name too long", directory);
    profile.index = calloc(SLOTS, sizeof *profile.index);
    if (!profile.index)
        return mpg_error_set(err, "out of memory");
    uint8_t *base;
    if (mpg_file_map(profile.path, profile.file_bytes, begin, NULL, &base, &profile.file, err) == 0)
        return 0;
    profile.base = NULL; /* mpg_file_map() unmaps on failure */
    forget();
    return -1;
}

bool profile_is_on(void)
{
    return profile.base != NULL;
}

/* --- definitions --- */

/* Includes the definition that ends at END in the file. */
static void define(const uint8_t *end)
{
    profile.definition_bytes = (uint32_t)(end - profile.definitions);
    __atomic_store_n(&profile.head->definition_bytes, htole32(profile.definition_bytes),
                     __ATOMIC_RELEASE);
}

static uint8_t *room(size_t bytes)
{
    return bytes <= DEFINITION_BYTES - profile.definition_bytes
               ? profile.definitions + profile.definition_bytes
               : NULL;
}

static uint8_t *put_bytes(uint8_t *p, const void *bytes, size_t size)
{
    p = mpg_put_varint(p, size);
    memcpy(p, bytes, size);
    return p + size;
}

void profile_fact(const char *key, const char *value)
{
    const size_t key_bytes = strlen(key), value_bytes = strlen(value);
    uint8_t *p = NULL;
    if (profile.base && key_bytes <= MAX_TEXT && value_bytes <= MAX_TEXT)
        p = room(1 + 2 * MPG_VARINT_BYTES + key_bytes + value_bytes);
    if (!p)
        return;
    *p++ = MPG_PROFILE_FACT;
    define(put_bytes(put_bytes(p, key, key_bytes), value, value_bytes));
}

/* Returns the entry of the captured site or module NUMBER, or NULL without memory. */
static int32_t *number_of(struct known *known, int32_t number)
{
    const size_t i = (size_t)number;
    if (i >= known->size) {
        const size_t size = 2 * i + 64;
        int32_t *grown = realloc(known->numbers, size * sizeof *grown);
        if (!grown)
            return NULL;
        for (size_t k = known->size; k < size; k++)
            grown[k] = -1;
        known->numbers = grown;
        known->size = size;
    }
    return &known->numbers[i];
}

static bool define_module(int32_t module, int32_t *number)
{
    *number = -1;
    if (module < 0)
        return true;
    int32_t *known = number_of(&profile.modules, module);
    if (known && *known < 0) {
        const struct module *m = modules_get(module);
        const size_t path_bytes = strnlen(m->path, MAX_TEXT);
        uint8_t *p = room(1 + 2 * MPG_VARINT_BYTES + m->build_id_size + path_bytes);
        if (!p)
            return false;
        *p++ = MPG_PROFILE_MODULE;
        define(put_bytes(put_bytes(p, m->build_id, m->build_id_size), m->path, path_bytes));
        *known = profile.modules.next++;
    }
    if (known)
        *number = *known;
    return known != NULL;
}

/* Returns the number of SITE in the file, defining SITE if necessary; MPG_OTHER_SITES: no room for the definition. */
static int32_t define_site(int32_t site)
{
    struct mpg_frame frames[CALLSITES_MAX_DEPTH];
    if (site < 0)
        return MPG_NO_SITE;
    int32_t *known = number_of(&profile.sites, site);
    if (known && *known >= 0)
        return *known;
    if (!known || profile.full)
        return MPG_OTHER_SITES;
    const unsigned n = callsites_frames(site, frames);
    for (unsigned i = 0; i < n; i++)
        profile.full |= !define_module(frames[i].module, &frames[i].module);
    uint8_t *p = room(1 + (1 + 2 * (size_t)n) * MPG_VARINT_BYTES);
    profile.full |= !p;
    if (profile.full)
        return MPG_OTHER_SITES;
    *p++ = MPG_PROFILE_SITE;
    p = mpg_put_varint(p, n);
    for (unsigned i = 0; i < n; i++)
        p = mpg_put_varint(mpg_put_varint(p, (uint64_t)(frames[i].module + 1)), frames[i].offset);
    define(p);
    return *known = profile.sites.next++;
}

/* --- rows --- */

static struct mpg_profile_entry *new_row(enum mpg_call call, int32_t site)
{
    struct mpg_profile_entry *row = &profile.rows[profile.row_number];
    row->call = htole32(call);
    row->site = (int32_t)htole32((uint32_t)site);
    row->min_ns = htole64(UINT64_MAX);
    profile.row_number++;
    __atomic_store_n(&profile.head->row_number, htole32(profile.row_number), __ATOMIC_RELEASE);
    return row;
}

/* Returns the row of CALL that sums all callsites without a row. */
static struct mpg_profile_entry *other_row(enum mpg_call call)
{
    if (profile.other[call] == 0) {
        new_row(call, MPG_OTHER_SITES);
        profile.other[call] = profile.row_number;
    }
    return &profile.rows[profile.other[call] - 1];
}

struct key {
    uint32_t call;
    int32_t site;
};
static struct key keys[SITE_ROWS + MPG_CALL_COUNT]; /* by row: call, and the tracer's number of the callsite */

static struct mpg_profile_entry *find_row(enum mpg_call call, int32_t site)
{
    size_t i = ((uint32_t)site * 512u + call) * 0x9e3779b1u >> 8;
    for (i %= SLOTS; profile.index[i] != 0; i = (i + 1) % SLOTS) {
        const struct key *key = &keys[profile.index[i] - 1];
        if (key->call == call && key->site == site)
            return &profile.rows[profile.index[i] - 1];
    }
    int32_t number = profile.site_rows < SITE_ROWS ? define_site(site) : MPG_OTHER_SITES;
    if (number == MPG_OTHER_SITES)
        return other_row(call);
    struct mpg_profile_entry *row = new_row(call, number);
    profile.site_rows++;
    keys[profile.row_number - 1] = (struct key){call, site};
    profile.index[i] = profile.row_number;
    return row;
}

static void add(uint64_t *sum, int64_t value)
{
    *sum = htole64(le64toh(*sum) + (uint64_t)value);
}

void profile_add(const struct mpg_event *e, int32_t site)
{
    struct mpg_profile_head *head = profile.head;
    const enum mpg_kind kind = mpg_call_kind(e->call);
    int64_t sent, received;
    if (head->pause_began_ns != 0 && kind != MPG_KIND_FINALIZE)
        return;
    if (kind == MPG_KIND_REGION_BEGIN || kind == MPG_KIND_REGION_END || kind == MPG_KIND_FLUSH)
        return;
    struct mpg_profile_entry *row = find_row(e->call, site);
    const uint64_t time_ns = (uint64_t)(e->leave_ns - e->enter_ns);
    mpg_event_bytes(e, &sent, &received);
    add(&row->time_ns, (int64_t)time_ns);
    if (time_ns < le64toh(row->min_ns))
        row->min_ns = htole64(time_ns);
    if (time_ns > le64toh(row->max_ns))
        row->max_ns = htole64(time_ns);
    add(&row->sent_bytes, sent);
    add(&row->received_bytes, received);
    uint64_t *values = (uint64_t *)profile.values + (size_t)(row - profile.rows) * profile.value_number;
    for (uint32_t i = 0; i < profile.value_number && i < e->value_number; i++)
        add(&values[i], e->values[i]);
    /* The count is stored last: if the process is killed, a row that counts the call is complete. */
    __atomic_store_n(&row->count, htole64(le64toh(row->count) + 1), __ATOMIC_RELEASE);
    if (kind == MPG_KIND_INIT)
        head->start_ns = (int64_t)htole64((uint64_t)e->leave_ns);
    head->last_ns =
        (int64_t)htole64((uint64_t)(kind == MPG_KIND_FINALIZE ? e->enter_ns : e->leave_ns));
}

void profile_pause(bool pause, int64_t now_ns)
{
    struct mpg_profile_head *head = profile.head;
    const int64_t began_ns = (int64_t)le64toh((uint64_t)head->pause_began_ns);
    if (pause && began_ns == 0)
        head->pause_began_ns = (int64_t)htole64((uint64_t)now_ns);
    if (!pause && began_ns != 0) {
        head->paused_ns =
            (int64_t)htole64(le64toh((uint64_t)head->paused_ns) + (uint64_t)(now_ns - began_ns));
        head->pause_began_ns = 0;
    }
}

void profile_clear(void)
{
    if (!profile.base)
        return;
    memset(profile.rows, 0, profile.row_number * sizeof *profile.rows);
    memset(profile.values, 0, profile.row_number * profile.value_number * sizeof *profile.values);
    memset(profile.index, 0, SLOTS * sizeof *profile.index);
    memset(profile.other, 0, sizeof profile.other);
    profile.row_number = profile.site_rows = 0;
    profile.head->row_number = 0;
}

/* --- end --- */

static int write_all(int fd, const uint8_t *p, size_t bytes)
{
    while (bytes > 0) {
        ssize_t n = write(fd, p, bytes);
        if (n < 0 && errno != EINTR)
            return -1;
        p += n > 0 ? n : 0;
        bytes -= n > 0 ? (size_t)n : 0;
    }
    return 0;
}

/* Returns a copy of the file with only the used rows, the rows' counters and the definitions, without gaps. */
static uint8_t *compacted(size_t *bytes)
{
    const size_t row_bytes = profile.row_number * sizeof *profile.rows;
    const size_t value_bytes = profile.row_number * profile.value_number * sizeof *profile.values;
    const size_t head_bytes = MPG_CHUNK_HEADER_BYTES + sizeof *profile.head;
    *bytes = head_bytes + row_bytes + value_bytes + profile.definition_bytes;
    uint8_t *copy = malloc(*bytes);
    if (!copy)
        return NULL;
    memcpy(copy, profile.base, head_bytes + row_bytes);
    memcpy(copy + head_bytes + row_bytes, profile.values, value_bytes);
    memcpy(copy + head_bytes + row_bytes + value_bytes, profile.definitions, profile.definition_bytes);
    struct mpg_profile_head *head = (void *)(copy + MPG_CHUNK_HEADER_BYTES);
    head->row_capacity = head->row_number;
    head->definition_capacity = head->definition_bytes;
    pack_header(copy, MPG_CHUNK_CLOSED, *bytes, head);
    return copy;
}

int profile_close(enum mpg_profile_state state, struct mpg_error *err)
{
    char part[sizeof profile.path];
    size_t bytes = 0;
    int fd = -1, status = 0;
    if (!profile.base)
        return 0;
    profile.head->state = htole32(state);
    uint8_t *copy = compacted(&bytes);
    if (!mpg_file_is(profile.path, &profile.file))
        status = mpg_error_set(err, "%s: has been removed or replaced", profile.path);
    else if (!copy)
        status = mpg_error_set(err, "out of memory");
    else if (!mpg_file_may_have(bytes))
        status = mpg_error_errno(err, EFBIG, "%s", profile.path);
    else if ((fd = mpg_file_hidden(profile.path, part, sizeof part, err)) < 0)
        status = -1;
    else if (write_all(fd, copy, bytes) < 0)
        status = mpg_error_errno(err, errno, "%s", profile.path);
    if (fd >= 0 && close(fd) < 0 && status == 0)
        status = mpg_error_errno(err, errno, "%s", profile.path);
    if (status == 0 && rename(part, profile.path) < 0)
        status = mpg_error_errno(err, errno, "%s", profile.path);
    if (status < 0 && fd >= 0)
        (void)unlink(part);
    free(copy);
    forget();
    return status;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The profile's file (TAP): the sums given to the tracer's table can be read before and after the file is closed,
 * also when the table is full. Damage is always detected and never crashes the reader. Without MPI. */
#define _GNU_SOURCE
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/tap.h"
#include "trace/store/chunk.h"
#include "trace/pmpi/callsites.h"
#include "trace/pmpi/frames.h"
#include "trace/pmpi/profile.h"
#include "trace/profile/profile.h"

static char folder[] = "/tmp/test-profile-file-XXXXXX";
static char path[4096];

static void give(enum mpg_call call, int64_t enter_ns, int64_t leave_ns, int64_t bytes, int32_t site)
{
    const struct mpg_event e = {.call = call, .enter_ns = enter_ns, .leave_ns = leave_ns,
                                .bytes = bytes};
    profile_add(&e, site);
}

/* Returns the sums of CALL in the file, over all its rows. *RANK: its rank. */
static struct mpg_profile_row sum(enum mpg_call call, struct mpg_profile_rank *rank)
{
    struct mpg_error err;
    struct mpg_profile_row all = {.min_ns = INT64_MAX};
    struct mpg_profile *p = mpg_profile_open(path, &err);
    if (!p || mpg_profile_next(p, rank, &err) != 1) {
        printf("# %s\n", err.text);
        mpg_profile_close(p);
        return all;
    }
    for (size_t i = 0; i < rank->row_number; i++) {
        const struct mpg_profile_row *row = &rank->rows[i];
        if (row->call != call)
            continue;
        all.site = row->site;
        all.count += row->count;
        all.time_ns += row->time_ns;
        all.min_ns = row->min_ns < all.min_ns ? row->min_ns : all.min_ns;
        all.max_ns = row->max_ns > all.max_ns ? row->max_ns : all.max_ns;
        all.sent_bytes += row->sent_bytes;
        all.received_bytes += row->received_bytes;
    }
    mpg_profile_close(p);
    return all;
}

static void check(const char *when)
{
    struct mpg_profile_rank rank = {.rank = -1};
    const struct mpg_profile_row send = sum(MPG_CALL_Send, &rank);
    ok(rank.rank == 0 && rank.ranks == 1 && rank.run_ns == 5000 - 100 && rank.paused_ns == 700,
       "%s: rank, run time, pause", when);
    ok(send.count == 3 && send.time_ns == 10 + 20 + 33 && send.min_ns == 10 && send.max_ns == 33 &&
           send.sent_bytes == 1 + 2 + 4 && send.received_bytes == 0,
       "... number, times and bytes of sends");
    const struct mpg_profile_row recv = sum(MPG_CALL_Recv, &rank);
    ok(recv.count == 1 && recv.sent_bytes == 0 && recv.received_bytes == 77, "... of receives");
}

static void fill(int32_t site)
{
    give(MPG_CALL_Init, 0, 100, 0, CALLSITES_NONE);
    give(MPG_CALL_Send, 200, 210, 1, site);
    give(MPG_CALL_Send, 300, 320, 2, site);
    give(MPG_CALL_Send, 400, 433, 4, CALLSITES_NONE);
    give(MPG_CALL_Recv, 500, 501, 77, site);
    profile_pause(true, 1000);
    give(MPG_CALL_Send, 1100, 1200, 1000, site);
    profile_pause(false, 1700);
    give(MPG_CALL_Region_begin, 2000, 2000, 0, site);
    give(MPG_CALL_Finalize, 5000, 6000, 0, site);
}

static void check_definitions(void)
{
    struct mpg_error err;
    struct mpg_profile_rank rank;
    const char *key, *value;
    struct mpg_profile *p = mpg_profile_open(folder, &err);
    ok(p && mpg_profile_next(p, &rank, &err) == 1 && mpg_profile_fact(p, 0, &key, &value) &&
           strcmp(key, "host") == 0 && strcmp(value, "here") == 0 &&
           !mpg_profile_fact(p, 1, &key, &value),
       "facts come back");
    ok(p && mpg_profile_site_count(p) == 1 && mpg_profile_site(p, 0)->frame_number >= 2 &&
           strstr(mpg_profile_module(p, mpg_profile_site(p, 0)->frames[0].module)->path,
                  "test-profile-file"),
       "the callsite and its module come back");
    ok(p && mpg_profile_next(p, &rank, &err) == 0, "there is no further rank");
    mpg_profile_close(p);
}

/* --- damage --- */

static uint64_t state = 20261121;

static uint32_t random_below(size_t n)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((state >> 33) % n);
}

static void store(const uint8_t *data, size_t size)
{
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(data, 1, size, f) != size || fclose(f) != 0)
        abort();
}

/* Reads the whole file. Returns whether the reader refused it. */
static bool refused(void)
{
    struct mpg_error err = {""};
    struct mpg_profile_rank rank;
    struct mpg_profile *p = mpg_profile_open(path, &err);
    int more = p ? 1 : -1;
    while (more > 0)
        more = mpg_profile_next(p, &rank, &err);
    mpg_profile_close(p);
    return more < 0 && err.text[0] && !strchr(err.text, '\n');
}

/* Updates the checksum of DATA's header, so that damage passes the checksum. */
static void seal(uint8_t *data)
{
    struct mpg_chunk c;
    if (mpg_chunk_unpack(data, &c, NULL) == 0)
        mpg_chunk_pack(&c, data + MPG_CHUNK_HEADER_BYTES, data);
}

static void damage(const uint8_t *data, size_t size)
{
    uint8_t *copy = malloc(size);
    unsigned cut = 0, changed = 0;
    for (size_t n = 0; n < size; n++) {
        store(data, n);
        cut += n == 0 || refused(); /* an empty file is an empty profile */
    }
    ok(cut == size, "a file that is cut off anywhere is refused");
    for (size_t n = 0; n < size; n++) {
        memcpy(copy, data, size);
        copy[n] ^= (uint8_t)(1 + random_below(255));
        store(copy, size);
        changed += refused();
    }
    ok(changed == size, "a changed byte anywhere is refused");
    unsigned refusals = 0;
    for (int i = 0; i < 20000; i++) {
        memcpy(copy, data, size);
        for (uint32_t k = random_below(4) + 1; k > 0; k--)
            copy[MPG_CHUNK_HEADER_BYTES + random_below(size - MPG_CHUNK_HEADER_BYTES)] =
                (uint8_t)random_below(256);
        seal(copy);
        store(copy, size);
        refusals += refused();
    }
    ok(refusals > 1000 && refusals < 20000, "random bytes under a right checksum: %u of 20000 refused",
       refusals);
    free(copy);
}

static uint8_t *load(size_t *size)
{
    FILE *f = fopen(path, "rb");
    struct stat info;
    if (!f || fstat(fileno(f), &info) < 0)
        abort();
    *size = (size_t)info.st_size;
    uint8_t *data = malloc(*size);
    if (fread(data, 1, *size, f) != *size || fclose(f) != 0)
        abort();
    return data;
}

/* More call sites than the table has rows for. */
static void test_overflow(void)
{
    struct mpg_error err;
    struct mpg_profile_rank rank;
    enum { CALLS = MPG_CALL_COUNT, SITES = 100 };
    profile_open(folder, 0, 1, 0, &err);
    give(MPG_CALL_Init, 0, 100, 0, CALLSITES_NONE);
    /* Sites that the capture does not know have no frames, but are kept apart. */
    for (int32_t site = 0; site < SITES; site++)
        for (int call = MPG_CALL_Init + 3; call < CALLS; call++)
            give((enum mpg_call)call, 200, 201, 0, site);
    struct mpg_profile_row last = sum((enum mpg_call)(CALLS - 1), &rank);
    ok(last.count == SITES && last.site == MPG_OTHER_SITES, "rows without room are one row a call");
    ok(rank.row_number > 8192 && rank.row_number <= 8192 + CALLS, "... %zu in all", rank.row_number);
    ok(profile_close(MPG_PROFILE_FINALIZED, &err) == 0 &&
           sum((enum mpg_call)(CALLS - 1), &rank).count == SITES && rank.row_number > 8192,
       "... also when it is closed");
}

/* A process outlives its run, and the next run has created a file with the same name. */
static void test_outlived(void)
{
    struct mpg_error err;
    struct stat info;
    ok(profile_open(folder, 0, 1, 0, &err) == 0 && unlink(path) == 0, "a profile that is removed");
    FILE *next = fopen(path, "w");
    if (next)
        (void)fclose(next);
    ok(profile_close(MPG_PROFILE_FINALIZED, &err) < 0 && strstr(err.text, "removed or replaced") &&
           stat(path, &info) == 0 && info.st_size == 0,
       "... does not replace the next one: %s", err.text);
}

static void count(enum mpg_call call, int64_t first, int64_t second, int32_t site)
{
    const int64_t values[] = {first, second};
    const struct mpg_event e = {.call = call, .enter_ns = 200, .leave_ns = 210, .value_number = 2, .values = values};
    profile_add(&e, site);
}

/* Returns whether the counters in CALL's row are FIRST and SECOND. */
static bool counted(enum mpg_call call, int64_t first, int64_t second)
{
    struct mpg_error err = {""};
    struct mpg_profile_rank rank;
    struct mpg_profile *p = mpg_profile_open(path, &err);
    bool right = false;
    if (p && mpg_profile_next(p, &rank, &err) == 1 && rank.value_number == 2)
        for (size_t i = 0; i < rank.row_number; i++)
            right |= rank.rows[i].call == call && rank.rows[i].values[0] == first && rank.rows[i].values[1] == second;
    if (!right)
        printf("# %s\n", err.text);
    mpg_profile_close(p);
    return right;
}

/* Counters beside the rows: sums, also negative ones, before and after the file is closed; damage. */
static void test_counters(int32_t site)
{
    struct mpg_error err;
    ok(profile_open(folder, 0, 1, 2, &err) == 0, "a profile with two counters");
    profile_fact("values", "cpu_ns PAPI_TOT_INS");
    count(MPG_CALL_Init, 1, 1, CALLSITES_NONE);
    profile_clear();
    count(MPG_CALL_Send, 23850, INT64_C(5000000000), site);
    count(MPG_CALL_Recv, 7, -3, site);
    count(MPG_CALL_Send, 150, -1, site);
    ok(counted(MPG_CALL_Send, 24000, INT64_C(4999999999)) && counted(MPG_CALL_Recv, 7, -3),
       "... sums for each callsite, while the program runs");
    ok(profile_close(MPG_PROFILE_FINALIZED, &err) == 0 && counted(MPG_CALL_Send, 24000, INT64_C(4999999999)) &&
           counted(MPG_CALL_Recv, 7, -3), "... and after that");
    size_t size;
    uint8_t *data = load(&size);
    damage(data, size);
    data[MPG_CHUNK_HEADER_BYTES + 2]++;
    seal(data);
    store(data, size);
    ok(refused(), "more counters than there are is refused");
    free(data);
}

__attribute__((noinline)) static int32_t here(void)
{
    return CALLSITES_HERE();
}

int main(void)
{
    struct mpg_error err;
    struct mpg_profile_rank rank;
    struct stat info;
    size_t size;
    if (!mkdtemp(folder))
        return 1;
    snprintf(path, sizeof path, "%s/rank-0.profile.mpgt", folder);
    callsites_start(8, frames_look);
    ok(!mpg_profile_is(folder), "an empty folder is no profile");
    ok(profile_open("/nowhere/at/all", 0, 1, 0, &err) < 0 && strstr(err.text, "/nowhere/at/all/rank-0"),
       "a folder that is not there is an error");
    struct rlimit none, small;
    getrlimit(RLIMIT_FSIZE, &none);
    small = none;
    small.rlim_cur = 100000;
    setrlimit(RLIMIT_FSIZE, &small);
    ok(profile_open(folder, 0, 1, 0, &err) < 0 && strstr(err.text, "File too large") &&
           !mpg_profile_is(folder),
       "where files may not have that size, there is none, and no signal");
    setrlimit(RLIMIT_FSIZE, &none);
    ok(profile_open(folder, 0, 1, 0, &err) == 0 && profile_is_on() && mpg_profile_is(folder),
       "a file is made");
    profile_fact("host", "here");
    fill(here());
    stat(path, &info);
    const off_t full = info.st_size;
    check("while the program runs");
    sum(MPG_CALL_Send, &rank);
    ok(rank.state == MPG_PROFILE_RUNNING && rank.runs, "... which it says");
    ok(profile_close(MPG_PROFILE_FINALIZED, &err) == 0 && !profile_is_on(), "closed");
    check("after that");
    sum(MPG_CALL_Send, &rank);
    stat(path, &info);
    ok(rank.state == MPG_PROFILE_FINALIZED && info.st_size < 4096 && full > 1 << 20,
       "... without what was not used");
    check_definitions();
    uint8_t *data = load(&size);
    damage(data, size);
    free(data);
    test_counters(here());
    test_overflow();
    unlink(path);
    test_outlived();
    unlink(path);
    rmdir(folder);
    return done();
}

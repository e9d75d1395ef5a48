/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Selection of pairs, and the two ranks of a pair. */
#include "config.h"

#include "bench/harness/pair.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/harness/random.h"

/* ---- selection ---- */

/* Numbers of pairs in each path class. */
struct share {
    int64_t pairs[MPG_PATHS]; /* pairs available */
    int64_t wanted[MPG_PATHS];
    bool apart; /* pairs of ranks that share a core are left out */
};

static bool on_one_core(const struct mpg_ranks *ranks, int a, int b)
{
    const struct mpg_rank_location *x = &ranks->location[a], *y = &ranks->location[b];
    return x->core >= 0 && x->core == y->core && strcmp(x->host, y->host) == 0;
}

static void count_pairs(const struct mpg_ranks *ranks, struct share *share)
{
    int64_t apart[MPG_PATHS] = {0}, together[MPG_PATHS] = {0};
    for (int a = 0; a < ranks->ranks; a++)
        for (int b = a + 1; b < ranks->ranks; b++) {
            bool one = on_one_core(ranks, a, b);
            (one ? together : apart)[mpg_ranks_path(ranks, a, b)] += 1;
            share->apart = share->apart || !one;
        }
    memcpy(share->pairs, share->apart ? apart : together, sizeof share->pairs);
}

/* Distributes WANTED pairs over the path classes, one pair to each class in turn while the class has more pairs. Returns the
 * number of distributed pairs. */
static int64_t divide(struct share *share, int64_t wanted)
{
    int64_t given = 0, before = -1;
    while (given < wanted && given != before) {
        before = given;
        for (int p = MPG_PATHS - 1; p >= 0 && given < wanted; p--)
            if (share->wanted[p] < share->pairs[p]) {
                share->wanted[p]++;
                given++;
            }
    }
    return given;
}

/* Selection sampling: all subsets of a class's pairs are equally likely (Knuth, The Art of Computer Programming 2,
 * 3.4.2, algorithm S). */
static void select_pairs(const struct mpg_ranks *ranks, struct share *share, uint64_t *state,
                         struct mpg_rank_pair *rank_pair)
{
    for (int a = 0; a < ranks->ranks; a++)
        for (int b = a + 1; b < ranks->ranks; b++) {
            enum mpg_path path = mpg_ranks_path(ranks, a, b);
            if (share->apart && on_one_core(ranks, a, b))
                continue;
            if ((int64_t)mpg_random_below(state, (uint64_t)share->pairs[path]) <
                share->wanted[path]) {
                *rank_pair++ = (struct mpg_rank_pair){a, b, path};
                share->wanted[path]--;
            }
            share->pairs[path]--;
        }
}

int64_t mpg_rank_pairs_draw(const struct mpg_ranks *ranks, int64_t wanted, uint64_t seed,
                         struct mpg_rank_pair **rank_pair, struct mpg_error *err)
{
    struct share share = {.apart = false};
    count_pairs(ranks, &share);
    int64_t n = divide(&share, wanted);
    struct mpg_rank_pair *drawn = malloc((size_t)(n + 1) * sizeof *drawn);
    if (!drawn)
        return mpg_error_set(err, "out of memory");
    select_pairs(ranks, &share, &seed, drawn);
    for (int64_t i = n; i > 1; i--) {
        int64_t j = (int64_t)mpg_random_below(&seed, (uint64_t)i);
        struct mpg_rank_pair held = drawn[i - 1];
        drawn[i - 1] = drawn[j];
        drawn[j] = held;
    }
    *rank_pair = drawn;
    return n;
}

int mpg_rank_pair_describe(const struct mpg_ranks *ranks, int64_t number, const struct mpg_rank_pair *rank_pair,
                           struct mpg_header *header, struct mpg_error *err)
{
    const struct mpg_rank_location *a = &ranks->location[rank_pair->a], *b = &ranks->location[rank_pair->b];
    char key[32];
    snprintf(key, sizeof key, "pair %lld", (long long)number);
    return mpg_header_add(header, err, key, "ranks %d and %d; hosts %s and %s; cores %s and %s", rank_pair->a,
                          rank_pair->b, a->host, b->host, a->cores, b->cores);
}

/* ---- a pair ---- */

void mpg_pair_begin(struct mpg_pair *pair, const struct mpg_ranks *ranks, const struct mpg_rank_pair *rank_pair,
                    const struct mpg_device *device)
{
    MPI_Group world, group;
    int members[2] = {rank_pair->a, rank_pair->b};
    *pair = (struct mpg_pair){.rank = ranks->rank == rank_pair->b, .device = device, .win = MPI_WIN_NULL};
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 2, members, &group);
    MPI_Comm_create_group(MPI_COMM_WORLD, group, 0, &pair->comm);
    MPI_Group_free(&group);
    MPI_Group_free(&world);
}

static void free_buffers(struct mpg_pair *pair)
{
    char *const buffers[] = {pair->send_buffer, pair->receive_buffer};
    for (int i = 0; i < 2; i++)
        if (pair->device)
            mpg_device_free(pair->device, buffers[i]);
        else
            free(buffers[i]);
    pair->send_buffer = pair->receive_buffer = NULL;
}

void mpg_pair_end(struct mpg_pair *pair)
{
    if (pair->win != MPI_WIN_NULL)
        MPI_Win_free(&pair->win);
    free_buffers(pair);
    MPI_Comm_free(&pair->comm);
}

int mpg_pair_open_window(struct mpg_pair *pair, int64_t size_bytes, bool creates, struct mpg_error *err)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    void *memory = NULL;
    int length = 0;
    MPI_Comm_set_errhandler(pair->comm, MPI_ERRORS_RETURN);
    const int code =
        creates ? MPI_Win_create(pair->receive_buffer, (MPI_Aint)size_bytes, 1, MPI_INFO_NULL, pair->comm, &pair->win)
                : MPI_Win_allocate((MPI_Aint)size_bytes, 1, MPI_INFO_NULL, pair->comm, &memory, &pair->win);
    MPI_Comm_set_errhandler(pair->comm, MPI_ERRORS_ARE_FATAL);
    if (code != MPI_SUCCESS) {
        pair->win = MPI_WIN_NULL;
        MPI_Error_string(code, text, &length);
        return mpg_error_set(err, "no one-sided communication between these ranks: MPI_Win_%s: %s",
                             creates ? "create" : "allocate", text);
    }
    if (memory)
        memset(memory, 1, (size_t)size_bytes);
    return 0;
}

int mpg_pair_agree(const struct mpg_pair *pair, int status, struct mpg_error *err)
{
    int worst = status;
    MPI_Allreduce(&status, &worst, 1, MPI_INT, MPI_MIN, pair->comm);
    if (worst < 0 && status >= 0)
        mpg_error_set(err, "%s", "");
    return worst < 0 ? -1 : 0;
}

static char *allocate_pages(size_t size_bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t size = (size_bytes / page + 1) * page;
    char *buffer = aligned_alloc(page, size);
    if (buffer)
        memset(buffer, 1, size);
    return buffer;
}

int mpg_pair_allocate(struct mpg_pair *pair, int64_t size_bytes, struct mpg_error *err)
{
    free_buffers(pair);
    if (pair->device) {
        pair->send_buffer = mpg_device_allocate(pair->device, (size_t)size_bytes, err);
        pair->receive_buffer = pair->send_buffer ? mpg_device_allocate(pair->device, (size_t)size_bytes, err) : NULL;
        return pair->receive_buffer ? 0 : -1;
    }
    pair->send_buffer = allocate_pages((size_t)size_bytes);
    pair->receive_buffer = allocate_pages((size_t)size_bytes);
    if (!pair->send_buffer || !pair->receive_buffer)
        return mpg_error_set(err, "out of memory for messages of %lld bytes",
                             (long long)size_bytes);
    return 0;
}

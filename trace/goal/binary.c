/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads LogGOPSim's binary form, little-endian without gaps: u64 4223, u32 ranks, u8 highest cpu, u8 highest nic; for each
 * rank, u64 begin and end of the rank's bytes, counted from byte 8. A rank: u32 number of operations, u32 number of roots, the
 * roots, operations of 39 bytes, and a list of u32 numbers of operations. An operation: u32 number of requirements, u8 kind,
 * u32 peer, u64 size, u32 tag, u8 cpu, u8 nic; u32 number and u32 first index in the list of the operations that may start at
 * the operation's end; u32 number and u32 first index of the operations that may start at the operation's start. (Source:
 * sizes documented by LogGOPSim's writer.) */
#include "trace/goal/import.h"

#include <stdlib.h>
#include <string.h>

enum { HEAD = 14, BASE = 8, PLACE = 16, OPERATION = 39 };

static uint64_t get(const unsigned char *p, int bytes)
{
    uint64_t value = 0;
    for (int i = bytes - 1; i >= 0; i--)
        value = value << 8 | p[i];
    return value;
}

static int read_at(struct goal_import *im, int64_t at, void *data, size_t size, struct mpg_error *err)
{
    if (at < 0 || at > im->size_bytes || (int64_t)size > im->size_bytes - at || fseeko(im->in, at, SEEK_SET) != 0 ||
        fread(data, 1, size, im->in) != size)
        return mpg_error_set(err, "the file ends early");
    return 0;
}

/* Adds N edges from operation I of the schedule: to the operations with the numbers from index FIRST on in LIST, of MAX
 * numbers. Returns 0, or -1 with ERR. */
static int add_edges(struct goal_graph *g, uint32_t i, const unsigned char *list, uint64_t max, uint64_t first, uint64_t n,
                     bool is_start, struct mpg_error *err)
{
    if (first > max || n > max - first)
        return mpg_error_set(err, "operation %u: requirements outside of their list (LogGOPSim2's longer operations?)", i);
    for (uint64_t k = 0; k < n; k++)
        if (mpg_goal_add_edge(g, i, (uint32_t)get(list + 4 * (first + k), 4), is_start, err) < 0)
            return -1;
    return 0;
}

/* Adds operation I of the rank, encoded in the OPERATION bytes at P. Returns 0, or -1 with ERR. */
static int add_operation(struct goal_import *im, uint32_t i, const unsigned char *p, struct mpg_error *err)
{
    struct goal_node node = {.kind = p[4], .size = get(p + 9, 8), .cpu = p[21], .name = i};
    const uint32_t peer = (uint32_t)get(p + 5, 4), tag = (uint32_t)get(p + 17, 4);
    if (node.kind < GOAL_SEND || node.kind > GOAL_CALC)
        return mpg_error_set(err, "operation %u: no kind of GOAL (%u; LogGOPSim2's longer operations?)", i, node.kind);
    if (node.size > INT64_MAX / 8)
        return mpg_error_set(err, "operation %u: size %llu", i, (unsigned long long)node.size);
    node.peer = peer == UINT32_MAX && node.kind == GOAL_RECV ? -1 : (int32_t)(peer & INT32_MAX);
    node.tag = tag == UINT32_MAX && node.kind == GOAL_RECV ? -1 : (int32_t)(tag & INT32_MAX);
    if (node.kind != GOAL_CALC && node.peer >= im->ranks)
        return mpg_error_set(err, "operation %u: rank %d of %d", i, node.peer, im->ranks);
    return mpg_goal_add_node(&im->graph, &node, err);
}

/* Decodes the schedule of rank IM->rank, SIZE bytes at DATA, and processes the schedule. Returns 0, or -1 with ERR. */
static int read_rank(struct goal_import *im, const unsigned char *data, uint64_t size, struct mpg_error *err)
{
    const uint64_t n = size >= 8 ? get(data, 4) : 0, roots = size >= 8 ? get(data + 4, 4) : 0;
    if (size < 8 || 4 * roots > size - 8 || OPERATION * n > size - 8 - 4 * roots)
        return mpg_error_set(err, "rank %d: %llu operations in %llu bytes", im->rank, (unsigned long long)n,
                             (unsigned long long)size);
    const unsigned char *operations = data + 8 + 4 * roots, *list = operations + OPERATION * n;
    const uint64_t listed = (size - 8 - 4 * roots - OPERATION * n) / 4;
    uint64_t named = 0;
    for (uint64_t i = 0; i < n; i++)
        if (add_operation(im, (uint32_t)i, operations + OPERATION * i, err) < 0)
            return -1;
    for (uint64_t i = 0; i < n; i++) {
        const unsigned char *p = operations + OPERATION * i + 23;
        if (add_edges(&im->graph, (uint32_t)i, list, listed, get(p + 4, 4), get(p, 4), false, err) < 0 ||
            add_edges(&im->graph, (uint32_t)i, list, listed, get(p + 12, 4), get(p + 8, 4), true, err) < 0)
            return -1;
        named += get(p, 4) + get(p + 8, 4);
        if (named > listed)
            return mpg_error_set(err, "rank %d: more requirements than the %llu in its list", im->rank,
                                 (unsigned long long)listed);
    }
    return mpg_goal_rank(im, err);
}

int mpg_goal_read_binary(struct goal_import *im, struct mpg_error *err)
{
    unsigned char head[HEAD], place[PLACE];
    if (read_at(im, 0, head, sizeof head, err) < 0)
        return -1;
    const uint64_t ranks = get(head + 8, 4);
    if (ranks < 1 || ranks > MPG_BUILD_MAX_RANKS || (int64_t)ranks > (im->size_bytes - HEAD) / PLACE)
        return mpg_error_set(err, "%llu ranks in %lld bytes", (unsigned long long)ranks, (long long)im->size_bytes);
    im->ranks = (int32_t)ranks;
    uint64_t all_bytes = 0;
    for (im->rank = 0; im->rank < im->ranks; im->rank++) {
        if (read_at(im, HEAD + (int64_t)PLACE * im->rank, place, sizeof place, err) < 0)
            return -1;
        const uint64_t begin = get(place, 8), end = get(place + 8, 8);
        if (begin > end || end > (uint64_t)im->size_bytes - BASE)
            return mpg_error_set(err, "rank %d ends outside of the file (LogGOPSim2's longer operations?)", im->rank);
        all_bytes += end - begin;
        if (all_bytes > (uint64_t)im->size_bytes)
            return mpg_error_set(err, "ranks 0 to %d share bytes of the file", im->rank);
        unsigned char *data = malloc(end - begin + 1);
        int status = data ? read_at(im, BASE + (int64_t)begin, data, end - begin, err) : mpg_error_set(err, "out of memory");
        if (status == 0)
            status = read_rank(im, data, end - begin, err);
        free(data);
        mpg_goal_reset(&im->graph);
        if (status < 0)
            return -1;
    }
    return 0;
}

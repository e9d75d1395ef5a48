/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/speed/patterns.h"

#include <stdlib.h>
#include <string.h>

enum { BYTES = 1024, TAG = 7, POST_NS = 100, FLIGHT_NS = 1900, MAX_LEVELS = 31 };

struct mpg_event pattern_call(enum mpg_call which, int64_t enter_ns, int64_t leave_ns)
{
    return (struct mpg_event){.call = which, .enter_ns = enter_ns, .leave_ns = leave_ns,
                              .site = MPG_NO_SITE, .newcomm = MPG_NO_COMM,
                              .object = MPG_NO_OBJECT, .done_all = true};
}

/* --- single calls --- */

/* Writes a blocking send to or receive from PEER. */
static int message(struct rank *r, enum mpg_call which, int32_t peer, int64_t enter_ns,
                   int64_t leave_ns, struct mpg_error *err)
{
    struct mpg_event e = pattern_call(which, enter_ns, leave_ns);
    e.bytes = BYTES;
    e.tag = TAG;
    *(which == MPG_CALL_Send || which == MPG_CALL_Isend ? &e.to : &e.from) = peer;
    int64_t request = r->made + 1;
    if (which == MPG_CALL_Isend || which == MPG_CALL_Irecv) {
        e.requests = &request;
        e.request_number = 1;
        r->made++;
    }
    return mpg_trace_write_event(r->writer, &e, err);
}

/* Writes a nonblocking call that begins at *NOW_NS, and advances *NOW_NS to its end. */
static int post(struct rank *r, enum mpg_call which, int32_t peer, int64_t *now_ns,
                struct mpg_error *err)
{
    const int64_t begin_ns = *now_ns;
    *now_ns += POST_NS;
    return message(r, which, peer, begin_ns, *now_ns, err);
}

/* Writes a call that completes the last N requests. */
static int wait_all(struct rank *r, uint32_t n, int64_t enter_ns, int64_t leave_ns,
                    struct mpg_error *err)
{
    struct mpg_event e = pattern_call(MPG_CALL_Waitall, enter_ns, leave_ns);
    if (n > r->capacity) {
        int64_t *grown = realloc(r->requests, n * sizeof *grown);
        if (!grown)
            return mpg_error_set(err, "out of memory");
        r->requests = grown;
        r->capacity = n;
    }
    for (uint32_t i = 0; i < n; i++)
        r->requests[i] = r->made - n + 1 + i;
    e.requests = r->requests;
    e.request_number = n;
    return mpg_trace_write_event(r->writer, &e, err);
}

/* --- ring --- */

static int64_t short_step_ns(int32_t ranks)
{
    (void)ranks;
    return 10000;
}

static int write_ring(struct rank *r, int64_t begin_ns, struct mpg_error *err)
{
    const int32_t next = (r->rank + 1) % r->ranks, before = (r->rank + r->ranks - 1) % r->ranks;
    return message(r, MPG_CALL_Send, next, begin_ns, begin_ns + 500, err) < 0 ? -1
               : message(r, MPG_CALL_Recv, before, begin_ns + 600, begin_ns + FLIGHT_NS, err);
}

/* --- all to all --- */

static int64_t all_step_ns(int32_t ranks)
{
    return (int64_t)ranks * 2 * POST_NS + 2 * FLIGHT_NS;
}

static int write_alltoall(struct rank *r, int64_t begin_ns, struct mpg_error *err)
{
    int64_t now_ns = begin_ns;
    for (int32_t i = 1; i < r->ranks; i++)
        if (post(r, MPG_CALL_Irecv, (r->rank + r->ranks - i) % r->ranks, &now_ns, err) < 0)
            return -1;
    for (int32_t i = 1; i < r->ranks; i++)
        if (post(r, MPG_CALL_Isend, (r->rank + i) % r->ranks, &now_ns, err) < 0)
            return -1;
    return wait_all(r, 2 * (uint32_t)(r->ranks - 1), now_ns, now_ns + FLIGHT_NS, err);
}

static int64_t exchange_step_ns(int32_t ranks)
{
    return (int64_t)ranks * 2 * FLIGHT_NS;
}

static int write_exchange(struct rank *r, int64_t begin_ns, struct mpg_error *err)
{
    for (int32_t i = 1; i < r->ranks; i++) {
        const int64_t enter_ns = begin_ns + (int64_t)i * 2 * FLIGHT_NS;
        struct mpg_event e = pattern_call(MPG_CALL_Sendrecv, enter_ns, enter_ns + FLIGHT_NS);
        e.bytes = e.recvbytes = BYTES;
        e.tag = e.recvtag = TAG;
        e.to = (r->rank + i) % r->ranks;
        e.from = (r->rank + r->ranks - i) % r->ranks;
        if (mpg_trace_write_event(r->writer, &e, err) < 0)
            return -1;
    }
    return 0;
}

/* --- grid --- */

/* Returns the largest number of columns, at most the square root of RANKS, that divides RANKS. */
static int32_t columns(int32_t ranks)
{
    int32_t n = 1;
    for (int32_t i = 1; (int64_t)i * i <= ranks; i++)
        n = ranks % i == 0 ? i : n;
    return n;
}

static int write_stencil(struct rank *r, int64_t begin_ns, struct mpg_error *err)
{
    const int32_t width = columns(r->ranks), height = r->ranks / width;
    const int32_t x = r->rank % width, y = r->rank / width;
    const int32_t near[4] = {y * width + (x + 1) % width, y * width + (x + width - 1) % width,
                             (y + 1) % height * width + x, (y + height - 1) % height * width + x};
    int64_t now_ns = begin_ns;
    for (int i = 0; i < 4; i++)
        if (post(r, MPG_CALL_Irecv, near[i], &now_ns, err) < 0)
            return -1;
    for (int i = 0; i < 4; i++)
        if (post(r, MPG_CALL_Isend, near[i], &now_ns, err) < 0)
            return -1;
    return wait_all(r, 8, now_ns, now_ns + FLIGHT_NS, err);
}

static int64_t wave_step_ns(int32_t ranks)
{
    const int32_t width = columns(ranks);
    return (int64_t)(width + ranks / width + 2) * 2 * FLIGHT_NS;
}

static int write_wavefront(struct rank *r, int64_t begin_ns, struct mpg_error *err)
{
    const int32_t width = columns(r->ranks), height = r->ranks / width;
    const int32_t x = r->rank % width, y = r->rank / width;
    int64_t now_ns = begin_ns + (int64_t)(x + y) * 2 * FLIGHT_NS;
    const struct { bool is_there; enum mpg_call which; int32_t peer; int64_t takes_ns; } part[4] = {
        {x > 0, MPG_CALL_Recv, r->rank - 1, FLIGHT_NS / 2},
        {y > 0, MPG_CALL_Recv, r->rank - width, FLIGHT_NS / 2},
        {x + 1 < width, MPG_CALL_Send, r->rank + 1, POST_NS},
        {y + 1 < height, MPG_CALL_Send, r->rank + width, POST_NS}};
    for (int i = 0; i < 4; i++) {
        if (part[i].is_there && message(r, part[i].which, part[i].peer, now_ns,
                                        now_ns + part[i].takes_ns, err) < 0)
            return -1;
        now_ns += part[i].takes_ns;
    }
    return 0;
}

/* --- tree --- */

static int levels(int32_t ranks)
{
    int n = 0;
    while (n < MAX_LEVELS && ((int64_t)1 << n) < ranks)
        n++;
    return n;
}

static int64_t tree_step_ns(int32_t ranks)
{
    return (int64_t)(2 * levels(ranks) + 2) * 2 * FLIGHT_NS;
}

/* Writes level LEVEL of the tree. On the way up, a rank whose lowest set bit is this level's sends to the rank without
 * this bit; on the way down messages go the other way. */
static int write_level(struct rank *r, int level, bool down, int64_t now_ns, struct mpg_error *err)
{
    const int64_t bit = (int64_t)1 << level;
    const bool has_parent = r->rank & bit;
    if ((r->rank & (bit - 1)) || (!has_parent && r->rank + bit >= r->ranks))
        return 0;
    const int32_t peer = (int32_t)(has_parent ? r->rank - bit : r->rank + bit);
    return has_parent != down ? message(r, MPG_CALL_Send, peer, now_ns, now_ns + POST_NS, err)
                              : message(r, MPG_CALL_Recv, peer, now_ns, now_ns + FLIGHT_NS, err);
}

static int write_tree(struct rank *r, int64_t begin_ns, struct mpg_error *err)
{
    const int n = levels(r->ranks);
    int64_t now_ns = begin_ns;
    for (int i = 0; i < 2 * n; i++, now_ns += 2 * FLIGHT_NS)
        if (write_level(r, i < n ? i : 2 * n - 1 - i, i >= n, now_ns, err) < 0)
            return -1;
    return 0;
}

/* --- master and workers --- */

static int64_t workers_step_ns(int32_t ranks)
{
    return (int64_t)ranks * 4 * POST_NS + 4 * FLIGHT_NS;
}

/* The master receives results in the order of an odd stride instead of the order of ranks. */
static int write_master(struct rank *r, int64_t begin_ns, struct mpg_error *err)
{
    const uint32_t n = (uint32_t)r->ranks - 1;
    int64_t now_ns = begin_ns, *open = malloc(n * sizeof *open);
    int status = open ? 0 : mpg_error_set(err, "out of memory");
    for (uint32_t i = 0; status == 0 && i < n; i++)
        status = post(r, MPG_CALL_Irecv, (int32_t)i + 1, &now_ns, err);
    for (uint32_t i = 0; open && i < n; i++)
        open[i] = r->made - n + 1 + i;
    now_ns += FLIGHT_NS;
    for (uint32_t left = n, at = 0; status == 0 && left > 0; left--) {
        at = (at + 5) % left;
        const int64_t done = open[at];
        struct mpg_event e = pattern_call(MPG_CALL_Waitany, now_ns, now_ns + POST_NS);
        e.requests = open;
        e.request_number = left;
        e.done_all = left == 1;
        e.done = &done;
        e.done_number = left > 1;
        status = mpg_trace_write_event(r->writer, &e, err);
        if (status == 0)
            status = message(r, MPG_CALL_Send, (int32_t)(done - (r->made - n)), now_ns + POST_NS,
                             now_ns + 2 * POST_NS, err);
        memmove(open + at, open + at + 1, (left - 1 - at) * sizeof *open);
        now_ns += 2 * POST_NS;
    }
    free(open);
    return status;
}

static int write_workers(struct rank *r, int64_t begin_ns, struct mpg_error *err)
{
    const int64_t end_ns = begin_ns + workers_step_ns(r->ranks) - FLIGHT_NS;
    if (r->rank == 0)
        return write_master(r, begin_ns, err);
    return message(r, MPG_CALL_Send, 0, begin_ns, begin_ns + POST_NS, err) < 0 ? -1
               : message(r, MPG_CALL_Recv, 0, begin_ns + POST_NS, end_ns, err);
}

/* --- collectives --- */

static int write_allreduce(struct rank *r, int64_t begin_ns, struct mpg_error *err)
{
    struct mpg_event e = pattern_call(MPG_CALL_Allreduce, begin_ns, begin_ns + 5000);
    e.bytes = BYTES;
    return mpg_trace_write_event(r->writer, &e, err);
}

const struct pattern patterns[] = {{"ring", short_step_ns, write_ring},
                                   {"alltoall", all_step_ns, write_alltoall},
                                   {"exchange", exchange_step_ns, write_exchange},
                                   {"stencil", short_step_ns, write_stencil},
                                   {"tree", tree_step_ns, write_tree},
                                   {"wavefront", wave_step_ns, write_wavefront},
                                   {"workers", workers_step_ns, write_workers},
                                   {"allreduce", short_step_ns, write_allreduce},
                                   {NULL, NULL, NULL}};

const struct pattern *pattern_by_name(const char *name)
{
    for (const struct pattern *p = patterns; p->name; p++)
        if (strcmp(p->name, name) == 0)
            return p;
    return NULL;
}

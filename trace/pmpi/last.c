/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parts of the streams, and when they begin and are removed. trace/pmpi/snapshot.c has the content of snapshots. */
#include "trace/pmpi/last.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "trace/pmpi/clock.h"
#include "trace/pmpi/pauses.h"
#include "trace/pmpi/settings.h"
#include "trace/pmpi/snapshot.h"
#include "trace/pmpi/stream.h"

enum {
    PARTS = 4,                   /* parts of the kept time: so much more than the time is at most on disk is 1 / PARTS of it */
    LEAST_PART_NS = 50000000     /* the least length of a part: beginning a part takes some 100 us */
};

struct part {
    uint32_t number;
    int64_t begin_ns;
    int64_t calls; /* number of calls recorded before */
};

static struct {
    bool on;
    int64_t span_ns, part_ns;
    struct part parts[STREAM_PARTS]; /* the parts on disk, oldest first */
    int count;
} last;

bool last_is_on(void)
{
    return last.on;
}

int64_t last_dropped_calls(void)
{
    return last.count > 0 ? last.parts[0].calls : 0;
}

/* Removes the parts that are older than the kept time, which ends at NOW_NS. Returns 0, or -1 with ERR. */
static int remove_old(int64_t now_ns, struct mpg_error *err)
{
    int n = 0, status = 0;
    while (n + 1 < last.count && status == 0 &&
           (now_ns - last.parts[n + 1].begin_ns >= last.span_ns || last.count - n == STREAM_PARTS))
        status = streams_remove_part(last.parts[n++].number, err);
    last.count -= n;
    memmove(last.parts, last.parts + n, (size_t)last.count * sizeof *last.parts);
    return status;
}

/* Begins the next part of all streams at NOW_NS. Returns 0, or -1 with ERR. */
static int begin_part(int64_t now_ns, struct mpg_error *err)
{
    if (remove_old(now_ns, err) < 0 || streams_begin_part(err) < 0 || snapshot_write(now_ns, err) < 0)
        return -1;
    /* The first part has the calls from MPI_Init on, and nothing was before. */
    last.parts[last.count++] = (struct part){streams.part, now_ns, streams.part > 1 ? streams_calls() : 0};
    return remove_old(now_ns, err);
}

void last_turn(int64_t now_ns)
{
    struct mpg_error err;
    streams_wait();
    if (!streams.on || now_ns < pauses.next_ns) /* another thread has begun the part meanwhile */
        return;
    pauses.next_ns = now_ns < INT64_MAX - last.part_ns ? now_ns + last.part_ns : INT64_MAX;
    if (begin_part(now_ns, &err) < 0)
        stream_fail(&err);
}

void last_start(int rank, int64_t init_ns)
{
    struct mpg_error err;
    char text[32];
    last.span_ns = setting_number("MPGTRACE_LAST", SETTING_INT, 1, INT64_MAX, 0, rank);
    if (last.span_ns == 0)
        return;
    last.on = streams.special = streams.redefines = true;
    last.part_ns = last.span_ns / PARTS > LEAST_PART_NS ? last.span_ns / PARTS : LEAST_PART_NS;
    streams.opened = snapshot_begin_stream;
    pauses.is_given = true;
    pauses.next_ns = init_ns;
    snprintf(text, sizeof text, "%" PRId64, last.span_ns);
    if (mpg_trace_write_fact(streams.first->writer, "last", text, &err) < 0)
        stream_fail(&err);
    last_turn(init_ns);
}

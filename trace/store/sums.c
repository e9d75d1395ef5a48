/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Aggregates calls in rows of the segment, and turns rows into events. The row of an aggregate is emptied after the event is
 * stored. If the process is killed in between, the row has the event's number, so that readers do not count the calls
 * twice. */
#include "trace/store/sums.h"

#include <endian.h>
#include <string.h>

#include "trace/store/writer_private.h"

uint64_t mpg_trace_sums_epoch;

void mpg_writer_renew_sums(void)
{
    __atomic_fetch_add(&mpg_trace_sums_epoch, 1, __ATOMIC_RELEASE);
}

static uint32_t slot_of(enum mpg_call call, int32_t site)
{
    return (((uint32_t)site * 512u + (uint32_t)call) * 0x9e3779b1u) >> 16 & (MPG_SUM_SLOTS - 1);
}

/* Returns the entry of w->sum_slots for CALL at SITE; if none, the empty entry to use. */
static uint16_t *find(struct mpg_trace_writer *w, enum mpg_call call, int32_t site)
{
    uint32_t i = slot_of(call, site);
    for (; w->sum_slots[i]; i = (i + 1) & (MPG_SUM_SLOTS - 1)) {
        const struct mpg_sum_row *row = &w->segment.sums[w->sum_slots[i] - 1];
        if (row->call == htole32((uint32_t)call) && row->site == (int32_t)htole32((uint32_t)site))
            break;
    }
    return &w->sum_slots[i];
}

bool mpg_trace_add_sum(struct mpg_trace_writer *w, enum mpg_call call, int32_t site,
                       int64_t time_ns, int64_t leave_ns, uint64_t **counter)
{
    const uint16_t place = *find(w, call, site);
    if (counter)
        *counter = NULL;
    if (place == 0 || w->stopped)
        return w->stopped;
    struct mpg_sum_row *row = &w->segment.sums[place - 1];
    const uint64_t time = (uint64_t)time_ns, calls = le64toh(row->calls) + 1;
    /* The time of this call also stands for the calls since the last timed call, which were only counted. */
    row->time_ns = htole64(le64toh(row->time_ns) + time * (calls - le64toh(row->covered)));
    row->covered = htole64(calls);
    if (time < le64toh(row->min_ns))
        row->min_ns = htole64(time);
    if (time > le64toh(row->max_ns))
        row->max_ns = htole64(time);
    row->last_ns = (int64_t)htole64((uint64_t)leave_ns);
    __atomic_store_n(&row->calls, htole64(calls), __ATOMIC_RELEASE);
    w->segment.progress->inside = 0; /* the thread has left the call, which wrote no event */
    if (counter)
        *counter = &row->calls;
    return true;
}

int mpg_trace_begin_sum(struct mpg_trace_writer *w, enum mpg_call call, int32_t site,
                        struct mpg_error *err)
{
    if (w->sum_rows == MPG_SUM_ROWS && mpg_writer_write_sums(w, err) < 0)
        return -1;
    w->segment.sums[w->sum_rows] =
        (struct mpg_sum_row){.call = htole32((uint32_t)call),
                             .site = (int32_t)htole32((uint32_t)site),
                             .min_ns = htole64(INT64_MAX)};
    *find(w, call, site) = (uint16_t)++w->sum_rows;
    return 0;
}

static struct mpg_event event_of(const struct mpg_trace_writer *w, const struct mpg_sum_row *row)
{
    int64_t last_ns = (int64_t)le64toh((uint64_t)row->last_ns);
    if (last_ns < w->last_ns)
        last_ns = w->last_ns;
    return (struct mpg_event){.call = (enum mpg_call)le32toh(row->call),
                              .site = (int32_t)le32toh((uint32_t)row->site),
                              .enter_ns = last_ns,
                              .leave_ns = last_ns,
                              .sum = mpg_sum_of_row(row)};
}

static int64_t last_of(const struct mpg_trace_writer *w, uint16_t row)
{
    return (int64_t)le64toh((uint64_t)w->segment.sums[row].last_ns);
}

/* Returns whether the last call of row A ended before the last call of row B; if both ended at one time, whether A is the
 * smaller index. */
static bool is_before(const struct mpg_trace_writer *w, uint16_t a, uint16_t b)
{
    return last_of(w, a) != last_of(w, b) ? last_of(w, a) < last_of(w, b) : a < b;
}

/* Restores the heap order of HEAP, of N rows, below index I: a row's last call does not end before the last calls of the rows
 * below. */
static void sift(const struct mpg_trace_writer *w, uint16_t *heap, uint32_t n, uint32_t i)
{
    for (uint32_t below; (below = 2 * i + 1) < n; i = below) {
        if (below + 1 < n && is_before(w, heap[below], heap[below + 1]))
            below++;
        if (is_before(w, heap[below], heap[i]))
            return;
        const uint16_t row = heap[i];
        heap[i] = heap[below];
        heap[below] = row;
    }
}

/* Sorts the rows in use by the leave of the last call, in w->sum_order. Returns the number of rows. Uses heap sort, because
 * qsort() can allocate memory. */
static uint32_t sort(struct mpg_trace_writer *w)
{
    uint16_t *rows = w->sum_order;
    uint32_t n = 0;
    for (uint32_t i = 0; i < w->sum_rows; i++)
        if (w->segment.sums[i].calls)
            rows[n++] = (uint16_t)i;
    for (uint32_t i = n / 2; i-- > 0;)
        sift(w, rows, n, i);
    for (uint32_t end = n; end-- > 1;) {
        const uint16_t last = rows[0];
        rows[0] = rows[end];
        rows[end] = last;
        sift(w, rows, end, 0);
    }
    return n;
}

int mpg_writer_write_sums(struct mpg_trace_writer *w, struct mpg_error *err)
{
    const uint32_t n = sort(w);
    mpg_writer_renew_sums();
    for (uint32_t i = 0; i < n; i++) {
        struct mpg_sum_row *row = &w->segment.sums[w->sum_order[i]];
        const struct mpg_event e = event_of(w, row);
        /* Makes room first: making room can end the chunk, and the row must name the chunk of the row's event. */
        if (mpg_writer_settle(w, &e, err) < 0)
            return -1;
        const uint64_t number = w->sequence << 32 | (uint32_t)(w->chunk_events + 1);
        __atomic_store_n(&row->event, htole64(number), __ATOMIC_RELEASE);
        if (mpg_trace_write_event(w, &e, err) < 0)
            return -1;
        w->size.summed += (uint64_t)e.sum.calls;
        __atomic_store_n(&row->calls, 0, __ATOMIC_RELEASE);
        row->event = 0;
    }
    memset(w->sum_slots, 0, sizeof w->sum_slots);
    w->sum_rows = 0;
    return 0;
}

int mpg_trace_end_sums(struct mpg_trace_writer *w, struct mpg_error *err)
{
    return w->sum_rows == 0 ? 0 : mpg_writer_write_sums(w, err);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The ranks that can go on, in a binary heap: the rank with the least progress is first. */
#include "graph/schedule/queue.h"

static bool is_behind(const struct queue *q, int32_t a, int32_t b)
{
    int64_t x = q->rank[a].progress_ns, y = q->rank[b].progress_ns;
    return x != y ? x < y : a < b;
}

void mpg_graph_queue_push(struct queue *q, int32_t rank)
{
    int32_t i = q->count++;
    q->rank[rank].queued = true;
    for (; i > 0 && is_behind(q, rank, q->heap[(i - 1) / 2]); i = (i - 1) / 2)
        q->heap[i] = q->heap[(i - 1) / 2];
    q->heap[i] = rank;
}

int32_t mpg_graph_queue_pop(struct queue *q)
{
    int32_t top = q->heap[0], last = q->heap[--q->count], i = 0;
    for (int32_t child; (child = 2 * i + 1) < q->count; i = child) {
        if (child + 1 < q->count && is_behind(q, q->heap[child + 1], q->heap[child]))
            child++;
        if (!is_behind(q, q->heap[child], last))
            break;
        q->heap[i] = q->heap[child];
    }
    q->heap[i] = last;
    q->rank[top].queued = false;
    return top;
}

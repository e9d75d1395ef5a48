/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Follows requests, matched messages and regions of a rank. */
#include "trace/excerpt/open.h"

#include <stdlib.h>
#include <string.h>

#include "common/reserve.h"

static int out_of_memory(struct mpg_error *err)
{
    return mpg_error_set(err, "out of memory");
}

bool mpg_kind_makes_requests(enum mpg_kind kind)
{
    switch (kind) {
    case MPG_KIND_ISEND:
    case MPG_KIND_IRECV:
    case MPG_KIND_IMRECV:
    case MPG_KIND_ISENDRECV:
    case MPG_KIND_REQUEST:
    case MPG_KIND_START:
    case MPG_KIND_ICOLLECTIVE:
    case MPG_KIND_INEIGHBOR:
    case MPG_KIND_ICONSTRUCTOR:
    case MPG_KIND_IRMA:
    case MPG_KIND_IFILE:
        return true;
    default:
        return false;
    }
}

enum mpg_origin mpg_open_request(const struct mpg_open *open, int64_t request)
{
    const uint64_t *slot = mpg_map_find(&open->requests, (uint64_t)request, 0);
    return slot ? (enum mpg_origin)*slot : MPG_ORIGIN_UNKNOWN;
}

int mpg_open_note_request(struct mpg_open *open, int64_t request, enum mpg_origin origin, struct mpg_error *err)
{
    uint64_t *slot = mpg_map_add(&open->requests, (uint64_t)request, 0);
    if (!slot)
        return out_of_memory(err);
    *slot = (uint64_t)origin;
    return 0;
}

static void forget_requests(struct mpg_open *open, const int64_t *requests, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        mpg_map_remove(&open->requests, (uint64_t)requests[i], 0);
}

/* --- calls making persistent requests --- */

static int keep_init(struct mpg_open *open, const struct mpg_event *e, struct mpg_error *err)
{
    if (mpg_grow(&open->inits, open->init_count, &open->init_capacity, sizeof *open->inits, err) < 0)
        return -1;
    struct mpg_kept_call *kept = &open->inits[open->init_count];
    *kept = (struct mpg_kept_call){.event = *e, .persistent = e->persistent[0]};
    if (e->count_number > 0 && e->counts) {
        if (!(kept->counts = malloc(e->count_number * sizeof *kept->counts)))
            return out_of_memory(err);
        memcpy(kept->counts, e->counts, e->count_number * sizeof *kept->counts);
    }
    open->init_count++;
    return 0;
}

static void forget_init(struct mpg_open *open, int64_t persistent)
{
    size_t i = open->init_count;
    while (i > 0 && open->inits[i - 1].persistent != persistent)
        i--;
    if (i == 0)
        return;
    free(open->inits[i - 1].counts);
    memmove(&open->inits[i - 1], &open->inits[i], (open->init_count - i) * sizeof *open->inits);
    open->init_count--;
}

/* --- matched messages --- */

struct mpg_kept_call *mpg_open_matched(struct mpg_open *open, int64_t message)
{
    for (size_t i = open->matched_count; i > 0; i--)
        if (open->matched[i - 1].event.message == message)
            return &open->matched[i - 1];
    return NULL;
}

static int keep_matched(struct mpg_open *open, const struct mpg_event *e, enum mpg_origin origin, struct mpg_error *err)
{
    if (mpg_grow(&open->matched, open->matched_count, &open->matched_capacity, sizeof *open->matched, err) < 0)
        return -1;
    open->matched[open->matched_count++] = (struct mpg_kept_call){.event = *e, .origin = origin};
    return 0;
}

static void forget_matched(struct mpg_open *open, int64_t message)
{
    struct mpg_kept_call *kept = mpg_open_matched(open, message);
    if (kept)
        *kept = open->matched[--open->matched_count];
}

/* --- regions --- */

static int begin_region(struct mpg_open *open, const struct mpg_event *e, struct mpg_error *err)
{
    if (mpg_grow(&open->regions, open->region_count, &open->region_capacity, sizeof *open->regions, err) < 0)
        return -1;
    open->regions[open->region_count++] = (struct mpg_open_region){e->thread, e->string};
    return 0;
}

static void end_region(struct mpg_open *open, const struct mpg_event *e)
{
    size_t i = open->region_count;
    while (i > 0 && (open->regions[i - 1].thread != e->thread || open->regions[i - 1].string != e->string))
        i--;
    if (i == 0)
        return;
    memmove(&open->regions[i - 1], &open->regions[i], (open->region_count - i) * sizeof *open->regions);
    open->region_count--;
}

int mpg_open_note(struct mpg_open *open, const struct mpg_event *e, enum mpg_origin origin, struct mpg_error *err)
{
    if (e->failed)
        return 0;
    switch (mpg_call_kind(e->call)) {
    case MPG_KIND_REGION_BEGIN:
        return begin_region(open, e, err);
    case MPG_KIND_REGION_END:
        end_region(open, e);
        return 0;
    case MPG_KIND_COMPLETE:
        forget_requests(open, e->done_all ? e->requests : e->done, e->done_all ? e->request_number : e->done_number);
        return 0;
    case MPG_KIND_REQUEST_FREE:
        forget_requests(open, e->requests, e->request_number);
        if (e->persistent)
            forget_init(open, e->persistent[0]);
        return 0;
    case MPG_KIND_SEND_INIT:
    case MPG_KIND_RECV_INIT:
    case MPG_KIND_PSEND_INIT:
    case MPG_KIND_PRECV_INIT:
    case MPG_KIND_COLLECTIVE_INIT:
    case MPG_KIND_NEIGHBOR_INIT:
        return keep_init(open, e, err);
    case MPG_KIND_MPROBE:
        return e->found && e->message > 0 ? keep_matched(open, e, origin, err) : 0;
    case MPG_KIND_MRECV:
    case MPG_KIND_IMRECV:
        forget_matched(open, e->message);
        return 0;
    default:
        return 0;
    }
}

static int compare(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

int64_t mpg_open_list(const struct mpg_open *open, int64_t **list, struct mpg_error *err)
{
    int64_t n = 0;
    if (!(*list = malloc((open->requests.count + 1) * sizeof **list)))
        return out_of_memory(err);
    for (size_t i = 0; i < open->requests.capacity; i++)
        if (open->requests.entries[i].used && open->requests.entries[i].value == MPG_ORIGIN_INSIDE)
            (*list)[n++] = (int64_t)open->requests.entries[i].key[0];
    qsort(*list, (size_t)n, sizeof **list, compare);
    return n;
}

void mpg_open_clear(struct mpg_open *open)
{
    mpg_map_clear(&open->requests);
    for (size_t i = 0; i < open->init_count; i++)
        free(open->inits[i].counts);
    free(open->inits);
    free(open->matched);
    free(open->regions);
    *open = (struct mpg_open){.inits = NULL};
}

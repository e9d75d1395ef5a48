/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "graph/schedule/completion_times.h"

#include "common/map.h"
#include "common/reserve.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_AHEAD = 65536 }; /* maximum number of calls read ahead in search of a request's completion */

/* The completion of a request in a call read ahead. */
struct noted {
    uint64_t number; /* number of the completing call */
    int64_t request;
};

struct completion_times {
    struct mpg_cursor *cursor;
    uint64_t passed;  /* completions in calls with lower numbers are not stored */
    struct mpg_map completed; /* request -> leave of the completing call, ns */
    struct noted *noted;      /* stored completions in the order of calls; the first is at FIRST_NOTED */
    uint32_t first_noted, noted_count, noted_capacity;
    uint64_t calls;   /* number of calls read */
    bool has_ended;   /* all events of the rank have been read */
};

struct completion_times *mpg_graph_completion_times_open(struct mpg_trace *trace, int32_t rank, struct mpg_error *err)
{
    struct completion_times *completion_times = calloc(1, sizeof *completion_times);
    if (!completion_times) {
        mpg_error_set(err, "out of memory");
        return NULL;
    }
    completion_times->cursor = mpg_cursor_open(trace, rank, err);
    if (completion_times->cursor)
        return completion_times;
    free(completion_times);
    return NULL;
}

void mpg_graph_completion_times_close(struct completion_times *completion_times)
{
    if (!completion_times)
        return;
    mpg_cursor_close(completion_times->cursor);
    mpg_map_clear(&completion_times->completed);
    free(completion_times->noted);
    free(completion_times);
}

static uint32_t number_done(const struct mpg_event *e)
{
    return e->done_all ? e->request_number : e->done_number;
}

static const int64_t *list_done(const struct mpg_event *e)
{
    return e->done_all ? e->requests : e->done;
}

static int note_completions(struct completion_times *completion_times, const struct mpg_event *e, uint64_t number,
                            struct mpg_error *err)
{
    void *noted = completion_times->noted;
    if (mpg_reserve(&noted, sizeof *completion_times->noted, &completion_times->noted_capacity,
                    completion_times->noted_count + number_done(e), err) < 0)
        return -1;
    completion_times->noted = noted;
    for (uint32_t i = 0; i < number_done(e); i++) {
        uint64_t *leave = mpg_map_add(&completion_times->completed, (uint64_t)list_done(e)[i], 0);
        if (!leave)
            return mpg_error_set(err, "out of memory");
        *leave = (uint64_t)e->leave_ns;
        completion_times->noted[completion_times->noted_count++] = (struct noted){number, list_done(e)[i]};
    }
    return 0;
}

static int read_call(struct completion_times *completion_times, struct mpg_error *err)
{
    struct mpg_event e;
    int more = mpg_cursor_next(completion_times->cursor, &e, err);
    if (more < 0)
        return -1;
    completion_times->has_ended = more == 0;
    if (completion_times->has_ended || !mpg_event_is_call(&e))
        return 0;
    const uint64_t number = completion_times->calls++;
    const bool completes = mpg_call_kind(e.call) == MPG_KIND_COMPLETE && !e.failed;
    return completes && number >= completion_times->passed ? note_completions(completion_times, &e, number, err) : 0;
}

int mpg_graph_completion_time(struct completion_times *completion_times, uint64_t number, int64_t request, int64_t *leave_ns,
                              struct mpg_error *err)
{
    const uint64_t *leave;
    completion_times->passed = number;
    while (!(leave = mpg_map_find(&completion_times->completed, (uint64_t)request, 0)) && !completion_times->has_ended &&
           completion_times->calls < number + MAX_AHEAD)
        if (read_call(completion_times, err) < 0)
            return -1;
    *leave_ns = leave ? (int64_t)*leave : 0;
    return leave != NULL;
}

void mpg_graph_completion_times_forget(struct completion_times *completion_times, uint64_t number)
{
    completion_times->passed = number + 1;
    while (completion_times->first_noted < completion_times->noted_count &&
           completion_times->noted[completion_times->first_noted].number <= number)
        mpg_map_remove(&completion_times->completed, (uint64_t)completion_times->noted[completion_times->first_noted++].request,
                       0);
    if (completion_times->first_noted <= completion_times->noted_count / 2)
        return;
    /* More than half of the list is unused: moves the rest to the begin. */
    completion_times->noted_count -= completion_times->first_noted;
    memmove(completion_times->noted, completion_times->noted + completion_times->first_noted,
            completion_times->noted_count * sizeof *completion_times->noted);
    completion_times->first_noted = 0;
}

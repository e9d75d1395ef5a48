/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "graph/schedule/scout.h"

#include "common/map.h"
#include "common/reserve.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_AHEAD = 65536 }; /* calls, in search of a completion */

/* A completion that was read. */
struct noted {
    uint64_t number; /* of the call */
    int64_t request;
};

struct scout {
    struct mpg_cursor *cursor;
    uint64_t passed;  /* completions are noted of calls from this number on: */
    struct mpg_map completed; /* request -> leave, */
    struct noted *noted;      /* in the order of calls: from FIRST_NOTED on */
    uint32_t first_noted, noted_count, noted_capacity;
    uint64_t calls;   /* read so far */
    bool has_ended;   /* the rank */
};

struct scout *mpg_graph_scout_open(struct mpg_trace *trace, int32_t rank, struct mpg_error *err)
{
    struct scout *scout = calloc(1, sizeof *scout);
    if (!scout) {
        mpg_error_set(err, "out of memory");
        return NULL;
    }
    scout->cursor = mpg_cursor_open(trace, rank, err);
    if (scout->cursor)
        return scout;
    free(scout);
    return NULL;
}

void mpg_graph_scout_close(struct scout *scout)
{
    if (!scout)
        return;
    mpg_cursor_close(scout->cursor);
    mpg_map_clear(&scout->completed);
    free(scout->noted);
    free(scout);
}

static uint32_t number_done(const struct mpg_event *e)
{
    return e->done_all ? e->request_number : e->done_number;
}

static const int64_t *list_done(const struct mpg_event *e)
{
    return e->done_all ? e->requests : e->done;
}

static int note_completions(struct scout *scout, const struct mpg_event *e, uint64_t number,
                            struct mpg_error *err)
{
    void *noted = scout->noted;
    if (mpg_reserve(&noted, sizeof *scout->noted, &scout->noted_capacity,
                    scout->noted_count + number_done(e), err) < 0)
        return -1;
    scout->noted = noted;
    for (uint32_t i = 0; i < number_done(e); i++) {
        uint64_t *leave = mpg_map_add(&scout->completed, (uint64_t)list_done(e)[i], 0);
        if (!leave)
            return mpg_error_set(err, "out of memory");
        *leave = (uint64_t)e->leave_ns;
        scout->noted[scout->noted_count++] = (struct noted){number, list_done(e)[i]};
    }
    return 0;
}

static int read_call(struct scout *scout, struct mpg_error *err)
{
    struct mpg_event e;
    int more = mpg_cursor_next(scout->cursor, &e, err);
    if (more < 0)
        return -1;
    scout->has_ended = more == 0;
    if (scout->has_ended || !mpg_event_is_call(&e))
        return 0;
    const uint64_t number = scout->calls++;
    const bool completes = mpg_call_kind(e.call) == MPG_KIND_COMPLETE && !e.failed;
    return completes && number >= scout->passed ? note_completions(scout, &e, number, err) : 0;
}

int mpg_graph_scout_completion(struct scout *scout, uint64_t number, int64_t request, int64_t *leave_ns, struct mpg_error *err)
{
    const uint64_t *leave;
    scout->passed = number;
    while (!(leave = mpg_map_find(&scout->completed, (uint64_t)request, 0)) && !scout->has_ended &&
           scout->calls < number + MOST_AHEAD)
        if (read_call(scout, err) < 0)
            return -1;
    *leave_ns = leave ? (int64_t)*leave : 0;
    return leave != NULL;
}

void mpg_graph_scout_forget(struct scout *scout, uint64_t number)
{
    scout->passed = number + 1;
    while (scout->first_noted < scout->noted_count && scout->noted[scout->first_noted].number <= number)
        mpg_map_remove(&scout->completed, (uint64_t)scout->noted[scout->first_noted++].request, 0);
    if (scout->first_noted <= scout->noted_count / 2)
        return;
    scout->noted_count -= scout->first_noted; /* so that the list is as long as what is ahead */
    memmove(scout->noted, scout->noted + scout->first_noted, scout->noted_count * sizeof *scout->noted);
    scout->first_noted = 0;
}

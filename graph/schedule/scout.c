/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "graph/schedule/scout.h"

#include "common/map.h"
#include "common/reserve.h"
#include "graph/work/intervals.h"

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
    bool notes;       /* completions are noted, of calls from number PASSED on: */
    uint64_t passed;
    struct mpg_map completed; /* request -> leave, */
    struct noted *noted;      /* in the order of calls: from FIRST_NOTED on */
    uint32_t first_noted, noted_count, noted_capacity;
    uint64_t calls;   /* read so far */
    bool has_ended;   /* the rank, */
    bool is_open;     /* and the last stretch has not: */
    int64_t leave_ns; /* of its last call so far */
    struct stretch *stretch; /* those that are not asked for yet: from FIRST on */
    size_t first, count, capacity;
};

struct scout *graph_scout_open(struct mpg_trace *trace, int32_t rank, bool completions,
                               struct mpg_error *err)
{
    struct scout *scout = calloc(1, sizeof *scout);
    if (!scout) {
        mpg_error_set(err, "out of memory");
        return NULL;
    }
    scout->notes = completions;
    scout->cursor = mpg_cursor_open(trace, rank, err);
    if (scout->cursor)
        return scout;
    free(scout);
    return NULL;
}

static void forget_intervals(struct stretch *stretch)
{
    free(stretch->interval_ns);
    stretch->interval_ns = NULL;
}

void graph_scout_close(struct scout *scout)
{
    if (!scout)
        return;
    while (scout->first < scout->count)
        forget_intervals(&scout->stretch[scout->first++]);
    mpg_cursor_close(scout->cursor);
    mpg_map_clear(&scout->completed);
    free(scout->noted);
    free(scout->stretch);
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

static bool begins_stretch(const struct mpg_event *e)
{
    const enum mpg_call call = mpg_call_plain(e->call);
    return !e->failed && (call == MPG_CALL_Waitsome || call == MPG_CALL_Testsome) &&
           number_done(e) > 1;
}

static bool ends_stretch(const struct mpg_event *e)
{
    switch (mpg_call_kind(e->call)) {
    case MPG_KIND_COMPLETE:
    case MPG_KIND_COLLECTIVE:
    case MPG_KIND_CONSTRUCTOR:
    case MPG_KIND_WIN_CONSTRUCTOR:
    case MPG_KIND_WIN_FENCE:
    case MPG_KIND_WIN_FREE:
    case MPG_KIND_NEIGHBOR:
    case MPG_KIND_FINALIZE:
        return true;
    default:
        return false;
    }
}

static int begin_stretch(struct scout *scout, uint64_t number, struct mpg_error *err)
{
    if (scout->first == scout->count)
        scout->first = scout->count = 0;
    if (scout->count == scout->capacity && scout->first > scout->capacity / 2) {
        scout->count -= scout->first;
        memmove(scout->stretch, scout->stretch + scout->first,
                scout->count * sizeof *scout->stretch);
        scout->first = 0;
    }
    if (scout->count == scout->capacity) {
        size_t capacity = scout->capacity ? 2 * scout->capacity : 16;
        void *grown = realloc(scout->stretch, capacity * sizeof *scout->stretch);
        if (!grown)
            return mpg_error_set(err, "out of memory");
        scout->stretch = grown;
        scout->capacity = capacity;
    }
    scout->stretch[scout->count++] = (struct stretch){.number = number};
    scout->is_open = true;
    return 0;
}

/* The open stretch has an interval of LENGTH_NS, after as many calls as it has so far. */
static int note_interval(struct stretch *stretch, int64_t length_ns, struct mpg_error *err)
{
    const uint64_t n = stretch->calls;
    if (n >= GRAPH_SCOUT_INTERVALS) {
        forget_intervals(stretch);
        return 0;
    }
    if ((n & (n - 1)) == 0) { /* there is room for as many as the next power of 2 */
        void *grown = realloc(stretch->interval_ns, (n ? 2 * n : 1) * sizeof *stretch->interval_ns);
        if (!grown)
            return mpg_error_set(err, "out of memory");
        stretch->interval_ns = grown;
    }
    stretch->interval_ns[n] = length_ns;
    return 0;
}

/* The interval before E, the next call of the open stretch or the one that ends it. */
static int add_interval(struct scout *scout, const struct mpg_event *e, struct mpg_error *err)
{
    struct stretch *stretch = &scout->stretch[scout->count - 1];
    const int64_t length_ns = e->enter_ns > scout->leave_ns ? e->enter_ns - scout->leave_ns : 0;
    if (stretch->calls == 0 || length_ns > stretch->longest_ns) {
        stretch->longest_ns = length_ns;
        stretch->longest = stretch->calls;
    }
    stretch->work_ns += length_ns;
    scout->leave_ns = e->leave_ns;
    return note_interval(stretch, length_ns, err);
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
    bool completes = mpg_call_kind(e.call) == MPG_KIND_COMPLETE && !e.failed;
    if (scout->notes && completes && number >= scout->passed && note_completions(scout, &e, number, err) < 0)
        return -1;
    const bool ends = ends_stretch(&e);
    if (scout->is_open && (ends || !graph_is_computation(&e)) && add_interval(scout, &e, err) < 0)
        return -1;
    if (scout->is_open && !ends && !graph_is_computation(&e))
        scout->stretch[scout->count - 1].calls++;
    scout->is_open = scout->is_open && !ends;
    if (!begins_stretch(&e))
        return 0;
    scout->leave_ns = e.leave_ns;
    return begin_stretch(scout, number, err);
}

int graph_scout_stretch(struct scout *scout, uint64_t number, struct stretch *stretch,
                        struct mpg_error *err)
{
    while (scout->calls <= number && !scout->has_ended)
        if (read_call(scout, err) < 0)
            return -1;
    for (; scout->first < scout->count && scout->stretch[scout->first].number < number; scout->first++)
        forget_intervals(&scout->stretch[scout->first]);
    bool is_known = scout->first < scout->count && scout->stretch[scout->first].number == number;
    while (is_known && scout->first + 1 == scout->count && scout->is_open && !scout->has_ended)
        if (read_call(scout, err) < 0)
            return -1;
    if (is_known && scout->first + 1 == scout->count && scout->is_open) /* nothing ends it */
        forget_intervals(&scout->stretch[scout->first]);
    *stretch = is_known ? scout->stretch[scout->first] : (struct stretch){.number = number};
    return 0;
}

int graph_scout_completion(struct scout *scout, uint64_t number, int64_t request,
                           int64_t *leave_ns, struct mpg_error *err)
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

void graph_scout_forget(struct scout *scout, uint64_t number)
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

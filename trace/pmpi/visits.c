/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Counts the visits of the region to which recording is limited. */
#include "trace/pmpi/visits.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/units.h"
#include "trace/pmpi/clock.h"
#include "trace/pmpi/pauses.h"
#include "trace/pmpi/report.h"

static struct {
    const char *name;      /* the region; NULL: recording is not limited */
    bool are_joined;       /* visits FIRST to LAST are one part */
    uint64_t first, last;
    uint64_t begun, ended; /* number of begins and ends; protected by the lock */
} visits;

void visits_start(int rank)
{
    struct mpg_error err;
    const char *name = getenv("MPGTRACE_REGION"), *range = getenv("MPGTRACE_ITERATIONS");
    visits.name = name && *name ? name : NULL;
    visits.first = 1;
    visits.last = UINT64_MAX;
    if (!visits.name || !range)
        return;
    visits.are_joined = mpg_units_parse_range(range, "visits", &visits.first, &visits.last, &err) == 0 && visits.first > 0;
    if (visits.are_joined)
        return;
    visits.first = 1;
    visits.last = UINT64_MAX;
    if (rank == 0)
        report("MPGTRACE_ITERATIONS: '%s' is no range of visits from 1 on, like 3-17; all visits are recorded", range);
}

bool visits_limit(void)
{
    return visits.name != NULL;
}

bool visits_inside(void)
{
    return visits.begun >= visits.first && (visits.are_joined ? visits.ended < visits.last : visits.ended < visits.begun);
}

/* Returns true, with the lock, if NAME is the region to which recording is limited. */
static bool lock_for(const char *name)
{
    return visits.name && strcmp(visits.name, name) == 0 && tracer_lock();
}

void visits_begin(struct tracer_scope *s, const char *name)
{
    if (!lock_for(name))
        return;
    visits.begun++;
    if (pauses.on && visits_inside()) {
        s->enter_ns = s->enter_ns ? s->enter_ns : clock_now_ns();
        pauses_end(s->enter_ns);
    }
    tracer_unlock();
}

void visits_end(const struct tracer_scope *s, const char *name)
{
    if (!lock_for(name))
        return;
    visits.ended += visits.ended < visits.begun;
    if (!pauses.on && !visits_inside())
        pauses_begin(s->enter_ns);
    tracer_unlock();
}

void visits_report(void)
{
    if (visits.name && visits.begun == 0)
        report("rank 0 never enters region '%.200s' (--region): none of its calls are recorded", visits.name);
    else if (visits.name && visits.begun < visits.first)
        report("rank 0 enters region '%.200s' %" PRIu64 " times, and visit %" PRIu64 " (--iterations) not: none of its calls are "
               "recorded", visits.name, visits.begun, visits.first);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the edges of an excerpt: a time on the common clock, or marks of a region on each rank. */
#include "trace/excerpt/edges.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/reserve.h"
#include "common/units.h"

/* An argument of --from or --until. */
struct edge {
    const char *option, *text;
    bool is_end;          /* --until */
    double time_ns;       /* after MPI_Init; only without a region */
    size_t region_bytes;  /* length of the region's name, at the begin of TEXT; 0: the edge is a time */
    int64_t visit;        /* from 1 */
};

/* Returns the length of the name in "NAME:N", and N in *VISIT; 0: TEXT has another form. */
static size_t parse_visit(const char *text, int64_t *visit)
{
    const char *colon = strrchr(text, ':');
    struct mpg_error ignored;
    return colon && isdigit((unsigned char)colon[1]) && mpg_units_parse_int(colon + 1, visit, &ignored) == 0
               ? (size_t)(colon - text)
               : 0;
}

static int parse(struct edge *edge, struct mpg_error *err)
{
    const char *text = edge->text;
    edge->region_bytes = parse_visit(text, &edge->visit);
    if (edge->region_bytes > 0)
        return edge->visit > 0 ? 0 : mpg_error_set(err, "%s=%s: visits count from 1", edge->option, text);
    if (!isdigit((unsigned char)*text) && !strchr("+-.", *text)) {
        edge->region_bytes = strlen(text);
        edge->visit = 1;
        return 0;
    }
    if (mpg_units_parse_time(text, &edge->time_ns, err) < 0)
        return mpg_error_prefix(err, "%s", edge->option);
    return edge->time_ns >= 0 ? 0 : mpg_error_set(err, "%s=%s: a time before the end of MPI_Init", edge->option, text);
}

/* Sets *TIME_NS to the end of RANK's MPI_Init, or without MPI_Init to the enter of the first event; 0 without events. */
static int find_init(struct mpg_trace *trace, int32_t rank, int64_t *time_ns, struct mpg_error *err)
{
    struct mpg_cursor *cursor = mpg_cursor_open(trace, rank, err);
    const struct mpg_event *e;
    int more = cursor ? mpg_cursor_read(cursor, &e, err) : -1;
    *time_ns = more > 0 ? e->enter_ns : 0;
    /* Few calls may come before MPI_Init. */
    for (int i = 0; i < 1000 && more > 0 && mpg_call_kind(e->call) != MPG_KIND_INIT; i++)
        more = mpg_cursor_read(cursor, &e, err);
    if (more > 0 && mpg_call_kind(e->call) == MPG_KIND_INIT)
        *time_ns = e->leave_ns;
    mpg_cursor_close(cursor);
    return more < 0 ? -1 : 0;
}

/* Returns the offset of RANK's clock at TIME_NS: linear between measured points, constant before the first and after the last. */
static double offset_at(const struct mpg_trace *trace, int32_t rank, int64_t time_ns)
{
    int64_t before_ns, before_offset_ns, after_ns, after_offset_ns;
    if (!mpg_trace_clock(trace, rank, 0, &before_ns, &before_offset_ns))
        return 0;
    for (size_t i = 1; time_ns > before_ns && mpg_trace_clock(trace, rank, i, &after_ns, &after_offset_ns); i++) {
        if (time_ns < after_ns)
            return (double)before_offset_ns + ((double)after_offset_ns - (double)before_offset_ns) *
                                                  ((double)(time_ns - before_ns) / (double)(after_ns - before_ns));
        before_ns = after_ns;
        before_offset_ns = after_offset_ns;
    }
    return (double)before_offset_ns;
}

/* Returns the time on RANK's clock at which rank 0's clock shows COMMON_NS. Offsets change little over an offset, so few steps
 * of the fixed point suffice. */
static int64_t to_rank(const struct mpg_trace *trace, int32_t rank, int64_t common_ns)
{
    int64_t time_ns = common_ns;
    for (int i = 0; i < 5; i++)
        time_ns = common_ns - llround(offset_at(trace, rank, time_ns));
    return time_ns;
}

static void set(const struct edge *edge, struct mpg_edges *edges, int64_t time_ns)
{
    *(edge->is_end ? &edges->end_ns : &edges->begin_ns) = time_ns;
}

static int64_t add(int64_t time_ns, double span_ns)
{
    return span_ns < 9e18 - (double)time_ns ? time_ns + llround(span_ns) : INT64_MAX;
}

/* Places EDGE, a time, on each rank. Without comparable clocks, each rank counts from the rank's MPI_Init. */
static int place_time(struct mpg_trace *trace, const struct edge *edge, struct mpg_edges *edges, struct mpg_error *err)
{
    const enum mpg_clocks clocks = mpg_trace_clocks(trace);
    const int32_t ranks = mpg_trace_ranks(trace);
    int64_t first_ns = INT64_MAX;
    if (mpg_trace_need_times(trace, "the part of a run", err) < 0)
        return -1;
    for (int32_t r = 0; r < ranks; r++) {
        const int64_t init_ns = edges[r].init_ns;
        const int64_t common_ns = clocks == MPG_CLOCKS_MEASURED ? init_ns + llround(offset_at(trace, r, init_ns)) : init_ns;
        first_ns = common_ns < first_ns ? common_ns : first_ns;
    }
    for (int32_t r = 0; r < ranks; r++)
        set(edge, &edges[r],
            clocks == MPG_CLOCKS_SHARED     ? add(first_ns, edge->time_ns)
            : clocks == MPG_CLOCKS_MEASURED ? to_rank(trace, r, add(first_ns, edge->time_ns))
                                            : add(edges[r].init_ns, edge->time_ns));
    return 0;
}

static bool is_mark(const struct mpg_trace *trace, const struct edge *edge, const struct mpg_event *e)
{
    const enum mpg_kind kind = edge->is_end ? MPG_KIND_REGION_END : MPG_KIND_REGION_BEGIN;
    if (mpg_call_kind(e->call) != kind || e->failed)
        return false;
    const char *name = mpg_trace_string(trace, e->string);
    return strncmp(name, edge->text, edge->region_bytes) == 0 && name[edge->region_bytes] == '\0';
}

/* Places EDGE, a visit of a region, on RANK. */
static int place_visit(struct mpg_trace *trace, const struct edge *edge, int32_t rank, struct mpg_edges *edges,
                       struct mpg_error *err)
{
    struct mpg_cursor *cursor = mpg_cursor_open(trace, rank, err);
    const struct mpg_event *e;
    int64_t visits = 0;
    int more = cursor ? 1 : -1;
    while (more > 0 && visits < edge->visit && (more = mpg_cursor_read(cursor, &e, err)) > 0)
        visits += is_mark(trace, edge, e);
    if (more > 0)
        set(edge, edges, e->leave_ns);
    mpg_cursor_close(cursor);
    if (more == 0)
        return mpg_error_set(err, "%s=%s: rank %d %s region '%.*s' %lld time%s", edge->option, edge->text, rank,
                             edge->is_end ? "leaves" : "enters", (int)edge->region_bytes, edge->text, (long long)visits,
                             visits == 1 ? "" : "s");
    return more < 0 ? -1 : 0;
}

static int place(struct mpg_trace *trace, struct edge *edge, struct mpg_edges *edges, struct mpg_error *err)
{
    if (!edge->text)
        return 0;
    if (parse(edge, err) < 0)
        return -1;
    if (edge->region_bytes == 0)
        return place_time(trace, edge, edges, err);
    for (int32_t r = 0; r < mpg_trace_ranks(trace); r++)
        if (place_visit(trace, edge, r, &edges[r], err) < 0)
            return -1;
    return 0;
}

/* Allocates the edges of all ranks: the whole run. Returns 0, or -1 with ERR. */
static int make(struct mpg_trace *trace, struct mpg_edges **edges, struct mpg_error *err)
{
    const int32_t ranks = mpg_trace_ranks(trace);
    if (!(*edges = calloc((size_t)ranks, sizeof **edges)))
        return mpg_error_set(err, "out of memory");
    for (int32_t r = 0; r < ranks; r++) {
        (*edges)[r] = (struct mpg_edges){.begin_ns = INT64_MIN, .end_ns = INT64_MAX};
        if (find_init(trace, r, &(*edges)[r].init_ns, err) < 0)
            return -1;
    }
    return 0;
}

int mpg_edges_find(struct mpg_trace *trace, const struct mpg_excerpt *excerpt, struct mpg_edges **edges, struct mpg_error *err)
{
    const int32_t ranks = mpg_trace_ranks(trace);
    struct edge from = {.option = "--from", .text = excerpt->from}, until = {.option = "--until", .text = excerpt->until,
                                                                             .is_end = true};
    if (make(trace, edges, err) < 0 || place(trace, &from, *edges, err) < 0 || place(trace, &until, *edges, err) < 0)
        return -1;
    for (int32_t r = 0; r < ranks; r++) {
        struct mpg_edges *e = &(*edges)[r];
        if (excerpt->from && excerpt->until && e->begin_ns >= e->end_ns)
            return mpg_error_set(err, "--from=%s is not before --until=%s on rank %d", excerpt->from, excerpt->until, r);
        if (e->begin_ns <= e->init_ns)
            e->begin_ns = INT64_MIN;
    }
    return 0;
}

/* Returns whether recording pauses or goes on at E. */
static bool is_edge(const struct mpg_event *e)
{
    return mpg_call_kind(e->call) == MPG_KIND_UNRECORDED && e->comm == MPG_NO_COMM && e->object == MPG_NO_OBJECT;
}

/* --- the last part of a run --- */

/* The recorded extent of a rank, on the common clock. */
struct extent {
    int64_t begin_ns; /* where the rank's first part begins; INT64_MIN: at the begin of the run */
    int64_t end_ns;   /* end of the last event before MPI_Finalize */
};

static int64_t to_common(const struct mpg_trace *trace, int32_t rank, int64_t time_ns)
{
    return mpg_trace_clocks(trace) == MPG_CLOCKS_MEASURED ? time_ns + llround(offset_at(trace, rank, time_ns)) : time_ns;
}

static int find_extent(struct mpg_trace *trace, int32_t rank, struct extent *extent, struct mpg_error *err)
{
    struct mpg_cursor *cursor = mpg_cursor_open(trace, rank, err);
    const struct mpg_event *e;
    int more = cursor ? 1 : -1;
    *extent = (struct extent){INT64_MIN, INT64_MIN};
    while (more > 0 && (more = mpg_cursor_read(cursor, &e, err)) > 0) {
        if (is_edge(e) && e->leave_ns > extent->begin_ns) /* each thread has an edge */
            extent->begin_ns = e->leave_ns;
        const int64_t end_ns = mpg_call_kind(e->call) == MPG_KIND_FINALIZE ? e->enter_ns : e->leave_ns;
        extent->end_ns = end_ns > extent->end_ns ? end_ns : extent->end_ns;
    }
    mpg_cursor_close(cursor);
    if (extent->begin_ns != INT64_MIN)
        extent->begin_ns = to_common(trace, rank, extent->begin_ns);
    if (extent->end_ns != INT64_MIN)
        extent->end_ns = to_common(trace, rank, extent->end_ns);
    return more < 0 ? -1 : 0;
}

int mpg_edges_of_last(struct mpg_trace *trace, int64_t span_ns, struct mpg_edges **edges, int64_t *kept_ns, bool *is_whole,
                      struct mpg_error *err)
{
    const int32_t ranks = mpg_trace_ranks(trace);
    int64_t begin_ns = INT64_MIN, end_ns = INT64_MIN, init_ns = INT64_MAX;
    int status = make(trace, edges, err);
    for (int32_t r = 0; r < ranks && status == 0; r++) {
        struct extent extent;
        status = find_extent(trace, r, &extent, err);
        begin_ns = extent.begin_ns > begin_ns ? extent.begin_ns : begin_ns;
        end_ns = extent.end_ns > end_ns ? extent.end_ns : end_ns;
        const int64_t common_ns = to_common(trace, r, (*edges)[r].init_ns);
        init_ns = common_ns < init_ns ? common_ns : init_ns;
    }
    if (status < 0)
        return -1;
    *is_whole = begin_ns == INT64_MIN && (end_ns == INT64_MIN || end_ns - init_ns <= span_ns);
    if (*is_whole)
        return 0;
    begin_ns = end_ns - span_ns > begin_ns ? end_ns - span_ns : begin_ns;
    *kept_ns = end_ns - begin_ns;
    for (int32_t r = 0; r < ranks; r++)
        (*edges)[r].begin_ns = mpg_trace_clocks(trace) == MPG_CLOCKS_MEASURED ? to_rank(trace, r, begin_ns) : begin_ns;
    return 0;
}

/* --- pauses of recording --- */

static bool counts(const struct mpg_event *e)
{
    const enum mpg_kind kind = mpg_call_kind(e->call);
    return mpg_event_is_call(e) && kind != MPG_KIND_INIT && kind != MPG_KIND_FINALIZE && kind != MPG_KIND_PCONTROL;
}

static int add_stretch(struct mpg_stretch **stretches, uint32_t *capacity, uint32_t *n, const struct mpg_stretch *stretch,
                       struct mpg_error *err)
{
    if (mpg_reserve_at(stretches, sizeof **stretches, capacity, *n + 1, err) < 0)
        return -1;
    (*stretches)[(*n)++] = *stretch;
    return 0;
}

/* Finds the recorded stretches of RANK. *STRETCHES: a growing array of *N >= 1 stretches. */
static int find_stretches(struct mpg_trace *trace, int32_t rank, struct mpg_stretch **stretches, uint32_t *capacity, uint32_t *n,
                          struct mpg_error *err)
{
    struct mpg_cursor *cursor = mpg_cursor_open(trace, rank, err);
    struct mpg_stretch now = {INT64_MIN, INT64_MAX, 0};
    const struct mpg_event *e;
    int more = cursor ? 1 : -1, status = 0;
    bool is_on = true;
    *n = 0;
    while (status == 0 && more > 0 && (more = mpg_cursor_read(cursor, &e, err)) > 0) {
        now.calls += counts(e);
        if (is_edge(e) && e->bytes > 0) {
            now = (struct mpg_stretch){e->leave_ns, INT64_MAX, 0};
            is_on = true;
        } else if (is_edge(e) && is_on) {
            now.end_ns = e->enter_ns;
            status = add_stretch(stretches, capacity, n, &now, err);
            is_on = false;
        }
    }
    mpg_cursor_close(cursor);
    if (status == 0 && is_on)
        status = add_stretch(stretches, capacity, n, &now, err);
    return status < 0 || more < 0 ? -1 : 0;
}

int mpg_edges_of_pauses(struct mpg_trace *trace, struct mpg_edges **edges, uint32_t *chosen, uint32_t *stretches,
                        struct mpg_error *err)
{
    struct mpg_stretch *found = NULL;
    uint32_t capacity = 0, n, most = 0;
    int status = make(trace, edges, err);
    for (int32_t r = 0; r < mpg_trace_ranks(trace) && status == 0; r++) {
        if ((status = find_stretches(trace, r, &found, &capacity, &n, err)) < 0)
            break;
        if (r == 0) {
            *stretches = 0;
            for (uint32_t i = 0; i < n; i++) {
                *stretches += found[i].calls > 0;
                if (found[i].calls > found[most].calls || i == 0) {
                    most = i;
                    *chosen = *stretches;
                }
            }
        }
        const struct mpg_stretch *s = &found[most < n ? most : n - 1];
        (*edges)[r].begin_ns = s->begin_ns;
        (*edges)[r].end_ns = s->end_ns;
    }
    free(found);
    return status;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes the timelines of all runs in turn, and the fields common to all events. */
#include "analyse/timeline/timeline.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "analyse/timeline/timeline_private.h"
#include "common/table/escape.h"

int mpg_timeline_part_parse(const char *calls, const char *ranks, struct mpg_timeline_part *part,
                            struct mpg_error *err)
{
    part->given = calls;
    if (calls && mpg_units_parse_range(calls, "calls", &part->first, &part->last, err) < 0)
        return -1;
    return ranks ? mpg_rank_set_parse(ranks, &part->ranks, err) : 0;
}

int mpg_timeline_check(const struct mpg_trace *trace, const struct mpg_timeline_part *part, const char *options,
                       struct mpg_error *err)
{
    uint64_t events = 0;
    const int32_t ranks = mpg_trace_ranks(trace);
    for (size_t i = 0; i < part->ranks.count; i++)
        if (part->ranks.ranges[i].last >= ranks)
            return mpg_error_set(err, "there is no rank %" PRId32 ": they are 0 to %" PRId32, part->ranks.ranges[i].last,
                                 ranks - 1);
    for (int32_t rank = 0; rank < ranks && !part->given; rank++)
        events += mpg_rank_set_contains(&part->ranks, rank) ? mpg_trace_events(trace, rank) : 0;
    if (events > MPG_TIMELINE_CALLS)
        return mpg_error_set(err, "%" PRIu64 " calls: viewers are slow with more than %d; select a part with %s", events,
                             MPG_TIMELINE_CALLS, options);
    return 0;
}

uint32_t mpg_timeline_thread(const struct timeline *t, int32_t rank, uint32_t thread)
{
    uint32_t k = 0;
    while (k + 1 < mpg_trace_threads(t->run->trace, rank) && mpg_trace_thread(t->run->trace, rank, k) != thread)
        k++;
    return k;
}

int64_t mpg_timeline_at(const struct timeline *t, int32_t rank, int64_t time_ns)
{
    return llround(mpg_clock_align(t->run->clocks, rank, time_ns) - t->base_ns);
}

void mpg_timeline_put_us(struct timeline *t, int64_t ns)
{
    const uint64_t size = ns < 0 ? -(uint64_t)ns : (uint64_t)ns;
    fprintf(t->out, "%s%" PRIu64 ".%03d", ns < 0 ? "-" : "", size / 1000, (int)(size % 1000));
}

void mpg_timeline_put_duration(struct timeline *t, int64_t ns)
{
    mpg_timeline_put_us(t, ns);
    if ((int64_t)((double)ns / 1000 * 1000) < ns)
        fputs("0001", t->out);
}

void mpg_timeline_begin(struct timeline *t, char ph, uint32_t track, int64_t at_ns)
{
    fprintf(t->out, "%s\n{\"ph\":\"%c\",\"pid\":%d,\"tid\":%" PRIu32 ",\"ts\":", t->any ? "," : "", ph, t->pid, track);
    mpg_timeline_put_us(t, at_ns);
    t->any = true;
}

/* ---- when runs begin ---- */

/* Sets *FIRST_NS and *BEGIN_NS to the times at which the first rank enters and leaves MPI_Init, on aligned clocks; both 0
 * for a trace without events. Returns 0, or -1 with ERR. */
static int find_begin(const struct mpg_timeline_run *w, double *begin_ns, double *first_ns, struct mpg_error *err)
{
    *begin_ns = *first_ns = INFINITY;
    for (int32_t rank = 0; rank < mpg_trace_ranks(w->trace); rank++) {
        struct mpg_cursor *c = mpg_cursor_open(w->trace, rank, err);
        struct mpg_event e;
        const int more = c ? mpg_cursor_next(c, &e, err) : -1;
        if (more > 0) {
            *first_ns = fmin(*first_ns, mpg_clock_align(w->clocks, rank, e.enter_ns));
            *begin_ns = fmin(*begin_ns, mpg_clock_align(w->clocks, rank, e.leave_ns));
        }
        mpg_cursor_close(c);
        if (more < 0)
            return -1;
    }
    if (*begin_ns == INFINITY)
        *begin_ns = *first_ns = 0;
    return 0;
}

/* ---- the whole timeline ---- */

static int count_threads(struct timeline *t, struct mpg_error *err)
{
    const int32_t ranks = mpg_trace_ranks(t->run->trace);
    uint32_t before = 0;
    free(t->before);
    if (!(t->before = malloc((size_t)ranks * sizeof *t->before)))
        return mpg_error_set(err, "out of memory");
    for (int32_t rank = 0; rank < ranks; rank++) {
        t->before[rank] = before;
        before += mpg_trace_threads(t->run->trace, rank);
    }
    return 0;
}

static void put_run(struct timeline *t)
{
    fprintf(t->out, "%s\n{\"ph\":\"M\",\"pid\":%d,\"name\":\"process_name\",\"args\":{\"name\":", t->any ? "," : "", t->pid);
    mpg_json_write_string(t->out, t->run->name);
    fprintf(t->out, "}},\n{\"ph\":\"M\",\"pid\":%d,\"name\":\"process_sort_index\",\"args\":{\"sort_index\":%d}}", t->pid,
            t->pid);
    t->any = true;
}

int mpg_timeline_write(const struct mpg_timeline_run *run, size_t runs, const struct mpg_timeline_part *part,
                       FILE *out, uint64_t *hidden, struct mpg_error *err)
{
    struct timeline t = {.out = out, .part = part};
    double *begin_ns = calloc(runs, sizeof *begin_ns), first_ns, before_ns = 0;
    int status = begin_ns ? 0 : mpg_error_set(err, "out of memory");
    for (size_t i = 0; i < runs && status == 0; i++) {
        status = find_begin(&run[i], &begin_ns[i], &first_ns, err);
        before_ns = status == 0 ? fmax(before_ns, begin_ns[i] - first_ns) : 0;
    }
    fputs("{\"displayTimeUnit\":\"ns\",\n\"traceEvents\":[", out);
    for (size_t i = 0; i < runs && status == 0; i++) {
        t.run = &run[i];
        t.pid = (int)i + 1;
        t.base_ns = begin_ns[i] - before_ns;
        put_run(&t);
        status = count_threads(&t, err) < 0 || mpg_timeline_slices(&t, err) < 0 || mpg_timeline_arrows(&t, err) < 0 ? -1 : 0;
    }
    fputs("\n]}\n", out);
    *hidden = t.hidden;
    free(t.before);
    free(begin_ns);
    return status;
}

void mpg_timeline_print_hidden(const char *program, uint64_t hidden)
{
    if (hidden > 0)
        fprintf(stderr, "%s: attention: %" PRIu64 " regions nested deeper than 256 are not in the timeline\n", program,
                hidden);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the phase of a run with the most time in MPI. Passes over the trace: the length of the run; the time of all ranks
 * in calls, over the run; the calls of the phase; the same calls in the traced run. */
#include "analyse/phase.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "analyse/overview.h"

/* A phase is 1/n of the run, n within MIN_STRETCHES..MAX_STRETCHES. Its length is the time of CALLS_A_STRETCH calls of a rank if
 * calls were spread evenly. */
enum { CALLS_A_STRETCH = 60, MIN_STRETCHES = 10, MAX_STRETCHES = 1000, MAX_WIDENED = 4 };

struct stretch {
    const struct mpg_phase_run *run;
    double begin_ns, end_ns; /* begin and end of the run, on aligned clocks */
    double from_ns, to_ns;   /* begin and end of the phase, on aligned clocks */
    double first_ns, last_ns; /* earliest begin and latest end of calls that overlap the phase */
    size_t bins;
    /* Time of all ranks in calls, ns, for each part of the run; later, for each rank, the time in calls of the phase. */
    double *bin;
};

/* A function that handles E, call NUMBER of RANK. Returns 1 to go on; 0: no further calls of this rank are needed; -1
 * with ERR. */
typedef int take_call(void *context, int32_t rank, uint64_t number, const struct mpg_event *e, struct mpg_error *err);

static int walk_rank(const struct mpg_phase_run *w, int32_t rank, take_call *take, void *context, struct mpg_error *err)
{
    struct mpg_cursor *c = mpg_cursor_open(w->trace, rank, err);
    const struct mpg_event *e;
    uint64_t number = 0;
    int more = -1, status = 1;
    while (c && status > 0 && (more = mpg_cursor_read(c, &e, err)) > 0)
        if (mpg_event_is_call(e))
            status = take(context, rank, number++, e, err);
    mpg_cursor_close(c);
    return more < 0 || status < 0 ? -1 : 0;
}

static int walk(const struct mpg_phase_run *w, take_call *take, void *context, struct mpg_error *err)
{
    for (int32_t rank = 0; rank < mpg_trace_ranks(w->trace); rank++)
        if (walk_rank(w, rank, take, context, err) < 0)
            return -1;
    return 0;
}

/* --- the run, and time in MPI along the run --- */

static int take_ends(void *context, int32_t rank, uint64_t number, const struct mpg_event *e, struct mpg_error *err)
{
    struct stretch *s = context;
    (void)err;
    if (number == 0)
        s->begin_ns = fmin(s->begin_ns, mpg_clock_align(s->run->clocks, rank, e->leave_ns));
    const int64_t end_ns = e->call == MPG_CALL_Finalize ? e->enter_ns : e->leave_ns;
    s->end_ns = fmax(s->end_ns, mpg_clock_align(s->run->clocks, rank, end_ns));
    return 1;
}

/* Returns whether E, call NUMBER of a rank, can belong to a phase. MPI_Init and MPI_Finalize cannot. */
static bool is_inner(const struct mpg_event *e, uint64_t number)
{
    return number > 0 && e->call != MPG_CALL_Finalize;
}

static int take_time(void *context, int32_t rank, uint64_t number, const struct mpg_event *e, struct mpg_error *err)
{
    const struct stretch *s = context;
    const double width_ns = (s->end_ns - s->begin_ns) / (double)s->bins;
    const double from_ns = mpg_clock_align(s->run->clocks, rank, e->enter_ns) - s->begin_ns;
    const double to_ns = mpg_clock_align(s->run->clocks, rank, e->leave_ns) - s->begin_ns;
    (void)err;
    if (!is_inner(e, number) || !(to_ns > 0))
        return 1;
    for (size_t i = from_ns > 0 ? (size_t)(from_ns / width_ns) : 0; i < s->bins && (double)i * width_ns < to_ns; i++)
        s->bin[i] += fmin(to_ns, (double)(i + 1) * width_ns) - fmax(from_ns, (double)i * width_ns);
    return 1;
}

/* Extends first_ns and last_ns to begin and end of E, if E overlaps the phase. */
static int take_whole(void *context, int32_t rank, uint64_t number, const struct mpg_event *e, struct mpg_error *err)
{
    struct stretch *s = context;
    const double from_ns = mpg_clock_align(s->run->clocks, rank, e->enter_ns);
    const double to_ns = mpg_clock_align(s->run->clocks, rank, e->leave_ns);
    (void)err;
    if (is_inner(e, number) && from_ns < s->to_ns && to_ns > s->from_ns) {
        s->first_ns = fmin(s->first_ns, from_ns);
        s->last_ns = fmax(s->last_ns, to_ns);
    }
    return 1;
}

/* Extends the phase to whole calls, to show late ranks; on each side by at most MAX_WIDENED times WIDTH_NS. */
static int widen(struct stretch *s, double width_ns, struct mpg_error *err)
{
    s->first_ns = s->to_ns;
    s->last_ns = s->from_ns;
    if (walk(s->run, take_whole, s, err) < 0)
        return -1;
    s->from_ns = fmax(fmax(s->first_ns, s->begin_ns), s->from_ns - MAX_WIDENED * width_ns);
    s->to_ns = fmin(fmin(s->last_ns, s->end_ns), s->to_ns + MAX_WIDENED * width_ns);
    return 0;
}

/* Finds the part of the run in which ranks spend the most time in calls. */
static int find_stretch(struct stretch *s, struct mpg_error *err)
{
    const double each = (double)mpg_trace_events(s->run->trace, -1) / mpg_trace_ranks(s->run->trace);
    const double wanted = each / CALLS_A_STRETCH;
    s->begin_ns = INFINITY;
    s->end_ns = -INFINITY;
    if (walk(s->run, take_ends, s, err) < 0)
        return -1;
    if (!(s->end_ns > s->begin_ns))
        return mpg_error_set(err, "the run has no length");
    s->bins = wanted < MIN_STRETCHES ? MIN_STRETCHES : wanted > MAX_STRETCHES ? MAX_STRETCHES : (size_t)wanted;
    if (!(s->bin = calloc(s->bins, sizeof *s->bin)))
        return mpg_error_set(err, "out of memory");
    if (walk(s->run, take_time, s, err) < 0)
        return -1;
    const double width_ns = (s->end_ns - s->begin_ns) / (double)s->bins;
    size_t worst = 0;
    for (size_t i = 1; i < s->bins; i++)
        if (s->bin[i] > s->bin[worst])
            worst = i;
    if (!(s->bin[worst] > 0))
        return mpg_error_set(err, "no time is spent in MPI calls");
    s->from_ns = s->begin_ns + (double)worst * width_ns;
    s->to_ns = s->from_ns + width_ns;
    return widen(s, width_ns, err);
}

/* --- which ranks --- */

struct ranked {
    int32_t rank;
    double in_calls_ns;
};

static int more_in_calls(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    if (x->in_calls_ns != y->in_calls_ns)
        return x->in_calls_ns > y->in_calls_ns ? -1 : 1;
    return x->rank < y->rank ? -1 : x->rank > y->rank;
}

static int by_number(const void *a, const void *b)
{
    const struct mpg_phase_rank *x = a, *y = b;
    return x->rank < y->rank ? -1 : x->rank > y->rank;
}

static double within_ns(const struct stretch *s, int32_t rank, const struct mpg_event *e)
{
    const double from_ns = mpg_clock_align(s->run->clocks, rank, e->enter_ns);
    const double to_ns = mpg_clock_align(s->run->clocks, rank, e->leave_ns);
    return fmax(0, fmin(to_ns, s->to_ns) - fmax(from_ns, s->from_ns));
}

struct ranking {
    const struct stretch *s;
    struct ranked *rank;
};

static int take_rank(void *context, int32_t rank, uint64_t number, const struct mpg_event *e, struct mpg_error *err)
{
    struct ranking *r = context;
    (void)err;
    if (is_inner(e, number))
        r->rank[rank].in_calls_ns += within_ns(r->s, rank, e);
    return 1;
}

static int choose_ranks(struct mpg_worst_phase *phase, const struct stretch *s, struct mpg_error *err)
{
    const size_t all = (size_t)phase->ranks, n = all < MPG_PHASE_RANKS ? all : MPG_PHASE_RANKS;
    struct ranking r = {.s = s, .rank = calloc(all, sizeof *r.rank)};
    phase->rank = calloc(n, sizeof *phase->rank);
    int status = r.rank && phase->rank ? 0 : mpg_error_set(err, "out of memory");
    for (size_t i = 0; i < all && status == 0; i++)
        r.rank[i].rank = (int32_t)i;
    if (status == 0)
        status = walk(s->run, take_rank, &r, err);
    if (status == 0) {
        double sum_ns = 0;
        for (size_t i = 0; i < all; i++)
            sum_ns += r.rank[i].in_calls_ns;
        phase->share = sum_ns / ((s->to_ns - s->from_ns) * (double)all);
        qsort(r.rank, all, sizeof *r.rank, more_in_calls);
        for (phase->n = 0; phase->n < n; phase->n++) {
            const size_t k = phase->n < (n + 1) / 2 ? phase->n : all - n + phase->n;
            phase->rank[phase->n].rank = r.rank[k].rank;
            phase->rank[phase->n].in_calls_ns = r.rank[k].in_calls_ns;
        }
        qsort(phase->rank, phase->n, sizeof *phase->rank, by_number);
    }
    free(r.rank);
    return status;
}

/* --- their calls --- */

struct filling {
    const struct stretch *s;
    struct mpg_worst_phase *phase;
    struct mpg_phase_rank *into;
    double until_ns; /* calls beyond this time, on aligned clocks, are dropped: the array of a rank is full */
};

static int take_predicted(void *context, int32_t rank, uint64_t number, const struct mpg_event *e, struct mpg_error *err)
{
    struct filling *f = context;
    struct mpg_phase_rank *into = f->into;
    const double from_ns = mpg_clock_align(f->s->run->clocks, rank, e->enter_ns);
    const double to_ns = mpg_clock_align(f->s->run->clocks, rank, e->leave_ns);
    (void)err;
    if (to_ns <= f->s->from_ns || !is_inner(e, number))
        return 1;
    if (from_ns >= f->s->to_ns)
        return 0;
    if (into->n[1] == MPG_PHASE_CALLS) {
        f->until_ns = fmin(f->until_ns, from_ns);
        return 0;
    }
    if (into->n[1] == 0)
        into->first = number;
    into->call[1][into->n[1]++] = (struct mpg_phase_call){e->call, from_ns - f->s->from_ns, to_ns - f->s->from_ns};
    return 1;
}

/* Stores E, a call of the traced run, if the phase has the predicted call with E's number. Stored times are on aligned clocks. */
static int take_traced(void *context, int32_t rank, uint64_t number, const struct mpg_event *e, struct mpg_error *err)
{
    struct filling *f = context;
    struct mpg_phase_rank *into = f->into;
    (void)err;
    if (number < into->first)
        return 1;
    if (into->n[0] == into->n[1])
        return 0;
    into->call[0][into->n[0]++] = (struct mpg_phase_call){e->call, mpg_clock_align(f->s->run->clocks, rank, e->enter_ns),
                                                         mpg_clock_align(f->s->run->clocks, rank, e->leave_ns)};
    return 1;
}

/* Drops the predicted calls of R that begin UNTIL_NS or later after the phase's begin. */
static void cut(struct mpg_phase_rank *r, double until_ns)
{
    while (r->n[1] > 0 && r->call[1][r->n[1] - 1].from_ns >= until_ns)
        r->n[1]--;
}

static bool same_calls(const struct mpg_phase_rank *r)
{
    for (size_t i = 0; i < r->n[1] && r->n[0] == r->n[1]; i++)
        if (r->call[0][i].call != r->call[1][i].call)
            return false;
    return r->n[0] == r->n[1];
}

/* Sets the begin of the traced phase: the first call gets the distance from the begin that it has in the predicted phase. */
static void shift_traced(struct mpg_worst_phase *phase)
{
    double first_ns = INFINITY, last_ns = -INFINITY, lead_ns = 0;
    bool same = true;
    for (size_t i = 0; i < phase->n; i++) {
        const struct mpg_phase_rank *r = &phase->rank[i];
        same = same && same_calls(r);
        if (r->n[0] > 0 && r->call[0][0].from_ns < first_ns) {
            first_ns = r->call[0][0].from_ns;
            lead_ns = r->n[1] > 0 ? r->call[1][0].from_ns : 0;
        }
        if (r->n[0] > 0)
            last_ns = fmax(last_ns, r->call[0][r->n[0] - 1].to_ns);
    }
    phase->traced_ns = same && last_ns > first_ns ? last_ns - first_ns + lead_ns : 0;
    for (size_t i = 0; i < phase->n; i++) {
        struct mpg_phase_rank *r = &phase->rank[i];
        if (!same)
            r->n[0] = 0;
        for (size_t k = 0; k < r->n[0]; k++) {
            r->call[0][k].from_ns += lead_ns - first_ns;
            r->call[0][k].to_ns += lead_ns - first_ns;
        }
    }
}

static int fill(struct mpg_worst_phase *phase, struct stretch *s, const struct mpg_phase_run *traced, struct mpg_error *err)
{
    struct stretch before = {.run = traced};
    struct filling f = {.s = s, .phase = phase, .until_ns = s->to_ns};
    for (size_t i = 0; i < phase->n; i++) {
        f.into = &phase->rank[i];
        if (walk_rank(s->run, f.into->rank, take_predicted, &f, err) < 0)
            return -1;
    }
    for (size_t i = 0; i < phase->n; i++)
        cut(&phase->rank[i], f.until_ns - s->from_ns);
    s->to_ns = f.until_ns;
    f.s = &before;
    for (size_t i = 0; i < phase->n; i++) {
        f.into = &phase->rank[i];
        if (f.into->n[1] > 0 && walk_rank(traced, f.into->rank, take_traced, &f, err) < 0)
            return -1;
    }
    shift_traced(phase);
    return 0;
}

int mpg_worst_phase_find(struct mpg_worst_phase *phase, const struct mpg_phase_run *traced,
                         const struct mpg_phase_run *predicted, struct mpg_error *err)
{
    struct stretch s = {.run = predicted};
    *phase = (struct mpg_worst_phase){.ranks = mpg_trace_ranks(predicted->trace)};
    int status = find_stretch(&s, err);
    if (status == 0)
        status = choose_ranks(phase, &s, err);
    if (status == 0)
        status = fill(phase, &s, traced, err);
    phase->from_ns = s.from_ns - s.begin_ns;
    phase->to_ns = s.to_ns - s.begin_ns;
    phase->run_ns = s.end_ns - s.begin_ns;
    free(s.bin);
    return status;
}

void mpg_worst_phase_clear(struct mpg_worst_phase *phase)
{
    free(phase->rank);
    *phase = (struct mpg_worst_phase){.n = 0};
}

/* --- as JSON --- */

/* For each call the number of the call's name in the JSON list, in the order of first occurrence; 0: the call does not occur. */
struct names {
    int number[MPG_CALL_COUNT], n;
};

static void number_names(struct names *names, const struct mpg_worst_phase *phase)
{
    for (size_t i = 0; i < phase->n; i++)
        for (int w = 0; w < 2; w++)
            for (size_t k = 0; k < phase->rank[i].n[w]; k++) {
                int *number = &names->number[phase->rank[i].call[w][k].call];
                *number = *number > 0 ? *number : ++names->n;
            }
}

/* Writes N calls as [[from, length, name]...]; times are whole ns, NAME is a number in NAMES. */
static void put_calls(struct mpg_json *j, const char *key, const struct mpg_phase_call *call, size_t n, const struct names *names)
{
    mpg_json_array(j, key);
    for (size_t i = 0; i < n; i++) {
        const int64_t from_ns = (int64_t)floor(call[i].from_ns), to_ns = (int64_t)ceil(call[i].to_ns);
        mpg_json_array(j, NULL);
        mpg_json_integer(j, NULL, from_ns);
        mpg_json_integer(j, NULL, to_ns - from_ns);
        mpg_json_integer(j, NULL, names->number[call[i].call] - 1);
        mpg_json_close(j);
    }
    mpg_json_close(j);
}

void mpg_worst_phase_json(struct mpg_json *j, const char *key, const struct mpg_worst_phase *phase)
{
    struct names names = {.n = 0};
    number_names(&names, phase);
    mpg_json_object(j, key);
    mpg_json_count(j, "replica", phase->replica);
    mpg_json_number(j, "from_ns", phase->from_ns);
    mpg_json_number(j, "to_ns", phase->to_ns);
    mpg_json_number(j, "run_ns", phase->run_ns);
    mpg_json_number(j, "share", phase->share);
    mpg_json_number(j, "traced_ns", phase->traced_ns);
    mpg_json_integer(j, "ranks", phase->ranks);
    mpg_overview_put_names(j, names.number, names.n);
    mpg_json_array(j, "drawn");
    for (size_t i = 0; i < phase->n; i++) {
        const struct mpg_phase_rank *r = &phase->rank[i];
        mpg_json_object(j, NULL);
        mpg_json_integer(j, "rank", r->rank);
        mpg_json_count(j, "first", r->first);
        mpg_json_number(j, "in_calls_ns", r->in_calls_ns);
        put_calls(j, "traced", r->call[0], r->n[0], &names);
        put_calls(j, "predicted", r->call[1], r->n[1], &names);
        mpg_json_close(j);
    }
    mpg_json_close(j);
    mpg_json_close(j);
}

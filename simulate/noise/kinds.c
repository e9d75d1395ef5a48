/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The kinds of noise: quanta, drawn detours, recorded detours. A record is searched in its list of detours, near the position of
 * the last look-up. Without a list, or where work crosses the end of a bootstrap block, the record itself is searched. */
#include <math.h>
#include <string.h>

#include "common/prefetch.h"
#include "simulate/noise/replay_private.h"
#include "simulate/noise/source.h"
#include "simulate/rounding.h"

/* --- quanta --- */

static int add_quanta(struct mpg_noise_of_core *core, const struct mpg_noise_core *from, size_t cores, struct mpg_error *err)
{
    (void)cores;
    return (core->quanta = mpg_quanta_new(from, err)) ? 0 : -1;
}

static double start_in_quantum(const struct mpg_noise_source *s, struct mpg_noise_location location, const uint8_t *part,
                               double u)
{
    (void)part;
    return u * mpg_quanta_length_ns(s->core[location.core].quanta);
}

static void time_in_quanta(const struct mpg_noise_source *s, const struct mpg_begun_work *w, double *time_ns)
{
    const struct mpg_noise_location location = mpg_noise_location_of(s, w->rank);
    for (uint32_t k = 0; k < w->n; k++) {
        const uint32_t replica = w->first + w->lane[k];
        const double begin_ns = mpg_noise_start(s, NULL, w->seed, w->rank, replica) + w->since_ns[k];
        time_ns[k] = mpg_quanta_time_for(s->core[location.core].quanta, w->seed, location.leader, replica, begin_ns,
                                         w->work_ns[k]);
    }
}

static double work_in_quanta(const struct mpg_noise_source *s, uint64_t seed, int32_t rank, uint32_t replica,
                             double since_ns, double interval_ns)
{
    const struct mpg_noise_location location = mpg_noise_location_of(s, rank);
    const double from_ns = mpg_noise_start(s, NULL, seed, rank, replica) + since_ns;
    return mpg_quanta_work_in(s->core[location.core].quanta, seed, location.leader, replica, from_ns, interval_ns);
}

const struct mpg_noise_kind mpg_noise_quanta = {
    .add = add_quanta, .start = start_in_quantum, .time_for = time_in_quanta, .work_in = work_in_quanta};

/* --- skipped detours: began in the call before the work, and are contained in the call's measured time --- */

/* A replica of a rank, and its position in drawn detours or in a record. */
struct lane {
    const struct mpg_noise_of_core *core;
    struct mpg_renewal_of of;
    struct mpg_renewal_cursor *cursor;
    const uint8_t *part; /* bootstrap blocks of the record; NULL: the record as measured */
    double start_ns;     /* position of MPI_Init in the record */
};

/* Returns true if a detour that began BEFORE_NS before the work, and is still under way, is skipped. */
static inline bool is_covered(double covered_ns, double before_ns)
{
    return before_ns > MPG_ROUNDING_NS && before_ns <= covered_ns + MPG_ROUNDING_NS;
}

/* Returns the time, ns, in which work number K of W is not interrupted, because the detour under way at its begin is skipped.
 * DETOUR_LEFT returns the rest of the detour under way SINCE_NS after MPI_Init (0: no detour), and sets *BEFORE_NS to the time
 * since the detour began. */
static double free_for(const struct lane *l, const struct mpg_begun_work *w, uint32_t k,
                       double (*detour_left)(const struct lane *l, double since_ns, double *before_ns))
{
    const double since_ns = w->since_ns[k];
    double before_ns;
    if (!w->passed_ns)
        return 0;
    double *passed = &w->passed_ns[w->lane[k]];
    if (since_ns >= *passed) {
        const double left_ns = detour_left(l, since_ns, &before_ns);
        if (!(left_ns > 0 && is_covered(w->covered_ns, before_ns)))
            return 0;
        *passed = since_ns + left_ns;
    }
    return *passed - since_ns;
}

/* --- drawn detours --- */

static int add_renewal(struct mpg_noise_of_core *core, const struct mpg_noise_core *from, size_t cores,
                       struct mpg_error *err)
{
    (void)cores;
    return (core->renewal = mpg_renewal_new(from, false, err)) ? 0 : -1;
}

static int add_fit(struct mpg_noise_of_core *core, const struct mpg_noise_core *from, size_t cores, struct mpg_error *err)
{
    (void)cores;
    return (core->renewal = mpg_renewal_new(from, true, err)) ? 0 : -1;
}

static double drawn_left(const struct lane *l, double since_ns, double *before_ns)
{
    return mpg_renewal_detour_left(&l->of, l->cursor, since_ns, before_ns);
}

static void time_in_renewal(const struct mpg_noise_source *s, const struct mpg_begun_work *w, double *time_ns)
{
    const struct mpg_noise_location location = mpg_noise_location_of(s, w->rank);
    struct mpg_renewal_cursor *cursors = w->cursor.state;
    for (uint32_t k = 0; k < w->n; k++) {
        struct mpg_renewal_cursor nowhere = {.open = false};
        const struct lane l = {.of = {s->core[location.core].renewal, w->seed, location.leader, w->first + w->lane[k]},
                               .cursor = cursors ? &cursors[w->cursor.at + w->lane[k]] : &nowhere};
        const double free_ns = free_for(&l, w, k, drawn_left), work_ns = w->work_ns[k];
        if (!(free_ns > 0))
            time_ns[k] = mpg_renewal_time_for(&l.of, l.cursor, w->since_ns[k], work_ns);
        else if (work_ns <= free_ns)
            time_ns[k] = work_ns;
        else
            time_ns[k] = free_ns + mpg_renewal_time_for(&l.of, l.cursor, w->passed_ns[w->lane[k]], work_ns - free_ns);
    }
}

const struct mpg_noise_kind mpg_noise_renewal = {.model = "renewal",
                                                 .cursor_bytes = sizeof(struct mpg_renewal_cursor),
                                                 .has_detours = true,
                                                 .is_drawn = true,
                                                 .add = add_renewal,
                                                 .time_for = time_in_renewal};
const struct mpg_noise_kind mpg_noise_fit = {.model = "fit",
                                             .cursor_bytes = sizeof(struct mpg_renewal_cursor),
                                             .has_detours = true,
                                             .is_drawn = true,
                                             .add = add_fit,
                                             .time_for = time_in_renewal};

/* --- records: cores --- */

/* The maximum number of detours in the lists of all cores together, some 24 bytes each. */
enum { MAX_LISTED = 2 << 20 };

static int add_record(struct mpg_noise_of_core *core, const struct mpg_noise_core *from, size_t cores, struct mpg_error *err)
{
    if (!(core->replay = mpg_replay_new(from, err)) ||
        mpg_replay_make_list(core->replay, MAX_LISTED / cores, err) < 0)
        return -1;
    mpg_resampled_init(&core->resampled, core->replay);
    core->off_cpu = from->off_known ? from->fraction_off : -1;
    core->offset_ns = from->offset_ns;
    return 0;
}

static double start_in_record(const struct mpg_noise_source *s, struct mpg_noise_location location, const uint8_t *part, double u)
{
    const struct mpg_noise_of_core *first = &s->core[location.first], *own = &s->core[location.core];
    double start_ns = mpg_resampled_start(&first->resampled, part, u), since_ns;
    if (own == first)
        return start_ns;
    start_ns = fmod(start_ns - own->offset_ns + first->offset_ns, own->resampled.span_ns);
    start_ns += start_ns < 0 ? own->resampled.span_ns : 0;
    return start_ns + mpg_resampled_detour_left(&own->resampled, part, start_ns, &since_ns);
}

/* --- records: state between look-ups --- */

/* A replica's position in the record. Zero: no position yet. */
struct place {
    double start_ns; /* position at the end of MPI_Init */
    double shift_ns; /* a time after MPI_Init plus shift_ns is the time in the record, */
    double until_ns; /* for times up to until_ns after MPI_Init */
    uint32_t next;   /* index of a detour near the next look-up */
    bool is_begun;
};

/* A cursor has for each replica an interval without interruption, in ns after MPI_Init, and a position. */
enum { DOUBLES = 2 };

struct memory {
    double *from_ns, *to_ns; /* to_ns <= 0: no interval is known */
    struct place *place;
};

static struct memory memory_of(struct mpg_noise_cursor cursor)
{
    double *first = cursor.state;
    return (struct memory){first + cursor.at, first + cursor.lanes + cursor.at,
                           (struct place *)(void *)(first + DOUBLES * (size_t)cursor.lanes) + cursor.at};
}

/* The result of a look-up for one replica. */
struct met {
    double time_ns;  /* time of the work; equal to the work if nothing interrupts */
    double quiet_ns; /* time without interruption after the work, up to rounding; <= 0: unknown */
    double end_ns;   /* end of the work in the record's time, whose magnitude determines the rounding error */
};

/* Stores for replica W the quiet interval after work that began SINCE_NS after MPI_Init. The stored interval is shorter by some
 * units in the last place at both ends, because rounding differs between look-ups and these sums. */
static void note(const struct memory *m, uint32_t w, const struct met *met, double since_ns)
{
    const double end_ns = since_ns + met->time_ns, quiet_ns = met->quiet_ns > 0 ? met->quiet_ns : 0;
    const double margin_ns = MPG_ROUNDING_NS + 1e-14 * (met->end_ns + quiet_ns);
    m->from_ns[w] = end_ns + margin_ns;
    m->to_ns[w] = quiet_ns > 2 * margin_ns ? end_ns + quiet_ns - margin_ns : -1;
}

static uint32_t skip_quiet_interval(struct mpg_noise_cursor cursor, double since_ns, double length_ns,
                                    const struct mpg_lane_work *work, uint32_t n, double *delay_ns, uint32_t *lane)
{
    const struct memory m = memory_of(cursor);
    const struct mpg_lane_quiet quiet = {m.from_ns, m.to_ns, MPG_ROUNDING_NS};
    return mpg_lane_code()->pass(&quiet, since_ns, length_ns, work, n, delay_ns, lane);
}

static void fetch_detours(const struct mpg_noise_of_core *core, struct mpg_noise_cursor cursor, const uint32_t *lane, uint32_t n)
{
    const struct mpg_record *list = core->replay->list;
    const struct place *place = memory_of(cursor).place;
    for (uint32_t k = 0; list && k < n; k++) {
        const struct mpg_detour *next = list->detour + place[lane ? lane[k] : k].next;
        mpg_prefetch((const char *)next - sizeof *next);
        mpg_prefetch(next + 3);
        mpg_prefetch(next + 7);
    }
}

/* --- records: search --- */

static double recorded_left(const struct lane *l, double since_ns, double *before_ns)
{
    return mpg_resampled_detour_left(&l->core->resampled, l->part, l->start_ns + since_ns, before_ns);
}

/* Looks up work number K of W, of replica L, in the record itself. */
static struct met meet_by_record(const struct lane *l, const struct mpg_begun_work *w, uint32_t k)
{
    const double begin_ns = l->start_ns + w->since_ns[k], work_ns = w->work_ns[k];
    const double free_ns = free_for(l, w, k, recorded_left);
    if (free_ns > 0 && work_ns <= free_ns)
        return (struct met){.time_ns = work_ns, .end_ns = begin_ns + work_ns};
    const struct mpg_replay_met met = mpg_resampled_meet(&l->core->resampled, l->part, begin_ns + free_ns, work_ns - free_ns);
    const double time_ns = free_ns + met.time_ns;
    return (struct met){time_ns, met.quiet_ns, begin_ns + time_ns};
}

/* --- records: list --- */

/* Number of detours compared without a branch, because detours come in bursts. */
enum { NEAR = 8 };

/* Returns the index of R's first detour that ends after REST. NEXT: a guess of this index. */
static inline size_t find_end(const struct mpg_record *r, size_t next, double rest)
{
    const struct mpg_detour *d = r->detour + next;
    if (next > r->n || (next > 0 && mpg_detour_end(d - 1) > rest))
        return mpg_record_find_detour(r, rest);
    size_t n = 0;
#pragma GCC unroll 4
    for (int k = 0; k < NEAR / 2; k++)
        n += mpg_detour_end(d + k) <= rest;
    return n < NEAR / 2 ? next + n : mpg_record_find_detour(r, rest);
}

/* Returns the bits of a number >= 0, which compare as the numbers do, and in fewer instructions. */
static inline uint64_t bits_in(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* Returns the index of R's first detour, from FIRST on, that begins when WORK or more is done, up to rounding. */
static inline size_t find_begin(const struct mpg_record *r, size_t first, double work)
{
    const uint64_t min = bits_in(work > MPG_ROUNDING_NS ? work - MPG_ROUNDING_NS : 0);
    const struct mpg_detour *d = r->detour + first;
    size_t n = 0;
#pragma GCC unroll 8
    for (int k = 0; k < NEAR; k++)
        n += bits_in(d[k].done_ns) < min;
    return n < NEAR ? first + n : mpg_record_find_done(r, work);
}

/* Returns true if detour I of R may not count as exactly one detour between FROM_NS and TO_NS of the record: FROM_NS or TO_NS
 * cuts the detour, or no work separates the detour from a neighbour (both may be parts of one detour). */
static bool is_odd(const struct mpg_record *r, size_t i, double from_ns, double to_ns)
{
    const struct mpg_detour *d = &r->detour[i];
    return mpg_detour_start(d) < from_ns || mpg_detour_end(d) > to_ns || d[1].done_ns - d->done_ns <= MPG_ROUNDING_NS ||
           (i > 0 && d->done_ns - d[-1].done_ns <= MPG_ROUNDING_NS);
}

/* Looks up work number K of W in the list R at position P, within a part of the record that is LENGTH_NS long. Returns false
 * if the list does not decide. */
static inline bool find_near(const struct mpg_record *r, double length_ns, const struct mpg_begun_work *w, uint32_t k,
                             struct place *p, struct met *met)
{
    const double since_ns = w->since_ns[k], work_ns = w->work_ns[k], at_ns = since_ns + p->shift_ns;
    const double part_end_ns = p->until_ns + p->shift_ns;
    double *passed = w->passed_ns ? &w->passed_ns[w->lane[k]] : NULL;
    const bool is_passing = passed && since_ns < *passed;
    size_t first = find_end(r, p->next, at_ns);
    double done_ns = at_ns - r->detour[first].lost_ns; /* work before this detour */
    const double before_ns = done_ns - r->detour[first].done_ns;
    bool is_free = true;
    if (before_ns > 0) { /* a detour is under way */
        const struct mpg_detour *d = &r->detour[first];
        const double over_ns = mpg_detour_end(d) - p->shift_ns;
        if (passed && is_odd(r, first, part_end_ns - length_ns, part_end_ns))
            return false;
        if (is_passing && fabs(*passed - over_ns) > MPG_ROUNDING_NS)
            return false;
        is_free = is_passing || (passed && is_covered(w->covered_ns, before_ns));
        if (is_free)
            *passed = over_ns;
        first += is_free;
        done_ns = is_free ? at_ns - d[1].lost_ns : d->done_ns;
    } else if (is_passing && *passed - since_ns > MPG_ROUNDING_NS) { /* the skipped detour is not in the list */
        return false;
    }
    const size_t next = find_begin(r, first, done_ns + work_ns);
    const struct mpg_detour *d = &r->detour[next];
    const double end_ns = done_ns + work_ns + d->lost_ns, more_ns = end_ns - at_ns;
    const double left_ns = part_end_ns - end_ns, quiet_ns = d->done_ns - (done_ns + work_ns);
    if (!(left_ns >= 0)) /* the work continues in another part of the record */
        return false;
    p->next = (uint32_t)next;
    met->time_ns = is_free && next == first ? work_ns : more_ns > 0 ? more_ns : 0;
    met->quiet_ns = quiet_ns < left_ns ? quiet_ns : left_ns;
    met->end_ns = end_ns;
    return true;
}

/* Returns true if P is the position of work that begins SINCE_NS after MPI_Init, in parts of LENGTH_NS. */
static inline bool is_there(const struct place *p, double since_ns, double length_ns)
{
    return since_ns < p->until_ns && since_ns >= p->until_ns - length_ns;
}

/* Sets P to the position of work of O that begins SINCE_NS after MPI_Init. Without bootstrap blocks the list holds only the first
 * pass through the record, because repetitions of a truncated record differ. */
static void put(const struct lane *o, double since_ns, struct place *p)
{
    const struct mpg_resampled *r = &o->core->resampled;
    const bool has_parts = mpg_resampled_has_parts(r, o->part);
    const double length_ns = has_parts ? r->span_ns / MPG_BOOTSTRAP_BLOCKS : r->span_ns;
    double whole = mpg_record_floor((o->start_ns + since_ns) * r->per_span);
    int i = 0;
    if (has_parts)
        mpg_resampled_locate(r, o->part, o->start_ns + since_ns, &whole, &i);
    const double begin_ns = whole * r->span_ns + i * length_ns - o->start_ns;
    const bool is_listed = has_parts || whole == 0 || !r->replay->others;
    p->shift_ns = (has_parts ? o->part[i] * length_ns : 0) - begin_ns;
    p->until_ns = is_listed ? begin_ns + length_ns : -INFINITY;
}

static void time_in_records(const struct mpg_noise_source *s, const struct mpg_begun_work *w, double *time_ns)
{
    const struct mpg_noise_of_core *core = &s->core[mpg_noise_location_of(s, w->rank).core];
    const struct mpg_record *list = w->cursor.state ? core->replay->list : NULL;
    const double length_ns = w->parts ? core->resampled.span_ns / MPG_BOOTSTRAP_BLOCKS : core->resampled.span_ns;
    const struct memory memory = w->cursor.state ? memory_of(w->cursor) : (struct memory){0};
    for (uint32_t k = 0; k < w->n; k++) {
        const uint32_t lane = w->lane[k], replica = w->first + lane;
        struct place nowhere = {.is_begun = false}, *p = memory.place ? &memory.place[lane] : &nowhere;
        const uint8_t *part = w->parts ? w->parts->part[mpg_measurement_of(replica)] : NULL;
        if (!p->is_begun) {
            p->start_ns = mpg_noise_start(s, part, w->seed, w->rank, replica);
            p->is_begun = true;
        }
        const struct lane l = {.core = core, .part = part, .start_ns = p->start_ns};
        struct met met;
        if (list && !is_there(p, w->since_ns[k], length_ns))
            put(&l, w->since_ns[k], p);
        if (!list || !is_there(p, w->since_ns[k], length_ns) || !find_near(list, length_ns, w, k, p, &met))
            met = meet_by_record(&l, w, k);
        time_ns[k] = met.time_ns;
        if (memory.place)
            note(&memory, lane, &met, w->since_ns[k]);
    }
}

const struct mpg_noise_kind mpg_noise_replay = {.cursor_bytes = DOUBLES * sizeof(double) + sizeof(struct place),
                                                .is_resampled = true,
                                                .has_detours = true,
                                                .add = add_record,
                                                .start = start_in_record,
                                                .time_for = time_in_records,
                                                .pass = skip_quiet_interval,
                                                .fetch = fetch_detours};

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Gathers histograms of intervals by class and time window, and removes the noise from the intervals. */
#include "simulate/evaluate/prepass/classes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/map.h"

/* Fewer than MIN_ALIKE intervals are too few for a distribution. Windows with fewer than WINDOW_INTERVALS intervals are
 * joined. */
enum { MIN_ALIKE = 8, WINDOWS = 16, WINDOW_INTERVALS = 512, FIRST_SHIFT = 20, LAST_SHIFT = 59 };

/* Histograms of a class, one for each window of time, of the length or of the CPU time of intervals. */
struct windows {
    struct mpg_histogram histogram[WINDOWS];
    /* when finished: removal of noise in each window; several windows may share a removal; NULL: too few intervals */
    const struct mpg_removal *removal[WINDOWS];
};

struct class {
    uint32_t calls;  /* both calls, packed into one number */
    uint64_t sites;  /* both callsites, packed into one number */
    uint8_t shift;   /* a window is 2^shift ns long */
    struct windows by_length, by_cpu;
};

struct mpg_classes {
    const struct mpg_perturbation *p;
    struct mpg_removals *removals; /* store of all removals */
    struct mpg_map index; /* (calls, sites) -> 1 + index of the class */
    size_t n, capacity;
    struct class *class;
    double time_ns, off_ns, cpu_ns; /* sums over all intervals: length, time off the CPU, CPU time */
    bool no_cpu;                    /* some intervals have no recorded CPU time */
    bool prefers_cpu, uses_cpu;
    double lost; /* the fraction lost to noise in an interval without class */
};

struct mpg_classes *mpg_classes_new(const struct mpg_perturbation *p, struct mpg_removals *removals, struct mpg_error *err)
{
    struct mpg_classes *c = calloc(1, sizeof *c);
    if (!c) {
        mpg_error_set(err, "out of memory");
        return NULL;
    }
    c->p = p;
    c->removals = removals;
    return c;
}

static void clear_windows(struct windows *w)
{
    for (int i = 0; i < WINDOWS; i++)
        mpg_histogram_clear(&w->histogram[i]);
}

void mpg_classes_forget(struct mpg_classes *c)
{
    for (size_t i = 0; i < c->n; i++) {
        clear_windows(&c->class[i].by_length);
        clear_windows(&c->class[i].by_cpu);
    }
    free(c->class);
    mpg_map_clear(&c->index);
    *c = (struct mpg_classes){.p = c->p, .removals = c->removals, .prefers_cpu = c->prefers_cpu};
}

void mpg_classes_free(struct mpg_classes *c)
{
    if (!c)
        return;
    mpg_classes_forget(c);
    free(c);
}

static uint32_t calls_of(const struct mpg_step *s)
{
    return (uint32_t)s->from.call << 16 | (uint32_t)s->to.call;
}

static uint64_t sites_of(const struct mpg_step *s)
{
    return (uint64_t)s->from.site << 32 | s->to.site;
}

static struct class *add_class(struct mpg_classes *c, uint32_t calls, uint64_t sites, struct mpg_error *err)
{
    uint64_t *place = mpg_map_add(&c->index, calls, sites);
    if (place && *place == 0) {
        if (c->n == c->capacity) {
            const size_t capacity = c->capacity ? 2 * c->capacity : 64;
            void *grown = realloc(c->class, capacity * sizeof *c->class);
            if (!grown)
                goto fail;
            c->class = grown;
            c->capacity = capacity;
        }
        struct class *class = &c->class[c->n++];
        *class = (struct class){.calls = calls, .sites = sites, .shift = FIRST_SHIFT};
        for (int i = 0; i < WINDOWS; i++) {
            mpg_histogram_init(&class->by_length.histogram[i]);
            mpg_histogram_init(&class->by_cpu.histogram[i]);
        }
        *place = c->n;
    }
    if (place)
        return &c->class[*place - 1];
fail:
    mpg_error_set(err, "out of memory");
    return NULL;
}

/* Returns the length of S's interval without the time off the CPU, ns. */
static double length_of(const struct mpg_step *s)
{
    return (double)(s->interval_ns - s->off_ns);
}

/* Returns the CPU time of S's interval, ns, but at most the interval's length: CPU clocks are coarser than the clock of
 * intervals. */
static double cpu_of(const struct mpg_step *s)
{
    return fmin((double)s->cpu_ns, length_of(s));
}

/* Joins windows 2 i and 2 i + 1 of W into window i. */
static int join_pairs(struct windows *w, struct mpg_error *err)
{
    for (int i = 0; i < WINDOWS; i++) {
        struct mpg_histogram from = w->histogram[i];
        mpg_histogram_init(&w->histogram[i]);
        const int status = mpg_histogram_merge(&w->histogram[i / 2], &from, err);
        mpg_histogram_clear(&from);
        if (status < 0)
            return -1;
    }
    return 0;
}

/* Returns the number of the window of CLASS that contains SINCE_NS, ns after MPI_Init; WINDOWS or more: SINCE_NS is after the
 * last window. */
static uint64_t window_at(const struct class *class, int64_t since_ns)
{
    return since_ns > 0 ? (uint64_t)since_ns >> class->shift : 0;
}

static int find_window(struct class *class, int64_t since_ns, uint64_t *window, struct mpg_error *err)
{
    while ((*window = window_at(class, since_ns)) >= WINDOWS) {
        if (join_pairs(&class->by_length, err) < 0 || join_pairs(&class->by_cpu, err) < 0)
            return -1;
        class->shift++;
    }
    return 0;
}

int mpg_classes_add(struct mpg_classes *c, const struct mpg_step *s, struct mpg_error *err)
{
    uint64_t window;
    if (s->kind != MPG_STEP_ENTER)
        return 0;
    struct class *class = add_class(c, calls_of(s), sites_of(s), err);
    if (!class || find_window(class, s->since_ns, &window, err) < 0 ||
        mpg_histogram_add(&class->by_length.histogram[window], length_of(s), err) < 0)
        return -1;
    c->time_ns += (double)s->interval_ns;
    c->off_ns += (double)s->off_ns;
    if (s->cpu_ns < 0) {
        c->no_cpu = true;
        return 0;
    }
    c->cpu_ns += cpu_of(s);
    return c->no_cpu ? 0 : mpg_histogram_add(&class->by_cpu.histogram[window], cpu_of(s), err);
}

/* --- conversion to bytes, for the cache --- */

enum { CLASS_BYTES = 8 * (4 + 2 * 2 * WINDOWS) }; /* bytes of a class with empty histograms */

void mpg_classes_key(struct mpg_bytes *key)
{
    mpg_bytes_put_u64(key, MPG_CALL_COUNT);
    mpg_bytes_put_u64(key, WINDOWS);
}

void mpg_classes_put(struct mpg_bytes *bytes, const struct mpg_classes *c, const struct mpg_trace *trace)
{
    mpg_trace_put_sites(trace, bytes);
    mpg_bytes_put_double(bytes, c->time_ns);
    mpg_bytes_put_double(bytes, c->off_ns);
    mpg_bytes_put_double(bytes, c->cpu_ns);
    mpg_bytes_put_u64(bytes, c->no_cpu);
    mpg_bytes_put_u64(bytes, c->n);
    for (size_t i = 0; i < c->n; i++) {
        const struct class *class = &c->class[i];
        mpg_bytes_put_u64(bytes, class->calls);
        mpg_bytes_put_u64(bytes, class->sites >> 32);
        mpg_bytes_put_u64(bytes, (uint32_t)class->sites);
        mpg_bytes_put_u64(bytes, class->shift);
        for (int w = 0; w < WINDOWS; w++) {
            mpg_histogram_put(bytes, &class->by_length.histogram[w]);
            mpg_histogram_put(bytes, &class->by_cpu.histogram[w]);
        }
    }
}

/* Reads a callsite's number from the cache; returns the number of the callsite in this run. Callsites are numbered from 1; 0:
 * none. NOW: numbers in this run (from 0), N elements indexed by the cached number - 1. */
static uint64_t site_now(struct mpg_bytes_left *left, const int32_t *now, size_t n)
{
    const uint64_t site = mpg_bytes_get_below(left, n + 1);
    return site == 0 ? 0 : (uint64_t)now[site - 1] + 1;
}

static int get_class(struct mpg_bytes_left *left, struct mpg_classes *c, const int32_t *now, size_t sites)
{
    const uint32_t calls = (uint32_t)mpg_bytes_get_below(left, UINT32_MAX);
    const uint64_t from = site_now(left, now, sites), to = site_now(left, now, sites);
    const uint64_t shift = mpg_bytes_get_below(left, LAST_SHIFT + 1);
    const size_t known = c->n;
    struct mpg_error err;
    struct class *class = left->failed ? NULL : add_class(c, calls, from << 32 | to, &err);
    if (!class || c->n == known) /* the class occurs twice: damage */
        return -1;
    class->shift = (uint8_t)shift;
    for (int w = 0; w < WINDOWS; w++)
        if (mpg_histogram_get(left, &class->by_length.histogram[w]) < 0 ||
            mpg_histogram_get(left, &class->by_cpu.histogram[w]) < 0)
            return -1;
    return shift < FIRST_SHIFT ? -1 : 0;
}

int mpg_classes_get(struct mpg_bytes_left *left, struct mpg_classes *c, struct mpg_trace *trace)
{
    size_t sites;
    int32_t *now = mpg_trace_get_sites(trace, left, &sites);
    if (!now)
        return -1;
    c->time_ns = mpg_bytes_get_double(left);
    c->off_ns = mpg_bytes_get_double(left);
    c->cpu_ns = mpg_bytes_get_double(left);
    c->no_cpu = mpg_bytes_get_below(left, 2);
    int status = 0;
    for (size_t n = mpg_bytes_get_number(left, CLASS_BYTES); status == 0 && n > 0; n--)
        status = get_class(left, c, now, sites);
    free(now);
    return left->failed ? -1 : status;
}

/* --- after the gathering --- */

void mpg_classes_prefer_cpu(struct mpg_classes *c)
{
    c->prefers_cpu = true;
}

static struct windows *windows_of(const struct mpg_classes *c, struct class *class)
{
    return c->uses_cpu ? &class->by_cpu : &class->by_length;
}

/* Joins consecutive windows of W until each joined window has enough intervals (the last windows, if too few, join the window
 * before), and finds the removal of noise for each joined window. */
static int finish_windows(const struct mpg_classes *c, struct windows *w, struct mpg_losses *const *losses,
                          struct mpg_error *err)
{
    const size_t cores = c->p->source_noise.cores;
    int first[WINDOWS + 1], n = 0; /* first window of each joined window; number of joined windows */
    first[0] = 0;
    for (int i = 0; i < WINDOWS; i++) {
        struct mpg_histogram *all = &w->histogram[first[n]];
        if (i > first[n] && mpg_histogram_merge(all, &w->histogram[i], err) < 0)
            return -1;
        if (all->n >= WINDOW_INTERVALS)
            first[++n] = i + 1;
    }
    if (first[n] < WINDOWS && n > 0 &&
        mpg_histogram_merge(&w->histogram[first[n - 1]], &w->histogram[first[n]], err) < 0)
        return -1;
    n += n == 0;
    first[n] = WINDOWS;
    for (int k = 0; k < n; k++) {
        const struct mpg_histogram *all = &w->histogram[first[k]];
        const struct mpg_removal *removal = NULL;
        if (all->n >= MIN_ALIKE && !(removal = mpg_removals_find(c->removals, all, losses, cores, err)))
            return -1;
        for (int i = first[k]; i < first[k + 1]; i++)
            w->removal[i] = removal;
    }
    for (int i = 0; i < WINDOWS; i++)
        mpg_histogram_clear(&w->histogram[i]);
    return 0;
}

/* Sets the fraction lost in intervals without class: the fraction lost in all classes together, but at most the mean fraction
 * lost in the noise record. */
static void find_lost(struct mpg_classes *c, struct mpg_losses *const *losses, size_t cores)
{
    double time_ns = 0, lost_ns = 0;
    for (size_t i = 0; i < c->n; i++) {
        const struct windows *w = windows_of(c, &c->class[i]);
        for (int k = 0; k < WINDOWS; k++)
            if (w->removal[k] && (k == 0 || w->removal[k] != w->removal[k - 1])) {
                time_ns += mpg_removal_time_ns(w->removal[k]);
                lost_ns += mpg_removal_lost_ns(w->removal[k]);
            }
    }
    c->lost = mpg_losses_mean_fraction(losses, cores);
    if (time_ns > 0)
        c->lost = fmin(c->lost, lost_ns / time_ns);
}

/* Decides whether intervals are measured by CPU time. Sets LOSSES to each core's distribution of losses, without preemption
 * and steal time if the measured lengths of intervals exclude preemption and steal time. */
static int find_losses(struct mpg_classes *c, struct mpg_losses **losses, struct mpg_error *err)
{
    const struct mpg_noise_source *source = &c->p->source_noise;
    double lost = 0;
    for (size_t i = 0; i < source->cores; i++)
        lost += mpg_noise_lost(source, i, NULL) / (double)source->cores;
    const double missing = c->time_ns > 0 ? 1 - c->cpu_ns / c->time_ns : 0;
    c->uses_cpu = !c->no_cpu && c->time_ns > 0 && (c->prefers_cpu || missing <= lost);
    double left_out = c->uses_cpu ? missing : 0;
    if (c->p->off_cpu_known && c->time_ns > 0)
        left_out = fmax(left_out, c->off_ns / c->time_ns);
    for (size_t i = 0; i < source->cores; i++) {
        const double off = source->core[i].off_cpu; /* less than 0: unknown */
        const bool is_seen = c->uses_cpu || c->p->off_cpu_known;
        if (!(losses[i] = mpg_removals_losses(c->removals, source->core[i].replay, is_seen && off >= 0 ? off : left_out, err)))
            return -1;
    }
    return 0;
}

int mpg_classes_finish(struct mpg_classes *c, struct mpg_error *err)
{
    const size_t cores = c->p->source_noise.cores;
    struct mpg_losses **losses = calloc(cores, sizeof *losses);
    if (!losses)
        return mpg_error_set(err, "out of memory");
    int status = find_losses(c, losses, err);
    for (size_t i = 0; i < c->n && status == 0; i++)
        status = finish_windows(c, windows_of(c, &c->class[i]), losses, err);
    if (status == 0)
        find_lost(c, losses, cores);
    free(losses);
    return status;
}

enum mpg_cpu_use mpg_classes_cpu(const struct mpg_classes *c)
{
    return c->uses_cpu ? MPG_CPU_ALL : MPG_CPU_NONE;
}

void mpg_classes_find(const struct mpg_classes *c, const struct mpg_step *s, struct mpg_interval *x)
{
    const uint64_t *place = s->inserted ? NULL : mpg_map_find(&c->index, calls_of(s), sites_of(s));
    x->alike_ns = c->uses_cpu ? cpu_of(s) : length_of(s);
    x->lost = c->lost;
    x->losses = NULL;
    if (!place)
        return;
    struct class *class = &c->class[*place - 1];
    const uint64_t window = window_at(class, s->since_ns);
    const struct mpg_removal *removal = windows_of(c, class)->removal[window < WINDOWS ? window : WINDOWS - 1];
    x->losses = removal ? mpg_removal_of(removal, x->alike_ns) : NULL;
}

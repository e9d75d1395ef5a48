/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The open regions of a thread, with scale factors, and the effect of these factors on compute intervals. */
#include "graph/work/regions.h"

#include <stdlib.h>
#include <string.h>

#include "common/reserve.h"
#include "graph/call_ref.h"
#include "graph/work/private.h"

struct open_region {
    int32_t string;
    double ratio;  /* factor by --compute-ratio: of the region; if not given, of the enclosing region, or of the machine */
    double factor; /* scale factor by hypotheses */
    double gain;   /* relative increase of the work by balancing */
};

/* Time of a compute interval in a region; STRING -1: outside of all regions. */
struct region_time {
    int32_t string;
    int64_t ns;
};

/* The part of a compute interval between two marks. */
struct interval_part {
    double length_ns, work_ns;
    double scales; /* increase by scaling, in ns per ns */
    double gains;  /* increase by balancing, in ns per ns of work */
};

static double ratio_of(const struct regions *r, const struct mpg_region_ratios *ratios)
{
    return r->depth > 0 ? r->open[r->depth - 1].ratio : ratios ? ratios->base : 1;
}

void mpg_graph_regions_begin(struct regions *r, int64_t now_ns)
{
    r->since_ns = r->begin_ns = now_ns;
    r->flushed_ns = 0;
    r->mark_number = 0;
    r->times = 0;
    r->scaled_ns = r->length_ns = r->longer_ns = r->work_ns = r->more_ns = r->balanced_ns = 0;
    r->interval_sums = (struct interval_sums){0};
}

/* Returns the entry of RATIOS for the region named TEXT; NULL: none. */
static const struct mpg_region_ratio *find(const struct mpg_region_ratios *ratios, const char *text)
{
    for (size_t i = 0; ratios && i < ratios->n; i++)
        if (strcmp(ratios->region[i].name, text) == 0)
            return &ratios->region[i];
    return NULL;
}

static int push(struct regions *r, const struct open_region *open, struct mpg_error *err)
{
    if (r->depth == r->capacity) {
        size_t capacity = r->capacity ? 2 * r->capacity : 8;
        struct open_region *grown = realloc(r->open, capacity * sizeof *grown);
        if (!grown)
            return mpg_graph_out_of_memory(err);
        r->open = grown;
        r->capacity = capacity;
    }
    r->open[r->depth++] = *open;
    return 0;
}

/* --- hypotheses --- */

/* Computes the factor and the gain of OPEN, a region that begins. *ADDED_NS: work added by hypotheses at the begin of the
 * region. */
static int apply_hypotheses(struct regions *r, const struct region_rules *of, struct open_region *open, double *added_ns,
                            struct mpg_error *err)
{
    const struct mpg_bound_hypotheses *x = of->bound;
    const uint64_t named = bound_named(x, open->string) & of->active;
    if (named && !r->visits && !(r->visits = calloc(x->list->n, sizeof *r->visits)))
        return mpg_graph_out_of_memory(err);
    for (size_t i = 0; i < x->list->n; i++) {
        const struct mpg_hypothesis *h = &x->list->item[i];
        if (!(named >> i & 1))
            continue;
        if (h->kind == MPG_HYPOTHESIS_SCALE && mpg_rank_set_contains(&h->ranks, of->rank))
            open->factor *= h->factor;
        if (h->kind == MPG_HYPOTHESIS_INSERT && mpg_rank_set_contains(&h->ranks, of->rank))
            *added_ns += h->time_ns;
        if (x->balance[i]) {
            const struct balance_change c = mpg_balance_of(x->balance[i], of->rank, of->thread, r->visits[i]++);
            open->gain += c.gain;
            *added_ns += c.added_ns;
        }
    }
    return 0;
}

static struct interval_part part_of(const struct regions *r, const struct region_rules *of,
                                    const struct mpg_event *event, bool own)
{
    const struct open_region *open = r->depth > 0 ? &r->open[r->depth - 1] : NULL;
    const double ratio = ratio_of(r, of->ratios);
    struct interval_part interval_part = {.scales = open ? ratio * (open->factor - 1) : 0,
                                          .gains = open ? ratio * open->factor * open->gain : 0};
    interval_part.work_ns = mpg_graph_interval_work(&r->interval_sums, of->tracer_overhead, event->enter_ns - r->since_ns, event,
                                                    own,
                                                    &interval_part.length_ns);
    return interval_part;
}

static void add_part(struct regions *r, const struct interval_part *interval_part)
{
    r->length_ns += interval_part->length_ns;
    r->longer_ns += interval_part->scales * interval_part->length_ns;
    r->work_ns += interval_part->work_ns;
    r->more_ns += interval_part->scales * interval_part->work_ns;
    r->balanced_ns += interval_part->gains * interval_part->work_ns;
}

/* --- marks --- */

/* Returns the length, ns, of the interval's parts so far, as changed by ratios and hypotheses. MEAN_RATIO: time average of the
 * ratios. */
static double worth(const struct regions *r, const struct region_rules *of, double mean_ratio)
{
    const bool by_work = of->by_work && of->tracer_overhead->cpu >= 0;
    return mean_ratio * (by_work ? r->work_ns : r->length_ns) + (by_work ? r->more_ns : r->longer_ns) + r->balanced_ns;
}

static double worth_so_far(const struct regions *r, const struct region_rules *of)
{
    return r->since_ns > r->begin_ns ? worth(r, of, r->scaled_ns / (double)(r->since_ns - r->begin_ns)) : r->balanced_ns;
}

/* Adds a region mark at the present time. BEFORE_NS: length of the interval's parts so far, after ratios and hypotheses;
 * AFTER_NS: BEFORE_NS plus the work added at the mark. */
static int add_mark(struct regions *r, double before_ns, double after_ns, struct mpg_error *err)
{
    if (mpg_reserve_at(&r->mark, sizeof *r->mark, &r->mark_capacity, r->mark_number + 1, err) < 0)
        return -1;
    const int64_t passed_ns = r->since_ns - r->begin_ns - r->flushed_ns;
    r->mark[r->mark_number++] = (struct mpg_mark){passed_ns > 0 ? passed_ns : 0, before_ns, after_ns};
    return 0;
}

/* --- events --- */

void mpg_graph_regions_skip(struct regions *r, const struct region_rules *of, const struct mpg_event *event)
{
    if (of->bound)
        mpg_graph_interval_add(&r->interval_sums, of->tracer_overhead, event);
}

static void end_part(struct regions *r, const struct region_rules *of, const struct mpg_event *event)
{
    const double now = ratio_of(r, of->ratios);
    if (of->bound) {
        const struct interval_part interval_part = part_of(r, of, event, true);
        add_part(r, &interval_part);
        r->flushed_ns += r->interval_sums.flushed_ns;
        r->interval_sums = (struct interval_sums){0};
    }
    if (event->enter_ns > r->since_ns)
        r->scaled_ns += (double)(event->enter_ns - r->since_ns) * now;
    r->since_ns = event->enter_ns > r->since_ns ? event->enter_ns : r->since_ns;
}

/* Adds the time since the last mark up to NOW_NS to the time of the innermost region. */
static int add_time(struct regions *r, int64_t now_ns, struct mpg_error *err)
{
    const int32_t string = mpg_graph_regions_innermost(r);
    uint32_t i = 0;
    while (i < r->times && r->time[i].string != string)
        i++;
    if (mpg_reserve_at(&r->time, sizeof *r->time, &r->time_capacity, i + 1, err) < 0)
        return -1;
    if (i == r->times)
        r->time[r->times++] = (struct region_time){string, 0};
    r->time[i].ns += now_ns > r->since_ns ? now_ns - r->since_ns : 0;
    return 0;
}

int32_t mpg_graph_regions_longest(const struct regions *r, int64_t now_ns)
{
    const int32_t last = mpg_graph_regions_innermost(r);
    struct region_time longest = {last, now_ns > r->since_ns ? now_ns - r->since_ns : 0};
    for (uint32_t i = 0; i < r->times; i++)
        longest.ns += r->time[i].string == last ? r->time[i].ns : 0;
    for (uint32_t i = 0; i < r->times; i++)
        if (r->time[i].ns > longest.ns)
            longest = r->time[i];
    return longest.string;
}

int mpg_graph_regions_mark(struct regions *r, const struct region_rules *of, const struct mpg_event *event, struct mpg_error *err)
{
    const double now = ratio_of(r, of->ratios);
    double added_ns = 0;
    if (add_time(r, event->enter_ns, err) < 0)
        return -1;
    end_part(r, of, event);
    const double before_ns = of->marks ? worth_so_far(r, of) : 0;
    if (mpg_call_kind(event->call) == MPG_KIND_REGION_END) {
        r->depth -= r->depth > 0;
        return of->marks ? add_mark(r, before_ns, before_ns, err) : 0;
    }
    const bool is_named = event->string >= 0; /* a mark whose call failed has no name */
    const struct mpg_region_ratio *region =
        is_named ? find(of->ratios, mpg_trace_string(of->trace, event->string)) : NULL;
    struct open_region open = {event->string, region ? region->ratio : now, 1, 0};
    if (region)
        *region->met = true;
    if (of->bound && is_named && apply_hypotheses(r, of, &open, &added_ns, err) < 0)
        return -1;
    const double more_ns = open.ratio * open.factor * added_ns;
    r->balanced_ns += more_ns;
    if (of->marks && add_mark(r, before_ns, before_ns + more_ns, err) < 0)
        return -1;
    return push(r, &open, err);
}

struct mpg_change mpg_graph_regions_change(const struct regions *r, const struct region_rules *of, int64_t begin_ns,
                                           const struct mpg_event *event, bool own)
{
    const double now = ratio_of(r, of->ratios);
    const int64_t now_ns = event->enter_ns;
    struct mpg_change c = {.ratio = now, .marks = r->mark, .mark_number = r->mark_number};
    if (now_ns > begin_ns)
        c.ratio = (r->scaled_ns + (double)(now_ns - r->since_ns) * now) / (double)(now_ns - begin_ns);
    c.cpu_ratio = c.ratio;
    if (!of->bound)
        return c;
    struct regions all = *r;
    const struct interval_part last = part_of(r, of, event, own);
    add_part(&all, &last);
    c.ratio += all.length_ns > 0 ? all.longer_ns / all.length_ns : 0;
    c.cpu_ratio += all.work_ns > 0 ? all.more_ns / all.work_ns : 0;
    c.more_ns = all.balanced_ns;
    if (of->marks)
        c.worth_ns = worth(&all, of, now_ns > begin_ns ? (r->scaled_ns + (double)(now_ns - r->since_ns) * now) /
                                                             (double)(now_ns - begin_ns)
                                                       : now);
    return c;
}

int32_t mpg_graph_regions_innermost(const struct regions *r)
{
    return r->depth > 0 ? r->open[r->depth - 1].string : -1;
}

void mpg_graph_regions_clear(struct regions *r)
{
    free(r->open);
    free(r->visits);
    free(r->mark);
    free(r->time);
    *r = (struct regions){0};
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Look-ups in a record of resampled blocks, by shifted look-ups in the original record. */
#include "simulate/noise/resampled.h"

#include <math.h>

#include "simulate/draws/draws.h"
#include "simulate/rounding.h"

void mpg_bootstrap_blocks_draw(struct mpg_bootstrap_blocks *parts, uint64_t seed)
{
    for (uint32_t m = 0; m < MPG_MEASUREMENTS; m++)
        for (uint32_t i = 0; i < MPG_BOOTSTRAP_BLOCKS; i++) {
            struct mpg_address a = {.seed = seed, .purpose = MPG_DRAW_PART, .index = i};
            parts->part[m][i] = (uint8_t)(mpg_draw(&a, m) * MPG_BOOTSTRAP_BLOCKS);
        }
}

static double part_ns(const struct mpg_resampled *r)
{
    return r->span_ns / MPG_BOOTSTRAP_BLOCKS;
}

void mpg_resampled_init(struct mpg_resampled *r, const struct mpg_replay *replay)
{
    r->replay = replay;
    r->span_ns = mpg_replay_span_ns(replay);
    r->per_span = 1 / r->span_ns;
    for (int i = 0; i <= MPG_BOOTSTRAP_BLOCKS; i++)
        r->before_ns[i] = mpg_replay_work_before(replay, i * part_ns(r));
    r->works = true;
    for (int i = 0; i < MPG_BOOTSTRAP_BLOCKS; i++)
        r->works = r->works && r->before_ns[i + 1] > r->before_ns[i];
}

static double part_work(const struct mpg_resampled *r, uint8_t part)
{
    return r->before_ns[part + 1] - r->before_ns[part];
}

static double work_of(const struct mpg_resampled *r, const uint8_t *part)
{
    double sum_ns = 0;
    for (int i = 0; i < MPG_BOOTSTRAP_BLOCKS; i++)
        sum_ns += part_work(r, part[i]);
    return sum_ns;
}

bool mpg_resampled_has_parts(const struct mpg_resampled *r, const uint8_t *part)
{
    return part && (r->works || work_of(r, part) > 0);
}

double mpg_resampled_lost(const struct mpg_resampled *r, const uint8_t *part)
{
    double work_ns = part ? work_of(r, part) : r->before_ns[MPG_BOOTSTRAP_BLOCKS];
    return fmax(0, r->span_ns - work_ns) / r->span_ns; /* 1 - work / span would have a rounding error */
}

/* Returns floor(X); faster than the library for most X. */
static double floor_of(double x)
{
    return x >= 0 && x < 0x1p52 ? (double)(int64_t)x : floor(x);
}

/* Returns X limited to 0 .. MAX. */
static double between(double x, double max)
{
    x = x > 0 ? x : 0;
    return x < max ? x : max;
}

double mpg_resampled_locate(const struct mpg_resampled *r, const uint8_t *part, double t_ns, double *whole,
                            int *place)
{
    *whole = floor_of(t_ns * r->per_span);
    double rest_ns = t_ns - *whole * r->span_ns;
    if (rest_ns >= r->span_ns) { /* the product was rounded down to below a whole number */
        ++*whole;
        rest_ns -= r->span_ns;
    }
    rest_ns = between(rest_ns, INFINITY);
    double position = floor_of(rest_ns * (MPG_BOOTSTRAP_BLOCKS * r->per_span));
    *place = position < MPG_BOOTSTRAP_BLOCKS ? (int)position : MPG_BOOTSTRAP_BLOCKS - 1;
    double within_ns = between(rest_ns - *place * part_ns(r), part_ns(r));
    return part[*place] * part_ns(r) + within_ns;
}

static double work_before(const struct mpg_resampled *r, const uint8_t *part, double total_ns,
                          double t_ns)
{
    double whole;
    int place;
    double at_ns = mpg_resampled_locate(r, part, t_ns, &whole, &place);
    double sum_ns = whole * total_ns;
    for (int i = 0; i < place; i++)
        sum_ns += part_work(r, part[i]);
    return sum_ns + fmax(0, mpg_replay_work_before(r->replay, at_ns) - r->before_ns[part[place]]);
}

static double time_of(const struct mpg_resampled *r, const uint8_t *part, double total_ns,
                      double work_ns)
{
    double whole = floor(work_ns / total_ns), rest_ns = work_ns - whole * total_ns;
    if (rest_ns <= MPG_ROUNDING_NS && whole > 0) { /* the work ends before the detour at the record's end */
        whole--;
        rest_ns += total_ns;
    }
    int place = 0, last = 0;
    /* work before the current block; work before LAST, the last block that leaves time for work */
    double before_ns = 0, last_ns = 0;
    for (; place < MPG_BOOTSTRAP_BLOCKS; place++) {
        double work = part_work(r, part[place]);
        if (work > 0) {
            last = place;
            last_ns = before_ns;
            if (rest_ns - before_ns <= work + MPG_ROUNDING_NS)
                break;
        }
        before_ns += work;
    }
    double start_ns = part[last] * part_ns(r);
    double want_ns = fmin(rest_ns - last_ns, part_work(r, part[last]));
    double end_ns = mpg_replay_time_of(r->replay, r->before_ns[part[last]] + want_ns);
    return whole * r->span_ns + last * part_ns(r) + fmin(fmax(0, end_ns - start_ns), part_ns(r));
}

/* Returns true if the interval of LENGTH_NS from T_NS on (AT_NS in the original record) stays within one block. */
static bool stays(const struct mpg_resampled *r, const uint8_t *part, int place, double at_ns,
                  double length_ns)
{
    return at_ns + length_ns <= (part[place] + 1) * part_ns(r);
}

double mpg_resampled_detour_left(const struct mpg_resampled *r, const uint8_t *part, double t_ns, double *since_ns)
{
    double whole;
    int place;
    if (!mpg_resampled_has_parts(r, part))
        return mpg_replay_detour_left(r->replay, t_ns, since_ns);
    double at_ns = mpg_resampled_locate(r, part, t_ns, &whole, &place);
    double left_ns = mpg_replay_detour_left(r->replay, at_ns, since_ns);
    *since_ns = fmin(*since_ns, at_ns - part[place] * part_ns(r));
    return fmin(left_ns, (part[place] + 1) * part_ns(r) - at_ns);
}

struct mpg_replay_met mpg_resampled_meet(const struct mpg_resampled *r, const uint8_t *part,
                                         double t_ns, double work_ns)
{
    double whole;
    int place;
    if (!mpg_resampled_has_parts(r, part))
        return mpg_replay_meet(r->replay, t_ns, work_ns);
    const double at_ns = mpg_resampled_locate(r, part, t_ns, &whole, &place);
    struct mpg_replay_met met = mpg_replay_meet(r->replay, at_ns, work_ns);
    if (stays(r, part, place, at_ns, met.time_ns)) {
        met.quiet_ns = fmin(met.quiet_ns, (part[place] + 1) * part_ns(r) - (at_ns + met.time_ns));
        return met;
    }
    const double total_ns = work_of(r, part);
    const double end_ns = time_of(r, part, total_ns, work_before(r, part, total_ns, t_ns) + work_ns);
    met.time_ns = end_ns > t_ns ? end_ns - t_ns : 0;
    met.quiet_ns = 0;
    return met;
}

double mpg_resampled_start(const struct mpg_resampled *r, const uint8_t *part, double u)
{
    const bool has_parts = mpg_resampled_has_parts(r, part);
    return mpg_resampled_meet(r, part, 0, u * (has_parts ? work_of(r, part) : r->before_ns[MPG_BOOTSTRAP_BLOCKS])).time_ns;
}

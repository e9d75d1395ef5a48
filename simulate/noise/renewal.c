/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An alternating renewal process, drawn block by block. */
#include "simulate/noise/renewal.h"

#include <math.h>
#include <stdlib.h>

#include "simulate/draws/draws.h"
#include "simulate/draws/fitted.h"
#include "simulate/rounding.h"

/* Mean number of detours in a block: large enough that the block's independent begin does not matter, small enough to step
 * through the block. */
enum { DETOURS_A_BLOCK = 256 };

/* The distribution of gaps between detours, or of durations of detours. */
struct side {
    const struct mpg_distribution *measured; /* measured distribution; NULL: the fitted family is used */
    struct mpg_fitted fitted;
    double *integral; /* by knot: integral of the quantile function up to the knot */
    double mean;
};

struct mpg_renewal {
    bool quiet;
    struct side gap, duration;
    double block_ns;
};

/* ---- gaps and durations ---- */

static int integrate(struct side *s, struct mpg_error *err)
{
    const struct mpg_distribution *d = s->measured;
    if (!(s->integral = malloc(d->knots * sizeof *s->integral)))
        return mpg_error_set(err, "out of memory");
    s->integral[0] = 0;
    for (size_t i = 1; i < d->knots; i++)
        s->integral[i] =
            s->integral[i - 1] + (d->probabilities[i] - d->probabilities[i - 1]) *
                                     ((d->quantiles[i - 1] + d->quantiles[i]) / 2);
    s->mean = s->integral[d->knots - 1];
    return 0;
}

static int use_side(struct side *s, const struct mpg_distribution *d, bool fit, const char *what,
                    struct mpg_error *err)
{
    if (!d)
        return mpg_error_set(err, "the record was reduced, and the signature lacks the distribution of its %s", what);
    if (!fit) {
        s->measured = d;
        if (integrate(s, err) < 0)
            return -1;
    } else if (mpg_fitted_choose(d, &s->fitted, err) < 0)
        return mpg_error_prefix(err, "%s", what);
    else
        s->mean = mpg_fitted_mean(&s->fitted);
    if ((fit ? s->fitted.location : d->quantiles[0]) < 0)
        return mpg_error_set(err, "some %s are less than 0", what);
    return 0;
}

static double value_at(const struct side *s, double u)
{
    return s->measured ? mpg_distribution_quantile(s->measured, u)
                       : mpg_fitted_quantile(&s->fitted, u);
}

/* Returns a length-biased value: the value at the fraction V of the total length if all values are laid end to end. */
static double biased_at(const struct side *s, double v)
{
    const struct mpg_distribution *d = s->measured;
    if (!d)
        return mpg_fitted_biased(&s->fitted, v);
    size_t low = 0, high = d->knots - 1; /* invariant: integral[low] <= sum < integral[high] */
    double sum = v * s->mean;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (s->integral[middle] <= sum)
            low = middle;
        else
            high = middle;
    }
    double min = d->quantiles[low], max = d->quantiles[high];
    double width = d->probabilities[high] - d->probabilities[low];
    if (!(max > min) || !(width > 0))
        return min;
    double slope = (max - min) / width, rest = fmax(0, sum - s->integral[low]);
    return fmin(sqrt(min * min + 2 * slope * rest), max);
}

/* ---- a core ---- */

/* Uses a record with a single detour, which repeats: gap and duration are constant. */
static void use_single(struct mpg_renewal *r, const struct mpg_noise_core *core)
{
    double lost_ns = core->duration_ns[0];
    r->duration.fitted.location = r->duration.mean = lost_ns;
    r->gap.fitted.location = r->gap.mean = core->span_ns - lost_ns;
}

static int fill(struct mpg_renewal *r, const struct mpg_noise_core *core, bool fit,
                struct mpg_error *err)
{
    size_t detours = mpg_noise_core_recorded(core);
    r->quiet = detours == 0;
    if (r->quiet)
        return 0;
    if (detours == 1 && core->detours == 1)
        use_single(r, core);
    else if (use_side(&r->gap, core->gap_ns, fit, "gaps", err) < 0 ||
             use_side(&r->duration, core->length_ns, fit, "durations", err) < 0)
        return mpg_error_prefix(err, "core %d", core->core);
    if (!(r->gap.mean > 0))
        return mpg_error_set(err, "core %d: the detours leave no time for work", core->core);
    r->block_ns = DETOURS_A_BLOCK * (r->gap.mean + r->duration.mean);
    return 0;
}

struct mpg_renewal *mpg_renewal_new(const struct mpg_noise_core *core, bool fit,
                                    struct mpg_error *err)
{
    struct mpg_renewal *r = calloc(1, sizeof *r);
    if (!r) {
        mpg_error_set(err, "out of memory");
        return NULL;
    }
    if (fill(r, core, fit, err) < 0) {
        mpg_renewal_free(r);
        return NULL;
    }
    return r;
}

void mpg_renewal_free(struct mpg_renewal *r)
{
    if (!r)
        return;
    free(r->gap.integral);
    free(r->duration.integral);
    free(r);
}

double mpg_renewal_lost(const struct mpg_renewal *r)
{
    return r->quiet ? 0 : r->duration.mean / (r->gap.mean + r->duration.mean);
}

double mpg_renewal_block_ns(const struct mpg_renewal *r)
{
    return r->block_ns;
}

/* ---- a block ---- */

static double draw(const struct mpg_renewal_of *of, uint64_t block, uint32_t index)
{
    struct mpg_address a = {.seed = of->seed,
                            .rank = of->rank,
                            .call = block,
                            .purpose = MPG_DRAW_QUANTUM,
                            .index = index};
    return mpg_draw(&a, of->replica);
}

/* Moves C to the detour that begins at FROM_NS and lasts DURATION_NS, or to the block's end. */
static void put(const struct mpg_renewal *r, struct mpg_renewal_cursor *c, double from_ns,
                double duration_ns)
{
    c->at_end = from_ns >= r->block_ns;
    c->from_ns = fmin(from_ns, r->block_ns);
    c->to_ns = fmin(from_ns + duration_ns, r->block_ns);
}

/* Puts C at the first detour of BLOCK: a detour in progress at the block's begin, or the detour after the gap in progress at the
 * block's begin. In the first block no detour is in progress, because ranks begin with work. */
static void open_block(const struct mpg_renewal_of *of, struct mpg_renewal_cursor *c,
                       uint64_t block)
{
    const struct mpg_renewal *r = of->renewal;
    double lost = block > 0 ? mpg_renewal_lost(r) : 0, v = draw(of, block, 1), left = draw(of, block, 2);
    *c = (struct mpg_renewal_cursor){.open = true, .block = block};
    if (v < lost) {
        put(r, c, 0, left * biased_at(&r->duration, v / lost));
        return;
    }
    double gap_ns = left * biased_at(&r->gap, (v - lost) / (1 - lost));
    c->number = 1;
    put(r, c, gap_ns, value_at(&r->duration, draw(of, block, 4)));
}

/* Moves C to the next detour of the block. */
static void advance(const struct mpg_renewal_of *of, struct mpg_renewal_cursor *c)
{
    const struct mpg_renewal *r = of->renewal;
    uint32_t index = 2 * ++c->number + 1;
    double gap_ns = value_at(&r->gap, draw(of, c->block, index));
    c->before_ns = c->to_ns;
    put(r, c, c->to_ns + gap_ns, value_at(&r->duration, draw(of, c->block, index + 1)));
}

/* Moves C to the first detour that ends after T_NS, in the block of T_NS. Returns the position of T_NS in this block, ns. */
static double seek(const struct mpg_renewal_of *of, struct mpg_renewal_cursor *c, double t_ns)
{
    double length_ns = of->renewal->block_ns, block = floor(t_ns / length_ns);
    double at_ns = fmin(fmax(0, t_ns - block * length_ns), length_ns);
    if (!c->open || c->block != (uint64_t)block || at_ns < c->before_ns)
        open_block(of, c, (uint64_t)block);
    while (!c->at_end && c->to_ns <= at_ns)
        advance(of, c);
    return at_ns;
}

/* ---- look-ups ---- */

double mpg_renewal_time_for(const struct mpg_renewal_of *of, struct mpg_renewal_cursor *c,
                            double t_ns, double work_ns)
{
    if (of->renewal->quiet)
        return work_ns;
    double at_ns = seek(of, c, t_ns), left_ns = work_ns, lost_ns = 0;
    for (;;) {
        double free_ns = fmax(0, c->from_ns - at_ns);
        if (left_ns <= free_ns + (c->at_end ? 0 : MPG_ROUNDING_NS))
            return work_ns + lost_ns;
        left_ns -= free_ns;
        if (c->at_end) {
            at_ns = 0;
            open_block(of, c, c->block + 1);
            continue;
        }
        lost_ns += c->to_ns - fmax(at_ns, c->from_ns);
        at_ns = c->to_ns;
        advance(of, c);
    }
}

double mpg_renewal_detour_left(const struct mpg_renewal_of *of, struct mpg_renewal_cursor *c,
                               double t_ns, double *since_ns)
{
    *since_ns = 0;
    if (of->renewal->quiet)
        return 0;
    double at_ns = seek(of, c, t_ns);
    if (c->at_end || at_ns <= c->from_ns)
        return 0;
    *since_ns = at_ns - c->from_ns;
    return c->to_ns - at_ns;
}

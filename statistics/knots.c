/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Knots of an inverse CDF: a grid, thinned where a straight line suffices, refined where mean or variance would
 * change. */
#include "statistics/knots.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Permitted relative errors of (mean - minimum) and of the variance. */
static const double MEAN_TOLERANCE = 0.002, VARIANCE_TOLERANCE = 0.004;
/* A knot may be dropped if its distance from the line is at most this share of mean - minimum, of the
 * interquartile range (robust against outliers), and of its own value. */
static const double LINE_MEAN = 0.001, LINE_QUARTILES = 0.01, LINE_OWN = 0.01;
/* An end of a piece may be moved by this fraction of the piece's probability, to become a short decimal. */
static const double SNAP = 2e-4;

struct knot {
    double p, below, above; /* probability; value just below and just above it, which differ at a jump */
    bool fixed;             /* P must stay exact, or is 0 or 1: the knot is never dropped */
    double mean, square;    /* signed error of the straight line to the next knot, in mean and in second moment */
    bool done;              /* no refinement improves the line to the next knot */
};

struct choice {
    const struct mpg_pieces *pieces;
    double min, range;      /* values are scaled to 0..1: (value - min) / range */
    double mean, variance;  /* of the scaled values */
    size_t knots, jumps;
    struct knot *knot;
};

/* ---- pieces ---- */

static double piece_start(const struct mpg_pieces *s, size_t i)
{
    if (i == 0)
        return 0;
    return s->until ? s->until[i - 1] : (double)i / (double)s->n;
}

static double piece_mass(const struct mpg_pieces *s, size_t i)
{
    return piece_start(s, i + 1) - piece_start(s, i);
}

/* Returns the piece that contains probability P (0..1); at a boundary the upper piece. */
static size_t piece_at(const struct mpg_pieces *s, double p)
{
    size_t low = 0, high = s->n; /* invariant: start of piece LOW <= p < start of piece HIGH */
    if (!s->until) {
        size_t guess = (size_t)(p * (double)s->n);
        low = guess > 0 ? guess - 1 : 0;
        high = guess + 2 < s->n ? guess + 2 : s->n;
        low = low < s->n ? low : s->n - 1;
    }
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (piece_start(s, middle) <= p)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Returns the distance from the start of piece I > 0 within which a probability counts as equal to this start. */
static double reach(const struct mpg_pieces *s, size_t i)
{
    return 1.25 * SNAP * fmin(piece_mass(s, i - 1), piece_mass(s, i));
}

/* Returns the upper of the two pieces that meet at probability P; 0: no two pieces meet there. */
static size_t meeting_at(const struct mpg_pieces *s, double p)
{
    size_t i = piece_at(s, p);
    if (i > 0 && p - piece_start(s, i) <= reach(s, i))
        return i;
    if (i + 1 < s->n && piece_start(s, i + 1) - p <= reach(s, i + 1))
        return i + 1;
    return 0;
}

static double value_in(const struct mpg_pieces *s, size_t i, double p)
{
    double mass = piece_mass(s, i), part = mass > 0 ? (p - piece_start(s, i)) / mass : 0;
    double value = s->from[i] + (s->to[i] - s->from[i]) * fmin(fmax(part, 0), 1);
    return fmin(value, s->to[i]);
}

static double value_at(const struct mpg_pieces *s, double p)
{
    if (!(p > 0))
        return s->from[0];
    if (p >= 1)
        return s->to[s->n - 1];
    size_t upper = meeting_at(s, p);
    if (upper > 0) {
        double low = s->to[upper - 1], high = s->from[upper];
        return fmin(low + (high - low) * (1 - p), high);
    }
    return value_in(s, piece_at(s, p), p);
}

/* Integrates the scaled value and its squared distance from the mean over the probabilities FROM..TO, into *FIRST and
 * *SECOND. */
static void integrate(const struct choice *c, double from, double to, double *first,
                      double *second)
{
    const struct mpg_pieces *s = c->pieces;
    *first = *second = 0;
    for (size_t i = piece_at(s, from); i < s->n; i++) {
        double start = fmax(from, piece_start(s, i)), end = fmin(to, piece_start(s, i + 1));
        if (start >= to)
            break;
        double a = value_in(s, i, start), b = s->to[i] > s->from[i] ? value_in(s, i, end) : a;
        a = (a - c->min) / c->range - c->mean;
        b = (b - c->min) / c->range - c->mean;
        *first += (end - start) * ((a + b) / 2 + c->mean);
        *second += (end - start) * (a * a + a * b + b * b) / 3;
    }
}

/* ---- short decimals ---- */

/* Returns the shortest decimal within TOLERANCE of P. */
static double shortest(double p, double tolerance)
{
    double power = 1;
    for (int digits = 0; digits < 15; digits++, power *= 10) {
        double value = nearbyint(p * power) / power;
        if (fabs(value - p) <= tolerance)
            return value;
    }
    return p;
}

/* ---- knots ---- */

static bool is_jump(const struct knot *k)
{
    return k->below < k->above;
}

static size_t count(const struct choice *c)
{
    return c->knots + c->jumps;
}

/* Computes the errors, in mean and second moment, of the straight line from knot I to the next. */
static void weigh(struct choice *c, size_t i)
{
    struct knot *k = &c->knot[i];
    double first, second, mass = k[1].p - k->p;
    integrate(c, k->p, k[1].p, &first, &second);
    double a = (k->above - c->min) / c->range - c->mean;
    double b = (k[1].below - c->min) / c->range - c->mean;
    k->mean = mass * ((a + b) / 2 + c->mean) - first;
    k->square = mass * (a * a + a * b + b * b) / 3 - second;
    k->done = k->above == k[1].below;
}

/* ---- the grid ---- */

/* Returns the number of equal parts into which the body of the grid is divided, for at most MAX knots altogether. */
static size_t body_parts(size_t max)
{
    static const size_t round[] = {1,   2,   4,   5,    10,   20,   25,    50,
                                   100, 200, 500, 1000, 2000, 5000, 10000, 20000};
    size_t i = sizeof round / sizeof *round - 1;
    while (i > 0 && round[i] > max * 2 / 5)
        i--;
    return round[i];
}

static void append(struct choice *c, double p, bool fixed)
{
    c->knot[c->knots++] = (struct knot){.p = p, .fixed = fixed};
}

/* Adds the probability PART / POWER and its mirror image 1 - PART / POWER. POWER is a power of ten, so that both are
 * short decimals. */
static void append_both(struct choice *c, double part, double power, bool fixed)
{
    append(c, part / power, fixed);
    append(c, (power - part) / power, fixed);
}

static int compare_knots(const void *a, const void *b)
{
    const struct knot *x = a, *y = b;
    return x->p < y->p ? -1 : x->p > y->p ? 1 : (int)y->fixed - (int)x->fixed;
}

/* Fills the grid with probabilities: those that the distribution must keep, those of the body and of the tails;
 * ascending, each once. */
static void fill_grid(struct choice *c, size_t max)
{
    static const double steps[] = {10, 15, 20, 30, 50, 70};
    enum { DECADES = 12, STEPS = sizeof steps / sizeof *steps, EXACT = 4 };
    size_t parts = body_parts(max), kept = 1;
    append_both(c, 0, 1, true);
    if (max >= 3)
        append(c, 0.5, true);
    for (size_t i = 1; i < parts; i++)
        append(c, (double)i / (double)parts, false);
    double power = 100;
    for (int decade = 1; decade <= DECADES; decade++, power *= 10)
        for (int i = 0; i < (max < 64 ? 1 : STEPS); i++) {
            double p = steps[i] / power;
            bool exact = i == 0 && decade <= EXACT && max >= 16;
            if (c->knots + 2 <= max && p * (double)c->pieces->samples >= 1 &&
                (exact || p * (double)parts < 1))
                append_both(c, steps[i], power, exact);
        }
    qsort(c->knot, c->knots, sizeof *c->knot, compare_knots);
    for (size_t i = 1; i < c->knots; i++)
        if (c->knot[i].p > c->knot[kept - 1].p)
            c->knot[kept++] = c->knot[i];
    c->knots = kept;
    for (size_t i = 0; i < kept; i++)
        c->knot[i].below = c->knot[i].above = value_at(c->pieces, c->knot[i].p);
}

/* Returns whether all knots between A and B are within TOLERANCE of the line from A to B. */
static bool on_line(const struct choice *c, size_t a, size_t b, double tolerance)
{
    const struct knot *from = &c->knot[a], *to = &c->knot[b];
    for (size_t i = a + 1; i < b; i++) {
        double part = (c->knot[i].p - from->p) / (to->p - from->p);
        double line = from->above + (to->below - from->above) * part;
        double own = LINE_OWN * (c->knot[i].below - c->min);
        if (c->knot[i].fixed || !(fabs(c->knot[i].below - line) <= fmin(tolerance, own)))
            return false;
    }
    return true;
}

/* Drops the knots at which a straight line between other knots is accurate enough. */
static void thin(struct choice *c)
{
    size_t kept = 1, from = 0;
    double quartiles = value_at(c->pieces, 0.75) - value_at(c->pieces, 0.25);
    double tolerance = fmin(LINE_MEAN * c->mean * c->range, LINE_QUARTILES * quartiles);
    while (from + 1 < c->knots) {
        size_t to = from + 1;
        while (to + 1 < c->knots && to - from < 64 && on_line(c, from, to + 1, tolerance))
            to++;
        c->knot[kept++] = c->knot[to];
        from = to;
    }
    c->knots = kept;
}

/* ---- refinement ---- */

/* Inserts a knot at index AT. */
static void insert(struct choice *c, size_t at, double p, double below, double above)
{
    memmove(&c->knot[at + 1], &c->knot[at], (c->knots - at) * sizeof *c->knot);
    c->knot[at] = (struct knot){.p = p, .below = below, .above = above};
    c->knots++;
    c->jumps += below < above;
    weigh(c, at - 1);
    weigh(c, at);
}

/* Turns knot I, where pieces UPPER - 1 and UPPER meet, into a jump. */
static void make_jump(struct choice *c, size_t i, size_t upper)
{
    c->knot[i].below = c->pieces->to[upper - 1];
    c->knot[i].above = c->pieces->from[upper];
    c->jumps++;
    weigh(c, i - 1);
    weigh(c, i);
}

/* The boundary with the largest jump of the value, among those at knot I, at the next knot or between the two. */
struct gap {
    size_t upper;       /* the piece above the boundary; 0: none */
    double width;
    enum { GAP_WITHIN, GAP_AT_LOW, GAP_AT_HIGH } place;
};

static struct gap widest_gap(const struct choice *c, size_t i)
{
    const struct mpg_pieces *s = c->pieces;
    const struct knot *a = &c->knot[i], *b = a + 1;
    size_t low = meeting_at(s, a->p), high = b->p < 1 ? meeting_at(s, b->p) : 0;
    struct gap gap = {0, 0, GAP_WITHIN};
    if (low > 0 && i > 0 && !is_jump(a))
        gap = (struct gap){low, s->from[low] - a->above, GAP_AT_LOW};
    if (high > 0 && !is_jump(b) && b->below - s->to[high - 1] > gap.width)
        gap = (struct gap){high, b->below - s->to[high - 1], GAP_AT_HIGH};
    size_t first = (low > 0 ? low : piece_at(s, a->p)) + 1;
    size_t last = high > 0 ? high - 1 : b->p < 1 ? piece_at(s, b->p) : s->n - 1;
    for (size_t k = first; k <= last; k++)
        if (s->from[k] - s->to[k - 1] > gap.width)
            gap = (struct gap){k, s->from[k] - s->to[k - 1], GAP_WITHIN};
    return gap;
}

/* Returns a short decimal between A and B: near the middle in the body, near the geometric mean in a tail. */
static double middle(double a, double b)
{
    double p = (a + b) / 2;
    if (b <= 0.5 && b > 4 * a)
        p = a > 0 ? sqrt(a * b) : b / 8;
    if (a >= 0.5 && 1 - a > 4 * (1 - b))
        p = b < 1 ? 1 - sqrt((1 - a) * (1 - b)) : 1 - (1 - a) / 8;
    return shortest(p, fmin(p - a, b - p) / 5);
}

/* Makes the line from knot I to the next more accurate by a jump or a further knot; returns false if neither helps. */
static bool refine(struct choice *c, size_t i)
{
    struct gap gap = widest_gap(c, i);
    double a = c->knot[i].p, b = c->knot[i + 1].p;
    double rise = c->knot[i + 1].below - c->knot[i].above;
    if (gap.upper > 0 && gap.width >= rise / 3) {
        if (gap.place != GAP_WITHIN) {
            make_jump(c, gap.place == GAP_AT_LOW ? i : i + 1, gap.upper);
            return true;
        }
        double start = piece_start(c->pieces, gap.upper);
        double min = fmin(piece_mass(c->pieces, gap.upper), piece_mass(c->pieces, gap.upper - 1));
        double p = shortest(start, SNAP * min);
        if (!(p > a && p < b))
            return false;
        insert(c, i + 1, p, c->pieces->to[gap.upper - 1], c->pieces->from[gap.upper]);
        return true;
    }
    double p = middle(a, b);
    if (!(p > a && p < b))
        return false;
    double value = value_at(c->pieces, p);
    insert(c, i + 1, p, value, value);
    return true;
}

/* Refines until mean and variance are within tolerance, no refinement helps, or MAX knots are used. */
static void refine_all(struct choice *c, size_t max)
{
    double mean_tolerance = MEAN_TOLERANCE * c->mean;
    double variance_tolerance = VARIANCE_TOLERANCE * c->variance;
    for (size_t i = 0; i + 1 < c->knots; i++)
        weigh(c, i);
    while (count(c) + 2 <= max) {
        double mean = 0, square = 0, worst = 0;
        size_t at = 0;
        for (size_t i = 0; i + 1 < c->knots; i++) {
            const struct knot *k = &c->knot[i];
            double missed = fabs(k->mean) / mean_tolerance + fabs(k->square) / variance_tolerance;
            mean += fabs(k->mean);
            square += fabs(k->square);
            if (!k->done && missed > worst) {
                worst = missed;
                at = i;
            }
        }
        if (worst == 0 || (mean <= mean_tolerance && square <= variance_tolerance))
            return;
        if (!refine(c, at))
            c->knot[at].done = true;
    }
}

/* ---- few distinct values ---- */

/* Returns the number of distinct values of the pieces if each piece is constant; MAX + 1 if one is not or if there are
 * more than MAX. */
static size_t count_runs(const struct mpg_pieces *s, size_t max)
{
    size_t runs = 1;
    for (size_t i = 0; i < s->n && runs <= max; i++)
        if (s->from[i] < s->to[i])
            runs = max + 1;
        else
            runs += i > 0 && s->to[i - 1] < s->from[i];
    return runs;
}

/* Makes a step for each distinct value. */
static void fill_steps(struct choice *c)
{
    const struct mpg_pieces *s = c->pieces;
    c->knot[c->knots++] = (struct knot){.p = 0, .below = s->from[0], .above = s->from[0]};
    size_t start = 0; /* first of the pieces with the present value */
    for (size_t i = 1; i < s->n; i++) {
        if (!(s->to[i - 1] < s->from[i]))
            continue;
        size_t next = i + 1;
        while (next < s->n && s->from[next] == s->from[i])
            next++;
        double here = piece_start(s, i), before = piece_start(s, start);
        double after = next < s->n ? piece_start(s, next) : 1;
        double p = shortest(here, SNAP * fmin(here - before, after - here));
        c->knot[c->knots++] = (struct knot){.p = p, .below = s->to[i - 1], .above = s->from[i]};
        c->jumps++;
        start = i;
    }
    double last = s->to[s->n - 1];
    c->knot[c->knots++] = (struct knot){.p = 1, .below = last, .above = last};
}

/* ---- assembly ---- */

/* Computes scale, mean and variance of the pieces. */
static void measure(struct choice *c)
{
    c->min = c->pieces->from[0];
    c->range = c->pieces->to[c->pieces->n - 1] - c->min;
    double first, second;
    integrate(c, 0, 1, &c->mean, &second);
    integrate(c, 0, 1, &first, &c->variance);
}

static int write_out(const struct choice *c, size_t *knots, double **probabilities,
                     double **quantiles)
{
    *knots = 0;
    *probabilities = malloc(count(c) * sizeof **probabilities);
    *quantiles = malloc(count(c) * sizeof **quantiles);
    if (!*probabilities || !*quantiles) {
        free(*probabilities);
        free(*quantiles);
        return -1;
    }
    for (size_t i = 0; i < c->knots; i++)
        for (int side = 0; side < (is_jump(&c->knot[i]) ? 2 : 1); side++) {
            (*probabilities)[*knots] = c->knot[i].p;
            (*quantiles)[(*knots)++] = side == 0 ? c->knot[i].below : c->knot[i].above;
        }
    return 0;
}

int mpg_knots_choose(const struct mpg_pieces *pieces, size_t max, size_t *knots,
                     double **probabilities, double **quantiles, struct mpg_error *err)
{
    enum { FEW = 64, TAILS = 256 };
    size_t few = max / 4 > FEW ? max / 4 : FEW, runs = count_runs(pieces, few);
    struct choice c = {.pieces = pieces};
    c.knot = malloc((max + TAILS) * sizeof *c.knot);
    if (!c.knot)
        return mpg_error_set(err, "out of memory for %zu knots", max);
    if (runs <= few && 2 * runs <= max) {
        fill_steps(&c);
    } else {
        measure(&c);
        fill_grid(&c, max);
        thin(&c);
        refine_all(&c, max);
    }
    int status = write_out(&c, knots, probabilities, quantiles);
    free(c.knot);
    return status < 0 ? mpg_error_set(err, "out of memory for %zu knots", count(&c)) : 0;
}

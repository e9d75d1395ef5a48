/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Mgrid: the multigrid benchmark of NAS (RNR-94-007, section 2.3): Poisson's equation in a periodic cube of 2^k
 * points a side, by V-cycles. An element is a column of the grid. The columns of each level are distributed
 * (BLOCK, BLOCK) over floor(sqrt n)^2 ranks; other ranks are idle. In a step (residual, smoothing, restriction,
 * prolongation) a rank reads the remote columns around its own columns. A step has two barriers: after all reads,
 * and after all computation. */
#include "extrap.h"
#include "nas.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_LEVELS = 9 };
enum array { U, R, ARRAYS };

/* Level l has 2^l points a side. */
struct mgrid {
    struct extrap *team;
    int levels;
    long parts;                             /* ranks per side */
    long row, line;                         /* position of this rank */
    bool idle;
    size_t offset[MAX_LEVELS + 1][ARRAYS]; /* of a level's columns in memory */
    double *right; /* right-hand side for this rank's columns of the top level */
    double *near; /* columns that a step needs, each extended periodically by one point at both ends */
};

/* Columns of a level: X0 to X1 - 1, Y0 to Y1 - 1. */
struct area {
    long x0, x1, y0, y1;
};

static struct area own(const struct mgrid *g, int level)
{
    const long side = 1L << level;
    if (g->idle)
        return (struct area){0, 0, 0, 0};
    return (struct area){extrap_first(side, g->parts, g->row), extrap_first(side, g->parts, g->row + 1),
                         extrap_first(side, g->parts, g->line), extrap_first(side, g->parts, g->line + 1)};
}

/* Returns the largest number of columns per side of any rank's part of LEVEL. */
static long block(const struct mgrid *g, int level)
{
    return extrap_first(1L << level, g->parts, 1);
}

static size_t offset(const struct mgrid *g, int level, enum array array, long x, long y)
{
    const long b = block(g, level);
    return g->offset[level][array] + (size_t)((x % b * b + y % b) << level) * sizeof(double);
}

/* Returns column (X, Y) of ARRAY at LEVEL, which this rank owns. */
static double *column(const struct mgrid *g, int level, enum array array, long x, long y)
{
    return (double *)(g->team->memory + offset(g, level, array, x, y));
}

/* Copies the columns in AREA to NEAR; the area may wrap around. */
static void load(const struct mgrid *g, int level, enum array array, struct area area)
{
    const long side = 1L << level, b = block(g, level);
    const size_t bytes = (size_t)side * sizeof(double);
    double *to = g->near;
    for (long i = area.x0; i < area.x1; i++)
        for (long j = area.y0; j < area.y1; j++, to += side + 2) {
            const long x = (i + side) % side, y = (j + side) % side;
            const long owner = x / b * g->parts + y / b;
            if (owner == g->team->rank)
                memcpy(to + 1, column(g, level, array, x, y), bytes);
            else
                extrap_read(g->team, (int)owner, offset(g, level, array, x, y), bytes, to + 1);
            to[0] = to[side];
            to[side + 1] = to[1];
        }
}

/* Returns the weighted sum over the 27 points around point Z of the column at C. Weights: W[0] of the point itself, W[1] of the
 * faces, W[2] edges, W[3] corners. WIDTH: columns in a line. */
static double stencil(const double *c, long width, long side, const double w[4], long z)
{
    const long x = width * (side + 2), y = side + 2;
    double sum[3][2];
    for (int k = 0; k < 3; k++) {
        const double *p = c + z + k;
        sum[k][0] = p[-x] + p[x] + p[-y] + p[y];
        sum[k][1] = p[-x - y] + p[-x + y] + p[x - y] + p[x + y];
    }
    return w[0] * c[z + 1] + w[1] * (c[z] + c[z + 2] + sum[1][0]) + w[2] * (sum[1][1] + sum[0][0] + sum[2][0]) +
           w[3] * (sum[0][1] + sum[2][1]);
}

/* Computes TO = (RIGHT, or TO if RIGHT is NULL) + FACTOR times the stencil W applied to FROM, at LEVEL. */
static void apply(const struct mgrid *g, int level, enum array from, const double w[4], const double *right,
                  double factor, enum array to)
{
    const long side = 1L << level;
    const struct area a = own(g, level);
    const long width = a.y1 - a.y0 + 2;
    if (a.x1 > a.x0 && a.y1 > a.y0)
        load(g, level, from, (struct area){a.x0 - 1, a.x1 + 1, a.y0 - 1, a.y1 + 1});
    extrap_barrier(g->team);
    for (long x = a.x0; x < a.x1; x++)
        for (long y = a.y0; y < a.y1; y++) {
            const double *near = g->near + ((x - a.x0 + 1) * width + y - a.y0 + 1) * (side + 2);
            double *out = column(g, level, to, x, y);
            const double *plus = right ? right + ((x - a.x0) * (a.y1 - a.y0) + y - a.y0) * side : out;
            for (long z = 0; z < side; z++)
                out[z] = plus[z] + factor * stencil(near, width, side, w, z);
        }
    extrap_barrier(g->team);
}

/* Restriction: R of LEVEL - 1 from R of LEVEL, around each odd point. */
static void coarser(const struct mgrid *g, int level)
{
    static const double weights[] = {0.5, 0.25, 0.125, 0.0625};
    const long side = 1L << level;
    const struct area a = own(g, level - 1);
    const long width = 2 * (a.y1 - a.y0) + 1;
    if (a.x1 > a.x0 && a.y1 > a.y0)
        load(g, level, R, (struct area){2 * a.x0, 2 * a.x1 + 1, 2 * a.y0, 2 * a.y1 + 1});
    extrap_barrier(g->team);
    for (long x = a.x0; x < a.x1; x++)
        for (long y = a.y0; y < a.y1; y++) {
            const double *near = g->near + ((2 * (x - a.x0) + 1) * width + 2 * (y - a.y0) + 1) * (side + 2);
            double *out = column(g, level - 1, R, x, y);
            for (long z = 0; z < side / 2; z++)
                out[z] = stencil(near, width, side, weights, 2 * z + 1);
        }
    extrap_barrier(g->team);
}

/* Prolongation: adds the interpolated U of LEVEL - 1 to U of LEVEL, which counts as 0 if FROM_ZERO. */
static void finer(const struct mgrid *g, int level, bool from_zero)
{
    const long side = 1L << level, half = side / 2;
    const struct area a = own(g, level);
    /* odd point 2 c + 1 is at c, even point 2 c halfway between c - 1 and c */
    const struct area c = {(a.x0 + 1) / 2 - 1, (a.x1 - 1) / 2 + 1,
                           (a.y0 + 1) / 2 - 1, (a.y1 - 1) / 2 + 1};
    const long width = c.y1 - c.y0;
    if (a.x1 > a.x0 && a.y1 > a.y0)
        load(g, level - 1, U, c);
    extrap_barrier(g->team);
    for (long x = a.x0; x < a.x1; x++)
        for (long y = a.y0; y < a.y1; y++) {
            const double *near[2][2]; /* lower and upper neighbours; equal at odd points */
            for (int i = 0; i < 2; i++)
                for (int j = 0; j < 2; j++)
                    near[i][j] = g->near + (((x + 1) / 2 - 1 + (x % 2 == 0 && i) - c.x0) * width + (y + 1) / 2 - 1 +
                                            (y % 2 == 0 && j) - c.y0) * (half + 2);
            double *out = column(g, level, U, x, y);
            for (long z = 0; z < side; z++) {
                double sum = 0;
                for (int i = 0; i < 8; i++)
                    sum += near[i & 1][i >> 1 & 1][(z + 1) / 2 + (z % 2 == 0 && i >> 2)];
                out[z] = (from_zero ? 0 : out[z]) + sum / 8;
            }
        }
    extrap_barrier(g->team);
}

static const double OPERATOR[] = {-8.0 / 3, 0, 1.0 / 6, 1.0 / 12};
static const double SMOOTHER[] = {-3.0 / 8, 1.0 / 32, -1.0 / 64, 0};

static void clear(const struct mgrid *g, int level)
{
    const long b = block(g, level);
    memset(g->team->memory + g->offset[level][U], 0, (size_t)((b * b) << level) * sizeof(double));
}

static void residual(const struct mgrid *g, int level)
{
    apply(g, level, U, OPERATOR, level == g->levels ? g->right : NULL, -1, R);
}

static void cycle(const struct mgrid *g)
{
    for (int level = g->levels; level > 1; level--)
        coarser(g, level);
    clear(g, 1);
    apply(g, 1, R, SMOOTHER, NULL, 1, U);
    for (int level = 2; level <= g->levels; level++) {
        finer(g, level, level < g->levels);
        residual(g, level);
        apply(g, level, R, SMOOTHER, NULL, 1, U);
    }
    residual(g, g->levels);
}

/* Grid points of the ten largest and the ten smallest random numbers. */
struct charges {
    int n;
    long place[2][10];
};

static struct charges find_charges(long side)
{
    const long points = side * side * side;
    struct charges found;
    double value[2][10];
    int n = 0;
    uint64_t seed = 314159265;
    for (long p = 0; p < points; p++) {
        const double v = nas_next(&seed);
        for (int end = 0; end < 2; end++) {
            int i = n < 10 ? n : 10;
            while (i > 0 && (end ? v < value[end][i - 1] : v > value[end][i - 1]))
                i--;
            if (i == 10)
                continue;
            for (int j = n < 10 ? n : 9; j > i; j--) {
                value[end][j] = value[end][j - 1];
                found.place[end][j] = found.place[end][j - 1];
            }
            value[end][i] = v;
            found.place[end][i] = p;
        }
        n += n < 10;
    }
    found.n = n;
    return found;
}

/* Sets the right-hand side to 1 at the points of the largest random numbers, and to -1 at those of the smallest. */
static void charge(const struct mgrid *g, const struct charges *charges)
{
    const long side = 1L << g->levels;
    const struct area a = own(g, g->levels);
    for (int end = 0; end < 2; end++)
        for (int i = 0; i < charges->n; i++) {
            const long p = charges->place[end][i], z = p % side, y = p / side % side, x = p / side / side;
            if (x >= a.x0 && x < a.x1 && y >= a.y0 && y < a.y1)
                g->right[((x - a.x0) * (a.y1 - a.y0) + y - a.y0) * side + z] = end ? -1 : 1;
        }
}

/* Computes the offsets in this rank's memory for TEAM; returns its size in bytes. */
static size_t arrange(struct mgrid *g, struct extrap *team, int levels)
{
    size_t bytes = 0;
    *g = (struct mgrid){.levels = levels, .team = team, .parts = (long)sqrt(team->ranks)};
    g->idle = team->rank >= g->parts * g->parts;
    g->row = team->rank / g->parts;
    g->line = team->rank % g->parts;
    for (int level = 1; level <= levels; level++)
        for (int array = 0; array < ARRAYS; array++) {
            const long b = block(g, level);
            g->offset[level][array] = bytes;
            bytes += (size_t)((b * b) << level) * sizeof(double);
        }
    return bytes;
}

/* Runs CYCLES cycles. Returns the root mean square of the residual, as published by NAS. */
static double solve(struct mgrid *g, const struct charges *charges, long cycles)
{
    const long side = 1L << g->levels, b = block(g, g->levels);
    g->right = calloc((size_t)(b * b * side), sizeof(double));
    g->near = malloc((size_t)((b + 3) * (b + 3) * (side + 2)) * sizeof(double));
    if (!g->right || !g->near) {
        fputs("mgrid: out of memory\n", stderr);
        exit(1);
    }
    charge(g, charges);
    extrap_barrier(g->team);
    residual(g, g->levels);
    for (long k = 0; k < cycles; k++)
        cycle(g);
    const struct area a = own(g, g->levels);
    double sum = 0;
    for (long x = a.x0; x < a.x1; x++)
        for (long y = a.y0; y < a.y1; y++)
            for (long z = 0; z < side; z++)
                sum += pow(column(g, g->levels, R, x, y)[z], 2);
    extrap_sum(g->team, &sum, 1);
    free(g->right);
    free(g->near);
    return sqrt(sum / ((double)side * (double)side * (double)side));
}

/* Published results for NPB's classes S and A. */
static const struct {
    long log2_side, cycles;
    double norm;
} published[] = {
    {5, 4, 0.5307707005734e-4},
    {8, 4, 0.2433365309069e-5},
};

int main(int argc, char **argv)
{
    long log2_side = 5, cycles = 4;
    const struct extrap_option options[] = {
        {"log2-side", &log2_side, 2, MAX_LEVELS, "2^N points per side; NAS's class S: 5, A: 8"},
        {"cycles", &cycles, 1, 1000, "V-cycles; NAS uses 4"},
    };
    extrap_options(argc, argv, "Poisson's equation in a cube by multigrid.", options, 2);
    const struct charges charges = find_charges(1L << log2_side);
    struct extrap team, one;
    struct mgrid g;
    extrap_start(&team, "mgrid");
    extrap_open(&team, arrange(&g, &team, (int)log2_side));
    const double norm = solve(&g, &charges, cycles);
    extrap_close(&team);
    if (team.rank > 0)
        return 0;

    one = (struct extrap){.ranks = 1};
    extrap_alone(&one, arrange(&g, &one, (int)log2_side));
    double want = solve(&g, &charges, cycles);
    extrap_free(&one);
    for (size_t i = 0; i < sizeof published / sizeof *published; i++)
        if (published[i].log2_side == log2_side && published[i].cycles == cycles)
            want = published[i].norm;
    return extrap_print_result(&team, fabs(norm - want) <= 1e-8 * want,
                      "%ld^3 points, %ld cycles, norm %.13e of %.13e", 1L << log2_side, cycles, norm, want);
}

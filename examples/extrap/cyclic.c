/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Cyclic: tridiagonal systems by cyclic reduction (Hockney 1965). The 2^k - 1 equations are distributed in blocks
 * of 2^k / n. Element i holds equation i of every system. Reduction: at stride h each multiple of 2 h eliminates
 * its neighbours at distance h; neighbours on another rank are read first. Substitution solves the odd multiples
 * of h with these equations. A barrier ends each level. */
#include "extrap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* a x(i - 1) + b x(i) + c x(i + 1) = d, and x: S consecutive numbers each, one per system. */
enum { A, B, C, D, X, PARTS };

struct solver {
    struct extrap *team;
    long equations, systems; /* equations: 2^k, where number 0 is unused */
    long block;              /* equations per rank */
    double *near[2];         /* equations read from other ranks */
};

static double *own(const struct solver *s, long i)
{
    return (double *)s->team->memory + (i - s->team->rank * s->block) * PARTS * s->systems;
}

/* Returns equation I, of which parts FROM to TO - 1 (A, B, ...) are valid, in the layout of an equation. NEAR: which
 * of the two read buffers receives an equation of another rank. */
static const double *equation(const struct solver *s, long i, int from, int to, int near)
{
    const long owner = i / s->block;
    if (owner == s->team->rank)
        return own(s, i);
    const size_t bytes = (size_t)s->systems * sizeof(double);
    const size_t first = (size_t)(i % s->block) * PARTS + (size_t)from;
    extrap_read(s->team, (int)owner, first * bytes, (size_t)(to - from) * bytes,
                s->near[near] + from * s->systems);
    return s->near[near];
}

/* Returns x of equation I of SYSTEM in the known solution. */
static double solution(const struct solver *s, long i, long system)
{
    return i <= 0 || i >= s->equations ? 0 : (double)((7 * i + 3 * system) % 11 - 5);
}

static double diagonal(long i, long system)
{
    return 2.385 + 0.25 * (double)((i + system) % 3);
}

static void fill(const struct solver *s, long first, long last)
{
    const long n = s->systems;
    for (long i = first; i < last; i++) {
        double *e = own(s, i);
        for (long j = 0; j < n; j++) {
            e[A * n + j] = i > 1 ? -1 : 0;
            e[B * n + j] = diagonal(i, j);
            e[C * n + j] = i < s->equations - 1 ? -1 : 0;
            e[D * n + j] = diagonal(i, j) * solution(s, i, j) - solution(s, i - 1, j) - solution(s, i + 1, j);
        }
    }
}

/* Eliminates the equations at distance H from equation I. */
static void reduce(const struct solver *s, long i, long h)
{
    const long n = s->systems;
    const double *left = equation(s, i - h, A, X, 0), *right = equation(s, i + h, A, X, 1);
    double *e = own(s, i);
    for (long j = 0; j < n; j++) {
        const double l = -e[A * n + j] / left[B * n + j], r = -e[C * n + j] / right[B * n + j];
        e[A * n + j] = l * left[A * n + j];
        e[B * n + j] += l * left[C * n + j] + r * right[A * n + j];
        e[C * n + j] = r * right[C * n + j];
        e[D * n + j] += l * left[D * n + j] + r * right[D * n + j];
    }
}

/* Solves equation I; the equations at distance H are solved. */
static void solve(const struct solver *s, long i, long h)
{
    const long n = s->systems;
    const double *left = i > h ? equation(s, i - h, X, PARTS, 0) : NULL;
    const double *right = i + h < s->equations ? equation(s, i + h, X, PARTS, 1) : NULL;
    double *e = own(s, i);
    for (long j = 0; j < n; j++) {
        double d = e[D * n + j];
        if (left)
            d -= e[A * n + j] * left[X * n + j];
        if (right)
            d -= e[C * n + j] * right[X * n + j];
        e[X * n + j] = d / e[B * n + j];
    }
}

/* Returns the smallest number OFFSET + k STEP, k >= 0, that is at least FIRST. */
static long from(long first, long step, long offset)
{
    return first <= offset ? offset : (first - offset + step - 1) / step * step + offset;
}

int main(int argc, char **argv)
{
    long log2_equations = 14, systems = 32;
    const struct extrap_option options[] = {
        {"log2-equations", &log2_equations, 1, 30, "2^N - 1 equations"},
        {"systems", &systems, 1, 1 << 20, "number of systems"},
    };
    extrap_options(argc, argv, "Tridiagonal systems by cyclic reduction.", options, 2);
    struct extrap team;
    extrap_start(&team, "cyclic");
    extrap_require(&team, extrap_power_of_two(team.ranks) && team.ranks <= 1L << log2_equations,
                "cyclic reduction needs a power of two up to 2^(--log2-equations)");
    struct solver s = {.team = &team, .equations = 1L << log2_equations, .systems = systems,
                       .block = (1L << log2_equations) / team.ranks};
    const size_t bytes = (size_t)systems * PARTS * sizeof(double);
    extrap_open(&team, (size_t)s.block * bytes);
    s.near[0] = malloc(bytes);
    s.near[1] = malloc(bytes);
    if (!s.near[0] || !s.near[1])
        MPI_Abort(MPI_COMM_WORLD, 1);

    const long first = team.rank * s.block > 0 ? team.rank * s.block : 1, last = (team.rank + 1) * s.block;
    fill(&s, first, last);
    extrap_barrier(&team);
    for (long h = 1; 2 * h < s.equations; h *= 2) {
        for (long i = from(first, 2 * h, 0) > 0 ? from(first, 2 * h, 0) : 2 * h; i < last; i += 2 * h)
            reduce(&s, i, h);
        extrap_barrier(&team);
    }
    for (long h = s.equations / 2; h >= 1; h /= 2) {
        for (long i = from(first, 2 * h, h); i < last; i += 2 * h)
            solve(&s, i, h);
        extrap_barrier(&team);
    }

    double total[2] = {0, 0}; /* wrong numbers; checksum */
    for (long i = first; i < last; i++)
        for (long j = 0; j < systems; j++) {
            const double x = own(&s, i)[X * systems + j];
            total[0] += !(fabs(x - solution(&s, i, j)) <= 1e-10);
            total[1] += x * extrap_weight(i * systems + j);
        }
    extrap_total(&team, total, 2);
    extrap_close(&team);
    free(s.near[0]);
    free(s.near[1]);
    return extrap_print_result(&team, total[0] == 0, "%ld systems of %ld equations, %.0f numbers wrong, checksum %.12g",
                      systems, s.equations - 1, total[0], total[1]);
}

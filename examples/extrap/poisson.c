/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Poisson: a direct solver for Poisson's equation on (2^k - 1)^2 points (Hockney 1965): sine transforms of the
 * rows, a tridiagonal system for each wave, inverse transforms. Rows and waves are distributed in blocks. Between
 * the phases the matrix is transposed: a rank packs one block for each other rank; after a barrier each rank reads
 * its blocks; another barrier ends the transposition. */
#include "extrap.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct poisson {
    struct extrap *team;
    long points;               /* points per side: 2^k - 1 */
    long first, n;             /* rows, and waves, of this rank */
    double *rows, *waves;      /* this rank's N x POINTS numbers each */
    double complex *work;      /* 2 (POINTS + 1) numbers */
    double complex *roots;     /* roots of unity, as many */
    double *ratio;             /* POINTS numbers for the tridiagonal systems */
};

/* Returns the known solution at (I, J), 0 outside the square. SALT: number of the solve; each has another solution. */
static double solution(const struct poisson *s, long i, long j, long salt)
{
    if (i < 0 || j < 0 || i >= s->points || j >= s->points)
        return 0;
    return (double)((unsigned long)(i * 7919 + j * 104729 + i * j * 31 + salt * 13) % 17) - 8;
}

static void fill(const struct poisson *s, long salt)
{
    for (long i = 0; i < s->n; i++)
        for (long j = 0; j < s->points; j++) {
            const long x = s->first + i;
            s->rows[i * s->points + j] = 4 * solution(s, x, j, salt) - solution(s, x - 1, j, salt) -
                                         solution(s, x + 1, j, salt) - solution(s, x, j - 1, salt) -
                                         solution(s, x, j + 1, salt);
        }
}

/* Transforms the N = 2^k numbers in WORK in place (Fourier). */
static void fourier(const struct poisson *s, long n)
{
    double complex *z = s->work;
    for (long i = 1, j = 0; i < n; i++) {
        long bit = n / 2;
        for (; j & bit; bit /= 2)
            j ^= bit;
        j ^= bit;
        if (i < j) {
            const double complex swap = z[i];
            z[i] = z[j];
            z[j] = swap;
        }
    }
    for (long half = 1; half < n; half *= 2)
        for (long i = 0; i < n; i += 2 * half)
            for (long k = 0; k < half; k++) {
                const double complex odd = z[i + half + k] * s->roots[k * (n / 2 / half)];
                z[i + half + k] = z[i + k] - odd;
                z[i + k] += odd;
            }
}

/* Replaces ROW by its sine transform, via the Fourier transform of its odd continuation. Twice the transform
   multiplies by (POINTS + 1) / 2. */
static void sine(const struct poisson *s, double *row)
{
    const long m = s->points + 1;
    memset(s->work, 0, 2 * (size_t)m * sizeof *s->work);
    for (long i = 1; i < m; i++) {
        s->work[i] = row[i - 1];
        s->work[2 * m - i] = -row[i - 1];
    }
    fourier(s, 2 * m);
    for (long i = 1; i < m; i++)
        row[i - 1] = -cimag(s->work[i]) / 2;
}

/* Transposes FROM into TO; this rank holds rows of FROM and gets columns as rows of TO. SLOT: the half of the
 * memory to use, alternately. */
static void transpose(const struct poisson *s, const double *from, double *to, int slot, double *block)
{
    struct extrap *team = s->team;
    const long all = s->points;
    const size_t half = (size_t)(slot * extrap_first(all, team->ranks, 1) * all);
    double *out = (double *)team->memory + half;
    for (int r = 0; r < team->ranks; r++)
        for (long j = extrap_first(all, team->ranks, r); j < extrap_first(all, team->ranks, r + 1); j++)
            for (long i = 0; i < s->n; i++)
                *out++ = from[i * all + j];
    extrap_barrier(team);
    for (int k = 0; k < team->ranks; k++) {
        const int r = (team->rank + k) % team->ranks;
        const long low = extrap_first(all, team->ranks, r), n = extrap_first(all, team->ranks, r + 1) - low;
        const double *in = (double *)team->memory + half + s->first * n;
        if (n == 0 || s->n == 0)
            continue;
        if (r != team->rank) {
            const size_t place = half + (size_t)(s->first * n);
            extrap_read(team, r, place * sizeof *in, (size_t)(n * s->n) * sizeof *in, block);
            in = block;
        }
        for (long j = 0; j < s->n; j++)
            for (long i = 0; i < n; i++)
                to[j * all + low + i] = *in++;
    }
    extrap_barrier(team);
}

/* Solves -u(y - 1) + B u(y) - u(y + 1) = f(y) for wave K in place. */
static void tridiagonal(const struct poisson *s, long k, double *f)
{
    const long n = s->points;
    const double b = 4 - 2 * cos(acos(-1) * (double)(k + 1) / (double)(n + 1));
    double rest = b;
    for (long y = 0; y < n; y++) {
        if (y > 0) {
            rest = b - 1 / rest;
            f[y] += f[y - 1];
        }
        f[y] /= rest;
        s->ratio[y] = 1 / rest;
    }
    for (long y = n - 2; y >= 0; y--)
        f[y] += s->ratio[y] * f[y + 1];
}

static void solve(const struct poisson *s, double *block)
{
    for (long i = 0; i < s->n; i++)
        sine(s, s->rows + i * s->points);
    transpose(s, s->rows, s->waves, 0, block);
    for (long k = 0; k < s->n; k++)
        tridiagonal(s, s->first + k, s->waves + k * s->points);
    transpose(s, s->waves, s->rows, 1, block);
    for (long i = 0; i < s->n; i++) {
        sine(s, s->rows + i * s->points);
        for (long j = 0; j < s->points; j++)
            s->rows[i * s->points + j] *= 2 / (double)(s->points + 1);
    }
}

int main(int argc, char **argv)
{
    long log2_points = 8, solves = 5;
    const struct extrap_option options[] = {
        {"log2-points", &log2_points, 1, 14, "2^N - 1 points along a side"},
        {"solves", &solves, 1, 100000, "number of successive solves"},
    };
    extrap_options(argc, argv, "Poisson's equation by sine transforms and transposes.", options, 2);
    struct extrap team;
    extrap_start(&team, "poisson");
    struct poisson s = {.team = &team, .points = (1L << log2_points) - 1};
    s.first = extrap_first(s.points, team.ranks, team.rank);
    s.n = extrap_first(s.points, team.ranks, team.rank + 1) - s.first;
    const size_t own = (size_t)(extrap_first(s.points, team.ranks, 1) * s.points) * sizeof(double);
    const size_t doubled = 2 * (size_t)(s.points + 1);
    extrap_open(&team, 2 * own);
    double *block = malloc(own);
    s.rows = malloc(own);
    s.waves = malloc(own);
    s.ratio = malloc((size_t)s.points * sizeof *s.ratio);
    s.work = malloc(doubled * sizeof *s.work);
    s.roots = malloc(doubled * sizeof *s.roots);
    if (!block || !s.rows || !s.waves || !s.ratio || !s.work || !s.roots)
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (size_t i = 0; i < doubled; i++)
        s.roots[i] = cexp(-2 * acos(-1) * I * (double)i / (double)doubled);

    double total[2] = {0, 0}; /* wrong numbers; checksum */
    for (long k = 0; k < solves; k++) {
        fill(&s, k);
        solve(&s, block);
        for (long i = 0; i < s.n * s.points; i++) {
            const double want = solution(&s, s.first + i / s.points, i % s.points, k);
            total[0] += !(fabs(s.rows[i] - want) <= 1e-9);
            total[1] += s.rows[i] * extrap_weight(s.first * s.points + i + k);
        }
    }
    extrap_total(&team, total, 2);
    extrap_close(&team);
    free(block);
    free(s.rows);
    free(s.waves);
    free(s.ratio);
    free(s.work);
    free(s.roots);
    return extrap_print_result(&team, total[0] == 0, "%ld x %ld points, %ld solves, %.0f numbers wrong, checksum %.12g",
                      s.points, s.points, solves, total[0], total[1]);
}

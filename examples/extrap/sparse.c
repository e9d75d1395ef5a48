/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sparse: the conjugate gradient benchmark of NAS (RNR-94-007, section 2.4; matrix of NPB 2 and 3): the smallest
 * eigenvalue of a random sparse symmetric matrix, by inverse iteration. Rows are distributed in blocks. In each
 * step all ranks read the remote blocks of the search direction, multiply, and sum two scalar products. Every rank
 * generates the whole matrix before MPI_Init. */
#include "extrap.h"
#include "nas.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct row {
    long n, room;
    long *column;
    double *value;
};

static void *need(void *memory)
{
    if (!memory) {
        fputs("sparse: out of memory\n", stderr);
        exit(1);
    }
    return memory;
}

static void add(struct row *row, long column, double value)
{
    for (long i = 0; i < row->n; i++)
        if (row->column[i] == column) {
            row->value[i] += value;
            return;
        }
    if (row->n == row->room) {
        row->room = 2 * row->room + 16;
        row->column = need(realloc(row->column, (size_t)row->room * sizeof *row->column));
        row->value = need(realloc(row->value, (size_t)row->room * sizeof *row->value));
    }
    row->column[row->n] = column;
    row->value[row->n++] = value;
}

/* Generates one vector of the matrix sum: NONZERO random numbers at random positions below ROWS, and 1/2 at I.
 * Returns its length. */
static long random_vector(uint64_t *seed, long rows, long nonzero, long i, long *place, double *value)
{
    long power = 1, n = 0;
    while (power < rows)
        power *= 2;
    while (n < nonzero) {
        const double v = nas_next(seed);
        const long at = (long)((double)power * nas_next(seed));
        bool there = at >= rows;
        for (long k = 0; k < n && !there; k++)
            there = place[k] == at;
        if (there)
            continue;
        place[n] = at;
        value[n++] = v;
    }
    for (long k = 0; k < n; k++)
        if (place[k] == i) {
            value[k] = 0.5;
            return n;
        }
    place[n] = i;
    value[n] = 0.5;
    return n + 1;
}

/* Makes the matrix: the sum over i of omega^i w_i w_i^T, where w_i is the random vector of row i and omega^ROWS =
 * 0.1, plus (0.1 - SHIFT) times the identity matrix. */
static struct row *make_matrix(long rows, long nonzero, double shift)
{
    uint64_t seed = 314159265;
    struct row *matrix = need(calloc((size_t)rows, sizeof *matrix));
    long *place = need(malloc((size_t)(nonzero + 1) * sizeof *place));
    double *value = need(malloc((size_t)(nonzero + 1) * sizeof *value));
    const double omega = pow(0.1, 1.0 / (double)rows);
    double size = 1;
    nas_next(&seed);
    for (long i = 0; i < rows; i++, size *= omega) {
        const long n = random_vector(&seed, rows, nonzero, i, place, value);
        for (long j = 0; j < n; j++)
            for (long k = 0; k < n; k++)
                add(&matrix[place[j]], place[k], size * value[j] * value[k]);
        add(&matrix[i], i, 0.1 - shift);
    }
    free(place);
    free(value);
    return matrix;
}

struct solver {
    struct extrap *team;
    const struct row *matrix;
    long rows, first, n; /* N rows of this rank from FIRST */
    double *all;         /* a whole vector */
    double *x, *z, *r, *q;
};

/* Computes Q = matrix P; P is in the memory that other ranks read. */
static void multiply(const struct solver *s, double *q)
{
    struct extrap *team = s->team;
    extrap_barrier(team);
    for (int k = 0; k < team->ranks; k++) {
        const long from = extrap_first(s->rows, team->ranks, k), to = extrap_first(s->rows, team->ranks, k + 1);
        const size_t bytes = (size_t)(to - from) * sizeof *q;
        if (k == team->rank)
            memcpy(s->all + from, team->memory, bytes);
        else if (bytes > 0)
            extrap_read(team, k, 0, bytes, s->all + from);
    }
    extrap_barrier(team);
    for (long i = 0; i < s->n; i++) {
        const struct row *row = &s->matrix[s->first + i];
        q[i] = 0;
        for (long j = 0; j < row->n; j++)
            q[i] += row->value[j] * s->all[row->column[j]];
    }
}

static double dot(const double *a, const double *b, long n)
{
    double sum = 0;
    for (long i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

/* Solves matrix Z = X by STEPS steps from 0. Returns x . z; *NORM: z . z; *REST: |x - matrix z|^2. */
static double solve(const struct solver *s, long steps, double *norm, double *rest)
{
    double *p = (double *)s->team->memory, *x = s->x, *z = s->z, *r = s->r, *q = s->q;
    const long n = s->n;
    for (long i = 0; i < n; i++) {
        z[i] = 0;
        p[i] = r[i] = x[i];
    }
    double rho = dot(r, r, n);
    extrap_sum(s->team, &rho, 1);
    for (long step = 0; step < steps; step++) {
        multiply(s, q);
        double pq = dot(p, q, n);
        extrap_sum(s->team, &pq, 1);
        const double alpha = rho / pq, last = rho;
        for (long i = 0; i < n; i++) {
            z[i] += alpha * p[i];
            r[i] -= alpha * q[i];
        }
        rho = dot(r, r, n);
        extrap_sum(s->team, &rho, 1);
        for (long i = 0; i < n; i++)
            p[i] = r[i] + rho / last * p[i];
    }
    memcpy(p, z, (size_t)n * sizeof *p);
    multiply(s, q);
    for (long i = 0; i < n; i++)
        r[i] = x[i] - q[i];
    double sums[] = {dot(x, z, n), dot(z, z, n), dot(r, r, n)};
    extrap_sum(s->team, sums, 3);
    *norm = sums[1];
    *rest = sums[2];
    return sums[0];
}

static size_t own_bytes(long rows, int ranks)
{
    return (size_t)extrap_first(rows, ranks, 1) * sizeof(double);
}

/* Returns the eigenvalue plus SHIFT; *REST: final |x - matrix z|. */
static double iterate(struct extrap *team, const struct row *matrix, long rows, long iterations, long steps,
                      double shift, double *rest)
{
    struct solver s = {.team = team, .matrix = matrix, .rows = rows};
    const size_t bytes = own_bytes(rows, team->ranks);
    s.first = extrap_first(rows, team->ranks, team->rank);
    s.n = extrap_first(rows, team->ranks, team->rank + 1) - s.first;
    double *vectors = need(malloc(4 * bytes + (size_t)rows * sizeof *vectors)), zeta = 0;
    s.x = vectors;
    s.z = s.x + bytes / sizeof *vectors;
    s.r = s.z + bytes / sizeof *vectors;
    s.q = s.r + bytes / sizeof *vectors;
    s.all = s.q + bytes / sizeof *vectors;
    for (long i = 0; i < s.n; i++)
        s.x[i] = 1;
    for (long k = 0; k < iterations; k++) {
        double norm;
        zeta = shift + 1 / solve(&s, steps, &norm, rest);
        for (long i = 0; i < s.n; i++)
            s.x[i] = s.z[i] / sqrt(norm);
    }
    *rest = sqrt(*rest);
    free(vectors);
    return zeta;
}

/* Published results for NPB's classes S, W and A. */
static const struct {
    long rows, nonzero, shift, iterations, steps;
    double zeta;
} published[] = {
    {1400, 7, 10, 15, 25, 8.5971775078648},
    {7000, 8, 12, 15, 25, 10.362595087124},
    {14000, 11, 20, 15, 25, 17.130235054029},
};

int main(int argc, char **argv)
{
    long rows = 1400, nonzero = 7, shift = 10, iterations = 15, steps = 25;
    const struct extrap_option options[] = {
        {"rows", &rows, 2, 10000000, "rows of the matrix (defaults: NAS's class S)"},
        {"nonzero", &nonzero, 1, 100, "random numbers in each generating vector"},
        {"shift", &shift, 1, 1000, "shift of the diagonal"},
        {"iterations", &iterations, 1, 1000, "iterations for the eigenvalue"},
        {"steps", &steps, 1, 1000, "CG steps per iteration"},
    };
    extrap_options(argc, argv, "An eigenvalue of a random sparse matrix by conjugate gradients.", options, 5);
    const bool sound = nonzero <= rows;
    struct row *matrix = sound ? make_matrix(rows, nonzero, (double)shift) : NULL;
    struct extrap team, one;
    double rest, one_rest;
    extrap_start(&team, "sparse");
    extrap_require(&team, sound, "--nonzero exceeds --rows");
    extrap_open(&team, own_bytes(rows, team.ranks));
    const double zeta = iterate(&team, matrix, rows, iterations, steps, (double)shift, &rest);
    extrap_close(&team);

    double want = 0;
    if (team.rank == 0) {
        extrap_alone(&one, own_bytes(rows, 1));
        want = iterate(&one, matrix, rows, iterations, steps, (double)shift, &one_rest);
        extrap_free(&one);
        for (size_t i = 0; i < sizeof published / sizeof *published; i++)
            if (published[i].rows == rows && published[i].nonzero == nonzero && published[i].shift == shift &&
                published[i].iterations == iterations && published[i].steps == steps)
                want = published[i].zeta;
    }
    for (long i = 0; i < rows; i++) {
        free(matrix[i].column);
        free(matrix[i].value);
    }
    free(matrix);
    return extrap_print_result(&team, fabs(zeta - want) <= 1e-10 * fabs(want),
                      "%ld rows, zeta %.13f of %.13f, rest %.1e", rows, zeta, want, rest);
}

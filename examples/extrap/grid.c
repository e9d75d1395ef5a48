/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Grid: Poisson's equation on a square, by Jacobi iteration. Elements, each a square of cells, are distributed
 * (BLOCK, BLOCK) over floor(sqrt n)^2 ranks, as in pC++; other ranks are idle. Each element reads the edges of
 * its four neighbours. A remote read transfers the whole element, as in pC++, unless --true-size is given
 * (Shanmugam, Malony, Mohr 1995, section 4.1). An iteration has two barriers: after all reads, and after all
 * updates. The source is a sum of waves, evaluated in each cell as if the source depended on time. Each wave is an
 * eigenvector of the iteration, so the result of K iterations from 0 is known. */
#include "extrap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum side { NORTH, SOUTH, WEST, EAST, SIDES };

struct grid {
    struct extrap *team;
    long elements, cells;         /* per side: elements of the square, cells of an element */
    long waves, element_bytes;
    bool true_size;
    long parts, block;            /* ranks per side; elements per side of a rank */
    long x0, x1, y0, y1;          /* elements of this rank */
    double *halo, *next, *whole;  /* SIDES edges of each element; new cells of one element; a remote element */
};

/* Returns element (X, Y) in this rank's memory: SIDES edges, then the cells row by row; X is the row. */
static double *element(const struct grid *g, long x, long y)
{
    return (double *)(g->team->memory + ((x - g->x0) * g->block + y - g->y0) * g->element_bytes);
}

static double *halo(const struct grid *g, long x, long y)
{
    return g->halo + ((x - g->x0) * g->block + y - g->y0) * SIDES * g->cells;
}

/* Copies edge SIDE of element (X, Y) to TO. */
static void read_edge(const struct grid *g, long x, long y, enum side side, double *to)
{
    const size_t bytes = (size_t)g->cells * sizeof(double);
    if (x < 0 || y < 0 || x >= g->elements || y >= g->elements) {
        memset(to, 0, bytes);
        return;
    }
    if (x >= g->x0 && x < g->x1 && y >= g->y0 && y < g->y1) {
        memcpy(to, element(g, x, y) + side * g->cells, bytes);
        return;
    }
    const long owner = x / g->block * g->parts + y / g->block;
    const size_t offset = (size_t)((x % g->block * g->block + y % g->block) * g->element_bytes);
    if (g->true_size) {
        extrap_read(g->team, (int)owner, offset + side * bytes, bytes, to);
    } else {
        extrap_read(g->team, (int)owner, offset, (size_t)g->element_bytes, g->whole);
        memcpy(to, g->whole + side * g->cells, bytes);
    }
}

static void read_edges(const struct grid *g)
{
    for (long x = g->x0; x < g->x1; x++)
        for (long y = g->y0; y < g->y1; y++) {
            double *to = halo(g, x, y);
            read_edge(g, x - 1, y, SOUTH, to + NORTH * g->cells);
            read_edge(g, x + 1, y, NORTH, to + SOUTH * g->cells);
            read_edge(g, x, y - 1, EAST, to + WEST * g->cells);
            read_edge(g, x, y + 1, WEST, to + EAST * g->cells);
        }
}

/* Returns the coordinate of line I of cells, between 0 and 1. */
static double place(const struct grid *g, long i)
{
    return (double)(i + 1) / (double)(g->elements * g->cells + 1);
}

/* Returns the sum at cell (I, J) of waves 1, 2, ..., with wave k multiplied by WEIGHT(g, k, OF). */
static double wave_sum(const struct grid *g, long i, long j,
                       double (*weight)(const struct grid *, long, long), long of)
{
    const double pi = acos(-1), x = pi * place(g, i), y = pi * place(g, j);
    double sum = 0;
    for (long k = 1; k <= g->waves; k++)
        sum += weight(g, k, of) * sin((double)k * x) * sin((double)k * y);
    return sum;
}

/* Returns the weight of wave K in the source term (right-hand side), times the square of the cell spacing. OF is not used. */
static double source(const struct grid *g, long k, long of)
{
    (void)of;
    const double h = place(g, 0);
    return h * h * 100 / (double)k;
}

/* Returns the weight of wave K in the result of ITERATIONS: a geometric series of the source. */
static double settled(const struct grid *g, long k, long iterations)
{
    const double left = cos((double)k * acos(-1) * place(g, 0));
    return source(g, k, 0) / 4 * (1 - pow(left, (double)iterations)) / (1 - left);
}

/* Computes one iteration of element (X, Y) and updates the element's edges. */
static void change(const struct grid *g, long x, long y)
{
    const long m = g->cells;
    double *edges = element(g, x, y), *cells = edges + SIDES * m;
    const double *near = halo(g, x, y);
    for (long i = 0; i < m; i++)
        for (long j = 0; j < m; j++) {
            const double north = i > 0 ? cells[(i - 1) * m + j] : near[NORTH * m + j];
            const double south = i < m - 1 ? cells[(i + 1) * m + j] : near[SOUTH * m + j];
            const double west = j > 0 ? cells[i * m + j - 1] : near[WEST * m + i];
            const double east = j < m - 1 ? cells[i * m + j + 1] : near[EAST * m + i];
            const double waves = wave_sum(g, x * m + i, y * m + j, source, 0);
            g->next[i * m + j] = (north + south + west + east + waves) / 4;
        }
    memcpy(cells, g->next, (size_t)(m * m) * sizeof *cells);
    for (long i = 0; i < m; i++) {
        edges[NORTH * m + i] = cells[i];
        edges[SOUTH * m + i] = cells[(m - 1) * m + i];
        edges[WEST * m + i] = cells[i * m];
        edges[EAST * m + i] = cells[i * m + m - 1];
    }
}

static void iterate(const struct grid *g, long iterations)
{
    for (long k = 0; k < iterations; k++) {
        read_edges(g);
        extrap_barrier(g->team);
        for (long x = g->x0; x < g->x1; x++)
            for (long y = g->y0; y < g->y1; y++)
                change(g, x, y);
        extrap_barrier(g->team);
    }
}

/* Adds the number of wrong cells of this rank to TOTAL[0]; its owner stores the cell next to the centre in TOTAL[1]. */
static void check(const struct grid *g, long iterations, double total[2])
{
    const long m = g->cells, half = g->elements * m / 2;
    for (long x = g->x0; x < g->x1; x++)
        for (long y = g->y0; y < g->y1; y++)
            for (long c = 0; c < m * m; c++) {
                const long i = x * m + c / m, j = y * m + c % m;
                const double value = element(g, x, y)[SIDES * m + c];
                const double want = wave_sum(g, i, j, settled, iterations);
                total[0] += !(fabs(value - want) <= 1e-12 * (1 + fabs(want)));
                if (i == half && j == half)
                    total[1] = value;
            }
}

int main(int argc, char **argv)
{
    long elements = 10, cells = 16, waves = 4, iterations = 50, element_bytes = 231456, true_size = 0;
    const struct extrap_option options[] = {
        {"elements", &elements, 1, 1000, "elements along a side of the square"},
        {"cells", &cells, 1, 1000, "cells along a side of an element"},
        {"waves", &waves, 1, 1000, "waves in the source: work per cell"},
        {"iterations", &iterations, 0, 1000000, "Jacobi iterations"},
        {"element-bytes", &element_bytes, 8, 1 << 28, "bytes of an element, and of a remote read"},
        {"true-size", &true_size, 0, 0, "remote reads transfer only an edge"},
    };
    extrap_options(argc, argv, "Poisson's equation on a square of elements.", options, 6);
    struct extrap team;
    extrap_start(&team, "grid");
    extrap_require(&team, element_bytes >= (cells + SIDES) * cells * (long)sizeof(double) && element_bytes % 8 == 0,
                "--element-bytes must be a multiple of 8, at least 8 (cells + 4) cells");
    struct grid g = {.team = &team, .elements = elements, .cells = cells, .waves = waves,
                     .element_bytes = element_bytes, .true_size = true_size, .parts = (long)sqrt(team.ranks)};
    g.block = extrap_first(elements, g.parts, 1);
    if (team.rank < g.parts * g.parts) {
        g.x0 = extrap_first(elements, g.parts, team.rank / g.parts);
        g.x1 = extrap_first(elements, g.parts, team.rank / g.parts + 1);
        g.y0 = extrap_first(elements, g.parts, team.rank % g.parts);
        g.y1 = extrap_first(elements, g.parts, team.rank % g.parts + 1);
    }
    const size_t number = g.x1 > g.x0 ? (size_t)(g.block * g.block) : 0;
    extrap_open(&team, number * (size_t)element_bytes);
    g.halo = calloc(number * SIDES * (size_t)cells + 1, sizeof(double));
    g.next = calloc((size_t)(cells * cells), sizeof(double));
    g.whole = calloc(1, (size_t)element_bytes);
    if (!g.halo || !g.next || !g.whole)
        MPI_Abort(MPI_COMM_WORLD, 1);

    extrap_barrier(&team);
    iterate(&g, iterations);
    double total[2] = {0, 0};
    check(&g, iterations, total);
    extrap_total(&team, total, 2);
    extrap_close(&team);
    free(g.halo);
    free(g.next);
    free(g.whole);
    return extrap_print_result(&team, total[0] == 0, "%ld x %ld cells, %ld iterations, %.0f numbers wrong, middle %.12g",
                      elements * cells, elements * cells, iterations, total[0], total[1]);
}

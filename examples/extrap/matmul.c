/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Matmul: A B, with N x N matrices A and transposed B in equal distributions: rows and columns by Block, Cyclic or
 * Whole, nine combinations (Shanmugam, Malony, Mohr 1995, section 4.2). For each row of the transposed B, the
 * ranks that need the row's columns read them, and all ranks multiply. Row sums are then combined from right to
 * left in log steps, so that the first column of ranks gets one column of the product. A barrier ends each step.
 * p x q ranks own elements: n x 1 if columns are Whole, 1 x n if rows are Whole, else p is the greatest divisor of
 * n with p * p <= n. */
#include "extrap.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCK, CYCLIC, WHOLE };
static const char *const names[] = {"Block", "Cyclic", "Whole"};

/* One dimension of a matrix: ITEMS in PARTS, with this rank at index AT. */
struct dimension {
    long kind, items, parts, at;
};

static long number(const struct dimension *d)
{
    if (d->kind == CYCLIC)
        return (d->items - d->at + d->parts - 1) / d->parts;
    return extrap_first(d->items, d->parts, d->at + 1) - extrap_first(d->items, d->parts, d->at);
}

/* Returns the global index of local item I. */
static long item(const struct dimension *d, long i)
{
    return d->kind == CYCLIC ? i * d->parts + d->at : extrap_first(d->items, d->parts, d->at) + i;
}

static long owner(const struct dimension *d, long of)
{
    return d->kind == CYCLIC ? of % d->parts : extrap_owner(d->items, d->parts, of);
}

/* Returns the index, on its owner, of the item with global index OF. */
static long local(const struct dimension *d, long of)
{
    return d->kind == CYCLIC ? of / d->parts : of - extrap_first(d->items, d->parts, owner(d, of));
}

struct matmul {
    struct extrap *team;
    struct dimension rows, columns;
    long n, m;                          /* rows and columns of this rank */
    double *a, *row, *other, *product;  /* ROW of the transposed B; row sums of another rank */
};

/* Returns the size of the row sums, with room for all rows, at the begin of this rank's memory; its part of the transposed B
 * follows. */
static size_t sums_bytes(const struct matmul *x)
{
    return (size_t)x->rows.items * sizeof(double);
}

/* Returns element (I, K) of A. All elements are integers, so sums are exact. */
static double a(long i, long k)
{
    return (double)(i + 1 + k);
}

static double b_transposed(long j, long k)
{
    return (double)(j - k);
}

/* Returns the sum over k < ITEMS of a(I, k) b_transposed(J, k). */
static double product(long i, long j, long items)
{
    const double n = (double)items, sum = n * (n - 1) / 2, squares = (n - 1) * n * (2 * n - 1) / 6;
    return n * (double)(i + 1) * (double)j + (double)(j - i - 1) * sum - squares;
}

static void fill(const struct matmul *x)
{
    double *b = (double *)(x->team->memory + sums_bytes(x));
    for (long i = 0; i < x->n; i++)
        for (long k = 0; k < x->m; k++) {
            x->a[i * x->m + k] = a(item(&x->rows, i), item(&x->columns, k));
            b[i * x->m + k] = b_transposed(item(&x->rows, i), item(&x->columns, k));
        }
}

/* This rank's columns of row J of the transposed B. */
static const double *fetch(const struct matmul *x, long j)
{
    const size_t bytes = (size_t)x->m * sizeof(double);
    const size_t offset = sums_bytes(x) + (size_t)local(&x->rows, j) * bytes;
    const long at = owner(&x->rows, j);
    if (at == x->rows.at)
        return (const double *)(x->team->memory + offset);
    extrap_read(x->team, (int)(at * x->columns.parts + x->columns.at), offset, bytes, x->row);
    return x->row;
}

static void multiply(const struct matmul *x, const double *row)
{
    double *sums = (double *)x->team->memory;
    for (long i = 0; i < x->n; i++) {
        double sum = 0;
        for (long k = 0; k < x->m; k++)
            sum += x->a[i * x->m + k] * row[k];
        sums[i] = sum;
    }
}

/* Adds the sums of the rank at DISTANCE to the right, if there is one. */
static void add(const struct matmul *x, long distance)
{
    const long from = x->columns.at + distance;
    if (x->columns.at % (2 * distance) != 0 || from >= x->columns.parts || x->n == 0)
        return;
    double *sums = (double *)x->team->memory;
    extrap_read(x->team, (int)(x->rows.at * x->columns.parts + from), 0, (size_t)x->n * sizeof *sums,
                x->other);
    for (long i = 0; i < x->n; i++)
        sums[i] += x->other[i];
}

/* Computes the first WANTED columns of the product. */
static void run(const struct matmul *x, bool idle, long wanted)
{
    for (long j = 0; j < wanted; j++) {
        const double *row = !idle && x->n > 0 && x->m > 0 ? fetch(x, j) : NULL;
        extrap_barrier(x->team);
        if (row)
            multiply(x, row);
        extrap_barrier(x->team);
        for (long distance = 1; distance < x->columns.parts; distance *= 2) {
            if (!idle)
                add(x, distance);
            extrap_barrier(x->team);
        }
        if (!idle && x->columns.at == 0)
            for (long i = 0; i < x->n; i++)
                x->product[i * wanted + j] = ((double *)x->team->memory)[i];
    }
}

static void shape(int ranks, long rows, long columns, long *p, long *q)
{
    *p = columns == WHOLE ? ranks : 1;
    *q = rows == WHOLE ? ranks : 1;
    if (rows == WHOLE && columns == WHOLE)
        *p = *q = 1;
    if (rows == WHOLE || columns == WHOLE)
        return;
    for (long i = 1; i * i <= ranks; i++)
        if (ranks % i == 0)
            *p = i;
    *q = ranks / *p;
}

int main(int argc, char **argv)
{
    long size = 256, wanted = 64, rows = BLOCK, columns = BLOCK;
    const struct extrap_option options[] = {
        {"size", &size, 1, 30000, "rows and columns of the matrices"},
        {"columns", &wanted, 1, 30000, "columns of the product, at most --size"},
        {"distribute-rows", &rows, 0, 2, "0 Block, 1 Cyclic, 2 Whole"},
        {"distribute-columns", &columns, 0, 2, "0 Block, 1 Cyclic, 2 Whole"},
    };
    extrap_options(argc, argv, "Matrix product in nine distributions.", options, 4);
    struct extrap team;
    extrap_start(&team, "matmul");
    extrap_require(&team, wanted <= size, "--columns exceeds --size");
    long p, q;
    shape(team.ranks, rows, columns, &p, &q);
    struct matmul x = {.team = &team, .rows = {rows, size, p, team.rank / q},
                       .columns = {columns, size, q, team.rank % q}};
    const bool idle = team.rank >= p * q;
    x.n = idle ? 0 : number(&x.rows);
    x.m = idle ? 0 : number(&x.columns);
    const size_t part = (size_t)(x.n * x.m) * sizeof(double);
    extrap_open(&team, sums_bytes(&x) + part);
    x.a = malloc(part + 1);
    x.row = malloc(sums_bytes(&x));
    x.other = malloc(sums_bytes(&x));
    x.product = malloc((size_t)(x.n * wanted) * sizeof(double) + 1);
    if (!x.a || !x.row || !x.other || !x.product)
        MPI_Abort(MPI_COMM_WORLD, 1);
    fill(&x);

    extrap_barrier(&team);
    run(&x, idle, wanted);
    double total[2] = {0, 0}; /* wrong numbers; checksum */
    for (long i = 0; x.columns.at == 0 && i < x.n; i++)
        for (long j = 0; j < wanted; j++) {
            const double value = x.product[i * wanted + j];
            total[0] += !(value == product(item(&x.rows, i), j, size));
            total[1] += value * extrap_weight(item(&x.rows, i) * size + j);
        }
    extrap_total(&team, total, 2);
    extrap_close(&team);
    free(x.a);
    free(x.row);
    free(x.other);
    free(x.product);
    return extrap_print_result(&team, total[0] == 0,
                      "(%s, %s) over %ld x %ld, %ld of %ld columns, %.0f numbers wrong, checksum %.12g",
                      names[rows], names[columns], p, q, wanted, size, total[0], total[1]);
}

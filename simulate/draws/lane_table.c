/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Construction of quantile tables: the distinct distributions, then their guides and pieces. */
#include "simulate/draws/lane_table.h"

#include <stdlib.h>

/* Guide cells for each knot: enough that few cells have more than one knot. */
enum { CELLS_A_KNOT = 16, MAX_CELLS = 4096, MAX_PIECES = 65536 };

/* Writes the distinct distributions of OF into KIND, in order of first use, and each lane's index into WHICH. Returns the
 * number of distinct ones. */
static uint32_t find_kinds(const struct mpg_distribution *const *of, uint32_t n,
                           const struct mpg_distribution **kind, uint32_t *which)
{
    uint32_t kinds = 0;
    for (uint32_t w = 0; w < n; w++) {
        uint32_t k = 0;
        while (k < kinds && kind[k] != of[w])
            k++;
        if (k == kinds)
            kind[kinds++] = of[w];
        which[w] = k;
    }
    return kinds;
}

static size_t knots_of(const struct mpg_distribution *const *kind, uint32_t kinds, size_t *max)
{
    size_t all = 0;
    *max = 0;
    for (uint32_t k = 0; k < kinds; k++) {
        all += kind[k]->knots;
        *max = kind[k]->knots > *max ? kind[k]->knots : *max;
    }
    return all;
}

/* Writes the pieces of D into PIECE and returns their number. */
static size_t fill_pieces(const struct mpg_distribution *d, struct mpg_distribution_piece *piece)
{
    size_t n = 0;
    for (size_t i = 0; i + 1 < d->knots; i++)
        if (d->piece[i].from < d->piece[i].to)
            piece[n++] = d->piece[i];
    return n;
}

/* Writes for each of CELLS cells the index, in the whole table, of the piece that holds the begin of the cell. PIECE are the N
 * pieces of a distribution; BEFORE pieces precede PIECE in the table. */
static void fill_guide(const struct mpg_distribution_piece *piece, size_t n, size_t before, size_t cells,
                       uint16_t *guide)
{
    for (size_t i = 0, at = 0; i < cells; i++) {
        while (at + 1 < n && piece[at].to <= (double)i / (double)cells)
            at++;
        guide[i] = (uint16_t)(before + at);
    }
}

/* Allocates T for KINDS distributions with KNOTS knots in all, and N lanes. */
static int reserve(struct mpg_lane_table *t, uint32_t kinds, size_t knots, size_t cells, uint32_t n)
{
    t->guide = malloc(kinds * cells * sizeof *t->guide);
    t->piece = aligned_alloc(sizeof *t->piece, knots * sizeof *t->piece); /* aligned: no piece crosses a cache line */
    t->to = calloc(knots, sizeof *t->to);
    t->first = malloc(n * sizeof *t->first);
    t->of = malloc(n * sizeof *t->of);
    return t->guide && t->piece && t->to && t->first && t->of ? 0 : -1;
}

struct mpg_lane_table *mpg_lane_table_new(const struct mpg_distribution *const *of, uint32_t n)
{
    struct mpg_lane_table *t = calloc(1, sizeof *t);
    const struct mpg_distribution **kind = malloc(n * sizeof *kind);
    uint32_t *which = malloc(n * sizeof *which);
    size_t max, knots, cells = 1, pieces = 0;
    if (!t || !kind || !which)
        goto fail;
    const uint32_t kinds = find_kinds(of, n, kind, which);
    knots = knots_of(kind, kinds, &max);
    while (cells < CELLS_A_KNOT * max && cells < MAX_CELLS)
        cells *= 2;
    if (knots > MAX_PIECES || reserve(t, kinds, knots, cells, n) < 0)
        goto fail;
    for (uint32_t k = 0; k < kinds; k++) {
        const size_t made = fill_pieces(kind[k], t->piece + pieces);
        fill_guide(t->piece + pieces, made, pieces, cells, t->guide + k * cells);
        pieces += made;
    }
    t->piece[pieces] = (struct mpg_distribution_piece){0}; /* sentinel after the last piece */
    for (size_t i = 0; i < pieces; i++)
        t->to[i] = t->piece[i].to;
    for (uint32_t w = 0; w < n; w++) {
        t->of[w] = of[w];
        t->first[w] = which[w] * (uint32_t)cells;
    }
    t->cells = (double)cells;
    free(kind);
    free(which);
    return t;
fail:
    mpg_lane_table_free(t);
    free(kind);
    free(which);
    return NULL;
}

void mpg_lane_table_free(struct mpg_lane_table *t)
{
    if (!t)
        return;
    free(t->guide);
    free(t->piece);
    free(t->to);
    free(t->first);
    free(t->of);
    free(t);
}

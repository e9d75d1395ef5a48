/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables of quantiles: which distributions there are, then their guides and pieces. */
#include "simulate/draws/lane_table.h"

#include <stdlib.h>

/* Cells for each knot: so many that few of them have more than one. */
enum { CELLS_A_KNOT = 8, MOST_CELLS = 4096, MOST_PIECES = 65536 };

/* The different ones among OF, in the order in which they come, into KIND; of each lane which it is, into
 * WHICH. Returns how many there are. */
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

static size_t knots_of(const struct mpg_distribution *const *kind, uint32_t kinds, size_t *most)
{
    size_t all = 0;
    *most = 0;
    for (uint32_t k = 0; k < kinds; k++) {
        all += kind[k]->knots;
        *most = kind[k]->knots > *most ? kind[k]->knots : *most;
    }
    return all;
}

/* The pieces of D into PIECE; returns how many. */
static size_t fill_pieces(const struct mpg_distribution *d, struct mpg_distribution_piece *piece)
{
    size_t n = 0;
    for (size_t i = 0; i + 1 < d->knots; i++)
        if (d->piece[i].from < d->piece[i].to)
            piece[n++] = d->piece[i];
    return n;
}

/* Where each of CELLS cells begins among the N pieces PIECE, of which BEFORE stand before the first. */
static void fill_guide(const struct mpg_distribution_piece *piece, size_t n, size_t before, size_t cells,
                       uint16_t *guide)
{
    for (size_t i = 0, at = 0; i < cells; i++) {
        while (at + 1 < n && piece[at].to <= (double)i / (double)cells)
            at++;
        guide[i] = (uint16_t)(before + at);
    }
}

/* Room for all that T has of KINDS distributions with so many KNOTS, and N lanes. */
static int reserve(struct mpg_lane_table *t, uint32_t kinds, size_t knots, size_t cells, uint32_t n)
{
    t->guide = malloc(kinds * cells * sizeof *t->guide);
    t->piece = aligned_alloc(sizeof *t->piece, knots * sizeof *t->piece); /* none lies in two cache lines */
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
    size_t most, knots, cells = 1, pieces = 0;
    if (!t || !kind || !which)
        goto fail;
    const uint32_t kinds = find_kinds(of, n, kind, which);
    knots = knots_of(kind, kinds, &most);
    while (cells < CELLS_A_KNOT * most && cells < MOST_CELLS)
        cells *= 2;
    if (knots > MOST_PIECES || reserve(t, kinds, knots, cells, n) < 0)
        goto fail;
    for (uint32_t k = 0; k < kinds; k++) {
        const size_t made = fill_pieces(kind[k], t->piece + pieces);
        fill_guide(t->piece + pieces, made, pieces, cells, t->guide + k * cells);
        pieces += made;
    }
    t->piece[pieces] = (struct mpg_distribution_piece){0}; /* where searches end that have gone too far */
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

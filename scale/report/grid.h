/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables of texts and numbers, for people and for programs. Private to scale/report/. */
#ifndef MPG_SCALE_GRID_H
#define MPG_SCALE_GRID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct scale_column {
    const char *key;   /* of CSV and JSON, with the unit */
    const char *title; /* for people; NULL: not for them */
    double scale;      /* numbers for people are so much of the others; 0: 1 */
    bool is_text;      /* to the left */
};

struct scale_grid {
    const struct scale_column *column;
    size_t columns, used, capacity; /* used: values */
    struct scale_value {
        char *text;    /* or NULL: a number */
        double number; /* NAN: none */
    } *value;
    bool failed;       /* out of memory: what was put since is not there */
};

/* Values come in the order of columns, row by row. TEXT (not NULL) is copied. */
void scale_grid_put_text(struct scale_grid *grid, const char *text);
void scale_grid_put(struct scale_grid *grid, double number);
void scale_grid_print_text(const struct scale_grid *grid, FILE *out);
void scale_grid_print_csv(const struct scale_grid *grid, FILE *out);
/* An array of an object a row. */
void scale_grid_print_json(const struct scale_grid *grid, FILE *out);
void scale_grid_clear(struct scale_grid *grid);

#endif

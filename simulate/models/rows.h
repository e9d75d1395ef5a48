/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where in the rows of successive messages each of some lanes begins (docs/MODEL.md, section 3, Rows): drawn once for all
 * messages of the row, while its sender sends in few of them. Of one thread. */
#ifndef MPG_MODELS_ROWS_H
#define MPG_MODELS_ROWS_H

#include "simulate/models/perturbation.h"

struct mpg_kept_rows;

/* Of N >= 1 lanes, replicas FIRST .. FIRST + N - 1. Error: out of memory. */
struct mpg_kept_rows *mpg_kept_rows_new(uint32_t first, uint32_t n, struct mpg_error *err);
void mpg_kept_rows_free(struct mpg_kept_rows *kept); /* NULL is allowed */
/* What those of a rank that sends take a lane, bytes. */
double mpg_kept_rows_bytes(void);
/* mpg_flight_draw_rows() of ROW in all lanes; valid until the next is asked for. */
const uint32_t *mpg_kept_rows_of(struct mpg_kept_rows *kept, const struct mpg_perturbation *p,
                                 const struct mpg_rows *rows, uint64_t row, const struct mpg_sending *m);

#endif

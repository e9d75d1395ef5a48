/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Terms of places, as answers name them. Private to simulate/reports/. */
#ifndef MPG_REPORT_WHERE_TERMS_H
#define MPG_REPORT_WHERE_TERMS_H

#include <stdbool.h>
#include <stddef.h>

#include "common/json_text.h"

/* Of delays, in the order of struct mpg_lanes_account. */
enum { MPG_WHERE_TAKEN = 4, MPG_WHERE_WAITED, MPG_WHERE_HIDDEN };

struct mpg_where_key {
    const char *name;
    double (*of)(const double *term);
};

/* All figures of a row, N of them: of delays, or PREDICTED times. */
const struct mpg_where_key *mpg_where_keys(bool predicted, size_t *n);

double mpg_where_put_in(const double *term);
double mpg_where_absorbed(const double *term);
/* put in + taken over - absorbed */
double mpg_where_passed_on(const double *term);
/* Of times: all of them. */
double mpg_where_run(const double *term);
/* "tolerant", "sensitive", "mixed"; NULL: nothing came in. */
const char *mpg_where_class(const double *term);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What --sweep and several signatures ask for: a scenario for each point and signature, those whose graph
 * may be the same simulated together. */
#ifndef MPG_SCENARIOS_H
#define MPG_SCENARIOS_H

#include "simulate/options/inputs.h"
#include "simulate/reports/sheet.h"

/* Fills ROWS, of A's sweep and signatures, in their order; of several processes, which are divided into
 * parts for this, those of the first. ASKED has the distributions that A gives. What is passed outlives ROWS,
 * which is to be cleared even on failure. Collective. Errors, which say what they are about: as those of a
 * setting and of a simulation. */
int mpg_scenarios_run(const struct mpg_arguments *a, const struct mpg_asked *asked,
                      const struct mpg_files *files, struct mpg_sheet *rows, struct mpg_error *err);

#endif

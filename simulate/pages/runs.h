/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The recorded and the predicted run over time, as pictures without script: a heat map of ranks and time, and the calls of some
 * ranks, on one time axis. The page's script zooms. Private to simulate/pages/. */
#ifndef MPG_PAGES_RUNS_H
#define MPG_PAGES_RUNS_H

#include <stdio.h>

#include "simulate/pages/page.h"

/* Writes the section of PARTS to OUT; SECOND: name of the run beside the recorded run, "Predicted" or "Perturbed". Without
 * overviews, writes the reason. */
void mpg_page_runs(const struct mpg_page_parts *parts, const char *second, FILE *out);

#endif

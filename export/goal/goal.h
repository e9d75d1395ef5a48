/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes a program of messages (export/program/) as a graph in GOAL's text form, for LogGOPSim and ATLAHS: mpgexport(5). */
#ifndef MPG_EXPORT_GOAL_H
#define MPG_EXPORT_GOAL_H

#include <stdio.h>

#include "common/error.h"
#include "export/program/program.h"

struct mpg_goal;

/* Begins the graph of RANKS ranks in OUT. Write errors are in OUT's error flag only. Returns NULL with ERR: out of
 * memory. The caller frees the result. */
struct mpg_goal *mpg_goal_new(FILE *out, int32_t ranks, struct mpg_error *err);
/* Returns the functions that write a program to G, valid as long as G. */
struct mpg_program_writer mpg_goal_writer(struct mpg_goal *g);
void mpg_goal_free(struct mpg_goal *g); /* Frees G; NULL is allowed. */

#endif

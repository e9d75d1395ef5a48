/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the parts of a program (program.c, actions.c, meetings.c) need of each other. Private to them. Those that can fail
 * return 0, or -1 when out of memory. */
#ifndef MPG_EVENTS_PROGRAM_PARTS_H
#define MPG_EVENTS_PROGRAM_PARTS_H

#include "simulate/events/program.h"

/* --- program.c: cells --- */
int program_new_cell(struct program *p, uint32_t *cell, struct mpg_error *err);
/* One that named CELL does not any more. */
void program_leave(struct program *p, uint32_t cell);
/* SLOT stands for CELL from now on. */
void program_rename(struct program *p, uint32_t slot, uint32_t cell);
/* A step reads *SLOT: it becomes its cell; also an error where nothing has been written. */
int program_reads(struct program *p, uint32_t *slot, struct mpg_error *err);
/* A step writes *SLOT: it becomes a new cell. */
int program_writes(struct program *p, uint32_t *slot, struct mpg_error *err);
/* A node of zeros; NULL: out of memory. */
struct node *program_new_node(struct program *p);
/* NODE hears when CELL, which is not known, is. */
int program_watch_node(struct program *p, uint32_t cell, struct node *node, struct mpg_error *err);

/* --- actions.c: what streams are to do --- */
int program_reserve_streams(struct program *p, uint32_t n, struct mpg_error *err);
/* S goes behind its stream's others. */
int program_append(struct program *p, const struct mpg_step *s, const struct program_calls *calls, struct mpg_error *err);
void program_init_blocks(struct program *p);
void program_clear_streams(struct program *p);

/* --- meetings.c --- */
/* Who S is has come to its barrier, as all its others do in these steps. */
int program_join(struct program *p, const struct mpg_step *s, struct mpg_error *err);
/* No more members will come to those that are open. */
int program_seal(struct program *p, const struct program_calls *calls, struct mpg_error *err);
void meeting_free(struct meeting *m);

#endif

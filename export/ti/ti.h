/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes a program of messages (export/program/) as SimGrid's time-independent actions, for smpirun -replay: mpgexport(5). */
#ifndef MPG_EXPORT_TI_H
#define MPG_EXPORT_TI_H

#include "common/error.h"
#include "export/left_out.h"
#include "export/program/program.h"

struct mpg_ti;

/* Begins the actions of RANKS ranks: a file FOLDER/RANK.ti each, and the file LIST with the names of these files in the final
 * folder SHOWN. FOLDER must exist. LEFT must outlive the result. Returns NULL with ERR. The caller frees the result. */
struct mpg_ti *mpg_ti_new(const char *folder, const char *list, const char *shown, int32_t ranks, struct mpg_left_out *left,
                          struct mpg_error *err);
/* Returns the functions that write a program to T, valid as long as T. The files are complete after the last rank's
 * end. */
struct mpg_program_writer mpg_ti_writer(struct mpg_ti *t);
void mpg_ti_free(struct mpg_ti *t); /* Frees T; NULL is allowed. */

#endif

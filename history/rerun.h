/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Repeats a stored run. */
#ifndef MPG_RERUN_H
#define MPG_RERUN_H

#include "history/history.h"

/* Runs mpgsim again with RUN's arguments in RUN's folder. *ANSWER, *BYTES long, is the standard output of mpgsim, to be freed
 * by the caller. mpgsim is the program named by the environment variable MPGSIM, else mpgsim beside this program or in the
 * build tree, else the first mpgsim on PATH. mpgsim writes no file, and reads empty standard input. Returns 0, or -1 with ERR:
 * RUN has an argument that a run cannot have (mpg_history_stores_option()) or read standard input; RUN's folder is gone;
 * mpgsim failed. */
int mpg_history_rerun(const struct mpg_history_run *run, char **answer, size_t *bytes, struct mpg_error *err);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Repeats a stored run. */
#ifndef MPG_RERUN_H
#define MPG_RERUN_H

#include "history/history.h"

/* Runs mpgsim again with RUN's arguments in RUN's folder. *ANSWER, *BYTES long, becomes its standard output, for the
 * caller to free. mpgsim is the program that the environment variable MPGSIM names, else the one beside this program or
 * in its build tree, else the first on PATH. It writes no file, and its standard input is empty. Returns 0, or -1 with
 * ERR: RUN has an argument that a run cannot have (mpg_history_stores_option()) or read standard input; its folder is
 * gone; mpgsim failed. */
int mpg_history_rerun(const struct mpg_history_run *run, char **answer, size_t *bytes, struct mpg_error *err);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rerun of a stored run. */
#ifndef MPG_RERUN_H
#define MPG_RERUN_H

#include "history/history.h"

/* Runs mpgsim with RUN's arguments in RUN's folder. *ANSWER, *BYTES long, is its standard output, for the caller
 * to free. mpgsim is MPGSIM of the environment, else the one beside this program or in its build tree, else on
 * PATH. mpgsim writes no file and has empty standard input. Returns 0, or -1 with ERR: RUN has an argument that
 * cannot be stored (mpg_history_stores_option()), read standard input, its folder is gone, or mpgsim failed. */
int mpg_history_rerun(const struct mpg_history_run *run, char **answer, size_t *bytes, struct mpg_error *err);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A kept run once more. */
#ifndef MPG_RERUN_H
#define MPG_RERUN_H

#include "history/history.h"

/* Runs mpgsim (that beside this program, or of its build, or on PATH; or what MPGSIM names) as RUN was, in its folder,
 * and gives its answer in *ANSWER, *BYTES of them, which the caller frees. mpgsim writes no file and has an empty standard
 * input. Errors: RUN holds an argument that no kept run can hold (mpg_history_keeps()); it reads standard input; the folder is
 * gone; mpgsim fails, which says why. */
int mpg_history_rerun(const struct mpg_history_run *run, char **answer, size_t *bytes, struct mpg_error *err);

#endif

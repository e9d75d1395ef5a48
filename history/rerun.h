/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reruns a kept run. */
#ifndef MPG_RERUN_H
#define MPG_RERUN_H

#include "history/history.h"

/* Reruns RUN by mpgsim in RUN's working directory and stores the answer in *ANSWER (*BYTES bytes), which the caller frees.
 * mpgsim: named by MPGSIM, or beside this program, or of this build, or on PATH. mpgsim writes no file and has an empty
 * standard input. Errors: RUN holds an argument that no kept run can hold (mpg_history_keeps()); RUN reads standard input; the
 * working directory is gone; mpgsim fails, with mpgsim's own message. */
int mpg_history_rerun(const struct mpg_history_run *run, char **answer, size_t *bytes, struct mpg_error *err);

#endif

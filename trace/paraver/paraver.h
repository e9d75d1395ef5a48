/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Paraver traces, mpgparaver(5). */
#ifndef MPG_PARAVER_H
#define MPG_PARAVER_H

#include "trace/format.h"

/* import_path() of struct mpg_trace_format. */
int mpg_paraver_import(const char *path, const char *target, int fd, const struct mpg_import_config *config,
                       struct mpg_error *err);

#endif

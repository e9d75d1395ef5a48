/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Time-independent actions of SimGrid, mpgti(5). */
#ifndef MPG_TI_H
#define MPG_TI_H

#include "trace/format.h"

/* import_path() of struct mpg_trace_format. */
int mpg_ti_import(const char *path, const char *target, int fd, const struct mpg_import_config *config, struct mpg_error *err);

#endif

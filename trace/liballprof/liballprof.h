/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Traces of liballprof, mpgliballprof(5). */
#ifndef MPG_LIBALLPROF_H
#define MPG_LIBALLPROF_H

#include "trace/format.h"

/* import_path() of struct mpg_trace_format. */
int mpg_liballprof_import(const char *path, const char *target, int fd, const struct mpg_import_config *config,
                          struct mpg_error *err);

#endif

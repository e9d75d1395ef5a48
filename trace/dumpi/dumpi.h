/* SPDX-License-Identifier: GPL-3.0-or-later */
/* DUMPI traces, mpgdumpi(5). */
#ifndef MPG_DUMPI_H
#define MPG_DUMPI_H

#include "trace/format.h"

/* import_path() of struct mpg_trace_format. */
int mpg_dumpi_import(const char *path, const char *target, int fd, const struct mpg_import_config *config, struct mpg_error *err);

#endif

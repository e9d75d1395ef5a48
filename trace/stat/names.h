/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What callsites are called. */
#ifndef MPG_STAT_NAMES_H
#define MPG_STAT_NAMES_H

#include "trace/stat/symbols.h"

/* Where the frames of a callsite are found. */
struct stat_places {
    const void *source;
    const struct mpg_site *(*site)(const void *source, int32_t site);
    const struct mpg_module *(*module)(const void *source, int32_t module);
};

/* Those of a trace. */
struct stat_places mpg_stat_places_of(const struct mpg_trace *trace);
/* The names of FRAMES places around SITE, innermost first, one a line: those within MPI are left out, and
 * those that call main(). Of MPG_NO_SITE "unknown". The caller frees it; NULL: out of memory. */
char *mpg_stat_name_site(const struct stat_places *places, int32_t site, struct mpg_symbols *symbols,
                         int frames, struct mpg_error *err);

#endif

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
/* One of the places around a callsite. */
struct stat_place {
    const struct mpg_symbol *symbol;
    const struct mpg_module *module; /* of its frame; NULL: not known */
    uint64_t offset;                 /* its frame's: where the call returns to */
    bool inlined;                    /* into the next one, which is of the same frame */
};
/* Calls VISIT with FRAMES places around SITE at most, innermost first: those within MPI are left out, and those that
 * call main(). An interpreter, in whose stack its program does not show, is a place without a symbol, the last one, and
 * comes whatever FRAMES is. VISIT goes on while it returns 0; what it returns else is returned. Errors of the symbols:
 * -1. SITE is 0 or more. */
int mpg_stat_walk_site(const struct stat_places *places, int32_t site, struct mpg_symbols *symbols, int frames,
                       int (*visit)(void *context, const struct stat_place *place), void *context,
                       struct mpg_error *err);
/* The names of FRAMES places around SITE, innermost first, one a line: those within MPI are left out, and
 * those that call main(). Of MPG_NO_SITE "unknown". The caller frees it; NULL: out of memory. */
char *mpg_stat_name_site(const struct stat_places *places, int32_t site, struct mpg_symbols *symbols,
                         int frames, struct mpg_error *err);

/* The names of a trace's callsites, each found once. */
struct mpg_site_names {
    struct stat_places places;
    struct mpg_symbols *symbols;
    int frames;
    size_t n;
    char **name; /* by its number; NULL: not asked for yet */
};

/* Of FRAMES functions each; DEBUG_PATH as mpg_symbols_new(). NAMES are to be ended even if that fails: out of memory, what
 * symbols say. */
int mpg_site_names_begin(struct mpg_site_names *names, const struct mpg_trace *trace, int frames, const char *debug_path,
                         struct mpg_error *err);
/* Of SITE, 0: unknown, else one more than its number: the places, innermost first, a line each; NULL with ERR. */
const char *mpg_site_name(struct mpg_site_names *names, uint32_t site, struct mpg_error *err);
void mpg_site_names_end(struct mpg_site_names *names);

#endif

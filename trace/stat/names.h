/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names of callsites. */
#ifndef MPG_STAT_NAMES_H
#define MPG_STAT_NAMES_H

#include "trace/stat/symbols.h"

/* Source of callsites and modules: a trace or a profile. */
struct stat_callsites {
    const void *source;
    const struct mpg_site *(*site)(const void *source, int32_t site);
    const struct mpg_module *(*module)(const void *source, int32_t module);
};

/* Returns the callsites and modules of TRACE, which must stay open. */
struct stat_callsites mpg_stat_callsites_of(const struct mpg_trace *trace);
/* One frame on the call stack of a callsite. */
struct stat_frame {
    const struct mpg_symbol *symbol;
    const struct mpg_module *module; /* module of the frame; NULL: unknown */
    uint64_t offset;                 /* offset of the frame's return address in MODULE */
    /* the function is inlined into the next frame's function; the next frame has an equal OFFSET */
    bool inlined;
};
/* Calls VISIT for at most FRAMES frames around SITE (0 or more), innermost first, without frames inside MPI and callers of
 * main(). An interpreter without Python frames is reported as a last frame without symbol, even beyond FRAMES. Stops when VISIT
 * returns nonzero and returns VISIT's value; returns -1 if a symbol lookup fails. */
int mpg_stat_walk_site(const struct stat_callsites *callsites, int32_t site, struct mpg_symbols *symbols, int frames,
                       int (*visit)(void *context, const struct stat_frame *frame), void *context,
                       struct mpg_error *err);
/* Returns the names of at most FRAMES frames around SITE, innermost first, one a line, without frames inside MPI and callers of
 * main(); "unknown" for MPG_NO_SITE. The caller frees the text. NULL: out of memory. */
char *mpg_stat_name_site(const struct stat_callsites *callsites, int32_t site, struct mpg_symbols *symbols,
                         int frames, struct mpg_error *err);

/* The names of a trace's callsites; each name is looked up once. */
struct mpg_site_names {
    struct stat_callsites callsites;
    struct mpg_symbols *symbols;
    int frames;
    uint32_t n;  /* length of name */
    char **name; /* index: 1 + site number, 0: unknown site; NULL: not looked up yet */
};

/* Prepares NAMES with FRAMES functions per callsite; DEBUG_PATH: see mpg_symbols_new(). Call mpg_site_names_end() even after an
 * error (out of memory, symbols). */
int mpg_site_names_begin(struct mpg_site_names *names, const struct mpg_trace *trace, int frames, const char *debug_path,
                         struct mpg_error *err);
/* Returns the frames of a callsite, innermost first, one a line. SITE: 1 + site number, 0: unknown callsite. Returns NULL with
 * ERR on error. NAMES owns the text. */
const char *mpg_site_name(struct mpg_site_names *names, uint32_t site, struct mpg_error *err);
void mpg_site_names_end(struct mpg_site_names *names);

#endif

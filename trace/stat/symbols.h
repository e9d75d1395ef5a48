/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions, files and lines of return addresses, from the modules' symbols and debugging information (libdw). Reads nothing from
 * the traced process, and works on any machine with the same modules, or with debugging information under the modules'
 * build-ids. */
#ifndef MPG_SYMBOLS_H
#define MPG_SYMBOLS_H

#include <stddef.h>

#include "common/error.h"
#include "trace/reader.h"

/* A place in the source. */
struct mpg_symbol {
    const char *function; /* demangled name; "module+0x11d6" if unknown */
    const char *file;     /* NULL: unknown */
    int line;             /* 0: unknown */
    uint64_t offset;      /* bytes from the function's begin to the return address; 0 if FILE is known */
    const char *module;   /* name of the module's file without folders; "?": unknown */
};

struct mpg_symbols;

/* Returns an empty lookup table, which the caller frees; NULL with ERR: out of memory. DEBUG_PATH: NULL, or a folder with
 * further modules or debugging information (".build-id/ab/cdef.debug", or files by name). */
struct mpg_symbols *mpg_symbols_new(const char *debug_path, struct mpg_error *err);
void mpg_symbols_free(struct mpg_symbols *symbols); /* SYMBOLS may be NULL */

/* Finds the place of the call that returns to OFFSET in MODULE (NULL: unknown module). Stores the places in *PLACES, innermost
 * first; inlined functions give several places. Returns the number of places, 1 or more, or -1: out of memory. The places stay
 * valid until SYMBOLS is freed. A module whose file now has a different build-id counts as missing. */
int mpg_symbols_look_up(struct mpg_symbols *symbols, const struct mpg_module *module,
                        uint64_t offset, const struct mpg_symbol **places,
                        struct mpg_error *err);

#endif

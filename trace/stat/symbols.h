/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the return addresses of callsites are called in the source: function, file and
 * line, from the modules' symbols and debugging information (libdw). Nothing is read
 * from the process that was traced, so this works on any machine that has the same
 * modules, or their debugging information, under their build-ids. */
#ifndef MPG_SYMBOLS_H
#define MPG_SYMBOLS_H

#include <stddef.h>

#include "common/error.h"
#include "trace/reader.h"

/* A place in the source. */
struct mpg_symbol {
    const char *function; /* its name, demangled; "module+0x11d6" if there is none */
    const char *file;     /* or NULL if it is not known */
    int line;             /* 0 if it is not known */
    uint64_t offset;      /* from the function's begin, of what is returned to; 0 if FILE is known */
    const char *module;   /* its file's name, without folders; "?" if it is unknown */
};

struct mpg_symbols;

/* DEBUG_PATH: a folder with further modules or debugging information
 * (".build-id/ab/cdef.debug", or files by their name), or NULL. */
struct mpg_symbols *mpg_symbols_new(const char *debug_path, struct mpg_error *err);
void mpg_symbols_free(struct mpg_symbols *symbols); /* NULL is allowed */

/* Where the call that returns to OFFSET in MODULE (NULL: in none that is known) was
 * made: several places if functions were inlined there, innermost first. Returns how
 * many, 1 or more, and the places, which stay valid until SYMBOLS is freed; -1: out of
 * memory. A module whose file has another build-id now counts as not there. */
int mpg_symbols_look_up(struct mpg_symbols *symbols, const struct mpg_module *module,
                        uint64_t offset, const struct mpg_symbol **places,
                        struct mpg_error *err);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One module's symbols and debugging information, by libdw. Private to trace/. */
#ifndef MPG_SYMBOLS_DWARF_H
#define MPG_SYMBOLS_DWARF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/reader.h"

struct mpg_dwarf;

/* MODULE's file, or one with the same build-id; NULL if there is none. */
struct mpg_dwarf *mpg_dwarf_open(const struct mpg_module *module, const char *debug_path);
void mpg_dwarf_close(struct mpg_dwarf *d);

/* Calls FOUND with each place that ADDRESS (of an instruction, as in the module's ELF
 * file) belongs to, innermost first: NAME is as in the object file, FILE NULL and LINE 0
 * if they are not known; OFFSET is ADDRESS's from the symbol's begin, where symbols are all that is there. Strings are
 * valid during the call. */
void mpg_dwarf_look_up(struct mpg_dwarf *d, uint64_t address,
                       void (*found)(void *context, const char *name, const char *file, int line, uint64_t offset),
                       void *context);

#endif

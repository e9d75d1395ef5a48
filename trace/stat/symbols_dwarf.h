/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Symbols and debugging information of one module, by libdw. Private to trace/. */
#ifndef MPG_SYMBOLS_DWARF_H
#define MPG_SYMBOLS_DWARF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/reader.h"

struct mpg_dwarf;

/* Opens MODULE's file, or a file with the same build-id; NULL: none found. */
struct mpg_dwarf *mpg_dwarf_open(const struct mpg_module *module, const char *debug_path);
void mpg_dwarf_close(struct mpg_dwarf *d);

/* Calls FOUND for each place of ADDRESS (of an instruction, as in the module's ELF file), innermost first. NAME: as in the object
 * file; FILE NULL, LINE 0: unknown; OFFSET: of ADDRESS from the symbol's begin in bytes if only symbols are known, else 0.
 * Strings are valid during the call. */
void mpg_dwarf_look_up(struct mpg_dwarf *d, uint64_t address,
                       void (*found)(void *context, const char *name, const char *file, int line, uint64_t offset),
                       void *context);

#endif

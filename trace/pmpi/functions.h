/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names of functions, from the symbol tables of the program's modules. */
#ifndef MPG_TRACER_FUNCTIONS_H
#define MPG_TRACER_FUNCTIONS_H

#include <stddef.h>

/* Writes the place of the return address ADDRESS into TEXT of SIZE bytes, cut if necessary: function and offset as solve+0x1f, of
 * C++ as space::solve+0x1f, by the symbol table of the module's file; without a symbol table, module and offset as
 * program+0x41f. Reads the file anew each time; thread-safe. */
void functions_place(const void *address, char *text, size_t size);

#endif

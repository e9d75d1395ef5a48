/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The tracer's own memory, by mmap(2): nothing of it is in the program's heap, whose
 * addresses, and the bytes that a program finds in memory it has not written, stay what
 * they are without the tracer; and no malloc of the program's, whatever it does, is
 * called. trace/pmpi/pmpi.am has all that is compiled into the tracer call these in the
 * place of malloc(3) and its kin.
 *
 * Contracts are malloc's: aligned to 16 bytes; NULL without memory, and also in a signal's
 * handler that came in while its thread was in here. Thread-safe. Up to 8 KiB a block is
 * less than a quarter larger than what was asked for (of more than 64 bytes) and in a slab
 * of its size, which goes back to the system once it is empty and another one is, too.
 * Larger blocks are mapped one by one; at most 4 MiB of those that were freed are kept. */
#ifndef MPG_TRACER_MEMORY_H
#define MPG_TRACER_MEMORY_H

#include <stddef.h>

void *tracer_malloc(size_t bytes);
void *tracer_calloc(size_t number, size_t bytes);
void *tracer_realloc(void *block, size_t bytes);
void tracer_free(void *block);
char *tracer_strdup(const char *text);

/* Bytes that are mapped for all of it. */
size_t tracer_memory_bytes(void);

#endif

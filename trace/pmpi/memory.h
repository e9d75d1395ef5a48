/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The tracer's memory, by mmap(2). The tracer does not use the program's heap: heap addresses, and the content of uninitialised
 * memory, are as without the tracer, and a malloc defined by the program is never called. trace/pmpi/pmpi.am makes all code
 * compiled into the tracer call these functions in place of malloc(3) and related functions.
 *
 * Contracts are malloc's: aligned to 16 bytes; NULL without memory, and in a signal handler that interrupts the thread inside
 * these functions. Thread-safe. A block up to 8 KiB lies in a slab of blocks of one size; above 64 bytes the size is less than a
 * quarter larger than requested. An empty slab returns to the system if another slab of the size is empty. Each larger block has
 * a separate mapping; at most 4 MiB of freed mappings are kept. */
#ifndef MPG_TRACER_MEMORY_H
#define MPG_TRACER_MEMORY_H

#include <stddef.h>

void *tracer_malloc(size_t bytes);
void *tracer_calloc(size_t number, size_t bytes);
void *tracer_realloc(void *block, size_t bytes);
void tracer_free(void *block);
char *tracer_strdup(const char *text);

/* Maps slabs for half a MiB of small blocks, unless as many slabs are ready: to be called before the program's calls are
 * recorded, since making a page present takes some us. */
void tracer_memory_prepare(void);

/* Returns the total number of mapped bytes. */
size_t tracer_memory_bytes(void);

#endif

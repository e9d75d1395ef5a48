/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Addresses as offsets in executables and shared libraries, independent of load addresses. Thread-safe. */
#ifndef MPG_MODULES_H
#define MPG_MODULES_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/event.h"

struct module {
    const char *path;     /* absolute, except for the kernel's module (linux-vdso.so.1) */
    uint32_t build_id_size;
    uint8_t build_id[64]; /* the ELF note NT_GNU_BUILD_ID */
    bool mpi;             /* a library of MPI, or the tracer */
};

/* Returns the module of the return address ADDRESS and the offset in the module; -1 and 0 if no module holds ADDRESS. Unless MPI
 * is NULL, *MPI becomes the module's member `mpi`, or false. Finds libraries loaded since the last call. */
struct mpg_frame modules_frame(const void *address, bool *mpi);

/* The call frame information of a module. */
struct module_unwinding {
    uintptr_t table;     /* .eh_frame_hdr; 0: no table */
    uintptr_t low, high; /* bounds of the segment with the table */
};

/* Writes the call frame information of the module that holds the return address ADDRESS. Returns false if no module holds
 * ADDRESS. */
bool modules_unwinding(const void *address, struct module_unwinding *unwinding);

/* Makes the pages of the call frame information present, of the program and of the modules that need an MPI library, to avoid
 * page faults in the first stacks. To be called in MPI_Init. No effect before Linux 5.14. */
void modules_prepare(void);

struct dl_phdr_info;
/* Writes the bounds of the loaded segment of MODULE (from dl_iterate_phdr(3)) that holds ADDRESS, up to the end of the segment's
 * part in the file. Returns false without such a segment. */
bool modules_bounds(const struct dl_phdr_info *module, uintptr_t address, uintptr_t *low, uintptr_t *high);

/* Returns the number, known or new, of a module that is not loaded and is identified by PATH alone; -1 without memory. */
int32_t modules_named(const char *path);

/* Returns module NUMBER, a result of modules_frame(); it stays valid. */
const struct module *modules_get(int32_t number);

#endif

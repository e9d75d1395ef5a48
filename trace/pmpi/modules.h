/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Addresses as places in executables and shared libraries, which do not depend on where
 * those are loaded. Thread-safe. */
#ifndef MPG_MODULES_H
#define MPG_MODULES_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/event.h"

struct module {
    const char *path;     /* absolute, but for the kernel's own (linux-vdso.so.1) */
    uint32_t build_id_size;
    uint8_t build_id[64]; /* the ELF note NT_GNU_BUILD_ID */
    bool mpi;             /* a library of MPI, or the tracer */
};

/* The module of ADDRESS and its offset there; -1 and 0 of one in none. Libraries loaded since the
 * last call are found. */
struct mpg_frame modules_frame(const void *address);

/* The call frame information of a module. */
struct module_unwinding {
    uintptr_t table;     /* .eh_frame_hdr; 0: the module has none */
    uintptr_t low, high; /* of the segment that the table is in */
};

/* The call frame information of the module of ADDRESS, a return address; false: it is in none. */
bool modules_unwinding(const void *address, struct module_unwinding *unwinding);

struct dl_phdr_info;
/* The bounds of the segment of MODULE, of dl_iterate_phdr(3), whose file has the byte at ADDRESS; false: none has. */
bool modules_bounds(const struct dl_phdr_info *module, uintptr_t address, uintptr_t *low, uintptr_t *high);

/* A module that is not loaded, by its path alone: new or old. -1 without memory. */
int32_t modules_named(const char *path);

/* Module NUMBER, as modules_frame() gave it; stays valid. */
const struct module *modules_get(int32_t number);

#endif

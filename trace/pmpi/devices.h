/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether buffers of calls are memory of a GPU. Only CUDA's driver library, if the program has loaded it, is asked. */
#ifndef MPG_DEVICES_H
#define MPG_DEVICES_H

#include "trace/pmpi/tracer.h"

extern struct tracer_devices {
    /* CUDA's cuPointerGetAttribute; NULL: the program has not loaded CUDA's driver library, as far as known */
    int (*attribute)(void *value, int attribute, uintptr_t pointer);
    uint32_t calls; /* recorded calls with buffers before the library was found; several threads may lose counts */
} tracer_devices;

/* Looks for the driver library among the loaded libraries. */
void tracer_devices_look(void);
/* Returns the MPG_DEVICE_ flags of a call that sends from SENT and receives into RECEIVED; NULL: the call has no such buffer. To
 * be called with the library found. */
uint32_t tracer_devices_find(const void *sent, const void *received);

/* Stores in SCOPE which of the buffers SENT and RECEIVED (NULL: none) are memory of a GPU. The library is looked for at the 1st,
 * 2nd, 4th, 8th ... recorded call with buffers: programs load it before they have such memory, but perhaps after MPI_Init. */
static inline void tracer_note_buffers(struct tracer_scope *scope, const void *sent, const void *received)
{
    if (__builtin_expect(!tracer_devices.attribute, true)) {
        const uint32_t calls = __atomic_load_n(&tracer_devices.calls, __ATOMIC_RELAXED) + 1;
        __atomic_store_n(&tracer_devices.calls, calls, __ATOMIC_RELAXED);
        if (__builtin_expect((calls & (calls - 1)) != 0, true))
            return;
        tracer_devices_look();
        if (!tracer_devices.attribute)
            return;
    }
    scope->device = tracer_devices_find(sent, received);
}

#endif

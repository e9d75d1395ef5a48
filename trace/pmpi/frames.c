/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/pmpi/frames.h"

#include "trace/pmpi/callsites.h"
#include "trace/pmpi/modules.h"
#include "trace/pmpi/python.h"

bool frames_look(const void *address, struct mpg_frame *frame)
{
    if ((uintptr_t)address >= CALLSITES_FOREIGN) {
        *frame = python_frame((uintptr_t)address);
        return false;
    }
    bool mpi;
    *frame = modules_frame(address, &mpi);
    return mpi;
}

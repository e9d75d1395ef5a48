/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/pmpi/frames.h"

#include "trace/pmpi/callsites.h"
#include "trace/pmpi/modules.h"
#include "trace/pmpi/python.h"

unsigned callsite_frames(int32_t site, struct mpg_frame *frames)
{
    const void *addresses[CALLSITES_MAX_DEPTH];
    const unsigned n = callsites_addresses(site, addresses);
    for (unsigned i = 0; i < n; i++)
        frames[i] = (uintptr_t)addresses[i] >= CALLSITES_FOREIGN
                        ? python_frame((uintptr_t)addresses[i])
                        : modules_frame(addresses[i]);
    return n;
}

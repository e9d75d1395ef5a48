/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Captured stacks as definitions of a stream: modules and offsets in them. */
#include "trace/pmpi/sites.h"

#include "trace/pmpi/callsites.h"
#include "trace/pmpi/modules.h"
#include "trace/pmpi/settings.h"
#include "trace/pmpi/stream.h"

enum { DEFAULT_DEPTH = 8 };

static bool on;

void sites_start(int rank)
{
    const int64_t depth = setting_number("MPGTRACE_CALLSITES", SETTING_INT, 0, CALLSITES_MAX_DEPTH,
                                         DEFAULT_DEPTH, rank);
    on = depth > 0;
    if (on)
        callsites_start((unsigned)depth, modules_mpi);
}

int32_t sites_capture(const struct tracer_scope *s)
{
    return on ? callsites_capture(s->return_address, s->frame, s->base) : MPG_NO_SITE;
}

static int define_module(int32_t module, struct mpg_error *err)
{
    if (module < 0 || stream_defined(STREAM_MODULES, module))
        return 0;
    const struct module *m = modules_get(module);
    return mpg_trace_write_module(tracer_writer(), module, m->build_id, m->build_id_size, m->path,
                                  err);
}

int sites_define(int32_t site, struct mpg_error *err)
{
    const void *addresses[CALLSITES_MAX_DEPTH];
    struct mpg_frame frames[CALLSITES_MAX_DEPTH];
    if (site == MPG_NO_SITE || stream_defined(STREAM_SITES, site))
        return 0;
    const unsigned n = callsites_addresses(site, addresses);
    for (unsigned i = 0; i < n; i++) {
        frames[i] = modules_frame(addresses[i]);
        if (define_module(frames[i].module, err) < 0)
            return -1;
    }
    return mpg_trace_write_site(tracer_writer(), site, n, frames, err);
}

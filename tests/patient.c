/* SPDX-License-Identifier: GPL-3.0-or-later */
/* To be preloaded: MPICH's processes, which spin where they wait, yield the core each time they have found
 * nothing, as Open MPI's do when told to. With more ranks than cores a barrier of four takes microseconds in
 * place of milliseconds. What is looked at are MPICH's calls of UCX; with other transports all stays as it is. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sched.h>
#include <stdlib.h>

typedef unsigned progress(void *worker);
progress ucp_worker_progress;

/* MPICH may have been opened by dlopen(): then it is in nobody's global scope. */
static progress *found(void)
{
    void *ucp = dlopen("libucp.so.0", RTLD_LAZY | RTLD_NOLOAD);
    void *symbol = ucp ? dlsym(ucp, "ucp_worker_progress") : NULL;
    if (!symbol)
        abort();
    return (progress *)symbol;
}

unsigned ucp_worker_progress(void *worker)
{
    static progress *real; /* every thread finds the same */
    progress *call = __atomic_load_n(&real, __ATOMIC_RELAXED);
    if (!call)
        __atomic_store_n(&real, call = found(), __ATOMIC_RELAXED);
    const unsigned events = call(worker);
    if (!events)
        sched_yield();
    return events;
}

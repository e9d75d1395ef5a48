/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Library to preload: a process of MPICH, which spins while it waits, gives up the core after each unsuccessful poll,
 * as Open MPI's does on request. With more ranks than cores a barrier of four ranks then takes microseconds instead of
 * milliseconds. Wraps MPICH's calls of UCX; other transports are unchanged. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sched.h>
#include <stdlib.h>

typedef unsigned progress(void *worker);
progress ucp_worker_progress;

/* Asks UCX's library, because the function is not in the global scope if MPICH was opened with dlopen(). */
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
    static progress *real; /* threads may store it at the same time, because all find the same function */
    progress *call = __atomic_load_n(&real, __ATOMIC_RELAXED);
    if (!call)
        __atomic_store_n(&real, call = found(), __ATOMIC_RELAXED);
    const unsigned events = call(worker);
    if (!events)
        sched_yield();
    return events;
}

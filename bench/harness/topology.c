/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Cores and caches from hwloc. */
#include "bench/harness/cores.h"
#include "config.h"

#include "bench/harness/topology.h"

#include <hwloc.h>
#include <stdlib.h>
#include <string.h>


struct mpg_topology {
    hwloc_topology_t hwloc;
};

struct mpg_topology *mpg_topology_open(struct mpg_error *err)
{
    struct mpg_topology *topology = calloc(1, sizeof *topology);
    if (!topology || hwloc_topology_init(&topology->hwloc) < 0) {
        mpg_error_set(err, "out of memory");
        free(topology);
        return NULL;
    }
    if (hwloc_topology_set_all_types_filter(topology->hwloc, HWLOC_TYPE_FILTER_KEEP_NONE) < 0 ||
        hwloc_topology_set_cache_types_filter(topology->hwloc, HWLOC_TYPE_FILTER_KEEP_ALL) < 0 ||
        hwloc_topology_set_type_filter(topology->hwloc, HWLOC_OBJ_CORE,
                                       HWLOC_TYPE_FILTER_KEEP_ALL) < 0 ||
        hwloc_topology_load(topology->hwloc) < 0) {
        mpg_error_set(err, "hwloc cannot find this machine's cores (check the output of lstopo, and the environment for "
                           "HWLOC_... variables)");
        mpg_topology_close(topology);
        return NULL;
    }
    return topology;
}

void mpg_topology_close(struct mpg_topology *topology)
{
    if (topology)
        hwloc_topology_destroy(topology->hwloc);
    free(topology);
}

static hwloc_obj_t thread_object(const struct mpg_topology *topology, int thread)
{
    return hwloc_get_pu_obj_by_os_index(topology->hwloc, (unsigned)thread);
}

/* Returns the physical core of hardware thread THREAD (the system's number), or NULL if unknown to hwloc. */
static hwloc_obj_t core_object(const struct mpg_topology *topology, int thread)
{
    hwloc_obj_t object = thread_object(topology, thread);
    return object ? hwloc_get_ancestor_obj_by_type(topology->hwloc, HWLOC_OBJ_CORE, object) : NULL;
}

int mpg_topology_cores(const struct mpg_topology *topology, int **core, struct mpg_error *err)
{
    int n = 0, threads = mpg_cores_allowed(core, err);
    for (int i = 0; i < threads; i++) {
        hwloc_obj_t object = core_object(topology, (*core)[i]);
        int known = 0;
        for (int k = 0; k < n && object && !known; k++)
            known = core_object(topology, (*core)[k]) == object;
        if (!known)
            (*core)[n++] = (*core)[i];
    }
    return threads < 0 ? -1 : n;
}

/* Returns the outermost data cache of LEVEL (0: any level) that OBJECT uses; NULL: none. */
static hwloc_obj_t cache_above(hwloc_obj_t object, int level)
{
    hwloc_obj_t last = NULL;
    for (; object; object = object->parent)
        if (hwloc_obj_type_is_dcache(object->type) &&
            (level == 0 || (int)object->attr->cache.depth == level))
            last = object;
    return last;
}

void mpg_topology_complex(const struct mpg_topology *topology, char *text, size_t size)
{
    int *thread = NULL;
    int n = mpg_cores_allowed(&thread, NULL);
    hwloc_obj_t first = NULL;
    text[0] = '\0';
    for (int i = 0; i < n; i++) {
        hwloc_obj_t object = thread_object(topology, thread[i]);
        hwloc_obj_t cache = object ? cache_above(object, 0) : NULL;
        if (!cache || (first && cache != first)) {
            first = NULL;
            break;
        }
        first = cache;
    }
    if (first)
        hwloc_bitmap_list_snprintf(text, size, first->cpuset);
    free(thread);
}

int64_t mpg_topology_cache_bytes(const struct mpg_topology *topology, int level)
{
    int *thread = NULL;
    int64_t size_bytes = 0;
    if (mpg_cores_allowed(&thread, NULL) > 0) {
        hwloc_obj_t object = thread_object(topology, thread[0]);
        hwloc_obj_t cache = object ? cache_above(object, level) : NULL;
        size_bytes = cache ? (int64_t)cache->attr->cache.size : 0;
    }
    free(thread);
    return size_bytes;
}

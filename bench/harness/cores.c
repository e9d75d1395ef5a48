/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Cores available to this process (sched_getaffinity(2), CPU_SET(3)). */
#include "config.h"

#include "bench/harness/cores.h"

#include <errno.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/units.h"

enum { MAX_CORES = 65536 };

/* Returns this thread's affinity mask of MAX_CORES bits; the caller frees the mask by CPU_FREE. NULL with ERR. */
static cpu_set_t *allowed_set(struct mpg_error *err)
{
    cpu_set_t *set = CPU_ALLOC(MAX_CORES);
    if (!set) {
        mpg_error_set(err, "out of memory");
        return NULL;
    }
    CPU_ZERO_S(CPU_ALLOC_SIZE(MAX_CORES), set);
    if (sched_getaffinity(0, CPU_ALLOC_SIZE(MAX_CORES), set) < 0) {
        mpg_error_errno(err, errno, "cannot find the allowed cores");
        CPU_FREE(set);
        return NULL;
    }
    return set;
}

int mpg_cores_allowed(int **cores, struct mpg_error *err)
{
    size_t size = CPU_ALLOC_SIZE(MAX_CORES);
    cpu_set_t *set = allowed_set(err);
    if (!set)
        return -1;
    int n = 0;
    int *list = malloc((size_t)CPU_COUNT_S(size, set) * sizeof *list);
    for (int core = 0; list && core < MAX_CORES; core++)
        if (CPU_ISSET_S((size_t)core, size, set))
            list[n++] = core;
    CPU_FREE(set);
    if (!list)
        return mpg_error_set(err, "out of memory");
    *cores = list;
    return n;
}

int mpg_cores_pin(int core, struct mpg_error *err)
{
    size_t size = CPU_ALLOC_SIZE(MAX_CORES);
    cpu_set_t *set = CPU_ALLOC(MAX_CORES);
    if (!set)
        return mpg_error_set(err, "out of memory");
    CPU_ZERO_S(size, set);
    CPU_SET_S((size_t)core, size, set);
    int status = sched_setaffinity(0, size, set), saved = errno;
    CPU_FREE(set);
    return status < 0 ? mpg_error_errno(err, saved, "cannot run on core %d", core) : 0;
}

/* Formats N ascending cores as a list of ranges. Returns TEXT. */
static char *print_list(char *text, size_t size, const int *core, int n)
{
    size_t used = 0;
    snprintf(text, size, "none");
    for (int i = 0, last; i < n && used < size; i = last + 1) {
        for (last = i; last + 1 < n && core[last + 1] == core[last] + 1; last++) {
        }
        used += (size_t)snprintf(text + used, size - used, last > i ? "%s%d-%d" : "%s%d",
                                 i ? "," : "", core[i], core[last]);
    }
    return text;
}

char *mpg_cores_text(char *text, size_t size)
{
    int *core = NULL;
    int n = mpg_cores_allowed(&core, NULL);
    if (n < 0)
        snprintf(text, size, "unknown");
    else
        print_list(text, size, core, n);
    free(core);
    return text;
}

int mpg_cores_select(const char *list, int *core, int n, struct mpg_error *err)
{
    struct mpg_rank_set set;
    char allowed[256];
    int kept = 0;
    if (mpg_rank_set_parse(list, &set, NULL) < 0)
        return mpg_error_set(err, "'%s' is not a list of cores like 0,4-7", list);
    for (size_t i = 0; i < set.count; i++) {
        int64_t found = 0, wanted = (int64_t)set.ranges[i].last - set.ranges[i].first + 1;
        for (int c = 0; c < n; c++)
            found += core[c] >= set.ranges[i].first && core[c] <= set.ranges[i].last;
        if (found < wanted) {
            mpg_rank_set_clear(&set);
            return mpg_error_set(err, "%s: offline, or not among the allowed cores, %s",
                                 list, print_list(allowed, sizeof allowed, core, n));
        }
    }
    for (int c = 0; c < n; c++)
        if (mpg_rank_set_contains(&set, core[c]))
            core[kept++] = core[c];
    mpg_rank_set_clear(&set);
    return kept;
}

int mpg_cores_limit(int limit, int *core, int n)
{
    int kept = limit > 0 && limit < n ? limit : n;
    for (int i = 0; i < kept; i++)
        core[i] = core[(int)((int64_t)i * n / kept)];
    return kept;
}

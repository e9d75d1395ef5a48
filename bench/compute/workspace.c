/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Cache and memory sizes from Linux. */
#include "config.h"

#include "bench/compute/workspace.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/units.h"

#define MIB ((int64_t)1 << 20)

/* Reads the first line of file PATH into TEXT; false: no such file. */
static int read_line(const char *path, char *text, int size)
{
    FILE *stream = fopen(path, "r");
    int found = stream && fgets(text, size, stream);
    if (stream)
        fclose(stream);
    if (found)
        text[strcspn(text, "\n")] = '\0';
    return found;
}

int64_t mpg_cache_bytes(int core)
{
    int64_t bytes = 0, size;
    char path[128], text[64];
    /* sysfs lists the caches from the first level on, the last entry is therefore the last level */
    for (int index = 0; index < 16; index++) {
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/cache/index%d/size", core,
                 index);
        if (read_line(path, text, sizeof text) && mpg_units_parse_size(text, &size, NULL) == 0)
            bytes = size;
    }
#ifdef _SC_LEVEL3_CACHE_SIZE
    if (bytes <= 0)
        bytes = sysconf(_SC_LEVEL3_CACHE_SIZE);
    if (bytes <= 0)
        bytes = sysconf(_SC_LEVEL2_CACHE_SIZE);
#endif
    return bytes > 0 ? bytes : 0;
}

static int64_t read_number(const char *path)
{
    char text[64];
    int64_t value;
    if (!read_line(path, text, sizeof text) || mpg_units_parse_int(text, &value, NULL) < 0)
        return -1; /* a limit of "max" is not a number, and counts as unknown, too */
    return value;
}

int64_t mpg_memory_available(void)
{
    char line[256];
    int64_t available = 0, kib;
    FILE *stream = fopen("/proc/meminfo", "r");
    while (stream && available == 0 && fgets(line, sizeof line, stream))
        if (sscanf(line, "MemAvailable: %" SCNd64 " kB", &kib) == 1)
            available = kib * 1024;
    if (stream)
        fclose(stream);
    /* Files with the memory limit and use of a container: control groups version 2, then version 1. */
    int64_t limit = read_number("/sys/fs/cgroup/memory.max");
    int64_t used = read_number("/sys/fs/cgroup/memory.current");
    if (limit < 0) {
        limit = read_number("/sys/fs/cgroup/memory/memory.limit_in_bytes");
        used = read_number("/sys/fs/cgroup/memory/memory.usage_in_bytes");
    }
    if (limit > 0 && used >= 0 && (available == 0 || limit - used < available))
        available = limit > used ? limit - used : 1;
    return available;
}

int64_t mpg_workspace_bytes(int64_t cache_bytes, int64_t available_bytes, int64_t limit_bytes,
                            int cores)
{
    int64_t bytes = cache_bytes > 0 ? 4 * cache_bytes : 256 * MIB;
    int64_t share = available_bytes / 4 / cores; /* each core has two working sets, both together may take half of the available
                                                  * memory */
    if (bytes < 4 * MIB)
        bytes = 4 * MIB;
    if (bytes > limit_bytes)
        bytes = limit_bytes;
    if (available_bytes > 0 && bytes > share)
        bytes = share;
    bytes -= bytes % 4096;
    return bytes >= 4096 ? bytes : 4096;
}

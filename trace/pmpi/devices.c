/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Asks CUDA's driver library about pointers. Numbers are of its documented interface (cuda.h), so that no header is needed. */
#include "trace/pmpi/devices.h"

#include <dlfcn.h>
#include <link.h>
#include <string.h>

static const char name[] = "libcuda.so.1";

struct tracer_devices tracer_devices;

static int is_driver(struct dl_phdr_info *info, size_t size, void *ignored)
{
    const char *slash = strrchr(info->dlpi_name, '/');
    (void)size;
    (void)ignored;
    return strcmp(slash ? slash + 1 : info->dlpi_name, name) == 0;
}

void tracer_devices_look(void)
{
    if (!dl_iterate_phdr(is_driver, NULL)) /* dlopen() would use the program's heap even if it finds nothing */
        return;
    void *library = dlopen(name, RTLD_LAZY | RTLD_NOLOAD);
    if (library)
        *(void **)&tracer_devices.attribute = dlsym(library, "cuPointerGetAttribute");
}

static bool is_device(const void *buffer)
{
    enum { MEMORY_TYPE = 2, DEVICE = 2 }; /* CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_MEMORYTYPE_DEVICE */
    unsigned type = 0;
    return buffer && tracer_devices.attribute(&type, MEMORY_TYPE, (uintptr_t)buffer) == 0 && type == DEVICE;
}

uint32_t tracer_devices_find(const void *sent, const void *received)
{
    return (is_device(sent) ? MPG_DEVICE_SENT : 0) | (is_device(received) ? MPG_DEVICE_RECEIVED : 0);
}

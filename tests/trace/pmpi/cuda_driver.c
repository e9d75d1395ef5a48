/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A stand-in for CUDA's driver library, libcuda.so.1, for machines without a GPU: memory that the program names by
 * stand_in_device() counts as memory of a device. Built by test-devices.sh. */
#include <stddef.h>
#include <stdint.h>

static uintptr_t begin, end;

void stand_in_device(void *memory, size_t bytes)
{
    begin = (uintptr_t)memory;
    end = begin + bytes;
}

int cuPointerGetAttribute(void *value, int attribute, uintptr_t pointer)
{
    if (attribute != 2 || pointer < begin || pointer >= end)
        return 1;
    *(unsigned *)value = 2;
    return 0;
}

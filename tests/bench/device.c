/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A stand-in for CUDA's runtime library, libcudart.so, whose device memory is the host's, for machines without a GPU. Preloaded,
 * the stand-in also answers for the MPI library: MPIX_Query_cuda_support returns $MPGKIT_AWARE. There are $MPGKIT_DEVICES
 * devices. With $MPGKIT_LOG: at the end of the process a line that says whether messages of 4096 bytes left from device memory,
 * how many left from other memory, and how many allocations were not freed. Used by test-device.sh. */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ALLOCATIONS = 64, BYTES = 4096 };

static struct {
    char *memory;
    size_t bytes;
} made[ALLOCATIONS];
static int from_device, from_host;

static int number_of(const char *name)
{
    return getenv(name) ? atoi(getenv(name)) : 0;
}

int cudaGetDeviceCount(int *n)
{
    *n = number_of("MPGKIT_DEVICES");
    return *n < 0 ? 35 : 0;
}

int cudaSetDevice(int device)
{
    return device < number_of("MPGKIT_DEVICES") ? 0 : 10;
}

int cudaMalloc(void **memory, size_t bytes)
{
    for (int i = 0; i < ALLOCATIONS; i++)
        if (!made[i].memory) {
            *memory = made[i].memory = malloc(bytes);
            made[i].bytes = bytes;
            return *memory ? 0 : 2;
        }
    return 2;
}

int cudaFree(void *memory)
{
    for (int i = 0; i < ALLOCATIONS; i++)
        if (made[i].memory == memory) {
            free(memory);
            made[i].memory = NULL;
            return 0;
        }
    return 1;
}

int cudaMemset(void *memory, int value, size_t bytes)
{
    memset(memory, value, bytes);
    return 0;
}

int cudaDeviceSynchronize(void)
{
    return 0;
}

const char *cudaGetErrorString(int error)
{
    return error == 35 ? "CUDA driver version is insufficient" : "some error";
}

int MPIX_Query_cuda_support(void)
{
    return number_of("MPGKIT_AWARE");
}

int MPI_Send(const void *buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm)
{
    int inside = 0;
    for (int i = 0; i < ALLOCATIONS; i++)
        inside |= made[i].memory && (uintptr_t)buffer - (uintptr_t)made[i].memory < made[i].bytes;
    if (count == BYTES && inside)
        from_device++;
    else if (count == BYTES)
        from_host++;
    return PMPI_Send(buffer, count, type, to, tag, comm);
}

__attribute__((destructor)) static void report(void)
{
    int left = 0;
    FILE *log = getenv("MPGKIT_LOG") ? fopen(getenv("MPGKIT_LOG"), "a") : NULL;
    for (int i = 0; i < ALLOCATIONS; i++)
        left += made[i].memory != NULL;
    if (log && from_device + from_host > 0)
        fprintf(log, "%s %d %d\n", from_device > 0 ? "device" : "none", from_host, left);
    if (log)
        fclose(log);
}

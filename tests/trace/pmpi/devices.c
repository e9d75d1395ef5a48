/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two ranks send buffers of a device and of the host, once CUDA's driver library is loaded, which is after MPI_Init. Built by
 * test-devices.sh with cuda_driver.c, a stand-in. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stddef.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    char *device = calloc(1000, 1), *host = calloc(1000, 1);
    int rank;
    void (*name)(void *, size_t);
    MPI_Request request[2];
    MPI_Win win;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Bcast(device, 1, MPI_CHAR, 0, MPI_COMM_WORLD); /* the library is not there yet */
    if (argc > 1) {
        void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
        *(void **)&name = library ? dlsym(library, "stand_in_device") : NULL;
        if (!name)
            MPI_Abort(MPI_COMM_WORLD, 1);
        name(device, 1000);
    }
    if (rank == 0) {
        MPI_Send(device, 100, MPI_CHAR, 1, 1, MPI_COMM_WORLD);
        MPI_Send(host, 200, MPI_CHAR, 1, 2, MPI_COMM_WORLD);
        MPI_Isend(host, 300, MPI_CHAR, 1, 3, MPI_COMM_WORLD, &request[0]);
    } else {
        MPI_Recv(host, 100, MPI_CHAR, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(device + 10, 200, MPI_CHAR, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Irecv(device, 300, MPI_CHAR, 0, 3, MPI_COMM_WORLD, &request[0]);
    }
    MPI_Wait(&request[0], MPI_STATUS_IGNORE);
    MPI_Sendrecv(device, 10, MPI_CHAR, 1 - rank, 4, host, 10, MPI_CHAR, 1 - rank, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < 3; i++) /* equal calls in a row, which the tracer writes in a short way */
        MPI_Allreduce(host, device, 4, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, host, 4, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Bcast(device, 8, MPI_CHAR, 0, MPI_COMM_WORLD);
    MPI_Win_create(host, 1000, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_fence(0, win);
    MPI_Put(device, 5, MPI_CHAR, 1 - rank, 0, 5, MPI_CHAR, win);
    MPI_Get(device + 100, 6, MPI_CHAR, 1 - rank, 500, 6, MPI_CHAR, win);
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
    return MPI_Finalize();
}

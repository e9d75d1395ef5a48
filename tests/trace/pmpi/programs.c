/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Valid uses of MPI in real programs that a tracer or mpgsim once handled wrongly: programs WHAT, on 4 ranks
 * (tests/trace/pmpi/test-programs.sh). */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int rank, ranks;

/* MPI_Comm_create_group is called by some ranks only, so its order with calls of all ranks differs (MPI-3.1, section
 * 6.4.2). */
static void group_order(void)
{
    MPI_Group all;
    MPI_Comm by_group, first, second, copy;
    MPI_Request request;
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    if (rank % 2) {
        MPI_Comm_create_group(MPI_COMM_WORLD, all, 7, &by_group);
        MPI_Comm_idup(MPI_COMM_WORLD, &copy, &request);
    } else {
        MPI_Comm_idup(MPI_COMM_WORLD, &copy, &request);
        MPI_Comm_create_group(MPI_COMM_WORLD, all, 7, &by_group);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Comm_create_group(MPI_COMM_WORLD, all, 7, &first);
    MPI_Comm_create_group(MPI_COMM_WORLD, all, 8, &second);
    MPI_Barrier(copy);
    MPI_Barrier(by_group);
    MPI_Comm of[] = {first, second, copy, by_group};
    for (int i = 0, got; i < 4; i++)
        MPI_Sendrecv(&i, 1, MPI_INT, rank ^ 1, 3, &got, 1, MPI_INT, rank ^ 1, 3,
                     of[i], MPI_STATUS_IGNORE);
    for (int i = 0; i < 4; i++)
        MPI_Comm_free(&of[i]);
    MPI_Group_free(&all);
}

/* Open MPI gives a persistent buffered send a new handle if MPI_Start finds the previous send in progress: here the
 * receiver is late. */
static void buffered_again(void)
{
    enum { TIMES = 3, BYTES = 1 << 20 };
    static char data[BYTES], buffer[TIMES * (BYTES + MPI_BSEND_OVERHEAD)];
    MPI_Request request;
    if (rank == 0) {
        int size;
        void *attached;
        MPI_Buffer_attach(buffer, sizeof buffer);
        MPI_Bsend_init(data, BYTES, MPI_CHAR, 1, 1, MPI_COMM_WORLD, &request);
        for (int i = 0; i < TIMES; i++) {
            MPI_Start(&request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
        MPI_Send(NULL, 0, MPI_CHAR, 1, 2, MPI_COMM_WORLD);
        MPI_Request_free(&request);
        MPI_Buffer_detach(&attached, &size);
    } else if (rank == 1) {
        MPI_Recv(NULL, 0, MPI_CHAR, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int i = 0; i < TIMES; i++)
            MPI_Recv(data, BYTES, MPI_CHAR, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

/* Both ranks send first: this works only because MPI buffers small messages, and mpgsim may warn about it. */
static void head_on(void)
{
    int mine = rank, other;
    MPI_Send(&mine, 1, MPI_INT, rank ^ 1, 0, MPI_COMM_WORLD);
    MPI_Recv(&other, 1, MPI_INT, rank ^ 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } programs[] = {
        {"group_order", group_order}, {"buffered_again", buffered_again}, {"head_on", head_on}};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (size_t i = 0; argc > 1 && i < sizeof programs / sizeof programs[0]; i++)
        if (strcmp(argv[1], programs[i].name) == 0)
            programs[i].run();
    MPI_Finalize();
    if (rank == 0)
        puts("done");
    return 0;
}

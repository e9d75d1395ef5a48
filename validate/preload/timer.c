/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Preloaded into a program that is not traced: appends a line "rank begin_ns end_ns" to the
 * file that MPGKIT_TIMER names, from where MPI_Init leaves to where MPI_Finalize is entered,
 * as docs/MODEL.md defines a rank's run time. Nothing else of MPI passes through it.
 *
 * At the end of MPI_Init every two ranks exchange a message, so that connections which a
 * library makes with the first one are there: over TCP that takes milliseconds, once, which no
 * signature knows; the tracer's own messages at this place have the same effect. Then they sleep
 * a little: the launcher, which may share their cores, is not done when MPI_Init is. */
#include <fcntl.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

void mpi_init_(int *err);
void mpi_init_thread_(int *required, int *provided, int *err);
void mpi_finalize_(int *err);
void pmpi_init_(int *err) __attribute__((weak));
void pmpi_init_thread_(int *required, int *provided, int *err) __attribute__((weak));
void pmpi_finalize_(int *err) __attribute__((weak));

/* So long the launcher may still be busy. */
#define SETTLE_NS 50000000

static int64_t begin_ns;

static int64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* One write, which O_APPEND keeps in one piece among those of other ranks. */
static void report(void)
{
    int64_t end_ns = now_ns();
    char line[96];
    int rank;
    const char *path = getenv("MPGKIT_TIMER");
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int length = snprintf(line, sizeof line, "%d %lld %lld\n", rank, (long long)begin_ns,
                          (long long)end_ns);
    int fd = path ? open(path, O_WRONLY | O_APPEND | O_CREAT, 0666) : -1;
    if (fd < 0 || write(fd, line, (size_t)length) != length)
        fprintf(stderr, "timer: cannot write to MPGKIT_TIMER\n");
    if (fd >= 0)
        close(fd);
}

static void begin(void)
{
    int rank, ranks;
    char byte = 0;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int step = 1; step < ranks; step++)
        PMPI_Sendrecv(&byte, 0, MPI_BYTE, (rank + step) % ranks, 0, &byte, 0, MPI_BYTE,
                      (rank - step + ranks) % ranks, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    nanosleep(&(struct timespec){.tv_nsec = SETTLE_NS}, NULL);
    PMPI_Barrier(MPI_COMM_WORLD);
    begin_ns = now_ns();
}

int MPI_Init(int *argc, char ***argv)
{
    int status = PMPI_Init(argc, argv);
    begin();
    return status;
}

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    int status = PMPI_Init_thread(argc, argv, required, provided);
    begin();
    return status;
}

int MPI_Finalize(void)
{
    report();
    return PMPI_Finalize();
}

/* Fortran's, which call PMPI themselves; programs in C have no pmpi_*_. */
void mpi_init_(int *err)
{
    pmpi_init_(err);
    begin();
}

void mpi_init_thread_(int *required, int *provided, int *err)
{
    pmpi_init_thread_(required, provided, err);
    begin();
}

void mpi_finalize_(int *err)
{
    report();
    pmpi_finalize_(err);
}

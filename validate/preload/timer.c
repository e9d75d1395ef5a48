/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Library to preload into a program: appends a line "rank begin_ns end_ns off_ns" for each rank to the file named by
 * MPGKIT_TIMER. A rank's run time lasts from the end of MPI_Init to the start of MPI_Finalize (docs/MODEL.md); off_ns
 * is the off-CPU time within the run time. No other MPI function is wrapped. The library also replaces the PMPI
 * functions, to be below a tracer.
 *
 * off_ns is the wall time minus the CPU time of the rank's main thread, and so includes time stolen by a hypervisor. If
 * the thread has slept, however, which is the program's own time, off_ns is only the time in the run queue
 * (/proc/thread-self/schedstat).
 *
 * At the end of MPI_Init every pair of ranks exchanges a message, because some libraries connect at the first message.
 * Over TCP this takes milliseconds once, which no signature contains; the tracer's own messages at this point have the
 * same effect. Then the ranks sleep for a short time, because the launcher, which may share the cores, is still busy
 * after MPI_Init. With MPGKIT_TIMER_TRACED set the library does neither, because a tracer would record both. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

void mpi_init_(int *err);
void mpi_init_thread_(int *required, int *provided, int *err);
void mpi_finalize_(int *err);
void pmpi_init_(int *err) __attribute__((weak));
void pmpi_init_thread_(int *required, int *provided, int *err) __attribute__((weak));
void pmpi_finalize_(int *err) __attribute__((weak));

/* the launcher is busy for no longer than this after MPI_Init */
#define SETTLE_NS 50000000

/* Clocks and counters of a rank's main thread at one time. */
struct moment {
    int64_t wall_ns, cpu_ns, waited_ns;
    long slept; /* number of voluntary context switches */
};

static struct moment began;
static bool begun, reported;

static int64_t read_ns(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static struct moment now(void)
{
    struct moment m = {0};
    struct rusage usage;
    long long waited_ns;
    FILE *stream = fopen("/proc/thread-self/schedstat", "r");
    if (stream && fscanf(stream, "%*d %lld", &waited_ns) == 1)
        m.waited_ns = waited_ns;
    if (stream)
        fclose(stream);
    if (getrusage(RUSAGE_THREAD, &usage) == 0)
        m.slept = usage.ru_nvcsw;
    m.wall_ns = read_ns(CLOCK_MONOTONIC);
    m.cpu_ns = read_ns(CLOCK_THREAD_CPUTIME_ID);
    return m;
}

/* A single write per rank, because O_APPEND then keeps the lines of several ranks apart. */
static void report(void)
{
    const struct moment end = now();
    int64_t off_ns = end.slept > began.slept
                         ? end.waited_ns - began.waited_ns
                         : end.wall_ns - began.wall_ns - (end.cpu_ns - began.cpu_ns);
    char line[128];
    int rank;
    const char *path = getenv("MPGKIT_TIMER");
    if (!path || reported)
        return;
    reported = true;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int length = snprintf(line, sizeof line, "%d %lld %lld %lld\n", rank,
                          (long long)began.wall_ns, (long long)end.wall_ns,
                          (long long)(off_ns > 0 ? off_ns : 0));
    int fd = open(path, O_WRONLY | O_APPEND | O_CREAT, 0666);
    if (fd < 0 || write(fd, line, (size_t)length) != length)
        fprintf(stderr, "timer: cannot write to MPGKIT_TIMER\n");
    if (fd >= 0)
        close(fd);
}

/* Starts the run time of this rank, at the end of MPI_Init. A Fortran program may call begin() twice: by Fortran's
 * MPI_Init, and by C's MPI_Init, called by Fortran's. */
static void begin(void)
{
    int rank, ranks;
    char byte = 0;
    if (begun)
        return;
    begun = true;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (!getenv("MPGKIT_TIMER_TRACED")) {
        for (int step = 1; step < ranks; step++)
            PMPI_Sendrecv(&byte, 0, MPI_BYTE, (rank + step) % ranks, 0, &byte, 0, MPI_BYTE,
                          (rank - step + ranks) % ranks, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        nanosleep(&(struct timespec){.tv_nsec = SETTLE_NS}, NULL);
        PMPI_Barrier(MPI_COMM_WORLD);
    }
    began = now();
}

/* Returns the MPI library's own function NAME. */
static void *library(const char *name)
{
    void *function = dlsym(RTLD_NEXT, name);
    if (!function) {
        fprintf(stderr, "timer: MPI's library has no %s\n", name);
        abort();
    }
    return function;
}

int PMPI_Init(int *argc, char ***argv)
{
    int (*original)(int *, char ***);
    *(void **)&original = library("PMPI_Init");
    int status = original(argc, argv);
    begin();
    return status;
}

int PMPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    int (*original)(int *, char ***, int, int *);
    *(void **)&original = library("PMPI_Init_thread");
    int status = original(argc, argv, required, provided);
    begin();
    return status;
}

int PMPI_Finalize(void)
{
    int (*original)(void);
    *(void **)&original = library("PMPI_Finalize");
    report();
    return original();
}

int MPI_Init(int *argc, char ***argv)
{
    return PMPI_Init(argc, argv);
}

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    return PMPI_Init_thread(argc, argv, required, provided);
}

int MPI_Finalize(void)
{
    return PMPI_Finalize();
}

/* Fortran's functions, which call Fortran's PMPI functions, weak here because only Fortran programs are linked to them. */
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

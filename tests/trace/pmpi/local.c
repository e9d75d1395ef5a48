/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A program that repeatedly calls local functions (MPI_Wtime, MPI_Comm_rank): local HOW [FILE]. Counts the
 * completed calls of MPI_Wtime, for all ranks in FILE if given, as 64-bit numbers, and prints the counts at the end
 * (tests/trace/pmpi/test-local.sh). */
#include <fcntl.h>
#include <locale.h>
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "trace/mpg_region.h"

enum { THREADS = 3, PLACES = 100 };

static int rank;
static volatile uint64_t *counts; /* one count for each rank, shared with the test */
static uint64_t own[1024];

static void open_counts(const char *path)
{
    const int fd = open(path, O_RDWR | O_CREAT, 0666);
    if (fd < 0 || ftruncate(fd, sizeof own) < 0)
        exit(9);
    void *shared = mmap(NULL, sizeof own, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (shared == MAP_FAILED)
        exit(9);
    counts = shared;
    close(fd);
}

static void ask(long times)
{
    for (long i = 0; i < times; i++) {
        MPI_Wtime();
        __atomic_fetch_add(&counts[rank], 1, __ATOMIC_RELAXED);
    }
}

/* Makes calls from PLACES different call stacks. */
__attribute__((noinline)) static void descend(volatile int depth)
{
    ask(3);
    if (depth > 0)
        descend(depth - 1);
    depth = 0;
}

static void pass(void)
{
    int out = 1, in, again;
    MPI_Sendrecv(&out, 1, MPI_INT, 0, 3, &in, 1, MPI_INT, 0, 3, MPI_COMM_SELF,
                 MPI_STATUS_IGNORE);
    MPI_Comm_rank(MPI_COMM_WORLD, &again);
}

static void go_round(long rounds)
{
    for (long i = 0; i < rounds; i++) {
        mpg_region_begin("round");
        ask(i % 7);
        pass();
        ask(i % 3);
        mpg_region_end("round");
        ask(50);
        pass();
    }
}

/* --- local calls that fail, and that call the program back --- */

static int sizes; /* number of calls of MPI_Comm_size that MPI_Comm_set_attr did not cause */

static int on_delete(MPI_Comm comm, int key, void *value, void *state)
{
    int size;
    (void)key, (void)value, (void)state;
    return MPI_Comm_size(comm, &size); /* inside of MPI_Comm_set_attr, so the tracer does not record it */
}

/* After many successful calls of MPI_Comm_rank at one call site, every tenth one fails. Each MPI_Comm_set_attr except
 * the first calls the delete function. */
static void go_wrong(void)
{
    int key, number, failed = 0;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    for (int i = 0; i < 1000; i++) {
        const MPI_Comm comm = i >= 900 && i % 10 == 0 ? MPI_COMM_NULL : MPI_COMM_WORLD;
        failed += MPI_Comm_rank(comm, &number) != MPI_SUCCESS;
    }
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_delete, &key, NULL);
    for (int i = 0; i < 200; i++)
        MPI_Comm_set_attr(MPI_COMM_WORLD, key, &sizes);
    for (; sizes < 300; sizes++)
        MPI_Comm_size(MPI_COMM_WORLD, &number);
    printf("failed %d sizes %d\n", failed, sizes);
}

static void *in_thread(void *unused)
{
    for (int i = 0; i < 200; i++) {
        ask(20);
        pass();
    }
    return unused;
}

static void have_threads(void)
{
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, in_thread, NULL);
    in_thread(NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "rounds";
    const int level = strcmp(how, "threads") == 0 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE;
    int provided;
    setlocale(LC_ALL, ""); /* as programs with translated messages do */
    counts = own;
    if (argc > 2)
        open_counts(argv[2]);
    MPI_Init_thread(NULL, NULL, level, &provided);
    if (provided < level)
        return 77;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (strcmp(how, "run") == 0)
        go_round(1L << 40);
    if (strcmp(how, "threads") == 0)
        have_threads();
    if (strcmp(how, "wrong") == 0)
        go_wrong();
    if (strcmp(how, "places") == 0)
        for (int i = 0; i < 3; i++)
            descend(PLACES);
    go_round(100);
    ask(1000);
    printf("rank %d: %llu\n", rank, (unsigned long long)counts[rank]);
    fflush(stdout);
    if (strcmp(how, "kill") == 0)
        kill(getpid(), SIGKILL);
    if (strcmp(how, "exit") == 0)
        exit(0);
    MPI_Finalize();
    return 0;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parallel regions of OpenMP whose threads sleep known times, for test-openmp.sh. Prints "NAME THREADS VISITS", then for each
 * thread "NAME/THREAD SLEPT_NS", by the program's own clock. */
#include <mpi.h>
#include <omp.h>
#include <stdio.h>
#include <time.h>

enum { THREADS = 3, VISITS = 5 };

static long long slept_ns[THREADS];

static long long now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void sleep_for(int thread, long ns)
{
    const long long begin_ns = now_ns();
    nanosleep(&(struct timespec){.tv_nsec = ns}, NULL);
    slept_ns[thread] += now_ns() - begin_ns;
}

static void tell(const char *name, int threads, int visits)
{
    printf("%s %d %d\n", name, threads, visits);
    for (int i = 0; i < threads; i++) {
        printf("%s/%d %lld\n", name, i, slept_ns[i]);
        slept_ns[i] = 0;
    }
}

/* The last thread sleeps longest. */
static __attribute__((noinline)) void uneven(void)
{
#pragma omp parallel num_threads(THREADS)
    sleep_for(omp_get_thread_num(), 1000000L * (1 + omp_get_thread_num()));
}

static __attribute__((noinline)) void alone(void)
{
#pragma omp parallel num_threads(1)
    sleep_for(0, 1000000);
}

/* Two barriers; the inner region belongs to the outer one. */
static __attribute__((noinline)) void nested(void)
{
#pragma omp parallel num_threads(2)
    {
        const int me = omp_get_thread_num();
        sleep_for(me, me == 0 ? 3000000 : 1000000);
#pragma omp barrier
#pragma omp parallel num_threads(2)
        if (omp_get_thread_num() == 0)
            sleep_for(me, me == 0 ? 1000000 : 3000000);
    }
}

/* All work is tasks of thread 0, which the others execute while they wait. */
static __attribute__((noinline)) void tasks(void)
{
#pragma omp parallel num_threads(2)
#pragma omp single
    for (int i = 0; i < 8; i++)
#pragma omp task
        sleep_for(omp_get_thread_num(), 1000000);
}

/* The main thread waits in MPI, which is no work. */
static __attribute__((noinline)) void communicates(void)
{
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0) {
            MPI_Sendrecv_replace(&rank, 1, MPI_INT, rank, 0, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Barrier(MPI_COMM_WORLD);
        }
        sleep_for(omp_get_thread_num(), 1000000);
    }
}

int main(int argc, char **argv)
{
    int level;
    uneven();
    slept_ns[0] = slept_ns[1] = slept_ns[2] = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
    omp_set_max_active_levels(2);
    void (*const region[])(void) = {uneven, alone, nested, tasks, communicates};
    const char *const name[] = {"uneven", "alone", "nested", "tasks", "communicates"};
    const int threads[] = {THREADS, 1, 2, 2, 2};
    for (int i = 0; i < 5; i++) {
        for (int k = 0; k < VISITS; k++)
            region[i]();
        tell(name[i], threads[i], VISITS);
    }
    MPI_Finalize();
    return 0;
}
